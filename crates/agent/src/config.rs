//! `AgentConfig`: how an agent plays.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use lethe_cards::Street;
use serde::{Deserialize, Serialize};

use crate::flop::LeafKind;
use crate::gadget::GadgetKind;
use crate::subgame::Budget;

/// The first street that an agent solves for itself instead of playing the blueprint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchFrom {
    /// None: the blueprint is played throughout.
    None,
    /// The river.
    River,
    /// The turn, whose solution is played to the end of the hand.
    #[default]
    Turn,
    /// The flop, to the end of its betting, and then the turn.
    Flop,
}

impl SearchFrom {
    /// All of them.
    pub const ALL: [SearchFrom; 4] =
        [SearchFrom::None, SearchFrom::River, SearchFrom::Turn, SearchFrom::Flop];

    /// `none`, `river`, `turn` or `flop`.
    pub const fn name(self) -> &'static str {
        match self {
            SearchFrom::None => "none",
            SearchFrom::River => "river",
            SearchFrom::Turn => "turn",
            SearchFrom::Flop => "flop",
        }
    }

    /// Whether a street is solved to the end of the hand.
    pub fn includes(self, street: Street) -> bool {
        match self {
            SearchFrom::None => false,
            SearchFrom::River => street == Street::River,
            SearchFrom::Turn | SearchFrom::Flop => street >= Street::Turn,
        }
    }
}

impl fmt::Display for SearchFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for SearchFrom {
    type Err = UnknownSearch;

    fn from_str(text: &str) -> Result<SearchFrom, UnknownSearch> {
        let found = SearchFrom::ALL.into_iter().find(|from| from.name() == text);
        found.ok_or_else(|| UnknownSearch(text.to_owned()))
    }
}

/// A text that names no street from which an agent searches.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown street '{0}' to search from: expected flop, turn, river or none")]
pub struct UnknownSearch(pub String);

/// How an agent plays. With `think` unset, it is one fixed strategy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentConfig {
    /// The first street that is solved.
    pub from: SearchFrom,
    /// With [`SearchFrom::Flop`], what stands for the rest of the hand in a solve of the flop.
    pub leaf: LeafKind,
    /// With [`LeafKind::Continuations`], about how many rivers after each turn leaf values are a mean of;
    /// all of them if unset.
    pub leaf_rivers: Option<u32>,
    /// How the opponent comes to the root of a subgame.
    pub gadget: GadgetKind,
    /// The most iterations of a solve.
    pub iterations: u32,
    /// The exploitability at which a solve ends before that, as a share of the pot.
    pub target: Option<f64>,
    /// The most time that a solve takes. What is played then depends on the machine.
    pub think: Option<Duration>,
    /// Whether the river is solved again after a solved turn, not only after sizes that the turn's
    /// solution does not contain.
    pub resolve_river: bool,
    /// Whether a solve begins with the blueprint's strategy.
    pub warm_start: bool,
    /// Whether decisions come with the value of each action. That takes a few iterations' time on a
    /// solved turn, and a walk of all boards below on a flop that is played by the blueprint.
    pub values: bool,
    /// Whether solves are measured by exact best responses, which takes a few iterations' time.
    pub measure: bool,
    /// What actions and the neighbours of sizes that the blueprint does not have are drawn by.
    pub seed: u64,
    /// The most bytes of solved subgames to keep for later decisions.
    pub cache_bytes: u64,
}

impl Default for AgentConfig {
    fn default() -> AgentConfig {
        AgentConfig {
            from: SearchFrom::default(),
            leaf: LeafKind::default(),
            leaf_rivers: None,
            gadget: GadgetKind::default(),
            iterations: 400,
            target: Some(0.01),
            think: None,
            resolve_river: false,
            warm_start: false,
            values: true,
            measure: false,
            seed: 0,
            cache_bytes: 2 << 30,
        }
    }
}

impl AgentConfig {
    /// The same with other limits of its solves, where there are any. With iterations alone, all of them
    /// are done.
    #[must_use]
    pub fn with_limits(self, iterations: Option<u32>, target: Option<f64>) -> AgentConfig {
        match iterations {
            None => AgentConfig { target: target.or(self.target), ..self },
            Some(iterations) => AgentConfig { iterations, target, ..self },
        }
    }

    /// The budget of a solve.
    pub fn budget(&self) -> Budget {
        Budget { iterations: self.iterations, target: self.target, time: self.think }
    }
}
