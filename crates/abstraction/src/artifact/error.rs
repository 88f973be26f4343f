//! Why an artifact cannot be opened or written.

use std::io;
use std::path::{Path, PathBuf};

use lethe_cards::Street;
use lethe_compute::Cancelled;
use lethe_files::{Damage, FileError};

use super::format::{FORMAT_VERSION, HeaderFault};

/// Why an abstraction could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The path is not the directory of an abstraction.
    #[error("{} is not an abstraction: {reason}", .path.display())]
    NotAnAbstraction {
        /// The path.
        path: PathBuf,
        /// What it is instead.
        reason: &'static str,
    },
    /// A file could not be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The metadata are not what a build wrote.
    #[error("{} is damaged: {reason}; build the abstraction again", .path.display())]
    Metadata {
        /// The metadata file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The abstraction was written by a later version.
    #[error(
        "{} has format version {found} and this program reads up to {FORMAT_VERSION}; \
         use the newer program, or build the abstraction again with this one", .path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// A file that belongs to the abstraction is not there.
    #[error("{} is missing; build the abstraction again", .path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// A file is longer or shorter than it was written.
    #[error(
        "{} has {found} bytes instead of {expected}; build the abstraction again",
        .path.display()
    )]
    Length {
        /// The file.
        path: PathBuf,
        /// The length it was written with.
        expected: u64,
        /// The length it has.
        found: u64,
    },
    /// A file's header is wrong.
    #[error("{} is damaged: {fault}; build the abstraction again", .path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: HeaderFault,
    },
    /// A file belongs to another abstraction or another build than the metadata beside it.
    #[error(
        "{} does not belong to the metadata beside it: another {what}; \
         build the abstraction again", .path.display()
    )]
    Mismatch {
        /// The file.
        path: PathBuf,
        /// What differs.
        what: &'static str,
    },
    /// The numbers in a table lead nowhere.
    #[error("{} is damaged: {reason}; build the abstraction again", .path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A part of a table is not as it was written.
    #[error("{} is damaged: {damage}; build the abstraction again", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where.
        damage: Damage,
    },
}

impl OpenError {
    pub(crate) fn read(path: &Path, why: io::Error) -> OpenError {
        OpenError::File(FileError::Read { path: path.to_owned(), why })
    }

    pub(crate) fn header(path: &Path, fault: HeaderFault) -> OpenError {
        let path = path.to_owned();
        match fault {
            HeaderFault::Newer(found) => OpenError::Newer { path, found },
            fault => OpenError::Header { path, fault },
        }
    }
}

/// Why an artifact could not be written; nothing of it is left behind.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The file system refused.
    #[error("cannot {action} {}: {source}; {}", .path.display(), remedy(.source))]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// Another build is writing the same artifact.
    #[error("another build is writing {}; wait for it to end", .path.display())]
    Locked {
        /// The artifact.
        path: PathBuf,
    },
    /// Something else has the artifact's name.
    #[error("{} contains something other than an abstraction; move it away", .path.display())]
    Occupied {
        /// The path.
        path: PathBuf,
    },
    /// The artifact is there but does not open.
    #[error("an abstraction of this plan exists but does not open ({source})")]
    Damaged {
        /// Why it does not open.
        source: Box<OpenError>,
    },
    /// A table that does not fit its street.
    #[error("the {street} table cannot be stored: {reason}")]
    Shape {
        /// The street.
        street: Street,
        /// What is wrong with it.
        reason: String,
    },
    /// The artifact is not complete.
    #[error("the artifact is not complete: no buckets were written for the {street}")]
    Incomplete {
        /// The street without buckets.
        street: Street,
    },
    /// The report cannot be stored as text.
    #[error("the report cannot be stored: {reason}")]
    Report {
        /// Why.
        reason: String,
    },
    /// Writing was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A file could not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The artifact to add to does not open.
    #[error(transparent)]
    Open(#[from] OpenError),
}

impl WriteError {
    /// For `map_err`: what was tried, and on what.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> WriteError {
        let path = path.to_owned();
        move |source| WriteError::Io { action, path, source }
    }
}

/// What to do when the file system refuses.
fn remedy(error: &io::Error) -> &'static str {
    use io::ErrorKind::*;
    match error.kind() {
        StorageFull | QuotaExceeded | FileTooLarge => {
            "free some space, or choose a directory on another disk"
        }
        PermissionDenied | ReadOnlyFilesystem => "choose a directory that you may write to",
        NotADirectory | AlreadyExists => "a file is in the way; choose another directory",
        _ => "choose another directory, or try again",
    }
}
