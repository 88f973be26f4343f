//! Histograms of the equities that can follow, clustered by their distance.

use lethe_cards::vs_random::equity_scale;
use lethe_cards::{CanonicalBoard, Street};
use lethe_cluster::{self as cluster, Points};
use rayon::prelude::*;

use super::cluster::cluster;
use super::{Context, Fit, number_by_equity};
use crate::distinct::Distinct;
use crate::error::BuildError;
use crate::features::{bin, river_histograms, turn_histograms};
use crate::method::{Distance, Horizon};
use crate::report::BuiltStreet;

/// Buckets by the histogram of equities on the next street or on the river.
///
/// The features are integer counts; the points that k-means sees are their cumulative sums, as
/// shares of all the cards that can follow. The last sum is always one and is left out.
pub(super) struct Histogram {
    pub(super) bins: usize,
    pub(super) distance: Distance,
    pub(super) horizon: Horizon,
}

impl Histogram {
    /// Builds the flop or the turn.
    pub(super) fn build(
        &self,
        buckets: usize,
        cx: &Context<'_>,
    ) -> Result<BuiltStreet, BuildError> {
        let distinct = self.distinct(cx)?;
        let buckets = cx.buckets(buckets, distinct.len())?;
        let mass = self.mass(&distinct);
        let values = self.points(&distinct);
        let distance = match self.distance {
            Distance::CdfL2 => cluster::Distance::SquaredL2,
            Distance::Emd => cluster::Distance::L1,
        };
        let points = Points::new(&values, self.bins - 1).expect("counts are finite, rows whole");
        let (labels, fit) = cluster(points, &distinct.weights, buckets, distance, cx)?;
        let share = 1.0 / mass[1] as f32;
        let shares = |row: &Vec<f32>| row.iter().map(|sum| sum * share).chain([1.0]).collect();
        let unit = f64::from(share).powi(if self.distance == Distance::CdfL2 { 2 } else { 1 });
        let fit = Fit {
            inertia: fit.inertia * unit,
            centroids: fit.centroids.iter().map(shares).collect(),
            histogram_mass: Some(mass),
            ..fit
        };
        number_by_equity(&distinct.ids, &labels, buckets, fit, cx)
    }

    /// The distinct histograms of the boards.
    fn distinct(&self, cx: &Context<'_>) -> Result<Distinct, BuildError> {
        let (bins, dim, street) = (self.bins, self.bins + 1, cx.street());
        let phase = format!("{street} histograms");
        if street == Street::Flop && self.horizon == Horizon::Next {
            let scale = equity_scale(Street::Turn);
            let turns = cx.domain.boards(Street::Turn).expect("the turn has boards");
            let turn_bins: Vec<u8> = cx
                .domain
                .equities()
                .turn
                .par_iter()
                .map(|&equity| bin(equity, scale, bins) as u8)
                .collect();
            let bins_of = |turn: CanonicalBoard| {
                let position = turns.position(turn).expect("a turn of a flop of the domain");
                turns.row(&turn_bins, position)
            };
            return Ok(Distinct::of(cx.boards, dim, &phase, cx.job, |board, counts| {
                turn_histograms(board.set(), bins, bins_of, counts);
            })?);
        }
        Ok(Distinct::of(cx.boards, dim, &phase, cx.job, |board, counts| {
            river_histograms(board.set(), bins, counts);
        })?)
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
        let sums = distinct
            .features
            .par_chunks_exact(distinct.dim)
            .flat_map_iter(|counts| cluster::cumulative(&counts[..self.bins - 1]));
        sums.collect()
    }
}
