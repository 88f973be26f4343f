//! Regrets and averages of all cells, and the strategies that follow from them.

use std::ops::Range;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

use rayon::prelude::*;

use crate::changes::Pools;
use crate::config::Training;
use crate::kernel::{self, TABLE, Table};
use crate::plan::{Block, Plan};

/// No discount leaves a regret below this: low enough to be pruned, high enough to recover.
const FLOOR: i32 = -(1 << 30);
/// A street's averages are halved once one of them is above this: what the next interval adds still
/// fits, even if it is seven times as much.
pub(crate) const CEILING: u32 = 1 << 29;
/// The binary digits of factors after the point, and a factor of one.
const SCALE_BITS: u32 = 30;
const SCALE_ONE: i64 = 1 << SCALE_BITS;
/// Cells that a thread takes at a time.
const PART: usize = 1 << 16;
/// Cells that are looked at together: a line of the cache.
const LINE: usize = 16;

/// The regret and the average weight of every cell.
///
/// Both are integers. Additions and discounts are rounded up or down at random, so that nothing is
/// lost on average. Threads read the cells while a batch lasts; what its iterations add is merged at
/// its end.
///
/// An adversary's regrets follow those of all cells. It has no average: it is only learned against.
/// After them come those of pools, if regrets are pooled: sums over the cells of a bucket in all groups.
#[derive(Debug)]
pub struct Store {
    pub(crate) regrets: Vec<AtomicI32>,
    pub(crate) averages: Vec<AtomicU32>,
}

impl Store {
    /// A store for this plan and opponent, all zero.
    pub fn new(plan: &Plan, training: &Training) -> Store {
        let cells = plan.cells();
        let regrets = cells + training.adversary_cells(plan) + training.pooled_cells(plan);
        Store {
            regrets: (0..regrets).into_par_iter().map(|_| AtomicI32::new(0)).collect(),
            averages: (0..cells).into_par_iter().map(|_| AtomicU32::new(0)).collect(),
        }
    }

    /// A store with these regrets, those of the adversary and of pools included, and averages.
    pub fn from_parts(regrets: &[i32], averages: &[u32]) -> Store {
        Store {
            regrets: regrets.par_iter().map(|&x| AtomicI32::new(x)).collect(),
            averages: averages.par_iter().map(|&x| AtomicU32::new(x)).collect(),
        }
    }

    /// The number of cells.
    pub fn len(&self) -> usize {
        self.averages.len()
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.averages.is_empty()
    }

    /// All regrets and then all averages, little-endian.
    pub fn to_bytes(&self) -> Vec<u8> {
        let regrets = self.regrets.iter().flat_map(|x| x.load(Ordering::Relaxed).to_le_bytes());
        let averages = self.averages.iter().flat_map(|x| x.load(Ordering::Relaxed).to_le_bytes());
        regrets.chain(averages).collect()
    }

    #[inline]
    pub(crate) fn regret(&self, cell: usize) -> i32 {
        self.regrets[cell].load(Ordering::Relaxed)
    }

    /// Multiplies positive and negative regrets by factors from 0 to 1. Products are rounded up or down
    /// with the odds that keep their mean, drawn by `key` and the number of the cell.
    pub(crate) fn scale_regrets(&self, positive: f64, negative: f64, key: u64) {
        let [positive, negative] =
            [positive, negative].map(|factor| (factor * SCALE_ONE as f64).round() as i64);
        self.regrets.par_chunks(PART).enumerate().for_each(|(i, regrets)| {
            for (j, regrets) in regrets.chunks(LINE).enumerate() {
                // Most of an adversary's cells are for boards that no flop cluster has, and stay zero.
                let bits = regrets.iter().fold(0, |bits, x| bits | x.load(Ordering::Relaxed));
                if bits == 0 {
                    continue;
                }
                for (cell, regret) in (i * PART + j * LINE..).zip(regrets) {
                    let old = i64::from(regret.load(Ordering::Relaxed));
                    let factor = if old > 0 { positive } else { negative };
                    let new = scaled(old, factor, cell, key as u32) as i32;
                    regret.store(new.max(FLOOR), Ordering::Relaxed);
                }
            }
        });
    }

