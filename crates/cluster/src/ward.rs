//! Agglomerative clustering by Ward's criterion.
//!
//! Merging two clusters of weights `a` and `b` raises the sum of squares within clusters by
//! `a b / (a + b)` times the squared distance of their means: their *cost*. Ward's method begins with
//! every point on its own and merges the pair of the lowest cost until one cluster is left. The cost
//! of a merged cluster with a third follows from the costs of its parts (Lance and Williams), so
//! only the costs of all pairs are kept, and no means.

use lethe_compute::{Cancelled, Job};
use rayon::prelude::*;

use crate::error::ClusterError;
use crate::points::Points;

/// The most points: the costs of all pairs take 8 bytes each.
const MOST_POINTS: usize = 10_000;

/// The order in which Ward's method merges points into one cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Hierarchy {
    weights: Vec<u64>,
    merges: Vec<Merge>,
}

/// Two clusters become one. A cluster is named by the lowest of its points.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Merge {
    kept: usize,
    gone: usize,
    cost: f64,
}

/// A clustering with all the coarser ones of its hierarchy.
///
/// With `level` clusters their numbers are those below `level`: going from `i + 1` clusters to `i`
/// merges cluster `i` into `parents[i]`, which is lower. Of two parts the heavier keeps the number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nested {
    /// The finest cluster of every point.
    pub labels: Vec<u32>,
    /// The cluster that each is merged into; 0 for the first.
    pub parents: Vec<u32>,
}

/// Merges weighted points one pair at a time, always the pair that raises the sum of squares least.
///
/// Of pairs that cost the same, the one of the lowest points goes first. Time and memory grow with
/// the square of the number of points. Progress is in points.
///
/// ```
/// use lethe_cluster::{Points, ward};
/// use lethe_compute::Job;
///
/// let points = Points::new(&[0.0, 1.0, 10.0, 11.0, 50.0], 1)?;
/// let hierarchy = ward(points, &[2, 2, 1, 1, 1], Job::default())?;
/// let nested = hierarchy.nested(3)?;
/// assert_eq!(nested.labels, [0, 0, 2, 2, 1]);
/// assert_eq!(nested.parents, [0, 0, 0]);
/// assert!(hierarchy.explained(3) > 0.999);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If there are no points or too many, not as many weights, a weight is 0, or on cancellation.
pub fn ward(points: Points<'_>, weights: &[u64], job: Job<'_>) -> Result<Hierarchy, ClusterError> {
    let count = points.len();
    if weights.len() != count {
        return Err(ClusterError::Weights { points: count, weights: weights.len() });
    }
    if count == 0 {
        return Err(ClusterError::NoWeight);
    }
    if let Some(zero) = weights.iter().position(|&weight| weight == 0) {
        return Err(ClusterError::ZeroWeight(zero));
    }
    let total = weights.iter().try_fold(0u64, |sum, &weight| sum.checked_add(weight));
    if total.is_none_or(|total| total > 1 << 53) {
        return Err(ClusterError::TooMuchWeight);
    }
    if count > MOST_POINTS {
        return Err(ClusterError::TooManyPoints { points: count, most: MOST_POINTS });
    }
    job.begin("merge clusters", 2 * count as u64);
    let mut costs = Costs::new(points, weights, job)?;
    let mut merges = Vec::with_capacity(count - 1);
    job.advance(1);
    for _ in 1..count {
        job.check()?;
        merges.push(costs.merge());
        job.advance(1);
    }
    Ok(Hierarchy { weights: weights.to_vec(), merges })
}

/// The costs of merging each pair of the clusters that are left.
struct Costs {
    count: usize,
    /// Row by row, of all pairs in both orders.
    costs: Vec<f64>,
    /// The weights of clusters; 0 for those that were merged into others.
    weights: Vec<f64>,
    /// Of every cluster that is left, the cheapest to merge it with among those after it.
    nearest: Vec<Option<usize>>,
}

impl Costs {
    fn new(points: Points<'_>, weights: &[u64], job: Job<'_>) -> Result<Costs, Cancelled> {
        let count = points.len();
        let weights: Vec<f64> = weights.iter().map(|&weight| weight as f64).collect();
        let cost = |i: usize, j: usize| {
            let terms = points.row(i).iter().zip(points.row(j));
            let square = |(&x, &y): (&f32, &f32)| (f64::from(x) - f64::from(y)).powi(2);
            weights[i] * weights[j] / (weights[i] + weights[j]) * terms.map(square).sum::<f64>()
        };
        let mut costs = vec![0.0; count * count];
        job.install(|| {
            costs.par_chunks_mut(count).enumerate().try_for_each(|(i, row)| {
                job.check()?;
                row[i + 1..].iter_mut().zip(i + 1..).for_each(|(entry, j)| *entry = cost(i, j));
                job.advance(1);
                Ok(())
            })
        })?;
        for i in 0..count {
            for j in i + 1..count {
                costs[j * count + i] = costs[i * count + j];
            }
        }
        let mut costs = Costs { count, costs, weights, nearest: vec![None; count] };
        (0..count).for_each(|cluster| costs.find_nearest(cluster));
        Ok(costs)
    }

