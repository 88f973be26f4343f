//! Counting a tree's nodes before it is built.

use std::collections::HashMap;
use std::ops::AddAssign;

use lethe_cards::Street;

use crate::Game;
use crate::state::{Position, State};

/// The nodes of a betting tree by street. Lines are counted once, not once per dealt card.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Counts of each street, by [`Street::index`].
    pub streets: [StreetCounts; 4],
}

/// The nodes of one street of a betting tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreetCounts {
    /// Decision nodes: with each bucket (or hand), one information set.
    pub decisions: u64,
    /// Actions of all decision nodes together.
    pub actions: u64,
    /// Chance nodes that deal the next street.
    pub chances: u64,
    /// Terminal nodes where a player folded.
    pub folds: u64,
    /// Terminal nodes where the hands are shown; all of them on the river.
    pub showdowns: u64,
}

impl Counts {
    /// All nodes; `u64::MAX` where there are more.
    pub fn nodes(&self) -> u64 {
        self.streets.iter().map(StreetCounts::nodes).fold(0, u64::saturating_add)
    }

    /// The counts of one street.
    pub fn of(&self, street: Street) -> &StreetCounts {
        &self.streets[street.index()]
    }

    /// The information sets with this many buckets (or hands) per street.
    pub fn information_sets(&self, buckets: [u64; 4]) -> u64 {
        self.weighted(buckets, |street| street.decisions)
    }

    /// The actions of all information sets with this many buckets (or hands) per street: the number
    /// of regrets and of strategy sums that a solver keeps.
    pub fn action_values(&self, buckets: [u64; 4]) -> u64 {
        self.weighted(buckets, |street| street.actions)
    }

    fn weighted(&self, weights: [u64; 4], of: impl Fn(&StreetCounts) -> u64) -> u64 {
        let products = self.streets.iter().zip(weights).map(|(s, w)| of(s).saturating_mul(w));
        products.fold(0, u64::saturating_add)
    }
}

impl StreetCounts {
    /// All nodes of the street.
    pub fn nodes(&self) -> u64 {
        [self.decisions, self.chances, self.folds, self.showdowns]
            .into_iter()
            .fold(0, u64::saturating_add)
    }

    /// The nodes where the hand ends.
    pub fn terminals(&self) -> u64 {
        self.folds.saturating_add(self.showdowns)
    }
}

impl AddAssign<&Counts> for Counts {
    fn add_assign(&mut self, other: &Counts) {
        for (a, b) in self.streets.iter_mut().zip(&other.streets) {
            a.decisions = a.decisions.saturating_add(b.decisions);
            a.actions = a.actions.saturating_add(b.actions);
            a.chances = a.chances.saturating_add(b.chances);
            a.folds = a.folds.saturating_add(b.folds);
            a.showdowns = a.showdowns.saturating_add(b.showdowns);
        }
    }
}

/// A tree with more nodes than the limit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the betting tree has {} {nodes} nodes and the limit is {limit}; use fewer bet sizes or smaller \
     stacks, lower max_raises, or raise force_allin_threshold or merging_threshold",
    if *.exact { "exactly" } else { "more than" }
)]
pub struct TreeTooLarge {
    /// The nodes of the tree, or those counted before counting stopped.
    pub nodes: u64,
    /// Whether `nodes` is the whole count.
    pub exact: bool,
    /// The most nodes allowed.
    pub limit: u64,
}

impl Game {
    /// Counts the nodes of the game's tree without building it, in little memory.
    ///
    /// Every line is counted exactly, but a street is walked once for all lines that reach it with
    /// the same chips, so that trees far too large to build are counted in moments. An error where
    /// even so more than `limit` nodes would be walked.
    pub fn counts(&self, limit: u64) -> Result<Counts, TreeTooLarge> {
        let mut counter = Counter { game: self, known: HashMap::new(), walked: 0, limit };
        counter.street(State::initial(self))
    }
}

struct Counter<'a> {
    game: &'a Game,
    /// The counts below the start of a street, by its state.
    known: HashMap<State, Counts>,
    walked: u64,
    limit: u64,
}

impl Counter<'_> {
    fn street(&mut self, start: State) -> Result<Counts, TreeTooLarge> {
        if let Some(counts) = self.known.get(&start) {
            return Ok(*counts);
        }
        let mut counts = Counts::default();
        let mut open = vec![Position::Decision(start)];
        while let Some(position) = open.pop() {
            self.walked += 1;
            if self.walked > self.limit {
                return Err(TreeTooLarge { nodes: self.limit, exact: false, limit: self.limit });
            }
            let street = &mut counts.streets[position.state().street.index()];
            match position {
                Position::Fold(..) => street.folds += 1,
                Position::Showdown(_) => street.showdowns += 1,
                Position::Decision(state) => {
                    let actions = self.game.actions(&state);
                    street.decisions += 1;
                    street.actions += actions.len() as u64;
                    open.extend(actions.into_iter().map(|action| state.after(action)));
                }
                Position::Chance(state) => {
                    street.chances += 1;
                    match state.deal(self.game) {
                        Position::Decision(next) => counts += &self.street(next)?,
                        runout => open.push(runout),
                    }
                }
            }
        }
        self.known.insert(start, counts);
        Ok(counts)
    }
}
