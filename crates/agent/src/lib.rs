//! Subgame solving under a blueprint.
//!
//! A blueprint plays whole hands by buckets. This crate solves the part of a hand that is being
//! played again, with real cards, such that an opponent gains nothing by it: see [`Gadget`] for how,
//! and `docs/agent.md` for why.
//!
//! | item | what it is |
//! |---|---|
//! | [`Subgame`] | the rest of a hand from a street on; [`Solved`] by a [`Budget`] of iterations or time |
//! | [`Gadget`], [`GadgetKind`] | how the opponent comes to the root of a subgame |
//! | [`GadgetMeasure`] | how far a solved subgame is from an equilibrium, and what the opponent gained |
#![forbid(unsafe_code)]

mod gadget;
mod subgame;

pub use gadget::{Gadget, GadgetKind, GadgetMeasure, UnknownGadget};
pub use subgame::{Budget, Measured, Solved, Subgame, SubgameError};
