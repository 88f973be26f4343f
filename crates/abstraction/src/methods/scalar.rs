//! One number for each situation: expected hand strength, or the mean of its square.

use lethe_cards::vs_random::equity_scale;
use lethe_cards::{CanonicalBoard, Deck, RIVER_SCALE, River, Situation, Street};
use lethe_cluster::{Intervals, LineError, equal_mass_intervals, optimal_intervals};
use rayon::prelude::*;

use super::{Context, Fit, StreetMethod, number_by_equity};
use crate::equities::each_row;
use crate::error::BuildError;
use crate::features::{LEVELS, squared_equities, squared_scale};
use crate::method::{Split, Strength};
use crate::quality::{QualitySums, asymmetric_slots};
use crate::report::BuiltStreet;
use crate::table::Stored;
use crate::table::Table;

/// Buckets by one number, cut at percentiles or by the globally optimal k-means.
pub(crate) struct Scalar {
    pub(crate) feature: Strength,
    pub(crate) split: Split,
}

impl Scalar {
    /// By equity itself, cut where the squared distances are least: the histogram method's river.
    pub(crate) const EQUITY: Scalar = Scalar { feature: Strength::Ehs, split: Split::Kmeans };

    /// Cuts ascending values with their weights, zeros left out, into so many buckets; the label of
    /// each value, and how it went, distances in units of `scale`.
    fn cut(
        &self,
        street: Street,
        values: impl Iterator<Item = (i64, u64)>,
        buckets: usize,
        scale: f64,
    ) -> Result<(Vec<u32>, Fit), BuildError> {
        let all: Vec<(i64, u64)> = values.collect();
        let (used, weights): (Vec<i64>, Vec<u64>) = all.iter().filter(|v| v.1 > 0).copied().unzip();
        if buckets > used.len() {
            let distinct = used.len();
            return Err(BuildError::TooManyBuckets { street, wanted: buckets, distinct });
        }
        let failed = |source: LineError| BuildError::Line { street, source };
        let cut: Intervals = match self.split {
            Split::Kmeans => optimal_intervals(&used, &weights, buckets),
            Split::Percentile => equal_mass_intervals(&used, &weights, buckets),
        }
        .map_err(failed)?;
        let mut next = cut.labels().into_iter();
        let label = |&(_, weight): &(i64, u64)| match weight {
            0 => 0,
            _ => next.next().expect("a label for every value"),
        };
        let fit = Fit {
            distinct: used.len(),
            iterations: 0,
            converged: true,
            inertia: cut.inertia / (scale * scale),
            fitted_on: None,
            centroids: Vec::new(),
            histogram_mass: None,
        };
        Ok((all.iter().map(label).collect(), fit))
    }

    /// The number of every slot of the flop or the turn, and the value that stands for one.
    fn values(&self, street: Street, cx: &Context<'_>) -> Result<(Vec<u32>, u64), BuildError> {
        let equities = cx.equities.of(street).expect("the flop or the turn");
        if self.feature == Strength::Ehs {
            return Ok((equities.to_vec(), equity_scale(street).into()));
        }
        let mut values = vec![0u32; Situation::slots(street)];
        let phase = format!("{street} squared equities");
        each_row(street, &phase, &mut values, cx.job, |board, row| {
            squared_equities(board.set(), row);
        })?;
        Ok((values, squared_scale(street)))
    }

    fn river(&self, buckets: usize, cx: &Context<'_>) -> Result<BuiltStreet, BuildError> {
        let street = Street::River;
        let census = river_census(cx)?;
        let value = |q: usize| match self.feature {
            Strength::Ehs => q as i64,
            Strength::Ehs2 => (q * q) as i64,
        };
        let values = census.iter().enumerate().map(|(q, &weight)| (value(q), weight));
        let scale = value(RIVER_SCALE as usize) as f64;
        let (labels, fit) = self.cut(street, values, buckets, scale)?;
        let mut sums = QualitySums::new(buckets);
        for ((q, &weight), &label) in census.iter().enumerate().zip(&labels) {
            sums.add(label, q as u32, weight);
        }
        let mut table = vec![0u16; Situation::slots(street)];
        each_row(street, "river buckets", &mut table, cx.job, |board, row| {
            let buckets = River::new(board.set()).equities(0, |q| labels[q as usize] as u16);
            buckets.for_each_hole(&board.deck(), row, |entry, bucket| *entry = bucket);
        })?;
        let table = Table::U16(table);
        let asymmetric = asymmetric_slots(street, table.view());
        Ok(BuiltStreet {
            report: fit.report(street, &sums, asymmetric),
            stored: Stored::Dense(table),
        })
    }
}

/// How many raw deals have each equity `q` on the river.
fn river_census(cx: &Context<'_>) -> Result<Vec<u64>, BuildError> {
    let street = Street::River;
    cx.job.begin("river equities", CanonicalBoard::count(street) as u64);
    let zero = || vec![0u64; RIVER_SCALE as usize + 1];
    (0..CanonicalBoard::count(street))
        .into_par_iter()
        .try_fold(zero, |mut census, index| {
            if cx.job.cancelled() {
                return Err(BuildError::Cancelled);
            }
            let board = CanonicalBoard::from_index(street, index).expect("in range");
            let weight = u64::from(board.multiplicity());
            River::new(board.set())
                .count_equities(|q, holes| census[q as usize] += weight * u64::from(holes));
            cx.job.advance(1);
            Ok(census)
        })
        .try_reduce(zero, |mut a, b| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
            Ok(a)
        })
}

impl StreetMethod for Scalar {
    fn build(
        &self,
        street: Street,
        buckets: usize,
        cx: &Context<'_>,
    ) -> Result<BuiltStreet, BuildError> {
        if street == Street::River {
            return self.river(buckets, cx);
        }
        let (mut levels, scale) = self.values(street, cx)?;
        levels.par_iter_mut().for_each(|v| *v = (u64::from(*v) * LEVELS / scale) as u32);
        let mut weights = vec![0u64; LEVELS as usize + 1];
        let rows = levels.chunks_exact(Deck::row_len(street));
        for (board, row) in CanonicalBoard::all(street).zip(rows) {
            let weight = u64::from(board.multiplicity());
            row.iter().for_each(|&level| weights[level as usize] += weight);
        }
        cx.job.begin(&format!("{street} optimal split"), 1);
        let values = weights.iter().enumerate().map(|(level, &weight)| (level as i64, weight));
        let (labels, fit) = self.cut(street, values, buckets, LEVELS as f64)?;
        cx.job.advance(1);
        Ok(number_by_equity(street, &levels, &labels, buckets, fit, cx))
    }
}
