//! Blueprints: strategies for whole hands of no-limit hold'em, trained on a card abstraction.

mod blueprint;
mod checkpoint;
mod config;
mod deal;
mod exact;
mod exploitability;
mod kernel;
mod metrics;
mod plan;
mod play;
mod preflop;
mod query;
mod random;
mod run;
mod store;
mod train;

pub use blueprint::{Blueprint, BlueprintError, CardModel, CheckpointKind};
pub use checkpoint::{AbstractionRef, Checkpoint, CheckpointError, Header, write_checkpoint};
pub use config::{Prune, TrainConfig, TrainConfigError, Training};
pub use exact::{Exact, FlopValues};
pub use exploitability::{Exploitability, Flops, Seats};
pub use lethe_rows::Buckets;
pub use metrics::{Estimate, EstimateKind, MatchResult, Metrics};
pub use plan::Plan;
pub use play::{
    Baseline, ByEquity, LocalBestResponse, Match, Mean, Policy, TablePolicy, UnknownBaseline,
    Winnings,
};
pub use query::Decision;
pub use run::{Limits, Run, RunError};
pub use store::{Averages, Store, Uniform, Weights};
pub use train::{Discount, Opponent, Sampling, Trainer};
