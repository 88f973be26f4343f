//! The bucket of one hand.

use lethe_abstraction::{Abstraction, Lookup, Method};
use lethe_cards::{Board, Hole, Street};
use serde::Serialize;

use super::Similar;
use crate::error::Error;
use crate::text::{written, written_option};

/// The bucket of a hand.
#[derive(Debug, Serialize)]
pub struct LookupView {
    /// The hole.
    #[serde(serialize_with = "written")]
    pub hole: Hole,
    /// The board; `None` before the flop.
    #[serde(serialize_with = "written_option")]
    pub board: Option<Board>,
    /// The street.
    pub street: &'static str,
    /// The bucket.
    pub bucket: u32,
    /// The cluster of the flop, which is the board's first three cards, if there are flop clusters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flop_cluster: Option<u32>,
    /// The bucket within that cluster, if there are flop clusters: `bucket` is `flop_cluster` times the
    /// buckets of each, plus this. The figures of the bucket are this one's, on all boards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_bucket: Option<u32>,
    /// The exact equity of the hand against a random one.
    pub equity: f64,
    /// The mean equity of the bucket.
    pub bucket_equity: f64,
    /// The raw deals in the bucket.
    pub bucket_size: u64,
    /// The board's cluster, of the texture method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<u32>,
    /// Whether the hand has no entry of its own, of the texture method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<bool>,
    /// The name of the abstraction.
    #[serde(skip)]
    pub name: String,
    /// The number of buckets.
    #[serde(skip)]
    pub buckets: usize,
    /// The number of flop clusters; 1 without them.
    #[serde(skip)]
    pub flop_clusters: usize,
    /// The standard deviation of equity in the bucket.
    #[serde(skip)]
    pub spread: Option<f64>,
    /// The raw deals of the street.
    #[serde(skip)]
    pub deals: u64,
    /// The board's cluster in words.
    #[serde(skip)]
    pub cluster_text: Option<String>,
    /// What is similar to the hand.
    #[serde(skip)]
    pub similar: Similar,
}

impl LookupView {
    /// Looks a hand up. An error if hole and board share a card, or if the table is damaged.
    pub fn of(open: &Abstraction, hole: Hole, board: &Board) -> Result<LookupView, Error> {
        let street = board.street();
        let shared = || Error::shared_card(hole, board);
        let found = open.lookup(hole, board)?.ok_or_else(shared)?;
        let Lookup { bucket, base, flop_cluster, fallback, cluster } = found;
        let equity = open.equity(hole, board)?.ok_or_else(shared)?;
        let buckets = open.buckets(street);
        let at = base as usize;
        let preset = open.plan().streets().get(street);
        let texture = preset.is_some_and(|plan| matches!(plan.method(), Method::Texture { .. }));
        let (bucket_equity, bucket_size, spread, deals) = match open.report(street) {
            Some(report) => (
                report.equities[at],
                report.sizes[at],
                Some(report.spreads[at]),
                report.sizes.iter().sum(),
            ),
            None if street != Street::Preflop => {
                return Err(Error::NoReport(open.path().to_owned(), street));
            }
            None => (equity, hole.class().combos() as u64, None, Hole::COUNT as u64),
        };
        let described = |cluster: u32| -> Option<String> {
            let known = open.report(street)?.clusters.get(cluster as usize)?;
            Some(format!("{cluster}  {}, as {}", known.description, known.typical))
        };
        Ok(LookupView {
            hole,
            board: (street != Street::Preflop).then_some(*board),
            street: street.name(),
            bucket,
            flop_cluster,
            base_bucket: flop_cluster.map(|_| base),
            equity,
            bucket_equity,
            bucket_size,
            cluster,
            fallback: texture.then_some(fallback),
            name: open.metadata().name.clone(),
            buckets,
            flop_clusters: open.flop_clusters().map_or(1, |clusters| clusters.on(street)),
            spread,
            deals,
            cluster_text: cluster.and_then(described),
            similar: Similar::of(open, hole, board, base)?,
        })
    }

    /// Whether the hand has no entry of its own.
    pub fn fell_back(&self) -> bool {
        self.fallback == Some(true)
    }
}
