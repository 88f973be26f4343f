//! One number for each situation: expected hand strength, or the mean of its square.

use lethe_cards::vs_random::equity_scale;
use lethe_cards::{RIVER_SCALE, River, Street};
use lethe_cluster::{equal_mass_intervals, optimal_intervals};
use rayon::prelude::*;

use super::{Context, Fit, number_by_equity};
use crate::error::BuildError;
use crate::features::{LEVELS, squared_equities, squared_scale};
use crate::method::{Split, Strength};
use crate::quality::QualitySums;
use crate::report::BuiltStreet;
use crate::table::Table;

/// Buckets by one number, cut at percentiles or by the globally optimal k-means.
pub(super) struct Scalar {
    pub(super) feature: Strength,
    pub(super) split: Split,
}

impl Scalar {
    /// By equity itself, cut where the squared distances are least: the histogram method's river.
    pub(super) const EQUITY: Scalar = Scalar { feature: Strength::Ehs, split: Split::Kmeans };

    /// Builds any street.
    pub(super) fn build(
        &self,
        buckets: usize,
        cx: &Context<'_>,
    ) -> Result<BuiltStreet, BuildError> {
        let street = cx.street();
        if street == Street::River {
            return self.river(buckets, cx);
        }
        let (mut levels, scale) = self.values(cx)?;
        levels.par_iter_mut().for_each(|v| *v = (u64::from(*v) * LEVELS / scale) as u32);
        let mut weights = vec![0u64; LEVELS as usize + 1];
        for (row, (_, weight)) in levels.chunks_exact(cx.boards.row_len()).zip(cx.boards.iter()) {
            row.iter().for_each(|&level| weights[level as usize] += weight);
        }
        cx.job.begin(&format!("{street} split"), 1);
        let values = weights.iter().enumerate().map(|(level, &weight)| (level as i64, weight));
        let cut = self.cut(values, buckets, LEVELS as f64, cx)?;
        cx.job.advance(1);
        number_by_equity(&levels, &cut.labels, cut.buckets, cut.fit, cx)
    }

    /// Cuts ascending values with their weights into buckets; values without weight are left out.
    /// Distances are in units of `scale`.
    fn cut(
        &self,
        values: impl Iterator<Item = (i64, u64)>,
        buckets: usize,
        scale: f64,
        cx: &Context<'_>,
    ) -> Result<Cut, BuildError> {
        let all: Vec<(i64, u64)> = values.collect();
        let (used, weights): (Vec<i64>, Vec<u64>) = all.iter().filter(|v| v.1 > 0).copied().unzip();
        let buckets = cx.buckets(buckets, used.len())?;
        let intervals = match self.split {
            Split::Kmeans => optimal_intervals(&used, &weights, buckets, cx.job),
            Split::Percentile => equal_mass_intervals(&used, &weights, buckets),
        }
        .map_err(|error| BuildError::cluster(cx.street(), error))?;
        let mut next = intervals.labels().into_iter();
        let label = |&(_, weight): &(i64, u64)| match weight {
            0 => 0,
            _ => next.next().expect("a label for every value"),
        };
        let labels = all.iter().map(label).collect();
        let fit = Fit::exact(used.len(), intervals.inertia / (scale * scale));
        Ok(Cut { labels, buckets, fit })
    }

    /// The number of every slot of the flop or the turn, and the value that stands for one.
    fn values(&self, cx: &Context<'_>) -> Result<(Vec<u32>, u64), BuildError> {
        let street = cx.street();
        if self.feature == Strength::Ehs {
            let equities = cx.domain.equities().of(street).expect("the flop or the turn");
            return Ok((equities.to_vec(), equity_scale(street).into()));
        }
        let mut values = vec![0u32; cx.boards.slots()];
        let phase = format!("{street} squared equities");
        cx.boards.fill(&phase, &mut values, cx.job, |_, board, row| {
            squared_equities(board.set(), row);
        })?;
        Ok((values, squared_scale(street.board_len())))
    }

    fn river(&self, buckets: usize, cx: &Context<'_>) -> Result<BuiltStreet, BuildError> {
        let census = river_census(cx)?;
        let value = |q: usize| match self.feature {
            Strength::Ehs => q as i64,
            Strength::Ehs2 => (q * q) as i64,
        };
        let values = census.iter().enumerate().map(|(q, &weight)| (value(q), weight));
        let scale = value(RIVER_SCALE as usize) as f64;
        let Cut { labels, buckets, fit } = self.cut(values, buckets, scale, cx)?;
        let mut sums = QualitySums::new(buckets);
        for ((q, &weight), &label) in census.iter().enumerate().zip(&labels) {
            sums.add(label, q as u32, weight);
        }
        let mut table = vec![0u16; cx.boards.slots()];
        cx.boards.fill("river buckets", &mut table, cx.job, |_, board, row| {
            let buckets = River::new(board.set()).equities(0, |q| labels[q as usize] as u16);
            buckets.for_each_hole(&board.deck(), row, |entry, bucket| *entry = bucket);
        })?;
        fit.finish(Table::U16(table), &sums, cx)
    }
}

/// Values in buckets.
struct Cut {
    /// The bucket of each value.
    labels: Vec<u32>,
    buckets: usize,
    fit: Fit,
}

/// The weight of the deals that have each equity `q` on the river.
fn river_census(cx: &Context<'_>) -> Result<Vec<u64>, BuildError> {
    let add = |census: &mut Vec<u64>, position: usize| {
        let weight = cx.boards.weight(position);
        River::new(cx.boards.board(position).set())
            .count_equities(|q, holes| census[q as usize] += weight * u64::from(holes));
    };
    let merge = |mut a: Vec<u64>, b: Vec<u64>| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        a
    };
    let zero = || vec![0u64; RIVER_SCALE as usize + 1];
    Ok(cx.boards.sum("river equities", cx.job, zero, add, merge)?)
}
