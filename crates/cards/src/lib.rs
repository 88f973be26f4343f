//! Cards, hand evaluation, suit isomorphism and exact equity for hold'em.
//!
//! The rules and nothing else: no files, no threads, no randomness.
//!
//! Read what people write, and evaluate hands:
//!
//! ```
//! use lethe_cards::{Board, Hole, Strength, evaluate};
//! let (hole, board): (Hole, Board) = ("AsKs".parse()?, "Qs Js 2d 7h Ts".parse()?);
//! assert_eq!(evaluate(hole.set() | board.set()).to_string(), "royal flush");
//! # Ok::<(), lethe_cards::ParseError>(())
//! ```
//!
//! Name a situation up to suits, and find its slot in a table of all of them:
//!
//! ```
//! use lethe_cards::{Board, Hole, Situation, Street};
//! let (situation, map) = Situation::of("AhKh".parse::<Hole>()?, &"Th9h8c".parse::<Board>()?)
//!     .expect("the hole is not on the board");
//! assert_eq!(situation.hole().to_string(), "AsKs");
//! assert!(situation.index() < Situation::slots(Street::Flop));
//! # Ok::<(), lethe_cards::ParseError>(())
//! ```
//!
//! Count equities, exactly:
//!
//! ```
//! use lethe_cards::{Board, Range, equity};
//! let board: Board = "Th9h8c".parse()?;
//! let tally = equity::hole_vs_range("JsTs".parse()?, &"QQ+,AKs".parse::<Range>()?, &board)?;
//! assert_eq!((tally.wins, tally.ties, tally.total), (9_741, 284, 21_780));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

/// Makes `{:?}` of types whose text is short and exact the same as `{}`.
macro_rules! debug_as_display {
    ($($name:ident),*) => {$(
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    )*};
}
debug_as_display!(Rank, Suit, Card, Board, Hole, StartingHand, SuitMap, CanonicalBoard, Range);

mod board;
mod card;
mod card_set;
mod card_sums;
mod deck;
pub mod equity;
mod eval;
mod hole;
mod index;
mod iso;
mod matchups;
mod parse;
mod range;
mod river;
mod row;
pub mod vs_random;

pub use board::{Board, Street, UnknownStreet};
pub use card::{Card, Rank, Suit};
pub use card_set::CardSet;
pub use card_sums::{CardSums, RankedHole, Summand};
pub use deck::Deck;
pub use eval::{Category, HandBuilder, Strength, evaluate};
pub use hole::{Hole, StartingHand, pair_at, pair_index};
pub use iso::{CanonicalBoard, NextCard, Situation, SuitMap, Symmetry};
pub use matchups::{MatchupSums, Matchups};
pub use parse::{CardCount, ParseError, ParseErrorKind, parse_cards};
pub use range::{Range, RangeError};
pub use river::{DeckTable, RIVER_SCALE, River, RiverTable, Showdown};
pub use row::{DeckMap, Row, by_high_card};
