//! Greedy k-means++ seeding.
//!
//! Each seed but the first is the best of several candidates, drawn with probability proportional
//! to what the points contribute to the inertia of the seeds so far; the best is the one that
//! lowers the inertia most (Arthur and Vassilvitskii 2007, section 5; also what scikit-learn does).
//!
//! Measuring every point against every candidate would cost more than all of Lloyd's iterations.
//! The triangle inequality saves nearly all of it: a candidate at distance `g` from a point's
//! present seed cannot be nearer to the point than that seed is, unless the point is at least `g/2`
//! away from its seed.

use std::marker::PhantomData;

use rayon::prelude::*;

use crate::blocks::{Blocks, Distances, Gains};
use crate::norm::{Norm, Slack};
use crate::random::Random;
use crate::{ClusterError, Points};
use lethe_compute::Job;
use lethe_compute::simd::{self, LANES};

/// Points per unit of parallel work. Fixed: sums are formed per chunk and added in order, so the
/// number of threads cannot be seen in them.
const CHUNK: usize = 4096;

/// Candidates for each seed: as many as are measured side by side.
const TRIALS: usize = LANES;

/// Seeds, and each point's nearest seed.
pub(crate) struct Seeds {
    /// The seeds' coordinates, row after row.
    pub(crate) centroids: Vec<f32>,
    /// The nearest seed of each point, the lowest of equally near ones.
    pub(crate) labels: Vec<u32>,
}

struct State<'a> {
    points: Points<'a>,
    weights: &'a [u64],
    labels: Vec<u32>,
    sums: Vec<f32>,
    /// The weighted sum of distances of each chunk.
    chunks: Vec<f64>,
    /// Once it is cancelled, chunks are skipped.
    job: Job<'a>,
}

/// Chooses `k` seeds among the points.
///
/// Fails if fewer than `k` distinct points have weight, with their number, or on cancellation.
pub(crate) fn seed<N: Norm>(
    points: Points<'_>,
    weights: &[u64],
    k: usize,
    rng: &mut Random,
    job: Job<'_>,
) -> Result<Seeds, ClusterError> {
    let n = points.len();
    let mut state = State {
        points,
        weights,
        labels: vec![0; n],
        sums: vec![f32::INFINITY; n],
        chunks: vec![0.0; n.div_ceil(CHUNK)],
        job,
    };
    let slack = Slack::new(points.dim());

    let first = points.row(draw_by_weight(weights, rng));
    let mut centroids = first.to_vec();
    let mut blocks = Blocks::from_rows(first, points.dim());
    state.adopt::<N>(0, first, &[0.0]);
    job.check()?;

    let mut candidates = Blocks::new(points.dim());
    let mut near = Vec::new();
    let mut gaps: Vec<Vec<f32>> = vec![Vec::new(); TRIALS];
    while blocks.len() < k {
        let total: f64 = state.chunks.iter().sum();
        if total <= 0.0 {
            return Err(ClusterError::TooFewPoints { clusters: k, distinct: blocks.len() });
        }
        let drawn: Vec<usize> = (0..TRIALS).map(|_| state.draw(total, rng)).collect();
        candidates.clear();
        near.clear();
        near.resize(blocks.len(), f32::INFINITY);
        for (trial, (&point, gap)) in drawn.iter().zip(&mut gaps).enumerate() {
            let x = points.row(point);
            candidates.push(trial as u32, x);
            simd::run(Distances { x, blocks: &blocks, out: gap, norm: PhantomData::<N> });
            for (near, gap) in near.iter_mut().zip(gap) {
                *gap = halfway::<N>(*gap, slack);
                *near = near.min(*gap);
            }
        }
        let best = state.best::<N>(&candidates, &near);
        job.check()?;
        let x = points.row(drawn[best]);
        state.adopt::<N>(blocks.len() as u32, x, &gaps[best]);
        job.check()?;
        blocks.push(blocks.len() as u32, x);
        centroids.extend_from_slice(x);
    }
    Ok(Seeds { centroids, labels: state.labels })
}

