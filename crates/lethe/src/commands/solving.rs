//! What the commands about postflop spots share: solver arguments, the progress line, text.

use clap::ValueEnum;
use indicatif::ProgressBar;
use lethe_compute::{Job, Pool};
use lethe_kit::action::{ActionShare, Both};
use lethe_kit::limits;
use lethe_kit::solution::{SolutionError, SolveOptions};
use lethe_kit::spot::time_left;
pub(super) use lethe_kit::text::or_dash;
use lethe_solver::{Metrics, Options, Precision, Rule, Stop};

use crate::error::{InputError, Stopped};
use crate::output::{Output, seconds};
use crate::progress::{Bars, bar};

/// How to solve, whatever the spot.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct How {
    /// How regrets and strategies are stored; i16 takes about 0.6 of the memory
    #[arg(long, value_name = "TYPE", default_value = "f32")]
    precision: Numbers,
    /// The variant of counterfactual regret minimization
    #[arg(long, value_name = "NAME", default_value = "dcfr")]
    rule: Variant,
    /// The most memory, such as 8G; left out: what the machine has free
    #[arg(long, value_name = "SIZE", value_parser = limits::memory)]
    memory: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Numbers {
    F32,
    I16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Variant {
    /// Discounted CFR
    Dcfr,
    /// CFR+
    #[value(name = "cfr+", alias = "plus")]
    Plus,
    /// Linear CFR
    Linear,
    /// Predictive discounted CFR+
    Predictive,
}

impl How {
    /// The options of a solver that stops at these limits.
    pub(crate) fn options(&self, stop: Stop) -> SolveOptions {
        let options = Options {
            rule: match self.rule {
                Variant::Dcfr => Rule::default(),
                Variant::Plus => Rule::Plus,
                Variant::Linear => Rule::Linear,
                Variant::Predictive => Rule::PDCFR_PLUS,
            },
            precision: match self.precision {
                Numbers::F32 => Precision::F32,
                Numbers::I16 => Precision::I16,
            },
            memory_limit: self.memory.or_else(limits::free_memory),
            ..Options::default()
        };
        SolveOptions { options, stop }
    }

    /// The options of a solver that stops at this share of the pot.
    pub(crate) fn to_target(&self, target: f64) -> SolveOptions {
        self.options(Stop { target: Some(target), ..Stop::default() })
    }
}

/// Threads and a progress line on standard error, if that is a terminal.
pub(crate) struct Watch {
    pool: Pool,
    bars: Bars,
    line: ProgressBar,
}

impl Watch {
    /// The threads asked for, watched by a progress line and Ctrl-C.
    pub(crate) fn new(out: &Output<'_>) -> anyhow::Result<Watch> {
        Ok(Watch { pool: out.pool()?, bars: Bars::new(), line: bar(1, "{msg}") })
    }

    /// A job that Ctrl-C cancels.
    pub(crate) fn job(&self) -> Job<'_> {
        self.bars.job_on(self.pool()).silent()
    }

    /// The threads.
    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Shows how far a solve is.
    pub(crate) fn on_metrics(&self, stop: Stop) -> impl FnMut(&Metrics) {
        move |now| {
            if self.line.is_hidden() {
                return;
            }
            let share = |chips: f64| {
                format!("  exploitability {:.3} % of the pot", 100.0 * chips / now.pot)
            };
            let reached = now.exploitability.map_or_else(String::new, share);
            let left = time_left(now, &stop).map_or_else(String::new, |left| {
                format!("  about {} left", seconds(left.as_secs_f64()))
            });
            self.line.set_message(format!("iteration {}{reached}{left}", now.iteration));
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.line.finish_and_clear();
    }
}

/// The error to end with: most are the input's fault.
pub(crate) fn explain(error: SolutionError) -> anyhow::Error {
    match error {
        error if error.is_cancelled() => Stopped("nothing to show").into(),
        SolutionError::Open { .. } => error.into(),
        error => InputError::new(error).into(),
    }
}

/// A fraction as a percentage, to a hundredth.
pub(super) fn percent(fraction: f64) -> String {
    lethe_kit::text::percent(fraction, 2)
}

/// Chips or big blinds for people, to a hundredth.
pub(super) fn chips(amount: f64) -> String {
    // No negative zero.
    format!("{:.2}", amount + 0.0)
}

/// The frequencies of actions, one per cell.
pub(super) fn frequencies(actions: &[ActionShare]) -> impl Iterator<Item = String> {
    actions.iter().map(|share| or_dash(share.frequency, percent))
}

/// Writes actions and how often they are taken.
pub(super) fn write_actions(actions: &[ActionShare], out: &mut Output<'_>) -> std::io::Result<()> {
    let rows = actions.iter().zip(frequencies(actions));
    let rows = rows.map(|(share, frequency)| vec![share.action.text.clone(), frequency]);
    out.table(&["action", "frequency"], rows)
}

/// The headings of a table with EVs, in chips and where `bb` in big blinds as well.
pub(super) fn ev_headings<'a>(first: &[&'a str], bb: bool, last: &[&'a str]) -> Vec<&'a str> {
    let evs: &[&str] = if bb { &["EV", "EV bb"] } else { &["EV"] };
    [first, evs, last].concat()
}

/// An EV as the cells below [`ev_headings`].
pub(super) fn ev_cells(ev: Option<f64>, bb: Option<Option<f64>>) -> Vec<String> {
    let mut cells = vec![or_dash(ev, chips)];
    cells.extend(bb.map(|bb| or_dash(bb, chips)));
    cells
}

/// One player's part of both.
pub(super) fn of<T: Copy>(both: &Both<T>, player: &str) -> T {
    if player == "oop" { both.oop } else { both.ip }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_first_limit_decides_the_time_left() {
        let now = Metrics {
            iteration: 10,
            exploitability: Some(1.0),
            checked: true,
            elapsed: Duration::from_secs(10),
            pot: 100.0,
        };
        let left = |stop: Stop| time_left(&now, &stop).map(|left| left.as_secs_f64());
        assert_eq!(left(Stop::default()), None);
        assert_eq!(left(Stop { iterations: Some(15), ..Stop::default() }), Some(5.0));
        let time = Some(Duration::from_secs(13));
        assert_eq!(left(Stop { iterations: Some(15), time, ..Stop::default() }), Some(3.0));
        assert_eq!(left(Stop { target: Some(0.01), time, ..Stop::default() }), Some(0.0));
    }
}
