//! No-limit hold'em betting: bet-size text, the action abstraction, the betting tree and
//! information-set keys.
//!
//! The crate knows rules and chips, not cards: a [`Tree`] holds every betting line once, with one
//! chance node for each street still to be dealt, and a solver multiplies it by the cards.
//!
//! A postflop spot, from a [`SpotConfig`] and the street it starts on:
//!
//! ```
//! use lethe_cards::Street;
//! use lethe_game::{Action, BetSizes, Game, PlayerSizes, Sizes, StreetSizes, Tree, SpotConfig};
//!
//! let sizes = PlayerSizes {
//!     bet: Sizes::parse_bets("50%, a")?,
//!     raise: Sizes::parse_raises("2.5x")?,
//!     donk: None,
//! };
//! let river = StreetSizes { oop: sizes.clone(), ip: sizes, max_raises: None };
//! let config = SpotConfig {
//!     bet_sizes: BetSizes { river, ..BetSizes::default() },
//!     ..SpotConfig::new(100, 900)
//! };
//! let tree = Tree::build(Game::spot(&config, Street::River)?, Tree::NODE_LIMIT)?;
//! assert_eq!(tree.actions(tree.root()), [Action::Check, Action::Bet(50), Action::AllIn(900)]);
//!
//! let node = tree.find("b50 r125")?;
//! assert_eq!(tree.node(node).contributed(), [50, 125]);
//! assert_eq!(tree.history(node), "b50 r125");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A whole hand from the blinds starts from a [`HandConfig`] and [`Game::hand`]; all else is equal.
//! A game starts within a street, after any bets, from a [`BettingState`].
#![forbid(unsafe_code)]

mod action;
mod action_abstraction;
mod betting_state;
mod config;
mod count;
mod decimal;
mod game;
mod history;
mod key;
mod outcome;
mod outline;
mod sizes;
mod state;
mod tree;
mod units;

pub use action::{Action, Player, UnknownAction};
pub use betting_state::{BettingState, StateError};
pub use config::{
    BetSizes, HandBetSizes, HandConfig, PlayerSizes, PreflopSizes, RaiseSizes, Rake, SpotConfig,
    StreetSizes,
};
pub use count::{Counts, StreetCounts, TreeTooLarge};
pub use decimal::Decimal;
pub use game::{ConfigError, Game};
pub use history::HistoryError;
pub use key::{InfoKey, KeyError};
pub use outcome::Outcome;
pub use outline::Outline;
pub use sizes::{Size, SizeError, SizeProblem, Sizes};
pub use tree::{Node, NodeId, NodeKind, Tree};
pub use units::{Amount, AmountError, Scale, Unit};

/// An amount of chips. Chips are whole; a configuration uses the unit that makes them so.
pub type Chips = u32;

/// The largest pot or stack a configuration may have; it keeps every sum of chips in [`Chips`].
pub const MAX_CHIPS: Chips = 1_000_000_000;
