//! The values of every node of the first street, found by one walk and kept.
//!
//! A view of a node needs its hands' values and equities. Far down the tree both come from a short
//! walk. On the first street every walk goes through nearly all boards, so the values of all its
//! nodes are taken from a single one and kept: a row for each node, and a row of equities for each of
//! the opponent's ranges there. That is a few megabytes on a large flop, whatever is looked at.

use std::sync::{Arc, Mutex};

use lethe_cards::Street;
use lethe_compute::{Cancelled, Job};
use lethe_game::Player;

use crate::engine::{Captured, TraverserMode};
use crate::profile::equities;
use crate::query::Strategies;

/// The values of the nodes of the first level.
#[derive(Debug)]
pub(crate) struct StreetValues {
    /// By player: a row for each node.
    values: [Vec<f32>; 2],
    /// By player: a row for each row of the opponent's reach.
    equities: [Vec<f32>; 2],
    strides: [usize; 2],
}

impl StreetValues {
    fn find(strategies: Strategies<'_>, job: Job<'_>) -> Result<StreetValues, Cancelled> {
        let (engine, profile) = (strategies.engine, strategies.profile(job));
        let root = &engine.root;
        let (mut values, mut shows) = ([const { Vec::new() }; 2], [const { Vec::new() }; 2]);
        for player in Player::BOTH {
            let captured = Captured::nodes(0);
            profile.capture(player, TraverserMode::Average, &captured)?;
            values[player.index()] = captured.take(root).expect("the first board is captured");
            let walk = profile.walk(player, TraverserMode::Average);
            let reach = engine.reach_rows(&walk, strategies.data, &profile.root_rows());
            shows[player.index()] = equities(root, player, &reach, job)?;
        }
        let strides = [0, 1].map(|p| root.hands[p].stride());
        Ok(StreetValues { values, equities: shows, strides })
    }

    /// A player's values at a node of the first level.
    pub(crate) fn values(&self, player: Player, place: usize) -> &[f32] {
        let stride = self.strides[player.index()];
        &self.values[player.index()][place * stride..][..stride]
    }

    /// A player's equities against a row of the opponent's reach.
    pub(crate) fn equities(&self, player: Player, row: usize) -> &[f32] {
        let stride = self.strides[player.index()];
        &self.equities[player.index()][row * stride..][..stride]
    }
}

/// The values of the first street, once they are known.
#[derive(Debug, Default)]
pub(crate) struct StreetCache(Mutex<Option<Arc<StreetValues>>>);

impl StreetCache {
    /// The values; `None` on the river, where every walk is short.
    pub(crate) fn get(
        &self,
        strategies: Strategies<'_>,
        job: Job<'_>,
    ) -> Result<Option<Arc<StreetValues>>, Cancelled> {
        if strategies.engine.levels[0].street == Street::River {
            return Ok(None);
        }
        let lock = || self.0.lock().expect("no thread panics with the lock");
        let known = lock().clone();
        if known.is_some() {
            return Ok(known);
        }
        // Nothing is locked during the walk: its threads may come back for the same values. Found
        // twice at once they are found alike.
        let found = Arc::new(StreetValues::find(strategies, job)?);
        *lock() = Some(found.clone());
        Ok(Some(found))
    }

    /// Forgets the values, since the strategies changed.
    pub(crate) fn clear(&mut self) {
        *self.0.get_mut().expect("no thread panics with the lock") = None;
    }
}
