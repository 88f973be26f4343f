//! `lethe build`: an abstraction of every street, from a preset or a file of one's own.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use lethe_abstraction::artifact::{ArtifactWriter, BuildSummary, CreateOutcome, WriteError};
use lethe_abstraction::bucket_equities::{self, BucketEquitiesError, MAX_BUCKETS};
use lethe_abstraction::{BuildError, Built, PerStreet, Plan, StreetReport, estimate};
use lethe_cards::{Situation, Street};
use lethe_compute::{Job, Pool, Progress};
use lethe_kit::config::AbstractionConfig;
use serde::Serialize;

use super::artifact::ROOT;
use super::equity_tables;
use crate::error::{InputError, Stopped};
use crate::output::{Output, Report, bytes, seconds, thousands};
use crate::progress::{Bars, Phase};

/// Builds an abstraction: a bucket for every hole on every flop, turn and river
///
/// Says first how long it will take, how much memory and how much of the disk. The directory is
/// named after the configuration and its hash; if it is there already nothing is done. Nothing that
/// could be mistaken for an abstraction is left behind if the build is stopped.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(after_help = "Examples:
  lethe build
  lethe build --preset blueprint --set seed=7
  lethe build --config my.yaml --set buckets.river=1000 --threads 4
  lethe build --preset texture-fast-test --json

Presets: default, blueprint, quick, fine, texture-fast-test, texture-default, texture-production; they are
the commented files in configs/, from which to write one's own.")]
pub(crate) struct Args {
    /// A configuration that comes with lethe [default: default]
    #[arg(long, value_name = "NAME", conflicts_with = "config")]
    pub(crate) preset: Option<String>,
    /// A configuration of one's own, in YAML
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Overrides a key of the configuration, as num_flop_buckets=200 or method.river=ochs
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// The directory in which to put the abstraction's own [default: data/abstractions]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Threads to use [default: all cores]; the files do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Build it even if it is there, and replace it at the end
    #[arg(long)]
    pub(crate) force: bool,
    /// Compute the equities of buckets against one another as well
    #[arg(long)]
    pub(crate) equity_tables: bool,
}

/// What is to be built, once the configuration is read.
#[derive(Debug)]
pub(crate) struct ResolvedArgs {
    config: AbstractionConfig,
    pub(crate) plan: Plan,
    pub(crate) out: PathBuf,
    threads: Option<usize>,
    force: bool,
    equity_tables: bool,
}

impl Args {
    /// Reads the configuration.
    pub(crate) fn resolve(&self) -> Result<ResolvedArgs, InputError> {
        let mut config = match &self.config {
            Some(file) => AbstractionConfig::load(file),
            None => AbstractionConfig::preset(self.preset.as_deref().unwrap_or("default")),
        }
        .map_err(InputError::new)?;
        for assignment in &self.set {
            config.set(assignment).map_err(InputError::new)?;
        }
        let plan = config.resolve().map_err(InputError::new)?;
        if self.equity_tables {
            check_equity_tables(&plan, &config)?;
        }
        Ok(ResolvedArgs {
            config,
            plan,
            out: self.out.clone().unwrap_or_else(|| ROOT.into()),
            threads: self.threads.map(usize::from),
            force: self.force,
            equity_tables: self.equity_tables,
        })
    }
}

/// Refuses, before the build and not after it, buckets that are too many for equity tables.
fn check_equity_tables(plan: &Plan, config: &AbstractionConfig) -> Result<(), InputError> {
    for (street, plan) in plan.streets().iter() {
        let buckets = plan.total_buckets();
        if buckets > MAX_BUCKETS {
            let error = BucketEquitiesError::TooManyBuckets { street, buckets };
            let place = config.locate(street).map_or(String::new(), |place| format!("{place}: "));
            return Err(InputError::new(format_args!("{place}{error}")));
        }
    }
    Ok(())
}

/// Builds what is asked for and tells of it.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let summary = perform(&args.resolve()?, out)?;
    out.show(&summary)
}

