//! Cutting a line of weighted values into intervals.

mod cost;
mod optimal;
mod percentile;

use crate::ClusterError;

pub use cost::Costs;
pub use optimal::optimal_intervals;
pub use percentile::equal_mass_intervals;

/// Consecutive intervals of a line of weighted values: interval `i` holds the values with indices
/// `bounds[i]..bounds[i + 1]`.
///
/// No interval is empty and equal values are never parted.
///
/// ```
/// use lethe_cluster::optimal_intervals;
/// use lethe_compute::Job;
/// let cut = optimal_intervals(&[0, 1, 10, 12], &[3, 1, 1, 1], 2, Job::default())?;
/// assert_eq!(cut.bounds, [0, 2, 4]);
/// assert_eq!(cut.centroids, [0.25, 11.0]);
/// assert_eq!(cut.weights, [4, 2]);
/// assert_eq!(cut.inertia, 2.75);
/// assert_eq!(cut.labels(), [0, 0, 1, 1]);
/// # Ok::<(), lethe_cluster::ClusterError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Intervals {
    /// Where each interval begins, and at last the number of values.
    pub bounds: Vec<usize>,
    /// The weighted mean of each interval.
    pub centroids: Vec<f64>,
    /// The weight of each interval.
    pub weights: Vec<u64>,
    /// The weighted sum of squared distances to the interval's mean.
    pub inertia: f64,
}

impl Intervals {
    fn new(bounds: Vec<usize>, costs: &Costs) -> Self {
        let ranges = || bounds.windows(2).map(|pair| pair[0]..pair[1]);
        Self {
            centroids: ranges().map(|range| costs.mean(range)).collect(),
            weights: ranges().map(|range| costs.weight(range)).collect(),
            inertia: ranges().map(|range| costs.cost(range.start, range.end)).sum(),
            bounds,
        }
    }

    /// The interval of each value.
    pub fn labels(&self) -> Vec<u32> {
        let mut labels = Vec::with_capacity(self.bounds[self.weights.len()]);
        for (label, pair) in (0u32..).zip(self.bounds.windows(2)) {
            labels.resize(pair[1], label);
        }
        labels
    }
}

/// Checks what both ways of cutting ask of their input.
fn check(values: &[i64], weights: &[u64], intervals: usize) -> Result<Costs, ClusterError> {
    if intervals == 0 {
        return Err(ClusterError::NoClusters);
    }
    if values.len() != weights.len() {
        return Err(ClusterError::Weights { points: values.len(), weights: weights.len() });
    }
    if let Some(at) = values.windows(2).position(|pair| pair[0] >= pair[1]) {
        return Err(ClusterError::NotAscending(at + 1));
    }
    if let Some(index) = weights.iter().position(|&weight| weight == 0) {
        return Err(ClusterError::ZeroWeight(index));
    }
    if values.len() < intervals {
        return Err(ClusterError::TooFewPoints { clusters: intervals, distinct: values.len() });
    }
    Costs::new(values, weights).ok_or(ClusterError::TooLarge)
}
