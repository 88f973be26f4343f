//! The adjusted Rand index and weighted samples.

use lethe_cluster::{Contingency, sample};
use proptest::prelude::*;

/// The index from its definition: count pairs one by one.
fn by_pairs(left: &[u32], right: &[u32]) -> f64 {
    let (mut both, mut a, mut b, mut all) = (0.0, 0.0, 0.0, 0.0);
    for i in 0..left.len() {
        for j in 0..i {
            let (same_left, same_right) = (left[i] == left[j], right[i] == right[j]);
            both += f64::from(same_left && same_right);
            a += f64::from(same_left);
            b += f64::from(same_right);
            all += 1.0;
        }
    }
    let expected = a * b / all;
    (both - expected) / ((a + b) / 2.0 - expected)
}

fn index(left: &[u32], right: &[u32], weights: &[u64]) -> f64 {
    let mut table = Contingency::new(10, 10);
    for ((&left, &right), &weight) in left.iter().zip(right).zip(weights) {
        table.add(left, right, weight);
    }
    table.adjusted_rand_index()
}

#[test]
fn known_values_come_out() {
    let index = |left: &[u32], right: &[u32]| index(left, right, &vec![1; left.len()]);
    // The examples in scikit-learn's documentation of adjusted_rand_score.
    assert_eq!(index(&[0, 0, 1, 1], &[1, 1, 0, 0]), 1.0);
    assert!((index(&[0, 0, 1, 2], &[0, 0, 1, 1]) - 0.571_428_571_428_571_4).abs() < 1e-15);
    assert_eq!(index(&[0, 0, 0, 0], &[0, 1, 2, 3]), 0.0);
    assert!((index(&[0, 0, 1, 1], &[0, 1, 0, 1]) + 0.5).abs() < 1e-15);
    assert_eq!(index(&[0, 0, 0], &[4, 4, 4]), 1.0);
    assert_eq!(index(&[0, 1, 2], &[2, 0, 1]), 1.0);
    assert_eq!(index(&[], &[]), 1.0);
}

#[test]
fn large_weights_do_not_overflow() {
    let weights = [1_000_000_000_000; 4];
    let index = index(&[0, 0, 1, 1], &[0, 0, 1, 2], &weights);
    // The limit for equal weights: (3 - 4 x 3 / 8) / (3.5 - 4 x 3 / 8).
    assert!((index - 0.75).abs() < 1e-9, "{index}");
}

proptest! {
    #[test]
    fn weights_count_as_repetitions(
        things in prop::collection::vec((0u32..4, 0u32..5, 1u64..4), 2..40),
    ) {
        let left: Vec<u32> = things.iter().map(|thing| thing.0).collect();
        let right: Vec<u32> = things.iter().map(|thing| thing.1).collect();
        let weights: Vec<u64> = things.iter().map(|thing| thing.2).collect();
        let repeat = |labels: &[u32]| -> Vec<u32> {
            let pairs = labels.iter().zip(&weights);
            pairs.flat_map(|(&label, &w)| std::iter::repeat_n(label, w as usize)).collect()
        };
        let expected = by_pairs(&repeat(&left), &repeat(&right));
        prop_assume!(expected.is_finite());
        prop_assert!((index(&left, &right, &weights) - expected).abs() < 1e-12);

        // A table too large to be dense, made in two parts.
        let mut sparse = Contingency::new(1 << 20, 1 << 20);
        let mut rest = sparse.clone();
        for (i, &(left, right, weight)) in things.iter().enumerate() {
            let part = if i % 2 == 0 { &mut sparse } else { &mut rest };
            part.add(left * 1000, right * 1000, weight);
        }
        sparse.merge(&rest);
        prop_assert!((sparse.adjusted_rand_index() - expected).abs() < 1e-12);
    }

    #[test]
    fn samples_have_distinct_points_of_positive_weight(
        weights in prop::collection::vec(0u64..100, 0..300),
        size in 0usize..300,
        seed in any::<u64>(),
    ) {
        let drawn = sample(&weights, size, seed);
        let positive = weights.iter().filter(|&&weight| weight > 0).count();
        prop_assert_eq!(drawn.indices.len(), size.min(positive));
        prop_assert!(drawn.indices.is_sorted_by(|a, b| a < b));
        for (&index, &weight) in drawn.indices.iter().zip(&drawn.weights) {
            prop_assert!(weights[index as usize] > 0 && weight >= weights[index as usize]);
        }
        prop_assert_eq!(drawn, sample(&weights, size, seed));
    }
}

#[test]
fn samples_stand_for_the_whole_without_bias() {
    let weights: Vec<u64> = (0..2_000).map(|i| 1 + i * i % 977).collect();
    let total: u64 = weights.iter().sum();
    let odd: u64 = weights.iter().skip(1).step_by(2).sum();
    let (mut sampled_total, mut sampled_odd) = (0, 0);
    for seed in 0..200 {
        let drawn = sample(&weights, 300, seed);
        for (index, weight) in drawn.indices.iter().zip(&drawn.weights) {
            sampled_total += weight;
            sampled_odd += if index % 2 == 1 { *weight } else { 0 };
        }
    }
    let ratio = |sampled: u64, whole: u64| sampled as f64 / (200 * whole) as f64;
    assert!((ratio(sampled_total, total) - 1.0).abs() < 0.01);
    assert!((ratio(sampled_odd, odd) - 1.0).abs() < 0.01);
}
