//! `lethe merge`: parts of bulk work, joined.

use std::io::{self, Write};
use std::path::PathBuf;

use lethe_kit::flop_work::FlopsView;
use lethe_kit::merge::{MergeView, PartView, merge};
use lethe_kit::text::counted;

use super::sweep::Swept;
use super::watched;
use crate::output::{Output, Report, thousands};

/// Joins the parts of a sweep, a grid of the lab or an exploitability
///
/// Parts are computed by `--part K/N` of lethe sweep, lethe lab and lethe exploitability, in one
/// directory that all of them write to or in one for each. Every unit must be there and belong to the
/// same work. The result is what the command prints without --part. For tables and pages run that
/// command again: it finds all units finished.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe merge sweeps/4bet
  lethe merge part0 part1 part2 --json
  lethe merge measured --blueprint runs/quick")]
pub(crate) struct Args {
    /// The directories of the parts
    #[arg(value_name = "DIR", required = true)]
    dirs: Vec<PathBuf>,
    /// Where the blueprint of an exploitability is now [default: where it was]
    #[arg(long, value_name = "BLUEPRINT")]
    blueprint: Option<PathBuf>,
}

/// Joins and prints.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let data = out.data().clone();
    let view = watched("nothing was joined", out, |job| {
        merge(&args.dirs, args.blueprint.as_deref(), &data, job)
    })?;
    match view {
        MergeView::Sweep(view) => out.show(&Swept { view, file: None }),
        MergeView::Lab(view) => out.show(&view),
        MergeView::Flops(FlopsView::Strategy(view)) => out.show(&view),
        MergeView::Flops(FlopsView::Agent(view)) => out.show(&view),
    }
}

impl Report for PartView {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let PartView { part, parts, units, finished, total, dir } = self;
        writeln!(
            out,
            "part {part} of {parts}: {} of {} finished, of {} in all",
            thousands(*finished),
            counted(*units, "unit"),
            thousands(*total)
        )?;
        writeln!(out, "\n  lethe merge {}    joins the parts when all are finished", dir.display())
    }
}
