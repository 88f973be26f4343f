//! Training runs and the blueprints in them.
//!
//! ```no_run
//! use lethe_blueprint::CheckpointKind;
//! use lethe_kit::{data::DataDir, runs};
//!
//! let blueprint = runs::open(&DataDir::locate(None), "quick".as_ref(), CheckpointKind::Latest)?;
//! println!("{} iterations", blueprint.header().iterations);
//! # Ok::<(), lethe_kit::Error>(())
//! ```

use std::path::{Path, PathBuf};

use lethe_abstraction::Abstraction;
use lethe_abstraction::artifact::list;
use lethe_blueprint::{Blueprint, BlueprintError, CardModel, Checkpoint, CheckpointKind};
use lethe_compute::Job;

use crate::abstractions::VerifyView;
use crate::data::DataDir;
use crate::error::Error;
use crate::files;

/// The checkpoints of a run.
pub const KINDS: [CheckpointKind; 3] =
    [CheckpointKind::Latest, CheckpointKind::BestExploitability, CheckpointKind::BestMatch];

/// Opens the blueprint of the run that `name` means, or a checkpoint file.
///
/// Its abstraction is opened where it was; if it has moved, it is found in the data directory by
/// its name or its buckets.
pub fn open(data: &DataDir, name: &Path, kind: CheckpointKind) -> Result<Blueprint, Error> {
    let path = data.find_run(name)?;
    match Blueprint::open(&path, kind) {
        Err(BlueprintError::AbstractionNotFound { abstraction, tried }) => {
            let mut entries = list(&data.abstractions())?;
            entries.sort_by_key(|entry| entry.name != abstraction.name);
            let models = entries.iter().filter_map(|entry| Abstraction::open(&entry.path).ok());
            let mut models = models.map(|found| CardModel::Abstraction(Box::new(found)));
            let same = |model: &CardModel| model.checksum().as_ref() == Some(&abstraction.checksum);
            match models.find(same) {
                Some(cards) => Ok(Blueprint::open_with(&path, kind, cards)?),
                None => Err(BlueprintError::AbstractionNotFound { abstraction, tried }.into()),
            }
        }
        opened => Ok(opened?),
    }
}

/// Checks every byte of the checkpoints of a run, or of one checkpoint file.
pub fn verify(path: &Path, job: Job<'_>) -> Result<VerifyView, Error> {
    let files: Vec<PathBuf> = match path.is_dir() {
        true => KINDS.map(|kind| path.join(kind.file())).into_iter().collect(),
        false => vec![path.to_owned()],
    };
    let mut view = VerifyView::new(path);
    for file in files.into_iter().filter(|file| file.is_file()) {
        let verified = Checkpoint::open(&file).and_then(|checkpoint| checkpoint.verify(job));
        job.check()?;
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match verified {
            Ok(()) => view.bytes += std::fs::metadata(&file).map_or(0, |found| found.len()),
            Err(error) => view.problems.push(error.to_string()),
        }
        view.files.push(name);
    }
    view.ok = view.problems.is_empty();
    Ok(view)
}

/// Whether a path is a run with a checkpoint, or a checkpoint.
pub fn is_blueprint(path: &Path) -> bool {
    if path.is_dir() {
        return KINDS.iter().any(|kind| path.join(kind.file()).is_file());
    }
    files::begins_with(path, b"LETHEBLP")
}
