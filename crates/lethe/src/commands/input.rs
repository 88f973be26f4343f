//! Reading what several commands take: holes, boards, ranges.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use lethe_cards::{Board, Hole, ParseError, parse_cards};
use lethe_kit::limits;

use crate::error::InputError;

/// Reads a text, with an error that points at its bad character.
pub(super) fn read<T: FromStr<Err = ParseError>>(text: &str) -> Result<T, InputError> {
    text.parse().map_err(|error| InputError::pointing(&error, text))
}

/// Reads a board; none given is the board before the flop.
pub(super) fn read_board(text: Option<&str>) -> Result<Board, InputError> {
    text.map_or(Ok(Board::EMPTY), read)
}

/// Reads a hole and a board that have no card in common.
pub(super) fn read_cards(hole: &str, board: Option<&str>) -> Result<(Hole, Board), InputError> {
    let cards = (read(hole)?, read_board(board)?);
    check_distinct(&[hole].into_iter().chain(board).collect::<Vec<_>>())?;
    Ok(cards)
}

/// Checks that texts of cards, each read before, have no card in common.
pub(super) fn check_distinct(texts: &[&str]) -> Result<(), InputError> {
    let all = texts.join(" ");
    match parse_cards(&all) {
        Ok(_) => Ok(()),
        Err(error) => Err(InputError::pointing(&error, &all)),
    }
}

/// Reads a number from `least` to `most`, such as `500` or `20k`.
pub(super) fn count_in(
    least: u32,
    most: u32,
) -> impl Fn(&str) -> Result<u32, String> + Clone + Send + Sync + 'static {
    move |text| {
        let count = limits::count(text).map_err(|error| error.to_string())?;
        match u32::try_from(count) {
            Ok(count) if (least..=most).contains(&count) => Ok(count),
            _ => Err(format!("expected a number from {least} to {most}")),
        }
    }
}

/// The name of a configuration file without its ending, for what is made of it.
pub(super) fn file_stem(file: &Path) -> Result<PathBuf, InputError> {
    let stem = file.file_stem().filter(|stem| !stem.as_encoded_bytes().starts_with(b"."));
    stem.map(PathBuf::from).ok_or_else(|| {
        InputError::new(format_args!("{} has no name to call the run by", file.display()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_dealt_twice_is_pointed_at() {
        assert!(check_distinct(&["AsKs", "Th 9h 8c"]).is_ok());
        let error = check_distinct(&["AsKs", "Th9hAs"]).unwrap_err().to_string();
        assert!(error.ends_with("\n  AsKs Th9hAs\n           ^"), "{error}");
    }
}
