//! Configurations, and the one error that points at a line of them.
//!
//! | configuration | what it describes |
//! |---|---|
//! | [`AbstractionConfig`] | an abstraction to build; [`presets`] come with the crate |
//! | [`training_config`] | a blueprint to train; [`training_presets`] come with the crate |
//! | [`SpotFile`](crate::spot::SpotFile) | a postflop spot to solve |
//!
//! Each is read from a [`Source`], a text whose [`Place`]s are remembered, so that a [`ConfigError`]
//! can show the line in question:
//!
//! ```
//! use lethe_kit::config::AbstractionConfig;
//!
//! let error = AbstractionConfig::from_yaml("num_rivr_buckets: 200", "my.yaml").unwrap_err();
//! assert_eq!(error.position(), Some((1, 1)));
//! assert!(error.to_string().contains("did you mean num_river_buckets?"));
//! ```

mod abstraction;
mod error;
mod flop_tables;
mod preset;
mod source;
mod training;

pub use abstraction::AbstractionConfig;
pub use error::ConfigError;
pub use flop_tables::{flop_table, flop_tables};
pub use preset::{Preset, presets, training_presets};
pub use source::{Place, Source, tame};
pub use training::{training_config, training_source};
