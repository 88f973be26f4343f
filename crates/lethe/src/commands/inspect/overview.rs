//! Whole streets: a table of figures, small charts, and the clusters of boards.

use std::io::{self, Write};
use std::path::Path;

use lethe_abstraction::artifact::Metadata;
use lethe_abstraction::bucket_equities::BucketEquitiesRef;
use lethe_abstraction::report::BoardCluster;
use lethe_abstraction::{Abstraction, Plan, StreetReport};
use lethe_cards::{Board, Situation, Street};
use serde::Serialize;

use super::chart;
use super::report;
use crate::output::{Output, Report, bytes, seconds, thousands};

/// What is said of an abstraction.
#[derive(Serialize)]
pub(super) struct Overview<'a> {
    pub(super) name: &'a str,
    pub(super) path: &'a Path,
    pub(super) format: u32,
    pub(super) program: &'a str,
    /// Seconds since 1970.
    pub(super) created: u64,
    pub(super) seconds: f64,
    pub(super) threads: usize,
    pub(super) bytes: u64,
    pub(super) plan: &'a Plan,
    pub(super) streets: Vec<StreetView<'a>>,
}

/// What is said of a street: some figures, and the whole report of the build.
#[derive(Serialize)]
pub(super) struct StreetView<'a> {
    pub(super) method: String,
    pub(super) situations: usize,
    pub(super) summary: Summary,
    pub(super) bucket_equity_table: bool,
    #[serde(flatten)]
    pub(super) report: &'a StreetReport,
    #[serde(skip)]
    pub(super) pairs: Option<BucketEquitiesRef<'a>>,
}

/// The buckets of a street in a few figures.
#[derive(Serialize)]
pub(in crate::commands) struct Summary {
    /// Raw deals of the smallest, the median and the largest bucket.
    pub(in crate::commands) sizes: [u64; 3],
    /// The lowest and the highest mean equity of a bucket that is not empty.
    pub(in crate::commands) equities: [f64; 2],
    /// The mean over all deals of the standard deviation of equity in their bucket.
    pub(in crate::commands) spread_within: f64,
    /// The standard deviation over all deals of the mean equity of their bucket.
    pub(in crate::commands) spread_between: f64,
    /// The share of deals that have an entry of their own.
    pub(in crate::commands) coverage: f64,
}

impl Summary {
    pub(in crate::commands) fn of(report: &StreetReport) -> Summary {
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
    /// What is to be said of these streets.
    pub(super) fn of(
        abstraction: &'a Abstraction,
        streets: &[Street],
    ) -> anyhow::Result<Overview<'a>> {
        let Metadata { name, format, program, created, seconds, threads, plan, .. } =
            abstraction.metadata();
        let view = |&street: &Street| {
            let report = report(abstraction, street)?;
            let pairs = abstraction.bucket_equities(street);
            Ok(StreetView {
                method: method(plan, street),
                situations: Situation::count(street),
                summary: Summary::of(report),
                bucket_equity_table: pairs.is_some(),
                report,
                pairs,
            })
        };
        Ok(Overview {
            name,
            path: abstraction.path(),
            format: *format,
            program,
            created: *created,
            seconds: *seconds,
            threads: *threads,
            bytes: abstraction.metadata().bytes(),
            plan,
            streets: streets.iter().map(view).collect::<anyhow::Result<_>>()?,
        })
    }

    /// How it came to be, in a line.
    pub(super) fn origin(&self) -> String {
        let threads = match self.threads {
            1 => "1 thread".to_owned(),
            threads => format!("{threads} threads"),
        };
        format!(
            "built by lethe {} in {} with {threads}; seed {}; {}",
            self.program,
            seconds(self.seconds),
            self.plan.kmeans().seed,
            bytes(self.bytes)
        )
    }

