//! Bucket equity tables: how every bucket of a street fares against every other.
//!
//! For two buckets of the same street, over every board, every two disjoint holes in them and every
//! runout to the river, `counts` says how many showdowns there are and `sums` how many the former
//! wins, twice, plus those that tie. So the equity of one against the other is
//! `sums / (2 * counts)`, exact, with card removal; a board counts as often as there are raw boards
//! like it. On the river these are the showdowns themselves, on flop and turn all-in equities.
//!
//! Both tables are integers, `counts[a][b] == counts[b][a]` and
//! `sums[a][b] + sums[b][a] == 2 * counts[a][b]`.

mod error;
mod kernel;
mod runouts;
mod table;
#[cfg(test)]
mod tests;
mod totals;

use lethe_cards::{CanonicalBoard, Deck, Street};
use rayon::prelude::*;

use crate::table::BucketRows;
use kernel::Showdowns;
use lethe_compute::Job;
use totals::Totals;

pub use error::BucketEquitiesError;
pub use table::{BucketEquities, BucketEquitiesRef};

/// The most buckets a street can have for its table to be computed.
pub const MAX_BUCKETS: usize = 4_096;

/// Bytes of a table of this many buckets: two numbers of eight bytes for each pair.
const fn table_bytes(buckets: usize) -> u128 {
    16 * (buckets as u128) * (buckets as u128)
}

/// How every bucket of a street fares against every other, over all deals and runouts.
///
/// The result does not depend on the number of threads.
pub fn compute(
    street: Street,
    buckets: usize,
    rows: &dyn BucketRows,
    job: Job<'_>,
) -> Result<BucketEquities, BucketEquitiesError> {
    check(street, buckets)?;
    let (_, runouts) = runouts::counts(street);
    job.begin(&format!("{street} bucket equities"), runouts);
    let boards: Vec<_> = CanonicalBoard::all(street).collect();
    sum_boards(&boards, street, buckets, rows, job)
}

/// Whether a table of a street with this many buckets can be computed.
fn check(street: Street, buckets: usize) -> Result<(), BucketEquitiesError> {
    match street {
        Street::Preflop => Err(BucketEquitiesError::Preflop),
        _ if buckets > MAX_BUCKETS => Err(BucketEquitiesError::TooManyBuckets { street, buckets }),
        _ => Ok(()),
    }
}

/// The table of some boards alone.
fn sum_boards(
    boards: &[CanonicalBoard],
    street: Street,
    buckets: usize,
    rows: &dyn BucketRows,
    job: Job<'_>,
) -> Result<BucketEquities, BucketEquitiesError> {
    let totals = Totals::new(buckets);
    let (runouts_of_pair, _) = runouts::counts(street);
    let start = || (Showdowns::default(), vec![0; Deck::row_len(street)]);
    let add = |(showdowns, row): &mut (Showdowns, Vec<u32>), board: CanonicalBoard| {
        let index = board.index();
        rows.bucket_row(street, index, row);
        if let Some(&bucket) = row.iter().find(|&&bucket| bucket as usize >= buckets) {
            return Err(BucketEquitiesError::NoSuchBucket {
                street,
                board: index,
                bucket,
                buckets,
            });
        }
        let deck = board.deck();
        let runouts = runouts::runouts(board);
        showdowns.begin(&deck, row);
        for &(river, images) in &runouts {
            job.check()?;
            showdowns.add_river(&deck, river, images);
        }
        totals.add(showdowns, board.multiplicity().into(), runouts_of_pair);
        job.advance(runouts.len() as u64);
        Ok(())
    };
    job.install(|| boards.par_iter().copied().try_for_each_init(start, add))?;
    Ok(totals.finish())
}
