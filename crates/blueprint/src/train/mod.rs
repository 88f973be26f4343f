//! Training: sampled counterfactual regret minimization.

mod external;
mod public;

use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use crate::deal::Buckets;
use crate::plan::Plan;
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

/// How the past is forgotten: after each interval *t* = 1, 2, … positive regrets are multiplied by
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
pub struct Trainer<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) buckets: &'a dyn Buckets,
    pub(crate) store: &'a Store,
    pub(crate) seed: u64,
    pub(crate) discount: Discount,
    pub(crate) sampling: Sampling,
    /// Regret below which an action is pruned, in chips; none prunes nothing.
    pub(crate) prune: Option<f32>,
    iterations: u64,
    visits: u64,
}

/// Regrets are kept in parts of a big blind.
pub(crate) const REGRET_UNIT: f32 = 4096.0;
/// Averages are kept in parts of a hand's reach.
pub(crate) const AVERAGE_UNIT: f32 = 256.0;

impl<'a> Trainer<'a> {
    /// A trainer of a store.
    pub fn new(
        plan: &'a Plan,
        buckets: &'a dyn Buckets,
        store: &'a Store,
        seed: u64,
        discount: Discount,
        sampling: Sampling,
    ) -> Trainer<'a> {
        Trainer {
            plan,
            buckets,
            store,
            seed,
            discount,
            sampling,
            prune: None,
            iterations: 0,
            visits: 0,
        }
    }

    /// Iterations done so far.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Decisions visited so far, each counted once a hand.
    pub fn visits(&self) -> u64 {
        self.visits
    }

    /// Does so many iterations, discounting on the way. `go_on` is asked now and then.
    pub fn run(&mut self, count: u64, threads: usize, go_on: &(dyn Fn() -> bool + Sync)) {
        let end = self.iterations + count;
        while self.iterations < end && go_on() {
            let interval = self.discount.interval;
            let t = self.iterations / interval + 1;
            let until = end.min(t * interval);
            self.batch(until, threads, go_on);
            if self.iterations == t * interval {
                let share = |exponent: f64| {
                    let power = (t as f64).powf(exponent);
                    power / (power + 1.0)
                };
                let Discount { alpha, beta, gamma, .. } = self.discount;
                let average = (t as f64 / (t as f64 + 1.0)).powf(gamma);
                self.store.scale(share(alpha), share(beta), average);
            }
        }
    }

    fn batch(&mut self, until: u64, threads: usize, go_on: &(dyn Fn() -> bool + Sync)) {
        let next = AtomicU64::new(self.iterations);
        let this = &*self;
        let work = || {
            let mut worker = public::Worker::new(this);
            while go_on() {
                let iteration = next.fetch_add(1, Ordering::Relaxed);
                if iteration >= until {
                    break;
                }
                worker.iterate(iteration);
            }
            worker.visits
        };
        let visits = std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let own = work();
            own + others.into_iter().map(|other| other.join().expect("no panic")).sum::<u64>()
        });
        self.visits += visits;
        self.iterations = next.into_inner().min(until);
    }
}

impl Trainer<'_> {
    fn big_blind(&self) -> f32 {
        // The big blind is what `Oop` has put in at the root.
        let tree = self.plan.tree();
        tree.node(tree.root()).contributed()[0] as f32
    }
}
