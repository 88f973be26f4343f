//! Why bucket equity tables cannot be computed.

use lethe_cards::Street;
use lethe_compute::Cancelled;

use super::{MAX_BUCKETS, table_bytes};

/// Why the equities of a street's buckets against one another could not be computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BucketEquitiesError {
    /// The table would take more memory than is allowed for.
    #[error(
        "{street}: the equities of {buckets} buckets against one another would take {} MiB; the \
         limit is {MAX_BUCKETS} buckets, {} MiB",
        mebibytes(*buckets),
        mebibytes(MAX_BUCKETS)
    )]
    TooManyBuckets {
        /// The street.
        street: Street,
        /// How many buckets it has.
        buckets: usize,
    },
    /// There is no board before the flop, so there are no buckets of situations.
    #[error(
        "there are no bucket equity tables before the flop; `lethe_cards::Matchups` has the all-in \
         equities of starting hands"
    )]
    Preflop,
    /// A bucket that the street does not have.
    #[error(
        "{street}: board {board} has a hole in bucket {bucket} of {buckets}; verify the abstraction"
    )]
    NoSuchBucket {
        /// The street.
        street: Street,
        /// The index of the canonical board.
        board: usize,
        /// The bucket found.
        bucket: u32,
        /// How many buckets there are.
        buckets: usize,
    },
    /// The job was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

fn mebibytes(buckets: usize) -> u128 {
    table_bytes(buckets).div_ceil(1 << 20)
}
