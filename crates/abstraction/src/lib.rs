//! Exact, exhaustive card abstractions of hold'em: build, store, look up.

#[cfg(target_endian = "big")]
compile_error!("artifacts are little-endian and mapped as they are");

mod artifact;
mod build;
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

pub use artifact::{
    ArtifactEntry, ArtifactWriter, BucketEquities, BucketEquitiesRef, BuildSummary, CreateOutcome,
    FORMAT_VERSION, FileEntry, HeaderFault, Metadata, OpenError, StoredRef, VerifyError,
    VerifyProblem, VerifyReport, WriteError, add_bucket_equities, list, verify,
};
pub use build::{Built, Estimate, build, estimate};
pub use equities::Equities;
pub use error::BuildError;
pub use lookup::{Abstraction, Lookup};
pub use methods::ochs::MAX_CLUSTERS as MAX_OCHS_CLUSTERS;
pub use pairs::{BucketEquitiesError, BucketRows, MAX_BUCKETS, bucket_equities};
pub use plan::{Distance, Horizon, Method, PerStreet, Plan, Sampling, Split, StreetPlan, Strength};
pub use report::{BoardCluster, BuiltStreet, Quality, Stored, StreetReport};
pub use sparse::{SparseRef, SparseTable};
pub use table::{BucketId, Table, TableRef};
