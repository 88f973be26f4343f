//! `Changes`: what a part of a batch adds to the cells, kept until the batch ends.

use std::ops::Range;
use std::sync::atomic::{AtomicI32, AtomicU8, AtomicU32, Ordering};

use lethe_compute::simd::{Kernel, Level, run};
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
    /// By board, of all that were dealt: the buckets that its changes are for.
    buckets: Vec<Vec<u32>>,
    regrets: Log,
    averages: Log,
    /// Hand-node visits.
    pub(crate) visits: u64,
}

/// What amounts are added to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Amounts {
    /// Regrets, the adversary's included.
    Regrets,
    /// Averages.
    Averages,
}

/// Cells that lie side by side, of one bucket or of every bucket of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    /// A number of their block: blocks of different numbers share no cells.
    pub(crate) block: usize,
    /// The first cell; where there are several buckets, of bucket 0.
    pub(crate) first: usize,
    /// How many of each bucket.
    pub(crate) width: usize,
    /// The pools that their amounts are added to as well.
    pub(crate) pools: Pools,
}

/// The pools of cells, by the groups that they are summed over: those of flop clusters, and those of
/// textures in all flop clusters.
pub(crate) type Pools = [Option<PoolCells>; 2];

/// Cells for which buckets of several groups are one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PoolCells {
    /// The first cell of a group's first bucket.
    pub(crate) first: usize,
    /// The buckets of a group.
    pub(crate) size: u32,
}

impl PoolCells {
    /// The first cell of a bucket, of which each has `width`.
    #[inline]
    pub(crate) fn of(self, bucket: u32, width: usize) -> usize {
        self.first + (bucket % self.size) as usize * width
    }
}

/// Amounts for all cells of some blocks, or for single decisions.
#[derive(Debug, Default)]
struct Log {
    records: Vec<Record>,
    /// For each record and bucket one amount for each cell. What comes after the first `used` is room.
    amounts: Vec<i32>,
    used: usize,
}

/// The cells of some amounts.
#[derive(Clone, Copy, Debug)]
struct Record {
    shard: usize,
    first: usize,
    width: usize,
    buckets: Of,
    pools: Pools,
}

/// The buckets of a record.
#[derive(Clone, Copy, Debug)]
enum Of {
    /// All that occur on this board.
    Board(usize),
    /// Only the first.
    First,
}

/// How many buckets ahead cells are loaded.
const AHEAD: usize = 12;

impl Log {
    /// Amounts for the cells of so many buckets, all zero.
    fn push(&mut self, target: Target, buckets: Of, count: usize) -> Range<usize> {
        let Target { block, first, width, pools } = target;
        self.records.push(Record { shard: shard(block), first, width, buckets, pools });
        let amounts = self.used..self.used + width * count;
        self.used = amounts.end;
        if self.amounts.len() < self.used {
            self.amounts.resize(self.used, 0);
        }
        self.amounts[amounts.clone()].fill(0);
        amounts
    }

    fn clear(&mut self) {
        self.records.clear();
        self.used = 0;
    }

    /// Calls `add` for each bucket of each record of a shard, with the number of its first cell, its
    /// cells and their amounts; and again with its pools, if it has any.
    fn for_each<T>(
        &self,
        shard: usize,
        buckets: &[Vec<u32>],
        cells: &[T],
        add: impl FnMut(usize, &[T], &[i32]),
    ) {
        run(ForEach { log: self, shard, buckets, cells, add });
    }
}

struct ForEach<'a, T, F> {
    log: &'a Log,
    shard: usize,
    buckets: &'a [Vec<u32>],
    cells: &'a [T],
    add: F,
}

impl<T, F: FnMut(usize, &[T], &[i32])> Kernel for ForEach<'_, T, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        let ForEach { log, shard, buckets, cells, mut add } = self;
        let mut rest = &log.amounts[..log.used];
        for &Record { shard: own, first, width, buckets: of, pools } in &log.records {
            let buckets = match of {
                Of::Board(board) => &buckets[board][..],
                Of::First => &[0],
            };
            let (amounts, after) = rest.split_at(buckets.len() * width);
            rest = after;
            if own != shard {
                continue;
            }
            let cells_of = |bucket: u32| {
                let first = first + bucket as usize * width;
                (first, &cells[first..first + width])
            };
            for (i, (&bucket, amounts)) in buckets.iter().zip(amounts.chunks(width)).enumerate() {
                if let Some(&bucket) = buckets.get(i + AHEAD) {
                    level.prefetch(cells_of(bucket).1);
                }
                let (first, cells) = cells_of(bucket);
                add(first, cells, amounts);
            }
            for pools in pools.into_iter().flatten() {
                for (&bucket, amounts) in buckets.iter().zip(amounts.chunks(width)) {
                    let first = pools.of(bucket, width);
                    add(first, &cells[first..first + width], amounts);
                }
            }
        }
    }
}

