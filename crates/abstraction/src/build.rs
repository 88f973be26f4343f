//! Building: exact equities first, then each street on its own.

use std::time::Instant;

use lethe_cards::{Situation, Street};
use lethe_compute::Job;

use crate::boards::Domain;
use crate::equities::Equities;
use crate::error::BuildError;
use crate::method::{Horizon, Method};
use crate::methods::{self, Context, OpponentCache};
use crate::plan::{KMeansSettings, PerStreet, Plan, StreetPlan};
use crate::report::BuiltStreet;
use crate::table::fits_u16;

/// An abstraction as it was built, ready to be stored.
#[derive(Clone, Debug)]
pub struct Built {
    /// The buckets of each street and the report on them.
    pub streets: PerStreet<BuiltStreet>,
    /// The exact equities of flop and turn, which are stored beside the buckets.
    pub equities: Equities,
    /// Seconds it took.
    pub seconds: f64,
}

/// Builds every street of a plan for all boards.
///
/// The result depends on the plan alone, not on the number of threads.
pub fn build(plan: &Plan, job: Job<'_>) -> Result<Built, BuildError> {
    let start = Instant::now();
    let domain = Domain::all(job)?;
    let builder = Builder::default();
    let street = |street: &StreetPlan| builder.street(street, plan.kmeans(), &domain, job);
    let PerStreet { flop, turn, river } = plan.streets();
    let streets = PerStreet { flop: street(flop)?, turn: street(turn)?, river: street(river)? };
    Ok(Built { streets, equities: domain.into_equities(), seconds: start.elapsed().as_secs_f64() })
}

/// Builds single streets, for all boards or for some.
///
/// It keeps the clusters of opponents, which are the same for every set of boards, for the next time.
#[derive(Debug, Default)]
pub struct Builder {
    opponents: OpponentCache,
}

impl Builder {
    /// Builds the buckets of a street for the boards of a domain.
    ///
    /// For all boards, more buckets than distinct features are an error. For some boards, such a
    /// street gets as many buckets as it has features.
    ///
    /// # Panics
    /// If the domain has no boards of the street.
    pub fn street(
        &self,
        plan: &StreetPlan,
        kmeans: KMeansSettings,
        domain: &Domain,
        job: Job<'_>,
    ) -> Result<BuiltStreet, BuildError> {
        let start = Instant::now();
        let boards = domain.boards(plan.street()).filter(|boards| !boards.is_empty());
        let boards = boards.expect("the domain has boards of the street");
        let cx = Context { domain, boards, kmeans, opponents: &self.opponents, job };
        let mut built = job.install(|| methods::build(plan, &cx))?;
        built.report.seconds = start.elapsed().as_secs_f64();
        Ok(built)
    }
}

/// What a build will take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Seconds on one core; several share most of the work.
    pub core_seconds: f64,
    /// Bytes of memory at the peak.
    pub memory: u64,
    /// Bytes on disk.
    pub disk: u64,
}

/// Estimates what a plan will take, from figures measured on a 3 GHz core.
pub fn estimate(plan: &Plan) -> Estimate {
    let slots = |street| Situation::slots(street) as u64;
    let equities = 4 * (slots(Street::Flop) + slots(Street::Turn));
    let mut estimate = Estimate { core_seconds: 4.0, memory: 0, disk: equities };
    for (street, plan) in plan.streets().iter() {
        let buckets = plan.total_buckets();
        let dense = !matches!(plan.method(), Method::Texture { sampled: Some(_), .. });
        let table = if dense { slots(street) * if fits_u16(buckets) { 2 } else { 4 } } else { 0 };
        estimate.disk += table;
        // A feature number and a bucket for each slot, and the features themselves.
        let (seconds, memory) = cost(street, plan.method(), plan.buckets());
        estimate.core_seconds += seconds;
        estimate.memory = estimate.memory.max(equities + estimate.disk + memory);
    }
    estimate
}

/// Seconds of one core and bytes of memory that a street takes beyond its table.
fn cost(street: Street, method: &Method, buckets: usize) -> (f64, u64) {
    let slots = Situation::slots(street) as u64;
    let scale = buckets as f64 / 500.0;
    match (street, method) {
        (Street::River, Method::Ochs { .. }) => (60.0 + 120.0 * scale, 64 << 20),
        (Street::River, _) => (2.0, 16 << 20),
        (_, Method::Histogram { bins, horizon, .. }) => {
            let fine = *bins as f64 / 10.0;
            let runouts =
                if (street, *horizon) == (Street::Flop, Horizon::River) { 6.0 } else { 2.0 };
            // Finer histograms repeat less often: ten times as many distinct ones with fifty bins.
            let distinct = (100_000.0 * fine.powf(1.5)).min(slots as f64);
            // Bounds spare the more distances the more centroids there are.
            let clustering = 4.0 * scale.powf(0.7) * (distinct / 100_000.0) * fine.sqrt();
            (runouts + clustering, 4 * slots + (distinct * *bins as f64 * 12.0) as u64)
        }
        _ => (6.0 * scale.max(0.2), 8 * slots),
    }
}