    /// Halves some averages so many times, rounded in the same way.
    pub(crate) fn halve_averages(&self, cells: Range<usize>, times: u32, key: u64) {
        let factor = SCALE_ONE.checked_shr(times).unwrap_or(0);
        let first = cells.start;
        self.averages[cells].par_chunks(PART).enumerate().for_each(|(i, averages)| {
            for (cell, weight) in (first + i * PART..).zip(averages) {
                let old = i64::from(weight.load(Ordering::Relaxed));
                let new = scaled(old, factor, cell, (key >> 32) as u32);
                weight.store(new as u32, Ordering::Relaxed);
            }
        });
    }

    /// The largest of some averages.
    pub(crate) fn largest_average(&self, cells: Range<usize>) -> u32 {
        let weights = self.averages[cells].par_iter().with_min_len(PART);
        weights.map(|weight| weight.load(Ordering::Relaxed)).max().unwrap_or(0)
    }

    /// Writes the averages of some cells, times a factor from 0 to 1, to the cells from `to` on.
    pub(crate) fn copy_averages(&self, from: Range<usize>, to: usize, factor: f64, key: u64) {
        let factor = (factor * SCALE_ONE as f64).round() as i64;
        for (cell, from) in (to..).zip(&self.averages[from]) {
            let new = scaled(from.load(Ordering::Relaxed).into(), factor, cell, (key >> 32) as u32);
            self.averages[cell].store(new as u32, Ordering::Relaxed);
        }
    }

    /// The same for regrets.
    pub(crate) fn copy_regrets(&self, from: Range<usize>, to: usize, factor: f64, key: u64) {
        let factor = (factor * SCALE_ONE as f64).round() as i64;
        for (cell, from) in (to..).zip(&self.regrets[from]) {
            let new = scaled(from.load(Ordering::Relaxed).into(), factor, cell, key as u32);
            self.regrets[cell].store(new as i32, Ordering::Relaxed);
        }
    }
}

/// A number times a factor in units of [`SCALE_ONE`], rounded up or down with the odds that keep its
/// mean, by cell and key.
#[inline]
fn scaled(old: i64, factor: i64, cell: usize, key: u32) -> i64 {
    let fraction = spread(cell, key) >> (32 - SCALE_BITS);
    (old * factor + i64::from(fraction)) >> SCALE_BITS
}

/// Random bits for a cell by a random key, the higher the better.
#[inline]
fn spread(cell: usize, key: u32) -> u32 {
    let x = (cell as u32 ^ key).wrapping_mul(0x9e37_79b9);
    (x ^ x >> 15).wrapping_mul(0x85eb_ca6b)
}

/// Adds to a regret, bounded. No other thread may write.
#[inline]
pub(crate) fn add_regret(regret: &AtomicI32, amount: i32) {
    let old = regret.load(Ordering::Relaxed);
    regret.store(old.saturating_add(amount), Ordering::Relaxed);
}

/// By how much bounded regrets miss the sums of what was added to them: almost always empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct Excess(Vec<(usize, i64)>);

impl Excess {
    /// Adds to a cell. No other thread may write to it.
    #[inline]
    pub(crate) fn add(&mut self, cell: usize, regret: &AtomicI32, amount: i32) {
        let old = regret.load(Ordering::Relaxed);
        let (sum, overflows) = old.overflowing_add(amount);
        regret.store(sum, Ordering::Relaxed);
        if overflows {
            self.add_wide(cell, regret, old, amount.into());
        }
    }

    /// Adds to a cell that had `old` an amount whose sum does not fit.
    #[cold]
    fn add_wide(&mut self, cell: usize, regret: &AtomicI32, old: i32, amount: i64) {
        let sum = i64::from(old).saturating_add(amount);
        let bounded = sum.clamp(i32::MIN.into(), i32::MAX.into());
        regret.store(bounded as i32, Ordering::Relaxed);
        self.0.push((cell, sum - bounded));
    }

