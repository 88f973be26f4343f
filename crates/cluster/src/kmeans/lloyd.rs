//! Lloyd's iterations with bounds.
//!
//! Points are visited cluster by cluster. For each point the distance `u` to its own centroid is
//! measured afresh (this also gives the exact inertia), and a lower bound `l` on the distance to
//! every other centroid is carried from iteration to iteration, lowered by how far the others have
//! moved (Hamerly 2010). A point with `u < l` stays. The others look only at centroids around their
//! own: one at distance `g` from it can be nearer only if `g < 2u` (the ball of Exponion, Newling
//! and Fleuret 2016). The list of a cluster's neighbours, ordered by `g` and laid out in blocks, is
//! made once per visit and serves all its points.
//!
//! Bounds only ever decide what need not be measured. [`Slack`] keeps them clear of rounding, so the
//! labels are those an exhaustive search would give, ties included.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::centroid;
use super::members::{Members, Run};
use crate::blocks::{Blocks, Distances, Found, Search};
use crate::norm::{FAR, Norm, Slack};
use crate::{ClusterError, Distance, Points};
use lethe_compute::Job;
use lethe_compute::simd::{self, LANES};

/// Centroids and labels in the course of fitting.
///
/// Between calls every label names the centroid nearest to its point, the lowest of equally near
/// ones, and every cluster has weight.
pub(crate) struct Lloyd<'a, N> {
    points: Points<'a>,
    weights: &'a [u64],
    distance: Distance,
    exhaustive: bool,
    slack: Slack,
    norm: PhantomData<N>,
    pub(crate) centroids: Vec<f32>,
    pub(crate) labels: Vec<u32>,
    pub(crate) cluster_weights: Vec<u64>,
    blocks: Blocks,
    /// Bits of each point's `l`. Atomic only because runs write to scattered places.
    lower: Vec<AtomicU32>,
    members: Members,
    /// Clusters that gained or lost a member since their centroid was last placed.
    changed: Vec<bool>,
    /// How far each centroid moved when last placed.
    shifts: Vec<f32>,
}

/// What one pass over the points did.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Step {
    /// The weighted sum of distances to the nearest centroid.
    pub(crate) inertia: f64,
    /// Number of points that changed their cluster.
    pub(crate) moved: usize,
}

#[derive(Default)]
struct Scratch {
    gaps: Vec<f32>,
    sums: Vec<f32>,
    todo: Vec<u32>,
    slots: Vec<usize>,
    reach: Vec<f32>,
    near: Vec<(f32, u32)>,
    blocks: Blocks,
    block_gaps: Vec<f32>,
    found: Vec<Found>,
}

impl<'a, N: Norm> Lloyd<'a, N> {
    /// Starts from centroids and the labels that belong to them.
    pub(crate) fn new(
        points: Points<'a>,
        weights: &'a [u64],
        distance: Distance,
        exhaustive: bool,
        centroids: Vec<f32>,
        labels: Vec<u32>,
    ) -> Self {
        let k = centroids.len() / points.dim();
        let mut cluster_weights = vec![0; k];
        for (&label, &weight) in labels.iter().zip(weights) {
            cluster_weights[label as usize] += weight;
        }
        let mut members = Members::default();
        members.regroup(&labels, k);
        Self {
            points,
            weights,
            distance,
            exhaustive,
            slack: Slack::new(points.dim()),
            norm: PhantomData,
            blocks: Blocks::from_rows(&centroids, points.dim()),
            centroids,
            lower: labels.iter().map(|_| AtomicU32::new((-FAR).to_bits())).collect(),
            labels,
            cluster_weights,
            members,
            changed: vec![true; k],
            shifts: vec![0.0; k],
        }
    }

    /// The weighted sum of the points' distances to their centroids.
    pub(crate) fn inertia(&self) -> f64 {
        let runs: Vec<_> = self.members.runs().collect();
        let parts: Vec<f64> = runs
            .par_iter()
            .map(|run| {
                let centroid = self.centroid(run.cluster);
                let sums =
                    run.members.iter().map(|&p| N::distance(self.points.row(p as usize), centroid));
                self.weigh(run.members, sums)
            })
            .collect();
        parts.iter().sum()
    }

    /// One iteration: places the centroids, then every point with the nearest.
    pub(crate) fn step(&mut self, job: Job<'_>) -> Result<Step, ClusterError> {
        self.place(job)?;
        let mut step = self.reassign(job)?;
        while let Some(empty) = self.cluster_weights.iter().position(|&weight| weight == 0) {
            self.relocate(empty)?;
            let repaired = self.reassign(job)?;
            step = Step { inertia: repaired.inertia, moved: step.moved + repaired.moved };
        }
        Ok(step)
    }

    fn centroid(&self, cluster: usize) -> &[f32] {
        &self.centroids[cluster * self.points.dim()..][..self.points.dim()]
    }

    fn weigh(&self, members: &[u32], sums: impl Iterator<Item = f32>) -> f64 {
        let mut inertia = 0.0;
        for (&point, sum) in members.iter().zip(sums) {
            inertia += self.weights[point as usize] as f64 * f64::from(sum);
        }
        inertia
    }

