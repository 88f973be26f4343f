//! Training: sampled counterfactual regret minimization.

mod bundles;
mod external;
#[cfg(test)]
mod pooling_tests;
mod preflop;
mod public;
mod ranks;
#[cfg(test)]
mod rivers_tests;
mod settings;
#[cfg(test)]
mod solver_tests;

pub use ranks::{Ranks, RanksError, Traffic};
pub use settings::{Adversary, Boards, Discount, Opponent, Pooling, Sampling};

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use lethe_cards::{StartingHand, Street};
use lethe_compute::{Cancelled, Job};
use serde::{Deserialize, Serialize};

use lethe_rows::{AtLevel, Buckets};

use self::bundles::Bundles;
use crate::changes::Changes;
use crate::config::Training;
use crate::deal::{HOLES, TURN_HOLES};
use crate::plan::{Kind, Plan};
use crate::random::{Domain, Random};
use crate::stages::{self, Stage};
use crate::store::{CEILING, Store};

/// How far training is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reached {
    /// Iterations done.
    pub iterations: u64,
    /// Hand-node visits: decisions visited, each counted once for every hand.
    pub visits: u64,
    /// How often the averages of each street were halved to make room.
    #[serde(default)]
    pub halvings: [u32; 4],
    /// How often a number was too large to be stored, and was set to the largest that can be.
    #[serde(default)]
    pub saturated: u64,
}

/// Trains a [`Store`] in batches.
///
/// All iterations of a batch read the regrets from its start, and what they add is merged at its end.
/// So the same seed gives the same store for any number of threads and ranks, however the batches are
/// cut into runs.
pub struct Trainer<'a> {
    setup: Setup<'a>,
    reached: Reached,
    /// Those that train together, if they are several.
    ranks: Option<&'a Ranks<'a>>,
}

/// What every thread reads.
#[derive(Clone, Copy)]
struct Setup<'a> {
    plan: &'a Plan,
    buckets: &'a dyn Buckets,
    store: &'a Store,
    training: Training,
}

/// The state of a thread that computes units, the parts of a batch.
trait Worker: Send {
    /// How many units a batch has.
    fn units(batch: &Range<u64>) -> u64;
    /// Computes unit `unit` of a batch: what it adds to the cells. `averages` is what a hand adds to
    /// averages, by street. If the job is cancelled the changes are of no use.
    fn unit(
        &mut self,
        batch: &Range<u64>,
        unit: u64,
        averages: [f32; 4],
        job: Job<'_>,
        changes: &mut Changes,
    );
}

/// The offset of the adversary's cells of a block and kind of board from the players' cells of that
/// block, each counted from its own beginning. Blocks are in the same order; from the flop on each
/// occurs once for each of the `kinds` of boards.
pub(crate) fn adversary_shift(
    plan: &Plan,
    (street, number): (Street, usize),
    kinds: usize,
    kind: usize,
) -> usize {
    if street == Street::Preflop {
        return 0;
    }
    let block = &plan.blocks(street)[number];
    (block.base - plan.cells_before(Street::Flop)) * (kinds - 1)
        + kind * plan.buckets(street) * block.width
}

/// Regrets are kept in parts of a big blind.
pub(crate) const REGRET_UNIT: f32 = 4096.0;
/// Averages are kept in parts of a hand's reach in the first interval.
pub(crate) const AVERAGE_UNIT: f32 = 256.0;

/// What a hand of full reach adds to averages after so many iterations, by street. Intervals have
/// growing weights, so that past averages are never rounded except when a street is halved.
pub(crate) fn average_units(training: &Training, reached: &Reached) -> [f32; 4] {
    let Discount { interval, gamma, .. } = training.discount;
    let t = (reached.iterations / interval + 1) as f64;
    let unit = |halvings: u32| (gamma * t.log2() - f64::from(halvings)).exp2() as f32;
    reached.halvings.map(|halvings| AVERAGE_UNIT * unit(halvings))
}