    /// The figures of all streets: what each is, and one of them a street.
    pub(super) fn table(&self) -> Vec<(&'static str, Vec<String>)> {
        let row = |name, cell: &dyn Fn(&StreetView<'_>) -> String| {
            (name, self.streets.iter().map(cell).collect())
        };
        let mut rows = vec![
            row("method", &|s| s.method.clone()),
            row("slots", &|s| thousands(s.report.slots.into())),
            row("distinct features", &|s| thousands(s.report.distinct.into())),
            row("buckets", &|s| thousands(s.report.buckets as u128)),
            row("iterations", &|s| iterations(s.report)),
            row("inertia", &|s| figure(s.report.inertia)),
            row("deals, smallest bucket", &|s| thousands(s.summary.sizes[0].into())),
            row("deals, median bucket", &|s| thousands(s.summary.sizes[1].into())),
            row("deals, largest bucket", &|s| thousands(s.summary.sizes[2].into())),
            row("equity, weakest bucket", &|s| percent(s.summary.equities[0], 2)),
            row("equity, strongest bucket", &|s| percent(s.summary.equities[1], 2)),
            row("spread between buckets", &|s| percent(s.summary.spread_between, 2)),
            row("spread within buckets", &|s| percent(s.summary.spread_within, 2)),
            row("variance explained", &|s| percent(s.report.quality.variance_explained, 3)),
            row("empty buckets", &|s| thousands(s.report.quality.empty_buckets.into())),
            row("asymmetric slots", &|s| thousands(s.report.quality.asymmetric_slots.into())),
            row("histogram mass", &|s| mass(s.report)),
            row("coverage", &|s| percent(s.summary.coverage, 2)),
            row("bucket equity table", &|s| yes(s.pairs.is_some())),
            row("seconds", &|s| format!("{:.1}", s.report.seconds)),
        ];
        if self.streets.iter().any(|street| street.report.fitted_on.is_some()) {
            let fitted = row("fitted on", &|s| match s.report.fitted_on {
                Some(features) => thousands(features.into()),
                None => "all".to_owned(),
            });
            rows.insert(3, fitted);
        }
        if self.streets.iter().any(|street| !street.report.clusters.is_empty()) {
            let clusters = row("board clusters", &|s| thousands(s.report.clusters.len() as u128));
            rows.insert(3, clusters);
        }
        rows
    }
}

/// The method of a street as the plan names it.
pub(in crate::commands) fn method(plan: &Plan, street: Street) -> String {
    plan.streets().get(street).map_or_else(String::new, |plan| plan.method().to_string())
}

/// A share in percent.
pub(in crate::commands) fn percent(share: f64, digits: usize) -> String {
    format!("{:.digits$} %", 100.0 * share)
}

/// A number of any size in five digits.
pub(super) fn figure(number: f64) -> String {
    match number.abs() {
        0.0 => "0".to_owned(),
        1e-3..1e4 => format!("{number:.4}"),
        1e4..1e12 => thousands(number.round() as u128),
        _ => format!("{number:.4e}"),
    }
}

fn iterations(report: &StreetReport) -> String {
    match (report.iterations, report.converged) {
        // Nothing was iterated: the optimum was computed.
        (0, true) => "optimum".to_owned(),
        (iterations, true) => iterations.to_string(),
        (iterations, false) => format!("{iterations}, not at rest"),
    }
}

fn mass(report: &StreetReport) -> String {
    match report.quality.histogram_mass {
        None => "-".to_owned(),
        Some([least, most]) if least == most => thousands(least.into()),
        Some([least, most]) => format!("{} to {}", thousands(least.into()), thousands(most.into())),
    }
}

fn yes(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}

impl Report for Overview<'_> {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let name = out.bold(self.name);
        writeln!(out, "{name}")?;
        let line = out.dim(self.origin());
        writeln!(out, "{line}\n")?;
        let headings = self.streets.iter().map(|street| street.report.street.name());
        let rows = self.table().into_iter();
        let rows = rows.map(|(name, cells)| [vec![name.to_owned()], cells].concat());
        out.table(
            &[""].into_iter().chain(headings).collect::<Vec<_>>(),
            &rows.collect::<Vec<_>>(),
        )?;
        for street in &self.streets {
            writeln!(out)?;
            street.write_charts(out)?;
            street.write_clusters(out)?;
            street.write_pairs(out)?;
        }
        Ok(())
    }
}

