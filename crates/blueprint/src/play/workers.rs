//! Deals divided among threads, with results that do not depend on their number.

use lethe_compute::{Cancelled, Job};
use rayon::prelude::*;

use super::winnings::{Tally, Winnings};

/// Plays deals `0..deals` in chunks of `chunk` with scratch that `make` makes; `deal` returns what
/// each wins in the two seats. Adds up in the order of the deals. The job is polled before every
/// deal.
pub(super) fn play<S>(
    (deals, chunk): (u64, u64),
    job: Job<'_>,
    make: impl Fn() -> S + Sync + Send,
    deal: impl Fn(&mut S, u64) -> [f64; 2] + Sync + Send,
) -> Result<Winnings, Cancelled> {
    let play = |scratch: &mut S, number: u64| {
        let range = number * chunk..deals.min((number + 1) * chunk);
        let mut tally = Tally::default();
        for number in range.clone() {
            job.check()?;
            tally.add(deal(scratch, number));
        }
        job.advance(range.end - range.start);
        Ok(tally)
    };
    let chunks = (0..deals.div_ceil(chunk)).into_par_iter().map_init(make, play);
    let tallies: Vec<Tally> = job.install(|| chunks.collect::<Result<_, Cancelled>>())?;
    Ok(tallies.into_iter().fold(Tally::default(), Tally::merge).winnings())
}
