//! Builders that the tests share.

use lethe_cards::Street;
use lethe_game::{Game, PlayerSizes, Sizes, SpotConfig, StreetSizes, Tree};

/// Bets and raises of one player.
pub(crate) fn player(bet: &str, raise: &str) -> PlayerSizes {
    PlayerSizes {
        bet: Sizes::parse_bets(bet).unwrap(),
        raise: Sizes::parse_raises(raise).unwrap(),
        donk: None,
    }
}

/// The same bets and raises for both players.
pub(crate) fn both(bet: &str, raise: &str) -> StreetSizes {
    StreetSizes { oop: player(bet, raise), ip: player(bet, raise), max_raises: None }
}

/// A spot with the same bets and raises for both players on every street.
pub(crate) fn config(pot: u32, stack: u32, bet: &str, raise: &str) -> SpotConfig {
    let mut config = SpotConfig::new(pot, stack);
    config.bet_sizes.flop = both(bet, raise);
    config.bet_sizes.turn = both(bet, raise);
    config.bet_sizes.river = both(bet, raise);
    config
}

/// The tree of a spot that is known to be small.
pub(crate) fn tree(config: &SpotConfig, street: Street) -> Tree {
    Tree::build(Game::spot(config, street).unwrap(), 1_000_000).unwrap()
}

/// The long names of the actions after a history.
pub(crate) fn actions(tree: &Tree, history: &str) -> String {
    let actions = tree.actions(tree.find(history).unwrap()).iter();
    actions.map(|action| action.to_string()).collect::<Vec<_>>().join(", ")
}
