//! Exact, exhaustive card abstractions of hold'em: build, store, look up.

#[cfg(target_endian = "big")]
compile_error!("artifacts are little-endian and mapped as they are");

pub mod artifact;
pub mod bucket_equities;
mod build;
mod distinct;
mod equities;
mod error;
pub mod features;
pub mod method;
mod methods;
mod plan;
mod quality;
pub mod report;
pub mod table;
mod texture;

pub use artifact::{Abstraction, Lookup, OpenError};
pub use build::{Built, Estimate, build, estimate};
pub use equities::Equities;
pub use error::BuildError;
pub use method::Method;
pub use plan::{KMeansSettings, PerStreet, Plan, PlanError, StreetPlan};
pub use report::StreetReport;
