//! Parts of bulk work, joined: what the undivided work would have printed.
//!
//! ```no_run
//! use lethe_compute::Job;
//! use lethe_kit::{data::DataDir, merge};
//!
//! let view = merge::merge(&["sweeps/srp".into()], None, &DataDir::locate(None), Job::default())?;
//! println!("{}", serde_json::to_string(&view).expect("a view is plain data"));
//! # Ok::<(), lethe_kit::Error>(())
//! ```

use std::path::{Path, PathBuf};

use lethe_blueprint::Blueprint;
use lethe_collective::Part;
use lethe_compute::Job;
use lethe_lab::{Results, Summary};
use serde::Serialize;

use crate::data::DataDir;
use crate::error::Error;
use crate::files::{UnitsError, Work};
use crate::flop_work::{self, FlopWork, FlopsView};
use crate::lab::LabView;
use crate::runs;
use crate::sweep::{self, Sweep, SweepView};

/// The result of all parts.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum MergeView {
    /// A spot on many flops.
    Sweep(SweepView),
    /// A grid of the lab.
    Lab(LabView),
    /// An exploitability.
    Flops(FlopsView),
}

/// How far one part of some work is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PartView {
    /// The number of the part, from 0.
    pub part: usize,
    /// How many parts there are.
    pub parts: usize,
    /// The units of this part.
    pub units: usize,
    /// Those of them that are finished.
    pub finished: usize,
    /// The units of all parts.
    pub total: usize,
    /// Where they are kept.
    pub dir: PathBuf,
}

impl PartView {
    /// A part of so many units, of which some are finished.
    pub fn new(part: Part, [units, finished, total]: [usize; 3], dir: &Path) -> PartView {
        let (part, parts) = (part.index(), part.of());
        PartView { part, parts, units, finished, total, dir: dir.to_owned() }
    }
}

/// Joins the parts of some work in one directory or several. An exploitability needs its blueprint,
/// which is found where it was or where `blueprint` says.
///
/// # Errors
/// If units are missing or belong to something else.
pub fn merge(
    dirs: &[PathBuf],
    blueprint: Option<&Path>,
    data: &DataDir,
    job: Job<'_>,
) -> Result<MergeView, Error> {
    let first = dirs.first().ok_or_else(|| Error::question("no directory to merge"))?;
    let work = Work::read(first)?;
    match work.kind.as_str() {
        sweep::KIND => {
            let sweep = Sweep::merge(dirs)?;
            sweep.check_complete()?;
            Ok(MergeView::Sweep(sweep.view()?))
        }
        lethe_lab::KIND => {
            let (outline, results) = Results::merge(dirs)?;
            results.check_complete(&outline)?;
            Ok(MergeView::Lab(LabView {
                summary: Summary::of(&outline, &results),
                betting: outline.betting,
                iterations: outline.iterations,
                finished: true,
                seconds: results.seconds(),
            }))
        }
        flop_work::KIND => {
            let place = blueprint.map(Path::to_owned).or_else(|| work.source.map(PathBuf::from));
            let place = place.ok_or_else(|| Error::question("the blueprint is not known"))?;
            // Any checkpoint of the run may have been measured; what is said is of the latest.
            let [latest, others @ ..] = runs::KINDS;
            let found = of_checkpoint(dirs, &runs::open(data, &place, latest)?, job);
            if !matches!(found, Err(Error::Units(UnitsError::Foreign { .. }))) {
                return found;
            }
            let others = others.into_iter().filter_map(|kind| runs::open(data, &place, kind).ok());
            let mut others = others.map(|blueprint| of_checkpoint(dirs, &blueprint, job));
            others.find(Result::is_ok).unwrap_or(found)
        }
        kind => Err(Error::question(format_args!(
            "{}: {kind} is work of another version",
            first.display()
        ))),
    }
}

/// Joins an exploitability of one checkpoint.
fn of_checkpoint(
    dirs: &[PathBuf],
    blueprint: &Blueprint,
    job: Job<'_>,
) -> Result<MergeView, Error> {
    let blueprint = blueprint.verify(job)?;
    Ok(MergeView::Flops(FlopWork::merge(dirs, &blueprint)?.view(job)?))
}
