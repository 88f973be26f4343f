//! The methods: ways of putting the situations of a street into buckets.
//!
//! Each method is a module with a type that implements [`StreetMethod`]. Most of them find a feature
//! for every slot, cluster the distinct features and hand the labels to [`number_by_equity`].

mod classes;
mod histogram;
pub(crate) mod ochs;
mod scalar;

use lethe_cards::vs_random::equity_scale;
use lethe_cards::{CanonicalBoard, Deck, Situation, Street};
use rayon::prelude::*;

use crate::equities::Equities;
use crate::error::BuildError;
use crate::method::Method;
use crate::plan::Plan;
use crate::quality::QualitySums;
use crate::report::{BuiltStreet, Quality, StreetReport};
use crate::table::Stored;
use crate::table::{BucketId, Table, fits_u16};
use crate::texture;
use lethe_compute::Job;

/// What every method is given.
pub(crate) struct Context<'a> {
    /// The plan, for iterations, restarts and seed.
    pub(crate) plan: &'a Plan,
    /// The exact equities of flop and turn.
    pub(crate) equities: &'a Equities,
    /// Who watches.
    pub(crate) job: Job<'a>,
}

/// A way of putting the situations of a street into buckets.
pub(crate) trait StreetMethod {
    /// Builds the buckets of a street.
    fn build(
        &self,
        street: Street,
        buckets: usize,
        cx: &Context<'_>,
    ) -> Result<BuiltStreet, BuildError>;
}

/// Builds a street by the method that the plan names for it.
pub(crate) fn build(street: Street, cx: &Context<'_>) -> Result<BuiltStreet, BuildError> {
    let plan = cx.plan.streets().get(street).expect("only streets with a board are built");
    let buckets = plan.buckets();
    match *plan.method() {
        Method::Ehs { feature, split } => {
            scalar::Scalar { feature, split }.build(street, buckets, cx)
        }
        // Nothing follows the river: its feature is the equity itself.
        Method::Histogram { .. } if street == Street::River => {
            scalar::Scalar::EQUITY.build(street, buckets, cx)
        }
        Method::Histogram { bins, distance, horizon } => {
            histogram::Histogram { bins, distance, horizon }.build(street, buckets, cx)
        }
        Method::Ochs { clusters } => ochs::Ochs { clusters }.build(street, buckets, cx),
        Method::Classes => classes::Classes.build(street, buckets, cx),
        Method::Texture { clusters, sampled } => {
            let equities = cx.equities.of(street);
            texture::build(street, cx.plan, clusters, sampled, buckets, equities, cx.job)
        }
    }
}

/// How the clustering behind a street's buckets went.
pub(crate) struct Fit {
    pub(crate) distinct: usize,
    pub(crate) iterations: usize,
    pub(crate) converged: bool,
    pub(crate) inertia: f64,
    pub(crate) fitted_on: Option<u64>,
    /// The centroid of each label, where there is one.
    pub(crate) centroids: Vec<Vec<f32>>,
    pub(crate) histogram_mass: Option<[u64; 2]>,
}

impl Fit {
    /// The report of a street, given the sums over its buckets.
    pub(crate) fn report(
        self,
        street: Street,
        sums: &QualitySums,
        asymmetric_slots: u64,
    ) -> StreetReport {
        let figures = sums.finish(equity_scale(street));
        let quality = figures.quality(asymmetric_slots);
        StreetReport {
            street,
            slots: Situation::slots(street) as u64,
            distinct: self.distinct as u64,
            buckets: figures.sizes.len(),
            iterations: self.iterations,
            converged: self.converged,
            inertia: self.inertia,
            fitted_on: self.fitted_on,
            seconds: 0.0,
            sizes: figures.sizes,
            equities: figures.equities,
            spreads: figures.spreads,
            centroids: self.centroids,
            clusters: Vec::new(),
            quality: Quality { histogram_mass: self.histogram_mass, ..quality },
        }
    }
}

/// Numbers buckets by mean equity and writes the bucket of every slot of the flop or the turn,
/// given the feature of every slot and the label of every feature.
pub(crate) fn number_by_equity(
    street: Street,
    ids: &[u32],
    labels: &[u32],
    buckets: usize,
    mut fit: Fit,
    cx: &Context<'_>,
) -> BuiltStreet {
    let equities = cx.equities.of(street).expect("the flop or the turn");
    let row_len = Deck::row_len(street);
    let weights: Vec<u64> =
        CanonicalBoard::all(street).map(|board| board.multiplicity().into()).collect();
    let rows = || ids.par_chunks(row_len).zip(equities.par_chunks(row_len)).zip(&weights);
    let sums = rows()
        .fold(
            || QualitySums::new(buckets),
            |mut sums, ((ids, equities), &weight)| {
                for (&id, &equity) in ids.iter().zip(equities) {
                    sums.add(labels[id as usize], equity, weight);
                }
                sums
            },
        )
        .reduce(|| QualitySums::new(buckets), |a, b| a.merge(&b));
    let places = sums.order();
    if !fit.centroids.is_empty() {
        let mut ordered = vec![Vec::new(); buckets];
        for (label, centroid) in fit.centroids.into_iter().enumerate() {
            ordered[places[label] as usize] = centroid;
        }
        fit.centroids = ordered;
    }
    let bucket_of: Vec<u32> = labels.iter().map(|&label| places[label as usize]).collect();
    let table = scatter(ids, &bucket_of, buckets);
    let asymmetric = crate::quality::asymmetric_slots(street, table.view());
    BuiltStreet {
        report: fit.report(street, &sums.renumbered(&places), asymmetric),
        stored: Stored::Dense(table),
    }
}

/// The bucket of every slot, in as few bytes as they need.
fn scatter(ids: &[u32], bucket_of: &[u32], buckets: usize) -> Table {
    fn write<T: BucketId>(ids: &[u32], bucket_of: &[u32]) -> Table {
        T::table(ids.par_iter().map(|&id| T::new(bucket_of[id as usize])).collect())
    }
    if fits_u16(buckets) { write::<u16>(ids, bucket_of) } else { write::<u32>(ids, bucket_of) }
}
