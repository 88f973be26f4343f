//! What every clustering must satisfy, whatever the points.

mod common;

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use lethe_cluster::{
    ClusterError, Clustering, Distance, KMeans, Points, PointsError, assign, optimal_intervals,
};
use lethe_compute::{Cancelled, Job, Pool, Progress};
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
    assert_eq!(
        assign(points, centroids, distance, Job::default()).expect("shapes fit"),
        fit.labels
    );
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
        let fit = settings.fit(points, &weights, Job::default()).expect("there are enough points");
        check(&fit, points, &weights, distance);
        let plain = KMeans { exhaustive: true, ..settings.clone() };
        prop_assert_eq!(&plain.fit(points, &weights, Job::default()).expect("as above"), &fit);

        let too_many = KMeans { clusters: most + 1, ..settings };
        let error = ClusterError::TooFewPoints { clusters: most + 1, distinct: most };
        prop_assert_eq!(too_many.fit(points, &weights, Job::default()), Err(error));
    }

    #[test]
    fn inertia_never_rises(
        (dim, values, weights) in clouds(),
        distance in distances(),
        clusters in 1usize..10,
        seed in any::<u64>(),
    ) {
        prop_assume!(distinct(&values, &weights, dim) >= clusters);
        let points = Points::new(&values, dim).expect("points are valid");
        let fit = |max_iterations| {
            let settings = KMeans { distance, seed, max_iterations, ..KMeans::new(clusters) };
            settings.fit(points, &weights, Job::default()).expect("there are enough points")
        };
        let whole = fit(300);
        let mut before = f64::INFINITY;
        for iterations in 0..=whole.iterations {
            let part = fit(iterations);
            prop_assert_eq!(part.iterations, iterations);
            prop_assert!(part.inertia <= before * (1.0 + 1e-5) + 1e-9, "{}", part.inertia);
            before = part.inertia;
        }
        prop_assert_eq!(before, whole.inertia);
    }
}

/// Whole numbers: all sums are exact, so even the random choices must coincide.
#[test]
fn weights_mean_the_same_as_repetition() {
    let mut dice = common::Dice(11);
    let (mut tried, mut same) = (0, 0);
    while tried < 300 {
        let (dim, n) = (1 + dice.below(5) as usize, 1 + dice.below(120) as usize);
        let values: Vec<f32> = (0..n * dim).map(|_| dice.below(13) as f32 - 6.0).collect();
        let weights: Vec<u64> = (0..n).map(|_| dice.below(5)).collect();
        let clusters = 1 + dice.below(7) as usize;
        if distinct(&values, &weights, dim) < clusters {
            continue;
        }
        tried += 1;
        let distance = if tried % 2 == 0 { Distance::L1 } else { Distance::SquaredL2 };
        let cloud = common::Cloud { values, weights, dim };
        let repeated = cloud.repeated();
        let fit = |values: &[f32], weights: &[u64], max_iterations| {
            let settings =
                KMeans { distance, max_iterations, seed: tried, ..KMeans::new(clusters) };
            let points = Points::new(values, dim).expect("points are valid");
            settings.fit(points, weights, Job::default()).expect("there are enough points")
        };
        let ones = vec![1; repeated.len() / dim];
        let close = |a: &Clustering, b: &Clustering| {
            a.centroids == b.centroids && (a.inertia - b.inertia).abs() <= 1e-9 * a.inertia
        };
        assert!(close(&fit(&cloud.values, &cloud.weights, 0), &fit(&repeated, &ones, 0)));
        let whole = [fit(&cloud.values, &cloud.weights, 300), fit(&repeated, &ones, 300)];
        same += u32::from(close(&whole[0], &whole[1]));
    }
    // A repaired cluster goes to the heaviest error, and copies share theirs; repairs are rare.
    assert!(same >= 290, "{same} of {tried}");
}

