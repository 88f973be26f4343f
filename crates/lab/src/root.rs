//! Where a game of the lab starts, and the boards that can follow.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use lethe_cards::{Board, CanonicalBoard, CardSet, Deck, ParseError, Street};

/// A flop or a turn that a game starts on, and how much it counts in a mean.
///
/// ```
/// use lethe_lab::Root;
/// let root: Root = "Ks7h2d:6864".parse()?;
/// assert_eq!((root.board().to_string().as_str(), root.weight()), ("Ks7h2d", 6864.0));
/// assert!("Ks7h2d9s3c".parse::<Root>().is_err());
/// # Ok::<(), lethe_lab::RootError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Root {
    board: Board,
    weight: f64,
}

impl Root {
    /// The root of a flop or turn board with a weight above zero.
    ///
    /// # Errors
    /// If the board is of another street, or the weight no such number.
    pub fn new(board: Board, weight: f64) -> Result<Root, RootError> {
        if !matches!(board.street(), Street::Flop | Street::Turn) {
            return Err(RootError::Street(board));
        }
        if !(weight.is_finite() && weight > 0.0) {
            return Err(RootError::Weight(weight.to_string()));
        }
        Ok(Root { board, weight })
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// How much it counts in a mean.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// The streets that are played, in order.
    pub fn streets(&self) -> impl Iterator<Item = Street> + use<> {
        let first = self.board.street();
        Street::POSTFLOP.into_iter().filter(move |&street| street >= first)
    }

    /// The canonical boards of a street that can lie there, and from how many runouts each comes.
    ///
    /// Runouts are sets of cards; on the street of the root there is one board.
    pub fn boards(&self, street: Street) -> Vec<(CanonicalBoard, u64)> {
        let root = self.board.set();
        let deck = Deck::without(root);
        let runouts: Vec<CardSet> = match street.board_len() - root.len() {
            0 => vec![CardSet::EMPTY],
            1 => deck.cards().iter().map(|&card| card.into()).collect(),
            _ => deck.holes().map(|pair| pair.set()).collect(),
        };
        let mut boards = BTreeMap::new();
        for runout in runouts {
            let board = Board::from_set(root | runout).expect("a board of its street");
            *boards.entry(CanonicalBoard::of(&board).0).or_insert(0) += 1;
        }
        boards.into_iter().collect()
    }
}

impl fmt::Display for Root {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.board.fmt(f)
    }
}

impl FromStr for Root {
    type Err = RootError;

    /// Reads a board, and behind a colon its weight; 1 without.
    fn from_str(text: &str) -> Result<Root, RootError> {
        let (board, weight) = match text.split_once(':') {
            None => (text, 1.0),
            Some((board, weight)) => {
                let number = weight.trim().parse();
                (board, number.map_err(|_| RootError::Weight(weight.trim().to_owned()))?)
            }
        };
        let parsed = board.parse();
        let error = |source| RootError::Board { text: board.to_owned(), source };
        Root::new(parsed.map_err(error)?, weight)
    }
}

/// A text or a board that no game starts on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RootError {
    /// A text that is no board.
    #[error("{source}")]
    Board {
        /// The text.
        text: String,
        /// What is wrong with it.
        source: ParseError,
    },
    /// A board of another street.
    #[error(
        "a game starts on a flop or a turn; {0} is a {street}",
        street = .0.street()
    )]
    Street(Board),
    /// A weight that is none.
    #[error("the weight of a board is a number above 0, not {0}")]
    Weight(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_that_follow_are_counted_with_all_their_runouts() {
        let turn: Root = "Ks7h2d9s".parse().unwrap();
        let count = |street| {
            let boards = turn.boards(street);
            (boards.len(), boards.iter().map(|&(_, n)| n).sum::<u64>())
        };
        assert_eq!(count(Street::Turn), (1, 1));
        assert_eq!(count(Street::River), (48, 48));
        // Three suits are alike on a monotone flop.
        let flop: Root = "Ts7s3s".parse().unwrap();
        let rivers = flop.boards(Street::River);
        assert_eq!(rivers.iter().map(|&(_, n)| n).sum::<u64>(), 1176);
        assert!(rivers.len() < 400);
    }

    #[test]
    fn what_is_no_root_is_refused() {
        let message = |text: &str| text.parse::<Root>().unwrap_err().to_string();
        assert_eq!(
            message("Ks7h2d9s3c"),
            "a game starts on a flop or a turn; Ks7h2d9s3c is a river"
        );
        assert!(message("Ks7hKs").contains("Ks"), "{}", message("Ks7hKs"));
        assert!(message("Ks7h").contains("2 cards"));
        assert_eq!(message("Ks7h2d:-1"), "the weight of a board is a number above 0, not -1");
        assert_eq!(message("Ks7h2d:x"), "the weight of a board is a number above 0, not x");
    }
}
