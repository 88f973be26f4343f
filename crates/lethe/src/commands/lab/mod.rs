//! `lethe lab`: what card abstractions lose in the real game.
//!
//! [`grid`] makes a grid of the arguments; the results are a [`LabView`].

mod grid;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use lethe_abstraction::Abstraction;
use lethe_kit::files::{Replace, Units};
use lethe_kit::lab::{LabView, loss};
use lethe_kit::merge::PartView;
use lethe_lab::{Key, LabError, Results, Subject, Summary};
use serde::Serialize;

use super::{check_outputs, write_file};
use crate::error::{InputError, Stopped};
use crate::output::{Output, Report, seconds};
use crate::progress::Bars;
use crate::ranks::PartArgs;

pub(crate) use grid::Grid;

/// Measures what card abstractions lose, against exact best responses
///
/// Small games are solved (a flop or a turn, uniform ranges, one pot-size bet per street) in which one
/// player sees only the buckets of an abstraction and the other sees everything. An exact best
/// response in real cards then plays against the bucketed player. The loss is what it gains over the
/// value of the game, the mean of both seats, in thousandths of the pot; beside it are the floor,
/// what a solve without any abstraction still lacks after as many iterations, and the loss where
/// both players are bucketed in training.
///
/// Methods are clustered inside each game, K buckets per street. Their names: percentile, ehs, ehs2,
/// ehs2-percentile, histogramN, histogramN-emd, histogramN-river, histogramN-emd-river, ochsN (on
/// the river), texture, textureN, classes, random, lossless. Join two by + for the streets before
/// the river and the river, or three for flop, turn and river.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe lab                                         five turns, ten methods, 49 and 196 buckets
  lethe lab --preset full --out lab-full            five flops; continues where it was stopped
  lethe lab --preset full --out lab-full --part 0/4    one of four processes; see lethe merge
  lethe lab --methods histogram10+ochs8,percentile --buckets 16,49,196,500 --seeds 0,1,2
  lethe lab --abstraction default --boards Ks7h2d9s,Ts7s3s2h
  lethe lab --boards Ks7h2d:3,QsQh5d:1 --bet-sizes '50%,100%' --stack 3000 --estimate")]
pub(crate) struct Args {
    #[command(flatten)]
    grid: Grid,
    /// Keep every finished cell in this directory; the same command continues from there
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    part: PartArgs,
    /// Only print how many cells there are and how long they take
    #[arg(long)]
    estimate: bool,
    /// Write a page with the table and the plot to this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the plot alone to this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Measures and prints the results.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let lab = args.grid.lab(out)?;
    // Nothing is measured for a page that cannot be written.
    let stored = lab.artifacts.iter().map(Abstraction::path);
    let kept = args.out.iter().flat_map(|dir| Units::paths_in(dir)).collect::<Vec<PathBuf>>();
    let inputs: Vec<&Path> = stored.chain(kept.iter().map(PathBuf::as_path)).collect();
    check_outputs(&[args.html.as_deref(), args.svg.as_deref()], &inputs)?;
    let (outline, share) = (lab.outline(), args.part.share(out));
    let replace = if share.is_alone() { Replace::Allowed } else { Replace::Refused };
    let mut results = match &args.out {
        Some(dir) => Results::open(dir, &outline, replace).map_err(lethe_kit::Error::from)?,
        None if share.ranks.size() > 1 => {
            return Err(InputError::new("ranks share a lab by its directory; give --out").into());
        }
        None => Results::in_memory(),
    };
    let bars = Bars::new();
    let estimate = lab.estimate(&results, bars.job()).map_err(explain)?;
    if args.estimate {
        return out.show(&Forecast {
            boards: lab.roots.len(),
            cells: estimate.cells,
            finished: estimate.finished,
            iterations: lab.effort.iterations,
            seconds: estimate.seconds,
        });
    }
    if estimate.finished < estimate.cells {
        let time = seconds(estimate.seconds);
        let (cells, done) = (estimate.cells, estimate.finished);
        out.note(format_args!("{cells} cells, {done} finished; about {time} for the others"))?;
    }
    let begun = Instant::now();
    let run = lab.run(&mut results, share, bars.job(), &mut |cell| bars.label(&label(cell)));
    bars.finish();
    let finished = match run {
        Ok(()) => true,
        Err(LabError::Cancelled(_)) => false,
        Err(error) => return Err(explain(error)),
    };
    results.load(&outline).map_err(lethe_kit::Error::from)?;
    if let (Some(part), Some(dir), true) = (args.part.part(), &args.out, finished) {
        let units = share.units(outline.cells.len());
        let done = units.iter().filter(|&&unit| results.get(&outline.cells[unit].1).is_some());
        let units = [units.len(), done.count(), outline.cells.len()];
        return out.show(&PartView::new(part, units, dir));
    }
    if !share.leads() {
        return Ok(());
    }
    if finished {
        results.check_complete(&outline).map_err(lethe_kit::Error::from)?;
    }
    let view = LabView {
        betting: lab.betting.clone(),
        iterations: lab.effort.iterations,
        finished,
        seconds: begun.elapsed().as_secs_f64(),
        summary: Summary::of(&outline, &results),
    };
    if let Some(file) = &args.html {
        write_file(file, &view.page())?;
    }
    if let Some(file) = &args.svg {
        write_file(file, &view.svg())?;
    }
    if finished || !view.summary.rows.is_empty() {
        out.show(&view)?;
    }
    if !finished {
        return Err(Stopped(match args.out {
            Some(_) => "finished cells are kept; the same command continues with the others",
            None => "nothing is kept; --out DIR keeps finished cells",
        })
        .into());
    }
    Ok(())
}

/// How long a grid takes.
#[derive(Debug, Serialize)]
struct Forecast {
    boards: usize,
    cells: usize,
    finished: usize,
    iterations: u32,
    seconds: f64,
}

impl Report for Forecast {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        out.pairs(&[
            ("boards", self.boards.to_string()),
            ("cells", format!("{}, {} finished", self.cells, self.finished)),
            ("iterations", format!("{} per solve", self.iterations)),
            ("time", format!("about {} for the others", seconds(self.seconds))),
        ])
    }
}

impl Report for LabView {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let floor = self.summary.floor.map_or_else(|| "-".to_owned(), loss);
        out.pairs(&[
            ("game", self.game()),
            ("floor", out.bold(format_args!("{floor} after {} iterations", self.iterations))),
            ("unit", "thousandths of the pot".to_owned()),
        ])?;
        writeln!(out)?;
        let (headings, rows) = self.boards();
        out.table(&headings, rows)?;
        if self.summary.rows.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
        let (headings, rows) = self.losses();
        out.table(&headings, rows)
    }
}

/// A cell in a few words, for the progress bar.
fn label(cell: &Key) -> String {
    let what = match &cell.subject {
        Subject::Lossless => "lossless".to_owned(),
        Subject::Method { name, buckets: Some(buckets), .. } => format!("{name} {buckets}"),
        Subject::Method { name, .. } | Subject::Artifact { name, .. } => name.clone(),
    };
    format!("{} {what}", cell.board)
}

/// Says why nothing is measured; a game that cannot be played is the input's fault.
fn explain(error: LabError) -> anyhow::Error {
    match error {
        LabError::Cancelled(_) => Stopped("nothing was measured").into(),
        LabError::Game(_) | LabError::Solve { .. } => InputError::new(error).into(),
        LabError::Share(error) => error.into(),
        LabError::Results(error) => lethe_kit::Error::from(error).into(),
        error => error.into(),
    }
}
