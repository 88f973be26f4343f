//! `Game`: a checked description of the betting, ready to be turned into a tree.

use lethe_cards::Street;

use crate::config::{BetSizes, HandConfig, PlayerSizes, Rake, SpotConfig, StreetSizes};
use crate::{AmountError, Chips, MAX_CHIPS, Player, Size};

/// The betting of a spot or a hand, checked: chips in range, thresholds and rake sensible.
///
/// Both players have the same (effective) stack. A game from the blinds starts with the antes as
/// its pot and the blinds as bets on the table. [`Game::starting_at`] starts it within a street.
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    pub(crate) street: Street,
    pub(crate) pot: Chips,
    pub(crate) stack: Chips,
    /// What each player, `Oop` first, has put in on the first street before the first action: blinds,
    /// or the bets of a game that starts within a street.
    pub(crate) put: [Chips; 2],
    /// The bets and raises made on the first street before, the big blind included.
    pub(crate) bets: u32,
    pub(crate) to_act: Player,
    /// Whether a call of `Oop` ended the street before.
    pub(crate) oop_called: bool,
    pub(crate) limp: bool,
    pub(crate) min_bet: Chips,
    pub(crate) big_blind: Option<Chips>,
    pub(crate) rake: Rake,
    pub(crate) sizes: [StreetSizes; 4],
    pub(crate) options: Options,
    /// Sizes beside the configuration's: see [`Game::with_size`].
    pub(crate) extra: Vec<ExtraSize>,
}

/// A size that a player has in one state of the first street.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ExtraSize {
    pub(crate) put: [Chips; 2],
    pub(crate) bets: u32,
    pub(crate) to_act: Player,
    pub(crate) to: Chips,
}

/// The three thresholds of the action abstraction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Options {
    pub(crate) add_allin: f64,
    pub(crate) force_allin: f64,
    pub(crate) merging: f64,
}

impl Game {
    /// The game of a postflop spot that starts on `street`.
    pub fn spot(config: &SpotConfig, street: Street) -> Result<Game, ConfigError> {
        if street == Street::Preflop {
            return Err(ConfigError::SpotPreflop);
        }
        chips("pot", config.pot, 1)?;
        chips("stack", config.stack, 1)?;
        let sizes = &config.bet_sizes;
        Game {
            street,
            pot: config.pot,
            stack: config.stack,
            put: [0, 0],
            bets: 0,
            to_act: Player::Oop,
            oop_called: false,
            limp: true,
            min_bet: 1,
            big_blind: config.big_blind,
            rake: checked_rake(config.rake)?,
            sizes: [
                StreetSizes::default(),
                sizes.flop.clone(),
                sizes.turn.clone(),
                sizes.river.clone(),
            ],
            options: Options::checked(
                config.add_allin_threshold,
                config.force_allin_threshold,
                config.merging_threshold,
            )?,
            extra: Vec::new(),
        }
        .with_whole_sizes()
    }

    /// The game of a whole hand from the blinds.
    pub fn hand(config: &HandConfig) -> Result<Game, ConfigError> {
        chips("stack", config.stack, 1)?;
        chips("small_blind", config.small_blind, 0)?;
        chips("big_blind", config.big_blind, 1)?;
        chips("ante", config.ante, 0)?;
        if config.small_blind > config.big_blind {
            return Err(ConfigError::Blinds { small: config.small_blind, big: config.big_blind });
        }
        let needed = config.ante + config.big_blind;
        if config.stack <= needed {
            return Err(ConfigError::StackBelowBlinds { stack: config.stack, needed });
        }
        let sizes = &config.bet_sizes;
        let preflop = &sizes.preflop;
        let no_open = preflop.sb.raise.is_empty() && config.add_allin_threshold == 0.0;
        if !preflop.limp && (no_open || preflop.max_raises == Some(0)) {
            return Err(ConfigError::NoOpen);
        }
        let raises =
            |raise: &crate::Sizes| PlayerSizes { raise: raise.clone(), ..PlayerSizes::default() };
        Game {
            street: Street::Preflop,
            pot: 2 * config.ante,
            stack: config.stack - config.ante,
            put: [config.big_blind, config.small_blind],
            bets: 1,
            to_act: Player::Ip,
            oop_called: false,
            limp: preflop.limp,
            min_bet: config.big_blind,
            big_blind: Some(config.big_blind),
            rake: checked_rake(config.rake)?,
            sizes: [
                StreetSizes {
                    oop: raises(&preflop.bb.raise),
                    ip: raises(&preflop.sb.raise),
                    max_raises: preflop.max_raises,
                },
                sizes.flop.clone(),
                sizes.turn.clone(),
                sizes.river.clone(),
            ],
            options: Options::checked(
                config.add_allin_threshold,
                config.force_allin_threshold,
                config.merging_threshold,
            )?,
            extra: Vec::new(),
        }
        .with_whole_sizes()
    }

