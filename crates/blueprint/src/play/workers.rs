//! Deals shared out to threads, with results that do not depend on how many there are.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use lethe_abstraction::Watch;

use super::winnings::Tally;

/// Plays deals `0..deals` in chunks of `chunk`, each with what `make` made for its thread, and adds
/// the tallies up in the order of the chunks. None if the watcher stopped it.
pub(super) fn play<S>(
    (deals, chunk): (u64, u64),
    threads: usize,
    watch: &dyn Watch,
    make: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, Range<u64>) -> Tally + Sync,
) -> Option<Tally> {
    let next = AtomicU64::new(0);
    let chunks = deals.div_ceil(chunk);
    let thread = || {
        let mut room = make();
        let mut done = Vec::new();
        while !watch.cancelled() {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= chunks {
                break;
            }
            let range = number * chunk..deals.min((number + 1) * chunk);
            let size = range.end - range.start;
            done.push((number, work(&mut room, range)));
            watch.advance(size);
        }
        done
    };
    let mut done = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(thread)).collect();
        let mut done = thread();
        for other in others {
            done.extend(other.join().expect("no panic"));
        }
        done
    });
    done.sort_unstable_by_key(|&(number, _)| number);
    let tally = done.iter().fold(Tally::default(), |sum, &(_, tally)| sum.merge(tally));
    (done.len() as u64 == chunks).then_some(tally)
}
