//! Checkpoint files: what training has reached, checked before any of it is used.
//!
//! # Format
//! A [container](lethe_files::Container) of the kind `LETHEBLP`, format version 2: a JSON
//! [`Header`], a checksum for each block, and as data, all numbers little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 4 x cells | average weights, unsigned |
//! | 4 x cells | regrets, signed; only in files to resume from |
//! | 4 x the adversary's cells | its regrets: all cells before the flop, then each block of flop and turn once for each kind of board; only in files to resume from |
//! | 4 x the cells of pools | their regrets: each block of flop, turn and river whose buckets come in groups, with the buckets of one group; only in files to resume from |
//!
//! Files of version 1 have the same header and cells, but one checksum for all cells, so that the
//! first touch checks the whole file:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `LETHEBLP` |
//! | 4 | format version, 1 |
//! | 4 | length *h* of the header, padding included: what follows it is aligned to 64 bytes |
//! | 32 | BLAKE3 of the header |
//! | *h* | header, JSON, padded with blanks |
//! | ... | the cells, as above |
//! | 32 | BLAKE3 of all cells |

use std::io::{self, Write};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::Ordering;

use lethe_abstraction::Abstraction;
use lethe_cards::Street;
use lethe_compute::{Cancelled, Job};
use lethe_files::{
    Blocks, Container, ContainerWriter, Damage, Fault, FileError, MappedFile, VerifyError,
};
use serde::{Deserialize, Serialize};

use crate::config::TrainConfig;
use crate::store::{Store, Weights};
use crate::train::Reached;

/// What a checkpoint file begins with.
pub const MAGIC: &[u8; 8] = b"LETHEBLP";
/// The version that is written.
const VERSION: u32 = 2;
/// More iterations than any machine can do, and more visits.
const MOST_ITERATIONS: u64 = 1 << 50;
const MOST_VISITS: u64 = 1 << 62;
/// More halvings of averages than the largest exponent of discounts could ask for.
const MOST_HALVINGS: u32 = 10_000;
/// Longer than any run, in seconds.
const MOST_SECONDS: f64 = 1e12;

/// What a checkpoint says about itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The version of the library that wrote it.
    pub program: String,
    /// The configuration it is trained by.
    pub config: TrainConfig,
    /// The hash of the configuration's game.
    pub game_hash: String,
    /// The card abstraction; `None` in a game that ends before the flop.
    #[serde(rename = "cards")]
    pub abstraction: Option<AbstractionRef>,
    /// Cells of each kind.
    pub cells: u64,
    /// The adversary's cells, if there is one: those before the river, once for each kind of board.
    #[serde(default)]
    pub adversary_cells: u64,
    /// The cells of pools, if regrets are pooled.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pooled_cells: u64,
    /// The version of the training algorithm.
    #[serde(default = "first_trainer")]
    pub trainer: u32,
    /// How far training is.
    #[serde(flatten)]
    pub reached: Reached,
    /// Seconds of training.
    pub seconds: f64,
    /// Whether the file has the regrets, without which training cannot resume.
    pub resumable: bool,
}

impl Header {
    /// The version of the training algorithm that this library has. Version 1 had no batches; version 2
    /// rounded in another order.
    pub const TRAINER: u32 = 3;
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn first_trainer() -> u32 {
    1
}

/// The card abstraction that a run was trained on: what it is, and where it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AbstractionRef {
    /// The name it was built under.
    pub name: String,
    /// Where it was: an absolute path. Old runs have the path as it was given.
    pub path: PathBuf,
    /// Where it was, seen from the run's directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative_path: Option<PathBuf>,
    /// The checksum of its bucket tables. Abstractions with the same checksum have the same buckets.
    pub checksum: String,
    /// The hash of the plan it was built by; old runs do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_hash: Option<String>,
    /// The buckets on flop, turn and river.
    pub buckets: [usize; 3],
}

impl AbstractionRef {
    /// Describes an abstraction that a run in this directory is trained on.
    pub fn new(abstraction: &Abstraction, run: &Path) -> AbstractionRef {
        let metadata = abstraction.metadata();
        let path = absolute(abstraction.path());
        AbstractionRef {
            name: metadata.name.clone(),
            relative_path: relative(&path, &absolute(run)),
            path,
            checksum: AbstractionRef::checksum_of(abstraction),
            plan_hash: Some(metadata.plan_hash.clone()),
            buckets: Street::POSTFLOP.map(|street| abstraction.buckets(street)),
        }
    }

