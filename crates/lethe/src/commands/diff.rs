//! `lethe diff`: how differently two abstractions put hands together.

use std::cmp::Reverse;
use std::io::{self, Write};
use std::path::PathBuf;

use lethe_abstraction::{Abstraction, StreetReport};
use lethe_cards::{CanonicalBoard, Deck, Street};
use lethe_cluster::Contingency;
use lethe_compute::Job;
use rayon::prelude::*;
use serde::Serialize;

use super::artifact;
use super::boards::BoardStreet;
use super::inspect::{Summary, bucket_row, method, percent, report};
use crate::error::Stopped;
use crate::output::{Output, Report, thousands};
use crate::progress::Bars;

/// How differently two abstractions put hands together, street by street
///
/// The adjusted Rand index compares, over all pairs of deals, how often both put a pair into one
/// bucket with how often they would by chance: 1 if their buckets are the same but for the numbers,
/// about 0 if they have nothing to do with one another. Every deal of every street is counted. The
/// best match of a bucket is the bucket of the other abstraction that holds most of its deals.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe diff default blueprint
  lethe diff F500T500R500-histogram10 F500T500R500-ehs --street flop --json")]
pub(crate) struct Args {
    #[arg(value_name = "A", help = artifact::DIR_HELP)]
    a: PathBuf,
    /// The other abstraction, named likewise
    #[arg(value_name = "B")]
    b: PathBuf,
    /// Compare this street only
    #[arg(long, value_name = "STREET")]
    street: Option<BoardStreet>,
}

/// How many buckets of each side are shown.
const SHOWN: usize = 5;

/// Two abstractions compared.
#[derive(Serialize)]
struct Diff {
    a: String,
    b: String,
    streets: Vec<StreetDiff>,
}

/// A street of both.
#[derive(Serialize)]
struct StreetDiff {
    street: &'static str,
    /// Raw deals that were compared.
    deals: u64,
    adjusted_rand_index: f64,
    a: Side,
    b: Side,
}

/// A street of one of them.
#[derive(Serialize)]
struct Side {
    method: String,
    buckets: usize,
    /// Raw deals of the smallest, the median and the largest bucket.
    sizes: [u64; 3],
    variance_explained: f64,
    spread_within: f64,
    /// The share of deals that lie in the best match of their bucket.
    matched: f64,
    /// The buckets with the most deals outside their best match.
    most_different: Vec<Split>,
}

/// A bucket and where its deals are on the other side.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Split {
    bucket: u32,
    size: u64,
    equity: f64,
    /// How many buckets of the other side hold some of its deals.
    parts: u64,
    best_match: u32,
    /// The share of its deals there.
    matched: f64,
}

impl Side {
    fn new(abstraction: &Abstraction, report: &StreetReport, splits: Vec<Split>) -> Side {
        let total: u64 = splits.iter().map(|split| split.size).sum();
        let inside: f64 = splits.iter().map(|split| split.size as f64 * split.matched).sum();
        let mut splits = splits;
        let outside = |split: &Split| (split.size as f64 * (1.0 - split.matched)).round() as u64;
        splits.sort_by_key(|split| (Reverse(outside(split)), split.bucket));
        splits.retain(|split| split.parts > 1);
        splits.truncate(SHOWN);
        let summary = Summary::of(report);
        Side {
            method: method(abstraction.plan(), report.street),
            buckets: report.buckets,
            sizes: summary.sizes,
            variance_explained: report.quality.variance_explained,
            spread_within: summary.spread_within,
            matched: inside / total.max(1) as f64,
            most_different: splits,
        }
    }
}