    /// Moves each centroid to where its members want it.
    fn place(&mut self, job: Job<'_>) -> Result<(), ClusterError> {
        let before = self.centroids.clone();
        let (points, weights, members) = (self.points, self.weights, &self.members);
        match self.distance {
            Distance::SquaredL2 => {
                centroid::means(points, weights, members, &self.changed, &mut self.centroids, job);
            }
            Distance::L1 => {
                centroid::medians(
                    points,
                    weights,
                    members,
                    &self.changed,
                    &mut self.centroids,
                    job,
                );
            }
        }
        job.check()?;
        self.changed.fill(false);
        let dim = points.dim();
        let pairs = self.centroids.chunks_exact(dim).zip(before.chunks_exact(dim));
        for (shift, (new, old)) in self.shifts.iter_mut().zip(pairs) {
            *shift = self.slack.above(N::length(N::distance(new, old)));
            if new == old {
                *shift = 0.0;
            }
        }
        self.blocks.refill(&self.centroids);
        Ok(())
    }

    /// Moves the centroid of a cluster without weight onto the point that adds most to the inertia.
    ///
    /// That point then stays with it while other clusters are repaired, because nothing is nearer;
    /// so at most `k` repairs follow one another.
    fn relocate(&mut self, empty: usize) -> Result<(), ClusterError> {
        let (share, point) = self.farthest();
        if share <= 0.0 {
            let clusters = self.cluster_weights.len();
            let distinct = self.cluster_weights.iter().filter(|&&weight| weight > 0).count();
            return Err(ClusterError::TooFewPoints { clusters, distinct });
        }
        let dim = self.points.dim();
        let row = self.points.row(point as usize);
        self.centroids[empty * dim..][..dim].copy_from_slice(row);
        self.blocks.refill(&self.centroids);
        self.shifts.fill(0.0);
        self.lower.par_iter().for_each(|l| l.store((-FAR).to_bits(), Ordering::Relaxed));
        Ok(())
    }

    /// The largest weighted distance of a point from its centroid, and the first such point.
    fn farthest(&self) -> (f64, u32) {
        let runs: Vec<_> = self.members.runs().collect();
        let share = |point: u32, centroid: &[f32]| {
            let sum = N::distance(self.points.row(point as usize), centroid);
            self.weights[point as usize] as f64 * f64::from(sum)
        };
        let farther = |a: (f64, u32), b: (f64, u32)| {
            if b.0 > a.0 || (b.0 == a.0 && b.1 < a.1) { b } else { a }
        };
        let none = (0.0, u32::MAX);
        runs.par_iter()
            .map(|run| {
                let centroid = self.centroid(run.cluster);
                run.members.iter().map(|&p| (share(p, centroid), p)).fold(none, farther)
            })
            .reduce(|| none, farther)
    }

    /// Finds the nearest centroid of every point.
    fn reassign(&mut self, job: Job<'_>) -> Result<Step, ClusterError> {
        let drift = Drift::new(&self.shifts);
        let runs: Vec<_> = self.members.runs().collect();
        let parts: Vec<(f64, Vec<(u32, u32)>)> = runs
            .par_iter()
            .map_init(
                || Scratch { blocks: Blocks::new(self.points.dim()), ..Scratch::default() },
                |scratch, run| match job.cancelled() {
                    true => (0.0, Vec::new()),
                    false => self.visit(*run, &drift, scratch),
                },
            )
            .collect();
        job.check()?;
        let mut step = Step::default();
        for (inertia, moves) in parts {
            step.inertia += inertia;
            step.moved += moves.len();
            for (point, to) in moves {
                let from = std::mem::replace(&mut self.labels[point as usize], to);
                let weight = self.weights[point as usize];
                self.cluster_weights[from as usize] -= weight;
                self.cluster_weights[to as usize] += weight;
                self.changed[from as usize] = true;
                self.changed[to as usize] = true;
            }
        }
        if step.moved > 0 {
            self.members.regroup(&self.labels, self.shifts.len());
        }
        Ok(step)
    }

