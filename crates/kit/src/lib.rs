//! What every front end of Lethe shares: a command, a server, a Python module or an MPI driver.
//!
//! | module | what it is |
//! |---|---|
//! | [`data`], [`files`], [`verify`](mod@verify) | the data directory; files that are whole or refused; every byte checked |
//! | [`config`] | abstraction, training and spot configurations, and the one error that points at a line |
//! | [`abstractions`] | build or open, look up, inspect, compare |
//! | [`training`], [`runs`] | train a blueprint, open it again |
//! | [`strategy`], [`subgame`], [`measure`], [`report`] | what a blueprint does, the spots it plays into, how good it is, how it was trained |
//! | [`spot`], [`solution`] | spot files and locks; solve, open, walk, and views of any position |
//! | [`sweep`], [`flop_work`], [`merge`](mod@merge) | a spot solved on many flops; exploitability flop by flop; parts of such work, joined |
//! | [`line`](mod@line), [`action`], [`grid`], [`hand_class`] | lines, actions, 13 by 13 grids, made hands and draws |
//! | [`equity`], [`cards`], [`range`] | equities; canonical forms and the ranking of hands; ranges to edit |
//! | [`export`] | strategies as CSV, JSON or Parquet |
//! | [`lab`], [`plot`] | what abstractions lose; SVG and HTML |
//! | [`limits`], [`text`] | limits as people write them, numbers as people read them |
//! | [`signature`], [`deals`] | one hash over results of every stage; seeded random deals |
//!
//! The crate prints nothing, parses no command line and makes no threads.
//!
//! ```
//! use lethe_kit::config::AbstractionConfig;
//!
//! let plan = AbstractionConfig::preset("default")?.resolve()?;
//! assert_eq!(plan.streets().flop.buckets(), 500);
//!
//! let error = AbstractionConfig::from_yaml("seed: x", "my.yaml").unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "my.yaml:1:7: seed: \"x\" is text; expected a whole number from 0\n\
//!      \x20 1 | seed: x\n\
//!      \x20   |       ^"
//! );
//! # Ok::<(), lethe_kit::config::ConfigError>(())
//! ```

#![deny(unsafe_code)]

pub mod abstractions;
pub mod action;
pub mod cards;
pub mod config;
pub mod data;
pub mod deals;
pub mod equity;
mod error;
pub mod export;
pub mod flop_work;
pub mod grid;
pub mod hand_class;
pub mod inventory;
pub mod lab;
pub mod limits;
pub mod line;
pub mod measure;
pub mod merge;
pub mod plot;
pub mod range;
pub mod report;
pub mod runs;
pub mod signature;
pub mod solution;
pub mod spot;
pub mod strategy;
pub mod subgame;
pub mod sweep;
pub mod text;
pub mod training;
pub mod values;
pub mod verify;

pub use error::Error;
pub use lethe_files as files;
