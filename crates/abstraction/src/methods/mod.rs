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
use lethe_cluster::Clustering;
use lethe_compute::{Cancelled, Job};

use crate::boards::{BoardSet, Domain};
use crate::error::BuildError;
use crate::method::Method;
use crate::plan::{KMeansSettings, StreetPlan};
use crate::quality::{QualitySums, asymmetric_slots};
use crate::report::{BoardCluster, BuiltStreet, Quality, StreetReport};
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
    pub(crate) clusters: Vec<BoardCluster>,
    /// The share of deals that fall back.
    pub(crate) fallback: f64,
}

impl Fit {
    /// The fit of an optimum that was computed directly.
    pub(crate) fn exact(distinct: usize, inertia: f64) -> Fit {
        Fit { distinct, inertia, converged: true, ..Fit::default() }
    }

    /// The fit of a clustering of this many distinct features.
    pub(crate) fn of(clustering: &Clustering, distinct: usize) -> Fit {
        let Clustering { iterations, converged, inertia, .. } = *clustering;
        Fit { distinct, iterations, converged, inertia, ..Fit::default() }
    }

    /// The buckets of the boards with their report, given the sums over them.
    pub(crate) fn finish(
        self,
        table: Table,
        sums: &QualitySums,
        cx: &Context<'_>,
    ) -> Result<BuiltStreet, BuildError> {
        let asymmetric = asymmetric_slots(cx.boards, table.view(), cx.job)?;
        Ok(self.report(Stored::Dense(table), sums, asymmetric, cx))
    }

    /// The same where the slots that are not symmetric are known.
    pub(crate) fn report(
        self,
        stored: Stored,
        sums: &QualitySums,
        asymmetric_slots: u64,
        cx: &Context<'_>,
    ) -> BuiltStreet {
        let figures = sums.finish(equity_scale(cx.street()));
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
            clusters: self.clusters,
            quality: Quality {
                asymmetric_slots,
                histogram_mass: self.histogram_mass,
                fallback: self.fallback,
                ..figures.quality
            },
        };
        BuiltStreet { stored, report }
    }
}

/// Numbers buckets by mean equity and writes the bucket of every slot, given the feature of every
/// slot and the label of every feature.
pub(crate) fn number_by_equity(
    ids: &[u32],
    labels: &[u32],
    buckets: usize,
    fit: Fit,
    cx: &Context<'_>,
) -> Result<BuiltStreet, BuildError> {
    number_rows(buckets, fit, cx, |position, row| {
        for (label, &id) in row.iter_mut().zip(cx.boards.row(ids, position)) {
            *label = labels[id as usize];
        }
    })
}

/// The same where `fill` writes the labels of the row of the board at a position.
fn number_rows(
    buckets: usize,
    mut fit: Fit,
    cx: &Context<'_>,
    fill: impl Fn(usize, &mut [u32]) + Sync,
) -> Result<BuiltStreet, BuildError> {
    let add = |sums: &mut QualitySums, position: usize| {
        let mut labels = vec![0; cx.boards.row_len()];
        fill(position, &mut labels);
        cx.domain.with_equities(cx.boards, position, |equities| {
            for (&label, &equity) in labels.iter().zip(equities) {
                sums.add(label, equity, cx.boards.weight(position));
            }
        });
    };
    let none = || QualitySums::new(buckets);
    let phase = format!("{} buckets", cx.street());
    let sums = cx.boards.sum(&phase, cx.job, none, add, |a, b| a.merge(&b))?;
    let places = sums.order();
    if !fit.centroids.is_empty() {
        let mut ordered = vec![Vec::new(); buckets];
        for (label, centroid) in fit.centroids.into_iter().enumerate() {
            ordered[places[label] as usize] = centroid;
        }
        fit.centroids = ordered;
    }
    let table = match fits_u16(buckets) {
        true => write_rows::<u16>(&places, cx, fill)?,
        false => write_rows::<u32>(&places, cx, fill)?,
    };
    fit.finish(table, &sums.renumbered(&places), cx)
}

/// The place of every slot's label.
fn write_rows<T: BucketId>(
    places: &[u32],
    cx: &Context<'_>,
    fill: impl Fn(usize, &mut [u32]) + Sync,
) -> Result<Table, Cancelled> {
    let mut table = vec![T::default(); cx.boards.slots()];
    cx.boards.fill("", &mut table, cx.job.silent(), |position, _, row| {
        let mut labels = vec![0; row.len()];
        fill(position, &mut labels);
        for (entry, label) in row.iter_mut().zip(labels) {
            *entry = T::new(places[label as usize]);
        }
    })?;
    Ok(T::table(table))
}
