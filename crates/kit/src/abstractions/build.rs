//! Building, completing and verifying abstractions.

use std::path::{Path, PathBuf};
use std::time::Instant;

use lethe_abstraction::artifact::{
    ArtifactWriter, BuildSummary, CreateOutcome, add_bucket_equities,
};
use lethe_abstraction::bucket_equities::{self, BucketEquitiesError, MAX_BUCKETS};
use lethe_abstraction::{Abstraction, Plan, StreetReport, estimate};
use lethe_cards::Street;
use lethe_compute::Job;
use serde::ser::{Error as _, Serialize, Serializer};

use super::Streets;
use crate::config::AbstractionConfig;
use crate::error::Error;
use crate::files::check_directory;

/// An abstraction to build.
#[derive(Clone, Debug)]
pub struct Build {
    config: AbstractionConfig,
    plan: Plan,
    root: PathBuf,
    /// Build it even if it is there, and replace it at the end.
    pub force: bool,
    /// Compute the equities of buckets against one another as well.
    pub equity_tables: bool,
}

/// What a build takes.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Forecast {
    /// Seconds.
    pub seconds: f64,
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes on disk.
    pub disk: u64,
}

/// An abstraction that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// Its directory.
    pub path: PathBuf,
    /// Whether it was built now.
    pub built: bool,
}

impl Build {
    /// What a configuration asks for, in a directory of abstractions.
    pub fn new(config: AbstractionConfig, root: PathBuf) -> Result<Build, Error> {
        let plan = config.resolve()?;
        check_directory(&root)?;
        Ok(Build { config, plan, root, force: false, equity_tables: false })
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The directory that it is built in.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The keys of the configuration that make no difference, each with its place.
    pub fn unused_keys(&self) -> Vec<String> {
        self.config.unused(&self.plan)
    }

    /// What it will take on `threads` threads.
    pub fn forecast(&self, threads: usize) -> Forecast {
        let estimate = estimate(&self.plan);
        let cores = std::thread::available_parallelism().map_or(1, usize::from).min(threads);
        Forecast {
            seconds: estimate.core_seconds / cores as f64,
            memory: estimate.memory,
            disk: estimate.disk,
        }
    }

    /// Whether it has been built, so that [`Build::run`] has little to do.
    pub fn is_built(&self) -> bool {
        !self.force && self.root.join(self.plan.name()).is_dir()
    }

    /// Builds it, unless it is there.
    pub fn run(&self, job: Job<'_>) -> Result<Built, Error> {
        self.check()?;
        let mut writer = match ArtifactWriter::create(&self.root, &self.plan, self.force)? {
            CreateOutcome::Fresh(writer) => writer,
            CreateOutcome::AlreadyThere(path) => {
                if self.equity_tables {
                    add_equity_tables(&path, &Street::POSTFLOP, false, job)?;
                }
                return Ok(Built { path, built: false });
            }
        };
        let built = lethe_abstraction::build(&self.plan, job);
        let built = built.map_err(|error| match self.config.blame(&error) {
            Some(blamed) => Error::Config(blamed),
            None => error.into(),
        })?;
        if self.equity_tables {
            for (street, built) in built.streets.iter() {
                let (buckets, stored) = (built.report.buckets, &built.stored);
                let equities = bucket_equities::compute(street, buckets, stored, job)?;
                writer.write_bucket_equities(street, &equities, job)?;
            }
        }
        job.begin("writing", 5);
        for street in [Street::Flop, Street::Turn] {
            if let Some(equities) = built.equities.of(street) {
                writer.write_equity(street, equities, job)?;
            }
            job.advance(1);
        }
        drop(built.equities);
        for (street, built) in built.streets.iter() {
            writer.write_buckets(street, &built.stored, built.report.buckets, job)?;
            job.advance(1);
        }
        let reports = built.streets.map(|_, built| built.report);
        let summary = BuildSummary { reports, seconds: built.seconds, threads: job.threads() };
        Ok(Built { path: writer.finish(&summary)?, built: true })
    }

    /// Refuses, before the build and not after it, buckets that are too many for equity tables.
    pub fn check(&self) -> Result<(), Error> {
        for (street, plan) in self.plan.streets().iter().filter(|_| self.equity_tables) {
            let buckets = plan.total_buckets();
            if buckets > MAX_BUCKETS {
                let error = BucketEquitiesError::TooManyBuckets { street, buckets };
                return Err(match self.config.at_buckets(street, error) {
                    Ok(error) => Error::Config(error),
                    Err(error) => error.into(),
                });
            }
        }
        Ok(())
    }
}

/// A phase of a computation that is over.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Phase {
    /// Its name.
    pub name: String,
    /// How long it took.
    pub seconds: f64,
}

