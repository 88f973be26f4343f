//! Hands played against the agent, by people and by programs.
//!
//! | item | what it is |
//! |---|---|
//! | [`PlayedHand`] | a hand as it was played: chips, cards and actions |
//! | [`Duel`] | a match of policies and agents, with records and luck removed |
//! | [`Baseline`], [`ScoreTally`] | scores with luck removed |
//! | [`Replay`] | the same, checked by the rules: every state on the way, and how it ended |
#![forbid(unsafe_code)]

mod aivat;
mod duel;
mod record;

pub use aivat::{Baseline, Ending, Score, ScoreError, ScoreTally, Step, Trace, TraceError, View};
pub use duel::{Contestant, Duel, DuelError, DuelResult};
pub use record::{End, Played, PlayedHand, RecordError, Replay, sized};