/// Builds what is ordered, unless it is there.
pub(crate) fn perform(order: &ResolvedArgs, out: &mut Output<'_>) -> anyhow::Result<Summary> {
    for key in order.config.unused(&order.plan) {
        out.note(format_args!("note: {key} makes no difference to this method"))?;
    }
    let begun = Instant::now();
    let threads = order.threads.unwrap_or_else(rayon::current_num_threads);
    let pool = Pool::new(threads)?;
    let mut writer = match ArtifactWriter::create(&order.out, &order.plan, order.force)? {
        CreateOutcome::Fresh(writer) => writer,
        CreateOutcome::AlreadyThere(path) => {
            if order.equity_tables {
                equity_tables::add(&path, &Street::POSTFLOP, Bars::new().job_on(&pool), false)?;
            }
            return Summary::of(path, false, Vec::new());
        }
    };
    announce(order, threads, out)?;
    let progress = Bars::new();
    let job = progress.job_on(&pool);
    let built = lethe_abstraction::build(&order.plan, job);
    let built = built.map_err(|error| explain(error, order))?;
    store(built, &mut writer, order, job).and_then(|summary| {
        if progress.cancelled() {
            return Err(nothing_written().into());
        }
        let path = writer.finish(&summary)?;
        let seconds = begun.elapsed().as_secs_f64();
        Ok(Summary { seconds, ..Summary::of(path, true, progress.finish())? })
    })
}

/// Says what is going to be built and what it takes.
fn announce(order: &ResolvedArgs, threads: usize, out: &mut Output<'_>) -> io::Result<()> {
    let estimate = estimate(&order.plan);
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(threads);
    let plural = if threads == 1 { "" } else { "s" };
    out.note(format_args!("building {} in {}", order.plan.name(), order.out.display()))?;
    out.note(format_args!(
        "about {} on {threads} thread{plural}, {} of memory, {} on disk{}",
        seconds(estimate.core_seconds / cores as f64),
        bytes(estimate.memory),
        bytes(estimate.disk),
        if order.equity_tables { "; equity tables take minutes more" } else { "" },
    ))
}

/// Writes all tables of a build.
fn store(
    built: Built,
    writer: &mut ArtifactWriter,
    order: &ResolvedArgs,
    job: Job<'_>,
) -> anyhow::Result<BuildSummary> {
    let Built { streets, equities, seconds } = built;
    if order.equity_tables {
        for (street, built) in streets.iter() {
            let pairs = bucket_equities::compute(street, built.report.buckets, &built.stored, job);
            let pairs = pairs.map_err(|error| match error {
                BucketEquitiesError::Cancelled => nothing_written().into(),
                error => anyhow::Error::new(error),
            })?;
            writer.write_bucket_equities(street, &pairs, job)?;
        }
    }
    job.begin("writing", 5);
    let written = |result: Result<(), WriteError>| -> anyhow::Result<()> {
        result.map_err(|error| match error {
            WriteError::Cancelled(_) => nothing_written().into(),
            error => anyhow::Error::new(error),
        })?;
        job.advance(1);
        Ok(())
    };
    for street in [Street::Flop, Street::Turn] {
        let equities = equities.of(street).context("flop and turn have equities")?;
        written(writer.write_equity(street, equities, job))?;
    }
    drop(equities);
    for (street, built) in streets.iter() {
        written(writer.write_buckets(street, &built.stored, built.report.buckets, job))?;
    }
    let reports = streets.map(|_, built| built.report);
    Ok(BuildSummary { reports, seconds, threads: job.threads() })
}

fn nothing_written() -> Stopped {
    Stopped("nothing was written")
}

/// A build's error as the user should see it: at the key that caused it, if one did.
fn explain(error: BuildError, order: &ResolvedArgs) -> anyhow::Error {
    if let Some(blamed) = order.config.blame(&error) {
        return InputError::new(blamed).into();
    }
    match error {
        BuildError::Cancelled => nothing_written().into(),
        BuildError::TooManyBuckets { .. } | BuildError::TooManyClusters { .. } => {
            InputError::new(error).into()
        }
        error => error.into(),
    }
}

/// An abstraction that was built, or was there already.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    name: String,
    pub(crate) path: PathBuf,
    /// Whether it was built now.
    pub(crate) built: bool,
    seconds: f64,
    threads: usize,
    bytes: u64,
    pub(crate) phases: Vec<Phase>,
    streets: PerStreet<Figures>,
}

