//! Locked decisions.

use lethe_compute::Job;
use lethe_game::{Player, SpotConfig, StreetSizes};
use lethe_solver::{Lock, LockError, LockedStrategy, Options, Stop};

use crate::common::{config, iterated, player, sizes, spot};

fn shove() -> SpotConfig {
    let mut config = SpotConfig::new(100, 100);
    config.bet_sizes.river = StreetSizes { oop: player("a", ""), ..StreetSizes::default() };
    config
}

#[test]
fn against_a_locked_caller_a_bluffer_gives_up() {
    let spot = spot("2s3h4d6c7c", "AsAh,QsQh", "KsKh", &shove());
    let node = spot.tree().find("a").unwrap();
    let strategy = LockedStrategy::Range(vec![0.0, 1.0]);
    let spot = spot.with_lock(Lock { node, dealt: Vec::new(), strategy }).unwrap();
    let (solver, report) = iterated(spot, Options::default(), 200);
    // Aces win the pot and a call, queens give up: (200 + 0) / 2.
    assert!((report.evaluation.unwrap().ev[0] - 100.0).abs() < 0.1, "{report:?}");
    assert!(report.evaluation.unwrap().exploitability.abs() < 0.1, "{report:?}");
    let solution = solver.into_solution();
    let hands = solution.root().hands(Player::Oop, Job::default()).unwrap();
    let queens = hands.iter().find(|h| h.hole == "QsQh".parse().unwrap()).unwrap();
    assert!(queens.frequencies.as_ref().unwrap()[0] > 0.99, "{queens:?}");
    let call =
        solution.walk("allin100").unwrap().view(Job::default()).unwrap().frequencies.unwrap();
    assert_eq!(call, [0.0, 1.0]);
}

#[test]
fn one_locked_hand_leaves_the_others_free() {
    let spot = spot("2s3h4d6c7c", "AsAh,QsQh", "KsKh", &shove());
    let node = spot.start();
    let hands = [("AsAh".parse().unwrap(), vec![1.0, 0.0])].into_iter().collect();
    let strategy = LockedStrategy::Hands(hands);
    let spot = spot.with_lock(Lock { node, dealt: Vec::new(), strategy }).unwrap();
    let (_, report) = iterated(spot, Options::default(), 300);
    // Aces check and win the pot; queens gain nothing by betting.
    assert!((report.evaluation.unwrap().ev[0] - 50.0).abs() < 0.1, "{report:?}");
}

#[test]
fn a_lock_on_one_card_sets_its_suit_apart() {
    let tree = config(100, 150, sizes("50%", ""));
    let spot = spot("Td9d6sQd", "AA,T9s", "KQ,66", &tree);
    let node = spot.tree().find("x x /").unwrap();
    let strategy = LockedStrategy::Range(vec![0.0, 1.0]);
    let lock = Lock { node, dealt: vec!["5c".parse().unwrap()], strategy };
    let (solver, _) = iterated(spot.with_lock(lock).unwrap(), Options::default(), 10);
    let solution = solver.into_solution();
    let bets = |card: &str| {
        let at = solution.walk(&format!("x x / {card}")).unwrap();
        at.view(Job::default()).unwrap().frequencies.unwrap()[1]
    };
    assert!((bets("5c") - 1.0).abs() < 1e-6);
    assert!(bets("5h") < 0.999);
}

#[test]
fn locks_that_do_not_fit_are_refused() {
    let spot = spot("2s3h4d6c7c", "AsAh,QsQh", "KsKh", &shove());
    let lock = |node, strategy| Lock { node, dealt: Vec::new(), strategy };
    let half = LockedStrategy::Range(vec![0.5, 0.2]);
    let error = spot.clone().with_lock(lock(spot.start(), half)).unwrap_err();
    assert_eq!(error, LockError::Frequencies { actions: 2 });
    let end = spot.tree().find("x x").unwrap();
    let error = spot.clone().with_lock(lock(end, LockedStrategy::Range(vec![]))).unwrap_err();
    assert_eq!(error, LockError::NoDecision);
    // Jacks are not in the range, and the board blocks these sevens.
    for text in ["JsJh", "7c6c"] {
        let hole = text.parse().unwrap();
        let hands = LockedStrategy::Hands([(hole, vec![1.0, 0.0])].into_iter().collect());
        let error = spot.clone().with_lock(lock(spot.start(), hands)).unwrap_err();
        assert_eq!(error, LockError::NotInRange { hole, player: Player::Oop });
        assert!(error.to_string().contains(text), "{error}");
    }
}

/// Hands that never reach a position leave a lock there; the others stay locked.
#[test]
fn a_position_keeps_the_locks_of_the_hands_that_reach_it() {
    let config = config(100, 200, sizes("100%", ""));
    let mut spot = spot("2s3h4d6c7c", "AsAh,QsQh", "KsKh", &config);
    let [aces, queens] = ["AsAh", "QsQh"].map(|text| text.parse::<lethe_cards::Hole>().unwrap());
    let facing = spot.tree().find("x b100").unwrap();
    // Queens always bet, so only aces check and then call.
    for (node, hands) in [
        (spot.start(), vec![(queens, vec![0.0, 1.0])]),
        (facing, vec![(aces, vec![0.25, 0.75]), (queens, vec![1.0, 0.0])]),
    ] {
        let strategy = LockedStrategy::Hands(hands.into_iter().collect());
        spot = spot.with_lock(Lock { node, dealt: Vec::new(), strategy }).unwrap();
    }
    let (solver, _) = iterated(spot, Options::default(), 20);
    let solution = solver.into_solution();
    let checked = solution.walk("x").unwrap().spot().unwrap();
    let [lock] = checked.locks() else { panic!("{:?}", checked.locks()) };
    let kept = LockedStrategy::Hands([(aces, vec![0.25, 0.75])].into_iter().collect());
    assert_eq!((lock.node, &lock.strategy), (facing, &kept));
}

#[test]
fn a_spot_may_start_within_the_tree() {
    let spot = spot("2s3h4d6c7c", "AsAh,QsQh", "KsKh", &shove());
    let start = spot.tree().find("a").unwrap();
    let spot = spot.starting_at(start).unwrap();
    assert_eq!(spot.pot(), 200.0);
    let mut solver = lethe_solver::Solver::new(spot, Options::default(), Job::default()).unwrap();
    let report =
        solver.run(&Stop { iterations: Some(50), ..Stop::default() }, Job::default(), &mut |_| ());
    // Kings beat half of a range that shoves everything: a call wins 300 half the time for 100.
    assert!((report.evaluation.unwrap().ev[1] - (0.5 * 300.0 - 100.0)).abs() < 0.1, "{report:?}");
    assert!((report.evaluation.unwrap().ev.iter().sum::<f64>() - 200.0).abs() < 1e-3, "{report:?}");
}
