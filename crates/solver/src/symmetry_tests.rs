//! An iteration computes the same with shared runouts as without.
//!
//! Whole runs cannot be compared: who wins the pot by a check wins the same by a bet that is always
//! folded to, the sign of a rounding error then decides the strategy, and runs part. One player's
//! part of an iteration has no such choice: regrets that are equal to the bit are played alike, and
//! what it adds to them is continuous. So every such part begins for both solvers at the same state,
//! that of the one that shares runouts, written out for all of them.

use std::sync::Arc;

use lethe_cards::SuitMap;
use lethe_compute::Job;
use lethe_game::Player;
use lethe_rows::Buckets;

use crate::boards::BoardNode;
use crate::cells::{BoardData, Table};
use crate::solver::{Options, Solver};
use crate::spot::Spot;
use crate::test_spots::{POT, STACK, Strength, spot};
use crate::update::Rule;

fn numbers(table: &mut Table) -> &mut [f32] {
    match table {
        Table::F32(numbers) => numbers,
        Table::I16(..) => panic!("these solves keep 32 bits"),
    }
}

/// Calls `meet` with every number of the plain solver and the one it must be equal to. `map` leads
/// from the cards of the plain board to those of the one that stands for it.
fn meet(
    (board, data): (&BoardNode, &mut BoardData),
    (shared, shared_data): (&BoardNode, &mut BoardData),
    map: SuitMap,
    meet_number: &mut impl FnMut(&mut f32, f32),
) {
    for p in 0..2 {
        let (own, other) = (&mut data.cells[p], &mut shared_data.cells[p]);
        let tables = [
            (&mut own.regret, &mut other.regret),
            (&mut own.sum, &mut other.sum),
            (&mut own.last, &mut other.last),
        ];
        let (hands, others) = (&board.hands[p], &shared.hands[p]);
        assert_eq!(hands.len(), others.len());
        for (own, other) in tables {
            let rows = numbers(own).chunks_exact_mut(hands.stride());
            for (row, other) in rows.zip(numbers(other).chunks_exact(others.stride())) {
                for (number, &hole) in row.iter_mut().zip(&hands.holes) {
                    meet_number(number, other[others.find(map.hole(hole)).unwrap()]);
                }
            }
        }
    }
    for (child, data) in board.children.iter().zip(&mut data.children) {
        let card = map.card(child.images[0].0);
        let image = |c: &crate::boards::Child| c.images.iter().find(|i| i.0 == card).copied();
        let found = shared.children.iter().zip(&mut shared_data.children);
        let mut found = found.filter_map(|(c, data)| Some((c, data, image(c)?.1)));
        let (stands, stands_data, swap) = found.next().expect("every card has its board");
        assert!(found.next().is_none(), "{card} is counted twice");
        let map = map.then(swap);
        meet((&child.node, data), (&stands.node, stands_data), map, meet_number);
    }
}

fn compare(spot: &Spot, options: &Options, iterations: u32) {
    let with = |symmetry| Options { symmetry, keep_best: false, ..options.clone() };
    let mut shared = Solver::new(spot.clone(), with(true), Job::default()).unwrap();
    let mut plain = Solver::new(spot.clone(), with(false), Job::default()).unwrap();
    // Regrets are sums of payoffs over the hands an opponent may hold, and over the own hands of a
    // bucket.
    let hands: f32 = shared.reach.iter().map(|row| row.iter().sum::<f32>()).fold(0.0, f32::max);
    let bucketed = options.buckets.iter().any(Option::is_some);
    let most = 1e-6 * hands * (POT + STACK) as f32 * if bucketed { hands } else { 1.0 };
    let parts =
        (1..=iterations).flat_map(|iteration| Player::BOTH.map(|player| (iteration, player)));
    for (iteration, player) in parts {
        for solver in [&mut shared, &mut plain] {
            solver.iteration = iteration;
            solver.learn(player, Job::default()).unwrap();
        }
        let (mut count, mut worst) = (0, 0.0f32);
        let (boards, others) = (&plain.engine.root, &shared.engine.root);
        let mut take = |number: &mut f32, other: f32| {
            worst = worst.max((*number - other).abs());
            count += 1;
            *number = other;
        };
        let states = ((boards, &mut plain.data), (others, &mut shared.data));
        meet(states.0, states.1, SuitMap::IDENTITY, &mut take);
        for (own, other) in plain.tables.iter_mut().zip(&shared.tables) {
            let (Some(own), Some(other)) = (own, other) else { continue };
            let rows = own.regret.iter_mut().zip(&other.regret);
            for (own, other) in rows.chain(own.sum.iter_mut().zip(&other.sum)) {
                own.iter_mut().zip(other).for_each(|(own, &other)| take(own, other));
            }
            own.clone_from(other);
        }
        assert!(count > 100);
        assert!(worst <= most, "{iteration} {player:?}: off by {worst}, not {most}");
    }
}

const TWO_ALIKE: [&str; 3] = ["Td9d6sQd", "AA,T9s,JTo:0.7", "KQ:0.3,66,J8s"];
const PAIRED: [&str; 3] = ["8s8d3c", "AA,98s:0.6,JTo", "KQs,33,87s:0.3"];
const THREE_ALIKE: [&str; 3] = ["9h6h2h", "AA,T9s:0.7", "KQs,66:0.3"];

#[test]
fn shared_runouts_learn_what_all_runouts_learn() {
    for [board, oop, ip] in [TWO_ALIKE, PAIRED, THREE_ALIKE] {
        let iterations = if board.len() == 8 { 40 } else { 8 };
        compare(&spot(board, oop, ip), &Options::default(), iterations);
    }
    for rule in [Rule::DCFR, Rule::Plus, Rule::Linear, Rule::PDCFR_PLUS] {
        let [board, oop, ip] = TWO_ALIKE;
        compare(&spot(board, oop, ip), &Options { rule, ..Options::default() }, 20);
    }
}

#[test]
fn shared_runouts_teach_buckets_what_all_runouts_teach() {
    let bucketed = || Some(Arc::new(Strength) as Arc<dyn Buckets>);
    for buckets in [[bucketed(), None], [None, bucketed()], [bucketed(), bucketed()]] {
        let options = Options { buckets, ..Options::default() };
        for [board, oop, ip] in [TWO_ALIKE, THREE_ALIKE] {
            compare(&spot(board, oop, ip), &options, 4);
        }
    }
}
