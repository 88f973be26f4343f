//! `lethe bench`: how fast the parts are on this machine, beside what they should be.

mod cards;
mod stored;
mod whole;

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use lethe_kit::signature::Signature;
use serde::Serialize;

use crate::output::{Output, Report};
use crate::progress::Bars;
use lethe_kit::abstractions::Phase;
use lethe_kit::text::short;

/// The throughput of the evaluator, the index, exact equities and look-ups
///
/// Each figure is shown beside its target, which is meant for two idle cores. Look-ups are
/// measured on the abstraction given, or on that of the default preset if it has been built.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe bench
  lethe bench --quick --json
  lethe bench --build
  lethe bench --signature")]
pub(crate) struct Args {
    /// The abstraction to look hands up in [default: the preset default, if it is built]
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Measure a part of the work and extrapolate
    #[arg(long)]
    quick: bool,
    /// Also build the default preset in a temporary directory, with its time and memory
    #[arg(long)]
    build: bool,
    /// Print one hash over results of every stage instead: it changes only if a number does
    #[arg(long, conflicts_with_all = ["quick", "build", "dir"])]
    signature: bool,
}

/// A figure and what it should be.
#[derive(Debug, Serialize)]
struct Figure {
    name: String,
    value: f64,
    unit: &'static str,
    target: Option<f64>,
    met: Option<bool>,
    #[serde(skip)]
    bound: &'static str,
}

impl Figure {
    /// A figure that should be at most `target`.
    fn at_most(name: impl Into<String>, value: f64, unit: &'static str, target: f64) -> Figure {
        let (target, met) = (Some(target), Some(value <= target));
        Figure { name: name.into(), value, unit, target, met, bound: "at most" }
    }

    /// A figure that should be at least `target`.
    fn at_least(name: impl Into<String>, value: f64, unit: &'static str, target: f64) -> Figure {
        let (target, met) = (Some(target), Some(value >= target));
        Figure { name: name.into(), value, unit, target, met, bound: "at least" }
    }
}

/// The figures of a run.
#[derive(Debug, Serialize)]
struct Figures {
    threads: usize,
    quick: bool,
    /// The mean number of processes that wanted a core in the last minute.
    load: Option<f64>,
    figures: Vec<Figure>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    phases: Vec<Phase>,
}

impl Report for Figures {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let load = self.load.map_or(String::new(), |load| format!(", load {load:.1}"));
        let quick = if self.quick { ", extrapolated from a part" } else { "" };
        writeln!(out, "{} threads{load}{quick}\n", self.threads)?;
        let row = |figure: &Figure| {
            let target = figure
                .target
                .map_or(String::new(), |target| format!("{} {}", figure.bound, short(target)));
            let verdict = match figure.met {
                Some(true) => "met",
                Some(false) => "missed",
                None => "",
            };
            let value = format!("{} {}", short(figure.value), figure.unit);
            vec![figure.name.clone(), value, target, verdict.to_owned()]
        };
        out.table(&["", "here", "target", ""], self.figures.iter().map(row))?;
        if !self.phases.is_empty() {
            writeln!(out)?;
            let phase = |phase: &Phase| vec![phase.name.clone(), format!("{:.2} s", phase.seconds)];
            out.table(&["phase of the build", ""], self.phases.iter().map(phase))?;
        }
        Ok(())
    }
}

/// The least time in seconds that `work` takes in several tries.
fn fastest(tries: usize, mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..tries.max(1) {
        let begun = Instant::now();
        work();
        best = best.min(begun.elapsed().as_secs_f64());
    }
    best
}

/// The time in seconds that `work` takes for all pieces one after another, each at its fastest in
/// several rounds: what a busy machine takes away in between does not count.
fn fastest_pieces<T>(tries: usize, pieces: &[T], mut work: impl FnMut(&T)) -> f64 {
    let mut best = vec![f64::INFINITY; pieces.len()];
    for _ in 0..tries.max(1) {
        for (piece, best) in pieces.iter().zip(&mut best) {
            *best = best.min(fastest(1, || work(piece)));
        }
    }
    best.into_iter().sum()
}

/// The load of the last minute, where the system says.
fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

impl Report for Signature {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        writeln!(out, "{}", self.signature)?;
        self.stages.iter().try_for_each(|(name, hash)| writeln!(out, "  {hash}  {name}"))
    }
}

/// Prints the figures or the signature.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    if args.signature {
        let bars = Bars::new();
        let signature = Signature::compute(bars.job())?;
        return out.show(&signature);
    }
    let load = load();
    let (mut figures, mut phases) = (Vec::new(), Vec::new());
    // First, so that the peak of memory is the build's own.
    if args.build {
        phases = whole::measure(&mut figures, out)?;
    }
    cards::measure(args.quick, &mut figures)?;
    whole::measure_start(&mut figures)?;
    let open = match &args.dir {
        Some(dir) => Some(out.data().open_abstraction(dir)?),
        None => out.data().open_abstraction("default".as_ref()).ok(),
    };
    match open {
        Some(mut open) => stored::measure(&mut open, args.quick, &mut figures)?,
        None => out.note("note: no look-ups are measured; `lethe build` makes what they need")?,
    }
    let threads = rayon::current_num_threads();
    out.show(&Figures { threads, quick: args.quick, load, figures, phases })
}
