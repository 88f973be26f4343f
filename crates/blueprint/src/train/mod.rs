//! Training: sampled counterfactual regret minimization.

mod external;
mod preflop;
mod public;

use std::sync::atomic::{AtomicU64, Ordering};

use lethe_cards::{Card, StartingHand, Street, Suit};
use lethe_compute::{Cancelled, Job};
use lethe_game::Counts;
use serde::{Deserialize, Serialize};

use crate::config::Training;
use lethe_rows::Buckets;

use crate::deal::{HOLES, STRIDE};
use crate::plan::{Kind, Plan};
use crate::random::Random;
use crate::store::Store;

/// What an iteration samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sampling {
    /// A board; all hands of both players are played on it at once.
    #[default]
    Public,
    /// A board, two hands and the opponent's actions.
    External,
}

/// The opponent that a player learns against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Opponent {
    /// The other player, who sees the same buckets.
    #[default]
    Same,
    /// An adversary of each player's own, who sees real cards on the river and answers there with
    /// nearly the best response to what the player does now. Before the river it learns on the same
    /// buckets, but distinguishes kinds of boards.
    Adversary,
}

impl Opponent {
    /// The cells that it needs beside those of the strategy: 0 in a game that ends before the flop.
    pub(crate) fn cells(self, plan: &Plan) -> usize {
        match self {
            Opponent::Adversary if !plan.blocks(Street::Flop).is_empty() => {
                let flop = plan.cells_before(Street::Flop);
                flop + (plan.cells_before(Street::River) - flop) * TEXTURES
            }
            _ => 0,
        }
    }

    /// The same from the counts of a tree, without building it.
    pub fn count_cells(self, counts: &Counts, [flop, turn, _]: [usize; 3]) -> u64 {
        match self {
            Opponent::Adversary if counts.of(Street::Flop).decisions > 0 => {
                let preflop = Plan::count_cells(counts, [0; 3]);
                let postflop = Plan::count_cells(counts, [flop, turn, 0]) - preflop;
                postflop.saturating_mul(TEXTURES as u64).saturating_add(preflop)
            }
            _ => 0,
        }
    }

    /// The bytes of its answers on the river, which each thread keeps.
    pub fn worker_bytes(self, counts: &Counts) -> u64 {
        let row = (STRIDE * size_of::<f32>()) as u64;
        match self {
            Opponent::Same => 0,
            Opponent::Adversary => counts.of(Street::River).actions.saturating_mul(row),
        }
    }
}

/// How past iterations are discounted: after each interval *t* = 1, 2, … positive regrets are multiplied by
/// t^alpha / (t^alpha + 1), negative ones by the same with beta, averages by (t / (t + 1))^gamma.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Discount {
    /// Iterations between two discounts.
    pub interval: u64,
    /// For positive regrets.
    pub alpha: f64,
    /// For negative regrets.
    pub beta: f64,
    /// For averages.
    pub gamma: f64,
}

impl Default for Discount {
    fn default() -> Discount {
        Discount { interval: 1000, alpha: 1.5, beta: 0.5, gamma: 2.0 }
    }
}

/// Trains a [`Store`].
///
/// With one thread the same seed gives the same store, however the iterations are cut into runs.
pub struct Trainer<'a> {
    plan: &'a Plan,
    buckets: &'a dyn Buckets,
    store: &'a Store,
    training: Training,
    iterations: u64,
    visits: u64,
}

/// Kinds of flops and turns that the adversary distinguishes, beside its buckets.
const TEXTURES: usize = 32;

/// The kind of a flop or turn: how many cards of one suit there are, whether two ranks are the same,
/// whether three lie within a straight, whether the highest is at least a queen.
fn texture(board: &[Card]) -> usize {
    let suit = |suit: Suit| board.iter().filter(|card| card.suit() == suit).count();
    let suited = Suit::all().map(suit).max().unwrap_or(1);
    // An ace is also a one: bit 0.
    let ranks = board.iter().fold(0_u32, |set, card| set | 2 << card.rank().index());
    let ranks = ranks | ranks >> 13;
    let distinct = (ranks & !1).count_ones() as usize;
    let connected = (0..10).any(|low| (ranks >> low & 31).count_ones() >= 3);
    let flags = [distinct < board.len(), connected, ranks >> 11 != 0];
    flags.iter().fold(suited - 1, |kind, &flag| 2 * kind + usize::from(flag))
}

/// The offset of the adversary's cells of a block and texture from the players' cells of that block,
/// each counted from its own beginning. Blocks are in the same order; from the flop on each occurs
/// once per texture.
fn adversary_shift(plan: &Plan, street: Street, number: usize, texture: usize) -> usize {
    if street == Street::Preflop {
        return 0;
    }
    let block = &plan.blocks(street)[number];
    (block.base - plan.cells_before(Street::Flop)) * (TEXTURES - 1)
        + texture * plan.buckets(street) * block.width
}

