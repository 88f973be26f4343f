//! Where a game of the lab starts, and the boards that can follow.

use std::fmt;
use std::str::FromStr;

use lethe_abstraction::BoardSet;
use lethe_cards::{Board, ParseError, Street};

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

    /// The boards of a street that can occur, weighted by the runouts that lead to them.
    pub fn boards(&self, street: Street) -> BoardSet {
        BoardSet::below(&self.board, street)
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

/// Why a text or a board is not a root.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RootError {
    /// A text that is not a board.
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
    /// A weight that is not a positive number.
    #[error("the weight of a board must be a number above 0, found {0}")]
    Weight(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_roots_are_refused() {
        let message = |text: &str| text.parse::<Root>().unwrap_err().to_string();
        assert_eq!(
            message("Ks7h2d9s3c"),
            "a game starts on a flop or a turn; Ks7h2d9s3c is a river"
        );
        assert!(message("Ks7hKs").contains("Ks"), "{}", message("Ks7hKs"));
        assert!(message("Ks7h").contains("2 cards"));
        assert_eq!(
            message("Ks7h2d:-1"),
            "the weight of a board must be a number above 0, found -1"
        );
        assert_eq!(message("Ks7h2d:x"), "the weight of a board must be a number above 0, found x");
    }
}
