//! What every front end of Lethe shares: a command, a server, a Python module or an MPI driver.
//!
//! | module | what it is |
//! |---|---|
//! | [`action`] | actions as every front end names them |
//! | [`cards`] | canonical forms, canonical boards, the ranking of hands |
//! | [`config`] | abstraction, training and spot configurations, and the one error that points at a line |
//! | [`deals`] | random deals that a seed fixes |
//! | [`equity`] | equities of hands and ranges, and what the next card does to them |
//! | [`export`] | the strategies of solutions and blueprints as CSV, JSON or Parquet |
//! | [`files`] | bounded reading, and writing beside and renaming |
//! | [`grid`] | ranges as grids of 13 by 13 |
//! | [`hand_class`] | made hands and draws |
//! | [`limits`] | limits of time, memory and exploitability as people write them |
//! | [`line`](mod@line) | betting and dealt cards as text, in solutions and blueprints |
//! | [`signature`] | one hash over the results of every stage |
//! | [`solution`] | solving, opening, walking, and views of any position |
//! | [`spot`] | spot files, starting points and locks |
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
pub mod files;
pub mod grid;
pub mod hand_class;
pub mod lab;
pub mod limits;
pub mod line;
pub mod measure;
pub mod plot;
pub mod report;
pub mod runs;
pub mod signature;
pub mod solution;
pub mod spot;
pub mod strategy;
pub mod text;
pub mod training;

pub use error::Error;
