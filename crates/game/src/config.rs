//! The configuration types, as YAML files write them.

use std::fmt;

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize};

use crate::{Amount, Chips, ConfigError, Scale, SizeError, Sizes, Unit};

/// The betting of a postflop spot: chips, sizes, options and rake.
///
/// The street it starts on follows from the board and is not part of it. Amounts are chips; a file
/// may write them in big blinds, see [`Scale`].
///
/// ```yaml
/// pot: 180
/// stack: 910
/// bet_sizes:
///   flop:
///     oop: {bet: "52%", raise: "45%"}
///     ip: {bet: "52%", raise: "45%"}
///   turn:
///     oop: {bet: "55%", raise: "45%", donk: "33%"}
/// add_allin_threshold: 1.5
/// force_allin_threshold: 0.15
/// merging_threshold: 0.1
/// rake: {percent: 5, cap: 30}
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpotConfig {
    /// Chips in the pot at the start.
    pub pot: Chips,
    /// Chips that each player has behind at the start.
    pub stack: Chips,
    /// The chips of a big blind, for sizes in big blinds and to show values in them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub big_blind: Option<Chips>,
    /// Sizes by street and player.
    #[serde(default)]
    pub bet_sizes: BetSizes,
    /// Adds the all-in where it is at most this many times the pot; in a raise, where it is at
    /// most the previous bet plus this many times the pot after calling. 0 adds none.
    #[serde(default)]
    pub add_allin_threshold: f64,
    /// Makes a bet or raise all-in where the stack behind after a call would be at most this many
    /// times the pot after the call. 0 forces none.
    #[serde(default)]
    pub force_allin_threshold: f64,
    /// Lets a size of X % of the pot remove a smaller one of Y % where
    /// (100 + X) / (100 + Y) < 1 + this. 0 removes none.
    #[serde(default)]
    pub merging_threshold: f64,
    /// The rake.
    #[serde(default)]
    pub rake: Rake,
}

impl SpotConfig {
    /// A spot with this pot and stack, in which both players can only check.
    pub fn new(pot: Chips, stack: Chips) -> SpotConfig {
        SpotConfig { pot, stack, ..SpotConfig::default() }
    }
}

/// The betting of a whole hand from the blinds.
///
/// The small blind has the button: it acts first before the flop and is `ip` after it. With
/// `unit: bb` the amounts of a file are big blinds, `big_blind` is in chips and 100 if left out.
///
/// ```yaml
/// stack: 10000
/// small_blind: 50
/// big_blind: 100
/// bet_sizes:
///   preflop:
///     sb: {raise: "2.5x, a"}
///     bb: {raise: "100%, a"}
///     max_raises: 4
///   flop:
///     oop: {bet: "50%, 100%", raise: "100%"}
///     ip: {bet: "50%, 100%", raise: "100%"}
///     max_raises: 2
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "HandKeys")]
pub struct HandConfig {
    /// Chips that each player starts the hand with, before ante and blinds.
    pub stack: Chips,
    /// The small blind.
    pub small_blind: Chips,
    /// The big blind. It is also the smallest bet after the flop.
    pub big_blind: Chips,
    /// The ante that each player posts beside the blinds.
    #[serde(default)]
    pub ante: Chips,
    /// Sizes by street and player.
    #[serde(default)]
    pub bet_sizes: HandBetSizes,
    /// See [`SpotConfig::add_allin_threshold`].
    #[serde(default)]
    pub add_allin_threshold: f64,
    /// See [`SpotConfig::force_allin_threshold`].
    #[serde(default)]
    pub force_allin_threshold: f64,
    /// See [`SpotConfig::merging_threshold`].
    #[serde(default)]
    pub merging_threshold: f64,
    /// The rake; a hand folded before the flop pays none.
    #[serde(default)]
    pub rake: Rake,
}

/// A [`HandConfig`] as a file writes it, in its unit.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HandKeys {
    #[serde(default)]
    unit: Unit,
    stack: Amount,
    small_blind: Amount,
    big_blind: Option<Amount>,
    #[serde(default)]
    ante: Amount,
    #[serde(default)]
    bet_sizes: HandBetSizes,
    #[serde(default)]
    add_allin_threshold: f64,
    #[serde(default)]
    force_allin_threshold: f64,
    #[serde(default)]
    merging_threshold: f64,
    #[serde(default)]
    rake: Rake,
}

impl TryFrom<HandKeys> for HandConfig {
    type Error = ConfigError;