/// A sum certainly below the one that belongs to half the length of `sum`.
fn halfway<N: Norm>(sum: f32, slack: Slack) -> f32 {
    // The slack is one of lengths; of squares it would be twice as much.
    N::HALF * slack.below(slack.below(slack.below(sum)))
}

/// A point drawn with probability proportional to its weight.
fn draw_by_weight(weights: &[u64], rng: &mut Random) -> usize {
    let mut left = rng.below(weights.iter().sum());
    let found = weights.iter().position(|&weight| {
        let here = left < weight;
        left = left.wrapping_sub(weight);
        here
    });
    found.expect("the draw is below the sum of the weights")
}

impl State<'_> {
    /// A point drawn with probability proportional to its weighted distance from its seed.
    fn draw(&self, total: f64, rng: &mut Random) -> usize {
        let mut left = rng.fraction() * total;
        // Rounding can leave a remainder past the end: then the last point that can be drawn is.
        let mut last = 0;
        for (chunk, &sum) in self.chunks.iter().enumerate() {
            if sum <= 0.0 {
                continue;
            }
            if left >= sum {
                left -= sum;
                last = chunk;
                continue;
            }
            if let Some(point) = self.draw_within(chunk, left) {
                return point;
            }
            last = chunk;
        }
        self.draw_within(last, f64::INFINITY).unwrap_or(0)
    }

    fn draw_within(&self, chunk: usize, mut left: f64) -> Option<usize> {
        let mut last = None;
        let end = self.sums.len().min((chunk + 1) * CHUNK);
        for i in chunk * CHUNK..end {
            let share = self.weights[i] as f64 * f64::from(self.sums[i]);
            if share > 0.0 {
                last = Some(i);
                if left < share {
                    return last;
                }
                left -= share;
            }
        }
        last
    }

    /// The candidate that lowers the inertia most, the first of equally good ones.
    fn best<N: Norm>(&self, candidates: &Blocks, near: &[f32]) -> usize {
        let dim = self.points.dim();
        let gains: Vec<[f64; LANES]> = self
            .points
            .values()
            .par_chunks(CHUNK * dim)
            .zip(self.weights.par_chunks(CHUNK))
            .zip(self.labels.par_chunks(CHUNK).zip(self.sums.par_chunks(CHUNK)))
            .map(|((values, weights), (labels, sums))| {
                if self.job.cancelled() {
                    return [0.0; LANES];
                }
                let norm = PhantomData::<N>;
                simd::run(Gains { values, weights, labels, sums, near, candidates, norm })
            })
            .collect();
        let mut total = [0.0; LANES];
        for chunk in &gains {
            for (total, gain) in total.iter_mut().zip(chunk) {
                *total += gain;
            }
        }
        (1..TRIALS).fold(0, |best, trial| if total[trial] > total[best] { trial } else { best })
    }

    /// Makes `x` the seed number `label`; `gaps` tells which points of a seed cannot be affected.
    fn adopt<N: Norm>(&mut self, label: u32, x: &[f32], gaps: &[f32]) {
        let (dim, job) = (self.points.dim(), self.job);
        self.chunks
            .par_iter_mut()
            .zip(self.points.values().par_chunks(CHUNK * dim))
            .zip(self.weights.par_chunks(CHUNK))
            .zip(self.labels.par_chunks_mut(CHUNK).zip(self.sums.par_chunks_mut(CHUNK)))
            .for_each(|(((chunk, values), weights), (labels, sums))| {
                if job.cancelled() {
                    return;
                }
                let mut changed = false;
                for (i, (own, sum)) in labels.iter_mut().zip(&mut *sums).enumerate() {
                    if *sum < gaps[*own as usize] {
                        continue;
                    }
                    let found = N::distance(&values[i * dim..][..dim], x);
                    if found < *sum {
                        (*own, *sum) = (label, found);
                        changed = true;
                    }
                }
                if changed {
                    *chunk = 0.0;
                    for (&weight, &sum) in weights.iter().zip(&*sums) {
                        *chunk += weight as f64 * f64::from(sum);
                    }
                }
            });
    }
}
