//! What can go wrong below a front end.

use std::path::PathBuf;

use lethe_abstraction::artifact::{VerifyError, WriteError};
use lethe_abstraction::bucket_equities::BucketEquitiesError;
use lethe_abstraction::{BuildError, FlopTableError, OpenError};
use lethe_agent::MeasureError;
use lethe_blueprint::{BlueprintError, MetricsError, RunError, ValuesError};
use lethe_cards::{Board, Hole, Street};
use lethe_cluster::ClusterError;
use lethe_collective::ShareError;
use lethe_compute::{Cancelled, PoolError};
use lethe_lab::ResultsError;

use crate::config::ConfigError;
use crate::data::FindError;
use crate::files::{FileError, UnitsError};
use crate::sweep::SweepError;
use crate::text;

/// What went wrong. What a front end may want to handle or to explain has a variant of its own.
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
    Build(#[from] BuildError),
    /// An abstraction cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// An abstraction cannot be verified.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// Equities of buckets cannot be computed.
    #[error(transparent)]
    BucketEquities(#[from] BucketEquitiesError),
    /// Flops cannot be clustered.
    #[error(transparent)]
    FlopTable(#[from] FlopTableError),
    /// A blueprint cannot be opened.
    #[error(transparent)]
    Blueprint(#[from] BlueprintError),
    /// A blueprint cannot be trained.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The metrics of a run cannot be read.
    #[error(transparent)]
    Metrics(#[from] MetricsError),
    /// The values of a blueprint cannot be read or written.
    #[error(transparent)]
    Values(#[from] ValuesError),
    /// An agent that searches cannot be measured.
    #[error(transparent)]
    Search(#[from] MeasureError),
    /// Finished units cannot be used.
    #[error(transparent)]
    Units(#[from] UnitsError),
    /// Results of the lab cannot be used.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// A sweep cannot be made.
    #[error(transparent)]
    Sweep(#[from] SweepError),
    /// Other ranks did not finish their units.
    #[error(transparent)]
    Share(#[from] ShareError),
    /// Threads cannot be started.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// An abstraction lacks the report of a street.
    #[error("{path}: no usable report of the {1}; build the abstraction again", path = .0.display())]
    NoReport(PathBuf, Street),
    /// A question that has no answer: a hand, a line or a bucket that cannot be there.
    #[error("{0}")]
    Question(String),
    /// A question about a hand on this street without a board.
    #[error("the decision is on the {0}: give the {n} cards of its board as well", n = .0.board_len())]
    BoardNeeded(Street),
    /// A match between players of whom neither brings a game.
    #[error("neither player is a blueprint, so there is no game to play")]
    NoGame,
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
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl Error {
    /// A question that has no answer.
    pub(crate) fn question(why: impl ToString) -> Error {
        Error::Question(why.to_string())
    }

    /// A hole that holds a card of the board.
    pub(crate) fn shared_card(hole: Hole, board: &Board) -> Error {
        Error::question(format_args!("{hole} holds a card of {board}"))
    }

    /// Whether the computation was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        matches!(
            self,
            Error::Cancelled(_)
                | Error::Build(BuildError::Cancelled(_))
                | Error::Write(WriteError::Cancelled(_))
                | Error::Verify(VerifyError::Cancelled(_))
                | Error::BucketEquities(BucketEquitiesError::Cancelled(_))
                | Error::Blueprint(BlueprintError::Cancelled(_))
                | Error::Values(ValuesError::Cancelled(_))
                | Error::Search(MeasureError::Cancelled(_))
                | Error::FlopTable(FlopTableError::Cluster(ClusterError::Cancelled(_)))
        )
    }

    /// Whether what was asked for is at fault, rather than the machine or a damaged file.
    pub fn is_input(&self) -> bool {
        match self {
            Error::Config(_)
            | Error::Find(_)
            | Error::Question(_)
            | Error::BoardNeeded(_)
            | Error::NoGame
            | Error::OutOfMemory { .. } => true,
            Error::File(error) => error.is_input(),
            Error::Open(error) | Error::Verify(VerifyError::Open(error)) => {
                matches!(error, OpenError::NotAnAbstraction { .. })
            }
            Error::Build(error) => matches!(
                error,
                BuildError::TooManyBuckets { .. } | BuildError::TooManyClusters { .. }
            ),
            Error::BucketEquities(error) => {
                matches!(error, BucketEquitiesError::TooManyBuckets { .. })
            }
            Error::Blueprint(error) => matches!(error, BlueprintError::NotFound { .. }),
            Error::Search(MeasureError::From(_)) => true,
            Error::Search(MeasureError::Finished(error)) | Error::Units(error) => error.is_input(),
            Error::Results(ResultsError::Units(error)) => error.is_input(),
            Error::Sweep(error) => !error.is_cancelled(),
            Error::Run(error) => matches!(
                error,
                RunError::Exists { .. }
                    | RunError::Other { .. }
                    | RunError::Mismatch(_)
                    | RunError::Config(_)
                    | RunError::Actions { .. }
                    | RunError::Game(_)
                    | RunError::Tree(_)
            ),
            _ => false,
        }
    }
}

impl From<Box<OpenError>> for Error {
    fn from(error: Box<OpenError>) -> Error {
        Error::Open(*error)
    }
}
