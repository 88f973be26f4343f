//! Whole streets in a table of figures.

use std::path::Path;

use lethe_abstraction::artifact::Metadata;
use lethe_abstraction::bucket_equities::BucketEquitiesRef;
use lethe_abstraction::{ALGORITHM_VERSION, Abstraction, Plan, StreetReport};
use lethe_cards::{Situation, Street};
use serde::Serialize;

use super::{FlopClustersView, Streets, older_algorithm, report};
use crate::error::Error;
use crate::text::{bytes, counted, figure, percent, seconds, thousands};

/// What an abstraction is like.
#[derive(Debug, Serialize)]
pub struct Overview<'a> {
    /// The name of its directory.
    pub name: &'a str,
    /// Its directory.
    pub path: &'a Path,
    /// The version of its format.
    pub format: u32,
    /// The version of the program that built it.
    pub program: &'a str,
    /// The version of the algorithms that built it.
    pub algorithm: u32,
    /// Whether this program has later ones, whose buckets may differ.
    pub outdated: bool,
    /// When it was built, in seconds since 1970.
    pub created: u64,
    /// How long the build took.
    pub seconds: f64,
    /// The threads it was built with.
    pub threads: usize,
    /// Its size.
    pub bytes: u64,
    /// What was built.
    pub plan: &'a Plan,
    /// The flop clusters that its buckets are made of, if they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flop_clusters: Option<FlopClustersView>,
    /// Its streets; with flop clusters, the buckets within each of them.
    pub streets: Streets<StreetView<'a>>,
}

/// A street: some figures, and the whole report of the build.
#[derive(Debug, Serialize)]
pub struct StreetView<'a> {
    /// The method.
    pub method: String,
    /// Situations up to suits.
    pub situations: usize,
    /// The buckets in a few figures.
    pub summary: Summary,
    /// Whether the equities of buckets against one another are there.
    pub bucket_equity_table: bool,
    /// The report of the build.
    #[serde(flatten)]
    pub report: &'a StreetReport,
    /// The equities of buckets against one another.
    #[serde(skip)]
    pub bucket_equities: Option<BucketEquitiesRef<'a>>,
}

/// The buckets of a street in a few figures.
#[derive(Debug, Serialize)]
pub struct Summary {
    /// Raw deals of the smallest, the median and the largest bucket.
    pub sizes: [u64; 3],
    /// The lowest and the highest mean equity of a bucket that is not empty.
    pub equities: [f64; 2],
    /// The mean over all deals of the standard deviation of equity in their bucket.
    pub spread_within: f64,
    /// The standard deviation over all deals of the mean equity of their bucket.
    pub spread_between: f64,
    /// The share of deals that have an entry of their own.
    pub coverage: f64,
}

impl Summary {
    /// The figures of a report.
    pub fn of(report: &StreetReport) -> Summary {
        let mut sizes = report.sizes.clone();
        sizes.sort_unstable();
        let pick = |place: usize| sizes.get(place).copied().unwrap_or(0);
        let used = || report.equities.iter().zip(&report.sizes).filter(|bucket| *bucket.1 > 0);
        let total: f64 = used().map(|(_, &size)| size as f64).sum::<f64>().max(1.0);
        let mean = used().map(|(equity, &size)| equity * size as f64).sum::<f64>() / total;
        let square: f64 = used().map(|(e, &size)| (e - mean).powi(2) * size as f64).sum();
        let equities = used().map(|(&equity, _)| equity);
        Summary {
            sizes: [pick(0), pick(sizes.len() / 2), pick(sizes.len().saturating_sub(1))],
            equities: equities.fold([1.0, 0.0], |[low, high], e| [low.min(e), high.max(e)]),
            spread_within: report.quality.mean_spread,
            spread_between: (square / total).sqrt(),
            coverage: 1.0 - report.quality.fallback,
        }
    }
}

impl<'a> Overview<'a> {
    /// Describes these streets of an abstraction.
    pub fn of(abstraction: &'a Abstraction, streets: &[Street]) -> Result<Overview<'a>, Error> {
        let Metadata { name, format, program, algorithm, created, seconds, threads, plan, .. } =
            abstraction.metadata();
        let view = |street| -> Result<StreetView<'a>, Error> {
            let report = report(abstraction, street)?;
            let bucket_equities = abstraction.bucket_equities(street)?;
            Ok(StreetView {
                method: method(plan, street),
                situations: Situation::count(street),
                summary: Summary::of(report),
                bucket_equity_table: bucket_equities.is_some(),
                report,
                bucket_equities,
            })
        };
        Ok(Overview {
            name,
            path: abstraction.path(),
            format: *format,
            program,
            algorithm: *algorithm,
            outdated: *algorithm < ALGORITHM_VERSION,
            created: *created,
            seconds: *seconds,
            threads: *threads,
            bytes: abstraction.metadata().bytes(),
            plan,
            flop_clusters: abstraction
                .flop_clusters()
                .map(|clusters| FlopClustersView::of(clusters, None)),
            streets: Streets::try_of(streets, view)?,
        })
    }

