//! Values that agree with each other and with the exploitability.

use lethe_compute::Pool;
use lethe_game::{Game, HandConfig, NodeKind, Tree};

use super::*;
use crate::blueprint::CardModel;

/// A strategy that looks random and never folds pairs at once.
struct Scattered;

impl Weights for Scattered {
    fn weight(&self, cell: usize) -> f32 {
        (cell as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(20) as u8 as f32
    }
}

/// A strategy that folds at once with everything.
struct Folds;

impl Weights for Folds {
    fn weight(&self, cell: usize) -> f32 {
        if cell.is_multiple_of(3) { 1.0 } else { 0.0 }
    }
}

/// Limped and raised pots and an all-in before the flop, and a bet on each street.
const GAME: &str = r#"{"stack":900,"small_blind":50,"big_blind":100,"bet_sizes":{
    "preflop":{"sb":{"raise":"2.5x"},"bb":{"raise":"a"}},
    "flop":{"ip":{"bet":"100%"}}, "turn":{"oop":{"bet":"a"}}, "river":{"oop":{"bet":"50%"}}}}"#;

const PLAYERS: [Player; 2] = [Player::Oop, Player::Ip];

fn plan(game: &str) -> Plan {
    let config: HandConfig = serde_json::from_str(game).unwrap();
    let tree = Tree::build(Game::hand(&config).unwrap(), Tree::NODE_LIMIT).unwrap();
    Plan::new(tree, [1; 3])
}

fn exact<'a, W>(plan: &'a Plan, weights: &'a W) -> Exact<'a, W> {
    Exact { plan, buckets: &CardModel::Blank, weights }
}

fn numbers(values: &Values) -> Vec<u32> {
    match &values.data {
        Data::Memory(data) => data.iter().map(|x| x.to_bits()).collect(),
        Data::File(..) => unreachable!("not saved"),
    }
}

#[test]
fn values_are_those_of_the_exploitability_and_of_their_actions() {
    let plan = plan(GAME);
    let exact = exact(&plan, &Scattered);
    let flops = Flops::Sample(5, 3);
    let values = exact.values(flops, Job::default()).unwrap();
    let found = values.value_mbb(&plan).unwrap();
    let expected = exact.exploitability(flops, Job::default()).unwrap().value_mbb;
    assert!((found.sb - expected.sb).abs() < 0.02, "{found:?} {expected:?}");
    assert!((found.bb - expected.bb).abs() < 0.02, "{found:?} {expected:?}");
    assert_eq!((values.header().flops, values.header().exact), (5, false));

    // A decision is worth what its actions are, as often as they are taken.
    let tree = plan.tree();
    let (mut decisions, mut uncertain, mut certain) = (0, 0, 0);
    for node in tree.ids().filter(|&node| tree.node(node).street() == Street::Preflop) {
        let NodeKind::Decision(player) = tree.node(node).kind() else { continue };
        for class in StartingHand::all() {
            let value = |node| values.hand(&plan, player, node, class).unwrap();
            let Some(whole) = value(node) else { continue };
            let cells = plan.cells_of(node, class.index() as u32).unwrap();
            let weights: Vec<f64> = cells.map(|cell| Scattered.weight(cell).into()).collect();
            let total: f64 = weights.iter().sum();
            let actions = tree.children(node).iter().map(|&child| value(child).unwrap());
            let actions: Vec<HandValue> = actions.collect();
            let sum: f64 = actions.iter().zip(&weights).map(|(v, w)| v.chips * w / total).sum();
            assert!((sum - whole.chips).abs() < 1e-3, "{class}: {sum} {whole:?}");
            decisions += 1;
            uncertain += actions.iter().filter(|v| v.interval.unwrap() > 1.0).count();
            certain += actions.iter().filter(|v| v.interval == Some(0.0)).count();
        }
    }
    assert!(
        decisions > 400 && uncertain > 300 && certain > 300,
        "{decisions} {uncertain} {certain}"
    );
}

