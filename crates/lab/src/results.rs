//! Finished cells, kept in a file so that a run that was stopped can resume.
//!
//! The file has one line of JSON with a checksum for each cell. Lines are only appended; half a line
//! at the end, left by a machine that lost power, is dropped.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use lethe_files::{FileError, Lines, append_line};
use serde::{Deserialize, Serialize};

use crate::game::Betting;
use crate::measure::{Loss, Profile};

/// The name of the file in its directory.
pub const RESULTS: &str = "results.jsonl";

/// The version of what cells mean; cells of another are not used.
///
/// 1: the lab's own copies of the methods. 2: the methods of whole abstractions, on the boards of the
/// game.
pub const VERSION: u32 = 2;

/// Everything that determines the result of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Key {
    /// [`VERSION`].
    pub version: u32,
    /// The board the game starts on.
    pub board: String,
    /// Its betting.
    pub betting: Betting,
    /// Iterations of each solve.
    pub iterations: u32,
    /// What is measured.
    pub subject: Subject,
}

/// What is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Subject {
    /// The lossless game.
    Lossless,
    /// A recipe, built inside the game.
    Method {
        /// The recipe's name.
        name: String,
        /// Buckets on each street; `None` where the recipe has its own number.
        buckets: Option<usize>,
        /// The seed; `None` where nothing is random.
        seed: Option<u64>,
        /// Whether both players are bucketed at once, rather than one after the other.
        symmetric: bool,
    },
    /// A stored abstraction, restricted to the board.
    Artifact {
        /// Its name.
        name: String,
        /// The checksums of its buckets.
        checksum: String,
        /// Whether both players are bucketed at once, rather than one after the other.
        symmetric: bool,
    },
}

/// The result of a cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// How close the lossless solve came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<Profile>,
    /// What the abstraction lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
    /// How far two bucketed players who learned against each other are from equilibrium.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symmetric: Option<Profile>,
    /// How many buckets occur on flop, turn and river.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurring: Option<[usize; 3]>,
    /// How long it took.
    pub seconds: f64,
}

/// A finished cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// What determined it.
    pub key: Key,
    /// Its result.
    pub outcome: Outcome,
}

/// The finished cells, in a file or only in memory.
#[derive(Debug, Default)]
pub struct Results {
    cells: Vec<Cell>,
    file: Option<PathBuf>,
}

/// Why a file of results cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResultsError {
    /// A file that cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A line that is not a cell.
    #[error(
        "{}:{line}: damaged, or not a result of the lab; remove the line, or use another directory",
        path.display()
    )]
    Line {
        /// The file.
        path: PathBuf,
        /// The line's number.
        line: usize,
    },
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Results {
    /// No cells, kept in memory only.
    pub fn in_memory() -> Results {
        Results::default()
    }

    /// The cells in a directory, which is created if necessary.
    pub fn open(dir: &Path) -> Result<Results, ResultsError> {
        let path = dir.join(RESULTS);
        let io = |source| ResultsError::Io { path: path.clone(), source };
        fs::create_dir_all(dir).map_err(io)?;
        let lines = match Results::lines(&path) {
            Err(error) if error.is_missing() => Lines::default(),
            lines => lines?,
        };
        if let Some(&line) = lines.damaged.first() {
            return Err(ResultsError::Line { path, line });
        }
        // What cannot be written is said before hours of work, not after.
        fs::OpenOptions::new().create(true).append(true).open(&path).map_err(io)?;
        let cell = |(line, text): (usize, Vec<u8>)| {
            serde_json::from_slice(&text)
                .map_err(|_| ResultsError::Line { path: path.clone(), line })
        };
        let cells = lines.whole.into_iter().map(cell).collect::<Result<_, _>>()?;
        Ok(Results { cells, file: Some(path) })
    }

    /// The lines of a file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn lines(path: &Path) -> Result<Lines, FileError> {
        Lines::read(path, |line| serde_json::from_slice::<Cell>(line).is_ok())
    }

    /// The outcome of a cell, if it is finished.
    pub fn get(&self, key: &Key) -> Option<&Outcome> {
        self.cells.iter().find(|cell| cell.key == *key).map(|cell| &cell.outcome)
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Adds a finished cell, on disk before this returns.
    pub fn add(&mut self, cell: Cell) -> Result<(), ResultsError> {
        if let Some(path) = &self.file {
            append_line(path, &serde_json::to_string(&cell).expect("a cell is plain data"))?;
        }
        self.cells.push(cell);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(board: &str) -> Cell {
        Cell {
            key: Key {
                version: VERSION,
                board: board.to_owned(),
                betting: Betting::default(),
                iterations: 10,
                subject: Subject::Lossless,
            },
            outcome: Outcome {
                floor: Some(Profile { best_response: [0.1 + 0.2, 1.0 / 3.0] }),
                ..Outcome::default()
            },
        }
    }

    #[test]
    fn cells_come_back_bit_for_bit_and_half_a_line_is_dropped() {
        let dir = std::env::temp_dir().join(format!("lethe-lab-results-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        let (first, second) = (cell("Ks7h2d"), cell("Ks7h2d9s"));
        Results::open(&dir).unwrap().add(first.clone()).unwrap();
        let path = dir.join(RESULTS);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, [&whole[..], &whole[..whole.len() / 2]].concat()).unwrap();
        let mut results = Results::open(&dir).unwrap();
        assert_eq!(results.len(), 1);
        assert_eq!(results.get(&first.key), Some(&first.outcome));
        assert_eq!(results.get(&second.key), None);
        results.add(second.clone()).unwrap();
        let results = Results::open(&dir).unwrap();
        assert_eq!(results.get(&second.key), Some(&second.outcome));
        fs::write(&path, "{}\n").unwrap();
        let message = Results::open(&dir).unwrap_err().to_string();
        assert!(message.contains("results.jsonl:1: damaged, or not a result"), "{message}");
        fs::remove_dir_all(&dir).unwrap();
    }
}
