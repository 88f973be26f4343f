//! Weighted k-means.

mod centroid;
mod lloyd;
mod members;
mod seed;

use lethe_compute::Job;

use crate::norm::{Absolutes, Norm, Squares};
use crate::random::Random;
use crate::{ClusterError, Distance, Points};

/// What to fit.
#[derive(Debug, Clone, PartialEq)]
pub struct KMeans {
    /// Number of clusters.
    pub clusters: usize,
    /// Distance to fit and to assign by.
    pub distance: Distance,
    /// Iterations of a start at most; with 0 the seeds themselves are the centroids.
    pub max_iterations: usize,
    /// Independent starts, of which the one with the least inertia is kept (the earliest on a tie).
    /// 0 counts as 1.
    pub restarts: usize,
    /// Seed of all randomness: the same seed gives the same result, bit for bit.
    pub seed: u64,
    /// Stop a start once an iteration lowers the inertia by no more than this share of it. With 0
    /// it runs until no point moves.
    pub tolerance: f64,
    /// Measure every point against every centroid in every iteration. The result is the same; only
    /// tests and benchmarks want it.
    pub exhaustive: bool,
}

impl KMeans {
    /// Settings for a number of clusters: squared L2, one start of at most 300 iterations, run until
    /// no point moves, seed 0.
    pub fn new(clusters: usize) -> Self {
        Self {
            clusters,
            distance: Distance::SquaredL2,
            max_iterations: 300,
            restarts: 1,
            seed: 0,
            tolerance: 0.0,
            exhaustive: false,
        }
    }

    /// Clusters points, each standing for as many copies of itself as its weight says.
    ///
    /// Points of weight 0 are labelled but do not count. Each iteration is one unit of progress; the
    /// caller begins the phase. The result does not depend on the number of threads.
    ///
    /// ```
    /// use lethe_cluster::{KMeans, Points};
    /// use lethe_compute::Job;
    /// let points = [0.0, 1.0, 10.0, 12.0];
    /// let fit = KMeans::new(2).fit(Points::new(&points, 1)?, &[3, 1, 1, 1], Job::default())?;
    /// assert_eq!(fit.labels[0], fit.labels[1]);
    /// assert_ne!(fit.labels[1], fit.labels[2]);
    /// // 3 x 0.25^2 + 0.75^2 on the left, 1^2 + 1^2 on the right.
    /// assert_eq!(fit.inertia, 2.75);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fit(
        &self,
        points: Points<'_>,
        weights: &[u64],
        job: Job<'_>,
    ) -> Result<Clustering, ClusterError> {
        self.check(points, weights)?;
        job.install(|| self.best_start(points, weights, job))
    }

    fn best_start(
        &self,
        points: Points<'_>,
        weights: &[u64],
        job: Job<'_>,
    ) -> Result<Clustering, ClusterError> {
        let mut best: Option<Clustering> = None;
        for restart in 0..self.restarts.max(1) {
            let fit = match self.distance {
                Distance::SquaredL2 => self.start::<Squares>(points, weights, restart, job)?,
                Distance::L1 => self.start::<Absolutes>(points, weights, restart, job)?,
            };
            if best.as_ref().is_none_or(|best| fit.inertia < best.inertia) {
                best = Some(fit);
            }
        }
        Ok(best.expect("there is at least one start"))
    }

    fn check(&self, points: Points<'_>, weights: &[u64]) -> Result<(), ClusterError> {
        if self.clusters == 0 {
            return Err(ClusterError::NoClusters);
        }
        if weights.len() != points.len() {
            return Err(ClusterError::Weights { points: points.len(), weights: weights.len() });
        }
        let total = weights.iter().try_fold(0u64, |sum, &weight| sum.checked_add(weight));
        match total {
            Some(0) => Err(ClusterError::NoWeight),
            // Half of the total is rounded up, and `f64` carries the products.
            Some(total) if total <= MAX_WEIGHT => Ok(()),
            _ => Err(ClusterError::TooMuchWeight),
        }
    }

    fn start<N: Norm>(
        &self,
        points: Points<'_>,
        weights: &[u64],
        restart: usize,
        job: Job<'_>,
    ) -> Result<Clustering, ClusterError> {
        let mut rng = Random::new(self.seed, restart as u64);
        let seeds = seed::seed::<N>(points, weights, self.clusters, &mut rng, job)?;
        let mut state = lloyd::Lloyd::<N>::new(
            points,
            weights,
            self.distance,
            self.exhaustive,
            seeds.centroids,
            seeds.labels,
        );
        let mut inertia = state.inertia();
        let mut iterations = 0;
        let mut converged = false;
        while iterations < self.max_iterations && !converged {
            let step = state.step(job)?;
            iterations += 1;
            converged = step.moved == 0
                || self.tolerance > 0.0 && inertia - step.inertia <= self.tolerance * inertia;
            inertia = step.inertia;
            job.advance(1);
        }
        Ok(Clustering {
            centroids: state.centroids,
            dim: points.dim(),
            labels: state.labels,
            weights: state.cluster_weights,
            inertia,
            iterations,
            converged,
            restart,
        })
    }
}

/// Largest sum of weights: up to here every weight is exact in `f64`.
const MAX_WEIGHT: u64 = 1 << 53;

/// Clusters of points.
///
/// Each label names the centroid nearest to its point, the lowest of equally near ones, exactly as
/// [`assign`](crate::assign) would; no cluster is without weight.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Clustering {
    /// The centroids' coordinates, row after row.
    pub centroids: Vec<f32>,
    /// Coordinates of each centroid.
    pub dim: usize,
    /// The cluster of each point.
    pub labels: Vec<u32>,
    /// The sum of the weights of each cluster's points; never 0.
    pub weights: Vec<u64>,
    /// The weighted sum of squared L2 distances, or of L1 distances, to the nearest centroid.
    pub inertia: f64,
    /// Iterations of the start that was kept.
    pub iterations: usize,
    /// Whether it ended by itself, not by the limit on iterations.
    pub converged: bool,
    /// Which start was kept, from 0.
    pub restart: usize,
}

impl Clustering {
    /// Number of clusters.
    pub fn clusters(&self) -> usize {
        self.weights.len()
    }

    /// The centroid of cluster `index`.
    ///
    /// # Panics
    /// If `index` is not below [`clusters`](Self::clusters).
    pub fn centroid(&self, index: usize) -> &[f32] {
        &self.centroids[index * self.dim..][..self.dim]
    }
}
