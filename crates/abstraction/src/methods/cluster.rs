//! Clustering distinct features by k-means, on a sample of them where they are too many.

use lethe_cluster::{Distance, Points, assign, sample};

use super::Context;
use crate::error::BuildError;

/// Above this many distinct features, or slots, centroids are fitted on a sample.
pub(super) const FIT_LIMIT: usize = 4_000_000;

/// Clusters of features.
pub(super) struct Clusters {
    /// The cluster of each feature.
    pub(super) labels: Vec<u32>,
    /// The centroids, row after row.
    pub(super) centroids: Vec<f32>,
    pub(super) iterations: usize,
    pub(super) converged: bool,
    /// The weighted sum of the distances of all features to their centroids.
    pub(super) inertia: f64,
    /// How many features the centroids were fitted on, if not on all.
    pub(super) fitted_on: Option<u64>,
}

/// Clusters features; each on its own if there are as many clusters.
pub(super) fn cluster(
    points: Points<'_>,
    weights: &[u64],
    clusters: usize,
    distance: Distance,
    cx: &Context<'_>,
) -> Result<Clusters, BuildError> {
    let (street, job) = (cx.street(), cx.job);
    job.begin(&format!("{street} clustering"), cx.kmeans.iterations());
    if clusters == points.len() {
        return Ok(Clusters {
            labels: (0..clusters as u32).collect(),
            centroids: points.values().to_vec(),
            iterations: 0,
            converged: true,
            inertia: 0.0,
            fitted_on: None,
        });
    }
    let kmeans = cx.kmeans.kmeans(clusters, distance);
    let failed = |error| BuildError::kmeans(street, error);
    if points.len() <= FIT_LIMIT {
        let fit = kmeans.fit(points, weights, job).map_err(failed)?;
        return Ok(Clusters {
            labels: fit.labels,
            centroids: fit.centroids,
            iterations: fit.iterations,
            converged: fit.converged,
            inertia: fit.inertia,
            fitted_on: None,
        });
    }
    let chosen = sample(weights, FIT_LIMIT, cx.kmeans.seed);
    let rows = chosen.indices.iter().flat_map(|&i| points.row(i as usize));
    let rows: Vec<f32> = rows.copied().collect();
    let fitted = Points::new(&rows, points.dim()).expect("rows of points");
    let fit = kmeans.fit(fitted, &chosen.weights, job).map_err(failed)?;
    let centroids = Points::new(&fit.centroids, points.dim()).expect("centroids are points");
    let labels = assign(points, centroids, distance, job);
    let labels = labels.map_err(|error| BuildError::assign(street, error))?;
    // Summed in a fixed order.
    let terms = labels.iter().zip(weights).enumerate().map(|(i, (&label, &weight))| {
        weight as f64 * f64::from(distance.between(points.row(i), fit.centroid(label as usize)))
    });
    Ok(Clusters {
        inertia: terms.sum(),
        labels,
        iterations: fit.iterations,
        converged: fit.converged,
        centroids: fit.centroids,
        fitted_on: Some(chosen.indices.len() as u64),
    })
}
