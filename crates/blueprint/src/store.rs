//! Regrets and averages of all cells, and the strategies that follow from them.

use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

use rayon::prelude::*;

use crate::kernel::{self, TABLE, Table};
use crate::plan::{Block, Plan};
use crate::train::Opponent;

/// Regrets never fall below this: low enough to be pruned, high enough to recover.
const FLOOR: i32 = -(1 << 30);
/// Averages above this are halved with the others of their information set.
const CEILING: u32 = 1 << 31;

/// The regret and the average weight of every cell, shared between threads without locks.
///
/// Both are integers. Additions are rounded up or down at random, so that nothing is lost on
/// average. Threads do not wait for each other: an addition may be lost when two threads change a
/// cell at the same time.
///
/// An adversary's regrets follow those of all cells. It has no average: it is only learned against.
#[derive(Debug)]
pub struct Store {
    pub(crate) regrets: Vec<AtomicI32>,
    pub(crate) averages: Vec<AtomicU32>,
}

impl Store {
    /// A store for this plan and opponent, all zero.
    pub fn new(plan: &Plan, opponent: Opponent) -> Store {
        let cells = plan.cells();
        let regrets = cells + opponent.cells(plan);
        Store {
            regrets: (0..regrets).into_par_iter().map(|_| AtomicI32::new(0)).collect(),
            averages: (0..cells).into_par_iter().map(|_| AtomicU32::new(0)).collect(),
        }
    }

    /// A store with these regrets, the adversary's included, and averages.
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

    #[inline]
    pub(crate) fn add_regret(&self, cell: usize, amount: i32) {
        let regret = &self.regrets[cell];
        let sum = regret.load(Ordering::Relaxed).saturating_add(amount).max(FLOOR);
        regret.store(sum, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn add_average(&self, cell: usize, amount: u32) {
        let average = &self.averages[cell];
        average.store(average.load(Ordering::Relaxed).saturating_add(amount), Ordering::Relaxed);
    }

    /// Multiplies positive regrets, negative regrets and averages.
    pub(crate) fn scale(&self, positive: f64, negative: f64, average: f64) {
        self.regrets.par_iter().with_min_len(1 << 16).for_each(|regret| {
            let old = regret.load(Ordering::Relaxed);
            let factor = if old > 0 { positive } else { negative };
            let half = if old > 0 { 0.5 } else { -0.5 };
            regret.store((f64::from(old) * factor + half) as i32, Ordering::Relaxed);
        });
        self.averages.par_iter().with_min_len(1 << 16).for_each(|weight| {
            let old = weight.load(Ordering::Relaxed);
            weight.store((f64::from(old) * average + 0.5) as u32, Ordering::Relaxed);
        });
    }

    /// Whether an average is near the largest that can be stored.
    pub(crate) fn is_nearly_full(&self) -> bool {
        self.averages.par_iter().any(|weight| weight.load(Ordering::Relaxed) > CEILING)
    }
}

/// What a strategy plays, as a weight for each cell: an information set's frequencies are in
/// proportion to the weights of its cells, and even where all of them are zero.
pub trait Weights: Sync {
    /// The weight of a cell, not negative.
    fn weight(&self, cell: usize) -> f32;
}

/// The strategy that regret matching plays now: the regret of a cell is at `first + cell`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Regrets<'a> {
    store: &'a Store,
    first: usize,
}

impl<'a> Regrets<'a> {
    /// The players'.
    pub(crate) fn of(store: &'a Store) -> Regrets<'a> {
        Regrets { store, first: 0 }
    }

    /// The adversary's, whose cells follow the players': those of a block and texture are `shift`
    /// cells after the block's own position.
    pub(crate) fn of_adversary(store: &'a Store, shift: usize) -> Regrets<'a> {
        Regrets { store, first: store.len() + shift }
    }

    #[inline]
    pub(crate) fn get(&self, cell: usize) -> i32 {
        self.store.regret(self.first + cell)
    }

    #[inline]
    pub(crate) fn add(&self, cell: usize, amount: i32) {
        self.store.add_regret(self.first + cell, amount);
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
