//! Exact, exhaustive card abstractions of hold'em: build, store, look up.

#[cfg(target_endian = "big")]
compile_error!("artifacts are little-endian and mapped as they are");

mod artifact;
mod build;
mod config;
mod distinct;
mod equities;
mod error;
pub mod features;
mod lookup;
mod methods;
mod pairs;
mod plan;
mod quality;
mod report;
mod sparse;
mod table;
mod texture;
mod watch;

pub use artifact::{
    ArtifactWriter, BucketPairs, BucketPairsRef, BuildSummary, Entry, FORMAT_VERSION, FileEntry,
    HeaderFault, Metadata, OpenError, Problem, Start, StoredRef, VerifyError, VerifyReport,
    WriteError, add_pairs, list, verify,
};
pub use build::{Built, Estimate, build, estimate};
pub use config::{Config, ConfigError, ConfigProblem, Preset, presets};
pub use equities::Equities;
pub use error::BuildError;
pub use lookup::{Abstraction, Lookup};
pub use pairs::{BucketRows, MAX_BUCKETS, PairsError, bucket_pairs};
pub use plan::{Distance, Horizon, Method, PerStreet, Plan, Sampling, Split, StreetPlan, Strength};
pub use report::{BoardCluster, BuiltStreet, Quality, Stored, StreetReport};
pub use sparse::{SparseRef, SparseTable};
pub use table::{BucketId, Table, TableRef};
pub use watch::{Unwatched, Watch};
