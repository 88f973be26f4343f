//! Spots: files that describe one, starting points in it, and locks.
//!
//! ```
//! use lethe_kit::spot::SpotFile;
//!
//! let text = "board: 2s3h4d6c7c\noop_range: AA,QQ\nip_range: KK\nunit: bb\npot: 5.5\nstack: 10\n";
//! let file = SpotFile::parse("river.yaml", text)?;
//! assert_eq!(file.config().pot, 550);
//!
//! let error = SpotFile::parse("river.yaml", &text.replace("5.5", "5.555")).unwrap_err();
//! assert!(error.to_string().contains("pot: 5.555 bb is 555.5 chips; write 5.55 or 5.56"));
//! # Ok::<(), lethe_kit::config::ConfigError>(())
//! ```

mod check;
mod lock;
mod write;

use std::path::Path;
use std::sync::Arc;

use lethe_cards::{Board, ParseError, Range};
use lethe_game::{
    Amount, AmountError, BetSizes, Chips, ConfigError as GameError, Game, Player, Rake, Scale,
    SpotConfig, Tree, TreeTooLarge, Unit,
};
use lethe_solver::{Spot, SpotError};
use serde::Deserialize;
use serde_saphyr::{Location, Spanned};

pub use self::check::{Advice, SpotCheck, SpotForm, time_left};
pub use self::lock::{LockTextError, add_lock, lock_text};
pub use self::write::text;
pub(crate) use self::write::written;
use crate::config::{ConfigError, Source};
use crate::line::{self, LineError};

/// The keys of a spot file, each with its place.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    board: Spanned<String>,
    oop_range: Spanned<String>,
    ip_range: Spanned<String>,
    #[serde(default)]
    unit: Unit,
    big_blind: Option<Spanned<Amount>>,
    pot: Spanned<Amount>,
    stack: Spanned<Amount>,
    #[serde(default)]
    bet_sizes: BetSizes,
    add_allin_threshold: Option<Spanned<f64>>,
    force_allin_threshold: Option<Spanned<f64>>,
    merging_threshold: Option<Spanned<f64>>,
    rake: Option<Spanned<Rake>>,
    start: Option<Spanned<String>>,
    #[serde(default)]
    locks: Vec<Spanned<String>>,
}

/// A spot file: a board, two ranges and the betting, as commented YAML.
#[derive(Debug)]
pub struct SpotFile {
    source: Arc<Source>,
    keys: Keys,
    board: Board,
    ranges: [Range; 2],
    config: SpotConfig,
}

impl SpotFile {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<SpotFile, ConfigError> {
        SpotFile::from_source(Source::read(path)?)
    }

    /// Reads a text that errors call `name`.
    pub fn parse(name: &str, text: &str) -> Result<SpotFile, ConfigError> {
        SpotFile::from_source(Source::file(name, text))
    }

    fn from_source(source: Arc<Source>) -> Result<SpotFile, ConfigError> {
        let keys: Keys = source.parse()?;
        let board = cards(&source, "board", &keys.board)?;
        let ranges = [
            cards(&source, "oop_range", &keys.oop_range)?,
            cards(&source, "ip_range", &keys.ip_range)?,
        ];
        let amount = |scale: &Scale, key, amount: &Spanned<Amount>| {
            scale.chips(key, amount.value).map_err(|e| invalid(&source, Some(amount.referenced), e))
        };
        let in_chips =
            |amount_of: &Spanned<Amount>| amount(&Scale::default(), "big_blind", amount_of);
        let big_blind = keys.big_blind.as_ref().map(in_chips).transpose()?;
        let scale = Scale::new(keys.unit, big_blind).map_err(|error: AmountError| {
            invalid(&source, keys.big_blind.as_ref().map(|key| key.referenced), error)
        })?;
        let threshold = |value: &Option<Spanned<f64>>| value.as_ref().map_or(0.0, |v| v.value);
        let config = SpotConfig {
            pot: amount(&scale, "pot", &keys.pot)?,
            stack: amount(&scale, "stack", &keys.stack)?,
            big_blind: scale.big_blind(),
            bet_sizes: keys.bet_sizes.clone(),
            add_allin_threshold: threshold(&keys.add_allin_threshold),
            force_allin_threshold: threshold(&keys.force_allin_threshold),
            merging_threshold: threshold(&keys.merging_threshold),
            rake: keys.rake.as_ref().map_or(Rake::default(), |rake| rake.value.in_chips(&scale)),
        };
        Ok(SpotFile { source, keys, board, ranges, config })
    }