    /// The checksum of an abstraction's bucket tables.
    pub fn checksum_of(abstraction: &Abstraction) -> String {
        let mut hasher = blake3::Hasher::new();
        for file in &abstraction.metadata().files {
            // Equity tables may be added later and change no bucket.
            if !file.name.contains("pairs") {
                hasher.update(file.name.as_bytes()).update(file.checksum.as_bytes());
            }
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }

    /// The places where it may be, for a run that is now in this directory.
    pub(crate) fn places(&self, run: &Path) -> Vec<PathBuf> {
        let mut places = vec![self.path.clone()];
        places.extend(self.relative_path.as_ref().map(|path| run.join(path)));
        if self.path.is_relative() {
            places.push(run.join(&self.path));
        }
        places
    }
}

fn absolute(path: &Path) -> PathBuf {
    let resolved = path.canonicalize().or_else(|_| std::path::absolute(path));
    resolved.unwrap_or_else(|_| path.to_owned())
}

/// A path as seen from a directory; both are absolute. `None` where they have no common root.
fn relative(path: &Path, from: &Path) -> Option<PathBuf> {
    let common = path.components().zip(from.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    (common > 0).then(|| up.chain(path.components().skip(common)).collect())
}

/// A checkpoint file in memory, whose cells are checked before they are seen.
#[derive(Debug)]
pub struct Checkpoint {
    path: PathBuf,
    header: Header,
    format: u32,
    data: Blocks,
}

/// The cells of a checkpoint, all of them checked.
#[derive(Clone, Copy, Debug)]
pub struct Cells<'a> {
    averages: &'a [u32],
    regrets: Option<&'a [i32]>,
    adversary_cells: usize,
}

impl Checkpoint {
    /// Opens a file: checks its header and its length. Cells are checked when they are first touched.
    pub fn open(path: impl AsRef<Path>) -> Result<Checkpoint, CheckpointError> {
        let path = path.as_ref().to_owned();
        let damaged = |what: &str| CheckpointError::damaged(&path, what);
        let fault = |fault: Fault| CheckpointError::damaged(&path, &fault.to_string());
        let file = MappedFile::open(&path)?;
        let format = Container::version(&file, MAGIC).map_err(fault)?;
        let (text, data) = match format {
            1 => first_version(file).map_err(damaged)?,
            VERSION => {
                let container = Container::open(file, MAGIC, VERSION).map_err(fault)?;
                (container.header().to_vec(), container.into_data())
            }
            found => return Err(CheckpointError::Version { path, found }),
        };
        let header: Header =
            serde_json::from_slice(&text).map_err(|_| damaged("its header cannot be read"))?;
        header.check().map_err(damaged)?;
        if header.data_len() != Some(data.len() as u64) {
            return Err(damaged("its length does not match its header"));
        }
        Ok(Checkpoint { path, header, format, data })
    }

    /// Checks every byte and returns the cells. Progress is in bytes.
    pub fn verify(&self, job: Job<'_>) -> Result<Cells<'_>, CheckpointError> {
        job.begin("check sums", self.data.len() as u64);
        let cells: &[u32] = self.data.verify(job).map_err(|error| match error {
            VerifyError::Cancelled(cancelled) => cancelled.into(),
            error => CheckpointError::damaged(&self.path, &error.to_string()),
        })?;
        let (averages, regrets) = cells.split_at(self.header.cells as usize);
        let regrets = self.header.resumable.then(|| bytemuck::cast_slice(regrets));
        Ok(Cells { averages, regrets, adversary_cells: self.header.adversary_cells as usize })
    }

    /// The average weights of some cells.
    ///
    /// # Panics
    /// If there are no such cells.
    #[inline]
    pub fn averages(&self, cells: Range<usize>) -> Result<&[u32], CheckpointError> {
        assert!(cells.end <= self.header.cells as usize, "cells of the file");
        self.data
            .slice(cells)
            .map_err(|damage: Damage| CheckpointError::damaged(&self.path, &damage.to_string()))
    }

    /// What it says about itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// A hash that no other checkpoint has: of the header and of all checksums.
    pub fn id(&self) -> String {
        let file = self.data.file();
        let mut hasher = blake3::Hasher::new();
        // Each format has its checksums at the beginning and at the end.
        hasher.update(&file[..64]).update(&file[file.len() - 32..]);
        hasher.finalize().to_hex()[..32].to_owned()
    }

    /// The format version of the file.
    pub fn format(&self) -> u32 {
        self.format
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl<'a> Cells<'a> {
    /// The average weights of all cells.
    pub fn averages(&self) -> &'a [u32] {
        self.averages
    }

    /// The regrets of all cells, then of the adversary's and of pools, if the file has them.
    pub fn regrets(&self) -> Option<&'a [i32]> {
        self.regrets
    }

    /// How the adversary plays before the flop, if there is one and the file has its regrets.
    pub fn adversary(&self) -> Option<AdversaryRegrets<'a>> {
        let first = self.averages.len();
        let regrets = self.regrets?.get(first..first + self.adversary_cells)?;
        (!regrets.is_empty()).then_some(AdversaryRegrets(regrets))
    }

