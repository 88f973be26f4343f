use lethe_cards::{
    Board, Card, CardSet, Deck, Hole, Matchups, Range, Situation, StartingHand, Street, equity,
};
use lethe_compute::{Cancelled, Job, Pool};
use lethe_game::{
    Game, HandBetSizes, HandConfig, NodeKind, PlayerSizes, PreflopSizes, RaiseSizes, Sizes,
    StreetSizes, Tree,
};

use super::hand::{Table, result};
use super::lbr::Walker;
use super::*;
use crate::config::Training;
use crate::plan::Plan;
use crate::preflop::{Play, Preflop};
use crate::random::{Domain, Random};
use crate::store::{Averages, Store, Uniform};
use crate::train::{Discount, Reached, Trainer};
use lethe_rows::Buckets;

/// Buckets by a hash of the situation.
struct Hashed(usize);

impl Buckets for Hashed {
    fn count(&self, _: Street) -> usize {
        self.0
    }

    fn fill(&self, board: &Board, row: &mut [u32]) {
        for (entry, hole) in row.iter_mut().zip(Deck::without(board.set()).holes()) {
            *entry = self.of(hole, board);
        }
    }

    fn of(&self, hole: Hole, board: &Board) -> u32 {
        let (situation, _) = Situation::of(hole, board).expect("the hole is off the board");
        let mixed = (situation.index() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed >> 32) % self.0 as u64) as u32
    }

    fn is_suit_invariant(&self) -> bool {
        true
    }
}

fn raises(text: &str) -> RaiseSizes {
    RaiseSizes { raise: Sizes::parse_raises(text).unwrap() }
}

fn tree_of(config: &HandConfig) -> Tree {
    Tree::build(Game::hand(config).unwrap(), Tree::NODE_LIMIT).unwrap()
}

/// Blinds 50/100, a stack of ten big blinds; the small blind pushes or folds.
fn push_fold() -> Tree {
    let preflop = PreflopSizes { sb: raises("a"), limp: false, ..PreflopSizes::default() };
    let bet_sizes = HandBetSizes { preflop, ..HandBetSizes::default() };
    tree_of(&HandConfig { bet_sizes, ..HandConfig::new(1000, 50, 100) })
}

fn whole_config() -> HandConfig {
    let player = PlayerSizes {
        bet: Sizes::parse_bets("50%, a").unwrap(),
        raise: Sizes::parse_raises("a").unwrap(),
        donk: None,
    };
    let street = StreetSizes { oop: player.clone(), ip: player, max_raises: None };
    let preflop =
        PreflopSizes { sb: raises("2.5x, a"), bb: raises("a"), ..PreflopSizes::default() };
    let bet_sizes =
        HandBetSizes { preflop, flop: street.clone(), turn: street.clone(), river: street };
    HandConfig { bet_sizes, ..HandConfig::new(2000, 50, 100) }
}

/// Blinds 50/100, a stack of twenty big blinds, bets on all streets.
fn whole() -> Tree {
    tree_of(&whole_config())
}

/// Some strategy, trained a little so that it is not even.
fn trained(plan: &Plan, buckets: &dyn Buckets) -> Store {
    let discount = Discount { interval: 10, ..Discount::default() };
    let training = Training { seed: 3, discount, ..Training::default() };
    let store = Store::new(plan, &training);
    Trainer::new(plan, buckets, &store, &training, Reached::default()).run(
        40,
        Job::new(&Pool::new(1).unwrap()),
        &|| true,
    );
    store
}

fn play(tree: &Tree, a: &dyn Policy, b: &dyn Policy, deals: u64) -> Winnings {
    Match { tree, players: [a, b] }.play(deals, 7, Job::new(&Pool::new(1).unwrap())).unwrap()
}

fn exactly(mbb: f64) -> Mean {
    Mean { mbb, interval_mbb: Some(0.0) }
}

#[test]
fn who_always_folds_loses_750_to_who_always_raises() {
    for tree in [push_fold(), whole()] {
        let won = play(&tree, &Baseline::Fold, &Baseline::Raise, 3000);
        assert_eq!(won.deals, 3000);
        assert_eq!(won.overall, exactly(-750.0));
        assert_eq!(won.seats, [exactly(-1000.0), exactly(-500.0)]);
    }
}

