//! What abstractions lose.

use std::path::PathBuf;
use std::time::Instant;

use lethe_collective::Share;
use lethe_kit::files::Replace;
use lethe_kit::lab::{LabPreset, LabRequest, LabView};
use lethe_kit::limits;
use lethe_lab::{Betting, Results, Summary};
use pyo3::prelude::*;

use crate::abstraction::data_dir;
use crate::errors::Failure;
use crate::json;
use crate::work::{How, run};

/// Measures a grid: its figures and its plot.
#[pyfunction]
#[pyo3(signature = (
    preset, methods, buckets, boards, seeds, abstractions, iterations, betting, symmetric, memory, out, data, threads,
    progress
))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn lab(
    py: Python<'_>,
    preset: &str,
    methods: Option<Vec<String>>,
    buckets: Option<Vec<usize>>,
    boards: Option<Vec<String>>,
    seeds: Vec<u64>,
    abstractions: Vec<PathBuf>,
    iterations: Option<u32>,
    betting: (Option<u32>, Option<u32>, Option<String>, Option<String>),
    symmetric: bool,
    memory: Option<&str>,
    out: Option<PathBuf>,
    data: Option<PathBuf>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> Result<(Py<PyAny>, String), Failure> {
    let preset = match preset {
        "quick" => LabPreset::Quick,
        "full" => LabPreset::Full,
        other => {
            return Err(Failure::Input(format!("preset is {other:?}; expected quick or full")));
        }
    };
    if let Some(wrong) = buckets.iter().flatten().find(|count| !(1..=1_000_000).contains(*count)) {
        return Err(Failure::Input(format!(
            "buckets has {wrong}; expected numbers from 1 to 1000000"
        )));
    }
    if iterations == Some(0) {
        return Err(Failure::input("iterations is 0; expected at least 1"));
    }
    let (pot, stack, bet, raise) = betting;
    let usual = Betting::default();
    let memory = memory.map(|text| {
        limits::memory(text).map_err(|error| Failure::Input(format!("memory is {text:?}: {error}")))
    });
    let request = LabRequest {
        preset,
        methods,
        buckets,
        boards,
        seeds,
        abstractions,
        iterations,
        betting: Betting {
            pot: pot.unwrap_or(usual.pot),
            stack: stack.unwrap_or(usual.stack),
            bet: bet.unwrap_or(usual.bet),
            raise: raise.unwrap_or(usual.raise),
        },
        symmetric,
        memory: memory.transpose()?,
    };
    let (view, svg) = run(py, How { threads, progress }, |job, _| {
        let lab = request.lab(&data_dir(data))?;
        let outline = lab.outline();
        let mut results = match &out {
            Some(dir) => Results::open(dir, &outline, Replace::Allowed)?,
            None => Results::in_memory(),
        };
        let begun = Instant::now();
        lab.run(&mut results, Share::alone(), job, &mut |_| ())?;
        let view = LabView {
            betting: lab.betting.clone(),
            iterations: lab.effort.iterations,
            finished: true,
            seconds: begun.elapsed().as_secs_f64(),
            summary: Summary::of(&outline, &results),
        };
        Ok((json::view(&view)?, view.svg()))
    })?;
    Ok((json::to_python(py, &view)?.unbind(), svg))
}
