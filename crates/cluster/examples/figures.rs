//! Prints the figures quoted in `docs/kmeans.md`.
//!
//! `figures` measures; `figures FILE` writes the points of the comparison of inertias to a file, as
//! rows of little-endian `f32`: ten coordinates and the weight.

#![allow(clippy::print_stdout)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Instant;

use lethe_cluster::{Distance, KMeans, Points, assign, optimal_intervals};
use lethe_compute::Job;
use linfa::DatasetBase;
use linfa::traits::Fit;
use linfa_clustering::KMeans as LinfaKMeans;
use ndarray::Array2;
use rand_xoshiro::Xoshiro256Plus;
use rand_xoshiro::rand_core::SeedableRng;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    if let Some(path) = std::env::args().nth(1) {
        let cloud = comparison();
        let rows = cloud.values.chunks(cloud.dim).zip(&cloud.weights);
        let floats = rows.flat_map(|(row, &weight)| row.iter().copied().chain([weight as f32]));
        return Ok(std::fs::write(path, floats.flat_map(f32::to_le_bytes).collect::<Vec<_>>())?);
    }
    for (n, bins) in [(140_000, 10), (300_000, 50)] {
        let cloud = common::cumulative_histograms(n, bins, 100_000, 1);
        let points = Points::new(&cloud.values, bins)?;
        println!("{n} points of {bins} coordinates, 500 clusters");
        for distance in [Distance::SquaredL2, Distance::L1] {
            let settings = KMeans { distance, ..KMeans::new(500) };
            let start = Instant::now();
            KMeans { max_iterations: 0, ..settings.clone() }.fit(
                points,
                &cloud.weights,
                Job::default(),
            )?;
            let seeding = start.elapsed();
            let start = Instant::now();
            let fit = settings.fit(points, &cloud.weights, Job::default())?;
            let bounded = start.elapsed();
            println!(
                "  {distance:?}: {bounded:.2?} in all, seeding {seeding:.2?}, {} iterations, \
                 inertia {:.5e}",
                fit.iterations, fit.inertia
            );
            if bins == 10 {
                let start = Instant::now();
                KMeans { exhaustive: true, ..settings }.fit(
                    points,
                    &cloud.weights,
                    Job::default(),
                )?;
                println!("    without bounds: {:.2?}", start.elapsed());
            }
            let start = Instant::now();
            assign(points, Points::new(&fit.centroids, bins)?, distance, Job::default())?;
            println!("    assign: {:.2?}", start.elapsed());
        }
    }
    for (n, k) in [(1_950, 500), (100_000, 500)] {
        let values: Vec<i64> = (0..n).collect();
        let weights: Vec<u64> = (0..n as u64).map(|i| 1 + i * i % 104_729).collect();
        let start = Instant::now();
        optimal_intervals(&values, &weights, k, Job::default())?;
        println!("optimal intervals, {n} values, {k} intervals: {:.2?}", start.elapsed());
    }
    compare()
}

/// The points on which inertias are compared.
fn comparison() -> common::Cloud {
    common::cumulative_histograms(20_000, 10, 8, 2)
}

/// One start each of ours and of linfa, for ten seeds.
fn compare() -> Result<(), Box<dyn std::error::Error>> {
    let cloud = comparison();
    let points = Points::new(&cloud.values, cloud.dim)?;
    let repeated = cloud.repeated();
    let count = repeated.len() / cloud.dim;
    let dataset = DatasetBase::from(Array2::from_shape_vec((count, cloud.dim), repeated)?);
    println!("20,000 points of 10 coordinates ({count} with weights), 100 clusters, 10 starts");
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for seed in 0..10 {
        ours.push(
            KMeans { seed, ..KMeans::new(100) }
                .fit(points, &cloud.weights, Job::default())?
                .inertia,
        );
        let rng = Xoshiro256Plus::seed_from_u64(seed);
        let params = LinfaKMeans::params_with_rng(100, rng).n_runs(1).max_n_iterations(300);
        let fit = params.tolerance(1e-5).fit(&dataset)?;
        let centroids: Vec<f32> = fit.centroids().iter().copied().collect();
        let centroids = Points::new(&centroids, cloud.dim)?;
        let labels = assign(points, centroids, Distance::SquaredL2, Job::default())?;
        let square = |(i, &label): (usize, &u32)| {
            let row = centroids.row(label as usize);
            cloud.weights[i] as f64 * f64::from(Distance::SquaredL2.between(points.row(i), row))
        };
        theirs.push(labels.iter().enumerate().map(square).sum::<f64>());
    }
    let mean = |inertias: &[f64]| inertias.iter().sum::<f64>() / inertias.len() as f64;
    let least = |inertias: &[f64]| inertias.iter().copied().fold(f64::INFINITY, f64::min);
    for (name, inertias) in [("ours", &ours), ("linfa", &theirs)] {
        println!("  {name}: mean {:.5e}, least {:.5e}", mean(inertias), least(inertias));
    }
    let ratio = (mean(&ours) / mean(&theirs), least(&ours) / least(&theirs));
    println!("  ratio of means {:.4}, of leasts {:.4}", ratio.0, ratio.1);
    Ok(())
}