#[test]
fn who_calls_wins_half_a_blind_from_a_folded_small_blind_and_shows_down_limped_pots() {
    let won = play(&whole(), &Baseline::Call, &Baseline::Fold, 20_000);
    let [as_big, as_small] = won.seats;
    assert_eq!(as_big, exactly(500.0));
    // One big blind each way on a fair showdown, ties aside.
    let interval = as_small.interval_mbb.unwrap();
    assert!(as_small.mbb.abs() < 2.0 * interval, "{as_small:?}");
    let fair = 1.96 * 1000.0 / 20_000f64.sqrt();
    assert!(interval < fair && interval > 0.95 * fair, "{interval} {fair}");
    // Without limps the caller has to raise, and wins the big blind.
    let won = play(&push_fold(), &Baseline::Call, &Baseline::Fold, 100);
    assert_eq!(won.overall, exactly(750.0));
}

#[test]
fn pushes_that_are_called_come_out_even_over_both_seats() {
    let won = play(&whole(), &Baseline::Raise, &Baseline::Call, 2000);
    assert_eq!(won.overall, exactly(0.0));
    let [as_big, as_small] = won.seats;
    assert_eq!(as_big.mbb, -as_small.mbb);
    assert!(as_big.interval_mbb.unwrap() > 100.0);
}

#[test]
fn a_player_comes_out_even_against_itself() {
    let plan = Plan::new(whole(), [7, 5, 3]);
    let buckets = Hashed(3);
    let store = trained(&plan, &buckets);
    let cells = TablePolicy { plan: &plan, buckets: &buckets, weights: &Averages(&store) };
    let by_equity = ByEquity::computed(Job::default()).unwrap();
    let players: [&dyn Policy; 5] =
        [&Baseline::Call, &Baseline::Raise, &Baseline::Uniform, &by_equity, &cells];
    for player in players {
        assert_eq!(play(plan.tree(), player, player, 2000).overall, exactly(0.0));
    }
    // The store of weights that are all the same is the uniform player in other words.
    let even = TablePolicy { plan: &plan, buckets: &buckets, weights: &Uniform };
    assert_eq!(play(plan.tree(), &even, &Baseline::Uniform, 2000).overall, exactly(0.0));
    // Who looks at the cards beats who does not.
    for other in [Baseline::Uniform, Baseline::Call, Baseline::Raise] {
        let won = play(plan.tree(), &by_equity, &other, 4000).overall;
        assert!(won.mbb > won.interval_mbb.unwrap(), "{other}: {won:?}");
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let plan = Plan::new(whole(), [3, 3, 3]);
    let buckets = Hashed(3);
    let store = trained(&plan, &buckets);
    let cells = TablePolicy { plan: &plan, buckets: &buckets, weights: &Averages(&store) };
    let game = Match { tree: plan.tree(), players: [&cells, &Baseline::Uniform] };
    let lbr = LocalBestResponse { tree: plan.tree(), policy: &cells, bets_from: Street::Preflop };
    let results = [1, 2, 5].map(|threads| {
        let hands = game.play(5000, 11, Job::new(&Pool::new(threads).unwrap())).unwrap();
        (hands, lbr.play(20, 11, Job::new(&Pool::new(threads).unwrap())).unwrap())
    });
    assert_eq!(results[0].0.deals, 5000);
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0], results[2]);
    assert_ne!(game.play(5000, 12, Job::new(&Pool::new(1).unwrap())).unwrap(), results[0].0);
}

#[test]
fn no_chip_is_lost() {
    let tree = whole();
    let game = Match { tree: &tree, players: [&Baseline::Uniform, &Baseline::Uniform] };
    let mut table = Table::new(&game);
    for number in 0..5000 {
        table.deal(5, number);
        let [big, small] = table.hand(0);
        assert_eq!(big, -small);
        assert!(big.abs() <= 2000.0);
    }
}

#[test]
fn rake_is_what_both_lose() {
    let mut config = whole_config();
    config.rake.percent = 10.0;
    let tree = tree_of(&config);
    // Every pot is of 4,000 chips, of which 400 go.
    let won = play(&tree, &Baseline::Raise, &Baseline::Call, 50);
    assert!((won.overall.mbb + 2000.0).abs() < 1e-9, "{won:?}");
}

#[test]
fn a_watcher_can_stop_it() {
    struct Stop;
    impl lethe_compute::Progress for Stop {
        fn begin(&self, _: &str, _: u64) {}
        fn advance(&self, _: u64) {}
        fn cancelled(&self) -> bool {
            true
        }
    }
    let tree = push_fold();
    let game = Match { tree: &tree, players: [&Baseline::Call, &Baseline::Fold] };
    assert_eq!(game.play(10, 0, Job::default().watched_by(&Stop)), Err(Cancelled));
}

