//! Cutting a line: errors, invariants, and larger inputs.

use lethe_cluster::{ClusterError, equal_mass_intervals, optimal_intervals};
use lethe_compute::Job;
use proptest::prelude::*;

fn lines() -> impl Strategy<Value = (Vec<i64>, Vec<u64>)> {
    prop::collection::btree_map(-1000i64..1000, 1u64..1000, 1..150)
        .prop_map(|map| map.into_iter().unzip())
}

proptest! {
    #[test]
    fn more_intervals_never_cost_more((values, weights) in lines()) {
        let mut last = f64::INFINITY;
        for k in 1..=values.len() {
            let cut = optimal_intervals(&values, &weights, k, Job::default()).expect("input is valid");
            prop_assert_eq!(cut.weights.len(), k);
            prop_assert_eq!(cut.weights.iter().sum::<u64>(), weights.iter().sum::<u64>());
            prop_assert!(cut.inertia <= last);
            last = cut.inertia;
        }
        prop_assert_eq!(last, 0.0);
    }

    #[test]
    fn no_shift_of_one_border_improves_the_optimum((values, weights) in lines(), share in 0.0..1.0) {
        let k = 1 + (share * (values.len() - 1) as f64) as usize;
        let cut = optimal_intervals(&values, &weights, k, Job::default()).expect("input is valid");
        // Each value lies nearest to the centroid of its own interval.
        for (index, label) in cut.labels().into_iter().enumerate() {
            let way = |c: usize| (values[index] as f64 - cut.centroids[c]).abs();
            let own = way(label as usize);
            prop_assert!((0..k).all(|c| own <= way(c) * (1.0 + 1e-12)));
        }
    }

    #[test]
    fn equal_mass_never_leaves_an_interval_empty((values, weights) in lines(), share in 0.0..1.0) {
        let k = 1 + (share * (values.len() - 1) as f64) as usize;
        let cut = equal_mass_intervals(&values, &weights, k).expect("input is valid");
        prop_assert_eq!(cut.weights.len(), k);
        prop_assert!(cut.bounds.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert_eq!(cut.bounds[k], values.len());
        prop_assert_eq!(cut.labels().len(), values.len());
    }

    #[test]
    fn light_values_make_intervals_of_nearly_equal_mass(k in 1usize..40) {
        let values: Vec<i64> = (0..10_000).collect();
        let weights: Vec<u64> = (0..10_000).map(|i| 1 + i * 7919 % 10).collect();
        let cut = equal_mass_intervals(&values, &weights, k).expect("input is valid");
        let ideal = weights.iter().sum::<u64>() as f64 / k as f64;
        prop_assert!(cut.weights.iter().all(|&weight| (weight as f64 - ideal).abs() <= 11.0));
    }
}

#[test]
fn costs_are_exact_far_from_the_origin() {
    let far = 4_000_000_000_000_000_000i64;
    let near = optimal_intervals(&[0, 1, 2, 7, 8], &[3, 1, 4, 1, 5], 2, Job::default())
        .expect("input is valid");
    let values = [far, far + 1, far + 2, far + 7, far + 8];
    let cut =
        optimal_intervals(&values, &[3, 1, 4, 1, 5], 2, Job::default()).expect("input is valid");
    assert_eq!((cut.bounds, cut.inertia), (near.bounds, near.inertia));
}

#[test]
fn as_many_intervals_as_values_cost_nothing() {
    let values: Vec<i64> = (0..1950).map(|i| i * i).collect();
    let cut = optimal_intervals(&values, &vec![1_000_000; 1950], 1950, Job::default())
        .expect("input is valid");
    assert_eq!(cut.inertia, 0.0);
    assert!(cut.labels().into_iter().eq(0..1950));
}

#[test]
fn bad_lines_are_refused_with_a_reason() {
    for optimal in [true, false] {
        let fails = |values: &[i64], weights: &[u64], k| match optimal {
            true => optimal_intervals(values, weights, k, Job::default()).err(),
            false => equal_mass_intervals(values, weights, k).err(),
        };
        assert_eq!(fails(&[1, 2], &[1, 1], 0), Some(ClusterError::NoClusters));
        let few = ClusterError::TooFewPoints { clusters: 3, distinct: 2 };
        assert_eq!(fails(&[1, 2], &[1, 1], 3), Some(few));
        assert_eq!(
            fails(&[], &[], 1),
            Some(ClusterError::TooFewPoints { clusters: 1, distinct: 0 })
        );
        assert_eq!(fails(&[1], &[1, 1], 1), Some(ClusterError::Weights { points: 1, weights: 2 }));
        assert_eq!(fails(&[2, 2], &[1, 1], 1), Some(ClusterError::NotAscending(1)));
        assert_eq!(fails(&[1, 2], &[1, 0], 1), Some(ClusterError::ZeroWeight(1)));
        assert_eq!(fails(&[i64::MIN, i64::MAX], &[1, 1], 1), Some(ClusterError::TooLarge));
        assert_eq!(fails(&[0, 1], &[u64::MAX, 1], 1), Some(ClusterError::TooLarge));
    }
}