    /// A store to resume training with, if the file has the regrets.
    pub fn restore(&self) -> Option<Store> {
        Some(Store::from_parts(self.regrets?, self.averages))
    }
}

/// The adversary's regret matching before the flop. Its later cells have another order than the
/// players'.
#[derive(Clone, Copy, Debug)]
pub struct AdversaryRegrets<'a>(&'a [i32]);

impl Weights for AdversaryRegrets<'_> {
    #[inline]
    fn weight(&self, cell: usize) -> f32 {
        self.0[cell].max(0) as f32
    }
}

impl Weights for Cells<'_> {
    #[inline]
    fn weight(&self, cell: usize) -> f32 {
        self.averages[cell] as f32
    }
}

impl Header {
    /// Refuses numbers that no training could have reached.
    fn check(&self) -> Result<(), &'static str> {
        let Reached { iterations, visits, halvings, .. } = self.reached;
        if iterations > MOST_ITERATIONS
            || visits > MOST_VISITS
            || halvings.iter().any(|&times| times > MOST_HALVINGS)
        {
            return Err("its number of iterations is impossible");
        }
        if !(0.0..MOST_SECONDS).contains(&self.seconds) {
            return Err("its seconds of training are impossible");
        }
        if self.game_hash != self.config.game_hash() {
            return Err("its game does not match the hash of its game");
        }
        let name = self.abstraction.as_ref().map_or("", |abstraction| &abstraction.name);
        let words = [self.program.as_str(), &self.game_hash, name];
        if words.iter().any(|word| word.contains(char::is_control)) {
            return Err("a name in its header has control characters");
        }
        Ok(())
    }

    /// The bytes of all its cells, unless they are too many to count.
    fn data_len(&self) -> Option<u64> {
        let regrets = match self.resumable {
            true => {
                let beside = self.adversary_cells.checked_add(self.pooled_cells)?;
                self.cells.checked_add(beside)?
            }
            false => 0,
        };
        self.cells.checked_add(regrets)?.checked_mul(4)
    }
}

/// The header and the cells of a file of the first version, or what is wrong with it.
fn first_version(file: MappedFile) -> Result<(Vec<u8>, Blocks), &'static str> {
    const PRELUDE: usize = 48;
    const HASH: usize = 32;
    let prelude: &[u8; PRELUDE] = file.first_chunk().ok_or("it was truncated")?;
    let length = u32::from_le_bytes(*prelude[12..].first_chunk().expect("four bytes"));
    let start = PRELUDE + length as usize;
    if !start.is_multiple_of(64) {
        return Err("the length of its header is wrong");
    }
    let text = file.get(PRELUDE..start).ok_or("it was truncated")?;
    if blake3::hash(text).as_bytes() != &prelude[16..] {
        return Err("its header does not match its checksum");
    }
    let cells = start..file.len().checked_sub(HASH).ok_or("it was truncated")?;
    if cells.start > cells.end {
        return Err("it was truncated");
    }
    let hash = *file[cells.end..].first_chunk().expect("a hash");
    let text = text.to_vec();
    Ok((text, Blocks::whole(file, cells, Vec::new(), hash)))
}

/// Writes a checkpoint; a file that opens is whole, and what was there before stays until then.
pub fn write_checkpoint(
    path: &Path,
    header: &Header,
    store: &Store,
) -> Result<(), CheckpointError> {
    write(path, header, store).map_err(|source| CheckpointError::Write { source })
}

fn write(path: &Path, header: &Header, store: &Store) -> Result<(), FileError> {
    let failed = |why: io::Error| FileError::Write { path: path.to_owned(), why };
    let text = serde_json::to_vec(header).map_err(|error| failed(error.into()))?;
    let mut out = ContainerWriter::create(path, MAGIC, VERSION, text)?;
    let mut buffer = Vec::with_capacity(1 << 18);
    for cells in store.averages.chunks(1 << 16) {
        buffer.extend(cells.iter().flat_map(|x| x.load(Ordering::Relaxed).to_le_bytes()));
        out.write_all(&buffer).map_err(failed)?;
        buffer.clear();
    }
    if header.resumable {
        for cells in store.regrets.chunks(1 << 16) {
            buffer.extend(cells.iter().flat_map(|x| x.load(Ordering::Relaxed).to_le_bytes()));
            out.write_all(&buffer).map_err(failed)?;
            buffer.clear();
        }
    }
    out.finish()
}

/// A checkpoint that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// It cannot be written.
    #[error("{source}; the previous checkpoint is intact")]
    Write {
        /// Why.
        source: FileError,
    },
    /// It is of another format.
    #[error("{}: unknown checkpoint format {found}; this version reads up to format {VERSION}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
    /// It is not as it was written.
    #[error("{}: damaged: {what}; use another checkpoint of the run, or train again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The job was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl CheckpointError {
    fn damaged(path: &Path, what: &str) -> CheckpointError {
        CheckpointError::Damaged { path: path.to_owned(), what: what.to_owned() }
    }
}
