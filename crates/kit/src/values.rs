//! The values of a blueprint: what hands and buckets win with it, computed and stored beside its
//! checkpoint.
//!
//! ```no_run
//! use lethe_blueprint::{CheckpointKind, Flops};
//! use lethe_compute::Job;
//! use lethe_kit::{data::DataDir, runs, values};
//!
//! let blueprint = runs::open(&DataDir::locate(None), "quick".as_ref(), CheckpointKind::Latest)?;
//! let view = values::store(&blueprint.verify(Job::default())?, Flops::Sample(20, 0), Job::default())?;
//! println!("the small blind wins {} mbb/hand", view.value_mbb.sb);
//! # Ok::<(), lethe_kit::Error>(())
//! ```

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use lethe_blueprint::{Exact, Flops, Seats, VerifiedBlueprint};
use lethe_compute::Job;
use serde::Serialize;

use crate::error::Error;

/// Values that were stored.
#[derive(Clone, Debug, Serialize)]
pub struct ValuesView {
    /// The file.
    pub values: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// The flops that were walked.
    pub flops: u64,
    /// Whether these were all, so that values before the flop are exact.
    pub exact: bool,
    /// What the strategy wins in each seat against itself.
    pub value_mbb: Seats,
    /// How long it took.
    pub seconds: f64,
}

/// Computes the values of a blueprint and stores them beside its checkpoint. Progress is in flops and
/// players.
pub fn store(
    blueprint: &VerifiedBlueprint<'_>,
    flops: Flops,
    job: Job<'_>,
) -> Result<ValuesView, Error> {
    let begun = Instant::now();
    let plan = blueprint.plan();
    let exact = Exact { plan, buckets: blueprint.buckets(), weights: blueprint };
    let values = exact.values(flops, job)?;
    let path = values.save(blueprint.checkpoint())?;
    let header = values.header();
    Ok(ValuesView {
        bytes: fs::metadata(&path).map_or(0, |found| found.len()),
        values: path,
        flops: header.flops,
        exact: header.exact,
        value_mbb: values.value_mbb(plan)?,
        seconds: begun.elapsed().as_secs_f64(),
    })
}
