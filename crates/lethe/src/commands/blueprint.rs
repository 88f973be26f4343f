//! Blueprints by what the user names: the directory of a run, or one of its checkpoints.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use lethe_blueprint::{Blueprint, BlueprintError, Which};
use lethe_game::Player;

use crate::error::InputError;

/// What a checkpoint begins with.
const MAGIC: &[u8] = b"LETHEBLP";

/// A blueprint on the command line.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Source {
    /// The blueprint: the directory of a run, or a checkpoint in it
    #[arg(value_name = "BLUEPRINT")]
    blueprint: PathBuf,
    /// Which checkpoint of a run
    #[arg(long, value_name = "WHICH", default_value = "latest")]
    checkpoint: Kept,
}

/// The checkpoints that a run keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kept {
    /// The last one written
    #[default]
    Latest,
    /// The one with the lowest estimate of exploitability
    BestExploitability,
    /// The one that beat all before it
    BestMatch,
}

impl From<Kept> for Which {
    fn from(kept: Kept) -> Which {
        match kept {
            Kept::Latest => Which::Latest,
            Kept::BestExploitability => Which::BestExploitability,
            Kept::BestMatch => Which::BestMatch,
        }
    }
}

impl Source {
    /// Opens it.
    pub(crate) fn open(&self) -> anyhow::Result<Blueprint> {
        open(&self.blueprint, self.checkpoint)
    }
}

/// Opens the blueprint that a path names.
pub(crate) fn open(path: &Path, kept: Kept) -> anyhow::Result<Blueprint> {
    match Blueprint::open(path, kept.into()) {
        Err(error @ BlueprintError::NotThere { .. }) => Err(InputError::new(error).into()),
        opened => Ok(opened?),
    }
}

/// Whether a path names a run with a checkpoint, or a checkpoint.
pub(crate) fn is_one(path: &Path) -> bool {
    if path.is_dir() {
        let all = [Which::Latest, Which::BestExploitability, Which::BestMatch];
        return all.iter().any(|which| path.join(which.file()).is_file());
    }
    let mut begin = Vec::new();
    let read = File::open(path).and_then(|file| file.take(8).read_to_end(&mut begin));
    read.is_ok() && begin == MAGIC
}

/// What a player of a whole hand is called: the blind it posts.
pub(crate) const fn name(player: Player) -> &'static str {
    match player {
        Player::Oop => "bb",
        Player::Ip => "sb",
    }
}
