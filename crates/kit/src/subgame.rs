//! The street of a blueprint's decision as a spot of its own, to be solved exactly.
//!
//! ```no_run
//! use lethe_blueprint::CheckpointKind;
//! use lethe_kit::{data::DataDir, runs, spot::SpotFile, subgame};
//!
//! let blueprint = runs::open(&DataDir::locate(None), "quick".as_ref(), CheckpointKind::Latest)?;
//! let found = subgame::street_spot(&blueprint, "r250 c / Th9h8c x")?;
//! let spot = SpotFile::parse("subgame.yaml", &found.text)?.spot()?;
//! assert_eq!((spot.board().to_string().as_str(), found.line.as_str()), ("Th9h8c", "x"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use lethe_blueprint::Blueprint;
use lethe_cards::{Board, Hole, Range, Street};
use lethe_game::{BetSizes, NodeKind, Player, SpotConfig};
use serde::Serialize;

use crate::error::Error;
use crate::line;
use crate::spot::written;

/// A spot that begins where a street of a blueprint does.
#[derive(Clone, Debug, Serialize)]
pub struct StreetSpot {
    /// The spot file: the ranges that the blueprint brings to the street, its pot, stacks and sizes.
    pub text: String,
    /// The line from the beginning of the street to the decision.
    pub line: String,
}

/// The street of the decision that a line with its cards leads to, as a spot.
///
/// Each hand has the weight with which its player plays to the street, relative to the hand that does
/// so most often.
pub fn street_spot(blueprint: &Blueprint, line: &str) -> Result<StreetSpot, Error> {
    let tree = blueprint.tree();
    let place = line::find(tree, line).map_err(Error::question)?.after_deals(tree);
    let street = tree.node(place.node).street();
    if street == Street::Preflop {
        return Err(Error::question("a spot begins on the flop, turn or river"));
    }
    let board = Board::new(&place.dealt).filter(|board| board.street() == street);
    let board = board.ok_or(Error::BoardNeeded(street))?;
    let mut start = place.node;
    while let Some(parent) = tree.parent(start).filter(|&at| tree.node(at).street() == street) {
        start = parent;
    }
    if !matches!(tree.node(start).kind(), NodeKind::Decision(_)) {
        return Err(Error::question("both players are all-in, so there is nothing to solve"));
    }
    let mut ranges = [Range::empty(), Range::empty()];
    for player in Player::BOTH {
        let mut reaches = Vec::new();
        for hole in Hole::all().filter(|hole| !hole.set().intersects(board.set())) {
            let reach = blueprint.reach(player, start, hole, &board)?.unwrap_or(0.0);
            reaches.push((hole, reach));
        }
        let most = reaches.iter().map(|reach| reach.1).fold(0.0, f64::max);
        if most <= 0.0 {
            return Err(Error::question("the blueprint never plays to this street on this line"));
        }
        for (hole, reach) in reaches {
            let millionths = (reach / most * f64::from(Range::ONE)).round();
            ranges[player.index()].set(hole, (millionths as u32).min(Range::ONE));
        }
    }
    let game = &blueprint.header().config.game;
    let sizes = &game.bet_sizes;
    let config = SpotConfig {
        pot: tree.pot(start),
        stack: tree.stacks(start).into_iter().min().unwrap_or(0),
        big_blind: Some(game.big_blind),
        bet_sizes: BetSizes {
            flop: sizes.flop.clone(),
            turn: sizes.turn.clone(),
            river: sizes.river.clone(),
        },
        add_allin_threshold: game.add_allin_threshold,
        force_allin_threshold: game.force_allin_threshold,
        merging_threshold: game.merging_threshold,
        rake: game.rake,
    };
    let before = tree.history(start);
    let rest = tree.history(place.node);
    let rest = rest.strip_prefix(&before).unwrap_or_default().trim().to_owned();
    Ok(StreetSpot { text: written(board, &ranges, &config, None, &[]), line: rest })
}
