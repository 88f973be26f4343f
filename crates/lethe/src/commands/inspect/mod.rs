//! `lethe inspect`: what an abstraction is like.
//!
//! [`overview`] tells of whole streets, [`bucket`] of one bucket and [`board`] of all holes on one
//! board; [`html`] writes the overview as a page with plots.

mod board;
mod bucket;
mod chart;
pub(super) mod html;
mod overview;
mod rows;
pub(super) mod svg;

use std::path::PathBuf;

use lethe_abstraction::{Abstraction, StreetReport};
use lethe_cards::Street;

use super::boards::BoardStreet;
use super::{artifact, input};
use crate::output::Output;

pub(super) use overview::{Summary, method, percent};
pub(super) use rows::bucket_row;

/// What an abstraction is like: its buckets, their sizes and equities, and how good they are
///
/// Without an option: a table of all streets, with small charts. The equity of a bucket is the mean
/// over its deals, its spread their standard deviation; the variance explained is the share of the
/// variance of equity that lies between buckets, and coverage the share of deals whose bucket was
/// found rather than guessed.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe inspect default                    an abstraction by its preset
  lethe inspect F500T500 --street turn     or by the beginning of its name
  lethe inspect default --bucket flop:37   a bucket's shape, typical and extreme hands
  lethe inspect default --board Th9h8c     the buckets of all hands on a board, as a grid
  lethe inspect default --html report.html")]
pub(crate) struct Args {
    #[arg(value_name = "DIR", help = artifact::DIR_HELP)]
    dir: PathBuf,
    /// Tell of this street only
    #[arg(long, value_name = "STREET")]
    street: Option<BoardStreet>,
    /// Tell of one bucket, as flop:37
    #[arg(long, value_name = "STREET:BUCKET", conflicts_with_all = ["street", "board", "html"])]
    bucket: Option<String>,
    /// Tell of all hands on a board, as Th9h8c
    #[arg(long, value_name = "BOARD", conflicts_with_all = ["street", "html"])]
    board: Option<String>,
    /// Write a page with plots into this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Prints what was asked for.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    // What is typed wrong is said before anything is opened.
    let bucket = args.bucket.as_deref().map(bucket::Name::read).transpose()?;
    let board = args.board.as_deref().map(input::read).transpose()?;
    let abstraction = artifact::open(&args.dir)?;
    if let Some(name) = bucket {
        return out.show(&bucket::Portrait::of(&abstraction, name)?);
    }
    if let Some(board) = board {
        return out.show(&board::Grid::of(&abstraction, board)?);
    }
    let streets: Vec<Street> = match args.street {
        Some(street) => vec![street.into()],
        None => Street::POSTFLOP.to_vec(),
    };
    let overview = overview::Overview::of(&abstraction, &streets)?;
    match &args.html {
        Some(file) => out.show(&html::write(&overview, file)?),
        None => out.show(&overview),
    }
}

/// What the build said of a street.
pub(super) fn report(abstraction: &Abstraction, street: Street) -> anyhow::Result<&StreetReport> {
    let report = abstraction.report(street);
    let name = &abstraction.metadata().name;
    let report = report.ok_or_else(|| {
        anyhow::anyhow!(
            "the report of the {street} in {name} is of a form this program does not know; \
             `lethe verify` says more"
        )
    })?;
    let buckets = abstraction.buckets(street);
    let lists = [report.sizes.len(), report.equities.len(), report.spreads.len()];
    anyhow::ensure!(
        buckets > 0 && lists == [buckets; 3],
        "the report of the {street} in {name} is not of its {buckets} buckets; build the \
         abstraction again with --force"
    );
    Ok(report)
}
