//! Blueprints: strategies for whole hands of no-limit hold'em, trained on a card abstraction.
//!
//! | item | what it is |
//! |---|---|
//! | [`TrainConfig`] | the game, the abstraction and how to train |
//! | [`Run`] | a directory in which a strategy is trained, evaluated and stored; reports [`Metrics`] |
//! | [`Blueprint`] | a trained strategy, opened for queries; [`Decision`] is one of its nodes, a [`VerifiedBlueprint`] plays |
//! | [`Checkpoint`] | the file of a blueprint: its [`Header`] and its cells |
//! | [`CardModel`], [`Buckets`] | the buckets of all holes: an abstraction, or a bucketing of one's own |
//! | [`Plan`], [`Store`], [`Trainer`] | the betting tree with its cells, their numbers, and the training of them |
//! | [`Exact`] | values and best responses in real cards: [`Exploitability`] over all [`Flops`] or a sample |
//! | [`Values`] | what hands and buckets win with the strategy, stored beside a checkpoint |
//! | [`FlopProfiles`] | what hands win on each flop: the features that flops are clustered by |
//! | [`LocalBestResponse`] | a lower bound on exploitability, by playing hands |
//! | [`Match`] | hands played between two [`Policy`]s: blueprints, [`Baseline`]s, [`ByEquity`] |
//!
//! Every computation that takes long runs on a [`Job`](lethe_compute::Job), which provides its threads
//! and can cancel it. No result depends on the number of threads: the same seed trains the same
//! strategy to the byte.
//!
//! ```
//! use lethe_blueprint::{
//!     Blueprint, CardModel, CheckpointKind, Limits, Run, TrainConfig, Training,
//! };
//! use lethe_cards::Board;
//! use lethe_compute::Job;
//! use lethe_game::{HandConfig, Sizes};
//!
//! // 10 big blinds: the small blind goes all-in or folds, the big blind calls or folds.
//! let mut game = HandConfig::new(1000, 50, 100);
//! game.bet_sizes.preflop.sb.raise = Sizes::parse_raises("a")?;
//! game.bet_sizes.preflop.limp = false;
//! let config = TrainConfig { game, abstraction: None, training: Training::default() };
//!
//! # let dir = std::env::temp_dir().join(format!("lethe-blueprint-{}", std::process::id()));
//! let mut run = Run::create(&dir, &config, CardModel::Blank)?;
//! let limits = Limits { iterations: Some(20), ..Limits::default() };
//! run.train(limits, Job::default(), &mut |metrics| assert!(metrics.iterations <= 20))?;
//!
//! let blueprint = Blueprint::open(&dir, CheckpointKind::Latest)?;
//! let first = blueprint.tree().root();
//! let aces = blueprint.frequencies(first, "AsAh".parse()?, &Board::EMPTY)?;
//! assert!(aces.is_some_and(|shares| shares[1] > 0.9), "aces go all-in");
//! # std::fs::remove_dir_all(dir)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod best;
mod blueprint;
mod changes;
mod checkpoint;
mod config;
mod deal;
mod exact;
mod exploitability;
#[cfg(test)]
mod exploitability_tests;
mod flop_profiles;
mod kernel;
mod lanes;
mod metrics;
mod plan;
mod play;
mod preflop;
mod query;
mod random;
mod rounded;
mod run;
mod sample;
mod stages;
mod store;
mod train;
mod values;

pub use blueprint::{Blueprint, BlueprintError, CardModel, CheckpointKind, VerifiedBlueprint};
pub use checkpoint::{
    AbstractionRef, AdversaryRegrets, Cells, Checkpoint, CheckpointError, Header, MAGIC,
    write_checkpoint,
};
pub use config::{Prune, TrainConfig, TrainConfigError, Training};
pub use exact::{
    ActionValues, Bias, Continuations, Exact, FlopStrategy, FlopValues, HoleBuckets, HoleStrategy,
    PairValues, Replaced, Root, RootValues, Roots, Trunk, TurnValues, Wanted, all_in_pairs,
};
pub use exploitability::{Exploitability, FlopSample, Flops, Ladder, Measured, PreflopPlay, Seats};
pub use flop_profiles::{FlopProfile, FlopProfiles, Grouping, ValueKind};
pub use lethe_rows::Buckets;
pub use metrics::{Estimate, EstimateKind, Exchanged, MatchResult, Metrics, MetricsError};
pub use plan::Plan;
pub use play::{
    Baseline, ByEquity, Draws, LocalBestResponse, Match, MatchDeal, Mean, Policy, Sample,
    TablePolicy, Tally, UnknownBaseline, Winnings,
};
pub use query::Decision;
pub use run::{Limits, Run, RunError};
pub use stages::{Stage, Stages, StagesError};
pub use store::{Averages, Store, Uniform, Weights};
pub use train::{
    Adversary, Boards, Discount, Opponent, Pooling, Ranks, RanksError, Reached, Sampling, Traffic,
    Trainer,
};
pub use values::{
    HandValue, StartValue, VALUES_MAGIC, Values, ValuesError, ValuesFile, ValuesHeader,
};