/// An abstraction that was built, or was there already.
#[derive(Debug, serde::Serialize)]
pub struct BuildView {
    /// The name of its directory.
    pub name: String,
    /// Its directory.
    pub path: PathBuf,
    /// Whether it was built now.
    pub built: bool,
    /// How long the build took, whenever it was.
    pub seconds: f64,
    /// The threads it was built with.
    pub threads: usize,
    /// Its size.
    pub bytes: u64,
    /// How long each phase took, if it was built now.
    pub phases: Vec<Phase>,
    /// Its streets.
    pub streets: Streets<BriefReport>,
    /// The abstraction.
    #[serde(skip)]
    pub abstraction: Abstraction,
}

/// The report of a street without the figures of each bucket.
#[derive(Clone, Debug)]
pub struct BriefReport(StreetReport);

impl Serialize for BriefReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut report = serde_json::to_value(&self.0).map_err(S::Error::custom)?;
        if let Some(fields) = report.as_object_mut() {
            fields.retain(|_, value| !value.is_array());
        }
        report.serialize(serializer)
    }
}

impl BuildView {
    /// What is said of an abstraction that was built or found.
    pub fn of(built: Built, phases: Vec<Phase>) -> Result<BuildView, Error> {
        let Built { path, built } = built;
        let abstraction = Abstraction::open(&path)?;
        let metadata = abstraction.metadata();
        Ok(BuildView {
            name: metadata.name.clone(),
            built,
            seconds: metadata.seconds,
            threads: metadata.threads,
            bytes: metadata.bytes(),
            phases,
            streets: Streets::try_of(&Street::POSTFLOP, |street| {
                super::report(&abstraction, street).map(|report| BriefReport(report.clone()))
            })?,
            path,
            abstraction,
        })
    }
}

/// The equity tables of an abstraction.
#[derive(Debug, serde::Serialize)]
pub struct EquityTablesView {
    /// The abstraction.
    pub path: PathBuf,
    /// The tables.
    pub streets: Streets<EquityTable>,
}

/// The equities of a street's buckets against one another.
#[derive(Debug, serde::Serialize)]
pub struct EquityTable {
    /// The number of buckets.
    pub buckets: usize,
    /// Whether it was computed now.
    pub added: bool,
    /// How long that took.
    pub seconds: f64,
    /// The showdowns that it counts.
    pub showdowns: u64,
}

/// Adds to an abstraction the equity tables that it lacks, or with `force` all of these streets.
pub fn add_equity_tables(
    path: &Path,
    streets: &[Street],
    force: bool,
    job: Job<'_>,
) -> Result<EquityTablesView, Error> {
    let open = Abstraction::open(path)?;
    let add = |street| -> Result<EquityTable, Error> {
        let begun = Instant::now();
        let buckets = open.base_buckets(street);
        let there = if force { None } else { open.bucket_equities(street)? };
        let added = there.is_none();
        let showdowns = match there {
            Some(equities) => equities.counts.iter().sum(),
            None => {
                let no_report = || Error::NoReport(path.to_owned(), street);
                let stored = open.table(street, job.silent())?.ok_or_else(no_report)?;
                let equities = bucket_equities::compute(street, buckets, &stored, job)?;
                add_bucket_equities(path, street, &equities, job)?;
                equities.counts.iter().sum()
            }
        };
        Ok(EquityTable { buckets, added, seconds: begun.elapsed().as_secs_f64(), showdowns })
    };
    Ok(EquityTablesView { path: path.to_owned(), streets: Streets::try_of(streets, add)? })
}
