//! Exact, exhaustive card abstractions of hold'em: build, store, look up.

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
pub use method::Method;
pub use plan::{KMeansSettings, PerStreet, Plan, PlanError, StreetPlan};
pub use report::{BuiltStreet, StreetReport};
pub use texture::distinct_textures;
