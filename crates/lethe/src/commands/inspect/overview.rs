//! The text of an overview: a table of figures, small charts, and the clusters of boards.

use std::io::{self, Write};

use lethe_abstraction::report::BoardCluster;
use lethe_cards::Board;
use lethe_kit::abstractions::{Overview, StreetView};
use lethe_kit::plot::chart;
use lethe_kit::text::{figure, percent, thousands};

use crate::commands::cluster_flops;
use crate::output::{Output, Report};

impl Report for Overview<'_> {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        writeln!(out, "{}", out.bold(self.name))?;
        writeln!(out, "{}\n", out.dim(self.origin()))?;
        write_table(self, out)?;
        for street in self.streets.values() {
            writeln!(out)?;
            write_charts(street, out)?;
            write_clusters(street, out)?;
            write_equities(street, out)?;
        }
        if let Some(clusters) = &self.flop_clusters {
            let counts: Vec<String> = clusters.streets.values().map(usize::to_string).collect();
            let merged = match counts.iter().all(|count| *count == counts[0]) {
                true => String::new(),
                false => format!(": {} on flop, turn and river", counts.join(" / ")),
            };
            let head = format_args!("{} flop clusters{merged}", clusters.count);
            writeln!(out, "\n{}", out.bold(head))?;
            cluster_flops::write_clusters(clusters, out)?;
        }
        Ok(())
    }
}

/// Writes the table of figures.
pub(in crate::commands) fn write_table(
    overview: &Overview<'_>,
    out: &mut Output<'_>,
) -> io::Result<()> {
    let headings = overview.streets.iter().map(|(street, _)| street.name());
    let rows = overview.table().into_iter();
    let rows = rows.map(|(name, cells)| [vec![name.to_owned()], cells].concat());
    out.table(&[""].into_iter().chain(headings).collect::<Vec<_>>(), rows)
}

/// Columns of a line chart in the terminal.
const CHART: usize = 64;
/// Groups of buckets each way in the terminal's equity table.
const GROUPS: usize = 24;

fn write_charts(street: &StreetView<'_>, out: &mut Output<'_>) -> io::Result<()> {
    let name = street.report.street;
    let last = street.report.buckets - 1;
    writeln!(out, "{}", out.bold(format_args!("{name}, bucket 0 to {last}")))?;
    let sizes: Vec<f64> = street.report.sizes.iter().map(|&size| size as f64).collect();
    let most = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    let spread = most(&street.report.spreads);
    let lines = [
        ("equity", &street.report.equities, 1.0, "0 to 100 %".to_owned()),
        ("spread", &street.report.spreads, spread, format!("0 to {}", percent(spread, 2))),
        ("deals", &sizes, most(&sizes), format!("0 to {}", figure(most(&sizes)))),
    ];
    for (label, values, high, scale) in lines {
        let columns = chart::columns(values, CHART);
        let means: Vec<f64> = columns.iter().map(|column| column.mean).collect();
        let line = chart::sparkline(&means, 0.0, high, out.has_blocks());
        let (label, scale) = (out.dim(format_args!("{label:6}")), out.dim(scale));
        writeln!(out, "  {label}  {line}  {scale}")?;
    }
    writeln!(out, "{}", out.dim("  buckets by how many deals they hold"))?;
    let label = |[low, high]: [u64; 2]| format!("{} to {}", thousands(low), thousands(high));
    let ranges = chart::size_ranges(&street.report.sizes, 8);
    let bars: Vec<(String, u64)> = ranges.into_iter().map(|(r, n)| (label(r), n)).collect();
    out.bars(&bars)
}

fn write_clusters(street: &StreetView<'_>, out: &mut Output<'_>) -> io::Result<()> {
    let clusters = &street.report.clusters;
    if clusters.is_empty() {
        return Ok(());
    }
    writeln!(out, "{}", out.bold(format_args!("{} boards", street.report.street)))?;
    let boards = clusters.iter().map(|c| thousands(c.boards).len()).fold(6, usize::max);
    let weight = clusters.iter().map(|c| thousands(c.weight).len()).fold(3, usize::max);
    let head = format_args!("cluster  {:>boards$}  {:>weight$}  typical", "boards", "raw");
    writeln!(out, "{}", out.dim(head))?;
    for (number, cluster) in clusters.iter().enumerate() {
        let BoardCluster { typical, description, .. } = cluster;
        let count = thousands(cluster.boards);
        let raw = thousands(cluster.weight);
        let typical = match typical.parse::<Board>() {
            Ok(board) => out.cards(board.cards()),
            Err(_) => typical.clone(),
        };
        writeln!(out, "{number:>7}  {count:>boards$}  {raw:>weight$}  {typical}  {description}")?;
    }
    Ok(())
}

fn write_equities(street: &StreetView<'_>, out: &mut Output<'_>) -> io::Result<()> {
    let Some(equities) = street.bucket_equities else { return Ok(()) };
    let title = out.bold(format_args!("{} buckets against one another", street.report.street));
    writeln!(out, "{title}")?;
    let note = "equity in tenths of the row's buckets against the column's, weakest at the \
                top and at the left; · where they never meet";
    writeln!(out, "{}", out.dim(note))?;
    for row in chart::grouped(equities, GROUPS) {
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
