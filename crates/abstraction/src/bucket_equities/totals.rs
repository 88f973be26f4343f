//! Sums over boards, shared by all threads.

use std::sync::Mutex;

use super::BucketEquities;
use super::kernel::Showdowns;

/// For every two buckets, how often they meet and how many more showdowns one wins than it loses.
///
/// There is one table, whatever the number of threads, and a lock for each row of it. Only integers
/// are added, so the sums do not depend on the order.
#[derive(Debug)]
pub(super) struct Totals {
    /// For bucket `a`, an entry for each bucket up to it: the others follow from these.
    rows: Vec<Mutex<Vec<Entry>>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    met: u64,
    /// Wins less losses of the row's bucket.
    net: i64,
}

impl Totals {
    pub(super) fn new(buckets: usize) -> Totals {
        let row = |a| Mutex::new(vec![Entry::default(); a + 1]);
        Totals { rows: (0..buckets).map(row).collect() }
    }

    /// Adds the showdowns of a board that stands for `boards` raw ones, where each pair of holes
    /// has this many `runouts`.
    pub(super) fn add(&self, showdowns: &Showdowns, boards: u64, runouts: u64) {
        let ids = showdowns.buckets();
        for (a, &id) in ids.iter().enumerate() {
            let mut row = self.rows[id as usize].lock().expect("additions do not panic");
            for (&other, (pairs, net)) in ids.iter().zip(showdowns.row(a)) {
                let entry = &mut row[other as usize];
                entry.met += boards * runouts * u64::from(pairs);
                entry.net += boards as i64 * net;
            }
        }
    }

    /// The whole table.
    pub(super) fn finish(self) -> BucketEquities {
        let buckets = self.rows.len();
        let mut sums = vec![0; buckets * buckets];
        let mut counts = vec![0; buckets * buckets];
        for (a, row) in self.rows.into_iter().enumerate() {
            for (b, entry) in row.into_inner().expect("additions do not panic").iter().enumerate() {
                let (ab, ba) = (a * buckets + b, b * buckets + a);
                (counts[ab], counts[ba]) = (entry.met, entry.met);
                // 2 * wins + ties, as ties are what is neither won nor lost.
                sums[ab] = entry.met.wrapping_add_signed(entry.net);
                sums[ba] = entry.met.wrapping_add_signed(-entry.net);
            }
        }
        BucketEquities { buckets, sums, counts }
    }
}
