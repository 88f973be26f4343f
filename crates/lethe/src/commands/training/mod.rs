//! What the commands about blueprints share: configurations, and opening what was trained.

pub(super) mod config;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use clap::ValueEnum;
use lethe_abstraction::Abstraction;
use lethe_blueprint::{Blueprint, BlueprintError, CardModel, CheckpointKind};
use lethe_game::Player;

use crate::error::InputError;

/// What is accepted wherever a blueprint is asked for.
pub(super) const BLUEPRINT_HELP: &str = "The blueprint: a run's directory, or a file in it";

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
pub(super) fn open(path: &Path, checkpoint: Checkpoint) -> anyhow::Result<Blueprint> {
    let kind = checkpoint.into();
    match Blueprint::open(path, kind) {
        Err(error @ BlueprintError::NotFound { .. }) => {
            let message = format!("{error}; `lethe train --out {}` makes one", path.display());
            Err(InputError::new(message).into())
        }
        Err(BlueprintError::AbstractionNotFound { abstraction, tried }) => {
            let Ok(found) =
                Abstraction::open(Path::new("data/abstractions").join(&abstraction.name))
            else {
                return Err(BlueprintError::AbstractionNotFound { abstraction, tried }.into());
            };
            Ok(Blueprint::open_with(path, kind, CardModel::Abstraction(Box::new(found)))?)
        }
        opened => Ok(opened?),
    }
}

/// Whether a path names a run with a checkpoint, or a checkpoint.
pub(super) fn is_blueprint(path: &Path) -> bool {
    if path.is_dir() {
        let all =
            [CheckpointKind::Latest, CheckpointKind::BestExploitability, CheckpointKind::BestMatch];
        return all.iter().any(|which| path.join(which.file()).is_file());
    }
    let mut begin = Vec::new();
    let read = File::open(path).and_then(|file| file.take(8).read_to_end(&mut begin));
    read.is_ok() && begin == b"LETHEBLP"
}

/// What a player of a whole hand is called: the blind it posts.
pub(super) const fn player_name(player: Player) -> &'static str {
    match player {
        Player::Oop => "bb",
        Player::Ip => "sb",
    }
}
