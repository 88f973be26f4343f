//! Why a build fails.

use lethe_cards::Street;
use lethe_cluster::ClusterError;
use lethe_compute::Cancelled;

/// Why a street's buckets could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// More buckets than features that differ.
    #[error(
        "{street}: {wanted} buckets for {distinct} distinct features; ask for at most {distinct}, \
         or for more histogram bins"
    )]
    TooManyBuckets {
        /// The street.
        street: Street,
        /// The buckets asked for.
        wanted: usize,
        /// The distinct features.
        distinct: usize,
    },
    /// More clusters of boards than textures that differ.
    #[error(
        "{street}: {wanted} board clusters for {distinct} distinct board textures; ask for at most \
         {distinct}"
    )]
    TooManyClusters {
        /// The street.
        street: Street,
        /// The clusters asked for.
        wanted: usize,
        /// The distinct textures.
        distinct: usize,
    },
    /// The build was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// Clustering failed.
    #[error("{street}: {source}")]
    Cluster {
        /// The street.
        street: Street,
        /// Why.
        source: ClusterError,
    },
}

impl BuildError {
    pub(crate) fn cluster(street: Street, error: ClusterError) -> BuildError {
        match error {
            ClusterError::Cancelled(cancelled) => cancelled.into(),
            source => BuildError::Cluster { street, source },
        }
    }
}
