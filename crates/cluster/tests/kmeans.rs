//! What every clustering must satisfy, whatever the points.

mod common;

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Mutex;

use lethe_cluster::{
    AssignError, Clustering, Distance, KMeans, KMeansError, Points, PointsError, assign,
};
use proptest::prelude::*;

/// The nearest centroid found by measuring all, the lowest of equally near ones.
fn nearest(x: &[f32], centroids: &[f32], distance: Distance) -> (f32, u32) {
    let mut best = (f32::INFINITY, 0);
    for (id, centroid) in (0..).zip(centroids.chunks_exact(x.len())) {
        let found = distance.between(x, centroid);
        if found < best.0 {
            best = (found, id);
        }
    }
    best
}

/// Checks all that a clustering promises.
fn check(fit: &Clustering, points: Points<'_>, weights: &[u64], distance: Distance) {
    let mut inertia = 0.0;
    let mut cluster_weights = vec![0; fit.clusters()];
    for (i, &weight) in weights.iter().enumerate() {
        let (sum, id) = nearest(points.row(i), &fit.centroids, distance);
        assert_eq!(fit.labels[i], id, "point {i}");
        inertia += weight as f64 * f64::from(sum);
        cluster_weights[id as usize] += weight;
    }
    assert_eq!(fit.weights, cluster_weights);
    assert!(fit.weights.iter().all(|&weight| weight > 0), "a cluster is empty");
    assert!((fit.inertia - inertia).abs() <= 1e-9 * inertia, "{} {inertia}", fit.inertia);
    let centroids = Points::new(&fit.centroids, points.dim()).expect("centroids are valid points");
    assert_eq!(assign(points, centroids, distance).expect("shapes fit"), fit.labels);
}

fn distances() -> impl Strategy<Value = Distance> {
    prop_oneof![Just(Distance::SquaredL2), Just(Distance::L1)]
}

/// Small integer points with many ties, or fractions without.
fn clouds() -> impl Strategy<Value = (usize, Vec<f32>, Vec<u64>)> {
    (1usize..6, 1usize..120, any::<bool>()).prop_flat_map(|(dim, n, whole)| {
        let value =
            if whole { (-6i32..7).prop_map(|x| x as f32).boxed() } else { (-3.0f32..3.0).boxed() };
        let values = prop::collection::vec(value, n * dim);
        (Just(dim), values, prop::collection::vec(0u64..5, n))
    })
}

fn distinct(values: &[f32], weights: &[u64], dim: usize) -> usize {
    let rows = values.chunks_exact(dim).zip(weights).filter(|(_, weight)| **weight > 0);
    let bits = rows.map(|(row, _)| row.iter().map(|x| (x + 0.0).to_bits()).collect::<Vec<_>>());
    bits.collect::<HashSet<_>>().len()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn labels_are_nearest_and_no_cluster_is_empty(
        (dim, values, weights) in clouds(),
        distance in distances(),
        share in 0.0f64..1.0,
        max_iterations in 0usize..30,
        seed in any::<u64>(),
    ) {
        let points = Points::new(&values, dim).expect("points are valid");
        let most = distinct(&values, &weights, dim);
        prop_assume!(most > 0);
        let clusters = 1 + (share * most as f64) as usize;
        let settings = KMeans { distance, max_iterations, seed, ..KMeans::new(clusters.min(most)) };
        let fit = settings.fit(points, &weights).expect("there are enough points");
        check(&fit, points, &weights, distance);
        let plain = KMeans { exhaustive: true, ..settings.clone() };
        prop_assert_eq!(&plain.fit(points, &weights).expect("as above"), &fit);

        let too_many = KMeans { clusters: most + 1, ..settings };
        let error = KMeansError::TooFewPoints { clusters: most + 1, distinct: most };
        prop_assert_eq!(too_many.fit(points, &weights), Err(error));
    }

    #[test]
    fn weights_mean_the_same_as_repetition(
        (dim, values, weights) in clouds(),
        distance in distances(),
        clusters in 1usize..8,
        seed in any::<u64>(),
    ) {
        // Whole numbers: all sums are exact, so even the random choices must coincide.
        let values: Vec<f32> = values.iter().map(|x| x.round()).collect();
        prop_assume!(distinct(&values, &weights, dim) >= clusters);
        let cloud = common::Cloud { values, weights, dim };
        let repeated = cloud.repeated();
        for max_iterations in [0, 300] {
            let settings = KMeans { distance, seed, max_iterations, ..KMeans::new(clusters) };
            let points = Points::new(&cloud.values, dim).expect("points are valid");
            let fit = settings.fit(points, &cloud.weights).expect("there are enough points");
            let points = Points::new(&repeated, dim).expect("points are valid");
            let ones = vec![1; points.len()];
            let other = settings.fit(points, &ones).expect("there are enough points");
            // A repaired cluster goes to the heaviest error, and copies share theirs.
            if max_iterations == 0 || fit.weights == other.weights {
                prop_assert_eq!(&fit.centroids, &other.centroids);
                prop_assert!((fit.inertia - other.inertia).abs() <= 1e-9 * fit.inertia);
            }
        }
    }

    #[test]
    fn inertia_never_rises(
        (dim, values, weights) in clouds(),
        distance in distances(),
        clusters in 1usize..10,
        seed in any::<u64>(),
    ) {
        prop_assume!(distinct(&values, &weights, dim) >= clusters);
        let history = Mutex::new(Vec::new());
        let points = Points::new(&values, dim).expect("points are valid");
        let fit = KMeans { distance, seed, ..KMeans::new(clusters) }
            .fit_watched(points, &weights, &|progress| {
                history.lock().expect("no panics").push(progress.inertia);
                ControlFlow::Continue(())
            })
            .expect("there are enough points");
        let history = history.into_inner().expect("no panics");
        prop_assert_eq!(history.len(), fit.iterations);
        prop_assert_eq!(*history.last().expect("at least one iteration"), fit.inertia);
        for pair in history.windows(2) {
            prop_assert!(pair[1] <= pair[0] * (1.0 + 1e-5) + 1e-9, "{:?}", history);
        }
    }
}