#[test]
fn shares_of_all_policies_add_up_at_every_decision() {
    let plan = Plan::new(whole(), [4, 4, 4]);
    let buckets = Hashed(4);
    let store = trained(&plan, &buckets);
    let cells = TablePolicy { plan: &plan, buckets: &buckets, weights: &Averages(&store) };
    let by_equity = ByEquity::computed(Job::default()).unwrap();
    let mut players: Vec<&dyn Policy> = vec![&cells, &by_equity];
    players.extend(Baseline::ALL.iter().map(|baseline| baseline as &dyn Policy));
    let tree = plan.tree();
    let mut random = Random::new(Domain::Test, 9, 9);
    for id in tree.ids() {
        let NodeKind::Decision(_) = tree.node(id).kind() else { continue };
        let cards: [Card; 7] = random.cards(CardSet::EMPTY);
        let street = tree.node(id).street();
        let board = Board::new(&cards[2..2 + street.board_len()]).unwrap();
        let hole = Hole::new(cards[0], cards[1]).unwrap();
        for player in &players {
            let mut shares = vec![0.0; tree.actions(id).len()];
            player.frequencies(tree, id, player.hand(hole, &board), &mut shares);
            assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        }
    }
    // A bucket that is not there is played evenly.
    let mut shares = [0.0; 4];
    cells.frequencies(tree, tree.root(), 5000, &mut shares);
    assert_eq!(shares, [0.25; 4]);
}

#[test]
fn all_in_results_are_those_of_exact_equity() {
    let mut random = Random::new(Domain::Test, 1, 1);
    for _ in 0..10 {
        let cards: [Card; 9] = random.cards(CardSet::EMPTY);
        let [hole, other] = [0, 2].map(|at| Hole::new(cards[at], cards[at + 1]).unwrap());
        for street in Street::ALL {
            let board = Board::new(&cards[4..4 + street.board_len()]).unwrap();
            let tally = equity::hole_vs_hole(hole, other, &board).unwrap();
            let expected = [tally.wins, tally.ties, tally.losses()]
                .map(|count| count as f64 / tally.total as f64);
            assert_eq!(result([hole, other], &board), expected);
        }
    }
}

/// A hole of each class on one board.
fn by_class(mut value: impl FnMut([Card; 7]) -> f64) -> Vec<f64> {
    let values = StartingHand::all().map(|class| {
        let hole = class.holes().next().unwrap();
        let board: [Card; 5] = Random::new(Domain::Test, 4, 4).cards(hole.set());
        let mut cards = [hole.low(); 7];
        cards[1] = hole.high();
        cards[2..].copy_from_slice(&board);
        value(cards)
    });
    values.collect()
}

#[test]
fn local_best_response_is_the_best_response_to_pushes_and_folds() {
    let plan = Plan::new(push_fold(), [1, 1, 1]);
    let buckets = Hashed(1);
    let store = trained(&plan, &buckets);
    let weights = Averages(&store);
    let cells = TablePolicy { plan: &plan, buckets: &buckets, weights: &weights };
    let lbr = LocalBestResponse { tree: plan.tree(), policy: &cells, bets_from: Street::Preflop };
    let mut walker = Walker::new(&lbr);
    for seat in [0, 1] {
        let preflop = Preflop::new(&plan, &weights, seat);
        let (best, _) = preflop.values(|_| unreachable!("no line comes to the flop"), Play::Best);
        let found = by_class(|cards| {
            walker.deal(cards, Random::new(Domain::Test, 0, 0));
            walker.play(seat)
        });
        for (class, (found, best)) in StartingHand::all().zip(found.iter().zip(&best)) {
            assert!((found - best).abs() < 0.02, "{class} in seat {seat}: {found} {best}");
        }
    }
}

#[test]
fn local_best_response_takes_all_blinds_of_who_always_folds() {
    for tree in [push_fold(), whole()] {
        let policy = &Baseline::Fold;
        let lbr = LocalBestResponse { tree: &tree, policy, bets_from: Street::Preflop };
        let won = lbr.play(40, 1, Job::new(&Pool::new(2).unwrap())).unwrap();
        assert_eq!(won.overall, exactly(750.0));
        assert_eq!(won.seats, [exactly(500.0), exactly(1000.0)]);
    }
}

