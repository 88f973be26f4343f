//! The texture method: clusters of boards that look alike, and inside each, buckets by equity.
//!
//! Boards are clustered by k-means on their [features](features), weighted by the raw boards they
//! stand for. A bucket's number is `cluster * buckets + rank`, where the rank orders the hands of
//! the cluster by equity. There are two ways to bucket the hands of a cluster:
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

use std::time::Instant;

use lethe_cards::vs_random::equity_scale;
use lethe_cards::{CardSet, Situation, Street};

use crate::error::BuildError;
use crate::method::Sampling;
use crate::plan::Plan;
use crate::quality::QualitySums;
use crate::report::{BuiltStreet, Quality, StreetReport};
use crate::table::Stored;
use lethe_compute::Job;

use boards::BoardClusters;

pub use features::FEATURES as TEXTURE_FEATURES;

/// The texture of a board of three to five cards as a point: its suits, pairs, straights and high
/// cards as numbers of about the same weight.
///
/// # Panics
/// If there are fewer than three cards.
pub fn texture(board: CardSet) -> [f32; TEXTURE_FEATURES] {
    features::Texture::of(board).features()
}

/// The exact equity of every slot of a street as in [`lethe_cards::vs_random`]; none on the river,
/// where a board's row is computed when it is wanted.
pub(crate) type SlotEquities<'a> = Option<&'a [u32]>;

/// What a way of bucketing the hands of each cluster came to.
struct Bucketed {
    stored: Stored,
    /// Over all deals, by their exact equity.
    sums: QualitySums,
    /// Equities that differ, counted in each cluster.
    distinct: u64,
    asymmetric_slots: u64,
    /// The share of deals that fall back.
    fallback: f64,
}

/// Builds a street with `clusters` clusters of boards and `buckets` buckets in each.
///
/// In the report, `distinct` counts the different equities in each cluster that buckets were made
/// of, while iterations, convergence and inertia are those of the k-means of boards. A cluster with
/// fewer different equities than buckets leaves its last ones empty.
///
/// # Errors
/// If there are more clusters than boards that look different, if no clusters or buckets are asked
/// for, or if the build is cancelled.
///
/// # Panics
/// If the equities are not those of the street.
pub(crate) fn build(
    street: Street,
    plan: &Plan,
    clusters: usize,
    sampled: Option<Sampling>,
    buckets: usize,
    equities: SlotEquities<'_>,
    job: Job<'_>,
) -> Result<BuiltStreet, BuildError> {
    let begun = Instant::now();
    if let Some(equities) = equities {
        assert_eq!(equities.len(), Situation::slots(street), "an equity for every slot");
    }
    let boards = BoardClusters::fit(street, plan, clusters, job)?;
    let bucketed = match sampled {
        None => complete::bucket(&boards, buckets, equities, job)?,
        Some(sampling) => {
            sampled::bucket(&boards, buckets, sampling, plan.kmeans().seed, equities, job)?
        }
    };
    let figures = bucketed.sums.finish(equity_scale(street));
    let quality = figures.quality(bucketed.asymmetric_slots);
    let report = StreetReport {
        street,
        slots: Situation::slots(street) as u64,
        distinct: bucketed.distinct,
        buckets: clusters * buckets,
        iterations: boards.iterations,
        converged: boards.converged,
        inertia: boards.inertia,
        fitted_on: None,
        seconds: begun.elapsed().as_secs_f64(),
        sizes: figures.sizes,
        equities: figures.equities,
        spreads: figures.spreads,
        centroids: Vec::new(),
        clusters: describe::describe(&boards),
        quality: Quality { fallback: bucketed.fallback, ..quality },
    };
    Ok(BuiltStreet { stored: bucketed.stored, report })
}
