//! Deals divided among threads, with results that do not depend on their number.

use std::sync::atomic::{AtomicU64, Ordering};

use lethe_compute::{Cancelled, Job};

use super::winnings::{Tally, Winnings};

/// Plays deals `0..deals` in chunks of `chunk`, each with the scratch that `make` made for its thread;
/// `deal` returns what each wins in the two seats. Adds up in the order of the deals. The job is
/// polled before every deal.
pub(super) fn play<S>(
    (deals, chunk): (u64, u64),
    job: Job<'_>,
    make: impl Fn() -> S + Sync,
    deal: impl Fn(&mut S, u64) -> [f64; 2] + Sync,
) -> Result<Winnings, Cancelled> {
    let next = AtomicU64::new(0);
    let chunks = deals.div_ceil(chunk);
    let thread = || {
        let mut scratch = make();
        let mut done = Vec::new();
        'chunks: loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= chunks {
                break;
            }
            let range = number * chunk..deals.min((number + 1) * chunk);
            let size = range.end - range.start;
            let mut tally = Tally::default();
            for number in range {
                if job.cancelled() {
                    break 'chunks;
                }
                tally.add(deal(&mut scratch, number));
            }
            done.push((number, tally));
            job.advance(size);
        }
        done
    };
    let mut done: Vec<_> = job.broadcast(thread).into_iter().flatten().collect();
    done.sort_unstable_by_key(|&(number, _)| number);
    let tally = done.iter().fold(Tally::default(), |sum, &(_, tally)| sum.merge(tally));
    if done.len() as u64 == chunks { Ok(tally.winnings()) } else { Err(Cancelled) }
}