    /// The same with an amount that may be larger than any cell.
    #[inline]
    pub(crate) fn add_i64(&mut self, cell: usize, regret: &AtomicI32, amount: i64) {
        match i32::try_from(amount) {
            Ok(amount) => self.add(cell, regret, amount),
            Err(_) => self.add_wide(cell, regret, regret.load(Ordering::Relaxed), amount),
        }
    }

    /// Several as one.
    pub(crate) fn join(parts: impl Iterator<Item = Excess>) -> Excess {
        Excess(parts.flat_map(|part| part.0).collect())
    }

    /// The sum of a cell's excess.
    pub(crate) fn of(&self, cell: usize) -> i64 {
        self.0.iter().filter(|excess| excess.0 == cell).map(|excess| excess.1).sum()
    }

    /// Bounds every sum, now that all of it is known. Returns how many exceeded the largest number that
    /// can be stored.
    pub(crate) fn settle(mut self, regrets: &[AtomicI32]) -> u64 {
        self.0.sort_unstable();
        let mut full = 0;
        for of_cell in self.0.chunk_by(|a, b| a.0 == b.0) {
            let cell = &regrets[of_cell[0].0];
            let excess: i64 = of_cell.iter().map(|excess| excess.1).sum();
            let sum = i64::from(cell.load(Ordering::Relaxed)).saturating_add(excess);
            full += u64::from(sum > i32::MAX.into());
            let bounded = sum.clamp(i32::MIN.into(), i32::MAX.into());
            cell.store(bounded as i32, Ordering::Relaxed);
        }
        full
    }
}

/// Adds to an average; returns whether the sum was too large to be stored. No other thread may write.
#[inline]
pub(crate) fn add_average(average: &AtomicU32, amount: u32) -> bool {
    let old = average.load(Ordering::Relaxed);
    average.store(old.saturating_add(amount), Ordering::Relaxed);
    old.checked_add(amount).is_none()
}

/// What a strategy plays, as a weight for each cell: an information set's frequencies are in
/// proportion to the weights of its cells, and even where all of them are zero.
pub trait Weights: Sync {
    /// The weight of a cell, not negative.
    fn weight(&self, cell: usize) -> f32;
}

/// The strategy that regret matching plays now: the regret of a cell is at `first + cell`. If regrets are
/// pooled, that of its pool counts as well, with a weight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Regrets<'a> {
    store: &'a Store,
    first: usize,
    pools: Pools,
    /// How much the pools' regrets count.
    weights: [f32; 2],
}

/// Where the regrets of a decision's actions are for one bucket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegretsAt {
    first: usize,
    pools: [usize; 2],
    weights: [f32; 2],
}

impl<'a> Regrets<'a> {
    /// The players'.
    pub(crate) fn of(store: &'a Store) -> Regrets<'a> {
        Regrets { store, first: 0, pools: Pools::default(), weights: [0.0; 2] }
    }

    /// The same in a block whose regrets are pooled here, with these weights.
    pub(crate) fn with_pools(self, pools: Pools, weights: [f32; 2]) -> Regrets<'a> {
        Regrets { pools, weights, ..self }
    }

    /// The pools that count.
    pub(crate) fn pools(&self) -> Pools {
        self.pools
    }

    /// Where the regrets of the decision at `offset` are for a bucket.
    #[inline]
    pub(crate) fn at(&self, block: &Block, offset: usize, bucket: u32) -> RegretsAt {
        let first = self.first + block.cell(offset, bucket);
        let pool = |level: usize| match self.pools[level] {
            None => (0, 0.0),
            Some(pools) => (pools.of(bucket, block.width) + offset, self.weights[level]),
        };
        let (outer, inner) = (pool(0), pool(1));
        RegretsAt { first, pools: [outer.0, inner.0], weights: [outer.1, inner.1] }
    }

