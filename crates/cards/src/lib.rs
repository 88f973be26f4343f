//! Cards, hand evaluation, suit isomorphism and exact equity for hold'em.
#![forbid(unsafe_code)]

mod board;
mod card;
mod card_set;
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
pub mod uniform;

pub use board::{Board, Street, UnknownStreet};
pub use card::{Card, Rank, Suit};
pub use card_set::CardSet;
pub use deck::Deck;
pub use eval::{Category, Hand, Strength, evaluate};
pub use hole::{Hole, PreflopClass, pair_at, pair_index};
pub use iso::{CanonicalBoard, NextCard, Situation, SuitMap, Symmetry};
pub use matchups::{MatchupSums, Matchups};
pub use parse::{CardCount, ParseError, ParseErrorKind, parse_cards};
pub use range::Range;
pub use river::{DEAD, PairTable, RIVER_SCALE, RankedHole, River, Showdown};
