//! Why a build fails.

use lethe_cards::Street;
use lethe_cluster::{AssignError, KMeansError, LineError};
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
    KMeans {
        /// The street.
        street: Street,
        /// Why.
        source: KMeansError,
    },
    /// Assigning features to centroids failed.
    #[error("{street}: {source}")]
    Assign {
        /// The street.
        street: Street,
        /// Why.
        source: AssignError,
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
            KMeansError::Cancelled(cancelled) => cancelled.into(),
            source => BuildError::KMeans { street, source },
        }
    }

    pub(crate) fn line(street: Street, error: LineError) -> BuildError {
        match error {
            LineError::Cancelled(cancelled) => cancelled.into(),
            source => BuildError::Line { street, source },
        }
    }

    pub(crate) fn assign(street: Street, error: AssignError) -> BuildError {
        match error {
            AssignError::Cancelled(cancelled) => cancelled.into(),
            source => BuildError::Assign { street, source },
        }
    }
}
