//! `Lock`: a decision at which a player's strategy is fixed.

use std::collections::BTreeMap;

use lethe_cards::{Card, CardSet, Hole};
use lethe_game::{NodeId, NodeKind, Player};

use crate::spot::Spot;

/// A fixed strategy at one decision of the betting tree, for all hands or some.
///
/// A locked hand neither learns nor deviates: the solver finds the equilibrium of the game in which
/// the lock is a rule, and a best response keeps to its own player's locks.
#[derive(Clone, Debug, PartialEq)]
pub struct Lock {
    /// The decision.
    pub node: NodeId,
    /// The cards dealt after the spot's board, in order; empty locks the decision on every board.
    pub dealt: Vec<Card>,
    /// What is played.
    pub strategy: LockedStrategy,
}

/// The strategy of a [`Lock`]: frequencies of the decision's actions in their order.
#[derive(Clone, Debug, PartialEq)]
pub enum LockedStrategy {
    /// Every hand plays the same frequencies.
    Range(Vec<f64>),
    /// These hands play these frequencies; the others stay free.
    Hands(BTreeMap<Hole, Vec<f64>>),
}

impl Lock {
    pub(crate) fn check(&self, spot: &Spot) -> Result<(), LockError> {
        let tree = spot.tree();
        if !tree.subtree(spot.start()).contains(&self.node.index()) {
            return Err(LockError::Outside);
        }
        let node = tree.node(self.node);
        if !matches!(node.kind(), NodeKind::Decision(_)) {
            return Err(LockError::NoDecision);
        }
        if !self.dealt.is_empty() {
            let needed = node.street().board_len() - spot.board().cards().len();
            let set: CardSet = self.dealt.iter().copied().collect();
            if self.dealt.len() != needed {
                return Err(LockError::Dealt { needed, got: self.dealt.len() });
            }
            if set.len() != needed || set.intersects(spot.board().set()) {
                return Err(LockError::DealtTwice);
            }
        }
        let actions = tree.actions(self.node).len();
        let valid = |frequencies: &Vec<f64>| {
            frequencies.len() == actions
                && frequencies.iter().all(|f| (0.0..=1.0).contains(f))
                && (frequencies.iter().sum::<f64>() - 1.0).abs() < 1e-3
        };
        if let (LockedStrategy::Hands(hands), Some(player)) = (&self.strategy, node.player()) {
            let weights = spot.weights(player);
            if let Some(&hole) = hands.keys().find(|hole| weights[hole.index()] == 0.0) {
                return Err(LockError::NotInRange { hole, player });
            }
        }
        let all_valid = match &self.strategy {
            LockedStrategy::Range(frequencies) => valid(frequencies),
            LockedStrategy::Hands(hands) => hands.values().all(valid),
        };
        if all_valid { Ok(()) } else { Err(LockError::Frequencies { actions }) }
    }

    /// The lock without the hands that its player does not have in a spot.
    pub(crate) fn within(mut self, spot: &Spot) -> Lock {
        let player = spot.tree().node(self.node).player();
        if let (LockedStrategy::Hands(hands), Some(player)) = (&mut self.strategy, player) {
            let weights = spot.weights(player);
            hands.retain(|hole, _| weights[hole.index()] > 0.0);
        }
        self
    }

    /// The frequencies of a hole, scaled to sum to 1, if it is locked.
    pub(crate) fn frequencies(&self, hole: Hole) -> Option<Vec<f32>> {
        let given = match &self.strategy {
            LockedStrategy::Range(frequencies) => frequencies,
            LockedStrategy::Hands(hands) => hands.get(&hole)?,
        };
        let sum: f64 = given.iter().sum();
        Some(given.iter().map(|f| (f / sum) as f32).collect())
    }
}

/// A lock that does not fit its spot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// A node that the start does not lead to.
    #[error("the locked line does not follow the start of the spot")]
    Outside,
    /// A node where nobody acts.
    #[error("only a decision can be locked; the locked line ends in a deal or the end of a hand")]
    NoDecision,
    /// Too few or too many dealt cards.
    #[error(
        "the locked decision needs {needed} dealt cards, found {got}; leave them out to lock it on \
         every board"
    )]
    Dealt {
        /// The cards from the spot's board to the decision's street.
        needed: usize,
        /// The cards given.
        got: usize,
    },
    /// A card dealt twice.
    #[error("a dealt card of the lock is already on the board or given twice")]
    DealtTwice,
    /// A locked hand that its player never has: it is not in the range, or the board blocks it.
    #[error("the locked hand {hole} is not in the range of {player}; leave it out of the lock")]
    NotInRange {
        /// The hand.
        hole: Hole,
        /// The player who acts at the locked decision.
        player: Player,
    },
    /// Frequencies that do not fit the actions.
    #[error(
        "a locked strategy has {actions} frequencies from 0 to 1 that sum to 1, one per action"
    )]
    Frequencies {
        /// The actions of the decision.
        actions: usize,
    },
}
