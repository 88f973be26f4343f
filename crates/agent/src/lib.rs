//! Subgame solving under a blueprint.
//!
//! A blueprint plays whole hands by buckets. This crate solves the part of a hand that is being
//! played again, with real cards, such that an opponent gains nothing by it: see [`Gadget`] for how,
//! and `docs/agent.md` for why.
//!
//! | item | what it is |
//! |---|---|
//! | [`Agent`] | a blueprint that solves the end of the hand it is in, by an [`AgentConfig`] |
//! | [`HandState`], [`Decision`] | what it is asked, and what it answers |
//! | [`Subgame`] | the rest of a hand from a street on; [`Solved`] by a [`Budget`] of iterations or time |
//! | [`FlopSubgame`] | the betting of a flop, with [`FlopLeaves`] where it ends |
//! | [`Gadget`], [`GadgetKind`] | how the opponent comes to the root of a subgame |
//! | [`SearchMeasure`] | the exploitability of an agent that searches: every subgame of whole flops solved |
//! | [`GadgetMeasure`] | how far a solved subgame is from an equilibrium, and what the opponent gained |
#![forbid(unsafe_code)]

mod agent;
mod cache;
mod config;
mod error;
mod finished;
mod flop;
mod gadget;
mod hand;
mod measure;
mod measure_flop;
mod search;
mod sizes;
mod subgame;
mod trunk;
mod values;
mod warm;

pub use agent::{Agent, Decision, Source};
pub use config::{AgentConfig, SearchFrom, UnknownSearch};
pub use error::AgentError;
pub use finished::{Finished, FinishedError};
pub use flop::{FlopLeaves, FlopSolved, FlopSubgame, LeafKind, Leaves, UnknownLeaf};
pub use gadget::{Gadget, GadgetKind, GadgetMeasure, UnknownGadget};
pub use hand::HandState;
pub use measure::{AgentExploitability, MeasureError, Search, SearchMeasure};
pub use sizes::fraction as pot_fraction;
pub use subgame::{Budget, Measured, Solved, Subgame, SubgameError};
pub use warm::WarmStart;