/// The shard of a block.
fn shard(block: usize) -> usize {
    (block as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize >> (usize::BITS - SHARDS.ilog2())
}

impl Changes {
    /// The most cells that a store can have.
    pub(crate) const MAX_CELLS: u64 = 1 << 32;

    /// Begins a deal of boards on which these buckets occur.
    pub(crate) fn begin<'a>(&mut self, boards: impl Iterator<Item = &'a DenseBuckets>) {
        debug_assert!(self.regrets.records.is_empty(), "one deal at a time");
        for (number, dense) in boards.enumerate() {
            if self.buckets.len() == number {
                self.buckets.push(Vec::new());
            }
            self.buckets[number].clone_from(&dense.distinct);
        }
    }

    /// Amounts, all zero, for the cells of some blocks, whose width is the same: for each block one
    /// after the other, for each bucket of a board, one for each cell. They are given out by
    /// [`of_blocks`](Changes::of_blocks).
    pub(crate) fn add_blocks(
        &mut self,
        kind: Amounts,
        blocks: impl Iterator<Item = Target>,
        board: usize,
    ) -> Range<usize> {
        let count = self.buckets[board].len();
        let log = self.log(kind);
        let start = log.used;
        for block in blocks {
            log.push(block, Of::Board(board), count);
        }
        start..log.used
    }

    /// The amounts that were added there.
    pub(crate) fn of_blocks(&mut self, kind: Amounts, amounts: Range<usize>) -> &mut [i32] {
        &mut self.log(kind).amounts[amounts]
    }

    /// Amounts, all zero, for the actions of a decision of one bucket.
    pub(crate) fn of_one(&mut self, kind: Amounts, target: Target) -> &mut [i32] {
        let log = self.log(kind);
        let amounts = log.push(target, Of::First, 1);
        &mut log.amounts[amounts]
    }

    fn log(&mut self, kind: Amounts) -> &mut Log {
        match kind {
            Amounts::Regrets => &mut self.regrets,
            Amounts::Averages => &mut self.averages,
        }
    }

    pub(crate) fn clear(&mut self) {
        self.regrets.clear();
        self.averages.clear();
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
                let add = |first: usize, regrets: &[AtomicI32], amounts: &[i32]| {
                    for (i, (regret, &amount)) in regrets.iter().zip(amounts).enumerate() {
                        excess.add(first + i, regret, amount);
                    }
                };
                part.regrets.for_each(shard, &part.buckets, &store.regrets, add);
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
        log: fn(&Changes) -> &Log,
        cells: &[AtomicI32],
        touched: &[AtomicU8],
    ) -> Excess {
        let shard = |shard: usize| {
            let mut excess = Excess::default();
            for part in parts {
                let add = |first: usize, sums: &[AtomicI32], amounts: &[i32]| {
                    let changed = amounts.iter().enumerate().filter(|&(_, &amount)| amount != 0);
                    for (i, &amount) in changed {
                        touched[(first + i) / GROUP].store(1, Ordering::Relaxed);
                        excess.add(first + i, &sums[i], amount);
                    }
                };
                log(part).for_each(shard, &part.buckets, cells, add);
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
        self.averages.for_each(shard, &self.buckets, cells, |_, averages, amounts| {
            for (average, &amount) in averages.iter().zip(amounts) {
                full += u64::from(add_average(average, amount as u32));
            }
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
            changes.begin(dense.iter());
            for n in 0..200 {
                let block = n * 7 % blocks;
                let first = block * width * buckets;
                let kind = if n % 2 == 0 { Amounts::Regrets } else { Amounts::Averages };
                let (rows, at, first): (&mut [i32], &[u32], usize) = match n % 4 / 2 {
                    0 => {
                        let target = Target { block, first, width, pools: Pools::default() };
                        let range = changes.add_blocks(kind, [target].into_iter(), 2);
                        (changes.of_blocks(kind, range), &dense[2].distinct, first)
                    }
                    _ => {
                        let single = first + dense[2].distinct[3] as usize * width + 2;
                        let target =
                            Target { block, first: single, width: 3, pools: Pools::default() };
                        (changes.of_one(kind, target), &[0], single)
                    }
                };
                assert!(rows.iter().all(|&amount| amount == 0));
                let run = rows.len() / at.len();
                for (&bucket, amounts) in at.iter().zip(rows.chunks_mut(run)) {
                    for (i, amount) in amounts.iter_mut().enumerate() {
                        let (cell, x) = (first + bucket as usize * width + i, random.below(2001));
                        match kind {
                            Amounts::Regrets => {
                                *amount = x as i32 - 1000;
                                regrets[cell] += *amount;
                            }
                            Amounts::Averages => {
                                *amount = x as i32;
                                averages[cell] += x as u32;
                            }
                        }
                    }
                }
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
        let target = Target { block: 0, first: 0, width: 3, pools: Pools::default() };
        changes.of_one(Amounts::Regrets, target).copy_from_slice(&[6, 5, -6]);
        changes.of_one(Amounts::Averages, target).copy_from_slice(&[6, 5, 7]);
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
                let target = Target { block: 0, first: 0, width: 1, pools: Pools::default() };
                let amount = amounts[(i + turn) % amounts.len()];
                changes.of_one(Amounts::Regrets, target)[0] = amount;
                parts.push(changes);
            }
            assert_eq!(Changes::merge(&parts.iter().collect::<Vec<_>>(), &store), 0);
            assert_eq!(store.regret(0), -3);
        }
    }
}
