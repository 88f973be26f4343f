//! Why points or values cannot be clustered.

use lethe_compute::Cancelled;
use thiserror::Error;

/// Why no clustering could be made. On a line, points are values and clusters are intervals.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// No clusters were asked for.
    #[error("at least one cluster is needed; 0 were asked for")]
    NoClusters,
    /// There are no centroids.
    #[error("there are no centroids to assign points to")]
    NoCentroids,
    /// Fewer distinct points than clusters.
    #[error(
        "{clusters} clusters were asked for, but only {distinct} distinct points have weight; \
         ask for at most {distinct}"
    )]
    TooFewPoints {
        /// Clusters asked for.
        clusters: usize,
        /// Distinct points of positive weight.
        distinct: usize,
    },
    /// Points and weights differ in number.
    #[error("{points} points need as many weights; {weights} were given")]
    Weights {
        /// Number of points.
        points: usize,
        /// Number of weights.
        weights: usize,
    },
    /// All weights are zero, or there are no points.
    #[error("the weights sum to 0: there is nothing to cluster")]
    NoWeight,
    /// The weights sum to more than 2^53.
    #[error("the weights sum to more than 2^53; divide them by a common factor")]
    TooMuchWeight,
    /// Points and centroids differ in dimension.
    #[error(
        "points of dimension {points} cannot be assigned to centroids of dimension {centroids}"
    )]
    Dimensions {
        /// Dimension of the points.
        points: usize,
        /// Dimension of the centroids.
        centroids: usize,
    },
    /// The value with this index is not above the one before it.
    #[error(
        "value {0} is not greater than the one before it; sort the values and merge equal ones"
    )]
    NotAscending(usize),
    /// The point or value with this index has no weight.
    #[error("point {0} has weight 0; leave it out")]
    ZeroWeight(usize),
    /// More points than the distances of all pairs are kept for.
    #[error("{points} points are more than {most}, the most that a hierarchy is made of")]
    TooManyPoints {
        /// Number of points.
        points: usize,
        /// The most there may be.
        most: usize,
    },
    /// The sums that give the costs of intervals would overflow 128-bit integers.
    #[error(
        "the values span too wide a range for their weight: (span x total weight)^2 must be below 2^126"
    )]
    TooLarge,
    /// The job was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}
