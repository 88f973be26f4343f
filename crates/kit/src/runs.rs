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

use std::fs::File;
use std::io::Read;
use std::path::Path;

use lethe_blueprint::{Blueprint, CheckpointKind};

use crate::data::DataDir;
use crate::error::Error;

/// Opens the blueprint of the run that `name` means, or a checkpoint file.
pub fn open(data: &DataDir, name: &Path, kind: CheckpointKind) -> Result<Blueprint, Error> {
    Ok(Blueprint::open(data.find_run(name)?, kind)?)
}

/// Whether a path is a run with a checkpoint, or a checkpoint.
pub fn is_blueprint(path: &Path) -> bool {
    if path.is_dir() {
        let kinds =
            [CheckpointKind::Latest, CheckpointKind::BestExploitability, CheckpointKind::BestMatch];
        return kinds.iter().any(|kind| path.join(kind.file()).is_file());
    }
    let mut begin = Vec::new();
    let read = File::open(path).and_then(|file| file.take(8).read_to_end(&mut begin));
    read.is_ok() && begin == b"LETHEBLP"
}
