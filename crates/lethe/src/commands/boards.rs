//! `lethe boards`: the canonical boards of a street.

use std::io::{self, Write};

use lethe_cards::{CanonicalBoard, Street};
use serde::Serialize;

use crate::output::{Output, Report};

/// Every canonical board of a street, with its index and how many boards it stands for
///
/// One board a line: index, board and multiplicity, with tabs between them, or with --json one
/// object a line.
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
        match street {
            BoardStreet::Flop => Street::Flop,
            BoardStreet::Turn => Street::Turn,
            BoardStreet::River => Street::River,
        }
    }
}

/// A canonical board.
#[derive(Serialize)]
struct Row {
    index: usize,
    board: String,
    multiplicity: u32,
}

impl Report for Row {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        writeln!(out, "{}\t{}\t{}", self.index, self.board, self.multiplicity)
    }
}

/// How many boards a street has.
#[derive(Serialize)]
struct Counts {
    street: &'static str,
    canonical: usize,
    raw: u64,
}

impl Counts {
    fn of(street: Street) -> Counts {
        let raw = CanonicalBoard::all(street).map(|board| u64::from(board.multiplicity())).sum();
        Counts { street: street.name(), canonical: CanonicalBoard::count(street), raw }
    }
}

impl Report for Counts {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        writeln!(out, "canonical\t{}\nraw\t{}", self.canonical, self.raw)
    }
}

/// Prints the boards asked for, or their number.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let street = args.street.into();
    if args.count {
        return out.show(&Counts::of(street));
    }
    for (index, board) in CanonicalBoard::all(street).enumerate() {
        let multiplicity = board.multiplicity();
        out.show(&Row { index, board: board.to_string(), multiplicity })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_multiplicities_add_up_to_all_boards() {
        let raw = Street::POSTFLOP.map(|street| Counts::of(street).raw);
        assert_eq!(raw, [22_100, 270_725, 2_598_960]);
    }
}