/// What is told of a street.
#[derive(Debug, Serialize)]
struct Figures {
    slots: u64,
    situations: u64,
    distinct: u64,
    buckets: usize,
    iterations: usize,
    converged: bool,
    inertia: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    fitted_on: Option<u64>,
    seconds: f64,
    variance_explained: f64,
    mean_spread: f64,
    empty_buckets: u64,
    asymmetric_slots: u64,
    histogram_mass: Option<[u64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clusters: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fallback: Option<f64>,
}

impl Figures {
    fn of(report: &StreetReport) -> Figures {
        let texture = !report.clusters.is_empty();
        let quality = &report.quality;
        Figures {
            slots: report.slots,
            situations: Situation::count(report.street) as u64,
            distinct: report.distinct,
            buckets: report.buckets,
            iterations: report.iterations,
            converged: report.converged,
            inertia: report.inertia,
            fitted_on: report.fitted_on,
            seconds: report.seconds,
            variance_explained: quality.variance_explained,
            mean_spread: quality.mean_spread,
            empty_buckets: quality.empty_buckets,
            asymmetric_slots: quality.asymmetric_slots,
            histogram_mass: quality.histogram_mass,
            clusters: texture.then_some(report.clusters.len()),
            fallback: texture.then_some(quality.fallback),
        }
    }

    /// How the clustering went.
    fn rounds(&self) -> String {
        match (self.iterations, self.converged) {
            (0, _) => "optimum".to_owned(),
            (n, true) => n.to_string(),
            (n, false) => format!("{n} (limit)"),
        }
    }

    /// Cards in every histogram.
    fn mass(&self) -> String {
        match self.histogram_mass {
            None => "-".to_owned(),
            Some([low, high]) if low == high => format!("{low}"),
            Some([low, high]) => format!("{low} to {high}"),
        }
    }
}

impl Summary {
    fn of(path: PathBuf, built: bool, phases: Vec<Phase>) -> anyhow::Result<Summary> {
        let open = lethe_abstraction::Abstraction::open(&path)?;
        let figures = |street| {
            let report = open.report(street);
            report.map(Figures::of).with_context(|| format!("the {street} has no report"))
        };
        let metadata = open.metadata();
        Ok(Summary {
            name: metadata.name.clone(),
            built,
            seconds: metadata.seconds,
            threads: metadata.threads,
            bytes: metadata.bytes(),
            phases,
            streets: PerStreet {
                flop: figures(Street::Flop)?,
                turn: figures(Street::Turn)?,
                river: figures(Street::River)?,
            },
            path,
        })
    }
}

impl Report for Summary {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let path = self.path.display();
        if self.built {
            let size = bytes(self.bytes);
            writeln!(out, "built {path}: {} in {:.1} s\n", size, self.seconds)?;
        } else {
            writeln!(out, "{path} is there already; --force builds it again\n")?;
        }
        let texture = self.streets.iter().any(|(_, figures)| figures.clusters.is_some());
        type Show = fn(&Figures) -> String;
        let mut rows: Vec<(&str, Show)> = vec![
            ("slots", |f| thousands(f.slots.into())),
            ("situations", |f| thousands(f.situations.into())),
            ("distinct features", |f| thousands(f.distinct.into())),
            ("buckets", |f| thousands(f.buckets as u128)),
            ("iterations", Figures::rounds),
            ("inertia", |f| format!("{:.6e}", f.inertia)),
            ("seconds", |f| format!("{:.2}", f.seconds)),
            ("variance explained", |f| format!("{:.3} %", 100.0 * f.variance_explained)),
            ("mean spread", |f| format!("{:.3} %", 100.0 * f.mean_spread)),
            ("empty buckets", |f| thousands(f.empty_buckets.into())),
            ("asymmetric slots", |f| thousands(f.asymmetric_slots.into())),
            ("histogram mass", Figures::mass),
        ];
        if texture {
            rows.push(("board clusters", |f| {
                f.clusters.map_or("-".to_owned(), |n| thousands(n as u128))
            }));
            rows.push(("fallback", |f| {
                f.fallback.map_or("-".to_owned(), |share| format!("{:.2} %", 100.0 * share))
            }));
        }
        let rows: Vec<Vec<String>> = rows
            .iter()
            .map(|(name, show)| {
                let figures = self.streets.iter().map(|(_, figures)| show(figures));
                std::iter::once((*name).to_owned()).chain(figures).collect()
            })
            .collect();
        out.table(&["", "flop", "turn", "river"], &rows)
    }
}