#[test]
fn large_clouds_keep_all_promises() {
    for (n, bins, clusters) in [(20_000, 10, 150), (3_000, 50, 40)] {
        let cloud = common::cumulative_histograms(n, bins, 1000, 5);
        let points = Points::new(&cloud.values, bins).expect("points are valid");
        for distance in [Distance::SquaredL2, Distance::L1] {
            for max_iterations in [3, 300] {
                let settings = KMeans { distance, max_iterations, ..KMeans::new(clusters) };
                let fit = settings
                    .fit(points, &cloud.weights, Job::default())
                    .expect("there are enough points");
                check(&fit, points, &cloud.weights, distance);
                let plain = KMeans { exhaustive: true, ..settings };
                assert_eq!(plain.fit(points, &cloud.weights, Job::default()).as_ref(), Ok(&fit));
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
                    let pool = Pool::new(threads).expect("threads can be started");
                    settings.fit(points, &cloud.weights, Job::new(&pool)).expect("input is valid")
                })
                .collect();
            for fit in &fits[1..] {
                assert_eq!(fit, &fits[0]);
                let bits = |fit: &Clustering| -> Vec<u32> {
                    fit.centroids.iter().map(|x| x.to_bits()).collect()
                };
                assert_eq!(bits(fit), bits(&fits[0]));
                assert_eq!(fit.inertia.to_bits(), fits[0].inertia.to_bits());
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
        settings.fit(points, &cloud.weights, Job::default()).expect("input is valid")
    };
    let best: Vec<_> = (1..=6).map(|restarts| fit(restarts, 0)).collect();
    assert!(best.windows(2).all(|pair| pair[1].inertia <= pair[0].inertia));
    assert!((0..8).any(|seed| fit(3, seed).restart > 0), "the first start cannot always be best");
    let one = KMeans { restarts: 5, ..KMeans::new(1) }.fit(points, &cloud.weights, Job::default());
    assert_eq!(one.expect("input is valid").restart, 0);
}

#[test]
fn medians_are_lower_and_means_are_weighted() {
    let points = Points::new(&[0.0, 1.0, 2.0, 9.0], 1).expect("points are valid");
    let centre = |distance, weights: &[u64]| {
        let settings = KMeans { distance, ..KMeans::new(1) };
        settings.fit(points, weights, Job::default()).expect("input is valid").centroids[0]
    };
    assert_eq!(centre(Distance::L1, &[1, 1, 1, 1]), 1.0);
    assert_eq!(centre(Distance::L1, &[1, 1, 1, 4]), 9.0);
    assert_eq!(centre(Distance::SquaredL2, &[1, 1, 1, 1]), 3.0);
    assert_eq!(centre(Distance::SquaredL2, &[0, 1, 0, 3]), 7.0);
}

#[test]
fn bad_input_is_refused_with_a_reason() {
    let three = Points::new(&[0.0, 1.0, 1.0], 1).expect("points are valid");
    let fit = |clusters, weights: &[u64]| {
        KMeans::new(clusters).fit(three, weights, Job::default()).map(|_| ())
    };
    assert_eq!(fit(0, &[1, 1, 1]), Err(ClusterError::NoClusters));
    assert_eq!(fit(2, &[1, 1]), Err(ClusterError::Weights { points: 3, weights: 2 }));
    assert_eq!(fit(2, &[0, 0, 0]), Err(ClusterError::NoWeight));
    assert_eq!(fit(2, &[u64::MAX, 1, 1]), Err(ClusterError::TooMuchWeight));
    let few = ClusterError::TooFewPoints { clusters: 3, distinct: 2 };
    assert_eq!(fit(3, &[1, 1, 1]), Err(few.clone()));
    assert_eq!(
        few.to_string(),
        "3 clusters were asked for, but only 2 distinct points have weight; ask for at most 2"
    );
    let none = Points::new(&[], 1).expect("no points are valid points");
    assert_eq!(KMeans::new(1).fit(none, &[], Job::default()), Err(ClusterError::NoWeight));
    assert_eq!(assign(three, none, Distance::L1, Job::default()), Err(ClusterError::NoCentroids));

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
            match settings.fit(points, &weights, Job::default()) {
                Ok(fit) => check(&fit, points, &weights, distance),
                // Squares of such differences are zero: the points are one to this distance.
                Err(error) => {
                    assert_eq!(distance, Distance::SquaredL2);
                    assert!(matches!(error, ClusterError::TooFewPoints { .. }), "{error}");
                }
            }
        }
    }
}

/// Cancels at some poll; counts polls and units.
#[derive(Default)]
struct CancelAt {
    limit: Option<u64>,
    polls: AtomicU64,
    units: AtomicU64,
}

impl Progress for CancelAt {
    fn begin(&self, _: &str, _: u64) {}
    fn advance(&self, units: u64) {
        self.units.fetch_add(units, Relaxed);
    }
    fn cancelled(&self) -> bool {
        let polls = self.polls.fetch_add(1, Relaxed);
        self.limit.is_some_and(|limit| polls >= limit)
    }
}

/// Runs `work` whole, and again with a cancellation at each of ten moments; checks that there are at
/// least `least` polls in all, and few after the cancellation.
fn check_cancelling<E: std::fmt::Debug + PartialEq>(
    least: u64,
    few: u64,
    cancelled: &E,
    work: impl Fn(Job<'_>) -> Result<(), E>,
) {
    let whole = CancelAt::default();
    work(Job::default().watched_by(&whole)).expect("the input is valid");
    let (polls, units) = (whole.polls.into_inner(), whole.units.into_inner());
    assert!(polls >= least, "{polls} polls");
    for tenth in 0..10 {
        let limit = polls * tenth / 10;
        let part = CancelAt { limit: Some(limit), ..CancelAt::default() };
        assert_eq!(work(Job::default().watched_by(&part)).as_ref(), Err(cancelled));
        let after = part.polls.into_inner() - limit;
        assert!(after <= few, "{after} polls after the cancellation");
        assert!(part.units.into_inner() <= units);
    }
}

#[test]
fn every_phase_can_be_cancelled() {
    let cloud = common::cumulative_histograms(20_000, 10, 50, 2);
    let points = Points::new(&cloud.values, 10).expect("points are valid");
    let fit =
        |settings: &KMeans, job: Job<'_>| settings.fit(points, &cloud.weights, job).map(|_| ());
    let cancelled = ClusterError::Cancelled(Cancelled);
    // Seeding: at least once for each seed. Skipped chunks of 4,096 points poll once each.
    let seeding = KMeans { max_iterations: 0, ..KMeans::new(60) };
    check_cancelling(60, 10, &cancelled, |job| fit(&seeding, job));
    // Iterations: once for each run of each cluster.
    for distance in [Distance::SquaredL2, Distance::L1] {
        let lloyd = KMeans { distance, max_iterations: 5, ..KMeans::new(60) };
        check_cancelling(5 * 60, 200, &cancelled, |job| fit(&lloyd, job));
    }
    let centroids = Points::new(&cloud.values[..600], 10).expect("points are valid");
    let cancelled = ClusterError::Cancelled(Cancelled);
    check_cancelling(19, 30, &cancelled, |job| {
        assign(points, centroids, Distance::SquaredL2, job).map(|_| ())
    });
    let values: Vec<i64> = (0..20_000).map(|i| i * i).collect();
    let cancelled = ClusterError::Cancelled(Cancelled);
    check_cancelling(40, 20, &cancelled, |job| {
        optimal_intervals(&values, &vec![1; values.len()], 20, job).map(|_| ())
    });
}
