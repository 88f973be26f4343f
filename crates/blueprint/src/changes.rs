//! `Changes`: what a part of a batch adds to the cells, kept until the batch ends.

use std::sync::atomic::{AtomicI32, AtomicU8, AtomicU32, Ordering};

use lethe_cards::Street;
use lethe_compute::simd::{Kernel, LANES, Level, run};
use rayon::prelude::*;

use crate::deal::DenseBuckets;
use crate::store::{Excess, Store, add_average};

/// Groups of blocks that are merged independently of each other, by different threads.
const SHARDS: usize = 16;
/// Regrets that are marked together as changed.
pub(crate) const GROUP: usize = 64;

/// Amounts to add to regrets and averages.
///
/// Iterations of a batch read the cells as they were at its start, and what they add is collected
/// here. [`Changes::merge`] adds the parts of a batch in their order, so the cells depend neither on
/// the number of threads nor on which thread computed which part.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// By street: the buckets that the changes of a board are for.
    buckets: [Vec<u32>; 4],
    regrets: [Log; SHARDS],
    averages: [Log; SHARDS],
    /// Hand-node visits.
    pub(crate) visits: u64,
}

/// Where the amounts of a decision belong.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    /// A number of the decision's block: blocks of different numbers share no cells.
    pub(crate) block: usize,
    /// The first cell of bucket 0.
    pub(crate) first: usize,
    /// Cells from one bucket to the next.
    pub(crate) width: usize,
    /// The number of actions.
    pub(crate) actions: usize,
}

/// Amounts for all actions of some decisions and some buckets of each.
#[derive(Debug, Default)]
struct Log {
    records: Vec<Record>,
    /// For each record and action one amount for each bucket, padded to whole vectors. What comes
    /// after the first `used` is room.
    amounts: Vec<i32>,
    used: usize,
}

/// The decision of some amounts.
#[derive(Clone, Copy, Debug)]
struct Record {
    first: u32,
    width: u32,
    actions: u8,
    buckets: Of,
}

/// The buckets of a record.
#[derive(Clone, Copy, Debug)]
enum Of {
    /// All that occur on the board, on this street.
    Board(Street),
    /// Only the first.
    First,
}

impl Log {
    /// Room for the amounts of a decision, those of each action side by side. The caller writes all
    /// of them.
    fn push(&mut self, target: Target, buckets: Of, count: usize) -> &mut [i32] {
        let Target { first, width, actions, .. } = target;
        let [first, width] = [first as u32, width as u32];
        self.records.push(Record { first, width, actions: actions as u8, buckets });
        let start = self.used;
        self.used += actions * count;
        if self.amounts.len() < self.used {
            self.amounts.resize(self.used, 0);
        }
        &mut self.amounts[start..self.used]
    }

    fn clear(&mut self) {
        self.records.clear();
        self.used = 0;
    }

    /// Calls `add` with the number of every cell, the cell and its amount.
    fn for_each<T>(
        &self,
        buckets: &[Vec<u32>; 4],
        cells: &[T],
        mut add: impl FnMut(usize, &T, i32),
    ) {
        let mut rest = &self.amounts[..self.used];
        for record in &self.records {
            let (buckets, row) = match record.buckets {
                Of::Board(street) => {
                    let buckets = buckets[street.index()].as_slice();
                    (buckets, padded(buckets.len()))
                }
                Of::First => (&[0][..], 1),
            };
            let (amounts, after) = rest.split_at(row * record.actions as usize);
            rest = after;
            let entry = Entry { record, buckets, cells, amounts, row };
            match record.actions {
                2 => run(Add::<2, T, _>(entry, &mut add)),
                3 => run(Add::<3, T, _>(entry, &mut add)),
                4 => run(Add::<4, T, _>(entry, &mut add)),
                _ => {
                    let mut record = *record;
                    for amounts in amounts.chunks_exact(row) {
                        run(Add::<1, T, _>(Entry { record: &record, amounts, ..entry }, &mut add));
                        record.first += 1;
                    }
                }
            }
        }
    }
}

/// The amounts of a decision, and the cells of all decisions.
struct Entry<'a, T> {
    record: &'a Record,
    buckets: &'a [u32],
    cells: &'a [T],
    amounts: &'a [i32],
    /// The amounts of one action.
    row: usize,
}

/// Adds the amounts of `A` actions.
struct Add<'a, const A: usize, T, F>(Entry<'a, T>, &'a mut F);

/// How many buckets ahead cells are loaded.
const AHEAD: usize = 12;

