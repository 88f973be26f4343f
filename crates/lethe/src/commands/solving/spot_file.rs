//! Spot files: a board, two ranges and the betting, as commented YAML.

use std::path::Path;
use std::sync::Arc;

use lethe_cards::{Board, ParseError, Range};
use lethe_game::{BetSizes, Chips, ConfigError, Game, Player, Rake, SpotConfig, Tree};
use lethe_solver::{Spot, SpotError};
use serde::Deserialize;
use serde_saphyr::{Error, Spanned, UserMessageFormatter};

use super::place::Place;
use crate::error::InputError;

/// The largest spot file that is read; real ones have a kilobyte or two.
const MOST_BYTES: u64 = 1 << 20;

/// The keys of a spot file, each with its place.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    board: Spanned<String>,
    oop_range: Spanned<String>,
    ip_range: Spanned<String>,
    pot: Spanned<Chips>,
    stack: Spanned<Chips>,
    #[serde(default)]
    bet_sizes: BetSizes,
    add_allin_threshold: Option<Spanned<f64>>,
    force_allin_threshold: Option<Spanned<f64>>,
    merging_threshold: Option<Spanned<f64>>,
    rake: Option<Spanned<Rake>>,
}

/// A spot file, read: every value is good by itself.
#[derive(Debug)]
pub(crate) struct SpotFile {
    file: String,
    text: String,
    keys: Keys,
    board: Board,
    ranges: [Range; 2],
}

impl SpotFile {
    /// Reads a file.
    pub(crate) fn read(path: &Path) -> Result<SpotFile, InputError> {
        let file = path.display().to_string();
        let unreadable = |why: &dyn std::fmt::Display| {
            InputError::new(format_args!("{}: {why}", file.escape_debug()))
        };
        let size = std::fs::metadata(path).map_err(|error| unreadable(&error))?.len();
        if size > MOST_BYTES {
            return Err(unreadable(&"too large for a spot file"));
        }
        let bytes = std::fs::read(path).map_err(|error| unreadable(&error))?;
        let text = String::from_utf8(bytes)
            .map_err(|_| unreadable(&"not UTF-8 text; a spot file is YAML"))?;
        SpotFile::parse(file.escape_debug().to_string(), text)
    }

    fn parse(file: String, text: String) -> Result<SpotFile, InputError> {
        let options = serde_saphyr::options! { with_snippet: false };
        let keys: Keys = serde_saphyr::from_str_with_options(&text, options).map_err(|error| {
            InputError::new(Place::of(error.location()).render(&file, &text, &told(&error)))
        })?;
        fn value<T: std::str::FromStr<Err = ParseError>>(
            (file, text): (&str, &str),
            (key, value): (&str, &Spanned<String>),
        ) -> Result<T, InputError> {
            value.value.parse().map_err(|error: ParseError| {
                let place = Place::of(Some(value.referenced));
                let place = place.inside(text, &value.value, error.at);
                InputError::new(place.render(file, text, &format!("{key}: {error}")))
            })
        }
        let source = (file.as_str(), text.as_str());
        let board = value(source, ("board", &keys.board))?;
        let ranges = [
            value(source, ("oop_range", &keys.oop_range))?,
            value(source, ("ip_range", &keys.ip_range))?,
        ];
        Ok(SpotFile { file, text, keys, board, ranges })
    }

    /// The betting, as the file describes it.
    pub(crate) fn config(&self) -> SpotConfig {
        let threshold = |value: &Option<Spanned<f64>>| value.as_ref().map_or(0.0, |v| v.value);
        SpotConfig {
            pot: self.keys.pot.value,
            stack: self.keys.stack.value,
            big_blind: None,
            bet_sizes: self.keys.bet_sizes.clone(),
            add_allin_threshold: threshold(&self.keys.add_allin_threshold),
            force_allin_threshold: threshold(&self.keys.force_allin_threshold),
            merging_threshold: threshold(&self.keys.merging_threshold),
            rake: self.keys.rake.as_ref().map(|rake| rake.value).unwrap_or_default(),
        }
    }

