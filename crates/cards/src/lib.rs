//! Cards, hand evaluation, suit isomorphism and exact equity for hold'em.
#![forbid(unsafe_code)]

mod board;
mod card;
mod card_set;
mod eval;
mod hole;
mod parse;

pub use board::{Board, Street, UnknownStreet};
pub use card::{Card, Rank, Suit};
pub use card_set::CardSet;
pub use eval::{Category, Strength, evaluate};
pub use hole::{Hole, PreflopClass, pair_at, pair_index};
pub use parse::{CardCount, ParseError, ParseErrorKind, parse_cards};
