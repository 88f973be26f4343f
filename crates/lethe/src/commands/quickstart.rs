//! `lethe quickstart`: from nothing to a first abstraction and a first look at it.

use std::io::Write;

use lethe_abstraction::Abstraction;
use lethe_cards::{Board, Hole};
use serde::Serialize;

use super::build::{self, Summary};
use super::input::{read, read_board};
use super::lookup::Answer;
use crate::output::{Output, Report};

/// Builds the default abstraction, unless it is there, and looks up a few hands
///
/// Ends with what to try next.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Args {}

/// The first hands to look up: ace-king that missed, and a flush draw that comes in.
const HANDS: [(&str, &str); 4] =
    [("AsKs", "Th9h8c"), ("Ah5h", "Th9h8c"), ("Ah5h", "Th9h8c2s"), ("Ah5h", "Th9h8c2s7h")];

const NEXT: &str = "What to try next:
  lethe lookup default QdJd Td9s2c3h      any hand on any board
  lethe inspect default                   what the buckets of each street are like
  lethe inspect default --board Th9h8c    the buckets of all hands on a board
  lethe equity AsKs Th9h8c                the equity behind them, drawn over the next card
  lethe build --preset texture-fast-test  another way to make buckets
  lethe list                              the abstractions there are
  lethe bench                             how fast this machine is";

/// The abstraction and the hands looked up in it.
#[derive(Debug, Serialize)]
struct First {
    abstraction: Summary,
    lookups: Vec<Answer>,
}

impl Report for First {
    fn write_text(&self, out: &mut Output<'_>) -> std::io::Result<()> {
        self.abstraction.write_text(out)?;
        for answer in &self.lookups {
            writeln!(out)?;
            answer.write_text(out)?;
        }
        writeln!(out, "\n{NEXT}")
    }
}

/// Builds and looks up.
pub(crate) fn run(_: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let order = build::Args::default().resolve()?;
    let abstraction = build::perform(&order, out)?;
    let open = Abstraction::open(&abstraction.path)?;
    let mut lookups = Vec::new();
    for (hole, board) in HANDS {
        let (hole, board): (Hole, Board) = (read(hole)?, read_board(Some(board))?);
        lookups.push(Answer::of(&open, hole, &board)?);
    }
    out.show(&First { abstraction, lookups })
}