/// Columns of a line chart in the terminal.
const CHART: usize = 64;
/// Groups of buckets each way in the terminal's equity table.
const GROUPS: usize = 24;

impl StreetView<'_> {
    fn write_charts(&self, out: &mut Output<'_>) -> io::Result<()> {
        let street = self.report.street;
        let title = out.bold(format_args!("{street}, bucket 0 to {}", self.report.buckets - 1));
        writeln!(out, "{title}")?;
        let sizes: Vec<f64> = self.report.sizes.iter().map(|&size| size as f64).collect();
        let most = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        let spread = most(&self.report.spreads);
        let lines = [
            ("equity", &self.report.equities, 1.0, "0 to 100 %".to_owned()),
            ("spread", &self.report.spreads, spread, format!("0 to {}", percent(spread, 2))),
            ("deals", &sizes, most(&sizes), format!("0 to {}", figure(most(&sizes)))),
        ];
        for (name, values, high, scale) in lines {
            let columns = chart::columns(values, CHART);
            let means: Vec<f64> = columns.iter().map(|column| column.mean).collect();
            let line = chart::sparkline(&means, 0.0, high, out.has_blocks());
            let (name, scale) = (out.dim(format_args!("{name:6}")), out.dim(scale));
            writeln!(out, "  {name}  {line}  {scale}")?;
        }
        let note = out.dim("  buckets by how many deals they hold");
        writeln!(out, "{note}")?;
        let label = |[low, high]: [u64; 2]| {
            format!("{} to {}", thousands(low.into()), thousands(high.into()))
        };
        let ranges = chart::size_ranges(&self.report.sizes, 8);
        let bars: Vec<(String, u64)> = ranges.into_iter().map(|(r, n)| (label(r), n)).collect();
        out.bars(&bars)
    }

    fn write_clusters(&self, out: &mut Output<'_>) -> io::Result<()> {
        let clusters = &self.report.clusters;
        if clusters.is_empty() {
            return Ok(());
        }
        let title = out.bold(format_args!("{} boards", self.report.street));
        writeln!(out, "{title}")?;
        let boards = clusters.iter().map(|c| thousands(c.boards.into()).len()).fold(6, usize::max);
        let weight = clusters.iter().map(|c| thousands(c.weight.into()).len()).fold(3, usize::max);
        let head =
            out.dim(format_args!("cluster  {:>boards$}  {:>weight$}  typical", "boards", "raw"));
        writeln!(out, "{head}")?;
        for (number, cluster) in clusters.iter().enumerate() {
            let BoardCluster { typical, description, .. } = cluster;
            let count = thousands(cluster.boards.into());
            let raw = thousands(cluster.weight.into());
            let typical = match typical.parse::<Board>() {
                Ok(board) => out.cards(board.cards()),
                Err(_) => typical.clone(),
            };
            writeln!(
                out,
                "{number:>7}  {count:>boards$}  {raw:>weight$}  {typical}  {description}"
            )?;
        }
        Ok(())
    }

    fn write_pairs(&self, out: &mut Output<'_>) -> io::Result<()> {
        let Some(pairs) = self.pairs else { return Ok(()) };
        let title = out.bold(format_args!("{} buckets against one another", self.report.street));
        writeln!(out, "{title}")?;
        let note = "equity in tenths of the row's buckets against the column's, weakest at the \
                    top and at the left; · where they never meet";
        let note = out.dim(note);
        writeln!(out, "{note}")?;
        for row in chart::grouped(pairs, GROUPS) {
            for cell in row {
                let text = match cell {
                    // Nine tenths and all that is above.
                    Some(equity) => {
                        out.shaded(equity, format_args!("{} ", ((equity * 10.0) as u32).min(9)))
                    }
                    None => "· ".to_owned(),
                };
                write!(out, "{text}")?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_their_size_readable() {
        let known = [(0.0, "0"), (0.25, "0.2500"), (1234.5, "1234.5000"), (1.2e6, "1,200,000")];
        for (number, text) in known {
            assert_eq!(figure(number), text);
        }
        assert_eq!(figure(1.0e-7), "1.0000e-7");
        assert_eq!(percent(0.98765, 2), "98.77 %");
    }
}
