//! Solutions by what the user names: a saved file, or a spot file, which is solved first.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use lethe_compute::Job;
use lethe_game::SpotConfig;
use lethe_solver::{Keep, Options, Position, SaveError, Solution, Solver, Spot, SpotError, Stop};

use super::run;
use super::spot_file::SpotFile;
use crate::error::InputError;

/// What a saved solution begins with.
const MAGIC: &[u8] = b"LETHESOL";

/// The solution that a path names; a spot file is solved to the target first.
pub(crate) fn open(
    path: &Path,
    options: Options,
    stop: &Stop,
    job: Job<'_>,
) -> anyhow::Result<Solution> {
    if is_saved(path) {
        return Solution::open(path, job).map_err(|error| named(error, path));
    }
    let spot = SpotFile::read(path)?.spot()?;
    solve(spot, options, stop, job)
}

fn is_saved(path: &Path) -> bool {
    let mut begin = Vec::new();
    let read = File::open(path).and_then(|file| file.take(8).read_to_end(&mut begin));
    read.is_ok() && begin == MAGIC
}

fn named(error: SaveError, path: &Path) -> anyhow::Error {
    match error {
        SaveError::Io { .. } => error.into(),
        error => anyhow::Error::new(error).context(path.display().to_string()),
    }
}

fn solve(spot: Spot, options: Options, stop: &Stop, job: Job<'_>) -> anyhow::Result<Solution> {
    let mut solver = Solver::new(spot, options, job).map_err(run::explain)?;
    run::run(&mut solver, stop, job);
    Ok(solver.into_solution())
}

/// Solves again what follows a position, with the ranges that reach it.
pub(crate) fn resolve(
    position: &Position<'_>,
    options: Options,
    stop: &Stop,
    job: Job<'_>,
) -> anyhow::Result<Solution> {
    let spot = position.spot().map_err(|error| match error {
        SpotError::EmptyRange(_) | SpotError::NoPair => InputError::new(
            "the players never both come to this line, so there is nothing to solve after it",
        ),
        error => InputError::new(error),
    })?;
    solve(spot, options, stop, job)
}

/// Checks, before anything is solved, that a solution can be saved under this name.
pub(crate) fn check_target(path: &Path) -> Result<(), InputError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let shown = path.display().to_string();
    let shown = shown.escape_debug();
    match folder.map(std::fs::metadata) {
        Some(Ok(folder)) if !folder.is_dir() => {
            Err(InputError::new(format_args!("{shown}: that is not in a folder")))
        }
        Some(Err(error)) if error.kind() == ErrorKind::NotFound => {
            Err(InputError::new(format_args!("{shown}: there is no such folder; make it first")))
        }
        _ if path.is_dir() => Err(InputError::new(format_args!("{shown} is a folder"))),
        _ if path.file_name().is_none() => {
            Err(InputError::new(format_args!("{shown} is not the name of a file")))
        }
        _ => Ok(()),
    }
}

/// Saves a solution of a spot with this betting.
pub(crate) fn save(
    solution: &Solution,
    path: &Path,
    betting: &SpotConfig,
    keep: Keep,
    job: Job<'_>,
) -> anyhow::Result<()> {
    Ok(solution.save(path, betting, keep, job)?)
}
