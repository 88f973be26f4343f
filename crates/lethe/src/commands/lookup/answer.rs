//! The answer to a single look-up.

use std::io::{self, Write};

use anyhow::{Context, ensure};
use lethe_abstraction::{Abstraction, Lookup, Method};
use lethe_cards::{Board, Hole, Street};
use serde::Serialize;

use super::alike::{Alike, Neighbour};
use crate::output::{Output, Report, thousands};

/// The bucket of a hand and what is to be said of it.
#[derive(Debug, Serialize)]
pub(crate) struct Answer {
    hole: String,
    board: Option<String>,
    street: &'static str,
    bucket: u32,
    equity: f64,
    bucket_equity: f64,
    bucket_size: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cluster: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fallback: Option<bool>,
    #[serde(skip)]
    text: Text,
}

/// What only people are told.
#[derive(Debug)]
struct Text {
    name: String,
    cards: (Hole, Board),
    buckets: usize,
    spread: Option<f64>,
    /// Deals on the street.
    deals: u64,
    cluster: Option<String>,
    alike: Alike,
}

impl Answer {
    /// Looks a hand up; an error if the table holds a bucket that does not exist.
    pub(crate) fn of(open: &Abstraction, hole: Hole, board: &Board) -> anyhow::Result<Answer> {
        let street = board.street();
        let Lookup { bucket, fallback, cluster } =
            open.lookup(hole, board).context("the hole holds a card of the board")?;
        let equity = open.equity(hole, board).context("the hole holds a card of the board")?;
        let buckets = open.buckets(street);
        ensure!(
            (bucket as usize) < buckets,
            "{}: the {street} table holds bucket {bucket} of {buckets}; `lethe verify` tells more",
            open.path().display()
        );
        let at = bucket as usize;
        let preset = open.plan().streets().get(street);
        let texture = preset.is_some_and(|plan| matches!(plan.method(), Method::Texture { .. }));
        let (bucket_equity, bucket_size, spread, deals) = match open.report(street) {
            Some(report) => (
                report.equities[at],
                report.sizes[at],
                Some(report.spreads[at]),
                report.sizes.iter().sum(),
            ),
            None => (equity, hole.class().combos() as u64, None, Hole::COUNT as u64),
        };
        let described = |cluster: u32| -> Option<String> {
            let known = open.report(street)?.clusters.get(cluster as usize)?;
            Some(format!("{cluster}  {}, as {}", known.description, known.typical))
        };
        Ok(Answer {
            hole: hole.to_string(),
            board: (street != Street::Preflop).then(|| board.to_string()),
            street: street.name(),
            bucket,
            equity,
            bucket_equity,
            bucket_size,
            cluster,
            fallback: texture.then_some(fallback),
            text: Text {
                name: open.metadata().name.clone(),
                cards: (hole, *board),
                buckets,
                spread,
                deals,
                cluster: cluster.and_then(described),
                alike: Alike::of(open, hole, board, bucket),
            },
        })
    }

    /// Whether the hand had no entry of its own.
    pub(super) fn fell_back(&self) -> bool {
        self.fallback == Some(true)
    }
}

impl Report for Answer {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let percent = |share: f64| format!("{:.2} %", 100.0 * share);
        let Text { name, cards: (hole, board), buckets, spread, deals, cluster, alike } =
            &self.text;
        let place = match board.street() {
            Street::Preflop => "before the flop".to_owned(),
            _ => format!("on {}", out.cards(board.cards())),
        };
        writeln!(out, "{} {place} in {name}\n", out.card_set(hole.set()))?;
        let number = out.bold(self.bucket);
        let fallback = if self.fell_back() { "  (no entry: the cluster's median)" } else { "" };
        let spread = spread.map_or(String::new(), |s| format!("  spread {}", percent(s)));
        let share = percent(self.bucket_size as f64 / *deals as f64);
        let mut pairs = vec![
            ("bucket", format!("{number} of {}{fallback}", thousands(*buckets as u128))),
            ("equity", format!("{}  exact, against any hand", percent(self.equity))),
            ("bucket equity", format!("{}{spread}", percent(self.bucket_equity))),
            ("bucket size", format!("{} deals  {share}", thousands(self.bucket_size.into()))),
        ];
        if let Some(cluster) = cluster {
            pairs.push(("board cluster", cluster.clone()));
        }
        if !alike.neighbours.is_empty() {
            let neighbour = |n: &Neighbour| format!("{} ({:.1} %)", n.bucket, 100.0 * n.equity);
            let texts: Vec<String> = alike.neighbours.iter().map(neighbour).collect();
            pairs.push(("nearest buckets", texts.join("  ")));
        }
        if !alike.here.is_empty() {
            let shown: Vec<String> =
                alike.here.iter().take(8).map(|hole| out.card_set(hole.set())).collect();
            let more = alike.here.len().saturating_sub(shown.len());
            let more = if more > 0 { format!("  and {more} more") } else { String::new() };
            pairs.push(("same bucket here", shown.join(" ") + &more));
        }
        if !alike.elsewhere.is_empty() {
            let hand = |(hole, board): &(Hole, Board)| {
                format!("{} on {}", out.card_set(hole.set()), out.cards(board.cards()))
            };
            let hands: Vec<String> = alike.elsewhere.iter().map(hand).collect();
            pairs.push(("and elsewhere", hands.join(", ")));
        }
        out.pairs(&pairs)
    }
}
