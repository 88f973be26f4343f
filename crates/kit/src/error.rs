//! What can go wrong below a front end.

use std::path::PathBuf;

use lethe_abstraction::artifact::{VerifyError, WriteError};
use lethe_abstraction::bucket_equities::BucketEquitiesError;
use lethe_abstraction::{BuildError, OpenError};
use lethe_blueprint::{BlueprintError, RunError};
use lethe_cards::{Board, Hole, Street};
use lethe_compute::{Cancelled, PoolError};

use crate::abstractions::StreamError;
use crate::config::ConfigError;
use crate::data::FindError;
use crate::files::FileError;
use crate::measure::MatchError;
use crate::report::HistoryError;
use crate::strategy::StrategyError;
use crate::text;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A configuration cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Nothing in the data directory has that name.
    #[error(transparent)]
    Find(#[from] FindError),
    /// An abstraction cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// An abstraction cannot be built.
    #[error(transparent)]
    Build(BuildError),
    /// An abstraction cannot be written.
    #[error(transparent)]
    Write(WriteError),
    /// An abstraction cannot be verified.
    #[error(transparent)]
    Verify(VerifyError),
    /// Equities of buckets cannot be computed.
    #[error(transparent)]
    BucketEquities(BucketEquitiesError),
    /// A blueprint cannot be opened.
    #[error(transparent)]
    Blueprint(#[from] BlueprintError),
    /// A blueprint cannot be trained.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Threads cannot be started.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// An abstraction lacks the report of a street.
    #[error(
        "{}: no usable report of the {street}; build the abstraction again", path.display()
    )]
    NoReport {
        /// The abstraction.
        path: PathBuf,
        /// The street.
        street: Street,
    },
    /// A table holds a bucket that does not exist.
    #[error(
        "{}: the {street} table holds bucket {bucket} of {buckets}; verify the abstraction, then \
         build it again", path.display()
    )]
    BucketTooLarge {
        /// The abstraction.
        path: PathBuf,
        /// The street.
        street: Street,
        /// The bucket in the table.
        bucket: u32,
        /// The number of buckets.
        buckets: usize,
    },
    /// A hole and a board share a card.
    #[error("{hole} holds a card of {board}")]
    SharedCard {
        /// The hole.
        hole: Hole,
        /// The board.
        board: Board,
    },
    /// There is no such bucket.
    #[error("the {street} has no bucket {bucket}: its buckets are 0 to {last}")]
    NoSuchBucket {
        /// The street.
        street: Street,
        /// The bucket asked for.
        bucket: u32,
        /// The last bucket.
        last: usize,
    },
    /// A line of a stream cannot be answered.
    #[error(transparent)]
    Stream(#[from] StreamError),
    /// A question about a blueprint has no answer.
    #[error(transparent)]
    Strategy(#[from] StrategyError),
    /// Two players cannot play a match.
    #[error(transparent)]
    Match(#[from] MatchError),
    /// A run has no history.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// A computation needs more memory than is free.
    #[error("{what} needs {} of memory and {} are free; {remedy}", text::bytes(*needed), text::bytes(*free))]
    OutOfMemory {
        /// What needs it.
        what: &'static str,
        /// The bytes it needs.
        needed: u64,
        /// The bytes that are free.
        free: u64,
        /// What to do.
        remedy: &'static str,
    },
    /// The computation was asked to stop.
    #[error("stopped")]
    Cancelled,
}

impl Error {
    /// Whether what was asked for is at fault, rather than the machine or a damaged file.
    pub fn is_input(&self) -> bool {
        match self {
            Error::Config(_)
            | Error::Find(_)
            | Error::NoSuchBucket { .. }
            | Error::SharedCard { .. }
            | Error::Stream(_)
            | Error::Strategy(_)
            | Error::Match(_)
            | Error::History(_)
            | Error::OutOfMemory { .. } => true,
            Error::File(error) => error.is_input(),
            Error::Open(error) => matches!(error, OpenError::NotAnAbstraction { .. }),
            Error::Build(error) => matches!(
                error,
                BuildError::TooManyBuckets { .. } | BuildError::TooManyClusters { .. }
            ),
            Error::Verify(VerifyError::Open(error)) => {
                matches!(error, OpenError::NotAnAbstraction { .. })
            }
            Error::BucketEquities(error) => {
                matches!(error, BucketEquitiesError::TooManyBuckets { .. })
            }
            Error::Blueprint(error) => matches!(error, BlueprintError::NotFound { .. }),
            Error::Run(error) => matches!(
                error,
                RunError::Exists { .. }
                    | RunError::Other { .. }
                    | RunError::Config(_)
                    | RunError::Actions { .. }
                    | RunError::Game(_)
                    | RunError::Tree(_)
            ),
            _ => false,
        }
    }
}

impl From<Cancelled> for Error {
    fn from(_: Cancelled) -> Error {
        Error::Cancelled
    }
}

impl From<BuildError> for Error {
    fn from(error: BuildError) -> Error {
        match error {
            BuildError::Cancelled(_) => Error::Cancelled,
            error => Error::Build(error),
        }
    }
}

impl From<WriteError> for Error {
    fn from(error: WriteError) -> Error {
        match error {
            WriteError::Cancelled(_) => Error::Cancelled,
            error => Error::Write(error),
        }
    }
}

impl From<VerifyError> for Error {
    fn from(error: VerifyError) -> Error {
        match error {
            VerifyError::Cancelled(_) => Error::Cancelled,
            error => Error::Verify(error),
        }
    }
}

impl From<BucketEquitiesError> for Error {
    fn from(error: BucketEquitiesError) -> Error {
        match error {
            BucketEquitiesError::Cancelled(_) => Error::Cancelled,
            error => Error::BucketEquities(error),
        }
    }
}