impl<'a> Trainer<'a> {
    /// A trainer that resumes where an earlier one stopped.
    ///
    /// # Panics
    /// If the store was made for another plan or opponent, or an adversary is asked for without
    /// public chance sampling.
    pub fn new(
        plan: &'a Plan,
        buckets: &'a dyn Buckets,
        store: &'a Store,
        training: &Training,
        reached: Reached,
    ) -> Trainer<'a> {
        let beside = training.adversary_cells(plan) + training.pooled_cells(plan);
        assert_eq!(
            [store.len(), store.regrets.len()],
            [plan.cells(), plan.cells() + beside],
            "the store is one for this plan and opponent"
        );
        assert!(
            training.opponent == Opponent::Same || training.sampling == Sampling::Public,
            "an adversary sees a whole board at once"
        );
        let setup = Setup { plan, buckets, store, training: *training };
        Trainer { setup, reached, ranks: None }
    }

    /// Trains together with other ranks, whose stores are the same as this one's.
    pub fn with_ranks(self, ranks: &'a Ranks<'a>) -> Trainer<'a> {
        Trainer { ranks: Some(ranks).filter(|ranks| ranks.size() > 1), ..self }
    }

    /// How far training is.
    pub fn reached(&self) -> Reached {
        self.reached
    }

    /// The hands that an iteration deals to each player.
    pub fn hands(&self) -> u64 {
        match self.setup.training.sampling {
            _ if self.is_preflop_only() => 1326,
            Sampling::Public => TURN_HOLES as u64,
            Sampling::External => 1,
        }
    }

    /// The hands that a visit of a public node counts as.
    pub fn hands_per_visit(&self) -> u64 {
        match self.setup.training.sampling {
            _ if self.is_preflop_only() => StartingHand::COUNT as u64,
            Sampling::Public => HOLES as u64,
            Sampling::External => 1,
        }
    }

    /// Trains until at least `end` iterations are done in all, the job is cancelled or `go_on`
    /// returns false, which is polled before every batch.
    ///
    /// Batches are never cut, so that the result does not depend on how they are divided into runs: up
    /// to a batch less one more iterations than `end` are done, and what a cancelled job has computed
    /// of a batch is discarded.
    ///
    /// # Panics
    /// If it trains together with other ranks and one is lost; see [`Trainer::try_run`].
    pub fn run(&mut self, end: u64, job: Job<'_>, go_on: &(dyn Fn() -> bool + Sync)) {
        self.try_run(end, job, go_on).expect("no rank is lost");
    }

    /// The same with other ranks, all of which stop if one of them is cancelled or says so.
    pub fn try_run(
        &mut self,
        end: u64,
        job: Job<'_>,
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), RanksError> {
        let Setup { buckets, training, .. } = self.setup;
        loop {
            let next = training.stages.next(self.reached.iterations);
            let until = next.map_or(end, |next| end.min(next.from));
            let level = training.stages.level(self.reached.iterations);
            let Some(level) = level else { return self.run_stage(self.setup, until, job, go_on) };
            let shared = AtLevel::new(buckets, level).expect("stages fit the abstraction");
            let setup = Setup { buckets: &shared, ..self.setup };
            self.run_stage(setup, until, job, go_on)?;
            match next {
                Some(next) if next.from == self.reached.iterations => {
                    self.sum_averages(job)?;
                    self.split(level, next);
                }
                _ => return Ok(()),
            }
            if self.reached.iterations >= end {
                return Ok(());
            }
        }
    }

    /// Completes the averages of the store by what other ranks have added to them. Needed before they
    /// are read; every rank calls it.
    pub fn sum_averages(&self, job: Job<'_>) -> Result<(), RanksError> {
        Ok(self.ranks.map_or(Ok(()), |ranks| ranks.sum_averages(self.setup.store, job))?)
    }

    /// Begins a stage after one with `level` clusters.
    fn split(&self, level: usize, stage: Stage) {
        let Setup { plan, buckets, store, training } = self.setup;
        let clusters = buckets.flop_clusters().expect("stages fit the abstraction");
        let key = Random::new(Domain::Split, training.seed, stage.from).bits();
        stages::split(store, plan, &training, clusters, (level, stage), key);
    }

    /// Writes the strategy of flop clusters that training does not use yet: that of the clusters they
    /// are part of. Needed before a strategy is read that is still in an early stage.
    pub fn fill_unused(&self) {
        let Setup { plan, buckets, store, training } = self.setup;
        let level = training.stages.level(self.reached.iterations);
        if let (Some(level), Some(clusters)) = (level, buckets.flop_clusters()) {
            stages::fill_unused(store, plan, clusters, level);
        }
    }

    /// Trains within a stage.
    fn run_stage(
        &mut self,
        setup: Setup<'_>,
        end: u64,
        job: Job<'_>,
        go_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<(), RanksError> {
        if self.is_preflop_only() {
            // All hands at once on one thread, and on every rank: batches would only slow it down.
            return self.advance(end, job, go_on, 1, |trainer, batch| {
                let [unit, ..] = average_units(&setup.training, &trainer.reached);
                trainer.reached.visits += preflop::iterate(&setup, batch.start, unit);
                Ok(true)
            });
        }
        match setup.training.sampling {
            Sampling::Public => {
                let bundles = Arc::new(Bundles::new(setup.plan));
                self.batches(end, job, go_on, || public::Worker::new(setup, Arc::clone(&bundles)))
            }
            Sampling::External => self.batches(end, job, go_on, || external::Worker::new(setup)),
        }
    }

    /// Divides iterations into batches, `size` at a time but never across a discount or into the next
    /// stage, and discounts.
    /// A batch that returns false is not counted and ends the run.
    fn advance(
        &mut self,
        end: u64,
        job: Job<'_>,
        go_on: &(dyn Fn() -> bool + Sync),
        size: u64,
        mut batch: impl FnMut(&mut Self, Range<u64>) -> Result<bool, RanksError>,
    ) -> Result<(), RanksError> {
        let interval = self.setup.training.discount.interval;
        while self.reached.iterations < end {
            let stops = job.cancelled() || !go_on();
            if self.ranks.map_or(Ok(stops), |ranks| ranks.any(stops))? {
                break;
            }
            let first = self.reached.iterations;
            let t = first / interval + 1;
            let stage = self.setup.training.stages.next(first).map_or(u64::MAX, |next| next.from);
            let until = ((first / size + 1) * size).min(t * interval).min(stage);
            if !batch(self, first..until)? {
                break;
            }
            self.reached.iterations = until;
            if until == t * interval {
                self.sum_averages(job)?;
                let Trainer { setup, reached, .. } = self;
                job.install(|| apply_discount(*setup, reached, t));
            }
        }
        Ok(())
    }

    fn batches<W: Worker>(
        &mut self,
        end: u64,
        job: Job<'_>,
        go_on: &(dyn Fn() -> bool + Sync),
        make: impl Fn() -> W + Sync,
    ) -> Result<(), RanksError> {
        let (store, size) = (self.setup.store, self.setup.training.batch_size());
        let (rank, ranks) = self.ranks.map_or((0, 1), |ranks| (ranks.rank(), ranks.size()));
        // Workers and changes are large and used again in every batch.
        let idle: Mutex<Vec<W>> = Mutex::default();
        let mut parts: Vec<Mutex<Changes>> = Vec::new();
        let lock = || idle.lock().expect("no thread panics while it holds the lock");
        self.advance(end, job, go_on, size, |trainer, batch| {
            // Every rank takes the units of its number modulo theirs.
            let all = W::units(&batch);
            let units = all.saturating_sub(rank as u64).div_ceil(ranks as u64);
            parts.resize_with(parts.len().max(units as usize), Mutex::default);
            let averages = average_units(&trainer.setup.training, &trainer.reached);
            let next = AtomicU64::new(0);
            job.broadcast(|| {
                let taken = lock().pop();
                let mut worker = taken.unwrap_or_else(&make);
                while !job.cancelled() {
                    let unit = next.fetch_add(1, Ordering::Relaxed);
                    if unit >= units {
                        break;
                    }
                    let mut changes = parts[unit as usize].lock().expect("each unit is taken once");
                    changes.clear();
                    let unit = unit * ranks as u64 + rank as u64;
                    worker.unit(&batch, unit, averages, job, &mut changes);
                }
                lock().push(worker);
            });
            let parts = parts[..units as usize].iter_mut();
            let parts = parts.map(|part| &*part.get_mut().expect("no thread panicked"));
            let parts: Vec<&Changes> = parts.collect();
            if let Some(ranks) = trainer.ranks {
                let own = (!job.cancelled()).then_some(&parts[..]);
                let Some(merged) = ranks.exchange(own, store, job)? else { return Ok(false) };
                trainer.reached.saturated += merged.saturated;
                trainer.reached.visits += merged.visits;
                return Ok(true);
            }
            if job.cancelled() {
                return Ok(false);
            }
            trainer.reached.saturated += job.install(|| Changes::merge(&parts, store));
            trainer.reached.visits += parts.iter().map(|part| part.visits).sum::<u64>();
            Ok(true)
        })
    }

    /// What the discounts have left of the iterations: regrets divided by it are means.
    fn weight(&self, job: Job<'_>) -> Result<f64, Cancelled> {
        let Discount { interval, alpha, .. } = self.setup.training.discount;
        let mut weight = 0.0;
        for t in 1..=self.reached.iterations / interval {
            if t % 65_536 == 0 {
                job.check()?;
            }
            let power = (t as f64).powf(alpha);
            weight = (weight + interval as f64) * power / (power + 1.0);
        }
        Ok(weight + (self.reached.iterations % interval) as f64)
    }

    /// The mean regret of a hand in the game that is trained, in mbb; `None` before the first
    /// iteration.
    ///
    /// It bounds what the players could still gain in that game. Where they learn against each other
    /// and it is small, what a best response gains in real cards is the abstraction's fault.
    pub fn mean_regret(&self, job: Job<'_>) -> Result<Option<f64>, Cancelled> {
        if self.reached.iterations == 0 {
            return Ok(None);
        }
        let mut sum = 0.0;
        for street in Street::ALL {
            for block in self.setup.plan.blocks(street) {
                for (place, node) in block.nodes.iter().enumerate() {
                    let Kind::Decision(_, offset) = node.kind else { continue };
                    job.check()?;
                    let actions = block.children(place).len();
                    for bucket in 0..self.buckets_in_use(street) as u32 {
                        let first = block.cell(offset, bucket);
                        let regrets =
                            (first..first + actions).map(|cell| self.setup.store.regret(cell));
                        sum += f64::from(regrets.max().unwrap_or(0).max(0));
                    }
                }
            }
        }
        let hands = self.weight(job)?.max(1.0) * self.hands() as f64;
        Ok(Some(sum / f64::from(REGRET_UNIT) * 1000.0 / hands))
    }

    /// The buckets of a street that training has reached: the first ones.
    fn buckets_in_use(&self, street: Street) -> usize {
        let count = self.setup.plan.buckets(street);
        match self.setup.training.stages.level(self.reached.iterations) {
            Some(level) if street != Street::Preflop => {
                let clusters = self.setup.buckets.flop_clusters();
                let clusters = clusters.map_or(1, |clusters| clusters.on(street));
                count / clusters * level.min(clusters)
            }
            _ => count,
        }
    }

    fn is_preflop_only(&self) -> bool {
        self.setup.plan.blocks(Street::Flop).is_empty()
    }
}

