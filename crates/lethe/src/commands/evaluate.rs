//! `lethe evaluate`: what a known strategy is worth, without solving.

use std::io;
use std::path::PathBuf;

use clap::ValueEnum;
use lethe_solver::Solver;
use serde::Serialize;

use super::solving::spot_file::SpotFile;
use super::solving::{Both, chips, percent};
use crate::output::{Output, Report};
use crate::progress::Bars;

/// Values and best responses where both players follow a known strategy
///
/// With `uniform` every hand plays all actions of a decision alike. The result has no equilibrium in
/// it, so it is good to compare solvers by.
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
    /// All actions alike
    Uniform,
}

/// The value of a pair of strategies.
#[derive(Debug, Serialize)]
struct Answer {
    pot: f64,
    ev: Both<f64>,
    equity: Both<f64>,
    best_response: Both<f64>,
    exploitability: f64,
    exploitability_percent: f64,
}

impl Report for Answer {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let row = |name: &str, of: &dyn Fn(&Both<f64>) -> f64| {
            vec![
                name.to_owned(),
                chips(of(&self.ev)),
                percent(of(&self.equity)),
                chips(of(&self.best_response)),
            ]
        };
        let rows = [row("oop", &|both| both.oop), row("ip", &|both| both.ip)];
        out.table(&["player", "EV", "equity", "best response"], &rows)?;
        let (amount, share) = (chips(self.exploitability), self.exploitability_percent);
        out.pairs(&[("\nexploitability", format!("{amount} chips, {share:.2} % of the pot"))])
    }
}

/// Prints the values asked for.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let Args { spot, strategy: Strategy::Uniform } = args;
    let spot = SpotFile::read(spot)?.spot()?;
    let bars = Bars::new();
    let found = Solver::evaluate_uniform(&spot, bars.job())?;
    out.show(&Answer {
        pot: spot.pot(),
        ev: found.ev.into(),
        equity: found.equity.into(),
        best_response: found.best_response.into(),
        exploitability: found.exploitability,
        exploitability_percent: 100.0 * found.exploitability / spot.pot(),
    })
}