/// Regrets are kept in parts of a big blind.
pub(crate) const REGRET_UNIT: f32 = 4096.0;
/// Averages are kept in parts of a hand's reach.
pub(crate) const AVERAGE_UNIT: f32 = 256.0;
/// Iterations that a thread takes at a time where they are short.
const SHARE: u64 = 64;

impl<'a> Trainer<'a> {
    /// A trainer that resumes after `iterations` and `visits`, which are 0 at first.
    ///
    /// # Panics
    /// If the store was made for another plan or opponent, or an adversary is asked for without
    /// public chance sampling.
    pub fn new(
        plan: &'a Plan,
        buckets: &'a dyn Buckets,
        store: &'a Store,
        training: &Training,
        [iterations, visits]: [u64; 2],
    ) -> Trainer<'a> {
        let Training { sampling, opponent, .. } = *training;
        assert_eq!(
            [store.len(), store.regrets.len()],
            [plan.cells(), plan.cells() + opponent.cells(plan)],
            "the store is one for this plan and opponent"
        );
        assert!(
            opponent == Opponent::Same || sampling == Sampling::Public,
            "an adversary sees a whole board at once"
        );
        Trainer { plan, buckets, store, training: *training, iterations, visits }
    }

    /// Iterations done so far.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Hand-node visits so far: decisions visited, each counted once for every hand.
    pub fn visits(&self) -> u64 {
        self.visits
    }

    /// The hands that an iteration deals to each player.
    pub fn hands(&self) -> u64 {
        match self.training.sampling {
            _ if self.is_preflop_only() => 1326,
            Sampling::Public => HOLES as u64,
            Sampling::External => 1,
        }
    }

    /// Trains until `end` iterations are done in all, the job is cancelled or `go_on` returns false;
    /// both are polled before every iteration, or every 64 with external sampling. Iterations are never cut short, so that
    /// the result does not depend on how they are divided into runs.
    pub fn run(&mut self, end: u64, job: Job<'_>, go_on: &(dyn Fn() -> bool + Sync)) {
        let go_on = &|| go_on() && !job.cancelled();
        while self.iterations < end && go_on() {
            let interval = self.training.discount.interval;
            let t = self.iterations / interval + 1;
            self.batch(end.min(t * interval), job, go_on);
            if self.iterations == t * interval {
                job.install(|| self.apply_discount(t as f64));
            }
        }
    }

    /// Discounts after interval `t`.
    fn apply_discount(&self, t: f64) {
        let Discount { alpha, beta, gamma, .. } = self.training.discount;
        let share = |exponent: f64| t.powf(exponent) / (t.powf(exponent) + 1.0);
        let full = if self.store.is_nearly_full() { 0.5 } else { 1.0 };
        self.store.scale(share(alpha), share(beta), full * (t / (t + 1.0)).powf(gamma));
    }

    /// What the discounts have left of the iterations: regrets divided by it are means.
    fn weight(&self, job: Job<'_>) -> Result<f64, Cancelled> {
        let Discount { interval, alpha, .. } = self.training.discount;
        let mut weight = 0.0;
        for t in 1..=self.iterations / interval {
            if t % 65_536 == 0 {
                job.check()?;
            }
            let power = (t as f64).powf(alpha);
            weight = (weight + interval as f64) * power / (power + 1.0);
        }
        Ok(weight + (self.iterations % interval) as f64)
    }

    /// The hands that a visit of a public node counts as.
    pub fn hands_per_visit(&self) -> u64 {
        match self.training.sampling {
            _ if self.is_preflop_only() => StartingHand::COUNT as u64,
            Sampling::Public => HOLES as u64,
            Sampling::External => 1,
        }
    }

    /// The mean regret of a hand in the game that is trained, in mbb; `None` before the first
    /// iteration.
    ///
    /// It bounds what the players could still gain in that game. Where they learn against each other
    /// and it is small, what a best response gains in real cards is the abstraction's fault.
    pub fn mean_regret(&self, job: Job<'_>) -> Result<Option<f64>, Cancelled> {
        if self.iterations == 0 {
            return Ok(None);
        }
        let mut sum = 0.0;
        for street in Street::ALL {
            for block in self.plan.blocks(street) {
                for (place, node) in block.nodes.iter().enumerate() {
                    let Kind::Decision(_, offset) = node.kind else { continue };
                    job.check()?;
                    let actions = block.children(place).len();
                    for bucket in 0..self.plan.buckets(street) as u32 {
                        let first = block.cell(offset, bucket);
                        let regrets = (first..first + actions).map(|cell| self.store.regret(cell));
                        sum += f64::from(regrets.max().unwrap_or(0).max(0));
                    }
                }
            }
        }
        let hands = self.weight(job)?.max(1.0) * self.hands() as f64;
        Ok(Some(sum / f64::from(REGRET_UNIT) * 1000.0 / hands))
    }

    fn batch(&mut self, until: u64, job: Job<'_>, go_on: &(dyn Fn() -> bool + Sync)) {
        if self.is_preflop_only() {
            while self.iterations < until && go_on() {
                self.visits += preflop::iterate(self, self.iterations);
                self.iterations += 1;
            }
            return;
        }
        let next = AtomicU64::new(self.iterations);
        let this = &*self;
        let work = || match this.training.sampling {
            Sampling::Public => {
                let mut worker = public::Worker::new(this);
                share(&next, until, 1, go_on, |iteration| worker.iterate(iteration));
                worker.visits
            }
            Sampling::External => {
                let mut worker = external::Worker::new(this);
                share(&next, until, SHARE, go_on, |iteration| worker.iterate(iteration));
                worker.visits
            }
        };
        self.visits += job.broadcast(work).into_iter().sum::<u64>();
        self.iterations = next.into_inner().min(until);
    }

    fn is_preflop_only(&self) -> bool {
        self.plan.blocks(Street::Flop).is_empty()
    }

    /// The big blind in chips: what `Oop` has put in at the root.
    fn big_blind(&self) -> f32 {
        let tree = self.plan.tree();
        tree.node(tree.root()).contributed()[0] as f32
    }

    /// Whether an iteration skips prunable actions.
    fn prunes(&self, iteration: u64, random: &mut Random) -> bool {
        iteration >= self.training.prune.after
            && f64::from(random.fraction()) < self.training.prune.share
    }

    /// The regret below which an action is prunable.
    fn prune_below(&self) -> i32 {
        (self.training.prune.below * f64::from(REGRET_UNIT)) as i32
    }
}

