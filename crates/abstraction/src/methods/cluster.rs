//! Clustering distinct features by k-means, on a sample of them where they are too many.

use lethe_cluster::{Distance, Points, assign, sample};

use super::{Context, Fit};
use crate::error::BuildError;

/// Above this many distinct features, or slots, centroids are fitted on a sample.
pub(super) const FIT_LIMIT: usize = 4_000_000;

/// Clusters features: the label of each, and how it went. As many clusters as features are each on
/// their own.
pub(super) fn cluster(
    points: Points<'_>,
    weights: &[u64],
    clusters: usize,
    distance: Distance,
    cx: &Context<'_>,
) -> Result<(Vec<u32>, Fit), BuildError> {
    let (street, job) = (cx.street(), cx.job);
    let rows = |values: &[f32]| values.chunks_exact(points.dim()).map(<[f32]>::to_vec).collect();
    job.begin(&format!("{street} clustering"), cx.kmeans.iterations());
    if clusters == points.len() {
        let fit = Fit { centroids: rows(points.values()), ..Fit::exact(clusters, 0.0) };
        return Ok(((0..clusters as u32).collect(), fit));
    }
    let kmeans = cx.kmeans.kmeans(clusters, distance);
    let failed = |error| BuildError::cluster(street, error);
    if points.len() <= FIT_LIMIT {
        let found = kmeans.fit(points, weights, job).map_err(failed)?;
        let fit = Fit { centroids: rows(&found.centroids), ..Fit::of(&found, points.len()) };
        return Ok((found.labels, fit));
    }
    let chosen = sample(weights, FIT_LIMIT, cx.kmeans.seed);
    let values = chosen.indices.iter().flat_map(|&i| points.row(i as usize));
    let values: Vec<f32> = values.copied().collect();
    let fitted = Points::new(&values, points.dim()).expect("rows of points");
    let found = kmeans.fit(fitted, &chosen.weights, job).map_err(failed)?;
    let centroids = Points::new(&found.centroids, points.dim()).expect("centroids are points");
    let labels = assign(points, centroids, distance, job).map_err(failed)?;
    // Summed in a fixed order.
    let terms = labels.iter().zip(weights).enumerate().map(|(i, (&label, &weight))| {
        weight as f64 * f64::from(distance.between(points.row(i), found.centroid(label as usize)))
    });
    let fit = Fit {
        inertia: terms.sum(),
        fitted_on: Some(chosen.indices.len() as u64),
        centroids: rows(&found.centroids),
        ..Fit::of(&found, points.len())
    };
    Ok((labels, fit))
}
