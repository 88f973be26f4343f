//! Centroids laid out for vectors, and the kernels that measure points against them.
//!
//! A block holds [`LANES`] centroids transposed: first the eight first coordinates, then the eight
//! second ones. One pass over a block gives eight distances, and each lane adds its terms in the
//! order of the coordinates, exactly as [`Norm::distance`] does for a single pair. That is why every
//! path through the crate agrees on a distance to the last bit.

use std::marker::PhantomData;

use crate::norm::Norm;
use lethe_compute::simd::{Kernel, LANES, Level};

/// Centroids in transposed blocks, with the number each lane stands for.
///
/// Lanes beyond the last centroid are infinitely far from everything.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    dim: usize,
    coords: Vec<f32>,
    ids: Vec<i32>,
    len: usize,
}

impl Blocks {
    /// An empty set of centroids of dimension `dim`.
    pub(crate) fn new(dim: usize) -> Self {
        Self { dim, ..Self::default() }
    }

    /// All centroids of a flat table, in order.
    pub(crate) fn from_rows(rows: &[f32], dim: usize) -> Self {
        let mut blocks = Self::new(dim);
        blocks.refill(rows);
        blocks
    }

    /// Replaces the contents by all centroids of a flat table.
    pub(crate) fn refill(&mut self, rows: &[f32]) {
        self.clear();
        for (id, row) in rows.chunks_exact(self.dim).enumerate() {
            self.push(id as u32, row);
        }
    }

    /// Forgets all centroids, keeping the memory.
    pub(crate) fn clear(&mut self) {
        self.coords.clear();
        self.ids.clear();
        self.len = 0;
    }

    /// Adds one centroid.
    pub(crate) fn push(&mut self, id: u32, row: &[f32]) {
        let lane = self.len % LANES;
        if lane == 0 {
            self.coords.resize(self.coords.len() + self.dim * LANES, f32::INFINITY);
            self.ids.resize(self.ids.len() + LANES, i32::MAX);
        }
        let start = self.coords.len() - self.dim * LANES;
        for (j, &value) in row.iter().enumerate() {
            self.coords[start + j * LANES + lane] = value;
        }
        let last = self.ids.len() - LANES;
        self.ids[last + lane] = id as i32;
        self.len += 1;
    }

    /// Number of centroids.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Number of blocks, the last one perhaps partly filled.
    pub(crate) fn count(&self) -> usize {
        self.len.div_ceil(LANES)
    }

    #[inline(always)]
    fn block(&self, index: usize) -> &[f32] {
        &self.coords[index * self.dim * LANES..][..self.dim * LANES]
    }
}

/// The distances (as [`Norm`] sums) of `x` to the eight centroids of one block.
#[inline(always)]
fn measure<N: Norm>(x: &[f32], block: &[f32]) -> [f32; LANES] {
    let mut sums = [0.0f32; LANES];
    for (&value, lanes) in x.iter().zip(block.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            sums[lane] += N::term(value - lanes[lane]);
        }
    }
    sums
}

/// Kernel: the distance of one point to every centroid, in the order of the blocks.
///
/// `out` has room for whole blocks; lanes past the end receive infinity.
pub(crate) struct Distances<'a, N> {
    pub(crate) x: &'a [f32],
    pub(crate) blocks: &'a Blocks,
    pub(crate) out: &'a mut Vec<f32>,
    pub(crate) norm: PhantomData<N>,
}

impl<N: Norm> Kernel for Distances<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        self.out.clear();
        for index in 0..self.blocks.count() {
            self.out.extend_from_slice(&measure::<N>(self.x, self.blocks.block(index)));
        }
        self.out.truncate(self.blocks.len());
    }
}

/// What a search found: the nearest centroid and the runner-up's distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Found {
    /// Distance to the nearest centroid, as a [`Norm`] sum.
    pub(crate) best: f32,
    /// Distance to the second nearest of those examined (equal to `best` on a tie).
    pub(crate) second: f32,
    /// The nearest centroid; among equally near ones the one with the lowest number.
    pub(crate) id: u32,
    /// Number of blocks that were examined.
    pub(crate) blocks: u32,
}

