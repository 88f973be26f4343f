//! `lethe lab`: what card abstractions lose in the real game.
//!
//! [`grid`] makes a grid of the arguments, [`report`] tells what came out, [`plot`] draws it and
//! [`page`] puts both into one file.

mod bar;
mod grid;
mod page;
mod plot;
mod report;

use std::path::{Path, PathBuf};
use std::time::Instant;

use lethe_lab::{LabError, MeasureError, Results, Summary};

use crate::error::{InputError, Stopped};
use crate::output::{Output, seconds};

pub(crate) use grid::Grid;
use report::{Answer, Forecast};

/// Measures what card abstractions lose, against exact best responses
///
/// Small games are solved (a flop or a turn, uniform ranges, one pot-size bet a street) in which one
/// player sees only the buckets of an abstraction and the other sees everything. An exact best
/// response in real cards then plays against the bucketed player. The loss is what it gains over the
/// value of the game, the mean of both seats, in thousandths of the pot; beside it stand the floor,
/// what a solve without any abstraction is short of after as many iterations, and the loss where
/// both players learnt bucketed.
///
/// Methods are clustered inside each game, K buckets a street. Their names: percentile, ehs, ehs2,
/// ehs2-percentile, histogramN, histogramN-emd, histogramN-river, histogramN-emd-river, ochsN (on
/// the river), texture, textureN, classes, random, lossless. Join two by + for the streets before
/// the river and the river, or three for flop, turn and river.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe lab                                         five turns, ten methods, 49 and 196 buckets
  lethe lab --preset full --out lab-full            five flops; goes on where it was stopped
  lethe lab --methods histogram10+ochs8,percentile --buckets 16,49,196,500 --seeds 0,1,2
  lethe lab --abstraction default --boards Ks7h2d9s,Ts7s3s2h
  lethe lab --boards Ks7h2d:3,QsQh5d:1 --bet-sizes '50%,100%' --stack 3000 --estimate")]
pub(crate) struct Args {
    #[command(flatten)]
    grid: Grid,
    /// Keep every finished cell in this directory; the same command goes on with what is there
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Only tell how many cells there are and how long they will take
    #[arg(long)]
    estimate: bool,
    /// Write a page with the table and the plot into this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the plot alone into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Measures and prints what came out.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let lab = args.grid.lab()?;
    for file in [&args.html, &args.svg].into_iter().flatten() {
        lethe_kit::files::OutputFile::create(file).map_err(InputError::new)?;
    }
    let mut results = match &args.out {
        Some(dir) => Results::open(dir)?,
        None => Results::in_memory(),
    };
    let estimate = lab.estimate(&results).map_err(explain)?;
    if args.estimate {
        return out.show(&Forecast::of(&lab, &estimate));
    }
    if estimate.finished < estimate.cells {
        let time = seconds(estimate.seconds);
        let (cells, done) = (estimate.cells, estimate.finished);
        out.note(format_args!("{cells} cells, {done} finished; about {time} for the others"))?;
    }
    let begun = Instant::now();
    let mut bar = bar::Bar::new(&estimate);
    let finished = lab.run(&mut results, &estimate, &mut bar).map_err(explain)?;
    drop(bar);
    let answer = Answer {
        betting: lab.betting.clone(),
        iterations: lab.effort.iterations,
        finished,
        seconds: begun.elapsed().as_secs_f64(),
        summary: Summary::of(&lab, &results),
    };
    if let Some(file) = &args.html {
        write(file, &page::page(&answer))?;
    }
    if let Some(file) = &args.svg {
        write(file, &plot::standalone(&answer.summary))?;
    }
    if finished || !answer.summary.rows.is_empty() {
        out.show(&answer)?;
    }
    if !finished {
        return Err(Stopped(match args.out {
            Some(_) => "finished cells are kept; the same command goes on with the others",
            None => "nothing is kept; --out DIR would keep finished cells",
        })
        .into());
    }
    Ok(())
}

/// Writes a file beside its place and then gives it its name, so that nobody sees half of it.
fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    let mut beside = file.file_name().unwrap_or_default().to_owned();
    beside.push(format!(".{}.part", std::process::id()));
    let beside = file.with_file_name(beside);
    let save = || std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, file));
    save().map_err(|error| {
        // Whatever is there of it is of no use.
        let _ = std::fs::remove_file(&beside);
        anyhow::Error::new(error).context(format!("cannot write {}", file.display()))
    })
}

/// Says why nothing is measured; a game that cannot be played is the input's fault.
fn explain(error: LabError) -> anyhow::Error {
    match error {
        LabError::Game(_) | LabError::Measure { source: MeasureError::Solve(_), .. } => {
            InputError::new(error).into()
        }
        error => error.into(),
    }
}
