//! The texture method: clusters of boards that look alike, and inside each, buckets by equity.
//!
//! Boards are clustered by k-means on their [features](features), weighted by the raw boards they
//! stand for. A bucket's number is `cluster * buckets + rank`, where the rank orders the hands of
//! the cluster by equity. There are two variants:
//!
//! * [`complete`], from every hole of every board with its exact equity: nothing is missing;
//! * [`sampled`], the older design: from a few representative boards with Monte Carlo equities, any
//!   hole not seen there falling back to the median bucket. Its figures are measured with exact
//!   equities over all deals, so that the two can be compared.

mod boards;
mod complete;
mod describe;
mod features;
mod sampled;
mod split;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use crate::boards::BoardSet;
use crate::error::BuildError;
use crate::method::Sampling;
use crate::methods::{Context, Fit};
use crate::quality::QualitySums;
use crate::report::BuiltStreet;
use crate::table::Stored;

use boards::BoardClusters;
use features::Texture;

/// How many of a set's boards look different: the most clusters that the texture method can make.
pub fn distinct_textures(boards: &BoardSet) -> usize {
    let bits = |set| Texture::of(set).features().map(f32::to_bits);
    boards.iter().map(|(board, _)| bits(board.set())).collect::<HashSet<_>>().len()
}

/// The result of bucketing the hands of each cluster.
struct Bucketed {
    stored: Stored,
    /// Over all deals, by their exact equity.
    sums: QualitySums,
    /// Equities that differ, counted in each cluster.
    distinct: usize,
    asymmetric_slots: u64,
    /// The share of deals that fall back.
    fallback: f64,
}

/// Builds `clusters` clusters of boards and `buckets` buckets in each.
///
/// In the report, `distinct` counts the different equities in each cluster that buckets were made
/// of, while iterations, convergence and inertia are those of the k-means of boards. A cluster with
/// fewer different equities than buckets leaves its last ones empty.
pub(crate) fn build(
    clusters: usize,
    sampled: Option<Sampling>,
    buckets: usize,
    cx: &Context<'_>,
) -> Result<BuiltStreet, BuildError> {
    let boards = BoardClusters::fit(clusters, cx)?;
    let bucketed = match sampled {
        None => complete::bucket(&boards, buckets, cx)?,
        Some(sampling) => sampled::bucket(&boards, buckets, sampling, cx)?,
    };
    let fit = Fit {
        distinct: bucketed.distinct,
        clusters: describe::describe(cx.boards, &boards),
        fallback: bucketed.fallback,
        ..boards.fit
    };
    Ok(fit.report(bucketed.stored, &bucketed.sums, bucketed.asymmetric_slots, cx))
}