/// Kernel: the nearest two centroids of each of several points.
///
/// Block `b` is examined if `gaps[b] <= reach` of the point; gaps ascend, so the first block that
/// is out of reach ends the search. With all gaps zero the search is exhaustive.
pub(crate) struct Search<'a, N> {
    pub(crate) values: &'a [f32],
    pub(crate) members: &'a [u32],
    pub(crate) reach: &'a [f32],
    pub(crate) blocks: &'a Blocks,
    pub(crate) gaps: &'a [f32],
    pub(crate) out: &'a mut Vec<Found>,
    pub(crate) norm: PhantomData<N>,
}

impl<N: Norm> Kernel for Search<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        let dim = self.blocks.dim;
        self.out.clear();
        for (&member, &reach) in self.members.iter().zip(self.reach) {
            let x = &self.values[member as usize * dim..][..dim];
            self.out.push(nearest_two::<N>(x, self.blocks, self.gaps, reach));
        }
    }
}

#[inline(always)]
fn nearest_two<N: Norm>(x: &[f32], blocks: &Blocks, gaps: &[f32], reach: f32) -> Found {
    let mut best = [f32::INFINITY; LANES];
    let mut second = [f32::INFINITY; LANES];
    let mut id = [i32::MAX; LANES];
    let mut examined = 0;
    let ids = blocks.ids.as_chunks::<LANES>().0;
    for (index, lane_ids) in ids.iter().enumerate() {
        if gaps[index] > reach {
            break;
        }
        examined += 1;
        let sums = measure::<N>(x, blocks.block(index));
        for lane in 0..LANES {
            let (sum, new) = (sums[lane], lane_ids[lane]);
            let better = (sum < best[lane]) | ((sum == best[lane]) & (new < id[lane]));
            let loser = if better { best[lane] } else { sum };
            second[lane] = if loser < second[lane] { loser } else { second[lane] };
            best[lane] = if better { sum } else { best[lane] };
            id[lane] = if better { new } else { id[lane] };
        }
    }
    let mut found = Found { best: best[0], second: second[0], id: id[0] as u32, blocks: examined };
    for lane in 1..LANES {
        let wins = (best[lane], id[lane] as u32) < (found.best, found.id);
        let loser = if wins { found.best } else { best[lane] };
        found.second = found.second.min(second[lane]).min(loser);
        if wins {
            (found.best, found.id) = (best[lane], id[lane] as u32);
        }
    }
    found
}

/// Kernel: by how much each candidate of a block would lower the weighted sum of distances.
///
/// `near[c]` is such that no candidate can improve a point of cluster `c` whose distance is below it.
pub(crate) struct Gains<'a, N> {
    pub(crate) values: &'a [f32],
    pub(crate) weights: &'a [u64],
    pub(crate) labels: &'a [u32],
    pub(crate) sums: &'a [f32],
    pub(crate) near: &'a [f32],
    pub(crate) candidates: &'a Blocks,
    pub(crate) norm: PhantomData<N>,
}

impl<N: Norm> Kernel for Gains<'_, N> {
    type Output = [f64; LANES];

    #[inline(always)]
    fn run<L: Level>(self, _: L) -> [f64; LANES] {
        let dim = self.candidates.dim;
        let block = self.candidates.block(0);
        let mut gains = [0.0f64; LANES];
        for (i, (&sum, &label)) in self.sums.iter().zip(self.labels).enumerate() {
            if sum < self.near[label as usize] {
                continue;
            }
            let weight = self.weights[i] as f64;
            let found = measure::<N>(&self.values[i * dim..][..dim], block);
            for lane in 0..LANES {
                let gain = sum - found[lane];
                gains[lane] += weight * f64::from(if gain > 0.0 { gain } else { 0.0 });
            }
        }
        gains
    }
}