/// Discounts after interval `t`.
fn apply_discount(setup: Setup<'_>, reached: &mut Reached, t: u64) {
    let Setup { plan, store, training, .. } = setup;
    let Discount { alpha, beta, gamma, .. } = training.discount;
    let share = |exponent: f64| (t as f64).powf(exponent) / ((t as f64).powf(exponent) + 1.0);
    let key = Random::new(Domain::Discount, training.seed, t).bits();
    store.scale_regrets(share(alpha), share(beta), key);
    // The next interval may weigh at most twice as much as this one.
    let growth = gamma * ((t as f64 + 1.0) / t as f64).log2();
    let too_fast = (growth - 1.0).ceil().max(0.0) as u32;
    for street in Street::ALL {
        let cells = plan.cells_of_street(street);
        let largest = store.largest_average(cells.clone());
        let too_large = (largest / (CEILING + 1)).checked_ilog2().map_or(0, |log| log + 1);
        let times = too_fast.max(too_large);
        if times > 0 {
            store.halve_averages(cells, times, key);
            reached.halvings[street.index()] += times;
        }
    }
}

impl Setup<'_> {
    /// The big blind in chips: what `Oop` has put in at the root.
    fn big_blind(&self) -> f32 {
        let tree = self.plan.tree();
        tree.node(tree.root()).contributed()[0] as f32
    }

    /// Whether an iteration skips prunable actions.
    fn prunes(&self, iteration: u64, random: &mut Random) -> bool {
        let prune = self.training.prune;
        iteration >= prune.after && f64::from(random.fraction()) < prune.share
    }

    /// The regret below which an action is prunable.
    fn prune_below(&self) -> i32 {
        (self.training.prune.below * f64::from(REGRET_UNIT)) as i32
    }
}