/// Takes iterations from a shared counter, `count` at a time, until there are no more. All that were
/// taken are done.
fn share(
    next: &AtomicU64,
    until: u64,
    count: u64,
    go_on: &(dyn Fn() -> bool + Sync),
    mut iterate: impl FnMut(u64),
) {
    while go_on() {
        let first = next.fetch_add(count, Ordering::Relaxed);
        if first >= until {
            break;
        }
        (first..until.min(first + count)).for_each(&mut iterate);
    }
}

#[cfg(test)]
mod tests {
    use lethe_cards::Board;
    use lethe_game::{Game, Tree};

    use super::*;

    #[test]
    fn the_adversary_has_each_cell_before_the_river_once_a_texture() {
        let config = r#"{"stack":900,"small_blind":50,"big_blind":100,"bet_sizes":{
            "preflop":{"sb":{"raise":"2x"}}, "flop":{"oop":{"bet":"50%"}},
            "turn":{"ip":{"bet":"50%, a"}}, "river":{"oop":{"bet":"a"}}}}"#;
        let game = Game::hand(&serde_json::from_str(config).unwrap()).unwrap();
        let plan = Plan::new(Tree::build(game, Tree::NODE_LIMIT).unwrap(), [3, 5, 7]);
        let mut seen = vec![0; Opponent::Adversary.cells(&plan)];
        for street in [Street::Preflop, Street::Flop, Street::Turn] {
            let textures = if street == Street::Preflop { 1 } else { TEXTURES };
            for (number, block) in plan.blocks(street).iter().enumerate() {
                for texture in 0..textures {
                    let shift = adversary_shift(&plan, street, number, texture);
                    let cells = block.base..block.base + block.width * plan.buckets(street);
                    cells.for_each(|cell| seen[shift + cell] += 1);
                }
            }
        }
        assert!(!seen.is_empty() && seen.iter().all(|&count| count == 1));
        let counts = plan.tree().counts();
        assert_eq!(Opponent::Adversary.count_cells(counts, [3, 5, 7]), seen.len() as u64);
    }

    #[test]
    fn textures_tell_suits_pairs_straights_and_high_cards_apart() {
        let of = |text: &str| texture(text.parse::<Board>().unwrap().cards());
        for (board, suited, paired, connected, high) in [
            ("2c7d9h", 1, 0, 0, 0),
            ("2c7c9c", 3, 0, 0, 0),
            ("KcKd2h", 1, 1, 0, 1),
            ("Ac2d5h", 1, 0, 1, 1),
            ("AcTdJh", 1, 0, 1, 1),
            ("AcTd9h", 1, 0, 0, 1),
            ("8c4d6h", 1, 0, 1, 0),
            ("8c8d4h6s", 1, 1, 1, 0),
            ("Qs2s5s9s", 4, 0, 0, 1),
        ] {
            let expected = (suited - 1) * 8 + paired * 4 + connected * 2 + high;
            assert_eq!(of(board), expected, "{board}");
        }
    }
}