    fn cost(&self, i: usize, j: usize) -> f64 {
        self.costs[i * self.count + j]
    }

    fn find_nearest(&mut self, cluster: usize) {
        let others = (cluster + 1..self.count).filter(|&other| self.weights[other] > 0.0);
        let cost = |other: &usize| self.cost(cluster, *other);
        self.nearest[cluster] = others.min_by(|a, b| cost(a).total_cmp(&cost(b)));
    }

    /// Merges the cheapest pair.
    fn merge(&mut self) -> Merge {
        let pairs = self.nearest.iter().enumerate();
        let pairs = pairs.filter_map(|(i, nearest)| nearest.map(|j| (i, j)));
        let cheapest = pairs.min_by(|&(a, b), &(c, d)| self.cost(a, b).total_cmp(&self.cost(c, d)));
        let (kept, gone) = cheapest.expect("two clusters are left");
        let cost = self.cost(kept, gone);
        let [a, b] = [kept, gone].map(|cluster| self.weights[cluster]);
        self.weights[gone] = 0.0;
        self.nearest[gone] = None;
        for other in 0..self.count {
            let c = self.weights[other];
            if c == 0.0 || other == kept {
                continue;
            }
            let parts = (a + c) * self.cost(kept, other) + (b + c) * self.cost(gone, other);
            let merged = ((parts - c * cost) / (a + b + c)).max(0.0);
            self.costs[kept * self.count + other] = merged;
            self.costs[other * self.count + kept] = merged;
        }
        self.weights[kept] = a + b;
        for other in 0..self.count {
            // Costs with the merged cluster rose; those of other pairs are as they were.
            let stale = matches!(self.nearest[other], Some(near) if near == kept || near == gone);
            if other == kept || stale {
                self.find_nearest(other);
            }
        }
        Merge { kept, gone, cost }
    }
}

impl Hierarchy {
    /// The share of the weighted variance that lies between clusters where there are this many of
    /// them; 1 if all points are the same.
    pub fn explained(&self, clusters: usize) -> f64 {
        let done = (self.merges.len() + 1).saturating_sub(clusters.max(1));
        let sum = |merges: &[Merge]| merges.iter().map(|merge| merge.cost).sum::<f64>();
        let total = sum(&self.merges);
        if total > 0.0 { 1.0 - sum(&self.merges[..done]) / total } else { 1.0 }
    }

    /// The clustering into `clusters` clusters, with all the coarser ones.
    ///
    /// # Errors
    /// If there are none, or more than points.
    pub fn nested(&self, clusters: usize) -> Result<Nested, ClusterError> {
        let points = self.weights.len();
        if clusters == 0 {
            return Err(ClusterError::NoClusters);
        }
        if clusters > points {
            return Err(ClusterError::TooFewPoints { clusters, distinct: points });
        }
        let (before, after) = self.merges.split_at(points - clusters);
        let mut weights = self.weights.clone();
        let mut root: Vec<usize> = (0..points).collect();
        for merge in before {
            root[merge.gone] = merge.kept;
            weights[merge.kept] += weights[merge.gone];
        }
        // The weights of both parts of every later merge.
        let parts: Vec<[u64; 2]> = after
            .iter()
            .map(|merge| {
                let parts = [weights[merge.kept], weights[merge.gone]];
                weights[merge.kept] += weights[merge.gone];
                parts
            })
            .collect();
        // The last merges undone: each splits the cluster with a number in two.
        let mut number = vec![0; points];
        let mut parents = vec![0];
        for (merge, [kept, gone]) in after.iter().zip(parts).rev() {
            let (old, new) = (number[merge.kept], parents.len() as u32);
            parents.push(old);
            let [lighter, heavier] =
                if gone > kept { [merge.kept, merge.gone] } else { [merge.gone, merge.kept] };
            (number[heavier], number[lighter]) = (old, new);
        }
        // A cluster is named by its lowest point, so the roots of lower points are known.
        for point in 0..points {
            root[point] = root[root[point]];
        }
        let labels = root.iter().map(|&root| number[root]).collect();
        Ok(Nested { labels, parents })
    }
}
