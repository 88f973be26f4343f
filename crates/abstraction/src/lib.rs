//! Exact, exhaustive card abstractions of hold'em: build, store, look up.
//!
//! An abstraction puts every situation (a hole on a board) into one of a few hundred buckets per
//! street, so that a solver can treat alike hands alike. Here every hole of every board is visited
//! and every equity is exact; nothing is sampled unless a plan asks for it.
//!
//! | item | what it is |
//! |---|---|
//! | [`Plan`], [`StreetPlan`], [`method`] | what to build: a method and a number of buckets per street |
//! | [`build`] | builds a plan for all boards |
//! | [`BoardSet`], [`Domain`], [`Builder`] | the same for any set of boards, such as those below a flop |
//! | [`FlopTable`], [`FlopClusters`] | clusters of flops, which every bucket of a plan is part of if it has them |
//! | [`artifact`] | the result on disk: write, list, verify, and [`Abstraction`] to look up buckets |
//! | [`report`] | what a build reports: sizes, equities, quality |
//! | [`table`] | buckets in memory: dense for every slot, or sparse |
//! | [`bucket_equities`] | how every bucket of a street fares against every other |
//!
//! A **slot** is a hole on a canonical board; the slots of a board are its **row**, in the order of
//! its deck. Every table is rows, board after board. Long computations take a
//! [`Job`](lethe_compute::Job): threads, progress and cancellation. The same plan gives the same
//! bytes for any number of threads.
//!
//! Buckets of the situations that can follow one turn, by the histogram of their river equities:
//!
//! ```
//! use lethe_abstraction::method::{Distance, Horizon};
//! use lethe_abstraction::{Builder, Domain, KMeansSettings, Method, StreetPlan};
//! use lethe_cards::Street;
//! use lethe_compute::Job;
//!
//! let job = Job::default();
//! let domain = Domain::below(&"Ks7h2d9s".parse()?, job)?;
//! let method = Method::Histogram { bins: 10, distance: Distance::CdfL2, horizon: Horizon::Next };
//! let plan = StreetPlan::new(Street::Turn, method, 30)?;
//! let built = Builder::default().street(&plan, KMeansSettings::default(), &domain, job)?;
//! assert!(built.report.quality.variance_explained > 0.95);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! With a [`Plan`] of three streets, [`build`] and [`artifact::ArtifactWriter`] make an abstraction
//! of all boards, and [`Abstraction::open`] looks up any hole on any board.

#[cfg(target_endian = "big")]
compile_error!("artifacts are little-endian and mapped as they are");

pub mod artifact;
mod boards;
pub mod bucket_equities;
mod build;
mod distinct;
mod equities;
mod error;
mod features;
mod flop_table;
pub mod method;
mod methods;
mod plan;
mod quality;
pub mod report;
pub mod table;
mod texture;

pub use artifact::{Abstraction, Lookup, OpenError};
pub use boards::{BoardSet, Domain};
pub use build::{Builder, Built, Estimate, build, estimate};
pub use equities::Equities;
pub use error::BuildError;
pub use flop_table::{FlopTable, FlopTableError};
pub use lethe_rows::FlopClusters;
pub use method::Method;
pub use plan::{ALGORITHM_VERSION, KMeansSettings, PerStreet, Plan, PlanError, StreetPlan};
pub use report::{BuiltStreet, StreetReport};
pub use texture::distinct_textures;
