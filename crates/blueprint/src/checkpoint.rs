//! Checkpoint files: what training has reached, written beside and renamed into place.
//!
//! # Format
//! All numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `LETHEBLP` |
//! | 4 | format version, 1 |
//! | 4 | length *h* of the header, padding included: what follows it is aligned to 64 bytes |
//! | 32 | BLAKE3 of the header |
//! | *h* | header, JSON, padded with blanks |
//! | 4 x cells | average weights, unsigned |
//! | 4 x cells | regrets, signed; only in files to resume from |
//! | 4 x the adversary's cells | its regrets: all cells before the flop, then each block of flop and turn once for each kind of board; only in files to resume from |
//! | 32 | BLAKE3 of all cells |

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::Ordering;

use lethe_abstraction::Abstraction;
use lethe_cards::Street;
use lethe_compute::{Cancelled, Job};
use memmap2::Mmap;
use serde::{Deserialize, Serialize};

use crate::config::TrainConfig;
use crate::store::{Store, Weights};

const MAGIC: &[u8; 8] = b"LETHEBLP";
const VERSION: u32 = 1;
const PRELUDE: usize = 48;
const HASH: usize = 32;
/// What the cells in a file are aligned to.
const ALIGNMENT: usize = 64;
/// More iterations than any machine can do.
const MOST_ITERATIONS: u64 = 1 << 50;
/// Bytes that are hashed between two polls: some milliseconds of work.
const HASHED_AT_ONCE: usize = 1 << 24;

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
    /// Iterations done.
    pub iterations: u64,
    /// Hand-node visits: decisions visited, each counted once for every hand.
    pub visits: u64,
    /// Seconds of training.
    pub seconds: f64,
    /// Whether the file has the regrets, without which training cannot resume.
    pub resumable: bool,
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

/// A checkpoint file in memory: the averages as they are on disk.
#[derive(Debug)]
pub struct Checkpoint {
    path: PathBuf,
    header: Header,
    start: usize,
    map: Mmap,
}

impl Checkpoint {
    /// Opens a file: checks its header and its length. [`Checkpoint::verify`] checks the rest.
    pub fn open(path: impl AsRef<Path>) -> Result<Checkpoint, CheckpointError> {
        let path = path.as_ref().to_owned();
        let io = |source| CheckpointError::Io { path: path.clone(), source };
        let damaged = |what: &'static str| CheckpointError::Damaged { path: path.clone(), what };
        let file = File::open(&path).map_err(io)?;
        // SAFETY: the map is read-only. Checkpoints are never written in place: a new one is
        // written beside and renamed, which leaves mapped files as they are. Should another program
        // change a file all the same, a reader sees other numbers, all of which are valid.
        #[allow(unsafe_code)]
        let map = unsafe { Mmap::map(&file) }.map_err(io)?;
        if map.len() < PRELUDE || &map[..8] != MAGIC {
            return Err(damaged("it is not a checkpoint, or was truncated"));
        }
        let number =
            |at: usize| u32::from_le_bytes(map[at..at + 4].try_into().expect("four bytes"));
        if number(8) != VERSION {
            return Err(CheckpointError::Version { path, found: number(8) });
        }
        let start = PRELUDE + number(12) as usize;
        if !start.is_multiple_of(ALIGNMENT) {
            return Err(damaged("the length of its header is wrong"));
        }
        let Some(text) = map.get(PRELUDE..start) else {
            return Err(damaged("it was truncated"));
        };
        if blake3::hash(text).as_bytes() != &map[16..PRELUDE] {
            return Err(damaged("its header does not match its checksum"));
        }
        let header: Header =
            serde_json::from_slice(text).map_err(|_| damaged("its header cannot be read"))?;
        if header.iterations > MOST_ITERATIONS {
            return Err(damaged("its number of iterations is impossible"));
        }
        let regrets = header.cells.checked_add(header.adversary_cells);
        let regrets = if header.resumable { regrets } else { Some(0) };
        let cells = regrets.and_then(|regrets| regrets.checked_add(header.cells));
        let bytes = cells.and_then(|cells| cells.checked_mul(4));
        let expected = bytes.and_then(|bytes| bytes.checked_add((start + HASH) as u64));
        if expected != Some(map.len() as u64) {
            return Err(damaged("its length does not match its header"));
        }
        Ok(Checkpoint { path, header, start, map })
    }

