//! Why a file could not be read or written.

use std::io;
use std::path::{Path, PathBuf};

/// Why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file could not be read.
    #[error("cannot read {}: {why}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        why: io::Error,
    },
    /// The file could not be written.
    #[error("cannot write {}: {why}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        #[source]
        why: io::Error,
    },
    /// The path is a directory, a device, a pipe or a socket.
    #[error("{} is {kind}, not a regular file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// What it is.
        kind: &'static str,
    },
    /// The path is something else than a directory.
    #[error("{} is {kind}, not a directory; choose another one", path.display())]
    NotADirectory {
        /// The path.
        path: PathBuf,
        /// What it is.
        kind: &'static str,
    },
    /// The file is larger than anything that could be meant.
    #[error("{}: larger than {limit} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The most that is read.
        limit: u64,
    },
    /// An output is also an input.
    #[error("{}: the output would overwrite its own input; write to another file", path.display())]
    OverwritesInput {
        /// The output.
        path: PathBuf,
    },
    /// An output is inside a directory that is an input.
    #[error("{} is inside {}, which is an input; write it elsewhere", path.display(), input.display())]
    InsideInput {
        /// The output.
        path: PathBuf,
        /// The directory.
        input: PathBuf,
    },
}

impl FileError {
    /// Whether the path that was given is at fault, rather than the disk.
    pub fn is_input(&self) -> bool {
        use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
        match self {
            FileError::OverwritesInput { .. }
            | FileError::InsideInput { .. }
            | FileError::NotAFile { .. }
            | FileError::NotADirectory { .. } => true,
            FileError::Write { why, .. } => {
                matches!(why.kind(), IsADirectory | NotADirectory | NotFound)
            }
            _ => false,
        }
    }

    /// Whether there is no such file.
    pub fn is_missing(&self) -> bool {
        matches!(self, FileError::Read { why, .. } if why.kind() == io::ErrorKind::NotFound)
    }

    pub(crate) fn read(path: &Path) -> impl Fn(io::Error) -> FileError {
        move |why| FileError::Read { path: path.to_owned(), why }
    }

    pub(crate) fn write(path: &Path) -> impl Fn(io::Error) -> FileError {
        move |why| FileError::Write { path: path.to_owned(), why }
    }
}
