//! Cutting a line of weighted values into intervals.

mod cost;
mod optimal;
mod percentile;

use std::ops::Range;

use lethe_compute::Cancelled;
use thiserror::Error;

use cost::Costs;

pub use optimal::optimal_intervals;
pub use percentile::equal_mass_intervals;

/// Why a line could not be cut.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LineError {
    /// No intervals were asked for.
    #[error("at least one interval is needed; 0 were asked for")]
    NoIntervals,
    /// Fewer distinct values than intervals.
    #[error(
        "{intervals} intervals were asked for, but there are only {distinct} distinct values; \
         ask for at most {distinct}"
    )]
    TooFewValues {
        /// Intervals asked for.
        intervals: usize,
        /// Distinct values given.
        distinct: usize,
    },
    /// Values and weights differ in number.
    #[error("{values} values need as many weights; {weights} were given")]
    Weights {
        /// Number of values.
        values: usize,
        /// Number of weights.
        weights: usize,
    },
    /// The values do not ascend strictly.
    #[error(
        "value {index} is not greater than the one before it; sort the values and merge equal ones"
    )]
    NotAscending {
        /// Index of the value that is out of order.
        index: usize,
    },
    /// A value has no weight.
    #[error("value {index} has weight 0; leave it out")]
    ZeroWeight {
        /// Index of the value.
        index: usize,
    },
    /// The job was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The sums that give the costs would overflow 128-bit integers.
    #[error(
        "the values span too wide a range for their weight: (span x total weight)^2 must be below 2^126"
    )]
    TooLarge,
}

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
/// # Ok::<(), lethe_cluster::LineError>(())
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

    /// Number of intervals.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Always false: there is at least one interval.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The indices of the values in interval `index`.
    ///
    /// # Panics
    /// If `index` is not below [`len`](Self::len).
    pub fn range(&self, index: usize) -> Range<usize> {
        self.bounds[index]..self.bounds[index + 1]
    }

    /// The interval of each value.
    pub fn labels(&self) -> Vec<u32> {
        let mut labels = Vec::with_capacity(self.bounds[self.len()]);
        for (label, pair) in (0u32..).zip(self.bounds.windows(2)) {
            labels.resize(pair[1], label);
        }
        labels
    }
}

/// Checks what both ways of cutting ask of their input.
fn check(values: &[i64], weights: &[u64], intervals: usize) -> Result<Costs, LineError> {
    if intervals == 0 {
        return Err(LineError::NoIntervals);
    }
    if values.len() != weights.len() {
        return Err(LineError::Weights { values: values.len(), weights: weights.len() });
    }
    if let Some(at) = values.windows(2).position(|pair| pair[0] >= pair[1]) {
        return Err(LineError::NotAscending { index: at + 1 });
    }
    if let Some(index) = weights.iter().position(|&weight| weight == 0) {
        return Err(LineError::ZeroWeight { index });
    }
    if values.len() < intervals {
        return Err(LineError::TooFewValues { intervals, distinct: values.len() });
    }
    Costs::new(values, weights).ok_or(LineError::TooLarge)
}
