//! The game of the lab: uniform ranges, and the same bets on every street for both players.

use std::sync::Arc;

use lethe_cards::Range;
use lethe_game::{
    BetSizes, Chips, ConfigError, Game, PlayerSizes, SizeError, Sizes, SpotConfig, StreetSizes,
    Tree, TreeTooLarge,
};
use lethe_solver::{Spot, SpotError};
use serde::{Deserialize, Serialize};

use crate::root::Root;

/// The betting of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Betting {
    /// Chips in the pot at the start.
    pub pot: Chips,
    /// Chips that each player has behind.
    pub stack: Chips,
    /// First bets on each street, such as `100%`.
    pub bet: String,
    /// Raises, such as `2.5x`; none if empty.
    pub raise: String,
}

impl Default for Betting {
    /// One bet of the pot a street and no raise, with as many chips as three such bets take.
    fn default() -> Betting {
        Betting { pot: 1000, stack: 13_000, bet: "100%".to_owned(), raise: String::new() }
    }
}

/// A game that cannot be played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GameError {
    /// Bet sizes that cannot be read.
    #[error(transparent)]
    Sizes(#[from] SizeError),
    /// Chips that no game has.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Too many lines.
    #[error(transparent)]
    Tree(#[from] TreeTooLarge),
    /// A spot that the solver refuses.
    #[error(transparent)]
    Spot(#[from] SpotError),
}

impl Betting {
    /// The game on a board.
    pub fn spot(&self, root: &Root) -> Result<Spot, GameError> {
        let player = PlayerSizes {
            bet: Sizes::parse_bets(&self.bet)?,
            raise: Sizes::parse_raises(&self.raise)?,
            donk: None,
        };
        let street = StreetSizes { oop: player.clone(), ip: player, max_raises: None };
        let bet_sizes = BetSizes { flop: street.clone(), turn: street.clone(), river: street };
        let config = SpotConfig { bet_sizes, ..SpotConfig::new(self.pot, self.stack) };
        let game = Game::spot(&config, root.board().street())?;
        let tree = Tree::build(game, Tree::NODE_LIMIT)?;
        Ok(Spot::new(root.board(), [Range::full(), Range::full()], Arc::new(tree))?)
    }
}
