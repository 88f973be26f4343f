//! A decision by bucket, where no board is known.

use std::io::{self, Write};
use std::ops::Range;

use lethe_blueprint::{Blueprint, Decision};
use lethe_game::InfoKey;
use lethe_kit::action::ActionShare;
use serde::Serialize;

use crate::commands::solving::{or_dash, percent};
use crate::output::Output;

/// The rows of a table unless every bucket is asked for.
const ROWS: usize = 40;

/// The buckets of a decision.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(super) struct Buckets {
    buckets: Vec<Bucket>,
    #[serde(skip)]
    all: bool,
}

/// One bucket.
#[derive(Debug, Serialize)]
struct Bucket {
    bucket: u32,
    key: Option<String>,
    /// The part of all deals on the street that is in it, if the abstraction tells.
    share: Option<f64>,
    /// Their mean equity, if the abstraction tells.
    equity: Option<f64>,
    /// Whether training has come here; if not, the frequencies are even.
    trained: bool,
    /// In the order of the actions.
    frequencies: Vec<f64>,
}

impl Buckets {
    /// All of them; as text in ranges if there are many, unless `all` are wanted.
    pub(super) fn of(blueprint: &Blueprint, decision: &Decision<'_>, all: bool) -> Buckets {
        Buckets::some(blueprint, decision, 0..decision.buckets(), all)
    }

    /// Only one.
    pub(super) fn one(blueprint: &Blueprint, decision: &Decision<'_>, bucket: u32) -> Buckets {
        Buckets::some(blueprint, decision, bucket..bucket + 1, true)
    }

    fn some(
        blueprint: &Blueprint,
        decision: &Decision<'_>,
        buckets: Range<u32>,
        all: bool,
    ) -> Buckets {
        let report = blueprint.abstraction().and_then(|cards| cards.report(decision.street()));
        let deals = report.map(|report| report.sizes.iter().sum::<u64>().max(1) as f64);
        let bucket = |bucket: u32| {
            let size = report.and_then(|report| report.sizes.get(bucket as usize));
            Some(Bucket {
                bucket,
                key: decision.key(bucket).ok().as_ref().map(InfoKey::to_string),
                share: size.zip(deals).map(|(&size, deals)| size as f64 / deals),
                equity: report.and_then(|report| report.equities.get(bucket as usize).copied()),
                trained: decision.weight(bucket) > Some(0.0),
                frequencies: decision.frequencies(bucket)?,
            })
        };
        Buckets { buckets: buckets.filter_map(bucket).collect(), all }
    }

    /// How often each action is taken, buckets counted by their deals.
    pub(super) fn overall(&self) -> Option<Vec<f64>> {
        Some(Group::of(&self.buckets)?.frequencies)
    }

    pub(super) fn write(&self, actions: &[ActionShare], out: &mut Output<'_>) -> io::Result<()> {
        if let [only] = &self.buckets[..]
            && let Some(key) = &only.key
        {
            writeln!(out, "key {key}")?;
        }
        let most = if self.all { usize::MAX } else { ROWS };
        let rows = self.buckets.len().min(most);
        let part = |i: usize| i * self.buckets.len() / rows.max(1);
        let groups = (0..rows).filter_map(|i| Group::of(&self.buckets[part(i)..part(i + 1)]));
        let mut headings = vec!["bucket", "deals", "equity"];
        headings.extend(actions.iter().map(|share| share.action.text.as_str()));
        let rows = groups.map(|group| {
            let mut cells =
                vec![group.name, or_dash(group.share, percent), or_dash(group.equity, percent)];
            cells.extend(group.frequencies.iter().map(|&share| percent(share)));
            cells
        });
        out.table(&headings, &rows.collect::<Vec<_>>())?;
        let untrained = self.buckets.iter().filter(|bucket| !bucket.trained).count();
        if untrained > 0 {
            let note = format!("\nnever trained, and therefore even: {untrained} of these buckets");
            let note = out.dim(note);
            writeln!(out, "{note}")?;
        }
        Ok(())
    }
}

/// Consecutive buckets as one row.
struct Group {
    name: String,
    share: Option<f64>,
    equity: Option<f64>,
    frequencies: Vec<f64>,
}

impl Group {
    /// The mean of some buckets by their deals, or of all alike where those are not known or none.
    fn of(buckets: &[Bucket]) -> Option<Group> {
        let (first, last) = (buckets.first()?, buckets.last()?);
        let share: Option<f64> = buckets.iter().map(|bucket| bucket.share).sum();
        let known = share.is_some_and(|share| share > 0.0);
        let weight = |bucket: &Bucket| bucket.share.filter(|_| known).unwrap_or(1.0);
        let total: f64 = buckets.iter().map(weight).sum();
        let mean = |of: &dyn Fn(&Bucket) -> Option<f64>| {
            let sum: Option<f64> = buckets.iter().map(|b| Some(weight(b) * of(b)?)).sum();
            sum.map(|sum| sum / total)
        };
        let actions = first.frequencies.len();
        Some(Group {
            name: match first.bucket == last.bucket {
                true => first.bucket.to_string(),
                false => format!("{}-{}", first.bucket, last.bucket),
            },
            share,
            equity: mean(&|bucket| bucket.equity),
            frequencies: (0..actions)
                .map(|action| {
                    mean(&|bucket| bucket.frequencies.get(action).copied()).unwrap_or(0.0)
                })
                .collect(),
        })
    }
}
