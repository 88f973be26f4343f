//! The file of values: a [container](lethe_files::Container) of the kind `LETHEVAL`, beside the
//! checkpoint that it belongs to.
//!
//! | data | numbers, 32-bit floating point |
//! |---|---|
//! | 2 x nodes x 169 x 2 | by player, the big blind first, by node before the flop and starting hand: the value in chips and half the width of its 95 % interval |
//! | 2 x starts x 2 | by player, street after the preflop, line that begins it, and bucket: the value in chips and its weight |
//!
//! A number that is not known is not a number (NaN).

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lethe_cards::{StartingHand, Street};
use lethe_compute::{Cancelled, Job};
use lethe_files::{Blocks, Container, ContainerWriter, Fault, FileError, MappedFile, VerifyError};
use serde::{Deserialize, Serialize};

use super::{Data, Starts, Values, WIDTH};
use crate::blueprint::Blueprint;
use crate::checkpoint::Checkpoint;

/// What a file of values begins with.
pub const VALUES_MAGIC: &[u8; 8] = b"LETHEVAL";
/// The version that is written.
const VERSION: u32 = 1;
/// What is wrong with numbers that no strategy can win.
pub(super) const INFINITE: &str = "a value is infinite";

/// What values say about themselves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ValuesHeader {
    /// The version of the library that wrote them.
    pub program: String,
    /// The [id](Checkpoint::id) of the checkpoint that they belong to.
    pub checkpoint: String,
    /// The flops that were walked.
    pub flops: u64,
    /// Whether these were all, so that values before the flop are exact.
    pub exact: bool,
    /// The nodes of the betting before the flop.
    pub nodes: u64,
    /// The lines that begin a street, each times its buckets.
    pub starts: u64,
}

impl ValuesHeader {
    /// The bytes of the data, unless they are too many to count.
    fn data_len(&self) -> Option<u64> {
        let hands = self.nodes.checked_mul(StartingHand::COUNT as u64)?;
        let entries = hands.checked_add(self.starts)?.checked_mul(2)?;
        entries.checked_mul((WIDTH * size_of::<f32>()) as u64)
    }
}

/// A file of values, whatever checkpoint it belongs to. Its data is checked before it is seen.
#[derive(Debug)]
pub struct ValuesFile {
    path: PathBuf,
    header: ValuesHeader,
    data: Blocks,
}

impl ValuesFile {
    /// The name of the file beside a checkpoint.
    pub fn beside(checkpoint: &Path) -> PathBuf {
        checkpoint.with_extension("values")
    }

    /// Opens a file: checks its header and its length.
    pub fn open(path: &Path) -> Result<ValuesFile, ValuesError> {
        let damaged =
            |what: &str| ValuesError::Damaged { path: path.to_owned(), what: what.into() };
        let file = MappedFile::open(path)?;
        let container = match Container::open(file, VALUES_MAGIC, VERSION) {
            Err(Fault::Version { found, .. }) => {
                return Err(ValuesError::Version { path: path.to_owned(), found });
            }
            container => container.map_err(|fault| damaged(&fault.to_string()))?,
        };
        let header: ValuesHeader = serde_json::from_slice(container.header())
            .map_err(|_| damaged("its header cannot be read"))?;
        if header.data_len() != Some(container.data().len() as u64) {
            return Err(damaged("its length does not match its header"));
        }
        let words = [&header.program, &header.checkpoint];
        if words.iter().any(|word| word.contains(char::is_control)) {
            return Err(damaged("a name in its header has control characters"));
        }
        Ok(ValuesFile { path: path.to_owned(), header, data: container.into_data() })
    }

    /// What it says about itself.
    pub fn header(&self) -> &ValuesHeader {
        &self.header
    }

    /// Checks every byte. Progress is in bytes.
    pub fn verify(&self, job: Job<'_>) -> Result<(), ValuesError> {
        job.begin("check sums", self.data.len() as u64);
        let numbers: &[f32] = self.data.verify(job).map_err(|error| match error {
            VerifyError::Cancelled(cancelled) => ValuesError::Cancelled(cancelled),
            error => ValuesError::damaged(&self.path, error),
        })?;
        match numbers.iter().any(|x| x.is_infinite()) {
            true => Err(ValuesError::damaged(&self.path, INFINITE)),
            false => Ok(()),
        }
    }
}

impl Values {
    /// Writes the values of a checkpoint beside it.
    pub fn save(&self, checkpoint: &Checkpoint) -> Result<PathBuf, ValuesError> {
        let path = ValuesFile::beside(checkpoint.path());
        let header = ValuesHeader {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            checkpoint: checkpoint.id(),
            ..self.header.clone()
        };
        self.write(&path, &header).map_err(ValuesError::File)?;
        Ok(path)
    }

    fn write(&self, path: &Path, header: &ValuesHeader) -> Result<(), FileError> {
        let failed = |why: io::Error| FileError::Write { path: path.to_owned(), why };
        let text = serde_json::to_vec(header).map_err(|error| failed(error.into()))?;
        let mut out = ContainerWriter::create(path, VALUES_MAGIC, VERSION, text)?;
        let numbers = match &self.data {
            Data::Memory(numbers) => numbers.as_slice(),
            Data::File(..) => return Err(failed(io::Error::other("these values have a file"))),
        };
        let mut buffer = Vec::with_capacity(1 << 18);
        for numbers in numbers.chunks(1 << 16) {
            buffer.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
            out.write_all(&buffer).map_err(failed)?;
            buffer.clear();
        }
        out.finish()
    }
}

impl Blueprint {
    /// The values beside the checkpoint; `None` if none were computed. Parts of them are checked when
    /// they are first looked at.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged, or belongs to another checkpoint.
    pub fn values(&self) -> Result<Option<Values>, ValuesError> {
        let path = ValuesFile::beside(self.checkpoint().path());
        let ValuesFile { header, data, .. } = match ValuesFile::open(&path) {
            Err(ValuesError::File(error)) if error.is_missing() => return Ok(None),
            file => file?,
        };
        let starts = Starts::new(self.plan());
        let nodes = self.plan().blocks(Street::Preflop)[0].nodes.len() as u64;
        if header.checkpoint != self.checkpoint().id()
            || [header.nodes, header.starts] != [nodes, starts.len() as u64]
        {
            let checkpoint = self.checkpoint().path().to_owned();
            return Err(ValuesError::Foreign { path, checkpoint });
        }
        Ok(Some(Values { header, starts: Arc::new(starts), data: Data::File(path, data) }))
    }
}

/// Values that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ValuesError {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is of another format.
    #[error(
        "{}: unknown format {found} of values; this version reads format {VERSION}: compute them again, \
         or delete the file",
        path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
    /// It is not as it was written.
    #[error(
        "{}: damaged: {what}; compute the values again, or delete the file",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// It belongs to another checkpoint.
    #[error(
        "{}: the values of another checkpoint than {}; compute them again, or delete the file",
        path.display(), checkpoint.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The checkpoint beside it.
        checkpoint: PathBuf,
    },
    /// The job was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl ValuesError {
    pub(super) fn damaged(path: &Path, what: impl ToString) -> ValuesError {
        ValuesError::Damaged { path: path.to_owned(), what: what.to_string() }
    }
}