#[cfg(test)]
mod tests {
    use lethe_game::{Game, Tree};

    use super::*;

    #[test]
    fn the_adversary_has_each_cell_before_the_river_once_per_kind_of_board() {
        let config = r#"{"stack":900,"small_blind":50,"big_blind":100,"bet_sizes":{
            "preflop":{"sb":{"raise":"2x"}}, "flop":{"oop":{"bet":"50%"}},
            "turn":{"ip":{"bet":"50%, a"}}, "river":{"oop":{"bet":"a"}}}}"#;
        let game = Game::hand(&serde_json::from_str(config).unwrap()).unwrap();
        let plan = Plan::new(Tree::build(game, Tree::NODE_LIMIT).unwrap(), [3, 5, 7]);
        let training = Training { opponent: Opponent::Adversary, ..Training::default() };
        let kinds = training.adversary.boards.count();
        let mut seen = vec![0; training.adversary_cells(&plan)];
        for street in [Street::Preflop, Street::Flop, Street::Turn] {
            let occurs = if street == Street::Preflop { 1 } else { kinds };
            for (number, block) in plan.blocks(street).iter().enumerate() {
                for kind in 0..occurs {
                    let shift = adversary_shift(&plan, (street, number), kinds, kind);
                    let cells = block.base..block.base + block.width * plan.buckets(street);
                    cells.for_each(|cell| seen[shift + cell] += 1);
                }
            }
        }
        assert!(!seen.is_empty() && seen.iter().all(|&count| count == 1));
        let counts = plan.tree().counts();
        assert_eq!(training.count_adversary_cells(counts, [3, 5, 7]), seen.len() as u64);
    }
}
