//! Solutions by what the user names: a spot file, which is solved first.

use std::path::Path;

use lethe_solver::{Options, Position, Solution, Solver, Stop};

use super::run;
use super::spot_file::SpotFile;
use crate::error::InputError;

/// The solution that a path names; a spot file is solved to the target first.
pub(crate) fn open(path: &Path, options: Options, stop: &Stop) -> anyhow::Result<Solution> {
    let spot = SpotFile::read(path)?.spot()?;
    let mut solver = Solver::new(spot, options).map_err(run::explain)?;
    run::run(&mut solver, stop);
    Ok(solver.into_solution())
}

/// Solves anew what follows a position.
pub(crate) fn resolve(
    position: &Position<'_>,
    options: Options,
    stop: &Stop,
) -> anyhow::Result<Solution> {
    position.resolve(options, stop).map_err(|error| InputError::new(error).into())
}
