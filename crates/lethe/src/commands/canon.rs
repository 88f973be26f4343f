//! `lethe canon`: a situation up to the names of the suits.

use std::collections::BTreeMap;
use std::io;

use lethe_cards::{Board, CanonicalBoard, Hole, Situation, StartingHand, Street, Suit, SuitMap};
use serde::{Serialize, Serializer};

use super::input::{check_distinct, read, read_board};
use crate::error::InputError;
use crate::output::{Output, Report, thousands};

/// The canonical form of a hole on a board, its indices and how many situations it stands for
///
/// Suits are only names: situations that differ in nothing else share one canonical form. The
/// situation index is the place of the canonical hole in the row of its canonical board.
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

/// A hole and a board without a card in common.
#[derive(Debug)]
pub(crate) struct Query {
    hole: Hole,
    board: Board,
    situation: Situation,
    map: SuitMap,
}

impl Args {
    /// Reads the texts.
    pub(crate) fn resolve(&self) -> Result<Query, InputError> {
        let hole: Hole = read(&self.hole)?;
        let board = read_board(self.board.as_deref())?;
        let cards = [Some(self.hole.as_str()), self.board.as_deref()];
        check_distinct(&cards.into_iter().flatten().collect::<Vec<_>>())?;
        let (situation, map) = Situation::of(hole, &board)
            .ok_or_else(|| InputError::new(format_args!("{hole} holds a card of {board}")))?;
        Ok(Query { hole, board, situation, map })
    }
}

impl Query {
    fn answer(&self) -> Answer<'_> {
        let (hole, board) = (self.situation.hole(), self.situation.board());
        let preflop = self.board.street() == Street::Preflop;
        let class = preflop.then(|| hole.class());
        Answer {
            hole: hole.to_string(),
            board: (!preflop).then(|| board.to_string()),
            mapping: Mapping(self.map),
            board_index: board.index(),
            situation_index: self.situation.index(),
            orbit: self.situation.orbit(),
            class: class.map(|class| class.to_string()),
            class_index: class.map(StartingHand::index),
            query: self,
        }
    }
}

/// The canonical form of a situation.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    hole: String,
    board: Option<String>,
    mapping: Mapping,
    board_index: usize,
    situation_index: usize,
    orbit: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    class_index: Option<usize>,
    #[serde(skip)]
    query: &'a Query,
}

/// A suit map that becomes `{"c": "h", ...}` in JSON.
#[derive(Debug)]
struct Mapping(SuitMap);

impl Serialize for Mapping {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let suits: BTreeMap<char, char> =
            Suit::all().map(|suit| (suit.letter(), self.0.suit(suit).letter())).collect();
        suits.serialize(serializer)
    }
}

impl Report for Answer<'_> {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let Query { hole, board, situation, map } = self.query;
        let street = board.street();
        let of = |index: usize, count: usize| {
            format!("{} of {}", thousands(index as u128), thousands(count as u128))
        };
        let changed = |from: String, to: String| format!("{from} -> {to}");
        let mut pairs =
            vec![("hole", changed(out.card_set(hole.set()), out.card_set(situation.hole().set())))];
        if street == Street::Preflop {
            let class = hole.class();
            pairs.push(("class", class.to_string()));
            pairs.push(("class index", of(class.index(), StartingHand::COUNT)));
        } else {
            let canonical = out.card_set(situation.board().set());
            pairs.push(("board", changed(out.cards(board.cards()), canonical)));
        }
        pairs.push(("suits", map.to_string()));
        if street != Street::Preflop {
            let boards = CanonicalBoard::count(street);
            pairs.push(("board index", of(self.board_index, boards)));
        }
        let slots = Situation::slots(street);
        pairs.push(("situation index", of(self.situation_index, slots)));
        let plural = if self.orbit == 1 { "" } else { "s" };
        pairs.push(("stands for", format!("{} situation{plural}", self.orbit)));
        out.pairs(&pairs)
    }
}

/// Prints the canonical form asked for.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let query = args.resolve()?;
    out.show(&query.answer())
}
