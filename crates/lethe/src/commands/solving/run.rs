//! Running a solver under a progress line.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lethe_compute::Job;
use lethe_solver::{Metrics, Report, SolveError, Solver, Stop};

use crate::error::InputError;
use crate::output::seconds;

/// The target where none is given: 0.1 % of the pot.
pub(crate) const TARGET: f64 = 0.001;

/// Runs a solver until a limit is reached or Ctrl-C is pressed; tells on a terminal how far it is.
pub(crate) fn run(solver: &mut Solver, stop: &Stop, job: Job<'_>) -> Report {
    let line = Line::new();
    let pot = solver.spot().pot();
    let report = solver.run(stop, job.silent(), &mut |now| line.tell(now, stop, pot));
    line.0.finish_and_clear();
    report
}

/// A line on standard error that is written over and over; nothing if it is no terminal.
#[derive(Debug)]
struct Line(ProgressBar);

impl Line {
    fn new() -> Line {
        if !std::io::stderr().is_terminal() {
            return Line(ProgressBar::hidden());
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{spinner} {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.set_message("solving");
        bar.enable_steady_tick(Duration::from_millis(200));
        Line(bar)
    }

    fn tell(&self, now: &Metrics, stop: &Stop, pot: f64) {
        if self.0.is_hidden() {
            return;
        }
        let reached = now.exploitability.map_or_else(String::new, |chips| {
            format!("  exploitability {:.3} % of the pot", 100.0 * chips / pot)
        });
        let left = time_left(now, stop, pot)
            .map_or_else(String::new, |left| format!("  about {} left", seconds(left)));
        self.0.set_message(format!("iteration {}{reached}{left}", now.iteration));
    }
}

/// The seconds until the first limit is reached, about.
fn time_left(now: &Metrics, stop: &Stop, pot: f64) -> Option<f64> {
    let done = f64::from(now.iteration);
    let elapsed = now.elapsed.as_secs_f64();
    // Exploitability falls about like this power of the iteration.
    let target = stop
        .target
        .zip(now.exploitability)
        .map(|(target, chips)| done * (chips / (target * pot)).max(1.0).powf(1.0 / 1.3));
    let iterations = stop.iterations.map(f64::from);
    let needed = target.into_iter().chain(iterations).reduce(f64::min);
    let by_rate = needed.map(|needed| (needed - done).max(0.0) * elapsed / done);
    let by_clock = stop.time.map(|time| (time.as_secs_f64() - elapsed).max(0.0));
    by_rate.into_iter().chain(by_clock).reduce(f64::min)
}

/// Says why a spot cannot be solved; too large a spot is the input's fault.
pub(crate) fn explain(error: SolveError) -> anyhow::Error {
    match error {
        SolveError::Memory { .. } => InputError::new(error).into(),
        error => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_limit_tells_the_time_left() {
        let now = Metrics {
            iteration: 10,
            exploitability: Some(1.0),
            checked: true,
            elapsed: Duration::from_secs(10),
        };
        let left = |stop: Stop| time_left(&now, &stop, 100.0);
        assert_eq!(left(Stop::default()), None);
        assert_eq!(left(Stop { iterations: Some(15), ..Stop::default() }), Some(5.0));
        let time = Some(Duration::from_secs(13));
        assert_eq!(left(Stop { iterations: Some(15), time, ..Stop::default() }), Some(3.0));
        assert_eq!(left(Stop { target: Some(0.01), time, ..Stop::default() }), Some(0.0));
    }
}