    fn try_from(keys: HandKeys) -> Result<HandConfig, ConfigError> {
        let in_chips = |amount| Scale::default().chips("big_blind", amount);
        let scale = Scale::new(keys.unit, keys.big_blind.map(in_chips).transpose()?)?;
        Ok(HandConfig {
            stack: scale.chips("stack", keys.stack)?,
            small_blind: scale.chips("small_blind", keys.small_blind)?,
            big_blind: scale.big_blind().ok_or(ConfigError::Missing("big_blind"))?,
            ante: scale.chips("ante", keys.ante)?,
            bet_sizes: keys.bet_sizes,
            add_allin_threshold: keys.add_allin_threshold,
            force_allin_threshold: keys.force_allin_threshold,
            merging_threshold: keys.merging_threshold,
            rake: keys.rake.in_chips(&scale),
        })
    }
}

impl HandConfig {
    /// A hand with this stack and these blinds, without ante, raises or bets.
    pub fn new(stack: Chips, small_blind: Chips, big_blind: Chips) -> HandConfig {
        HandConfig { stack, small_blind, big_blind, ..HandConfig::default() }
    }
}

/// The sizes of a postflop spot, by street. A missing street has no sizes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BetSizes {
    /// Sizes on the flop.
    pub flop: StreetSizes,
    /// Sizes on the turn.
    pub turn: StreetSizes,
    /// Sizes on the river.
    pub river: StreetSizes,
}

/// The sizes of a whole hand, by street. A missing street has no sizes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HandBetSizes {
    /// Raises before the flop.
    pub preflop: PreflopSizes,
    /// Sizes on the flop.
    pub flop: StreetSizes,
    /// Sizes on the turn.
    pub turn: StreetSizes,
    /// Sizes on the river.
    pub river: StreetSizes,
}

/// The sizes of one street after the flop.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StreetSizes {
    /// Sizes of the player out of position.
    pub oop: PlayerSizes,
    /// Sizes of the player in position.
    pub ip: PlayerSizes,
    /// The most raises on the street, all-ins included; the first bet does not count. `None`: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_raises: Option<u32>,
}

/// The sizes of one player on one street.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PlayerSizes {
    /// First bets; empty by default.
    #[serde(deserialize_with = "bets")]
    pub bet: Sizes,
    /// Raises; empty by default.
    #[serde(deserialize_with = "raises")]
    pub raise: Sizes,
    /// First bets of the player out of position on a street after one that its *call* ended.
    /// Missing: `bet` is used there; empty: it may only check there. It has no meaning for the
    /// player in position or on the street where the tree starts.
    #[serde(deserialize_with = "donks", skip_serializing_if = "Option::is_none")]
    pub donk: Option<Sizes>,
}

/// The sizes before the flop. The blinds are the bet, so there are only raises.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PreflopSizes {
    /// Raises of the small blind; its first is the open.
    pub sb: RaiseSizes,
    /// Raises of the big blind.
    pub bb: RaiseSizes,
    /// The most raises before the flop, all-ins included; the big blind does not count. `None`: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_raises: Option<u32>,
    /// Whether the small blind may call the big blind.
    pub limp: bool,
}

impl Default for PreflopSizes {
    fn default() -> PreflopSizes {
        PreflopSizes {
            sb: RaiseSizes::default(),
            bb: RaiseSizes::default(),
            max_raises: None,
            limp: true,
        }
    }
}

/// The raises of one player before the flop.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RaiseSizes {
    /// Raises over the big blind or over a raise; empty by default.
    #[serde(deserialize_with = "raises")]
    pub raise: Sizes,
}

/// What the house takes of every pot: a percentage up to a cap.
///
/// It is taken at every end of a hand, folds included, and an uncalled bet is not counted.
///
/// ```
/// use lethe_game::Rake;
/// let rake = Rake { percent: 5.0, cap: Some(30.0) };
/// assert_eq!(rake.of(100), 5.0);
/// assert_eq!(rake.of(1000), 30.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rake {
    /// Percent of the pot, 0 to 100.
    pub percent: f64,
    /// The most chips taken. `None`: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cap: Option<f64>,
}

impl Rake {
    /// The rake whose cap is written in the unit of a configuration.
    pub fn in_chips(self, scale: &Scale) -> Rake {
        Rake { cap: self.cap.map(|cap| cap * scale.unit_chips()), ..self }
    }

    /// The rake of a pot, in chips.
    pub fn of(&self, pot: Chips) -> f64 {
        (f64::from(pot) * (self.percent / 100.0)).min(self.cap.unwrap_or(f64::INFINITY))
    }
}

fn bets<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Sizes, D::Error> {
    deserializer.deserialize_str(SizesText(Sizes::parse_bets))
}

fn raises<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Sizes, D::Error> {
    deserializer.deserialize_str(SizesText(Sizes::parse_raises))
}

fn donks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Sizes>, D::Error> {
    bets(deserializer).map(Some)
}

/// Reads the text inside the deserializer, so that a YAML reader can point at the bad scalar.
struct SizesText(fn(&str) -> Result<Sizes, SizeError>);

impl Visitor<'_> for SizesText {
    type Value = Sizes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bet sizes such as \"33%, 75%, a\"")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Sizes, E> {
        (self.0)(text).map_err(E::custom)
    }
}
