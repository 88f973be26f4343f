//! Where a cluster's centroid belongs: means for squared L2, medians for L1.

use lethe_compute::Job;
use rayon::prelude::*;

use super::members::Members;
use crate::Points;

/// Moves the centroids of the clusters for which `changed` to the weighted mean of their members.
///
/// A cancelled job leaves some centroids where they are.
///
/// The sums are formed in `f64` over the fixed runs of [`Members::runs`] and added in order. They
/// are exact for integer coordinates as long as they stay below 2^53.
pub(crate) fn means(
    points: Points<'_>,
    weights: &[u64],
    members: &Members,
    changed: &[bool],
    centroids: &mut [f32],
    job: Job<'_>,
) {
    let dim = points.dim();
    let runs: Vec<_> = members.runs().filter(|run| changed[run.cluster]).collect();
    let parts: Vec<(usize, u64, Vec<f64>)> = runs
        .par_iter()
        .map(|run| {
            let mut total = 0u64;
            let mut sums = vec![0.0f64; dim];
            if job.cancelled() {
                return (run.cluster, total, sums);
            }
            for &point in run.members {
                let weight = weights[point as usize];
                total += weight;
                let weight = weight as f64;
                for (sum, &x) in sums.iter_mut().zip(points.row(point as usize)) {
                    *sum += weight * f64::from(x);
                }
            }
            (run.cluster, total, sums)
        })
        .collect();
    for same in parts.chunk_by(|a, b| a.0 == b.0) {
        let total: u64 = same.iter().map(|part| part.1).sum();
        if total == 0 {
            continue;
        }
        let centroid = &mut centroids[same[0].0 * dim..][..dim];
        for (j, x) in centroid.iter_mut().enumerate() {
            let sum: f64 = same.iter().map(|part| part.2[j]).sum();
            *x = (sum / total as f64) as f32;
        }
    }
}

/// Moves the centroids of the clusters for which `changed` to the weighted lower median of their
/// members, coordinate by coordinate.
///
/// The lower median is the least value `m` such that the members at or below `m` hold at least half
/// of the weight; it is always a value that occurs.
pub(crate) fn medians(
    points: Points<'_>,
    weights: &[u64],
    members: &Members,
    changed: &[bool],
    centroids: &mut [f32],
    job: Job<'_>,
) {
    let dim = points.dim();
    centroids.par_chunks_mut(dim).enumerate().for_each_init(Vec::new, |buffer, (c, centroid)| {
        if changed[c] && !job.cancelled() {
            cluster_medians(points, weights, members.of(c), centroid, buffer);
        }
    });
}

fn cluster_medians(
    points: Points<'_>,
    weights: &[u64],
    members: &[u32],
    centroid: &mut [f32],
    buffer: &mut Vec<(f32, u64)>,
) {
    let total: u64 = members.iter().map(|&p| weights[p as usize]).sum();
    if total == 0 {
        return;
    }
    // Most medians survive an iteration. Finding out takes no sorting: it needs only
    // the weight below it and the weight up to it.
    let mut below = vec![0u64; centroid.len()];
    let mut up_to = vec![0u64; centroid.len()];
    for &point in members {
        let weight = weights[point as usize];
        let row = points.row(point as usize);
        for (((&x, &m), below), up_to) in row.iter().zip(&*centroid).zip(&mut below).zip(&mut up_to)
        {
            *below += if x < m { weight } else { 0 };
            *up_to += if x <= m { weight } else { 0 };
        }
    }
    let half = total.div_ceil(2);
    for (j, m) in centroid.iter_mut().enumerate() {
        let stands = below[j] < half && half <= up_to[j];
        if !stands {
            buffer.clear();
            buffer
                .extend(members.iter().map(|&p| (points.row(p as usize)[j], weights[p as usize])));
            *m = lower_median(buffer, half);
        }
    }
}

/// The least value up to which the pairs `(value, weight)` hold at least `half`.
///
/// `half` is at least 1 and at most the sum of the weights.
fn lower_median(mut pairs: &mut [(f32, u64)], mut half: u64) -> f32 {
    while pairs.len() > 1 {
        let middle = pairs.len() / 2;
        let (left, _, _) = pairs.select_nth_unstable_by(middle, |a, b| a.0.total_cmp(&b.0));
        let left_weight: u64 = left.iter().map(|pair| pair.1).sum();
        let (left, right) = pairs.split_at_mut(middle);
        if half <= left_weight {
            pairs = left;
        } else {
            half -= left_weight;
            pairs = right;
        }
    }
    pairs[0].0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lower_median_takes_the_lower_of_two_middles() {
        assert_eq!(lower_median(&mut [(4.0, 1), (1.0, 1), (3.0, 1), (2.0, 1)], 2), 2.0);
    }

    #[test]
    fn lower_median_counts_weight() {
        assert_eq!(lower_median(&mut [(4.0, 5), (1.0, 1), (3.0, 1), (2.0, 1)], 4), 4.0);
        assert_eq!(lower_median(&mut [(0.0, 0), (7.0, 3), (9.0, 2)], 3), 7.0);
    }
}
