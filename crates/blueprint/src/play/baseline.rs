//! Players who never look at their cards.

use std::fmt;
use std::str::FromStr;

use lethe_cards::{Board, Hole};
use lethe_game::{Action, NodeId, Tree};

use super::Policy;

/// A player who never looks at the cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Baseline {
    /// Checks or calls; where the game does not let it, it raises as little as it can.
    Call,
    /// Folds to any bet, the big blind included; checks otherwise.
    Fold,
    /// Bets or raises as much as it can, mostly all-in; calls where it cannot raise.
    Raise,
    /// Takes all actions equally often.
    Uniform,
}

impl Baseline {
    /// All of them.
    pub const ALL: [Baseline; 4] =
        [Baseline::Call, Baseline::Fold, Baseline::Raise, Baseline::Uniform];

    /// `call`, `fold`, `raise` or `uniform`.
    pub const fn name(self) -> &'static str {
        match self {
            Baseline::Call => "call",
            Baseline::Fold => "fold",
            Baseline::Raise => "raise",
            Baseline::Uniform => "uniform",
        }
    }
}

impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Baseline {
    type Err = UnknownBaseline;

    fn from_str(text: &str) -> Result<Baseline, UnknownBaseline> {
        let found = Baseline::ALL.into_iter().find(|baseline| baseline.name() == text);
        found.ok_or_else(|| UnknownBaseline(text.to_owned()))
    }
}

/// A text that names no baseline.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown baseline '{0}': a baseline is call, fold, raise or uniform")]
pub struct UnknownBaseline(pub String);

impl Policy for Baseline {
    fn hand(&self, _: Hole, _: &Board) -> u32 {
        0
    }

    fn hands(&self, _: &Board, row: &mut [u32]) {
        row.fill(0);
    }

    fn frequencies(&self, tree: &Tree, node: NodeId, _: u32, shares: &mut [f32]) {
        // Actions come in the order fold, check, call, bets and raises by amount.
        let actions = tree.actions(node);
        let place = match self {
            Baseline::Call => actions.iter().position(|&action| action != Action::Fold),
            Baseline::Fold => Some(0),
            Baseline::Raise => actions.len().checked_sub(1),
            Baseline::Uniform => return shares.fill(1.0 / shares.len() as f32),
        };
        always(place.unwrap_or(0), shares);
    }
}

/// Writes that one action is always taken.
pub(super) fn always(action: usize, shares: &mut [f32]) {
    shares.fill(0.0);
    shares[action] = 1.0;
}
