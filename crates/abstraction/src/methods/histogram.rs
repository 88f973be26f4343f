//! Histograms of the equities that can follow, clustered by their distance.

use std::ops::ControlFlow;

use lethe_cards::vs_random::equity_scale;
use lethe_cards::{CanonicalBoard, Deck, Street};
use lethe_cluster::{self as cluster, Points, assign, sample};
use rayon::prelude::*;

use super::{Context, Fit, StreetMethod, number_by_equity};
use crate::distinct::Distinct;
use crate::error::BuildError;
use crate::features::{bin, river_histograms, turn_histograms};
use crate::method::{Distance, Horizon};
use crate::report::BuiltStreet;

/// Above so many distinct histograms the centroids are fitted on a sample of them.
const FIT_LIMIT: usize = 4_000_000;

/// Buckets by the histogram of equities on the next street or on the river.
///
/// The features are integer counts; the points that k-means sees are their cumulative sums, as
/// shares of all the cards that can follow. The last sum is always one and is left out.
pub(crate) struct Histogram {
    pub(crate) bins: usize,
    pub(crate) distance: Distance,
    pub(crate) horizon: Horizon,
}

impl Histogram {
    /// The distinct histograms of a street.
    fn distinct(&self, street: Street, cx: &Context<'_>) -> Result<Distinct, BuildError> {
        let (bins, dim) = (self.bins, self.bins + 1);
        let phase = format!("{street} histograms");
        if street == Street::Flop && self.horizon == Horizon::Next {
            let scale = equity_scale(Street::Turn);
            let turn_bins: Vec<u8> =
                cx.equities.turn.par_iter().map(|&q| bin(q, scale, bins) as u8).collect();
            let turn_len = Deck::row_len(Street::Turn);
            let bins_of = |turn: CanonicalBoard| &turn_bins[turn.index() * turn_len..][..turn_len];
            return Distinct::of(street, dim, &phase, cx.job, |board, counts| {
                turn_histograms(board.set(), bins, bins_of, counts);
            });
        }
        Distinct::of(street, dim, &phase, cx.job, |board, counts| {
            river_histograms(board.set(), bins, counts);
        })
    }

    /// The least and the greatest number of cards in any histogram.
    fn mass(&self, distinct: &Distinct) -> [u64; 2] {
        let masses = distinct
            .features
            .chunks_exact(distinct.dim)
            .map(|counts| counts[..self.bins].iter().map(|&n| u64::from(n)).sum::<u64>());
        masses.fold([u64::MAX, 0], |[least, most], mass| [least.min(mass), most.max(mass)])
    }

    /// The cumulative counts of every distinct histogram, all but the last.
    fn points(&self, distinct: &Distinct) -> Vec<f32> {
        let sums = distinct.features.par_chunks_exact(distinct.dim).flat_map_iter(|counts| {
            counts[..self.bins - 1].iter().scan(0u32, |sum, &n| {
                *sum += u32::from(n);
                Some(*sum as f32)
            })
        });
        sums.collect()
    }
}

impl StreetMethod for Histogram {
    fn build(
        &self,
        street: Street,
        buckets: usize,
        cx: &Context<'_>,
    ) -> Result<BuiltStreet, BuildError> {
        let distinct = self.distinct(street, cx)?;
        if buckets > distinct.len() {
            let distinct = distinct.len();
            return Err(BuildError::TooManyBuckets { street, wanted: buckets, distinct });
        }
        let mass = self.mass(&distinct);
        let values = self.points(&distinct);
        let dim = self.bins - 1;
        let distance = match self.distance {
            Distance::CdfL2 => cluster::Distance::SquaredL2,
            Distance::Emd => cluster::Distance::L1,
        };
        let kmeans = cx.plan.kmeans().kmeans(buckets, distance);
        let iterations = cx.plan.kmeans().iterations();
        cx.job.begin(&format!("{street} clustering"), iterations);
        let watch = |_: cluster::Progress| {
            cx.job.advance(1);
            if cx.job.cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let points = Points::new(&values, dim).expect("counts are finite, rows whole");
        let failed = |error| BuildError::kmeans(street, error);
        let (fit, labels, fitted_on) = if distinct.len() <= FIT_LIMIT {
            let mut fit = kmeans.fit_watched(points, &distinct.weights, &watch).map_err(failed)?;
            let labels = std::mem::take(&mut fit.labels);
            (fit, labels, None)
        } else {
            let chosen = sample(&distinct.weights, FIT_LIMIT, cx.plan.kmeans().seed);
            let rows = chosen.indices.iter().flat_map(|&i| points.row(i as usize));
            let rows: Vec<f32> = rows.copied().collect();
            let fitted = Points::new(&rows, dim).expect("rows of points");
            let fit = kmeans.fit_watched(fitted, &chosen.weights, &watch).map_err(failed)?;
            let centroids = Points::new(&fit.centroids, dim).expect("centroids are points");
            let labels = assign(points, centroids, distance).expect("of the same dimension");
            (fit, labels, Some(chosen.indices.len() as u64))
        };
        let share = 1.0 / mass[1] as f32;
        let shares = |row: &[f32]| row.iter().map(|sum| sum * share).chain([1.0]).collect();
        let inertia = match fitted_on {
            None => fit.inertia,
            Some(_) => inertia(points, &distinct.weights, &labels, &fit, distance),
        };
        let unit = f64::from(share).powi(if self.distance == Distance::CdfL2 { 2 } else { 1 });
        let summary = Fit {
            distinct: distinct.len(),
            iterations: fit.iterations,
            converged: fit.converged,
            inertia: inertia * unit,
            fitted_on,
            centroids: fit.centroids.chunks_exact(dim).map(shares).collect(),
            histogram_mass: Some(mass),
        };
        Ok(number_by_equity(street, &distinct.ids, &labels, buckets, summary, cx))
    }
}

/// The inertia of points about the centroids they are assigned to, summed in a fixed order.
fn inertia(
    points: Points<'_>,
    weights: &[u64],
    labels: &[u32],
    fit: &cluster::Clustering,
    distance: cluster::Distance,
) -> f64 {
    let terms = labels.iter().zip(weights).enumerate().map(|(i, (&label, &weight))| {
        weight as f64 * f64::from(distance.between(points.row(i), fit.centroid(label as usize)))
    });
    terms.sum()
}
