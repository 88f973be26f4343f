//! Bounded against plain Lloyd iterations, and against linfa, on 100,000 cumulative histograms.

#[path = "../tests/common/mod.rs"]
mod common;

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use lethe_cluster::{Distance, KMeans, Points, assign, optimal_intervals};
use lethe_compute::Job;
use linfa::DatasetBase;
use linfa::traits::Fit;
use linfa_clustering::KMeans as LinfaKMeans;
use ndarray::Array2;
use rand_xoshiro::Xoshiro256Plus;
use rand_xoshiro::rand_core::SeedableRng;

const CLUSTERS: usize = 500;
const ITERATIONS: usize = 20;

fn kmeans(criterion: &mut Criterion) {
    let cloud = common::cumulative_histograms(100_000, 10, 1000, 1);
    let points = Points::new(&cloud.values, 10).expect("points are valid");
    let mut group = criterion.benchmark_group("kmeans 100k x 10, k = 500, 20 iterations");
    group.sample_size(10).measurement_time(Duration::from_secs(10));
    let base = KMeans { max_iterations: ITERATIONS, ..KMeans::new(CLUSTERS) };
    let fit = |settings: &KMeans| {
        settings.fit(points, &cloud.weights, Job::default()).expect("input is valid")
    };

    let seeding = KMeans { max_iterations: 0, ..base.clone() };
    group.bench_function("seeding only", |bench| bench.iter(|| fit(black_box(&seeding))));
    group.bench_function("bounded L2", |bench| bench.iter(|| fit(black_box(&base))));
    let plain = KMeans { exhaustive: true, ..base.clone() };
    group.bench_function("plain L2", |bench| bench.iter(|| fit(black_box(&plain))));
    let l1 = KMeans { distance: Distance::L1, ..base.clone() };
    group.bench_function("bounded L1", |bench| bench.iter(|| fit(black_box(&l1))));

    let labelled = fit(&base);
    let centroids = Points::new(&labelled.centroids, 10).expect("centroids are valid");
    group.bench_function("assign", |bench| {
        bench.iter(|| assign(points, black_box(centroids), Distance::SquaredL2, Job::default()));
    });

    let rows = Array2::from_shape_vec((100_000, 10), cloud.values.clone());
    let dataset = DatasetBase::from(rows.expect("rows are whole"));
    group.bench_function("linfa, unweighted", |bench| {
        bench.iter(|| {
            // It reports an error when it stops at the limit on iterations, having done the work.
            let rng = Xoshiro256Plus::seed_from_u64(1);
            let params = LinfaKMeans::params_with_rng(CLUSTERS, rng).n_runs(1);
            params.max_n_iterations(ITERATIONS as u64).tolerance(1e-7).fit(black_box(&dataset))
        });
    });
    group.finish();
}

fn line(criterion: &mut Criterion) {
    let values: Vec<i64> = (0..1950).collect();
    let weights: Vec<u64> = (0..1950u64).map(|i| 1 + i * i % 104_729).collect();
    criterion.bench_function("optimal intervals, 1950 values, k = 500", |bench| {
        bench.iter(|| optimal_intervals(black_box(&values), &weights, CLUSTERS, Job::default()));
    });
}

criterion_group!(benches, kmeans, line);
criterion_main!(benches);
