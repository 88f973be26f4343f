//! Ward's hierarchy against plain merging, and against k-means.

use lethe_cluster::{ClusterError, KMeans, Points, hash, ward};
use lethe_compute::Job;
use proptest::prelude::*;

/// A cluster of the plain version: its points, weight and mean.
struct Cluster {
    points: Vec<usize>,
    weight: f64,
    mean: Vec<f64>,
}

/// Merges by means, every pair tried at every step: the partitions from all points down to one.
fn plain(values: &[f32], dim: usize, weights: &[u64]) -> Vec<Vec<Vec<usize>>> {
    let mut clusters: Vec<Cluster> = values
        .chunks_exact(dim)
        .zip(weights)
        .enumerate()
        .map(|(point, (row, &weight))| Cluster {
            points: vec![point],
            weight: weight as f64,
            mean: row.iter().map(|&x| f64::from(x)).collect(),
        })
        .collect();
    let mut partitions = Vec::new();
    loop {
        let mut partition: Vec<_> = clusters.iter().map(|c| c.points.clone()).collect();
        partition.iter_mut().for_each(|points| points.sort_unstable());
        partition.sort();
        partitions.push(partition);
        let mut best: Option<(f64, usize, usize)> = None;
        for (i, a) in clusters.iter().enumerate() {
            for (j, b) in clusters.iter().enumerate().skip(i + 1) {
                let square: f64 = a.mean.iter().zip(&b.mean).map(|(x, y)| (x - y).powi(2)).sum();
                let cost = a.weight * b.weight / (a.weight + b.weight) * square;
                if best.is_none_or(|(least, ..)| cost < least) {
                    best = Some((cost, i, j));
                }
            }
        }
        let Some((_, i, j)) = best else { return partitions };
        let gone = clusters.remove(j);
        let kept = &mut clusters[i];
        let weight = kept.weight + gone.weight;
        for (x, y) in kept.mean.iter_mut().zip(&gone.mean) {
            *x = (*x * kept.weight + y * gone.weight) / weight;
        }
        kept.points.extend(gone.points);
        kept.weight = weight;
    }
}

/// The points of every label.
fn partition(labels: &[u32]) -> Vec<Vec<usize>> {
    let count = labels.iter().max().map_or(0, |&most| most as usize + 1);
    let mut parts = vec![Vec::new(); count];
    labels.iter().enumerate().for_each(|(point, &label)| parts[label as usize].push(point));
    parts.sort();
    parts
}

/// The weighted sum of squares within labels.
fn within(values: &[f32], dim: usize, weights: &[u64], labels: &[u32]) -> f64 {
    let mut sum = 0.0;
    for label in 0..=labels.iter().copied().max().unwrap() {
        let members = || labels.iter().enumerate().filter(|&(_, &l)| l == label).map(|(p, _)| p);
        let weight: f64 = members().map(|p| weights[p] as f64).sum();
        for x in 0..dim {
            let value = |p: usize| f64::from(values[p * dim + x]);
            let mean = members().map(|p| weights[p] as f64 * value(p)).sum::<f64>() / weight;
            sum += members().map(|p| weights[p] as f64 * (value(p) - mean).powi(2)).sum::<f64>();
        }
    }
    sum
}

