//! How Lethe computes: on which threads, with which vector instructions, watched by whom.
//!
//! | item | what it is |
//! |---|---|
//! | [`Job`] | what every long computation is given: a [`Pool`] of threads and a [`Progress`] |
//! | [`Progress`] | the one interface for progress bars and cancellation |
//! | [`Cancelled`] | the error of a computation that was asked to stop |
//! | [`simd`] | kernels written once and compiled for the plain target and for AVX2 |
//!
//! The crate knows neither cards nor files.
//!
//! ```
//! use lethe_compute::{Job, Pool};
//! use rayon::prelude::*;
//!
//! let pool = Pool::new(2)?;
//! let job = Job::new(&pool);
//! let squares: Vec<u64> = job.install(|| (0..100_u64).into_par_iter().map(|n| n * n).collect());
//! assert_eq!(squares[9], 81);
//! job.check()?; // an error once the user has asked to stop
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(unsafe_code)]

mod job;
mod progress;
pub mod simd;

pub use job::{Job, Pool, PoolError};
pub use progress::{Cancelled, NoProgress, Progress};
