//! The text of a board: a grid of the 169 starting hands.

use std::io::{self, Write};

use lethe_cards::{Rank, StartingHand};
use lethe_kit::abstractions::{BoardClass, BoardView};
use lethe_kit::text::percent;

use crate::output::{Output, Report};

/// The two lines of a cell: the mean bucket, then equity and number of buckets.
fn lines(cell: &BoardClass) -> [String; 2] {
    match (cell.equity, cell.bucket) {
        (Some(equity), Some(bucket)) => {
            [format!("{bucket:.0}"), format!("{:.0}/{}", equity * 100.0, cell.buckets.len())]
        }
        _ => ["-".to_owned(), String::new()],
    }
}

impl Report for BoardView {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let board = out.cards(self.board.cards());
        let cluster = self.cluster.map_or_else(String::new, |c| format!(", board cluster {c}"));
        let flop = self.flop_cluster.map_or_else(String::new, |c| format!(" of flop cluster {c}"));
        writeln!(
            out,
            "{board}: the {}, {} of {} buckets{flop}{cluster}",
            self.street, self.distinct, self.buckets
        )?;
        let note = "above: the mean bucket of a class; below: its equity and its number of buckets";
        writeln!(out, "{}\n", out.dim(note))?;
        let width = self.classes.iter().flat_map(lines).map(|line| line.len()).max();
        let width = width.unwrap_or(0) + 1;
        write!(out, "  ")?;
        for rank in Rank::all().rev() {
            write!(out, "{:>width$}", format!("{rank} "))?;
        }
        writeln!(out)?;
        for row in Rank::all().rev() {
            for line in 0..2 {
                let name = if line == 0 { row.letter() } else { ' ' };
                write!(out, "{} ", out.bold(name))?;
                for column in Rank::all().rev() {
                    // Suited above the diagonal, where the row's rank is the higher.
                    let class = StartingHand::new(row, column, row > column);
                    let Some(cell) = class.and_then(|class| self.classes.get(class.index())) else {
                        continue;
                    };
                    let text = format!("{:>width$}", lines(cell)[line].clone() + " ");
                    let text = cell.equity.map_or(text.clone(), |equity| out.shaded(equity, text));
                    write!(out, "{text}")?;
                }
                writeln!(out)?;
            }
        }
        let held = self.classes.iter().filter(|cell| cell.combos > 0);
        let best =
            held.max_by(|a, b| a.equity.partial_cmp(&b.equity).expect("equities are finite"));
        if let Some(BoardClass { class, equity: Some(equity), .. }) = best {
            writeln!(out, "\nstrongest class: {class}, {}", percent(*equity, 2))?;
        }
        Ok(())
    }
}
