//! `lethe report`: how a training run went.

mod chart;

use std::io::{self, Write};
use std::path::PathBuf;

use lethe_kit::Error;
use lethe_kit::report::TrainingHistory;

use super::{check_outputs, write_page};
use crate::output::{Output, Report};

/// Shows how a training run went: exploitability, matches, regret and speed over time
///
/// It reads metrics.jsonl in the run's directory, to which training adds a line at every interval; a
/// run may be watched while it trains. On a terminal the curves are drawn, elsewhere the points are
/// listed. Amounts are in thousandths of a big blind per hand, intervals are 95 %.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe report quick
  lethe report runs/quick --html quick.html
  lethe report quick --json")]
pub(crate) struct Args {
    /// The directory of a run, its name in the data directory, or its metrics.jsonl
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Write a page with plots to this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Shows what was asked for.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let run = out.data().find_run(&args.run).map_err(Error::from)?;
    check_outputs(&[args.html.as_deref()], &[&run])?;
    let history = TrainingHistory::read(&run)?;
    match &args.html {
        Some(file) => write_page(file, &history.page(), out),
        None => out.show(&history),
    }
}

impl Report for TrainingHistory {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        writeln!(out, "{}", out.bold(&self.run))?;
        out.pairs(&self.facts())?;
        if !out.has_blocks() {
            writeln!(out)?;
            let (headings, rows) = self.table();
            return out.table(&headings, rows);
        }
        for curve in self.curves() {
            writeln!(out, "\n{}, {}", out.bold(curve.name), curve.unit)?;
            write!(out, "{}", chart::draw(&curve))?;
        }
        Ok(())
    }
}