#[test]
fn the_small_blind_loses_it_by_folding_and_nothing_is_known_where_nobody_comes() {
    let plan = plan(GAME);
    let values = exact(&plan, &Folds).values(Flops::Sample(1, 0), Job::default()).unwrap();
    let tree = plan.tree();
    let hand = StartingHand::all().next().unwrap();
    let value = |history: &str, player| {
        values.hand(&plan, player, tree.find(history).unwrap(), hand).unwrap()
    };
    let folded = Some(HandValue { chips: -50.0, interval: Some(0.0) });
    assert_eq!(value("f", Player::Ip), folded);
    assert_eq!(value("f", Player::Oop).unwrap().chips, 50.0);
    // The small blind never limps, so the big blind's hand has no value there, but the small blind's has.
    assert_eq!(value("c", Player::Oop), None);
    assert!(value("c", Player::Ip).is_some());
    let flop = tree.find("c x /").unwrap();
    assert_eq!(values.start(&plan, Player::Oop, flop, 0).unwrap(), None);
    // Whoever asks for what there is not gets nothing.
    assert_eq!(values.start(&plan, Player::Ip, flop, 1).unwrap(), None);
    assert_eq!(values.start(&plan, Player::Ip, tree.root(), 0).unwrap(), None);
    assert_eq!(values.hand(&plan, Player::Ip, flop, hand).unwrap(), None);
    let second = tree.find("c x / x").unwrap();
    assert_eq!(values.start(&plan, Player::Ip, second, 0).unwrap(), None);
}

#[test]
fn weights_of_buckets_add_up_to_the_opponents_reach() {
    let plan = plan(GAME);
    // All flops have the same number of deals, and blind players the same reach with all hands.
    let exact = exact(&plan, &crate::store::Uniform);
    let values = exact.values(Flops::Sample(2, 1), Job::default()).unwrap();
    let tree = plan.tree();
    for (history, reach) in [
        ("c x /", [1.0 / 3.0, 1.0 / 2.0]),
        ("r250 c /", [1.0 / 3.0, 1.0 / 3.0]),
        ("c x / x b200 c /", [1.0 / 6.0, 1.0 / 4.0]),
        ("c x / x x / x x /", [1.0 / 6.0, 1.0 / 4.0]),
    ] {
        let node = tree.find(history).unwrap();
        for (player, reach) in PLAYERS.into_iter().zip(reach) {
            let found = values.start(&plan, player, node, 0).unwrap().unwrap();
            assert!((found.weight - reach).abs() < 1e-5, "{history} {player:?}: {found:?} {reach}");
            assert!(found.chips.abs() < 900.0, "{history}: {found:?}");
        }
        // With one bucket each, both values are means over the same hands, weighted alike.
        let value = |player| values.start(&plan, player, node, 0).unwrap().unwrap().chips;
        let sum: f64 = PLAYERS.map(value).iter().sum();
        assert!(sum.abs() < 0.05, "{history}: the players win {sum} from each other");
    }
}

#[test]
fn values_do_not_depend_on_threads() {
    let plan = plan(GAME);
    let exact = exact(&plan, &Scattered);
    let [one, three] = [1, 3].map(|threads| {
        let pool = Pool::new(threads).unwrap();
        numbers(&exact.values(Flops::Sample(3, 7), Job::new(&pool)).unwrap())
    });
    assert!(one == three);
}

#[test]
fn a_game_that_ends_before_the_flop_is_exact() {
    let game = r#"{"stack":1000,"small_blind":50,"big_blind":100,
        "bet_sizes":{"preflop":{"sb":{"raise":"a"},"limp":false}}}"#;
    let plan = plan(game);
    let exact = exact(&plan, &crate::store::Uniform);
    let values = exact.values(Flops::Sample(8, 0), Job::default()).unwrap();
    assert_eq!((values.header().flops, values.header().exact), (0, true));
    let aces = StartingHand::all().max_by_key(|hand| (hand.is_pair(), hand.high())).unwrap();
    let root = plan.tree().root();
    let value = values.hand(&plan, Player::Ip, root, aces).unwrap().unwrap();
    // Half of the time a fold; otherwise all-in, where the big blind folds half of the time and aces
    // win 85.2 % of what is called (the equity of aces against a random hand).
    let expected = 0.5 * -50.0 + 0.5 * (0.5 * 100.0 + 0.5 * (2.0 * 0.852_037 - 1.0) * 1000.0);
    assert!((value.chips - expected).abs() < 0.01, "{value:?} {expected}");
    assert_eq!(value.interval, Some(0.0));
    let found = values.value_mbb(&plan).unwrap();
    let expected = exact.exploitability(Flops::All, Job::default()).unwrap().value_mbb;
    assert!((found.sb - expected.sb).abs() < 1e-3, "{found:?} {expected:?}");
}