#[test]
fn local_best_response_pushes_what_is_ahead_of_who_always_calls() {
    let (tree, policy) = (push_fold(), &Baseline::Call);
    let lbr = LocalBestResponse { tree: &tree, policy, bets_from: Street::Preflop };
    let mut walker = Walker::new(&lbr);
    // The opponent pushes as the small blind for want of a call, and calls as the big blind.
    for (seat, blind) in [(0, 100.0), (1, 50.0)] {
        let found = by_class(|cards| {
            walker.deal(cards, Random::new(Domain::Test, 0, 0));
            walker.play(seat)
        });
        for (class, found) in StartingHand::all().zip(found) {
            let hole = class.holes().next().unwrap();
            let equity = Matchups::shipped().against(hole, &[1; Hole::COUNT]).equity().unwrap();
            let expected = (1000.0 * (2.0 * equity - 1.0)).max(-blind);
            assert!((found - expected).abs() < 0.01, "{class}: {found} {expected}");
        }
    }
}

/// Against who always calls, whoever is ahead should put in everything, and that is all there is to
/// know: on a river the response wins by its equity, whatever it was before.
#[test]
fn local_best_response_to_who_always_calls_is_worth_its_equities() {
    let (tree, policy) = (whole(), &Baseline::Call);
    let lbr = LocalBestResponse { tree: &tree, policy, bets_from: Street::River };
    let mut walker = Walker::new(&lbr);
    let mut random = Random::new(Domain::Test, 2, 2);
    for _ in 0..20 {
        let cards: [Card; 7] = random.cards(CardSet::EMPTY);
        walker.deal(cards, Random::new(Domain::Test, 0, 0));
        let hole = Hole::new(cards[0], cards[1]).unwrap();
        let board = Board::new(&cards[2..]).unwrap();
        let before = equity::hole_vs_range(hole, &Range::full(), &Board::EMPTY).unwrap();
        let river = equity::hole_vs_range(hole, &Range::full(), &board).unwrap().equity().unwrap();
        let ahead = 2.0 * river - 1.0;
        // It limps or calls in the small blind unless folding is better; on the river it bets
        // everything or checks.
        let limps = before.equity().unwrap() > 0.25;
        let expected =
            if limps { if ahead > 0.0 { 2000.0 * ahead } else { 100.0 * ahead } } else { -50.0 };
        let found = walker.play(1);
        assert!((found - expected).abs() < 0.01, "{hole} {board}: {found} {expected}");
    }
}

#[test]
fn equities_against_the_range_are_exact_on_every_street() {
    let tree = whole();
    let lbr =
        LocalBestResponse { tree: &tree, policy: &Baseline::Uniform, bets_from: Street::Preflop };
    let mut walker = Walker::new(&lbr);
    let mut random = Random::new(Domain::Test, 6, 6);
    let cards: [Card; 7] = random.cards(CardSet::EMPTY);
    walker.deal(cards, Random::new(Domain::Test, 0, 0));
    let hole = Hole::new(cards[0], cards[1]).unwrap();
    for street in Street::ALL {
        let board = Board::new(&cards[2..2 + street.board_len()]).unwrap();
        for (other, equity) in walker.equities_of(street).step_by(97) {
            if let Ok(tally) = equity::hole_vs_hole(hole, other, &board) {
                assert!((f64::from(equity) - tally.equity().unwrap()).abs() < 1e-6);
            }
        }
    }
}

/// Drawing the answers on unlikely lines changes no mean: the same hands, drawn by many numbers.
#[test]
fn sampled_lines_are_worth_what_they_are_followed() {
    let plan = Plan::new(whole(), [3, 3, 3]);
    let buckets = Hashed(3);
    let store = trained(&plan, &buckets);
    let cells = TablePolicy { plan: &plan, buckets: &buckets, weights: &Averages(&store) };
    let lbr = LocalBestResponse { tree: plan.tree(), policy: &cells, bets_from: Street::Preflop };
    let cards: [Card; 7] = Random::new(Domain::Test, 8, 8).cards(CardSet::EMPTY);
    let mut walker = Walker::new(&lbr);
    for seat in [0, 1] {
        walker.set_followed(0.0);
        walker.deal(cards, Random::new(Domain::Test, 0, 0));
        let whole = walker.play(seat);
        walker.set_followed(2.0);
        let (mut sum, mut squares) = (0.0, 0.0);
        let count = 4000;
        walker.deal(cards, Random::new(Domain::Test, 1, 0));
        for _ in 0..count {
            let drawn = walker.play(seat);
            sum += drawn;
            squares += drawn * drawn;
        }
        let mean = sum / f64::from(count);
        let error = ((squares / f64::from(count) - mean * mean) / f64::from(count)).sqrt();
        assert!((mean - whole).abs() < 4.0 * error + 1e-3, "{mean} {whole} {error}");
    }
}