    /// The betting, in chips.
    pub fn config(&self) -> &SpotConfig {
        &self.config
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// The ranges, `Oop` first.
    pub fn ranges(&self) -> &[Range; 2] {
        &self.ranges
    }

    /// The same file with another board, where it has neither a start nor locks.
    pub(crate) fn on(&self, board: Board) -> Result<Spot, ConfigError> {
        self.whole(board)
    }

    /// The values of the file.
    pub fn form(&self) -> SpotForm {
        let Keys { oop_range, ip_range, start, locks, .. } = &self.keys;
        SpotForm {
            board: self.board.to_string(),
            oop_range: oop_range.value.clone(),
            ip_range: ip_range.value.clone(),
            config: self.config.clone(),
            start: start.as_ref().map(|start| start.value.clone()),
            locks: locks.iter().map(|lock| lock.value.clone()).collect(),
        }
    }

    /// Whether the spot begins at its first decision and nothing is locked.
    pub fn is_plain(&self) -> bool {
        self.keys.start.is_none() && self.keys.locks.is_empty()
    }

    /// The spot it describes; the tree has at most [`Tree::NODE_LIMIT`] nodes.
    pub fn spot(&self) -> Result<Spot, ConfigError> {
        let mut spot = self.unlocked()?;
        for lock in &self.keys.locks {
            spot = add_lock(spot, &lock.value)
                .map_err(|error| invalid(&self.source, Some(lock.referenced), error))?;
        }
        Ok(spot)
    }

    /// The spot without the locks of the file.
    pub fn unlocked(&self) -> Result<Spot, ConfigError> {
        let spot = self.whole(self.board)?;
        let Some(start) = &self.keys.start else { return Ok(spot) };
        start_at(&spot, &start.value)
            .map_err(|error| invalid(&self.source, Some(start.referenced), error))
    }

    /// The spot on a board, from its first decision and without locks.
    fn whole(&self, board: Board) -> Result<Spot, ConfigError> {
        let keys = &self.keys;
        let game = Game::spot(&self.config, board.street()).map_err(|error| {
            let location = match &error {
                GameError::Chips { key: "pot", .. } => Some(keys.pot.referenced),
                GameError::Chips { .. } => Some(keys.stack.referenced),
                GameError::Threshold { key, .. } => match *key {
                    "add_allin_threshold" => &keys.add_allin_threshold,
                    "force_allin_threshold" => &keys.force_allin_threshold,
                    _ => &keys.merging_threshold,
                }
                .as_ref()
                .map(|value| value.referenced),
                GameError::RakePercent(_) | GameError::RakeCap(_) => {
                    keys.rake.as_ref().map(|rake| rake.referenced)
                }
                _ => Some(keys.board.referenced),
            };
            invalid(&self.source, location, error)
        })?;
        let tree = Tree::build(game, Tree::NODE_LIMIT)
            .map_err(|error: TreeTooLarge| invalid(&self.source, None, error))?;
        Spot::new(board, self.ranges.clone(), Arc::new(tree)).map_err(|error| {
            let location = match &error {
                SpotError::EmptyRange(Player::Oop) | SpotError::Weights(Player::Oop) => {
                    keys.oop_range.referenced
                }
                SpotError::EmptyRange(_) | SpotError::Weights(_) | SpotError::NoPair => {
                    keys.ip_range.referenced
                }
                _ => keys.board.referenced,
            };
            invalid(&self.source, Some(location), error)
        })
    }
}

/// Something about the spot that cannot be, at a place of its file.
fn invalid(
    source: &Arc<Source>,
    location: Option<Location>,
    error: impl std::error::Error,
) -> ConfigError {
    ConfigError::at(source.at(location), error)
}

/// Reads cards or a range.
fn cards<T: std::str::FromStr<Err = ParseError>>(
    source: &Arc<Source>,
    key: &'static str,
    value: &Spanned<String>,
) -> Result<T, ConfigError> {
    value.value.parse().map_err(|error: ParseError| {
        let place = source.at(Some(value.referenced)).inside(&value.value, error.at);
        ConfigError::at(place, format_args!("{key}: {error}"))
    })
}

/// The spot moved to the decision that a line leads to, with the ranges as they are.
pub fn start_at(spot: &Spot, line: &str) -> Result<Spot, StartError> {
    let place = line::find(spot.tree(), line)?;
    let mut board: Board = spot.board();
    for card in place.dealt {
        board = board.with(card).ok_or(StartError::Dealt(card))?;
    }
    let weights = Player::BOTH.map(|player| spot.weights(player).to_vec());
    Ok(Spot::with_weights(board, weights, spot.tree().clone(), place.node)?)
}

/// A start that is not in the spot.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// A line that does not lead anywhere.
    #[error(transparent)]
    Line(#[from] LineError),
    /// A card that is on the board.
    #[error("{0} cannot be dealt: it is already on the board")]
    Dealt(lethe_cards::Card),
    /// A street whose cards are not named.
    #[error("the start is on the {0}: write the dealt cards after each /, such as 'x x / Th'")]
    Undealt(lethe_cards::Street),
    /// A start where nothing can be played.
    #[error(transparent)]
    Spot(SpotError),
}

impl From<SpotError> for StartError {
    fn from(error: SpotError) -> StartError {
        match error {
            SpotError::Street { tree, .. } => StartError::Undealt(tree),
            error => StartError::Spot(error),
        }
    }
}

/// An amount of chips in big blinds, where a spot says how many chips one is.
pub fn in_big_blinds(big_blind: Option<Chips>, chips: f64) -> Option<f64> {
    big_blind.map(|big_blind| chips / f64::from(big_blind))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str =
        "board: Qs Jh 2h\noop_range: \"AA:0.5,22\"\nip_range: KK\npot: 100\nstack: 50\n";

    fn spot(text: &str) -> Result<Spot, ConfigError> {
        SpotFile::parse("x.yaml", text)?.spot()
    }

    #[test]
    fn the_keys_without_a_default_make_a_spot() {
        let spot = spot(GOOD).unwrap();
        assert_eq!((spot.pot(), spot.board().to_string().as_str()), (100.0, "QsJh2h"));
        assert_eq!(spot.tree().game().big_blind(), None);
    }

    #[test]
    fn a_bare_number_is_a_range_of_pairs() {
        assert!(spot(&GOOD.replace("\"AA:0.5,22\"", "22")).is_ok());
    }

    #[test]
    fn amounts_may_be_big_blinds() {
        let bb = GOOD.replace("pot: 100", "unit: bb\npot: 2.5");
        let rake = "rake: {percent: 5, cap: 0.3}\nbet_sizes: {flop: {oop: {bet: 1.5bb}}}\n";
        let config = SpotFile::parse("x.yaml", &(bb.clone() + rake)).unwrap().config().clone();
        assert_eq!((config.pot, config.stack, config.big_blind), (250, 5000, Some(100)));
        assert_eq!(config.rake.cap, Some(30.0));
        let small = bb.replace("unit: bb", "unit: bb\nbig_blind: 2");
        assert_eq!(SpotFile::parse("x.yaml", &small).unwrap().config().pot, 5);
        let chips = GOOD.to_owned() + "big_blind: 20\n";
        let config = SpotFile::parse("x.yaml", &chips).unwrap().config().clone();
        assert_eq!((config.pot, config.big_blind), (100, Some(20)));
    }

    #[test]
    fn every_error_has_its_place() {
        let more = |text: &str| GOOD.to_owned() + text;
        let cases = [
            (GOOD.replace("pot: 100", "pott: 100"), "x.yaml:4:1: pott: no such key"),
            (GOOD.replace("pot: 100\n", ""), "the key pot is missing"),
            (GOOD.replace("pot: 100", "pot: 5.5"), "x.yaml:4:6: pot: 5.5 is not a whole"),
            (GOOD.replace("pot: 100", "pot: 5.5"), "add `unit: bb`"),
            (GOOD.replace("stack: 50", "stack: 0"), "x.yaml:5:8: stack is 0 chips"),
            (GOOD.replace("stack: 50", "stack: -5"), "x.yaml:5:8: "),
            (GOOD.replace("2h", "Jh"), "x.yaml:1:14: board: "),
            (GOOD.replace("AA:0.5,22", "AA,XX"), "x.yaml:2:16: oop_range: unknown rank 'X'"),
            (GOOD.replace("KK", "Qs2h"), "x.yaml:3:11: the board blocks every hand"),
            (GOOD.replace("KK", "AsAh").replace("AA:0.5,22", "AsAh"), "x.yaml:3:11: every hand"),
            (more("rake: {percent: 500}\n"), "rake percent is 500"),
            (more("merging_threshold: -1\n"), "x.yaml:6:20: merging_threshold is -1"),
            (
                more("bet_sizes: {flop: {oop: {bet: \"33%, 0%\"}}}\n"),
                "bet size '0%' at column 6: must be above 0%",
            ),
            (more("bet_sizes: {flop: {oop: {bet: 2bb}}}\n"), "2bb needs a big blind"),
            (more("bet_sizes: {preflop: {}}\n"), "x.yaml:6:13: preflop: no such key"),
            (more("big_blind: 0\n"), "x.yaml:6:12: big_blind: expected the chips"),
            (more("pot: 3\n"), "x.yaml:6:1: pot: given twice"),
            ("board: [".to_owned(), "x.yaml:1:"),
            (String::new(), "x.yaml:1:1: "),
        ];
        for (text, expected) in cases {
            let message = spot(&text).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}\nexpected: {expected}");
        }
    }

    #[test]
    fn a_start_on_a_later_street_needs_its_cards() {
        let text = "board: 2s3h4d6c\noop_range: AA\nip_range: KK\npot: 100\nstack: 100\n\
                    bet_sizes: {turn: {oop: {bet: 50%}}}\n";
        let spot = spot(text).unwrap();
        assert_eq!(start_at(&spot, "x x / Th").unwrap().board().to_string(), "2s3h4d6cTh");
        assert_eq!(
            start_at(&spot, "x x /").unwrap_err(),
            StartError::Undealt(lethe_cards::Street::River)
        );
        assert!(start_at(&spot, "x x / 2s").unwrap_err().to_string().contains("already"));
        assert!(start_at(&spot, "b50 f").is_err());
    }
}
