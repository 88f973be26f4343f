//! How differently two abstractions group hands.

use std::cmp::Reverse;

use lethe_abstraction::{Abstraction, StreetReport};
use lethe_cards::{CanonicalBoard, Deck, Street};
use lethe_cluster::Contingency;
use lethe_compute::Job;
use rayon::prelude::*;
use serde::Serialize;

use super::overview::{Summary, method};
use super::rows::bucket_row;
use super::{Streets, report};
use crate::error::Error;

/// How many buckets of each side are shown.
const SHOWN: usize = 5;

/// Two abstractions compared.
#[derive(Debug, Serialize)]
pub struct DiffView {
    /// The name of the first.
    pub a: String,
    /// The name of the second.
    pub b: String,
    /// The streets compared.
    pub streets: Streets<StreetDiff>,
}

/// A street of both.
#[derive(Debug, Serialize)]
pub struct StreetDiff {
    /// Raw deals that were compared.
    pub deals: u64,
    /// 1 if the buckets are the same up to their numbers, about 0 if they are unrelated.
    pub adjusted_rand_index: f64,
    /// The first.
    pub a: Side,
    /// The second.
    pub b: Side,
}

/// A street of one of them.
#[derive(Debug, Serialize)]
pub struct Side {
    /// The method.
    pub method: String,
    /// The number of buckets.
    pub buckets: usize,
    /// Raw deals of the smallest, the median and the largest bucket.
    pub sizes: [u64; 3],
    /// The share of the variance of equity that lies between buckets.
    pub variance_explained: f64,
    /// The mean standard deviation of equity within buckets.
    pub spread_within: f64,
    /// The share of deals that lie in the best match of their bucket.
    pub matched: f64,
    /// The buckets with the most deals outside their best match.
    pub most_different: Vec<Split>,
}

/// A bucket and where its deals are on the other side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Split {
    /// The bucket.
    pub bucket: u32,
    /// Its raw deals.
    pub size: u64,
    /// Their mean equity.
    pub equity: f64,
    /// How many buckets of the other side hold some of its deals.
    pub parts: u64,
    /// The bucket of the other side that holds most of them.
    pub best_match: u32,
    /// The share of its deals there.
    pub matched: f64,
}

impl DiffView {
    /// Compares these streets of two abstractions, every deal of them.
    pub fn of(
        a: &Abstraction,
        b: &Abstraction,
        streets: &[Street],
        job: Job<'_>,
    ) -> Result<DiffView, Error> {
        let name = |abstraction: &Abstraction| abstraction.metadata().name.clone();
        let streets = Streets::try_of(streets, |street| compare(a, b, street, job))?;
        Ok(DiffView { a: name(a), b: name(b), streets })
    }
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

/// Counts every deal of a street under its two buckets.
fn contingency(
    a: &Abstraction,
    b: &Abstraction,
    street: Street,
    job: Job<'_>,
) -> Result<Contingency, Error> {
    let (boards, len) = (CanonicalBoard::count(street), Deck::row_len(street));
    let new = || Contingency::new(a.base_buckets(street), b.base_buckets(street));
    job.begin(&format!("{street} boards"), boards as u64);
    // As few tables as keep the threads busy: each may take megabytes.
    let pieces = 4 * job.threads();
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
            job.check()?;
        }
        Ok(table)
    };
    let merge = |mut one: Contingency, other: Contingency| {
        one.merge(&other);
        Ok(one)
    };
    let counted = job.install(|| (0..pieces).into_par_iter().map(count).try_reduce_with(merge));
    counted.unwrap_or_else(|| Ok(new()))
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
) -> Result<StreetDiff, Error> {
    let (left, right) = (report(a, street)?, report(b, street)?);
    let table = contingency(a, b, street, job)?;
    let a_splits = splits(&table, left, false);
    Ok(StreetDiff {
        deals: a_splits.iter().map(|split| split.size).sum(),
        adjusted_rand_index: table.adjusted_rand_index(),
        a: Side::new(a, left, a_splits),
        b: Side::new(b, right, splits(&table, right, true)),
    })
}
