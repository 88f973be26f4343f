//! What several rivers at once teach is the mean of what each teaches alone.

use lethe_cards::{Board, Card, CardSet, Deck, Hole, Street};
use lethe_compute::Job;
use lethe_game::{Game, Tree};
use lethe_rows::Buckets;

use super::bundles::Bundles;
use super::{Opponent, Sampling, Setup, public};
use crate::changes::Changes;
use crate::config::Training;
use crate::deal::{Deal, TURN_HOLES};
use crate::plan::Plan;
use crate::random::{Domain, Random};
use crate::store::Store;

/// Buckets by the sum of the hole's cards and the last card of the board.
struct Sums;

const BUCKETS: u32 = 9;

impl Buckets for Sums {
    fn count(&self, _: Street) -> usize {
        BUCKETS as usize
    }

    fn fill(&self, board: &Board, row: &mut [u32]) {
        for (hole, out) in Deck::without(board.set()).holes().zip(row) {
            *out = self.of(hole, board);
        }
    }

    fn of(&self, hole: Hole, board: &Board) -> u32 {
        let sum: usize = [hole.low(), hole.high()].iter().map(|card| card.index()).sum();
        let last = board.cards().last().map_or(0, |card| card.index());
        ((sum + last) % BUCKETS as usize) as u32
    }

    fn is_suit_invariant(&self) -> bool {
        false
    }
}

fn cards(text: &str) -> Vec<Card> {
    text.parse::<Board>().expect("a board").cards().to_vec()
}

fn others(turn: &[Card]) -> Vec<Card> {
    Deck::without(turn.iter().copied().collect::<CardSet>()).cards().to_vec()
}

#[test]
fn every_hole_that_a_river_leaves_has_weights_that_add_up() {
    let turn: [Card; 4] = cards("Ks7h2d5c").try_into().expect("four cards");
    let mut deal = Deal::new(&Sums);
    for count in [1, 2, 3, 7, 48] {
        deal.set(&turn, &others(&turn)[..count], &Sums);
        let mut sums = [0.0; TURN_HOLES];
        for river in &deal.rivers {
            for (&slot, weight) in river.slots.iter().zip(&river.weights) {
                sums[slot as usize] += weight;
            }
        }
        let blocked = match count {
            1 => 47,
            2 => 1,
            _ => 0,
        };
        assert_eq!(deal.blocked.len(), blocked);
        let sum = if count == 1 { 1.0 } else { 46.0 / 44.0 };
        for (slot, found) in sums.iter().enumerate() {
            let expected = if deal.blocked.contains(&(slot as u16)) { 0.0 } else { sum };
            assert!((found - expected).abs() < 1e-4, "{count} rivers, slot {slot}: {found}");
        }
    }
}

#[test]
fn all_rivers_at_once_teach_the_mean_of_single_ones() {
    let config = r#"{"stack":900,"small_blind":50,"big_blind":100,"bet_sizes":{
        "preflop":{"sb":{"raise":"2x, a"},"bb":{"raise":"a"}},
        "flop":{"oop":{"bet":"50%","raise":"a"},"ip":{"bet":"a"}},
        "turn":{"oop":{"bet":"50%"},"ip":{"bet":"50%, a"}},
        "river":{"oop":{"bet":"50%"},"ip":{"bet":"a"}}}}"#;
    let game = Game::hand(&serde_json::from_str(config).expect("a game")).expect("a game");
    let tree = Tree::build(game, Tree::NODE_LIMIT).expect("a small tree");
    let plan = Plan::new(tree, [BUCKETS as usize; 3]);
    let mut random = Random::new(Domain::Test, 5, 0);
    let regrets: Vec<i32> = (0..plan.cells()).map(|_| random.below(2000) as i32 - 700).collect();
    let store = Store::from_parts(&regrets, &vec![0; plan.cells()]);
    let turn: [Card; 4] = cards("Ks7h2d5c").try_into().expect("four cards");
    let rivers = others(&turn);
    let all = rivers.len();

    let played = |dealt: &[&[Card]]| {
        let training = Training {
            sampling: Sampling::Public,
            opponent: Opponent::Same,
            rivers: dealt[0].len(),
            ..Training::default()
        };
        let setup = Setup { plan: &plan, buckets: &Sums, store: &store, training };
        let mut worker = public::Worker::new(setup, Bundles::new(&plan).into());
        // Large, so that rounding does not matter.
        worker.averages = [1e4; 4];
        worker.regret_unit *= 50.0;
        let learned = Store::from_parts(&vec![0; plan.cells()], &vec![0; plan.cells()]);
        for (number, rivers) in dealt.iter().enumerate() {
            for p in [0, 1] {
                let mut changes = Changes::default();
                let deal = (&turn, *rivers);
                worker.play(deal, number as u64, p, Job::default(), &mut changes);
                Changes::merge(&[&changes], &learned);
            }
        }
        learned
    };
    let together = played(&[&rivers]);
    let singles: Vec<&[Card]> = rivers.chunks(1).collect();
    let singly = played(&singles);

    // A hole sees 46 of the 48 rivers. On a river, where opponents have 990 holes instead of 1,035,
    // each of all counts for its share.
    let before = 46.0;
    let river = all as f64 * 1035.0 / 990.0;
    let mut compared = [0; 2];
    for street in Street::ALL {
        let factor = if street == Street::River { river } else { before };
        for cell in plan.cells_of_street(street) {
            let average = |store: &Store| {
                f64::from(store.averages[cell].load(std::sync::atomic::Ordering::Relaxed))
            };
            let found = [f64::from(together.regret(cell)), average(&together)];
            let expected = [f64::from(singly.regret(cell)), average(&singly)];
            // Averages count holes, of which a single river leaves 46 of 48 times 1,128, and are the
            // same on the river.
            let factors = [factor, if street == Street::River { all as f64 } else { before }];
            for kind in [0, 1] {
                let difference = (factors[kind] * found[kind] - expected[kind]).abs();
                // On the river 48 amounts were rounded.
                let rounding = if street == Street::River { 20.0 } else { 4.0 };
                let limit = rounding * factors[kind] + 2e-3 * expected[kind].abs();
                assert!(
                    difference < limit,
                    "{street:?} cell {cell}, kind {kind}: {} for {}",
                    factors[kind] * found[kind],
                    expected[kind]
                );
                compared[kind] += usize::from(expected[kind].abs() > 20.0 * limit);
            }
        }
    }
    assert!(compared.iter().all(|&count| count > plan.cells() / 4), "{compared:?}");
}
