//! Pools are the sums of their cells, and count as much as they should.

use lethe_cards::{Board, Deck, Hole, Street};
use lethe_compute::{Job, Pool};
use lethe_game::{Game, Tree};
use lethe_rows::Buckets;

use super::{Discount, Opponent, Pooling, Reached, Trainer};
use crate::changes::{PoolCells, Pools};
use crate::config::Training;
use crate::plan::Plan;
use crate::store::{Regrets, Store};

/// Buckets by the sum of the hole's cards, in groups by the last card of the board; on the river those
/// in groups by the first card.
struct Grouped;

/// By street: the buckets of a group, the groups of a group of groups, and how many of these there are.
const SIZES: [usize; 4] = [0, 4, 3, 2];
const INNER: [usize; 4] = [0, 1, 1, 5];
const OUTER: [usize; 4] = [0, 1, 2, 3];

impl Buckets for Grouped {
    fn count(&self, street: Street) -> usize {
        OUTER[street.index()] * self.group_sizes(street)[0]
    }

    fn fill(&self, board: &Board, row: &mut [u32]) {
        for (hole, out) in Deck::without(board.set()).holes().zip(row) {
            *out = self.of(hole, board);
        }
    }

    fn of(&self, hole: Hole, board: &Board) -> u32 {
        let street = board.street().index();
        let sum: usize = [hole.low(), hole.high()].iter().map(|card| card.index()).sum();
        let [first, last] = [board.cards().first(), board.cards().last()]
            .map(|card| card.map_or(0, |card| card.index()));
        let group = first % OUTER[street] * INNER[street] + last % INNER[street];
        (group * SIZES[street] + sum % SIZES[street]) as u32
    }

    fn is_suit_invariant(&self) -> bool {
        false
    }

    fn group_sizes(&self, street: Street) -> [usize; 2] {
        let street = street.index();
        [INNER[street] * SIZES[street], SIZES[street]]
    }
}

fn plan() -> Plan {
    let config = r#"{"stack":900,"small_blind":50,"big_blind":100,"bet_sizes":{
        "preflop":{"sb":{"raise":"2x"}}, "flop":{"oop":{"bet":"50%"},"ip":{"bet":"a"}},
        "turn":{"ip":{"bet":"50%, a"}}, "river":{"oop":{"bet":"50%"},"ip":{"bet":"a"}}}}"#;
    let game = Game::hand(&serde_json::from_str(config).expect("a game")).expect("a game");
    let tree = Tree::build(game, Tree::NODE_LIMIT).expect("a small tree");
    let counts = Street::POSTFLOP.map(|street| Grouped.count(street));
    Plan::new(tree, counts).with_group_sizes(Street::POSTFLOP.map(|s| Grouped.group_sizes(s)))
}

/// By street: whether there are several groups of groups, and several groups in each.
const HAS_POOLS: [[bool; 2]; 4] = [[false, false], [false, false], [true, false], [true, true]];

#[test]
fn pools_are_the_sums_of_their_cells() {
    let plan = plan();
    for opponent in [Opponent::Same, Opponent::Adversary] {
        let training = Training {
            opponent,
            rivers: 2,
            pooling: Pooling { weight: 3.0, iterations: 10.0 },
            // A discount rounds sums and summands each for itself.
            discount: Discount { interval: 1000, ..Discount::default() },
            ..Training::default()
        };
        let store = Store::new(&plan, &training);
        let mut trainer = Trainer::new(&plan, &Grouped, &store, &training, Reached::default());
        trainer.run(60, Job::new(&Pool::new(2).expect("two threads")), &|| true);
        let start = plan.cells() + training.adversary_cells(&plan);
        let mut sums = vec![0_i64; plan.pools()];
        for street in Street::ALL {
            for (number, block) in plan.blocks(street).iter().enumerate() {
                let pools = plan.block_pools(street, number);
                assert_eq!(pools.map(|pools| pools.is_some()), HAS_POOLS[street.index()]);
                for (first, size) in pools.into_iter().flatten() {
                    for bucket in 0..plan.buckets(street) {
                        let pool = first + bucket % size as usize * block.width;
                        for place in 0..block.width {
                            let cell = block.base + bucket * block.width + place;
                            sums[pool + place] += i64::from(store.regret(cell));
                        }
                    }
                }
            }
        }
        let found: Vec<i64> =
            (0..plan.pools()).map(|pool| store.regret(start + pool).into()).collect();
        assert_eq!(store.regrets.len(), start + found.len());
        assert!(found == sums && sums.iter().filter(|&&sum| sum != 0).count() > sums.len() / 2);
        let counts = plan.tree().counts();
        let buckets = Street::POSTFLOP.map(|street| Grouped.count(street));
        let sizes = Street::POSTFLOP.map(|street| Grouped.group_sizes(street));
        assert_eq!(training.count_pooled_cells(counts, buckets, sizes), sums.len() as u64);
    }
}

#[test]
fn an_action_is_played_by_its_regret_and_a_share_of_its_pools() {
    let plan = plan();
    let block = &plan.blocks(Street::River)[0];
    let start = plan.cells();
    let pools = plan.block_pools(Street::River, 0).map(|pools| {
        let (first, size) = pools.expect("groups of groups");
        PoolCells { first: start + first, size }
    });
    let mut regrets = vec![0; start + plan.pools()];
    let bucket = 17;
    let cell = block.cell(1, bucket);
    regrets[cell] = -40;
    for (pools, sum) in pools.iter().zip([300, 1000]) {
        regrets[pools.of(bucket, block.width) + 1] = sum;
    }
    let store = Store::from_parts(&regrets, &vec![0; start]);
    let played = |pools: Pools, amount| {
        let regrets = Regrets::of(&store).with_pools(pools, [0.5, 0.1]);
        regrets.played(regrets.at(block, 1, bucket), 0, amount)
    };
    let [outer, inner] = pools.map(Some);
    assert_eq!(played([outer, inner], 0), 210.0);
    assert_eq!(played([outer, inner], 10), 226.0);
    assert_eq!(played([outer, None], 10), 125.0);
    assert_eq!(played([None, inner], 10), 71.0);
    assert_eq!(played([None, None], 10), -30.0);
    let pooling = Pooling { weight: 6.0, iterations: 100.0 };
    assert_eq!([0, 100, 200].map(|n| pooling.weight_after(n)), [6.0, 3.0, 2.0]);
}
