//! Hands played against the agent, by people and by programs.
//!
//! | item | what it is |
//! |---|---|
//! | [`PlayedHand`] | a hand as it was played: chips, cards and actions |
//! | [`Replay`] | the same, checked by the rules: every state on the way, and how it ended |
//! | [`parse_action`], [`History`] | actions and hands as players write them |
//! | [`AdviceView`], [`JudgedView`] | what an agent would do, and what something else costs |
//! | [`Session`], [`Score`] | hands of a person against an agent, and what was won |
#![forbid(unsafe_code)]

pub mod acpc;
mod acpc_client;
mod advice;
mod history;
mod judge;
mod record;
mod score;
mod session;
mod words;

pub use acpc_client::{AcpcError, LineProblem, MatchHand, play_match};
pub use advice::AdviceView;
pub use history::{History, HistoryError};
pub use judge::JudgedView;
pub use record::{End, Played, PlayedHand, RecordError, Replay, sized};
pub use score::{Rate, Score};
pub use session::{
    ActedView, FinishedHand, Legal, PlayError, ResultView, Seated, Session, SessionConfig,
    TableView, Who,
};
pub use words::{WordError, parse_action};
