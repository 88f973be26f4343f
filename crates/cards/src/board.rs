//! `Street` and `Board`: the public cards.

use std::fmt;
use std::str::FromStr;

use crate::card::Card;
use crate::card_set::CardSet;
use crate::parse::{self, ParseError};

/// A betting round, named by the cards on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Street {
    /// No board card.
    Preflop,
    /// Three board cards.
    Flop,
    /// Four board cards.
    Turn,
    /// Five board cards.
    River,
}

impl Street {
    /// All streets in order.
    pub const ALL: [Street; 4] = [Street::Preflop, Street::Flop, Street::Turn, Street::River];
    /// The streets with a board, in order.
    pub const POSTFLOP: [Street; 3] = [Street::Flop, Street::Turn, Street::River];

    /// The street's place from 0 (preflop) to 3 (river).
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The number of board cards.
    pub const fn board_len(self) -> usize {
        [0, 3, 4, 5][self as usize]
    }

    /// The street of a board of `cards` cards, if there is one.
    pub const fn from_board_len(cards: usize) -> Option<Street> {
        Some(match cards {
            0 => Street::Preflop,
            3 => Street::Flop,
            4 => Street::Turn,
            5 => Street::River,
            _ => return None,
        })
    }

    /// The street after this one; none after the river.
    pub const fn next(self) -> Option<Street> {
        match self {
            Street::Preflop => Some(Street::Flop),
            Street::Flop => Some(Street::Turn),
            Street::Turn => Some(Street::River),
            Street::River => None,
        }
    }

    /// The street's name in lower case.
    pub const fn name(self) -> &'static str {
        ["preflop", "flop", "turn", "river"][self as usize]
    }
}

impl fmt::Display for Street {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Street {
    type Err = UnknownStreet;

    fn from_str(text: &str) -> Result<Street, UnknownStreet> {
        let found = Street::ALL.into_iter().find(|s| s.name().eq_ignore_ascii_case(text));
        found.ok_or_else(|| UnknownStreet(text.to_owned()))
    }
}

/// A text that names no street.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown street '{0}': a street is preflop, flop, turn or river")]
pub struct UnknownStreet(pub String);

/// The public cards: none, three, four or five distinct ones, in the order they were dealt.
///
/// ```
/// use lethe_cards::{Board, Street};
/// let board: Board = "Th 9h 8c".parse()?;
/// assert_eq!(board.street(), Street::Flop);
/// assert_eq!(board.to_string(), "Th9h8c");
/// # Ok::<(), lethe_cards::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board {
    cards: [Card; 5],
    len: u8,
}

impl Board {
    /// The board before the flop.
    pub const EMPTY: Board = Board { cards: [Card::from_index(0).unwrap(); 5], len: 0 };

    /// The board of these cards, if they are 0, 3, 4 or 5 distinct ones.
    pub fn new(cards: &[Card]) -> Option<Board> {
        Street::from_board_len(cards.len())?;
        let distinct = cards.iter().copied().collect::<CardSet>().len() == cards.len();
        distinct.then(|| Board::from_distinct(cards))
    }

    /// The board of a set of 0, 3, 4 or 5 cards, highest card first.
    pub fn from_set(set: CardSet) -> Option<Board> {
        Street::from_board_len(set.len())?;
        let mut rest = set;
        let mut board = Board::EMPTY;
        while let Some(card) = rest.pop() {
            board.cards[board.len as usize] = card;
            board.len += 1;
        }
        board.cards[..board.len as usize].sort_unstable_by(|a, b| b.cmp(a));
        Some(board)
    }

    fn from_distinct(cards: &[Card]) -> Board {
        let mut board = Board::EMPTY;
        board.cards[..cards.len()].copy_from_slice(cards);
        board.len = cards.len() as u8;
        board
    }

    /// The board with one more card, if it is a flop or a turn without that card.
    pub fn with(&self, card: Card) -> Option<Board> {
        if !matches!(self.len, 3 | 4) || self.set().contains(card) {
            return None;
        }
        let mut board = *self;
        board.cards[board.len as usize] = card;
        board.len += 1;
        Some(board)
    }

    /// The cards in the order they were dealt.
    #[inline]
    pub fn cards(&self) -> &[Card] {
        &self.cards[..self.len as usize]
    }

    /// The flop, which is the first three cards; none before it is dealt.
    #[inline]
    pub fn flop(&self) -> Option<Board> {
        (self.len >= 3).then(|| Board::from_distinct(&self.cards[..3]))
    }

    /// The cards as a set.
    #[inline]
    pub fn set(&self) -> CardSet {
        self.cards().iter().copied().collect()
    }

    /// The street this is the board of.
    #[inline]
    pub fn street(&self) -> Street {
        match self.len {
            0 => Street::Preflop,
            3 => Street::Flop,
            4 => Street::Turn,
            _ => Street::River,
        }
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cards().iter().try_for_each(|card| write!(f, "{card}"))
    }
}

impl FromStr for Board {
    type Err = ParseError;

    /// Reads a flop, turn or river; the empty board has no text.
    fn from_str(text: &str) -> Result<Board, ParseError> {
        let cards = parse::counted(text, "a board of 3, 4 or 5 cards", &[3, 4, 5])?;
        Ok(Board::from_distinct(&cards))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_of_two_cards_is_refused() {
        let error = "AsKs".parse::<Board>().unwrap_err();
        assert_eq!(error.to_string(), "expected a board of 3, 4 or 5 cards, found 2 cards");
        assert!("".parse::<Board>().is_err());
        assert!("  ".parse::<Board>().is_err());
    }

    #[test]
    fn dealing_goes_to_the_river_and_no_further() {
        let flop: Board = "Th9h8c".parse().unwrap();
        let turn = flop.with("2c".parse().unwrap()).unwrap();
        assert_eq!(turn.to_string(), "Th9h8c2c");
        assert_eq!(turn.with("2c".parse().unwrap()), None);
        let river = turn.with("2d".parse().unwrap()).unwrap();
        assert_eq!(river.with("2h".parse().unwrap()), None);
        assert_eq!(Board::from_set(river.set()).unwrap().to_string(), "Th9h8c2d2c");
    }
}
