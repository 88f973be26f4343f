//! `lethe boards`: the canonical boards of a street.

use std::io::{self, Write};

use lethe_cards::Street;
use lethe_kit::cards::{BoardCounts, BoardView, boards};

use crate::output::{Output, Report};

/// Every canonical board of a street, with its index and how many boards it stands for
///
/// One board per line: index, board and multiplicity, with tabs between them, or with --json one
/// object per line.
#[derive(clap::Args, Clone, Copy, Debug)]
#[command(after_help = "Examples:
  lethe boards flop | head
  lethe boards river --count
  lethe boards turn --json")]
pub(crate) struct Args {
    /// The street
    #[arg(value_name = "STREET")]
    street: BoardStreet,
    /// Print only how many there are, canonical and raw
    #[arg(long)]
    count: bool,
}

/// A street that has a board.
#[derive(clap::ValueEnum, Clone, Copy, Debug)]
pub(crate) enum BoardStreet {
    Flop,
    Turn,
    River,
}

impl From<BoardStreet> for Street {
    fn from(street: BoardStreet) -> Street {
        Street::POSTFLOP[street as usize]
    }
}

impl Report for BoardView {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        writeln!(out, "{}\t{}\t{}", self.index, self.board, self.multiplicity)
    }
}

impl Report for BoardCounts {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        writeln!(out, "canonical\t{}\nraw\t{}", self.canonical, self.raw)
    }
}

/// Prints the boards asked for, or their number.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let street = args.street.into();
    if args.count {
        return out.show(&BoardCounts::of(street));
    }
    boards(street).try_for_each(|board| out.show(&board))
}
