//! Finished cells, each a file, so that a run that was stopped can resume, and parts can be joined.

use std::path::{Path, PathBuf};

use lethe_files::{FileError, Lines, Replace, Units, UnitsError, Work};
use serde::{Deserialize, Serialize};

use crate::game::Betting;
use crate::lab::Outline;
use crate::measure::{Loss, Profile};

/// The kind of work that a grid is.
pub const KIND: &str = "lab";

/// The file of all cells that older versions wrote.
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

/// The finished cells, in files or only in memory.
#[derive(Debug, Default)]
pub struct Results {
    cells: Vec<Cell>,
    units: Option<Units>,
}

/// Why a file of results cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResultsError {
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
    /// The cells are of something else, or damaged, or missing.
    #[error(transparent)]
    Units(#[from] UnitsError),
}

impl Results {
    /// No cells, kept in memory only.
    pub fn in_memory() -> Results {
        Results::default()
    }

    /// The cells of a grid that are finished in a directory, which is created if necessary. Where it
    /// holds another grid, this one takes its place if it may, and finds the cells that they share.
    pub fn open(dir: &Path, outline: &Outline, replace: Replace) -> Result<Results, ResultsError> {
        let names = outline.cells.iter().map(|(_, key)| name(key)).collect();
        let units = Units::begin(dir, Work::new(KIND, outline, names), replace)?;
        let mut results = Results { cells: older(dir)?, units: Some(units) };
        results.load(outline)?;
        Ok(results)
    }

    /// A grid and its finished cells, from one directory or several in which parts of it were measured.
    pub fn merge(dirs: &[PathBuf]) -> Result<(Outline, Results), ResultsError> {
        let units = Units::open(dirs)?;
        let outline: Outline = serde_json::from_value(units.work().what.clone())
            .map_err(|_| UnitsError::NoWork { dir: units.dir().to_owned() })?;
        let mut results = Results { cells: Vec::new(), units: Some(units) };
        results.load(&outline)?;
        Ok((outline, results))
    }

    /// Reads the finished cells of a grid that are not known yet, perhaps those of other processes.
    pub fn load(&mut self, outline: &Outline) -> Result<(), ResultsError> {
        let Some(units) = &self.units else { return Ok(()) };
        for (_, key) in &outline.cells {
            if self.get(key).is_none()
                && let Some(outcome) = units.get(&name(key), key)?
            {
                self.cells.push(Cell { key: key.clone(), outcome });
            }
        }
        Ok(())
    }

    /// An error if cells of a grid are not finished.
    pub fn check_complete(&self, outline: &Outline) -> Result<(), ResultsError> {
        let Some(units) = &self.units else { return Ok(()) };
        let missing = outline.cells.iter().filter(|(_, key)| self.get(key).is_none());
        let names: Vec<String> = missing.map(|(_, key)| name(key)).collect();
        Ok(units.check_complete(names.len(), names.first().map(String::as_str))?)
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

    /// The seconds that all cells took together.
    pub fn seconds(&self) -> f64 {
        self.cells.iter().map(|cell| cell.outcome.seconds).sum()
    }

    /// Adds a finished cell, on disk before this returns.
    pub fn add(&mut self, cell: Cell) -> Result<(), ResultsError> {
        if let Some(units) = &self.units {
            units.put(&name(&cell.key), &cell.key, &cell.outcome)?;
        }
        self.cells.push(cell);
        Ok(())
    }
}

/// The name of a cell's unit: its board, and a hash of what determines it.
fn name(key: &Key) -> String {
    let text = serde_json::to_string(key).expect("a key is plain data");
    format!("{}-{}", key.board, &blake3::hash(text.as_bytes()).to_hex()[..16])
}

/// The cells in a file of an older version, which had all of them in one.
fn older(dir: &Path) -> Result<Vec<Cell>, ResultsError> {
    let path = dir.join(RESULTS);
    let lines = match Results::lines(&path) {
        Err(error) if error.is_missing() => return Ok(Vec::new()),
        lines => lines?,
    };
    if let Some(&line) = lines.damaged.first() {
        return Err(ResultsError::Line { path, line });
    }
    let cell = |(line, text): (usize, Vec<u8>)| {
        serde_json::from_slice(&text).map_err(|_| ResultsError::Line { path: path.clone(), line })
    };
    lines.whole.into_iter().map(cell).collect()
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
    fn cells_come_back_bit_for_bit_and_those_of_older_versions_too() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        let (first, second) = (cell("Ks7h2d"), cell("Ks7h2d9s"));
        let outline = Outline {
            boards: vec![("Ks7h2d".into(), 1.0), ("Ks7h2d9s".into(), 1.0)],
            betting: Betting::default(),
            iterations: 10,
            seeds: 1,
            cells: vec![(0, first.key.clone()), (1, second.key.clone())],
        };
        let open = || Results::open(dir, &outline, Replace::Allowed);
        open().unwrap().add(first.clone()).unwrap();
        let mut results = open().unwrap();
        assert_eq!(results.len(), 1);
        assert_eq!(results.get(&first.key), Some(&first.outcome));
        assert_eq!(results.get(&second.key), None);
        let missing = results.check_complete(&outline).unwrap_err().to_string();
        assert!(missing.contains("1 of 2 units are missing or damaged, Ks7h2d9s-"), "{missing}");
        results.add(second.clone()).unwrap();
        let (found, results) = Results::merge(&[dir.to_owned()]).unwrap();
        assert_eq!(found, outline);
        assert_eq!(results.get(&second.key), Some(&second.outcome));
        // All cells in one file, of which the last line was cut.
        std::fs::remove_dir_all(dir.join("units")).unwrap();
        let path = dir.join(RESULTS);
        lethe_files::append_line(&path, &serde_json::to_string(&first).unwrap()).unwrap();
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, [&whole[..], &whole[..whole.len() / 2]].concat()).unwrap();
        assert_eq!(open().unwrap().get(&first.key), Some(&first.outcome));
        std::fs::write(&path, "{}\n").unwrap();
        let message = open().unwrap_err().to_string();
        assert!(message.contains("results.jsonl:1: damaged, or not a result"), "{message}");
    }
}
