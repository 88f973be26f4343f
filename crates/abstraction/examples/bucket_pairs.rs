//! Measures how long bucket equity tables take.
//!
//! `bucket_equities DIR [PRESET] [SECONDS]` builds a preset (`default` unless told) below `DIR` if it
//! is not there, then computes the table of each street; with `SECONDS` each is stopped after so
//! many seconds, and the whole time told from the share that was done.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use lethe_abstraction::{
    Abstraction, ArtifactWriter, BucketEquitiesError, BuildSummary, Config, CreateOutcome,
    bucket_equities, build,
};
use lethe_cards::Street;
use lethe_compute::Job;

struct Clock {
    end: Option<Instant>,
    units: AtomicU64,
    done: AtomicU64,
}

impl lethe_compute::Progress for Clock {
    fn begin(&self, _: &str, units: u64) {
        self.units.store(units, Relaxed);
    }

    fn advance(&self, units: u64) {
        self.done.fetch_add(units, Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let root = PathBuf::from(args.next().ok_or("bucket_equities DIR [PRESET] [SECONDS]")?);
    let preset = args.next().unwrap_or_else(|| "default".to_owned());
    let seconds = args.next().map(|text| text.parse()).transpose()?.map(Duration::from_secs);
    let abstraction = open(&root, &preset)?;
    for street in [Street::River, Street::Turn, Street::Flop] {
        let table = abstraction.table(street).ok_or("every street has buckets")?;
        let buckets = abstraction.buckets(street);
        let start = Instant::now();
        let end = seconds.map(|seconds| start + seconds);
        let clock = Clock { end, units: AtomicU64::new(0), done: AtomicU64::new(0) };
        let pairs = bucket_equities(street, buckets, &table, Job::default().watched_by(&clock));
        let took = start.elapsed().as_secs_f64();
        let (units, done) = (clock.units.into_inner(), clock.done.into_inner());
        let threads = rayon::current_num_threads() as f64;
        println!(
            "{street}: {buckets} buckets, {done} of {units} runouts in {took:.1} s on {threads} \
             threads: {:.1} us each, all in {:.1} s",
            took * threads * 1e6 / done as f64,
            took * units as f64 / done as f64
        );
        match pairs {
            Ok(pairs) => {
                let met = pairs.counts.iter().map(|&n| u128::from(n)).sum::<u128>();
                let never = pairs.counts.iter().filter(|&&n| n == 0).count();
                println!("  {met} showdowns; {never} pairs of buckets never meet");
            }
            Err(BucketEquitiesError::Cancelled) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Opens the artifact of a preset, built first if it is not there.
fn open(root: &Path, preset: &str) -> Result<Abstraction, Box<dyn Error>> {
    let plan = Config::preset(preset)?.resolve()?;
    let dir = match ArtifactWriter::create(root, &plan, false)? {
        CreateOutcome::AlreadyThere(dir) => dir,
        CreateOutcome::Fresh(mut writer) => {
            let built = build(&plan, Job::default())?;
            for (street, built) in built.streets.iter() {
                writer.write_buckets(street, &built.stored, built.report.buckets)?;
            }
            let reports = built.streets.map(|_, street| street.report);
            let threads = rayon::current_num_threads();
            writer.finish(&BuildSummary { reports, seconds: built.seconds, threads })?
        }
    };
    Ok(Abstraction::open(dir)?)
}
