//! Finished cells, kept in a file so that a run that was stopped can resume.
//!
//! The file has one line of JSON for each cell. Lines are only appended; half a line at the end,
//! left by a machine that lost power, is dropped.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

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
    file: Option<(PathBuf, File)>,
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
        "{}:{line}: not a result of the lab ({reason}); remove the line, or use another directory",
        path.display()
    )]
    Line {
        /// The file.
        path: PathBuf,
        /// The line's number.
        line: usize,
        /// Why.
        reason: String,
    },
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
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).read(true).open(&path).map_err(io)?;
        let text = fs::read(&path).map_err(io)?;
        let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        if whole < text.len() {
            file.set_len(whole as u64).map_err(io)?;
        }
        let mut cells = Vec::new();
        for (number, line) in text[..whole].split(|&byte| byte == b'\n').enumerate() {
            if line.is_empty() {
                continue;
            }
            let cell = serde_json::from_slice(line).map_err(|error| ResultsError::Line {
                path: path.clone(),
                line: number + 1,
                reason: error.to_string(),
            })?;
            cells.push(cell);
        }
        Ok(Results { cells, file: Some((path, file)) })
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
        if let Some((path, file)) = &mut self.file {
            let mut line = serde_json::to_vec(&cell).expect("a cell is plain data");
            line.push(b'\n');
            let written = file.write_all(&line).and_then(|()| file.sync_data());
            written.map_err(|source| ResultsError::Io { path: path.clone(), source })?;
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
        assert!(message.contains("results.jsonl:1: not a result of the lab"), "{message}");
        fs::remove_dir_all(&dir).unwrap();
    }
}
