//! `lethe canon`: a situation up to the names of the suits.

use std::io;

use lethe_cards::{Board, CanonicalBoard, Hole, Situation, StartingHand, Street};
use lethe_kit::cards::CanonView;
use serde::Serialize;

use super::input::read_cards;
use crate::error::InputError;
use crate::output::{Output, Report, thousands};

/// The canonical form of a hole on a board, its indices and how many situations it stands for
///
/// Situations that differ only in the names of suits share one canonical form. The situation index
/// is the place of the canonical hole in the row of its canonical board.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe canon AhKh Th9h8c
  lethe canon 7c2d --json")]
pub(crate) struct Args {
    /// Two cards, as AsKs
    #[arg(value_name = "HOLE")]
    hole: String,
    /// Three to five cards, as Th9h8c; left out: before the flop
    #[arg(value_name = "BOARD")]
    board: Option<String>,
}

impl Args {
    /// Reads the texts.
    pub(crate) fn resolve(&self) -> Result<(Hole, Board), InputError> {
        read_cards(&self.hole, self.board.as_deref())
    }
}

/// A canonical form and what it is of.
#[derive(Debug, Serialize)]
struct Answer {
    #[serde(flatten)]
    view: CanonView,
    #[serde(skip)]
    cards: (Hole, Board),
}

impl Report for Answer {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let Answer { view, cards: (hole, board) } = self;
        let street = board.street();
        let of = |index: usize, count: usize| {
            format!("{} of {}", thousands(index as u128), thousands(count as u128))
        };
        let canonical = |text: &str| {
            out.cards(&lethe_cards::parse_cards(text).expect("written by the library"))
        };
        let before = out.card_set(hole.set());
        let mut pairs = vec![("hole", format!("{before} -> {}", canonical(&view.hole)))];
        if let (Some(class), Some(index)) = (&view.class, view.class_index) {
            pairs.push(("class", class.clone()));
            pairs.push(("class index", of(index, StartingHand::COUNT)));
        }
        if let Some(after) = &view.board {
            pairs.push(("board", format!("{} -> {}", out.cards(board.cards()), canonical(after))));
        }
        let suits = view.mapping.iter().map(|(from, to)| format!("{from}>{to}"));
        pairs.push(("suits", suits.collect::<Vec<_>>().join(" ")));
        if street != Street::Preflop {
            pairs.push(("board index", of(view.board_index, CanonicalBoard::count(street))));
        }
        pairs.push(("situation index", of(view.situation_index, Situation::slots(street))));
        let plural = if view.orbit == 1 { "" } else { "s" };
        pairs.push(("stands for", format!("{} situation{plural}", view.orbit)));
        out.pairs(&pairs)
    }
}

/// Prints the canonical form asked for.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let (hole, board) = args.resolve()?;
    let view = CanonView::of(hole, &board)
        .ok_or_else(|| InputError::new(format_args!("{hole} holds a card of {board}")))?;
    out.show(&Answer { view, cards: (hole, board) })
}