    /// How it came to be, in a line.
    pub fn origin(&self) -> String {
        let older = match self.outdated {
            true => format!("; {}", older_algorithm(self.algorithm)),
            false => String::new(),
        };
        format!(
            "built by lethe {} in {} with {}; seed {}; {}{older}",
            self.program,
            seconds(self.seconds),
            counted(self.threads, "thread"),
            self.plan.kmeans().seed,
            bytes(self.bytes)
        )
    }

    /// The figures of all streets: the name of each, and its value on each street.
    pub fn table(&self) -> Vec<(&'static str, Vec<String>)> {
        let row = |name, cell: &dyn Fn(&StreetView<'_>) -> String| {
            (name, self.streets.values().map(cell).collect())
        };
        let mut rows = vec![
            row("method", &|s| s.method.clone()),
            row("slots", &|s| thousands(s.report.slots)),
            row("situations", &|s| thousands(s.situations)),
            row("distinct features", &|s| thousands(s.report.distinct)),
            row("buckets", &|s| thousands(s.report.buckets)),
        ];
        if let Some(clusters) = &self.flop_clusters {
            let all = |s: &StreetView<'_>| thousands(clusters.count * s.report.buckets);
            rows.push(row("flop clusters", &|_| clusters.count.to_string()));
            rows.push(row("buckets in all", &all));
        }
        rows.extend([
            row("iterations", &|s| iterations(s.report)),
            row("inertia", &|s| figure(s.report.inertia)),
            row("deals, smallest bucket", &|s| thousands(s.summary.sizes[0])),
            row("deals, median bucket", &|s| thousands(s.summary.sizes[1])),
            row("deals, largest bucket", &|s| thousands(s.summary.sizes[2])),
            row("equity, weakest bucket", &|s| percent(s.summary.equities[0], 2)),
            row("equity, strongest bucket", &|s| percent(s.summary.equities[1], 2)),
            row("spread between buckets", &|s| percent(s.summary.spread_between, 2)),
            row("spread within buckets", &|s| percent(s.summary.spread_within, 2)),
            row("variance explained", &|s| percent(s.report.quality.variance_explained, 3)),
            row("empty buckets", &|s| thousands(s.report.quality.empty_buckets)),
            row("asymmetric slots", &|s| thousands(s.report.quality.asymmetric_slots)),
            row("histogram mass", &|s| mass(s.report)),
            row("coverage", &|s| percent(s.summary.coverage, 2)),
            row("bucket equity table", &|s| yes(s.bucket_equity_table)),
            row("seconds", &|s| format!("{:.1}", s.report.seconds)),
        ]);
        if self.streets.values().any(|street| street.report.fitted_on.is_some()) {
            let fitted = row("fitted on", &|s| match s.report.fitted_on {
                Some(features) => thousands(features),
                None => "all".to_owned(),
            });
            rows.insert(4, fitted);
        }
        if self.streets.values().any(|street| !street.report.clusters.is_empty()) {
            let clusters = row("board clusters", &|s| thousands(s.report.clusters.len()));
            rows.insert(4, clusters);
        }
        rows
    }
}

/// The method of a street as the plan names it.
pub(super) fn method(plan: &Plan, street: Street) -> String {
    plan.streets().get(street).map_or_else(String::new, |plan| plan.method().to_string())
}

fn iterations(report: &StreetReport) -> String {
    match (report.iterations, report.converged) {
        // Nothing was iterated: the optimum was computed.
        (0, true) => "optimum".to_owned(),
        (iterations, true) => iterations.to_string(),
        (iterations, false) => format!("{iterations} (limit)"),
    }
}

fn mass(report: &StreetReport) -> String {
    match report.quality.histogram_mass {
        None => "-".to_owned(),
        Some([least, most]) if least == most => thousands(least),
        Some([least, most]) => format!("{} to {}", thousands(least), thousands(most)),
    }
}

fn yes(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}
