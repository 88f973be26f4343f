//! Our answers beside those of other crates.

mod common;

use lethe_cluster::{Distance, KMeans, Points, optimal_intervals};
use lethe_compute::Job;
use linfa::DatasetBase;
use linfa::traits::Fit;
use linfa_clustering::KMeans as LinfaKMeans;
use ndarray::Array2;
use rand_xoshiro::Xoshiro256Plus;
use rand_xoshiro::rand_core::SeedableRng;

/// The sum of squared distances to the nearest centroid, in `f64`.
fn inertia(values: &[f32], centroids: &[f64], dim: usize) -> f64 {
    let square = |row: &[f32], centroid: &[f64]| {
        row.iter().zip(centroid).map(|(&x, c)| (f64::from(x) - c).powi(2)).sum::<f64>()
    };
    let least = |row| centroids.chunks(dim).map(|c| square(row, c)).fold(f64::INFINITY, f64::min);
    values.chunks(dim).map(least).sum()
}

#[test]
fn inertia_is_no_worse_than_linfas_from_as_many_starts() {
    let (dim, starts) = (10, 4);
    let mut ratios = Vec::new();
    for seed in 0..3 {
        let cloud = common::cumulative_histograms(3_000, dim, 4, seed);
        let repeated = cloud.repeated();
        let rows = Array2::from_shape_vec(
            (repeated.len() / dim, dim),
            repeated.iter().map(|&x| f64::from(x)).collect(),
        );
        let dataset = DatasetBase::from(rows.expect("rows are whole"));
        let theirs = LinfaKMeans::params_with_rng(40, Xoshiro256Plus::seed_from_u64(seed))
            .n_runs(starts)
            .max_n_iterations(300)
            .tolerance(1e-7)
            .fit(&dataset)
            .expect("linfa converges");
        let theirs: Vec<f64> = theirs.centroids().iter().copied().collect();

        let points = Points::new(&cloud.values, dim).expect("points are valid");
        let ours = KMeans { restarts: starts, seed, ..KMeans::new(40) };
        let ours = ours.fit(points, &cloud.weights, Job::default()).expect("input is valid");
        ratios.push(ours.inertia / inertia(&repeated, &theirs, dim));
    }
    assert!(ratios.iter().all(|&ratio| ratio <= 1.01), "{ratios:?}");
}

#[test]
fn the_line_is_cut_as_ckmeans_cuts_it() {
    let mut dice = common::Dice(11);
    for (n, k) in [(50, 5), (200, 20), (400, 100), (300, 250)] {
        let mut values = Vec::new();
        let mut weights = Vec::new();
        let mut value = 0;
        for _ in 0..n {
            value += 1 + dice.below(30) as i64;
            values.push(value);
            weights.push(1 + dice.below(4));
        }
        let pairs = || values.iter().zip(&weights);
        let repeated: Vec<f64> =
            pairs().flat_map(|(&x, &w)| std::iter::repeat_n(x as f64, w as usize)).collect();
        let theirs = ckmeans::ckmeans(&repeated, k as u8).expect("ckmeans accepts the values");
        let square = |group: &Vec<f64>| {
            let mean = group.iter().sum::<f64>() / group.len() as f64;
            group.iter().map(|x| (x - mean).powi(2)).sum::<f64>()
        };
        let theirs: f64 = theirs.iter().map(square).sum();
        let ours = optimal_intervals(&values, &weights, k, Job::default())
            .expect("input is valid")
            .inertia;
        assert!((ours - theirs).abs() <= 1e-9 * theirs, "n {n}, k {k}: {ours} and {theirs}");
    }
}

#[test]
fn kmeans_on_a_line_never_beats_the_optimum() {
    let mut dice = common::Dice(5);
    let mut values: Vec<i64> = (0..500).map(|_| dice.below(100_000) as i64).collect();
    values.sort_unstable();
    values.dedup();
    let weights: Vec<u64> = values.iter().map(|_| 1 + dice.below(50)).collect();
    let best =
        optimal_intervals(&values, &weights, 25, Job::default()).expect("input is valid").inertia;
    let floats: Vec<f32> = values.iter().map(|&x| x as f32).collect();
    let points = Points::new(&floats, 1).expect("points are valid");
    let settings = KMeans { restarts: 10, ..KMeans::new(25) };
    let found = settings.fit(points, &weights, Job::default()).expect("input is valid").inertia;
    assert!(found >= best * (1.0 - 1e-6) && found <= best * 1.05, "{found} and {best}");
}

#[test]
fn the_l1_distance_of_cumulative_histograms_is_the_earth_movers() {
    let cloud = common::cumulative_histograms(200, 10, 2, 3);
    let histogram = |row: &[f32]| -> Vec<u32> {
        (0..row.len()).map(|j| (row[j] - if j == 0 { 0.0 } else { row[j - 1] }) as u32).collect()
    };
    let rows: Vec<&[f32]> = cloud.values.chunks(10).collect();
    for pair in rows.windows(2) {
        let (a, b) = (histogram(pair[0]), histogram(pair[1]));
        let float = |h: &[u32]| h.iter().map(|&count| count as f32).collect::<Vec<_>>();
        let ours = Distance::L1.between(pair[0], pair[1]);
        assert_eq!(ours, wass::wasserstein_1d(&float(&a), &float(&b)));
    }
}