    /// The spot it describes; the tree has at most [`Tree::NODE_LIMIT`] nodes.
    pub(crate) fn spot(&self) -> Result<Spot, InputError> {
        let keys = &self.keys;
        let at = |location, message: &dyn std::fmt::Display| {
            let place = Place::of(location);
            InputError::new(place.render(&self.file, &self.text, &message.to_string()))
        };
        let game = Game::spot(&self.config(), self.board.street()).map_err(|error| {
            let location = match &error {
                ConfigError::Chips { key: "pot", .. } => Some(keys.pot.referenced),
                ConfigError::Chips { .. } => Some(keys.stack.referenced),
                ConfigError::Threshold { key, .. } => match *key {
                    "add_allin_threshold" => &keys.add_allin_threshold,
                    "force_allin_threshold" => &keys.force_allin_threshold,
                    _ => &keys.merging_threshold,
                }
                .as_ref()
                .map(|value| value.referenced),
                ConfigError::RakePercent(_) | ConfigError::RakeCap(_) => {
                    keys.rake.as_ref().map(|rake| rake.referenced)
                }
                _ => Some(keys.board.referenced),
            };
            at(location, &error)
        })?;
        let tree = Tree::build(game, Tree::NODE_LIMIT)
            .map_err(|error| InputError::new(format_args!("{}: {error}", self.file)))?;
        Spot::new(self.board, self.ranges.clone(), Arc::new(tree)).map_err(|error| {
            let location = match &error {
                SpotError::EmptyRange(Player::Oop) | SpotError::Weights(Player::Oop) => {
                    keys.oop_range.referenced
                }
                SpotError::EmptyRange(_) | SpotError::Weights(_) | SpotError::NoPair => {
                    keys.ip_range.referenced
                }
                _ => keys.board.referenced,
            };
            at(Some(location), &error)
        })
    }
}

/// What the YAML reader says, without the place, which stands in front of it.
pub(crate) fn told(error: &Error) -> String {
    match error {
        Error::SerdeUnknownField { field, expected, .. } => {
            format!("{field}: no such key; the keys here are {}", expected.join(", "))
        }
        Error::SerdeMissingField { field, .. } => format!("the key {field} is missing"),
        Error::DuplicateMappingKey { key: Some(key), .. } => {
            format!("{key}: given twice; keep one of the two")
        }
        _ => {
            let mut message = error.render_with_formatter(&UserMessageFormatter);
            if let Some(at) = error.location() {
                let suffix = format!(" at line {}, column {}", at.line(), at.column());
                message.truncate(message.trim_end_matches(&suffix).len());
            }
            message
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str =
        "board: Qs Jh 2h\noop_range: \"AA:0.5,22\"\nip_range: KK\npot: 100\nstack: 50\n";

    fn message(text: &str) -> String {
        let spot = SpotFile::parse("x.yaml".to_owned(), text.to_owned());
        spot.and_then(|file| file.spot()).unwrap_err().to_string()
    }

    #[test]
    fn the_least_a_file_must_say_is_a_spot() {
        let spot = SpotFile::parse("x.yaml".to_owned(), GOOD.to_owned()).unwrap().spot().unwrap();
        assert_eq!((spot.pot(), spot.board().to_string().as_str()), (100.0, "QsJh2h"));
    }

    #[test]
    fn a_bare_number_is_a_range_of_pairs() {
        let text = GOOD.replace("\"AA:0.5,22\"", "22");
        assert!(SpotFile::parse("x.yaml".to_owned(), text).unwrap().spot().is_ok());
    }

    #[test]
    fn every_complaint_has_its_place() {
        let cases = [
            (GOOD.replace("pot: 100", "pott: 100"), "x.yaml:4:1: pott: no such key"),
            (GOOD.replace("pot: 100\n", ""), "the key pot is missing"),
            (GOOD.replace("stack: 50", "stack: 0"), "x.yaml:5:8: stack is 0 chips"),
            (GOOD.replace("stack: 50", "stack: -5"), "x.yaml:5:8: "),
            (GOOD.replace("2h", "Jh"), "x.yaml:1:14: board: "),
            (GOOD.replace("AA:0.5,22", "AA,XX"), "x.yaml:2:16: oop_range: unknown rank 'X'"),
            (GOOD.replace("KK", "Qs2h"), "x.yaml:3:11: the range of ip has no hand"),
            (GOOD.replace("KK", "AsAh").replace("AA:0.5,22", "AsAh"), "x.yaml:3:11: every hand"),
            (GOOD.to_owned() + "rake: {percent: 500}\n", "rake percent is 500"),
            (GOOD.to_owned() + "merging_threshold: -1\n", "x.yaml:6:20: merging_threshold is -1"),
            (
                GOOD.to_owned() + "bet_sizes: {flop: {oop: {bet: \"33%, 0%\"}}}\n",
                "bet size '0%' at column 6: must be above 0%",
            ),
            (GOOD.to_owned() + "bet_sizes: {preflop: {}}\n", "x.yaml:6:13: preflop: no such key"),
            (GOOD.to_owned() + "pot: 3\n", "x.yaml:6:1: pot: given twice"),
            ("board: [".to_owned(), "x.yaml:1:"),
            (String::new(), "x.yaml:1:1: "),
        ];
        for (text, expected) in cases {
            let message = message(&text);
            assert!(message.contains(expected), "{message}\nexpected: {expected}");
        }
    }

    #[test]
    fn carets_stand_below_the_part_in_question() {
        let message = message(&GOOD.replace("stack: 50", "stack: 0"));
        assert!(message.ends_with("\n  5 | stack: 0\n    |        ^"), "{message}");
    }
}