/// A figure of a side: what it is called, and how it is told.
type Figure = (&'static str, fn(&Side) -> String);

/// Counts every deal of a street under its two buckets.
fn contingency(
    a: &Abstraction,
    b: &Abstraction,
    street: Street,
    job: Job<'_>,
) -> anyhow::Result<Contingency> {
    let (boards, len) = (CanonicalBoard::count(street), Deck::row_len(street));
    let new = || Contingency::new(a.buckets(street), b.buckets(street));
    job.begin(&format!("{street} boards"), boards as u64);
    // As few tables as keep the threads busy: each may take megabytes.
    let pieces = 4 * rayon::current_num_threads();
    let piece = boards.div_ceil(pieces);
    let count = |number: usize| {
        let mut table = new();
        let (mut left, mut right) = (vec![0; len], vec![0; len]);
        for index in number * piece..((number + 1) * piece).min(boards) {
            let board = CanonicalBoard::from_index(street, index).expect("below their number");
            bucket_row(a, board, &mut left)?;
            bucket_row(b, board, &mut right)?;
            let weight = board.multiplicity().into();
            for (&left, &right) in left.iter().zip(&right) {
                table.add(left, right, weight);
            }
            job.advance(1);
            if job.cancelled() {
                return Err(Stopped("the comparison was not finished").into());
            }
        }
        anyhow::Ok(table)
    };
    let merge = |mut one: Contingency, other: Contingency| {
        one.merge(&other);
        Ok(one)
    };
    (0..pieces).into_par_iter().map(count).try_reduce_with(merge).unwrap_or_else(|| Ok(new()))
}

/// Where the deals of each bucket are on the other side; `turn` swaps the sides.
fn splits(table: &Contingency, report: &StreetReport, turn: bool) -> Vec<Split> {
    let split = |(bucket, &equity): (usize, &f64)| {
        let bucket = bucket as u32;
        Split { bucket, size: 0, equity, parts: 0, best_match: 0, matched: 0.0 }
    };
    let mut splits: Vec<Split> = report.equities.iter().enumerate().map(split).collect();
    let mut most = vec![0u64; splits.len()];
    table.for_each(|a, b, weight| {
        let (own, other) = if turn { (b, a) } else { (a, b) };
        let (split, most) = (&mut splits[own as usize], &mut most[own as usize]);
        split.size += weight;
        split.parts += u64::from(weight > 0);
        if weight > *most || weight == *most && other < split.best_match {
            (*most, split.best_match) = (weight, other);
        }
    });
    for (split, most) in splits.iter_mut().zip(most) {
        split.matched = if split.size == 0 { 1.0 } else { most as f64 / split.size as f64 };
    }
    splits
}

fn compare(
    a: &Abstraction,
    b: &Abstraction,
    street: Street,
    job: Job<'_>,
) -> anyhow::Result<StreetDiff> {
    let (left, right) = (report(a, street)?, report(b, street)?);
    let table = contingency(a, b, street, job)?;
    let a_splits = splits(&table, left, false);
    Ok(StreetDiff {
        street: street.name(),
        deals: a_splits.iter().map(|split| split.size).sum(),
        adjusted_rand_index: table.adjusted_rand_index(),
        a: Side::new(a, left, a_splits),
        b: Side::new(b, right, splits(&table, right, true)),
    })
}

impl Report for Diff {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        out.pairs(&[("a", self.a.clone()), ("b", self.b.clone())])?;
        writeln!(out)?;
        let headings = [""].into_iter().chain(self.streets.iter().map(|street| street.street));
        let row = |name: &str, cell: &dyn Fn(&StreetDiff) -> String| {
            [vec![name.to_owned()], self.streets.iter().map(cell).collect()].concat()
        };
        let mut rows = vec![
            row("deals", &|s| thousands(s.deals.into())),
            row("adjusted Rand index", &|s| format!("{:.4}", s.adjusted_rand_index)),
        ];
        let figures: [Figure; 7] = [
            ("method", |side| side.method.clone()),
            ("buckets", |side| thousands(side.buckets as u128)),
            ("deals, smallest bucket", |side| thousands(side.sizes[0].into())),
            ("deals, largest bucket", |side| thousands(side.sizes[2].into())),
            ("variance explained", |side| percent(side.variance_explained, 3)),
            ("spread within buckets", |side| percent(side.spread_within, 2)),
            ("deals in best match", |side| percent(side.matched, 2)),
        ];
        for (name, figure) in figures {
            rows.push(row(&format!("{name}, a"), &|street| figure(&street.a)));
            rows.push(row(&format!("{name}, b"), &|street| figure(&street.b)));
        }
        out.table(&headings.collect::<Vec<_>>(), &rows)?;
        for street in &self.streets {
            let split = |side: &str, split: &Split| {
                vec![
                    format!("{side} {}", split.bucket),
                    thousands(split.size.into()),
                    percent(split.equity, 2),
                    split.parts.to_string(),
                    split.best_match.to_string(),
                    percent(split.matched, 2),
                ]
            };
            let a = street.a.most_different.iter().map(|s| split("a", s));
            let rows: Vec<Vec<String>> =
                a.chain(street.b.most_different.iter().map(|s| split("b", s))).collect();
            if rows.is_empty() {
                continue;
            }
            let title = out.bold(format_args!("\n{} buckets that differ most", street.street));
            writeln!(out, "{title}")?;
            let headings = ["bucket", "deals", "equity", "parts", "best match", "holds"];
            out.table(&headings, &rows)?;
        }
        Ok(())
    }
}

/// Prints how two abstractions differ.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let (a, b) = (artifact::open(&args.a)?, artifact::open(&args.b)?);
    let streets: Vec<Street> = match args.street {
        Some(street) => vec![street.into()],
        None => Street::POSTFLOP.to_vec(),
    };
    let progress = Bars::new();
    let compared = streets.into_iter().map(|street| compare(&a, &b, street, progress.job()));
    let streets = compared.collect::<anyhow::Result<Vec<_>>>()?;
    progress.finish();
    let name = |abstraction: &Abstraction| abstraction.metadata().name.clone();
    out.show(&Diff { a: name(&a), b: name(&b), streets })
}
