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
mod rows;
mod runouts;
#[cfg(test)]
mod tests;
mod totals;

use lethe_cards::{CanonicalBoard, Deck, Street};
use rayon::prelude::*;

use crate::artifact::BucketPairs;
use crate::watch::Watch;
use kernel::Showdowns;
use totals::Totals;

pub use error::PairsError;
pub use rows::BucketRows;

/// The most buckets a street can have for its table to be computed.
pub const MAX_BUCKETS: usize = 4_096;

/// Bytes of a table of so many buckets: two numbers of eight bytes for each pair.
const fn table_bytes(buckets: usize) -> u128 {
    16 * (buckets as u128) * (buckets as u128)
}

/// How every bucket of a street fares against every other, over all deals and runouts.
///
/// The result does not depend on the number of threads.
pub fn bucket_pairs(
    street: Street,
    buckets: usize,
    rows: &dyn BucketRows,
    watch: &dyn Watch,
) -> Result<BucketPairs, PairsError> {
    check(street, buckets)?;
    let (_, runouts) = runouts::counts(street);
    watch.begin(&format!("{street} bucket equities"), runouts);
    let boards: Vec<_> = CanonicalBoard::all(street).collect();
    sum_boards(&boards, street, buckets, rows, watch)
}

/// Whether a table of a street with so many buckets can be computed.
fn check(street: Street, buckets: usize) -> Result<(), PairsError> {
    match street {
        Street::Preflop => Err(PairsError::Preflop),
        _ if buckets > MAX_BUCKETS => Err(PairsError::TooManyBuckets { street, buckets }),
        _ => Ok(()),
    }
}

/// The table of some boards alone.
fn sum_boards(
    boards: &[CanonicalBoard],
    street: Street,
    buckets: usize,
    rows: &dyn BucketRows,
    watch: &dyn Watch,
) -> Result<BucketPairs, PairsError> {
    let totals = Totals::new(buckets);
    let (runouts_of_pair, _) = runouts::counts(street);
    let start = || (Showdowns::default(), vec![0; Deck::row_len(street)]);
    boards.par_iter().try_for_each_init(start, |(showdowns, row), &board| {
        if watch.cancelled() {
            return Err(PairsError::Cancelled);
        }
        let index = board.index();
        rows.bucket_row(street, index, row);
        if let Some(&bucket) = row.iter().find(|&&bucket| bucket as usize >= buckets) {
            return Err(PairsError::NoSuchBucket { street, board: index, bucket, buckets });
        }
        let deck = board.deck();
        let runouts = runouts::runouts(board);
        showdowns.begin(&deck, row);
        for &(river, images) in &runouts {
            showdowns.add_river(&deck, river, images);
        }
        totals.add(showdowns, board.multiplicity().into(), runouts_of_pair);
        watch.advance(runouts.len() as u64);
        Ok(())
    })?;
    Ok(totals.finish())
}