proptest! {
    #[test]
    fn ward_merges_what_plain_merging_does(
        seed in any::<u64>(), count in 1usize..24, dim in 1usize..4, heaviest in 1u64..30,
    ) {
        // Coordinates that look random: pairs of equal cost do not occur.
        let number = |i: usize| (hash(seed ^ hash(i as u64)) >> 40) as f32 / 1000.0;
        let values: Vec<f32> = (0..count * dim).map(number).collect();
        let weights: Vec<u64> = (0..count).map(|i| 1 + hash(!seed ^ i as u64) % heaviest).collect();
        let points = Points::new(&values, dim).unwrap();
        let hierarchy = ward(points, &weights, Job::default()).unwrap();
        let one = within(&values, dim, &weights, &vec![0; count]);
        let plain = plain(&values, dim, &weights);
        let mut last = -1.0;
        for level in 1..=count {
            let nested = hierarchy.nested(level).unwrap();
            prop_assert_eq!(&partition(&nested.labels), &plain[count - level]);
            let explained = hierarchy.explained(level);
            let direct = if count == 1 { 1.0 } else {
                1.0 - within(&values, dim, &weights, &nested.labels) / one
            };
            prop_assert!((explained - direct).abs() < 1e-9, "{} and {}", explained, direct);
            prop_assert!(explained > last, "more clusters explain more");
            last = explained;
        }
    }

    #[test]
    fn coarser_clusters_come_from_finer_ones_by_their_parents(
        seed in any::<u64>(), count in 2usize..40,
    ) {
        // Few distinct coordinates, so that many pairs cost the same.
        let values: Vec<f32> =
            (0..2 * count).map(|i| (hash(seed ^ hash(i as u64)) % 4) as f32).collect();
        let weights: Vec<u64> = (0..count).map(|i| 1 + hash(!seed ^ i as u64) % 3).collect();
        let points = Points::new(&values, 2).unwrap();
        let hierarchy = ward(points, &weights, Job::default()).unwrap();
        let finest = hierarchy.nested(count).unwrap();
        prop_assert!(finest.parents.iter().enumerate().skip(1).all(|(i, &p)| (p as usize) < i));
        for level in 1..count {
            let nested = hierarchy.nested(level).unwrap();
            prop_assert_eq!(&nested.parents[..], &finest.parents[..level]);
            for (&fine, &coarse) in finest.labels.iter().zip(&nested.labels) {
                let mut label = fine;
                while label as usize >= level {
                    label = finest.parents[label as usize];
                }
                prop_assert_eq!(label, coarse);
            }
        }
    }
}

#[test]
fn ward_explains_nearly_as_much_as_k_means() {
    // 600 points around 20 centres in five dimensions.
    let number = |i: u64| (hash(i) >> 40) as f32 / (1u64 << 24) as f32;
    let centre = |point: u64, x: u64| 4.0 * number(1_000_000 + (point % 20) * 5 + x);
    let values: Vec<f32> = (0..3000).map(|i| centre(i / 5, i % 5) + number(i)).collect();
    let weights: Vec<u64> = (0..600).map(|i| 4 + hash(i) % 20).collect();
    let points = Points::new(&values, 5).unwrap();
    let hierarchy = ward(points, &weights, Job::default()).unwrap();
    let one = within(&values, 5, &weights, &[0; 600]);
    for clusters in [2, 8, 20, 60] {
        let kmeans = KMeans { restarts: 5, ..KMeans::new(clusters) };
        let fit = kmeans.fit(points, &weights, Job::default()).unwrap();
        let best = 1.0 - within(&values, 5, &weights, &fit.labels) / one;
        let explained = hierarchy.explained(clusters);
        assert!(explained > best - 0.05, "{clusters} clusters: {explained} and {best}");
        assert!(explained < best + 0.02, "{clusters} clusters: {explained} and {best}");
    }
}

#[test]
fn points_that_cannot_be_merged_are_refused() {
    let points = Points::new(&[1.0, 2.0], 1).unwrap();
    let job = Job::default();
    assert_eq!(ward(points, &[1, 0], job).unwrap_err(), ClusterError::ZeroWeight(1));
    let weights = ClusterError::Weights { points: 2, weights: 1 };
    assert_eq!(ward(points, &[1], job).unwrap_err(), weights);
    assert_eq!(ward(points, &[1, u64::MAX], job).unwrap_err(), ClusterError::TooMuchWeight);
    let hierarchy = ward(points, &[1, 1], job).unwrap();
    assert_eq!(hierarchy.nested(0).unwrap_err(), ClusterError::NoClusters);
    let few = ClusterError::TooFewPoints { clusters: 3, distinct: 2 };
    assert_eq!(hierarchy.nested(3).unwrap_err(), few);
}