    /// The game, if all sizes in big blinds are whole chips.
    fn with_whole_sizes(self) -> Result<Game, ConfigError> {
        let players = self.sizes.iter().flat_map(|street| [&street.oop, &street.ip]);
        let lists = players.flat_map(|p| [Some(&p.bet), Some(&p.raise), p.donk.as_ref()]);
        for size in lists.flatten().flat_map(|list| list.as_slice()) {
            let Size::BigBlinds(number) = *size else { continue };
            let Some(big_blind) = self.big_blind else {
                return Err(ConfigError::NoBigBlind(*size));
            };
            crate::units::whole_chips(number, big_blind)
                .map_err(|(low, high)| ConfigError::SizeFraction { size: *size, low, high })?;
        }
        Ok(self)
    }

    /// The chips of a big blind, where the configuration says.
    pub fn big_blind(&self) -> Option<Chips> {
        self.big_blind
    }

    /// The street on which the game starts.
    pub fn street(&self) -> Street {
        self.street
    }

    /// The chips in the middle at the start: a spot's pot, or a hand's antes (not its blinds).
    pub fn pot(&self) -> Chips {
        self.pot
    }

    /// The chips of each player at the start, with what is bet on the first street (a hand's blinds)
    /// and without the ante.
    pub fn stack(&self) -> Chips {
        self.stack
    }

    /// The rake.
    pub fn rake(&self) -> Rake {
        self.rake
    }

    /// The configuration that [`Game::spot`] makes this game from; `None` if no spot is like it: a
    /// hand from the blinds, or a game that starts within a street.
    pub fn spot_config(&self) -> Option<SpotConfig> {
        let [_, flop, turn, river] = self.sizes.clone();
        let config = SpotConfig {
            pot: self.pot,
            stack: self.stack,
            big_blind: self.big_blind,
            bet_sizes: BetSizes { flop, turn, river },
            add_allin_threshold: self.options.add_allin,
            force_allin_threshold: self.options.force_allin,
            merging_threshold: self.options.merging,
            rake: self.rake,
        };
        (Game::spot(&config, self.street).ok().as_ref() == Some(self)).then_some(config)
    }
}

impl Options {
    fn checked(add_allin: f64, force_allin: f64, merging: f64) -> Result<Options, ConfigError> {
        for (key, value) in [
            ("add_allin_threshold", add_allin),
            ("force_allin_threshold", force_allin),
            ("merging_threshold", merging),
        ] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(ConfigError::Threshold { key, value });
            }
        }
        Ok(Options { add_allin, force_allin, merging })
    }
}

fn chips(key: &'static str, value: Chips, min: Chips) -> Result<(), ConfigError> {
    if (min..=MAX_CHIPS).contains(&value) {
        Ok(())
    } else {
        Err(ConfigError::Chips { key, value, min })
    }
}

fn checked_rake(rake: Rake) -> Result<Rake, ConfigError> {
    if !(0.0..=100.0).contains(&rake.percent) {
        return Err(ConfigError::RakePercent(rake.percent));
    }
    match rake.cap {
        Some(cap) if !(cap.is_finite() && cap >= 0.0) => Err(ConfigError::RakeCap(cap)),
        _ => Ok(rake),
    }
}

/// An invalid game. The message names the key, its value and what is allowed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// An amount of chips out of range.
    #[error("{key} is {value} chips; it must be from {min} to {MAX_CHIPS}")]
    Chips {
        /// The key.
        key: &'static str,
        /// Its value.
        value: Chips,
        /// The least it may be.
        min: Chips,
    },
    /// An amount that is no whole number of chips.
    #[error(transparent)]
    Amount(#[from] AmountError),
    /// A missing key.
    #[error("the key {0} is missing")]
    Missing(&'static str),
    /// A size in big blinds in a spot without a big blind.
    #[error("the size {0} needs a big blind; add `big_blind: 100` (in chips) or write chips")]
    NoBigBlind(Size),
    /// A size in big blinds that is no whole number of chips.
    #[error("the size {size} is not a whole number of chips; write {low}bb or {high}bb")]
    SizeFraction {
        /// The size.
        size: Size,
        /// The nearest one below, in big blinds.
        low: crate::Decimal,
        /// The nearest one above, in big blinds.
        high: crate::Decimal,
    },
    /// A threshold that is negative or not a number.
    #[error("{key} is {value}; it must be 0 (off) or more")]
    Threshold {
        /// The key.
        key: &'static str,
        /// Its value.
        value: f64,
    },
    /// A rake percentage out of range.
    #[error("rake percent is {0}; it must be from 0 to 100 (5 means 5 %)")]
    RakePercent(f64),
    /// A negative rake cap.
    #[error("rake cap is {0} chips; it must be 0 or more (leave it out for no cap)")]
    RakeCap(f64),
    /// A spot that starts before the flop.
    #[error("a spot starts on the flop, turn or river; describe a hand by its blinds instead")]
    SpotPreflop,
    /// A small blind above the big blind.
    #[error("small_blind is {small} and big_blind {big}; the small blind must not be the larger")]
    Blinds {
        /// The small blind.
        small: Chips,
        /// The big blind.
        big: Chips,
    },
    /// A stack not above the blind and the ante.
    #[error("stack is {stack} chips; it must be above ante + big_blind = {needed}")]
    StackBelowBlinds {
        /// The stack.
        stack: Chips,
        /// The ante and the big blind.
        needed: Chips,
    },
    /// A small blind that can only fold.
    #[error(
        "the small blind could only fold: set limp to true or give sb a raise (and max_raises above 0)"
    )]
    NoOpen,
}
