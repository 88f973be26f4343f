//! Training runs and the blueprints in them.
//!
//! ```no_run
//! use lethe_blueprint::CheckpointKind;
//! use lethe_kit::{data::DataDir, runs};
//!
//! let blueprint = runs::open(&DataDir::locate(None), "quick".as_ref(), CheckpointKind::Latest)?;
//! println!("{} iterations", blueprint.header().reached.iterations);
//! # Ok::<(), lethe_kit::Error>(())
//! ```

use std::path::Path;

use lethe_abstraction::Abstraction;
use lethe_abstraction::artifact::list;
use lethe_abstraction::bucket_equities::BucketEquities;
use lethe_blueprint::{Blueprint, BlueprintError, CardModel, CheckpointKind};
use lethe_cards::Street;

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

/// Whether a path is a run with a checkpoint, or a checkpoint.
pub fn is_blueprint(path: &Path) -> bool {
    if path.is_dir() {
        return KINDS.iter().any(|kind| path.join(kind.file()).is_file());
    }
    files::begins_with(path, lethe_blueprint::MAGIC)
}

/// The equities of a blueprint's flop buckets against one another, if its abstraction has them.
pub fn flop_equities(blueprint: &Blueprint) -> Result<Option<BucketEquities>, Error> {
    let Some(abstraction) = blueprint.buckets().abstraction() else { return Ok(None) };
    let found = abstraction.bucket_equities(Street::Flop)?;
    Ok(found.map(|table| BucketEquities {
        buckets: table.buckets,
        sums: table.sums.to_vec(),
        counts: table.counts.to_vec(),
    }))
}
