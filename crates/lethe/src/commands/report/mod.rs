//! `lethe report`: how a training run went.

mod chart;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lethe_blueprint::Metrics;
use lethe_kit::report::TrainingHistory;
use lethe_kit::{Error, runs};

use super::write_page;
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
    let history = TrainingHistory::read(&run)?;
    match &args.html {
        Some(file) => {
            let mut inputs = runs::KINDS.map(|kind| run.join(kind.file())).to_vec();
            inputs.extend([run.join(Metrics::FILE), run]);
            let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
            write_page(file, &history.page(), &inputs, out)
        }
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
