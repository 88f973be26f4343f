//! `lethe equity-tables`: the equities of buckets against one another, added to an abstraction.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use lethe_abstraction::Abstraction;
use lethe_abstraction::artifact::add_bucket_equities;
use lethe_abstraction::bucket_equities::{self, BucketEquitiesError};
use lethe_cards::Street;
use lethe_compute::Job;
use serde::Serialize;

use super::artifact;
use super::boards::BoardStreet;
use crate::error::Stopped;
use crate::output::{Output, Report, seconds};
use crate::progress::Bars;

/// Adds to an abstraction how every bucket fares against every other
///
/// For each street an exact table over all boards, runouts and pairs of holes without a card in
/// common. Tables that are there already are left alone unless --force is given.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe equity-tables default
  lethe equity-tables default --street river
  lethe equity-tables data/abstractions/F500T500R500-histogram10-1a2b3c4d --json")]
pub(crate) struct Args {
    #[arg(value_name = "DIR", help = artifact::DIR_HELP)]
    dir: PathBuf,
    /// Only this street's table [default: all of them]
    #[arg(long, value_name = "STREET")]
    street: Option<BoardStreet>,
    /// Compute the tables again that are there
    #[arg(long)]
    force: bool,
}

/// The tables of an abstraction.
#[derive(Debug, Serialize)]
struct Added {
    path: PathBuf,
    streets: Vec<StreetTable>,
}

/// The table of a street.
#[derive(Debug, Serialize)]
pub(super) struct StreetTable {
    street: &'static str,
    buckets: usize,
    /// Whether it was computed now.
    added: bool,
    seconds: f64,
    /// Showdowns counted in it.
    showdowns: u64,
}

impl Report for Added {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        writeln!(out, "equity tables of {}\n", self.path.display())?;
        for table in &self.streets {
            let (street, buckets) = (table.street, table.buckets);
            let done = match table.added {
                true => format!("added in {}", seconds(table.seconds)),
                false => "there already".to_owned(),
            };
            writeln!(out, "{street:5}  {buckets} x {buckets}  {done}")?;
        }
        Ok(())
    }
}

/// Adds the tables.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let path = artifact::open(&args.dir)?.path().to_owned();
    let asked = match args.street {
        Some(street) => vec![street.into()],
        None => Street::POSTFLOP.to_vec(),
    };
    let streets = add(&path, &asked, Bars::new().job(), args.force)?;
    out.show(&Added { path, streets })
}

/// Adds the tables that an artifact lacks of the streets asked for, or all of those.
pub(super) fn add(
    path: &Path,
    asked: &[Street],
    job: Job<'_>,
    force: bool,
) -> anyhow::Result<Vec<StreetTable>> {
    let open = Abstraction::open(path)?;
    let mut streets = Vec::new();
    for &street in asked {
        let begun = Instant::now();
        let buckets = open.buckets(street);
        let there = open.bucket_equities(street).filter(|_| !force);
        let added = there.is_none();
        let showdowns = match there {
            Some(pairs) => pairs.counts.iter().sum(),
            None => {
                let Some(stored) = open.table(street) else { continue };
                let pairs = bucket_equities::compute(street, buckets, &stored, job);
                let pairs = pairs.map_err(|error| match error {
                    BucketEquitiesError::Cancelled => {
                        Stopped("the tables finished before are kept").into()
                    }
                    error => anyhow::Error::new(error),
                })?;
                add_bucket_equities(path, street, &pairs, job)?;
                pairs.counts.iter().sum()
            }
        };
        let seconds = begun.elapsed().as_secs_f64();
        streets.push(StreetTable { street: street.name(), buckets, added, seconds, showdowns });
    }
    Ok(streets)
}
