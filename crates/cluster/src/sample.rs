//! Weighted samples without replacement.

use rayon::prelude::*;

use crate::random::hash;

/// Some of many weighted points, with weights that stand for all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sample {
    /// The points drawn, ascending, each once.
    pub indices: Vec<u32>,
    /// The weight each of them carries in the sample.
    pub weights: Vec<u64>,
}

/// Draws `size` points without replacement, heavier ones more readily.
///
/// This is priority sampling (Duffield, Lund and Thorup 2007). A point of weight `w` gets the
/// priority `w/u`, `u` uniform in (0, 1]; the highest priorities are drawn; and with `t` the highest
/// priority that was not, a point drawn carries the weight `max(w, t)`. The weight of any set of
/// points is so estimated without bias (but for rounding `t` to an integer), and points heavier
/// than `t` are all there with their own weight. Points of weight 0 are never drawn; if there are no
/// more than `size` others, all are returned unchanged.
///
/// Each point's `u` depends only on the seed and on its index, so the sample is the same for any
/// number of threads.
///
/// # Panics
/// If there are more points than a `u32` can number.
///
/// ```
/// use lethe_cluster::sample;
/// let weights = [5, 1, 1, 1_000_000, 1, 1];
/// let drawn = sample(&weights, 3, 42);
/// assert_eq!(drawn.indices.len(), 3);
/// assert!(drawn.indices.contains(&3));
/// assert_eq!(sample(&weights, 10, 42).weights, weights);
/// ```
pub fn sample(weights: &[u64], size: usize, seed: u64) -> Sample {
    assert!(u32::try_from(weights.len()).is_ok(), "too many points for 32-bit indices");
    let mut ranked: Vec<(f64, u32)> = weights
        .par_iter()
        .enumerate()
        .filter(|(_, weight)| **weight > 0)
        .map(|(index, &weight)| (weight as f64 / uniform(seed, index as u64), index as u32))
        .collect();
    let mut threshold = 0;
    if size < ranked.len() {
        let order = |a: &(f64, u32), b: &(f64, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        let (_, next, _) = ranked.select_nth_unstable_by(size, order);
        threshold = next.0.round() as u64;
        ranked.truncate(size);
    }
    let mut indices: Vec<u32> = ranked.into_iter().map(|(_, index)| index).collect();
    indices.sort_unstable();
    let weights = indices.iter().map(|&index| weights[index as usize].max(threshold)).collect();
    Sample { indices, weights }
}

/// A number in (0, 1] that belongs to a seed and an index.
fn uniform(seed: u64, index: u64) -> f64 {
    let bits = hash(hash(seed) ^ index);
    ((bits >> 11) + 1) as f64 * (1.0 / (1u64 << 53) as f64)
}
