//! Finished flops of a measurement, kept in files so that one that was stopped can resume.
//!
//! A directory has a file for each flop: one line of JSON with a checksum.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use lethe_blueprint::FlopValues;
use lethe_cards::CanonicalBoard;
use lethe_files::{FileError, Lines, append_line};
use serde::{Deserialize, Serialize};

use crate::flop::LeafKind;
use crate::measure::Search;

/// The version of what the files mean.
const VERSION: u32 = 1;

/// The finished flops of one agent in a directory.
#[derive(Clone, Debug)]
pub struct Finished {
    dir: PathBuf,
    key: Key,
}

/// What determines the values of a flop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Key {
    version: u32,
    /// The checksum of the blueprint.
    blueprint: String,
    #[serde(flatten)]
    search: Search,
}

/// The content of a file.
#[derive(Serialize, Deserialize)]
struct FlopFile {
    #[serde(flatten)]
    key: Key,
    flop: String,
    /// The big blind's first.
    values: [FlopValues; 2],
}

impl Finished {
    /// The finished flops in a directory, which is created if necessary, of the agent that searches so
    /// under the blueprint with this checksum.
    pub fn open(dir: &Path, blueprint: &str, search: Search) -> Result<Finished, FinishedError> {
        fs::create_dir_all(dir)
            .map_err(|source| FinishedError::Create { path: dir.to_owned(), source })?;
        let key = Key { version: VERSION, blueprint: blueprint.to_owned(), search };
        Ok(Finished { dir: dir.to_owned(), key })
    }

    fn path(&self, flop: CanonicalBoard) -> PathBuf {
        self.dir.join(format!("{}.json", flop.board()))
    }

    /// The values of a flop with so many betting lines, if it is finished.
    ///
    /// # Errors
    /// If its file is damaged or belongs to another agent.
    pub fn get(
        &self,
        flop: CanonicalBoard,
        lines: usize,
    ) -> Result<Option<[FlopValues; 2]>, FinishedError> {
        let path = self.path(flop);
        let read = match Lines::read(&path, |_| false) {
            Err(error) if error.is_missing() => return Ok(None),
            read => read?,
        };
        let damaged = || FinishedError::Damaged { path: path.clone() };
        let line = match (&read.whole[..], &read.damaged[..]) {
            ([], []) => return Ok(None),
            ([(_, line)], []) => line,
            _ => return Err(damaged()),
        };
        let file: FlopFile = serde_json::from_slice(line).map_err(|_| damaged())?;
        self.compare(&path, &file.key)?;
        let fits = |values: &FlopValues| {
            let FlopValues { best, own, river, turn, versus } = values;
            let all = [best, own, river, turn, versus];
            all.iter().all(|row| row.len() == lines * 169 && row.iter().all(|x| x.is_finite()))
        };
        if file.flop != flop.board().to_string() || !file.values.iter().all(fits) {
            return Err(damaged());
        }
        Ok(Some(file.values))
    }

    /// An error that names what differs.
    fn compare(&self, path: &Path, found: &Key) -> Result<(), FinishedError> {
        let (ours, theirs) = (&self.key, found);
        let what = [
            ("version", ours.version.to_string(), theirs.version.to_string()),
            ("blueprint", ours.blueprint.clone(), theirs.blueprint.clone()),
            ("search", ours.search.from.to_string(), theirs.search.from.to_string()),
            ("gadget", ours.search.gadget.to_string(), theirs.search.gadget.to_string()),
            (
                "iterations",
                ours.search.iterations.to_string(),
                theirs.search.iterations.to_string(),
            ),
        ];
        let leaf = |search: &Search| search.leaf.map_or("none", LeafKind::name).to_owned();
        let rivers =
            |search: &Search| search.leaf_rivers.map_or("all".to_owned(), |n| n.to_string());
        let leaves = [
            ("leaf values", leaf(&ours.search), leaf(&theirs.search)),
            ("rivers of leaf values", rivers(&ours.search), rivers(&theirs.search)),
        ];
        match what.into_iter().chain(leaves).find(|(_, expected, found)| expected != found) {
            Some((what, expected, found)) => {
                Err(FinishedError::Other { path: path.to_owned(), what, expected, found })
            }
            None => Ok(()),
        }
    }

    /// Keeps the values of a flop, on disk before this returns.
    pub fn add(&self, flop: CanonicalBoard, values: &[FlopValues; 2]) -> Result<(), FinishedError> {
        let (key, values) = (self.key.clone(), values.clone());
        let file = FlopFile { key, flop: flop.board().to_string(), values };
        let text = serde_json::to_string(&file).expect("a flop is plain data");
        Ok(append_line(&self.path(flop), &text)?)
    }
}

/// Why finished flops cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FinishedError {
    /// A file of another agent.
    #[error(
        "{}: expected {what} {expected}, found {found}; use another directory for another agent",
        path.display()
    )]
    Other {
        /// The file.
        path: PathBuf,
        /// What differs.
        what: &'static str,
        /// What it is for this agent.
        expected: String,
        /// What it is in the file.
        found: String,
    },
    /// A file that is not what was written.
    #[error("{}: damaged; remove it, and its flop is computed again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// A directory that cannot be created.
    #[error("{}: {source}", path.display())]
    Create {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file that cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}
