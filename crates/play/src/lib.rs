//! Hands played against the agent, by people and by programs.
//!
//! | item | what it is |
//! |---|---|
//! | [`PlayedHand`] | a hand as it was played: chips, cards and actions |
//! | [`Duel`] | a match of policies and agents, with records and luck removed |
//! | [`contest`], [`review`] | matches of players by name; hand histories judged by an agent |
//! | [`Baseline`], [`ScoreTally`] | scores with luck removed |
//! | [`Replay`] | the same, checked by the rules: every state on the way, and how it ended |
//! | [`write_hands`], [`read_hands`], [`read_acpc_log`] | hand histories in PHH, and logs of the ACPC dealer |
//! | [`parse_action`], [`History`] | actions and hands as players write them |
//! | [`AdviceView`], [`JudgedView`] | what an agent would do, and what something else costs |
//! | [`Driver`] | a session by lines of text |
//! | [`Session`], [`SessionScore`] | hands of a person against an agent, and what was won |
#![forbid(unsafe_code)]

pub mod acpc;
mod acpc_client;
mod acpc_log;
mod advice;
mod aivat;
mod contest;
mod driver;
mod duel;
mod history;
mod judge;
mod phh;
mod record;
mod review;
mod score;
mod session;
mod words;

pub use acpc_client::{
    AcpcError, LineProblem, MatchHand, MatchSummary, game_definition, play_match, play_scored,
};
pub use acpc_log::{AcpcLogError, LogProblem, is_acpc_log, read_acpc_log};
pub use advice::AdviceView;
pub use aivat::{Baseline, Ending, Score, ScoreError, ScoreTally, Step, Trace, TraceError, View};
pub use contest::{AivatView, ContestConfig, ContestError, ContestView, SearchedView, contest};
pub use driver::{Driver, Reply, TableText};
pub use duel::{Contestant, Duel, DuelError, DuelResult};
pub use history::{History, HistoryError};
pub use judge::JudgedView;
pub use phh::{PhhError, PhhProblem, read_hands, write_hand, write_hands};
pub use record::{End, Played, PlayedHand, RecordError, Replay, sized};
pub use review::{
    HistoryFileError, ReviewError, ReviewProblem, ReviewTotal, ReviewView, ReviewedView,
    read_records, review,
};
pub use score::{Rate, SessionScore};
pub use session::{
    ActedView, FinishedHand, Legal, PlayError, ResultView, Seated, Session, SessionConfig,
    TableView, Who,
};
pub use words::{WordError, parse_action};
