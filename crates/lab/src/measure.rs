//! What an abstraction loses: solves with one player bucketed, and exact best responses.

use std::sync::Arc;
use std::time::Instant;

use lethe_compute::Job;
use lethe_solver::{Buckets, Evaluation, Options, SolveError, Solver, Spot};
use serde::{Deserialize, Serialize};

use crate::buckets::GameBuckets;

/// What an abstraction loses in one game, in chips.
///
/// `against_oop` is what the best response in real cards wins against a player out of position who
/// sees only buckets and has learned against an opponent who sees everything; `against_ip` likewise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Loss {
    /// What IP's best response wins against the bucketed OOP.
    pub against_oop: f64,
    /// What OOP's best response wins against the bucketed IP.
    pub against_ip: f64,
}

impl Loss {
    /// The mean over both seats of what the best response gains over the value of the game, in
    /// thousandths of the pot.
    ///
    /// The value itself drops out: what one player is worth more the other is worth less.
    pub fn epsilon(&self, pot: f64) -> f64 {
        epsilon([self.against_ip, self.against_oop], pot)
    }

    /// What OOP and IP lose by seeing only buckets, where the game is worth `value` to OOP, in
    /// thousandths of the pot. Their mean is [`Loss::epsilon`].
    pub fn by_seat(&self, pot: f64, value: f64) -> [f64; 2] {
        [self.against_oop - (pot - value), self.against_ip - value]
            .map(|chips| 1000.0 * chips / pot)
    }
}

/// Half of what both players' best responses gain over the value of a game, in thousandths of the
/// pot.
fn epsilon(best_response: [f64; 2], pot: f64) -> f64 {
    1000.0 * (best_response[0] + best_response[1] - pot) / (2.0 * pot)
}

/// The best responses to two strategies that learned against each other: both players see
/// everything, or both only buckets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// What each player's best response wins, OOP's first, in chips.
    pub best_response: [f64; 2],
}

impl Profile {
    /// Half of what both best responses gain, in thousandths of the pot. Of two players who see
    /// everything it is the floor: what is left of a loss where nothing was lost.
    pub fn epsilon(&self, pot: f64) -> f64 {
        epsilon(self.best_response, pot)
    }

    /// The interval that holds the value of the game to OOP.
    pub fn bracket(&self, pot: f64) -> [f64; 2] {
        [pot - self.best_response[1], self.best_response[0]]
    }

    /// The middle of the bracket.
    pub fn value(&self, pot: f64) -> f64 {
        let [low, high] = self.bracket(pot);
        (low + high) / 2.0
    }
}

/// How solves are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Iterations of each solve.
    pub iterations: u32,
    /// The most bytes a solve may take; none for no limit.
    pub memory_limit: Option<u64>,
}

/// Solves a game in which both players are bucketed, or neither is. Each iteration is a unit of
/// progress.
pub(crate) fn profile(
    spot: &Spot,
    buckets: Option<&Arc<GameBuckets>>,
    effort: &Effort,
    job: Job<'_>,
) -> Result<Profile, SolveError> {
    let bucketed = || buckets.map(|buckets| buckets.clone() as Arc<dyn Buckets>);
    let found = solve(spot, [bucketed(), bucketed()], effort, job)?;
    Ok(Profile { best_response: found.best_response })
}

/// Solves a game with OOP bucketed, and with IP bucketed. Each iteration is a unit of progress.
pub(crate) fn loss(
    spot: &Spot,
    buckets: &Arc<GameBuckets>,
    effort: &Effort,
    job: Job<'_>,
) -> Result<Loss, SolveError> {
    let bucketed = || Some(buckets.clone() as Arc<dyn Buckets>);
    let oop = solve(spot, [bucketed(), None], effort, job)?;
    let ip = solve(spot, [None, bucketed()], effort, job)?;
    Ok(Loss { against_oop: oop.best_response[1], against_ip: ip.best_response[0] })
}

fn options(buckets: [Option<Arc<dyn Buckets>>; 2], effort: &Effort) -> Options {
    let memory_limit = effort.memory_limit;
    Options { buckets, memory_limit, keep_best: false, ..Options::default() }
}

/// The average strategies after all iterations: not the best ones on the way, so that floor and
/// loss are taken at the same count.
fn solve(
    spot: &Spot,
    buckets: [Option<Arc<dyn Buckets>>; 2],
    effort: &Effort,
    job: Job<'_>,
) -> Result<Evaluation, SolveError> {
    let silent = job.silent();
    let mut solver = Solver::new(spot.clone(), options(buckets, effort), silent)?;
    for _ in 0..effort.iterations {
        solver.iterate(silent)?;
        job.advance(1);
    }
    Ok(solver.evaluate(silent)?)
}

/// The seconds that an iteration of the lossless game takes on this machine, measured on a few.
pub(crate) fn seconds_per_iteration(
    spot: &Spot,
    effort: &Effort,
    job: Job<'_>,
) -> Result<f64, SolveError> {
    let job = job.silent();
    let mut solver = Solver::new(spot.clone(), options([None, None], effort), job)?;
    // The first one touches all memory for the first time.
    solver.iterate(job)?;
    let begun = Instant::now();
    let mut done = 0;
    while done < 2 || done < 20 && begun.elapsed().as_secs_f64() < 0.1 {
        solver.iterate(job)?;
        done += 1;
    }
    Ok(begun.elapsed().as_secs_f64() / f64::from(done))
}
