//! Hands played against the agent, by people and by programs.
//!
//! | item | what it is |
//! |---|---|
//! | [`PlayedHand`] | a hand as it was played: chips, cards and actions |
//! | [`Replay`] | the same, checked by the rules: every state on the way, and how it ended |
#![forbid(unsafe_code)]

mod record;

pub use record::{End, Played, PlayedHand, RecordError, Replay, sized};