impl<const A: usize, T, F: FnMut(usize, &T, i32)> Kernel for Add<'_, A, T, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        let Add(Entry { record, buckets, cells, amounts, row }, add) = self;
        let rows: [&[i32]; A] = std::array::from_fn(|a| &amounts[a * row..][..buckets.len()]);
        let first_of =
            |bucket: u32| record.first as usize + bucket as usize * record.width as usize;
        let cells_of = |bucket: u32| -> &[T; A] {
            cells[first_of(bucket)..].first_chunk().expect("cells of the store")
        };
        for (i, &bucket) in buckets.iter().enumerate() {
            if let Some(&bucket) = buckets.get(i + AHEAD) {
                level.prefetch(cells_of(bucket));
            }
            let (first, cells) = (first_of(bucket), cells_of(bucket));
            for a in 0..A {
                add(first + a, &cells[a], rows[a][i]);
            }
        }
    }
}

/// The length of a row of amounts for so many buckets.
pub(crate) fn padded(buckets: usize) -> usize {
    buckets.next_multiple_of(LANES)
}

/// The shard of a block.
fn shard(block: usize) -> usize {
    (block as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize >> (usize::BITS - SHARDS.ilog2())
}

impl Changes {
    /// The most cells that a store can have.
    pub(crate) const MAX_CELLS: u64 = 1 << 32;

    /// Begins a board on which these buckets occur.
    pub(crate) fn begin(&mut self, dense: &[DenseBuckets; 4]) {
        debug_assert!(self.regrets.iter().all(|log| log.records.is_empty()), "one board at a time");
        for (buckets, dense) in self.buckets.iter_mut().zip(dense) {
            buckets.clone_from(&dense.distinct);
        }
    }

    /// Room for what a decision adds to the regrets of all buckets of the board: a row of
    /// [`padded`] length for each action.
    pub(crate) fn regrets(&mut self, target: Target, street: Street) -> &mut [i32] {
        let count = padded(self.buckets[street.index()].len());
        self.regrets[shard(target.block)].push(target, Of::Board(street), count)
    }

    /// The same for averages.
    pub(crate) fn averages(&mut self, target: Target, street: Street) -> &mut [i32] {
        let count = padded(self.buckets[street.index()].len());
        self.averages[shard(target.block)].push(target, Of::Board(street), count)
    }

    /// Room for what a decision adds to the regrets of one bucket, whose first cell is the target's.
    pub(crate) fn regrets_of_one(&mut self, target: Target) -> &mut [i32] {
        self.regrets[shard(target.block)].push(target, Of::First, 1)
    }

    /// The same for averages.
    pub(crate) fn averages_of_one(&mut self, target: Target) -> &mut [i32] {
        self.averages[shard(target.block)].push(target, Of::First, 1)
    }

    pub(crate) fn clear(&mut self) {
        self.regrets.iter_mut().chain(&mut self.averages).for_each(Log::clear);
        self.visits = 0;
    }

    /// Adds the parts of a batch to the cells. Returns how many cells would have exceeded the largest
    /// number that can be stored, and were set to it.
    ///
    /// What a batch adds to a regret is summed before it is bounded, so that neither the order of the
    /// parts nor their distribution over ranks matters.
    pub(crate) fn merge(parts: &[&Changes], store: &Store) -> u64 {
        let shard = |shard: usize| {
            let mut excess = Excess::default();
            let mut full = 0;
            for part in parts {
                part.regrets[shard].for_each(
                    &part.buckets,
                    &store.regrets,
                    |cell, regret, amount| {
                        excess.add(cell, regret, amount);
                    },
                );
                full += part.add_averages_of(shard, &store.averages);
            }
            full + excess.settle(&store.regrets)
        };
        (0..SHARDS).into_par_iter().map(shard).sum()
    }

    /// Adds what the parts of a batch add to regrets to other cells, and marks the groups of [`GROUP`]
    /// cells that may have changed. Sums that do not fit are completed by the excess.
    pub(crate) fn collect(parts: &[&Changes], cells: &[AtomicI32], touched: &[AtomicU8]) -> Excess {
        Changes::collect_logs(parts, |part| &part.regrets, cells, touched)
    }

    /// The same for averages.
    pub(crate) fn collect_averages(
        parts: &[&Changes],
        cells: &[AtomicI32],
        touched: &[AtomicU8],
    ) -> Excess {
        Changes::collect_logs(parts, |part| &part.averages, cells, touched)
    }

    fn collect_logs(
        parts: &[&Changes],
        logs: fn(&Changes) -> &[Log; SHARDS],
        cells: &[AtomicI32],
        touched: &[AtomicU8],
    ) -> Excess {
        let shard = |shard: usize| {
            let mut excess = Excess::default();
            for part in parts {
                logs(part)[shard].for_each(&part.buckets, cells, |cell, sum, amount| {
                    touched[cell / GROUP].store(1, Ordering::Relaxed);
                    excess.add(cell, sum, amount);
                });
            }
            excess
        };
        let shards: Vec<Excess> = (0..SHARDS).into_par_iter().map(shard).collect();
        Excess::join(shards.into_iter())
    }

    /// Adds what the parts of a batch add to averages to some cells; returns how many amounts did not
    /// fit.
    pub(crate) fn add_averages(parts: &[&Changes], cells: &[AtomicU32]) -> u64 {
        let shard =
            |shard| parts.iter().map(|part| part.add_averages_of(shard, cells)).sum::<u64>();
        (0..SHARDS).into_par_iter().map(shard).sum()
    }

    fn add_averages_of(&self, shard: usize, cells: &[AtomicU32]) -> u64 {
        let mut full = 0;
        self.averages[shard].for_each(&self.buckets, cells, |_, average, amount| {
            full += u64::from(add_average(average, amount as u32));
        });
        full
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Domain, Random};

    #[test]
    fn merging_is_adding_every_amount() {
        let (width, buckets, blocks) = (7, 30, 40);
        let cells = width * buckets * blocks;
        let mut random = Random::new(Domain::Test, 1, 1);
        let (mut regrets, mut averages) = (vec![0; cells], vec![0; cells]);
        let store = Store::from_parts(&regrets, &averages);
        let mut parts = Vec::new();
        for _ in 0..7 {
            let mut changes = Changes::default();
            let mut dense: [DenseBuckets; 4] = Default::default();
            let mut rest: Vec<u32> = (0..buckets as u32).collect();
            for _ in 0..13 {
                let chosen = random.below(rest.len() as u64) as usize;
                dense[2].distinct.push(rest.swap_remove(chosen));
            }
            changes.begin(&dense);
            let mut write = |changes: &mut Changes, kind: u64, block: usize, offset: usize| {
                let actions = 1 + random.below(4) as usize;
                let first = block * width * buckets + offset;
                let target = Target { block, first, width, actions };
                let single = dense[2].distinct[3] as usize * width;
                let one = Target { first: first + single, ..target };
                let (rows, at): (&mut [i32], &[u32]) = match kind {
                    0 => (changes.regrets(target, Street::Turn), &dense[2].distinct),
                    1 => (changes.averages(target, Street::Turn), &dense[2].distinct),
                    2 => (changes.regrets_of_one(one), &dense[2].distinct[3..4]),
                    _ => (changes.averages_of_one(one), &dense[2].distinct[3..4]),
                };
                let row = rows.len() / actions;
                for (i, &bucket) in at.iter().enumerate() {
                    for a in 0..actions {
                        let (cell, x) = (first + bucket as usize * width + a, random.below(2001));
                        if kind.is_multiple_of(2) {
                            rows[a * row + i] = x as i32 - 1000;
                            regrets[cell] += x as i32 - 1000;
                        } else {
                            rows[a * row + i] = x as i32;
                            averages[cell] += x as u32;
                        }
                    }
                }
            };
            for n in 0..200 {
                write(&mut changes, n % 4, (n * 7 % 40) as usize, (n % 3) as usize);
            }
            parts.push(changes);
        }
        let merged: Vec<&Changes> = parts.iter().collect();
        assert_eq!(Changes::merge(&merged, &store), 0);
        assert!(store.to_bytes() == Store::from_parts(&regrets, &averages).to_bytes());
        // What was merged and cleared adds nothing.
        parts.iter_mut().for_each(Changes::clear);
        assert_eq!(Changes::merge(&parts.iter().collect::<Vec<_>>(), &store), 0);
        assert!(store.to_bytes() == Store::from_parts(&regrets, &averages).to_bytes());
    }

    #[test]
    fn numbers_that_do_not_fit_are_counted() {
        let full = &[u32::MAX - 5, u32::MAX - 5, 0];
        let store = Store::from_parts(&[i32::MAX - 5, i32::MAX - 5, i32::MIN + 5], full);
        let mut changes = Changes::default();
        let target = Target { block: 0, first: 0, width: 3, actions: 3 };
        changes.regrets_of_one(target).copy_from_slice(&[6, 5, -6]);
        changes.averages_of_one(target).copy_from_slice(&[6, 5, 7]);
        assert_eq!(Changes::merge(&[&changes], &store), 2);
        assert_eq!([0, 1, 2].map(|cell| store.regret(cell)), [i32::MAX, i32::MAX, i32::MIN]);
        assert_eq!(store.largest_average(0..2), u32::MAX);
    }

    #[test]
    fn a_batch_is_summed_before_it_is_bounded() {
        let amounts = [i32::MAX, i32::MAX, -i32::MAX, i32::MIN, -7];
        for turn in 0..amounts.len() {
            let store = Store::from_parts(&[5], &[0]);
            let mut parts: Vec<Changes> = Vec::new();
            for i in 0..amounts.len() {
                let mut changes = Changes::default();
                let target = Target { block: 0, first: 0, width: 1, actions: 1 };
                changes.regrets_of_one(target)[0] = amounts[(i + turn) % amounts.len()];
                parts.push(changes);
            }
            assert_eq!(Changes::merge(&parts.iter().collect::<Vec<_>>(), &store), 0);
            assert_eq!(store.regret(0), -3);
        }
    }
}
