//! Why a build fails.

use lethe_cards::Street;
use lethe_cluster::{KMeansError, LineError};

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
    /// The build was stopped.
    #[error("the build was stopped")]
    Cancelled,
    /// Clustering failed.
    #[error("{street}: {source}")]
    KMeans {
        /// The street.
        street: Street,
        /// Why.
        source: KMeansError,
    },
    /// Splitting numbers failed.
    #[error("{street}: {source}")]
    Line {
        /// The street.
        street: Street,
        /// Why.
        source: LineError,
    },
}

impl BuildError {
    pub(crate) fn kmeans(street: Street, error: KMeansError) -> BuildError {
        match error {
            KMeansError::Cancelled => BuildError::Cancelled,
            source => BuildError::KMeans { street, source },
        }
    }
}
