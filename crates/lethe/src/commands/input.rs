//! Reading what several commands take: a hole, a board, a player's hand or range.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use lethe_cards::{Board, Hole, ParseError, Range, parse_cards};

use crate::error::InputError;

/// Reads a text, with an error that points at its bad character.
pub(super) fn read<T: FromStr<Err = ParseError>>(text: &str) -> Result<T, InputError> {
    text.parse().map_err(|error| InputError::pointing(&error, text))
}

/// Reads a board; none given is the board before the flop.
pub(super) fn read_board(text: Option<&str>) -> Result<Board, InputError> {
    text.map_or(Ok(Board::EMPTY), read)
}

/// Checks that texts of cards, each read before, have no card in common.
pub(super) fn check_distinct(texts: &[&str]) -> Result<(), InputError> {
    let all = texts.join(" ");
    match parse_cards(&all) {
        Ok(_) => Ok(()),
        Err(error) => Err(InputError::pointing(&error, &all)),
    }
}

/// The name of a configuration file without its ending, for what is made of it.
pub(super) fn file_stem(file: &Path) -> Result<PathBuf, InputError> {
    let stem = file.file_stem().filter(|stem| !stem.as_encoded_bytes().starts_with(b"."));
    stem.map(PathBuf::from).ok_or_else(|| {
        InputError::new(format_args!("{} has no name to call the run by", file.display()))
    })
}

/// What is known of a player's cards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Player {
    /// They are these two.
    Hole(Hole),
    /// They are among these.
    Range(Range),
}

impl Player {
    /// Reads two cards, or else a range.
    ///
    /// If the text is neither, the error is that of the reading that got further.
    pub(super) fn read(text: &str) -> Result<Player, InputError> {
        let no_hole = match text.parse() {
            Ok(hole) => return Ok(Player::Hole(hole)),
            Err(error) => error,
        };
        let error = match text.parse() {
            Ok(range) => return Ok(Player::Range(range)),
            Err(error) if error.at > no_hole.at => error,
            Err(_) => no_hole,
        };
        Err(InputError::pointing(&error, text))
    }

    /// The player's cards as a range.
    pub(super) fn range(&self) -> Range {
        match self {
            Player::Range(range) => range.clone(),
            Player::Hole(hole) => {
                let mut range = Range::empty();
                range.set(*hole, Range::ONE);
                range
            }
        }
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Player::Hole(hole) => hole.fmt(f),
            Player::Range(range) => range.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_cards_are_a_hole_and_everything_else_a_range() {
        let read = |text| Player::read(text).unwrap();
        assert_eq!(read("Ks As"), Player::Hole("AsKs".parse().unwrap()));
        assert_eq!(read("AKs"), Player::Range("AKs".parse().unwrap()));
        assert_eq!(read("AsKs:0.5").range().combos(), 0.5);
    }

    #[test]
    fn the_reading_that_got_further_explains_the_error() {
        let message = |text| Player::read(text).unwrap_err().to_string();
        assert!(message("AKx").ends_with("\n    ^"), "{}", message("AKx"));
        assert!(message("AsKsQs").starts_with("3 cards where a hole"), "{}", message("AsKsQs"));
        assert!(message("").starts_with("nothing here where a hole"), "{}", message(""));
    }

    #[test]
    fn a_card_dealt_twice_is_pointed_at() {
        assert!(check_distinct(&["AsKs", "Th 9h 8c"]).is_ok());
        let error = check_distinct(&["AsKs", "Th9hAs"]).unwrap_err().to_string();
        assert!(error.ends_with("\n  AsKs Th9hAs\n           ^"), "{error}");
    }
}
