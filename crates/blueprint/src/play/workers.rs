//! Deals shared out to threads, with results that do not depend on how many there are.

use std::sync::atomic::{AtomicU64, Ordering};

use lethe_compute::Job;

use super::winnings::{Tally, Winnings};

/// Plays deals `0..deals` in chunks of `chunk`, each with what `make` made for its thread; `deal` says
/// what each wins in the two seats. Adds up in the order of the deals. None if the watcher stopped
/// it.
pub(super) fn play<S>(
    (deals, chunk): (u64, u64),
    job: Job<'_>,
    make: impl Fn() -> S + Sync,
    deal: impl Fn(&mut S, u64) -> [f64; 2] + Sync,
) -> Option<Winnings> {
    let next = AtomicU64::new(0);
    let chunks = deals.div_ceil(chunk);
    let thread = || {
        let mut room = make();
        let mut done = Vec::new();
        while !job.cancelled() {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= chunks {
                break;
            }
            let range = number * chunk..deals.min((number + 1) * chunk);
            let size = range.end - range.start;
            let mut tally = Tally::default();
            range.for_each(|number| tally.add(deal(&mut room, number)));
            done.push((number, tally));
            job.advance(size);
        }
        done
    };
    let mut done: Vec<_> = job.broadcast(thread).into_iter().flatten().collect();
    done.sort_unstable_by_key(|&(number, _)| number);
    let tally = done.iter().fold(Tally::default(), |sum, &(_, tally)| sum.merge(tally));
    (done.len() as u64 == chunks).then(|| tally.winnings())
}
