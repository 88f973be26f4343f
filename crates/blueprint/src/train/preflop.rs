//! Games that end before the flop, without sampling: both players' 169 classes at once.

use lethe_cards::{StartingHand, Street};

use super::{REGRET_UNIT, Setup};
use crate::plan::Kind;
use crate::preflop::Preflop;
use crate::random::{Domain, Random};
use crate::store::{Regrets, add_average, add_regret};

/// One iteration: each player in turn. A hand of full reach adds `average` to its averages.
pub(super) fn iterate(setup: &Setup<'_>, iteration: u64, average: f32) -> u64 {
    let mut random = Random::new(Domain::Rounding, setup.training.seed, iteration);
    let plan = setup.plan;
    let block = &plan.blocks(Street::Preflop)[0];
    let store = setup.store;
    let unit = f64::from(REGRET_UNIT / setup.big_blind());
    let mut visits = 0;
    for p in [0, 1] {
        let preflop = Preflop::new(plan, &Regrets::of(store), p);
        let mut values = vec![[0.0; StartingHand::COUNT]; block.nodes.len()];
        for (place, node) in block.nodes.iter().enumerate().rev() {
            let reach = preflop.reach(place);
            let children = block.children(place);
            match node.kind {
                Kind::Fold(pays) => values[place] = preflop.met(place).fold(pays[p]),
                Kind::Showdown(stakes) => values[place] = preflop.met(place).showdown(stakes),
                Kind::Next(_) => unreachable!("the game ends before the flop"),
                Kind::Decision(player, offset) => {
                    visits += StartingHand::COUNT as u64;
                    for class in StartingHand::all() {
                        let (i, combos) = (class.index(), class.combos() as f64);
                        let first = block.cell(offset, i as u32);
                        let value = |a: usize| values[children[a] as usize][i];
                        let share = |a: usize| f64::from(preflop.frequency(place, a, i));
                        let actions = 0..children.len();
                        if player == p {
                            let mean: f64 = actions.clone().map(|a| share(a) * value(a)).sum();
                            for a in actions {
                                let regret = (value(a) - mean) * combos * unit;
                                add_regret(&store.regrets[first + a], random.round(regret as f32));
                            }
                            values[place][i] = mean;
                        } else {
                            let weight = reach[i] * f64::from(average);
                            for a in actions.clone() {
                                let amount = random.round((weight * share(a)) as f32);
                                add_average(&store.averages[first + a], amount as u32);
                            }
                            values[place][i] = actions.map(value).sum();
                        }
                    }
                }
            }
        }
    }
    visits
}
