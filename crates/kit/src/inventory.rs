//! What a data directory holds: abstractions, runs and solutions.
//!
//! ```
//! use lethe_kit::{data::DataDir, inventory::Inventory};
//!
//! let inventory = Inventory::of(&DataDir::locate(Some("no/such/directory".as_ref())))?;
//! assert!(inventory.abstractions.abstractions.is_empty());
//! assert!(inventory.runs.is_empty() && inventory.solutions.is_empty());
//! # Ok::<(), lethe_kit::Error>(())
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use lethe_blueprint::{Checkpoint, Header};
use serde::Serialize;

use crate::abstractions::ListView;
use crate::data::DataDir;
use crate::error::Error;
use crate::runs;
use crate::solution;

/// All that a data directory holds.
#[derive(Debug, Serialize)]
pub struct Inventory {
    /// The abstractions, and where they are.
    #[serde(flatten)]
    pub abstractions: ListView,
    /// The training runs, by name.
    pub runs: Vec<RunItem>,
    /// The saved solutions, by name.
    pub solutions: Vec<SolutionItem>,
}

/// A training run.
#[derive(Debug, Serialize)]
pub struct RunItem {
    /// The name of its directory.
    pub name: String,
    /// Its directory.
    pub path: PathBuf,
    /// The size of its files.
    pub bytes: u64,
    /// What it is.
    #[serde(flatten)]
    pub state: RunState,
}

/// Whether the latest checkpoint of a run opens, and what it says.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum RunState {
    /// It opens.
    Opens {
        /// Iterations done.
        iterations: u64,
        /// Seconds of training.
        seconds: f64,
        /// The abstraction it is trained on; `None` in a game that ends before the flop.
        abstraction: Option<String>,
        /// Whether training can resume.
        resumable: bool,
        /// The version of the program that wrote it.
        program: String,
        /// The version of the training algorithm.
        trainer: u32,
        /// Whether this program has a later one, which trains differently.
        outdated: bool,
    },
    /// It does not.
    Broken {
        /// Why.
        error: String,
    },
}

/// A saved solution.
#[derive(Debug, Serialize)]
pub struct SolutionItem {
    /// Its name: that of its file without `.lethe`.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
}

impl Inventory {
    /// What is in a data directory.
    pub fn of(data: &DataDir) -> Result<Inventory, Error> {
        let abstractions = ListView::of(&data.abstractions())?;
        let runs = entries(&data.runs()).into_iter().filter(|(_, path)| path.is_dir());
        let solutions =
            entries(&data.solutions()).into_iter().filter(|(_, path)| solution::is_saved(path));
        Ok(Inventory {
            abstractions,
            runs: runs.map(|(name, path)| RunItem::of(name, path)).collect(),
            solutions: solutions.map(|(name, path)| SolutionItem::of(&name, path)).collect(),
        })
    }
}

impl RunItem {
    fn of(name: String, path: PathBuf) -> RunItem {
        let bytes = entries(&path).iter().map(|(_, file)| size(file)).sum();
        let found =
            runs::KINDS.iter().map(|kind| path.join(kind.file())).find(|file| file.exists());
        let state = match found.map(Checkpoint::open) {
            None => RunState::Broken { error: format!("{}: no checkpoint yet", path.display()) },
            Some(Err(error)) => RunState::Broken { error: error.to_string() },
            Some(Ok(checkpoint)) => {
                let header = checkpoint.header();
                RunState::Opens {
                    iterations: header.reached.iterations,
                    seconds: header.seconds,
                    abstraction: header.abstraction.as_ref().map(|cards| cards.name.clone()),
                    resumable: header.resumable,
                    program: header.program.clone(),
                    trainer: header.trainer,
                    outdated: header.trainer < Header::TRAINER,
                }
            }
        };
        RunItem { name, path, bytes, state }
    }
}

impl SolutionItem {
    fn of(file: &str, path: PathBuf) -> SolutionItem {
        let name = file.strip_suffix(".lethe").unwrap_or(file).to_owned();
        SolutionItem { name, bytes: size(&path), path }
    }
}

/// What is in a directory, hidden things left out, by name; nothing if it cannot be read.
fn entries(dir: &Path) -> Vec<(String, PathBuf)> {
    let found = fs::read_dir(dir).into_iter().flatten().flatten();
    let named = found.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()));
    let mut entries: Vec<_> = named.filter(|(name, _)| !name.starts_with('.')).collect();
    entries.sort();
    entries
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |found| if found.is_file() { found.len() } else { 0 })
}
