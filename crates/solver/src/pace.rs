//! When a run checks its exploitability, and whether what comes next fits into its time.

use std::time::Duration;

use crate::run::Stop;

/// What the parts of a run take, as far as it is known, and the time that is left for them.
#[derive(Debug)]
pub(crate) struct Pace {
    limit: Option<Duration>,
    evaluates: bool,
    iteration: Duration,
    check: Option<Duration>,
    /// Whether a profile was kept that may turn out to be better than the last one.
    pub(crate) kept: bool,
}

impl Pace {
    pub(crate) fn new(stop: &Stop) -> Pace {
        let (limit, evaluates) = (stop.time, stop.evaluate);
        Pace { limit, evaluates, iteration: Duration::ZERO, check: None, kept: false }
    }

    pub(crate) fn note_iteration(&mut self, took: Duration) {
        self.iteration = took;
    }

    pub(crate) fn note_check(&mut self, took: Duration) {
        self.check = Some(took);
    }

    /// What was spent on the profile that was checked.
    pub(crate) fn add_to_check(&mut self, took: Duration) {
        if let Some(check) = &mut self.check {
            *check += took;
        }
    }

    /// Whether another iteration should end in time, and the evaluation after it.
    pub(crate) fn allows_iteration(&self, elapsed: Duration) -> bool {
        self.fits(elapsed + self.iteration)
    }

    /// Whether a check should end in time, and the evaluation after it.
    pub(crate) fn allows_check(&self, elapsed: Duration) -> bool {
        self.fits(elapsed + self.a_check())
    }

    /// Whether the evaluation should end in time, or at most an iteration later.
    pub(crate) fn allows_evaluation(&self, elapsed: Duration) -> bool {
        self.fits(elapsed.saturating_sub(self.iteration))
    }

    fn fits(&self, until: Duration) -> bool {
        // The evaluation is two best responses, which are a check, two values and the equities. If it
        // finds that the profile kept is better, it begins again with that one.
        let halves = if self.kept { 7 } else { 5 };
        let reserved = if self.evaluates { halves * self.a_check() / 2 } else { Duration::ZERO };
        self.limit.is_none_or(|limit| until + reserved <= limit)
    }

    /// A check takes two walks, as an iteration does.
    fn a_check(&self) -> Duration {
        self.check.unwrap_or(self.iteration)
    }
}

/// When to check the exploitability: seldom, since a check costs about an iteration, and soon
/// after the target should have been reached.
#[derive(Debug)]
pub(crate) struct Checks {
    next: u32,
    /// The iteration and the exploitability of the last check that improved on those before.
    improved: (u32, f64),
}

impl Default for Checks {
    fn default() -> Checks {
        Checks { next: 10, improved: (0, f64::INFINITY) }
    }
}

impl Checks {
    pub(crate) fn is_due(&self, iteration: u32) -> bool {
        iteration >= self.next
    }

    /// Whether the exploitability has not fallen by a twentieth while the iterations doubled; in an
    /// exact solve, which falls until it meets the rounding of its numbers, while they quadrupled.
    pub(crate) fn is_plateau(&self, iteration: u32, is_exact: bool) -> bool {
        let times = if is_exact { 4 } else { 2 };
        iteration >= 100 && iteration >= self.improved.0.saturating_mul(times)
    }

    /// Notes a check that was due and plans the next.
    pub(crate) fn note(&mut self, iteration: u32, exploitability: f64, target: Option<f64>) {
        if exploitability < 0.95 * self.improved.1 {
            self.improved = (iteration, exploitability);
        }
        let t = f64::from(iteration);
        // Exploitability falls like the inverse of the square of the iteration or a little slower,
        // with ups and downs that say nothing about its course. A check too early costs less than
        // iterations that were not needed.
        let wanted = match target {
            Some(target) if target > 0.0 && exploitability > 0.0 => {
                t * (exploitability / target).sqrt()
            }
            _ => t * 2.0,
        };
        self.next = wanted.clamp(t * 1.03 + 1.0, t * 1.7 + 4.0).ceil() as u32;
    }
}