    /// The regret of an action by which it is played, `amount` added.
    #[inline]
    pub(crate) fn played(&self, at: RegretsAt, action: usize, amount: i32) -> f32 {
        let regret = |first: usize| self.store.regret(first + action).saturating_add(amount) as f32;
        let pooled = |level: usize| match at.weights[level] {
            0.0 => 0.0,
            weight => weight * regret(at.pools[level]),
        };
        regret(at.first) + pooled(0) + pooled(1)
    }

    /// The adversary's, whose cells follow the players': those of a block and texture are `shift`
    /// cells after the block's own position.
    pub(crate) fn of_adversary(store: &'a Store, shift: usize) -> Regrets<'a> {
        Regrets { first: store.len() + shift, ..Regrets::of(store) }
    }

    #[inline]
    pub(crate) fn get(&self, cell: usize) -> i32 {
        self.store.regret(self.first + cell)
    }

    /// The number in the store of a cell.
    #[inline]
    pub(crate) fn index(&self, cell: usize) -> usize {
        self.first + cell
    }
}

impl Weights for Regrets<'_> {
    #[inline]
    fn weight(&self, cell: usize) -> f32 {
        self.get(cell).max(0) as f32
    }
}

/// The average strategy: what training is for.
#[derive(Clone, Copy, Debug)]
pub struct Averages<'a>(pub &'a Store);

impl Weights for Averages<'_> {
    #[inline]
    fn weight(&self, cell: usize) -> f32 {
        self.0.averages[cell].load(Ordering::Relaxed) as f32
    }
}

/// The strategy that plays all actions equally often.
#[derive(Clone, Copy, Debug)]
pub struct Uniform;

impl Weights for Uniform {
    #[inline]
    fn weight(&self, _: usize) -> f32 {
        1.0
    }
}

/// Writes the frequencies of a decision's actions for several buckets, a table for each action.
#[inline]
pub(crate) fn fill_tables<W: Weights + ?Sized>(
    weights: &W,
    block: &Block,
    offset: usize,
    buckets: &[u32],
    tables: &mut [Table],
) {
    // All weights are read first, so that cache misses overlap.
    for (i, &bucket) in buckets.iter().enumerate() {
        let first = block.cell(offset, bucket);
        for (a, table) in tables.iter_mut().enumerate() {
            table[i % TABLE] = weights.weight(first + a);
        }
    }
    kernel::normalize(tables, buckets.len());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discounts_keep_small_numbers_on_average() {
        let cells = 100_000;
        for (old, key) in [(1, 7), (2, 8), (-1, 9), (-3, 10), (1000, 11)] {
            let store = Store::from_parts(&vec![old; cells], &vec![old.unsigned_abs(); cells]);
            for t in 0..10 {
                let key = key + t * 0x1234_5678_9abc_def1;
                store.scale_regrets(0.9, 0.8, key);
                if t < 3 {
                    store.halve_averages(0..cells, 1, key);
                }
            }
            let mean = |sum: f64| sum / cells as f64;
            let regret = mean((0..cells).map(|cell| f64::from(store.regret(cell))).sum());
            let weight =
                mean((0..cells).map(|cell| f64::from(Averages(&store).weight(cell))).sum());
            let factor = if old > 0 { 0.9_f64 } else { 0.8 };
            let expected = f64::from(old) * factor.powi(10);
            assert!((regret - expected).abs() < 0.02 * expected.abs().max(1.0), "{old}: {regret}");
            let expected = f64::from(old.abs()) / 8.0;
            assert!((weight - expected).abs() < 0.02 * expected.max(1.0), "{old}: {weight}");
        }
    }

    #[test]
    fn a_discount_keeps_zero_and_never_leaves_less_than_the_floor() {
        let store = Store::from_parts(&[0, i32::MIN, 5], &[0, 0, 5]);
        store.scale_regrets(1.0, 1.0, 3);
        assert_eq!([0, 1, 2].map(|cell| store.regret(cell)), [0, FLOOR, 5]);
        assert_eq!([0, 2].map(|cell| Averages(&store).weight(cell)), [0.0, 5.0]);
        store.halve_averages(1..3, 40, 3);
        assert_eq!(store.largest_average(0..3), 0);
    }
}