    /// Checks every byte against the checksum in the file.
    pub fn verify(&self, job: Job<'_>) -> Result<(), CheckpointError> {
        let end = self.map.len() - HASH;
        let mut hasher = blake3::Hasher::new();
        for part in self.map[self.start..end].chunks(HASHED_AT_ONCE) {
            job.check()?;
            hasher.update(part);
        }
        if hasher.finalize().as_bytes() == &self.map[end..] {
            return Ok(());
        }
        let what = "its cells do not match their checksum";
        Err(CheckpointError::Damaged { path: self.path.clone(), what })
    }

    /// What it says about itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn cells<T: bytemuck::AnyBitPattern>(&self, first: u64, count: u64) -> &[T] {
        let at = self.start + first as usize * 4;
        bytemuck::cast_slice(&self.map[at..at + count as usize * 4])
    }

    /// The average weights of all cells.
    #[inline]
    pub fn averages(&self) -> &[u32] {
        self.cells(0, self.header.cells)
    }

    /// The regrets of all cells and then of the adversary's, if the file has them.
    pub fn regrets(&self) -> Option<&[i32]> {
        let Header { cells, adversary_cells, resumable, .. } = self.header;
        resumable.then(|| self.cells(cells, cells + adversary_cells))
    }

    /// A store to resume training with, if the file has the regrets.
    pub fn restore(&self) -> Option<Store> {
        Some(Store::from_parts(self.regrets()?, self.averages()))
    }
}

impl Weights for Checkpoint {
    #[inline]
    fn weight(&self, cell: usize) -> f32 {
        self.averages()[cell] as f32
    }
}

/// Writes a checkpoint; a file that opens is whole, and what was there before stays until then.
pub fn write_checkpoint(
    path: &Path,
    header: &Header,
    store: &Store,
) -> Result<(), CheckpointError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.part"));
    let written = write(&beside, header, store).and_then(|()| std::fs::rename(&beside, path));
    written.map_err(|source| {
        // The first error is the one to report.
        let _ = std::fs::remove_file(&beside);
        CheckpointError::Write { path: path.to_owned(), source }
    })
}

fn write(path: &Path, header: &Header, store: &Store) -> io::Result<()> {
    let mut text = serde_json::to_vec(header)?;
    text.resize((PRELUDE + text.len()).next_multiple_of(ALIGNMENT) - PRELUDE, b' ');
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    out.write_all(MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    out.write_all(&(text.len() as u32).to_le_bytes())?;
    out.write_all(blake3::hash(&text).as_bytes())?;
    out.write_all(&text)?;
    let mut hasher = blake3::Hasher::new();
    let mut buffer = Vec::with_capacity(1 << 18);
    let mut put = |bytes: &mut Vec<u8>| {
        hasher.update(bytes);
        let result = out.write_all(bytes);
        bytes.clear();
        result
    };
    for cells in store.averages.chunks(1 << 16) {
        buffer.extend(cells.iter().flat_map(|x| x.load(Ordering::Relaxed).to_le_bytes()));
        put(&mut buffer)?;
    }
    if header.resumable {
        for cells in store.regrets.chunks(1 << 16) {
            buffer.extend(cells.iter().flat_map(|x| x.load(Ordering::Relaxed).to_le_bytes()));
            put(&mut buffer)?;
        }
    }
    out.write_all(hasher.finalize().as_bytes())?;
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

/// A checkpoint that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// It cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It cannot be written.
    #[error("{}: cannot write the checkpoint: {source}; the previous one is intact", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is of another format.
    #[error("{}: unknown checkpoint format {found}; this version reads format {VERSION}", path.display())]
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
        what: &'static str,
    },
    /// The job was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}
