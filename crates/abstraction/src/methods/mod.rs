//! The methods: ways of putting the situations of some boards into buckets.
//!
//! Most of them find a feature for every slot, [cluster](cluster::cluster) the distinct features and
//! hand the labels to [`number_by_equity`].

mod classes;
mod cluster;
mod histogram;
mod ochs;
mod scalar;

use lethe_cards::Street;
use lethe_cards::vs_random::equity_scale;
use lethe_compute::Job;
use rayon::prelude::*;

use crate::boards::{BoardSet, Domain};
use crate::error::BuildError;
use crate::method::Method;
use crate::plan::{KMeansSettings, StreetPlan};
use crate::quality::{QualitySums, asymmetric_slots};
use crate::report::{BuiltStreet, Quality, StreetReport};
use crate::table::{BucketId, Stored, Table, fits_u16};
use crate::texture;

pub(crate) use ochs::OpponentCache;

/// What every method is given.
pub(crate) struct Context<'a> {
    /// All streets, for those that look ahead.
    pub(crate) domain: &'a Domain,
    /// The boards to build.
    pub(crate) boards: &'a BoardSet,
    pub(crate) kmeans: KMeansSettings,
    pub(crate) opponents: &'a OpponentCache,
    pub(crate) job: Job<'a>,
}

impl Context<'_> {
    /// The street that is built.
    pub(crate) fn street(&self) -> Street {
        self.boards.street()
    }

    /// The number of buckets to make of `distinct` features: an error if there are too few on all
    /// boards, and fewer buckets on some boards.
    pub(crate) fn buckets(&self, wanted: usize, distinct: usize) -> Result<usize, BuildError> {
        if wanted > distinct && self.domain.is_whole() {
            let street = self.street();
            return Err(BuildError::TooManyBuckets { street, wanted, distinct });
        }
        Ok(wanted.min(distinct))
    }
}

/// Builds the boards by the method that the plan names.
pub(crate) fn build(plan: &StreetPlan, cx: &Context<'_>) -> Result<BuiltStreet, BuildError> {
    let buckets = plan.buckets();
    match *plan.method() {
        Method::Ehs { feature, split } => scalar::Scalar { feature, split }.build(buckets, cx),
        // Nothing follows the river: its feature is the equity itself.
        Method::Histogram { .. } if cx.street() == Street::River => {
            scalar::Scalar::EQUITY.build(buckets, cx)
        }
        Method::Histogram { bins, distance, horizon } => {
            histogram::Histogram { bins, distance, horizon }.build(buckets, cx)
        }
        Method::Ochs { clusters } => ochs::build(clusters, buckets, cx),
        Method::Classes => classes::build(cx),
        Method::Texture { clusters, sampled } => texture::build(clusters, sampled, buckets, cx),
    }
}

/// How the clustering behind a street's buckets went.
#[derive(Default)]
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
    /// The fit of an optimum that was computed directly.
    pub(crate) fn exact(distinct: usize, inertia: f64) -> Fit {
        Fit { distinct, inertia, converged: true, ..Fit::default() }
    }

    /// The buckets of the boards with their report, given the sums over them.
    pub(crate) fn finish(
        self,
        table: Table,
        sums: &QualitySums,
        cx: &Context<'_>,
    ) -> Result<BuiltStreet, BuildError> {
        let figures = sums.finish(equity_scale(cx.street()));
        let quality = figures.quality(asymmetric_slots(cx.boards, table.view(), cx.job)?);
        let report = StreetReport {
            street: cx.street(),
            slots: cx.boards.slots() as u64,
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
        };
        Ok(BuiltStreet { stored: Stored::Dense(table), report })
    }
}

/// Numbers buckets by mean equity and writes the bucket of every slot, given the feature of every
/// slot and the label of every feature.
pub(crate) fn number_by_equity(
    ids: &[u32],
    labels: &[u32],
    buckets: usize,
    mut fit: Fit,
    cx: &Context<'_>,
) -> Result<BuiltStreet, BuildError> {
    let add = |sums: &mut QualitySums, position: usize| {
        cx.domain.with_equities(cx.boards, position, |equities| {
            let weight = cx.boards.weight(position);
            for (&id, &equity) in cx.boards.row(ids, position).iter().zip(equities) {
                sums.add(labels[id as usize], equity, weight);
            }
        });
    };
    let none = || QualitySums::new(buckets);
    let sums = cx.boards.sum("", cx.job.silent(), none, add, |a, b| a.merge(&b))?;
    let places = sums.order();
    if !fit.centroids.is_empty() {
        let mut ordered = vec![Vec::new(); buckets];
        for (label, centroid) in fit.centroids.into_iter().enumerate() {
            ordered[places[label] as usize] = centroid;
        }
        fit.centroids = ordered;
    }
    let bucket_of: Vec<u32> = labels.iter().map(|&label| places[label as usize]).collect();
    fit.finish(scatter(ids, &bucket_of, buckets), &sums.renumbered(&places), cx)
}

/// The bucket of every slot, in as few bytes as they need.
fn scatter(ids: &[u32], bucket_of: &[u32], buckets: usize) -> Table {
    fn write<T: BucketId>(ids: &[u32], bucket_of: &[u32]) -> Table {
        T::table(ids.par_iter().map(|&id| T::new(bucket_of[id as usize])).collect())
    }
    if fits_u16(buckets) { write::<u16>(ids, bucket_of) } else { write::<u32>(ids, bucket_of) }
}
