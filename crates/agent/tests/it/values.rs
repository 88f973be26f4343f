//! What actions are worth where the blueprint is played.

use lethe_agent::{Agent, AgentConfig, SearchFrom, Source};
use lethe_blueprint::{Averages, Flops};
use lethe_cards::equity::hole_vs_hole;
use lethe_cards::{Board, Deck, Hole};
use lethe_compute::Job;
use lethe_game::{Action, Player};

use crate::agents::{Strength, config, hand, trained, with_agent};

/// Facing an all-in, a call is worth the equity against the opponent's range.
#[test]
fn calls_of_an_all_in_are_worth_what_counting_every_runout_says() {
    let cases = [
        ("Kd8s3h", "r250 c / b250 a"),
        ("Kd8s3hQc", "r250 c / x x / x b375 a"),
        ("Kd8s3hQc7d", "r250 c / x x / x x / x b375 a"),
    ];
    for (board, history) in cases {
        let seat = if board.len() == 6 { Player::Oop } else { Player::Ip };
        let hand = hand(seat, 2000, "AhKh", board, history);
        with_agent(config(SearchFrom::None, 1), |agent| {
            let decision = agent.decide(&hand, Job::default()).unwrap();
            assert_eq!(decision.source, Source::Blueprint);
            assert_eq!(decision.actions, [Action::Fold, Action::Call], "{history}");
            let reach = agent.reach(&hand, Job::default()).unwrap();
            let reach = &reach[seat.opponent().index()];
            let values = decision.values.unwrap();
            let [mut won, mut met] = [0.0; 2];
            for other in Deck::without(hand.board.set() | hand.hole.set()).holes() {
                let tally = hole_vs_hole(hand.hole, other, &hand.board).unwrap();
                let weight = f64::from(reach[other.index()]);
                won += weight * tally.equity().unwrap();
                met += weight;
            }
            // 2,000 chips each; we had put in 250 and what we bet.
            let bet = if board.len() == 6 { 250.0 } else { 375.0 };
            let expected = 4000.0 * won / met - (2000.0 - 250.0 - bet);
            assert!(values[0].abs() < 1e-3, "a fold is worth nothing: {values:?}");
            assert!((values[1] - expected).abs() < 0.5, "{board} {values:?} {expected}");
        });
    }
}

/// What the actions are worth, as often as they are taken, is what the hole is worth.
#[test]
fn actions_are_worth_what_the_street_is() {
    let trained = trained();
    let averages = Averages(&trained.store);
    let exact = trained.exact(&averages);
    let cases = [("Kd8s3hQc", "r250 c / x b250 c /"), ("Kd8s3hKs7d", "c x / x x / x x /")];
    for (board, line) in cases {
        let board: Board = board.parse().unwrap();
        let start = trained.tree().find(line).unwrap();
        let reach = exact.root_reach(1, &board, start);
        let whole = exact.root_values(0, &board, start, &reach, Job::default()).unwrap();
        let actions = exact.action_values(&board, start, Job::default()).unwrap();
        let deck = Deck::without(board.set());
        let shares = exact.frequencies(start, &board);
        for (slot, hole) in deck.holes().enumerate() {
            let Some(values) = actions.of(hole) else { continue };
            let shares = shares.iter().skip(slot).step_by(deck.holes_len());
            let mixed: f64 = shares.zip(&values).map(|(&x, value)| f64::from(x) * value).sum();
            let expected = f64::from(whole.own[hole.index()]);
            assert!((mixed - expected).abs() < 0.05, "{board} {hole} {mixed} {expected}");
        }
    }
}

/// On the flop, a bet is worth what its answers make it, one street of the tree at a time.
#[test]
fn a_flop_is_worth_what_its_turns_are() {
    let trained = trained();
    let averages = Averages(&trained.store);
    let exact = trained.exact(&averages);
    let flop: Board = "Kd8s3h".parse().unwrap();
    let tree = trained.tree();
    // The small blind checks behind: what follows is the mean over the turns.
    let node = tree.find("r250 c / x").unwrap();
    let values = exact.action_values(&flop, node, Job::default()).unwrap();
    let start = tree.find("r250 c / x x /").unwrap();
    for hole in ["AhKh", "5c2s", "8c8h"].map(|hole| hole.parse::<Hole>().unwrap()) {
        let [mut sum, mut met] = [0.0; 2];
        for &card in Deck::without(flop.set() | hole.set()).cards() {
            let board = flop.with(card).unwrap();
            let reach = exact.root_reach(0, &board, start);
            let below = exact.root_values(1, &board, start, &reach, Job::default()).unwrap();
            let against = f64::from(below.against[hole.index()]);
            sum += against * f64::from(below.own[hole.index()]);
            met += against;
        }
        let found = values.of(hole).unwrap()[0];
        assert!((found - sum / met).abs() < 0.1, "{hole} {found} {}", sum / met);
    }
}

#[test]
fn preflop_values_need_the_values_of_a_blueprint() {
    let trained = trained();
    let averages = Averages(&trained.store);
    let values = trained.exact(&averages).values(Flops::Sample(2, 1), Job::default()).unwrap();
    let open = hand(Player::Ip, 2000, "AhAd", "", "");
    with_agent(config(SearchFrom::None, 1), |agent| {
        assert_eq!(agent.decide(&open, Job::default()).unwrap().values, None);
    });
    let expected = |action: usize| {
        let tree = trained.tree();
        let node = tree.children(tree.root())[action];
        values.hand(&trained.plan, Player::Ip, node, open.hole.class()).unwrap().unwrap().chips
    };
    let expected = [0, 1, 2, 3].map(|action| expected(action) + 50.0);
    let config = AgentConfig { from: SearchFrom::None, ..AgentConfig::default() };
    let agent = Agent::with_tables(&trained.plan, &Strength, &averages, config);
    let agent = agent.with_values(Some(values));
    let found = agent.decide(&open, Job::default()).unwrap().values.unwrap();
    assert_eq!(found.len(), 4, "fold, call, raise, all-in");
    assert!(found[0].abs() < 1e-3 && found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3));
    assert!(found[1..].iter().all(|&value| value > 100.0), "aces win: {found:?}");
    // Half the chips: the same, scaled by the pot, and all of one action's where sizes are one.
    let short = agent.decide(&hand(Player::Ip, 250, "AhAd", "", ""), Job::default()).unwrap();
    assert_eq!(short.values.as_ref().map(Vec::len), Some(short.actions.len()));
    let flop = agent.decide(&hand(Player::Oop, 2000, "AhAd", "Kd8s3h", "r250 c /"), Job::default());
    assert_eq!(flop.unwrap().values.map(|values| values.len()), Some(2), "check and bet");
}
