//! What every front end of Lethe shares: a command, a server, a Python module or an MPI driver.
//!
//! | module | what it is |
//! |---|---|
//! | [`config`] | abstraction, training and spot configurations, and the one error that points at a line |
//! | [`files`] | bounded reading, and writing beside and renaming |
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
pub mod config;
pub mod data;
mod error;
pub mod files;
pub mod plot;
pub mod text;

pub use error::Error;
