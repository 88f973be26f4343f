//! What the commands about blueprints share.

use std::path::Path;

use clap::ValueEnum;
use lethe_blueprint::{Blueprint, CheckpointKind};
use lethe_kit::{limits, runs};

use crate::output::Output;

/// What is accepted wherever a blueprint is asked for.
pub(super) const BLUEPRINT_HELP: &str =
    "The blueprint: a run's directory, its name in the data directory, or a checkpoint file";

/// A checkpoint of a run, as it is typed.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum Checkpoint {
    /// The last one written
    #[default]
    Latest,
    /// The one with the lowest estimate of exploitability
    BestExploitability,
    /// The one that beat all before it
    BestMatch,
}

impl From<Checkpoint> for CheckpointKind {
    fn from(checkpoint: Checkpoint) -> CheckpointKind {
        match checkpoint {
            Checkpoint::Latest => CheckpointKind::Latest,
            Checkpoint::BestExploitability => CheckpointKind::BestExploitability,
            Checkpoint::BestMatch => CheckpointKind::BestMatch,
        }
    }
}

/// Opens a blueprint.
pub(super) fn open(
    name: &Path,
    checkpoint: Checkpoint,
    out: &Output<'_>,
) -> Result<Blueprint, lethe_kit::Error> {
    runs::open(out.data(), name, checkpoint.into())
}

/// Reads a number of hands, at least two.
pub(super) fn hands(text: &str) -> Result<u64, String> {
    match limits::count(text).map_err(|error| error.to_string())? {
        0 | 1 => Err("expected at least 2 hands, such as 50000, 100k or 1M".to_owned()),
        hands => Ok(hands),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_has_two_hands() {
        assert!(hands("1").is_err() && hands("0").is_err());
        assert_eq!(hands("2k"), Ok(2000));
    }
}