#[test]
fn large_clouds_keep_all_promises() {
    for (n, bins, clusters) in [(20_000, 10, 150), (3_000, 50, 40)] {
        let cloud = common::cumulative_histograms(n, bins, 1000, 5);
        let points = Points::new(&cloud.values, bins).expect("points are valid");
        for distance in [Distance::SquaredL2, Distance::L1] {
            for max_iterations in [3, 300] {
                let settings = KMeans { distance, max_iterations, ..KMeans::new(clusters) };
                let fit = settings.fit(points, &cloud.weights).expect("there are enough points");
                check(&fit, points, &cloud.weights, distance);
                let plain = KMeans { exhaustive: true, ..settings };
                assert_eq!(plain.fit(points, &cloud.weights).as_ref(), Ok(&fit));
            }
        }
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let cloud = common::cumulative_histograms(30_000, 10, 100_000, 9);
    let points = Points::new(&cloud.values, 10).expect("points are valid");
    // Thirds, so that sums are rounded and their order would show.
    let values: Vec<f32> = points.values().iter().map(|x| x / 3.0).collect();
    let points = Points::new(&values, 10).expect("points are valid");
    for distance in [Distance::SquaredL2, Distance::L1] {
        for clusters in [3, 64] {
            let settings = KMeans { distance, restarts: 2, seed: 3, ..KMeans::new(clusters) };
            let fits: Vec<Clustering> = [1, 2, 3, 8]
                .iter()
                .map(|&threads| {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                    let pool = pool.expect("threads can be started");
                    pool.install(|| settings.fit(points, &cloud.weights)).expect("input is valid")
                })
                .collect();
            for fit in &fits[1..] {
                assert_eq!(fit, &fits[0]);
                let bits = |fit: &Clustering| {
                    (fit.inertia.to_bits(), fit.centroids.iter().map(|x| x.to_bits()).sum::<u32>())
                };
                assert_eq!(bits(fit), bits(&fits[0]));
            }
        }
    }
}

#[test]
fn restarts_keep_the_best_and_the_earliest_of_equals() {
    let cloud = common::cumulative_histograms(2_000, 10, 50, 1);
    let points = Points::new(&cloud.values, 10).expect("points are valid");
    let fit = |restarts, seed| {
        let settings = KMeans { restarts, seed, ..KMeans::new(20) };
        settings.fit(points, &cloud.weights).expect("input is valid")
    };
    let best: Vec<_> = (1..=6).map(|restarts| fit(restarts, 0)).collect();
    assert!(best.windows(2).all(|pair| pair[1].inertia <= pair[0].inertia));
    assert!((0..8).any(|seed| fit(3, seed).restart > 0), "the first start cannot always be best");
    let one = KMeans { restarts: 5, ..KMeans::new(1) }.fit(points, &cloud.weights);
    assert_eq!(one.expect("input is valid").restart, 0);
}

#[test]
fn medians_are_lower_and_means_are_weighted() {
    let points = Points::new(&[0.0, 1.0, 2.0, 9.0], 1).expect("points are valid");
    let centre = |distance, weights: &[u64]| {
        let settings = KMeans { distance, ..KMeans::new(1) };
        settings.fit(points, weights).expect("input is valid").centroids[0]
    };
    assert_eq!(centre(Distance::L1, &[1, 1, 1, 1]), 1.0);
    assert_eq!(centre(Distance::L1, &[1, 1, 1, 4]), 9.0);
    assert_eq!(centre(Distance::SquaredL2, &[1, 1, 1, 1]), 3.0);
    assert_eq!(centre(Distance::SquaredL2, &[0, 1, 0, 3]), 7.0);
}

#[test]
fn bad_input_is_refused_with_a_reason() {
    let three = Points::new(&[0.0, 1.0, 1.0], 1).expect("points are valid");
    let fit = |clusters, weights: &[u64]| KMeans::new(clusters).fit(three, weights).map(|_| ());
    assert_eq!(fit(0, &[1, 1, 1]), Err(KMeansError::NoClusters));
    assert_eq!(fit(2, &[1, 1]), Err(KMeansError::Weights { points: 3, weights: 2 }));
    assert_eq!(fit(2, &[0, 0, 0]), Err(KMeansError::NoWeight));
    assert_eq!(fit(2, &[u64::MAX, 1, 1]), Err(KMeansError::TooMuchWeight));
    let few = KMeansError::TooFewPoints { clusters: 3, distinct: 2 };
    assert_eq!(fit(3, &[1, 1, 1]), Err(few.clone()));
    assert_eq!(
        few.to_string(),
        "3 clusters were asked for, but only 2 distinct points have weight; ask for at most 2"
    );
    let none = Points::new(&[], 1).expect("no points are valid points");
    assert_eq!(KMeans::new(1).fit(none, &[]), Err(KMeansError::NoWeight));
    assert_eq!(assign(three, none, Distance::L1), Err(AssignError::NoCentroids));

    assert_eq!(Points::new(&[1.0], 0).err(), Some(PointsError::ZeroDimension));
    assert_eq!(Points::new(&[1.0], 2).err(), Some(PointsError::Ragged { len: 1, dim: 2 }));
    for value in [f32::INFINITY, -1e16] {
        let error = PointsError::BadCoordinate { point: 1, coordinate: 0, value };
        assert_eq!(Points::new(&[0.0, 0.0, value, 0.0], 2).err(), Some(error));
    }
    assert!(Points::new(&[f32::NAN], 1).is_err());
}

#[test]
fn extreme_coordinates_neither_overflow_nor_hang() {
    for scale in [1e15f32, 1e-15, 1e-30, f32::MIN_POSITIVE] {
        let values: Vec<f32> = (0..60).map(|i| (i % 20) as f32 / 20.0 * scale).collect();
        let points = Points::new(&values, 3).expect("points are valid");
        let weights = vec![1; 20];
        for distance in [Distance::SquaredL2, Distance::L1] {
            let settings = KMeans { distance, ..KMeans::new(5) };
            match settings.fit(points, &weights) {
                Ok(fit) => check(&fit, points, &weights, distance),
                // Squares of such differences are zero: the points are one to this distance.
                Err(error) => {
                    assert_eq!(distance, Distance::SquaredL2);
                    assert!(matches!(error, KMeansError::TooFewPoints { .. }), "{error}");
                }
            }
        }
    }
}

#[test]
fn a_watcher_can_cancel() {
    let cloud = common::cumulative_histograms(2_000, 10, 50, 2);
    let points = Points::new(&cloud.values, 10).expect("points are valid");
    let result = KMeans::new(30).fit_watched(points, &cloud.weights, &|progress| {
        if progress.iteration == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(result, Err(KMeansError::Cancelled));
}
