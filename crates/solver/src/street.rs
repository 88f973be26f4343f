//! The values of a street after one line on one board, found by one walk and kept.
//!
//! A view of a node needs its hands' values and equities, which follow from all that comes after it:
//! on the flop from nearly all boards. A walk from the first node of the street passes all its nodes,
//! so their values are taken from a single one and kept: a row of values for each node, and a row of
//! equities for each of the opponent's ranges there. The next views of the street are looked up.
//!
//! Those of the first street stay. Of later streets the last used are kept, up to [`LIMIT`] bytes in
//! all; the line of a large flop takes about 100 KB on a turn. On the river every walk is short.

use std::sync::{Arc, Mutex};

use lethe_compute::{Cancelled, Job};
use lethe_game::Player;

use crate::boards::BoardNode;
use crate::cells::BoardData;
use crate::engine::TraverserMode;
use crate::profile::equities;
use crate::query::Strategies;

/// The most bytes that later streets take.
const LIMIT: usize = 64 << 20;

/// The betting of a street after one line, on one board.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    pub(crate) depth: usize,
    /// The place of its first node in the level.
    pub(crate) place: usize,
    pub(crate) board: &'a BoardNode,
    pub(crate) data: &'a BoardData,
    /// Both players' reach at its first node.
    pub(crate) reach: &'a [Vec<f32>; 2],
}

/// The values of the nodes of a [`Line`], numbered from its first.
#[derive(Debug)]
pub(crate) struct StreetValues {
    /// By player: a row for each node.
    values: [Vec<f32>; 2],
    /// By player: a row for each of the opponent's ranges.
    equities: [Vec<f32>; 2],
    /// By player: the range of the opponent at each node.
    ranges: [Vec<u32>; 2],
    strides: [usize; 2],
}

impl StreetValues {
    fn find(
        strategies: Strategies<'_>,
        line: Line<'_>,
        job: Job<'_>,
    ) -> Result<StreetValues, Cancelled> {
        let Line { board, .. } = line;
        let strides = [0, 1].map(|p| board.hands[p].stride());
        let mut found = StreetValues {
            values: Default::default(),
            equities: Default::default(),
            ranges: Default::default(),
            strides,
        };
        for player in Player::BOTH {
            let p = player.index();
            let walk = strategies.profile(job).walk(player, TraverserMode::Average);
            let (ranges, reach) = strategies.engine.line_ranges(&walk, line);
            found.values[p] = strategies.engine.line_values(&walk, line)?;
            found.equities[p] = equities(board, player, &reach, job)?;
            found.ranges[p] = ranges;
        }
        Ok(found)
    }

    /// A player's values at a node.
    pub(crate) fn values(&self, player: Player, node: usize) -> &[f32] {
        let stride = self.strides[player.index()];
        &self.values[player.index()][node * stride..][..stride]
    }

    /// A player's equities at a node.
    pub(crate) fn equities(&self, player: Player, node: usize) -> &[f32] {
        let (p, stride) = (player.index(), self.strides[player.index()]);
        &self.equities[p][self.ranges[p][node] as usize * stride..][..stride]
    }

    fn bytes(&self) -> usize {
        self.values.iter().chain(&self.equities).map(|rows| 4 * rows.len()).sum()
    }
}

/// The number of a level, a line's place in it and a board.
type Key = (usize, usize, u64);

/// The streets whose values are known, the last used last.
#[derive(Debug, Default)]
pub(crate) struct StreetCache(Mutex<Vec<(Key, Arc<StreetValues>)>>);

impl StreetCache {
    /// The values of a line's street.
    pub(crate) fn get(
        &self,
        strategies: Strategies<'_>,
        line: Line<'_>,
        job: Job<'_>,
    ) -> Result<Arc<StreetValues>, Cancelled> {
        let key = (line.depth, line.place, line.board.board.set().bits());
        let lock = || self.0.lock().expect("no thread panics with the lock");
        {
            let mut streets = lock();
            if let Some(place) = streets.iter().rposition(|(known, _)| *known == key) {
                let street = streets.remove(place);
                streets.push(street.clone());
                return Ok(street.1);
            }
        }
        // Nothing is locked during the walk: its threads may come back for the same values. Found
        // twice at once they are found alike.
        let found = Arc::new(StreetValues::find(strategies, line, job)?);
        let mut streets = lock();
        streets.retain(|(known, _)| *known != key);
        streets.push((key, found.clone()));
        let later = |(key, _): &(Key, _)| key.0 > 0;
        let bytes = |(_, street): &(Key, Arc<StreetValues>)| street.bytes();
        let mut total: usize = streets.iter().filter(|s| later(s)).map(bytes).sum();
        while total > LIMIT
            && let Some(oldest) = streets.iter().position(later)
        {
            total -= bytes(&streets.remove(oldest));
        }
        Ok(found)
    }

    /// Forgets the values, since the strategies changed.
    pub(crate) fn clear(&mut self) {
        self.0.get_mut().expect("no thread panics with the lock").clear();
    }
}
