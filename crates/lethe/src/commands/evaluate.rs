//! `lethe evaluate`: what a known strategy is worth, without solving.

use std::io;
use std::path::PathBuf;

use clap::ValueEnum;
use lethe_kit::action::Both;
use lethe_kit::solution::EvaluationView;
use lethe_kit::spot::SpotFile;
use lethe_solver::Solver;

use super::solving::{chips, ev_cells, ev_headings, of, or_dash, percent};
use crate::error::{InputError, Stopped};
use crate::output::{Output, Report};
use crate::progress::Bars;

/// Values and best responses where both players follow a known strategy
///
/// With `uniform` every hand plays all actions of a decision with the same frequency. No equilibrium
/// is involved, so the result is good for comparing solvers.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe evaluate spots/toy-river.yaml --strategy uniform
  lethe evaluate spots/srp-turn.yaml --strategy uniform --json")]
pub(crate) struct Args {
    /// The spot file
    #[arg(value_name = "SPOT")]
    spot: PathBuf,
    /// What both players do
    #[arg(long, value_name = "NAME", default_value = "uniform")]
    strategy: Strategy,
}

/// A strategy that needs no solving.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Strategy {
    /// All actions with the same frequency
    Uniform,
}

impl Report for EvaluationView {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let of = |both: &Option<Both<f64>>, name: &str| both.map(|both| of(&both, name));
        let row = |name: &str| {
            let bb = self.ev_bb.map(|_| of(&self.ev_bb, name));
            let mut cells = vec![name.to_owned()];
            cells.extend(ev_cells(of(&self.ev, name), bb));
            cells.push(or_dash(of(&self.equity, name), percent));
            cells.push(or_dash(of(&self.best_response, name), chips));
            cells
        };
        let headings = ev_headings(&["player"], self.ev_bb.is_some(), &["equity", "best response"]);
        out.table(&headings, [row("oop"), row("ip")])?;
        let amount = or_dash(self.exploitability, chips);
        let share = or_dash(self.exploitability_percent, |share| format!("{share:.2} %"));
        out.pairs(&[("\nexploitability", format!("{amount} chips, {share} of the pot"))])
    }
}

/// Prints the values asked for.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let Args { spot, strategy: Strategy::Uniform } = args;
    let spot = SpotFile::read(spot).and_then(|file| file.spot()).map_err(InputError::new)?;
    let bars = Bars::new();
    let found =
        Solver::evaluate_uniform(&spot, bars.job()).map_err(|_| Stopped("nothing to show"))?;
    out.show(&EvaluationView::of(&spot, &found))
}
