//! `lethe tree`: the betting tree of a spot and what a solve of it will take.

use std::io::{self, Write};
use std::path::PathBuf;

use lethe_kit::limits;
use lethe_kit::solution::TreeView;
use lethe_kit::spot::SpotFile;

use crate::error::InputError;
use crate::output::{Output, Report, bytes, thousands};

/// The betting tree of a spot, its size, and the memory a solve will take
///
/// Nothing is solved and nothing large is allocated. Nodes are counted once, whatever cards are
/// dealt; information sets once for every runout and hand. Runouts that differ only in the names of
/// suits share memory where the ranges allow it.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe tree spots/toy-river.yaml
  lethe tree spots/3bet-QsJh2h.yaml --depth 2
  lethe tree spots/srp-turn.yaml --depth 0 --json")]
pub(crate) struct Args {
    /// The spot file
    #[arg(value_name = "SPOT")]
    spot: PathBuf,
    /// How many actions deep to print the tree
    #[arg(long, value_name = "N", default_value_t = 4)]
    depth: usize,
}

impl Report for TreeView {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        for row in &self.outline {
            writeln!(out, "{:indent$}{}", "", row.text, indent = 2 * row.depth)?;
        }
        writeln!(out)?;
        let rows = self.streets.iter().map(|s| {
            let counts = [s.decisions, s.actions, s.terminals, s.information_sets];
            let counts = counts.into_iter().map(thousands);
            std::iter::once(s.street.to_owned()).chain(counts).collect()
        });
        let headings = ["street", "decisions", "actions", "ends", "information sets"];
        out.table(&headings, rows)?;
        writeln!(out)?;
        let free = limits::free_memory();
        let free = free.map_or_else(String::new, |free| format!(", {} free here", bytes(free)));
        let bb = self.big_blind.map_or_else(String::new, |bb| format!(", {bb} chips per bb"));
        let memory = [self.memory.f32, self.memory.i16].map(bytes);
        out.pairs(&[
            ("board", self.board.clone()),
            ("pot, stack", format!("{}, {}{bb}", self.pot, self.stack)),
            ("hands", format!("{} oop, {} ip", self.hands.oop, self.hands.ip)),
            ("nodes", thousands(self.nodes)),
            ("information sets", thousands(self.information_sets)),
            ("memory", format!("{} as f32, {} as i16{free}", memory[0], memory[1])),
        ])
    }
}

/// Prints the tree asked for.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let file = SpotFile::read(&args.spot).map_err(InputError::new)?;
    out.show(&TreeView::of(&file.spot().map_err(InputError::new)?, args.depth))
}
