//! Measures how long bucket equity tables take.
//!
//! `bucket_equities ARTIFACT [SECONDS]` computes the table of each street of an artifact. With
//! `SECONDS` each is stopped after that time, and the time of the whole estimated from the share done.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use lethe_abstraction::Abstraction;
use lethe_abstraction::bucket_equities::{self, BucketEquitiesError};
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
    let dir = args.next().ok_or("bucket_equities ARTIFACT [SECONDS]")?;
    let seconds = args.next().map(|text| text.parse()).transpose()?.map(Duration::from_secs);
    let abstraction = Abstraction::open(dir)?;
    for street in [Street::River, Street::Turn, Street::Flop] {
        let table = abstraction.table(street, Job::default())?.ok_or("every street has buckets")?;
        let buckets = abstraction.buckets(street);
        let start = Instant::now();
        let end = seconds.map(|seconds| start + seconds);
        let clock = Clock { end, units: AtomicU64::new(0), done: AtomicU64::new(0) };
        let job = Job::default().watched_by(&clock);
        let equities = bucket_equities::compute(street, buckets, &table, job);
        let took = start.elapsed().as_secs_f64();
        let (units, done) = (clock.units.load(Relaxed), clock.done.load(Relaxed));
        let threads = job.threads() as f64;
        println!(
            "{street}: {buckets} buckets, {done} of {units} runouts in {took:.1} s on {threads} \
             threads: {:.1} us each, all in {:.1} s",
            took * threads * 1e6 / done as f64,
            took * units as f64 / done as f64
        );
        match equities {
            Ok(equities) => {
                let met = equities.counts.iter().map(|&n| u128::from(n)).sum::<u128>();
                let never = equities.counts.iter().filter(|&&n| n == 0).count();
                println!("  {met} showdowns; {never} pairs of buckets never meet");
            }
            Err(BucketEquitiesError::Cancelled(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