    /// Handles some members of one cluster: their inertia, and the moves `(point, new cluster)`.
    fn visit(&self, run: Run<'_>, drift: &Drift, s: &mut Scratch) -> (f64, Vec<(u32, u32)>) {
        let (own, slack) = (run.cluster, self.slack);
        let centroid = self.centroid(own);
        s.sums.clear();
        s.todo.clear();
        s.slots.clear();
        s.reach.clear();
        s.block_gaps.clear();
        if self.exhaustive {
            s.todo.extend_from_slice(run.members);
            s.reach.resize(run.members.len(), FAR);
            s.block_gaps.resize(self.blocks.count(), 0.0);
            self.search(&self.blocks, &s.todo, &s.reach, &s.block_gaps, &mut s.found);
            let moves = run.members.iter().zip(&s.found);
            let moves = moves.filter(|(_, f)| f.id as usize != own).map(|(&p, f)| (p, f.id));
            return (self.weigh(run.members, s.found.iter().map(|f| f.best)), moves.collect());
        }

        simd::run(Distances {
            x: centroid,
            blocks: &self.blocks,
            out: &mut s.gaps,
            norm: PhantomData::<N>,
        });
        for gap in &mut s.gaps {
            *gap = N::length(*gap);
        }
        let nearest = nearest_other(&s.gaps, own);

        let mut total = 0.0;
        for &point in run.members {
            let sum = N::distance(self.points.row(point as usize), centroid);
            s.sums.push(sum);
            total += N::length(sum);
        }
        // Centroids far from this one can drift as they like: only those within the horizon have to
        // be followed, the others are still at least the horizon less `u` away.
        let horizon = HORIZON * total / run.members.len() as f32;
        let near_drift = drift.within(&self.shifts, &s.gaps, own, horizon);
        let far_drift = drift.of_others(own);

        let mut far = 0.0f32;
        for (slot, (&point, &sum)) in run.members.iter().zip(&s.sums).enumerate() {
            let u = N::length(sum);
            let place = &self.lower[point as usize];
            let l = f32::from_bits(place.load(Ordering::Relaxed));
            let followed = lowered(l, near_drift).min(slack.below(horizon) - slack.above(u));
            let l = lowered(l, far_drift).max(followed);
            let bound = l.max(slack.below(nearest) - slack.above(u));
            if u < slack.below(bound) {
                place.store(l.to_bits(), Ordering::Relaxed);
                continue;
            }
            let reach = slack.reach(2.0 * u);
            s.todo.push(point);
            s.slots.push(slot);
            s.reach.push(reach);
            far = far.max(reach);
        }
        let mut moves = Vec::new();
        if !s.todo.is_empty() {
            self.gather(s, far);
            self.search(&s.blocks, &s.todo, &s.reach, &s.block_gaps, &mut s.found);
            for ((&point, &slot), found) in s.todo.iter().zip(&s.slots).zip(&s.found) {
                let u = N::length(s.sums[slot]);
                let unseen = slack.below(s.block_gaps[found.blocks as usize]) - slack.above(u);
                let l = slack.below(N::length(found.second)).min(unseen);
                self.lower[point as usize].store(l.to_bits(), Ordering::Relaxed);
                s.sums[slot] = found.best;
                if found.id as usize != own {
                    moves.push((point, found.id));
                }
            }
        }
        (self.weigh(run.members, s.sums.iter().copied()), moves)
    }

    /// Lays out the centroids up to `far` away from the present one, nearest first.
    fn gather(&self, s: &mut Scratch, far: f32) {
        s.near.clear();
        let ids = s.gaps.iter().zip(0u32..).filter(|(gap, _)| **gap <= far);
        s.near.extend(ids.map(|(&gap, id)| (gap, id)));
        s.near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        s.blocks.clear();
        for &(_, id) in &s.near {
            s.blocks.push(id, self.centroid(id as usize));
        }
        s.block_gaps.extend(s.near.iter().step_by(LANES).map(|near| near.0));
        s.block_gaps.push(if s.near.len() == s.gaps.len() { FAR } else { far });
    }

    fn search(
        &self,
        blocks: &Blocks,
        members: &[u32],
        reach: &[f32],
        gaps: &[f32],
        out: &mut Vec<Found>,
    ) {
        let values = self.points.values();
        simd::run(Search { values, members, reach, blocks, gaps, out, norm: PhantomData::<N> });
    }
}

/// The horizon in units of a cluster's mean distance.
const HORIZON: f32 = 4.0;

fn nearest_other(gaps: &[f32], own: usize) -> f32 {
    let (left, right) = (&gaps[..own], &gaps[own + 1..]);
    left.iter().chain(right).fold(FAR, |least, &gap| least.min(gap))
}

/// A lower bound after the others may have come nearer by `drift`, rounded down.
fn lowered(l: f32, drift: f32) -> f32 {
    l - drift - (l.abs() + drift) * f32::EPSILON
}

/// The largest and second largest shift.
struct Drift {
    largest: usize,
    first: f32,
    second: f32,
}

impl Drift {
    fn new(shifts: &[f32]) -> Self {
        let mut drift = Self { largest: 0, first: 0.0, second: 0.0 };
        for (c, &shift) in shifts.iter().enumerate() {
            if shift > drift.first {
                drift = Self { largest: c, first: shift, second: drift.first };
            } else if shift > drift.second {
                drift.second = shift;
            }
        }
        drift
    }

    /// The largest shift of any other centroid.
    fn of_others(&self, own: usize) -> f32 {
        if own == self.largest { self.second } else { self.first }
    }

    /// The largest shift of any other centroid nearer than `horizon`.
    fn within(&self, shifts: &[f32], gaps: &[f32], own: usize, horizon: f32) -> f32 {
        let mut largest = 0.0f32;
        for (c, (&shift, &gap)) in shifts.iter().zip(gaps).enumerate() {
            if gap < horizon && c != own {
                largest = largest.max(shift);
            }
        }
        largest
    }
}
