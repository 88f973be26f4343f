//! Cards, hand evaluation, suit isomorphism and exact equity for hold'em.
#![forbid(unsafe_code)]

mod board;
mod card;
mod card_set;
mod deck;
mod eval;
mod hole;
mod index;
mod iso;
mod parse;
mod range;

pub use board::{Board, Street, UnknownStreet};
pub use card::{Card, Rank, Suit};
pub use card_set::CardSet;
pub use deck::Deck;
pub use eval::{Category, Strength, evaluate};
pub use hole::{Hole, PreflopClass, pair_at, pair_index};
pub use iso::{CanonicalBoard, NextCard, Situation, SuitMap, Symmetry};
pub use parse::{CardCount, ParseError, ParseErrorKind, parse_cards};
pub use range::Range;
