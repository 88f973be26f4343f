//! Intervals of nearly equal weight.

use super::{Intervals, check};
use crate::ClusterError;

/// Cuts a line of weighted values into `k` intervals of nearly equal weight.
///
/// `values` ascend strictly and each has a positive weight. **The rule:** the ideal place of cut `b`
/// is where the weight to its left is `b/k` of the whole. A value is never split, so the cut goes
/// to the border between two values whose left-hand weight is nearest to that (the left one of two
/// equally near). It goes no further left than one value after the previous cut, and no further right than
/// leaves one value for each interval to come; therefore no interval is empty, even where one heavy
/// value covers several ideal places.
///
/// ```
/// use lethe_cluster::equal_mass_intervals;
/// let cut = equal_mass_intervals(&[10, 20, 30, 40, 50], &[1, 1, 1, 1, 4], 2)?;
/// assert_eq!(cut.weights, [4, 4]);
/// // A heavy value leaves the others what it can.
/// let cut = equal_mass_intervals(&[10, 20, 30], &[100, 1, 1], 3)?;
/// assert_eq!(cut.weights, [100, 1, 1]);
/// # Ok::<(), lethe_cluster::ClusterError>(())
/// ```
pub fn equal_mass_intervals(
    values: &[i64],
    weights: &[u64],
    k: usize,
) -> Result<Intervals, ClusterError> {
    let costs = check(values, weights, k)?;
    let n = values.len();
    let left: Vec<u128> = (0..=n).map(|i| u128::from(costs.weight(0..i)) * k as u128).collect();
    let mut bounds = vec![0];
    for b in 1..k {
        let ideal = left[n] / k as u128 * b as u128;
        let after = left.partition_point(|&weight| weight < ideal);
        let before = after.saturating_sub(1);
        let nearest = if ideal - left[before] <= left[after] - ideal { before } else { after };
        bounds.push(nearest.clamp(bounds[b - 1] + 1, n - (k - b)));
    }
    bounds.push(n);
    Ok(Intervals::new(bounds, &costs))
}
