//! Writing a range as the shortest text that stays easy to read.
//!
//! Each class gets a base weight: 0 where its holes are best named one by one, else the weight of
//! a class entry. The classes of one base weight are cut into runs, every class in one of them.
//! Holes whose weight is not their class's base follow and overwrite it.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::Range;
use super::read::{DECIMALS, RANDOM};
use super::run::{Kind, Ranks, Run};
use crate::card::Rank;
use crate::hole::{Hole, StartingHand};

/// The base weight of every class, by class index.
type Bases = [u32; StartingHand::COUNT];

/// The text of a range.
pub(super) fn text(range: &Range) -> String {
    let bases = bases(range);
    let mut entries = class_entries(&bases);
    entries.extend(hole_entries(range, &bases));
    if entries.is_empty() {
        return weighted(RANDOM, 0);
    }
    entries.join(",")
}

/// An entry with its weight in decimals; 1 is not written.
fn weighted(entry: impl std::fmt::Display, ppm: u32) -> String {
    match ppm {
        Range::ONE => entry.to_string(),
        0 => format!("{entry}:0"),
        _ => {
            let decimals = format!("{ppm:0DECIMALS$}");
            format!("{entry}:0.{}", decimals.trim_end_matches('0'))
        }
    }
}

/// The length of entries when they are joined, with one comma more.
fn length<T: AsRef<str>>(entries: impl IntoIterator<Item = T>) -> usize {
    entries.into_iter().map(|e| e.as_ref().len() + 1).sum()
}

fn bases(range: &Range) -> Bases {
    let mut bases = [0; StartingHand::COUNT];
    for class in StartingHand::all() {
        bases[class.index()] = base(range, class);
    }
    bases
}

/// The base weight that makes a class shortest when it is written alone.
fn base(range: &Range, class: StartingHand) -> u32 {
    let weights: BTreeSet<u32> = class.holes().map(|hole| range.weight(hole)).collect();
    let cost = |&base: &u32| {
        let name = (base > 0).then(|| weighted(class, base));
        let others = class.holes().filter(|&h| range.weight(h) != base);
        length(name) + length(others.map(|h| weighted(h, range.weight(h))))
    };
    [0].into_iter().chain(weights).min_by_key(cost).unwrap_or(0)
}

/// The holes that their class's entry does not give the right weight, heaviest first.
fn hole_entries(range: &Range, bases: &Bases) -> Vec<String> {
    let mut holes: Vec<Hole> =
        Hole::all().filter(|h| range.weight(*h) != bases[h.class().index()]).collect();
    holes.sort_by_key(|&hole| Reverse((range.weight(hole), hole)));
    let entry = |&hole: &Hole| weighted(hole, range.weight(hole));
    holes.iter().map(entry).collect()
}

/// The entries that give every class its base weight.
fn class_entries(bases: &Bases) -> Vec<String> {
    let plain = listing(bases, 0);
    let weights: BTreeSet<u32> = bases.iter().copied().filter(|&ppm| ppm > 0).collect();
    let count = |ppm: &u32| bases.iter().filter(|&base| base == ppm).count();
    let Some(commonest) = weights.into_iter().max_by_key(count) else {
        return plain;
    };
    let mut whole = vec![weighted(RANDOM, commonest)];
    whole.extend(listing(bases, commonest));
    if length(&whole) < length(&plain) { whole } else { plain }
}

/// The entries for all classes but those of the weight that is `understood`, heaviest first.
fn listing(bases: &Bases, understood: u32) -> Vec<String> {
    let mut weights: BTreeSet<u32> = bases.iter().copied().collect();
    weights.remove(&understood);
    let group = |ppm: u32| {
        let runs = runs(|class| bases[class.index()] == ppm, ppm);
        runs.into_iter().map(move |run| weighted(run, ppm))
    };
    weights.into_iter().rev().flat_map(group).collect()
}

/// The runs that name each of these classes once: pairs, suited (or both), then offsuit.
///
/// The unpaired classes of a kind are cut into runs along each high card. Equal runs of both kinds
/// are written as one, and steps alone on their high card are joined where both ranks climb, in
/// whichever order gives the shorter text: `AK,KQs` or `T9s-65s,98o`.
fn runs(member: impl Fn(StartingHand) -> bool, ppm: u32) -> Vec<Run> {
    let member = |ranks: Ranks, suited: bool| {
        StartingHand::new(ranks.high, ranks.low, suited).is_some_and(&member)
    };
    let suited = rows(Kind::Suited, |ranks| member(ranks, true));
    let offsuit = rows(Kind::Offsuit, |ranks| member(ranks, false));
    let merged_first = joined(&merged(&suited, &offsuit), ppm);
    let joined_first = merged(&joined(&suited, ppm), &joined(&offsuit, ppm));
    let mut unpaired = if runs_length(&joined_first, ppm) < runs_length(&merged_first, ppm) {
        joined_first
    } else {
        merged_first
    };
    unpaired.sort_by_key(|run| {
        let Ranks { high, low } = run.top();
        (run.kind == Kind::Offsuit, Reverse((high, low)))
    });
    let mut runs = pieces(diagonal(0), Kind::Pair, |ranks| member(ranks, false));
    runs.extend(unpaired);
    runs
}

fn runs_length(runs: &[Run], ppm: u32) -> usize {
    length(runs.iter().map(|&run| weighted(run, ppm)))
}

/// The runs in which the kicker climbs, each as long as can be.
fn rows(kind: Kind, member: impl Fn(Ranks) -> bool) -> Vec<Run> {
    let runs = |high| pieces(row(high), kind, &member);
    Rank::all().rev().flat_map(runs).collect()
}

/// The runs of both kinds, equal ones written as one without `s` and `o`.
fn merged(suited: &[Run], offsuit: &[Run]) -> Vec<Run> {
    let both = |run: &Run| run.with_kind(Kind::Both);
    let agree = |run: &Run, others: &[Run]| others.iter().any(|o| both(o) == both(run));
    let first = suited.iter().map(|run| match agree(run, offsuit) {
        true => both(run),
        false => *run,
    });
    let second = offsuit.iter().filter(|run| !agree(run, suited));
    first.chain(second.copied()).collect()
}

/// The runs with single steps joined to runs in which both ranks climb, where that is shorter.
fn joined(runs: &[Run], ppm: u32) -> Vec<Run> {
    let (singles, mut joined): (Vec<Run>, Vec<Run>) = runs.iter().partition(|r| r.is_single());
    for kind in [Kind::Both, Kind::Suited, Kind::Offsuit] {
        let member = |ranks| singles.contains(&Run::single(kind, ranks));
        for run in (1..Rank::COUNT).flat_map(|gap| pieces(diagonal(gap), kind, member)) {
            let steps: Vec<Run> = run.steps().map(|ranks| Run::single(kind, ranks)).collect();
            if runs_length(&[run], ppm) < runs_length(&steps, ppm) {
                joined.push(run);
            } else {
                joined.extend(steps);
            }
        }
    }
    joined
}

/// The unbroken stretches of members on a line.
fn pieces(line: Vec<Ranks>, kind: Kind, member: impl Fn(Ranks) -> bool) -> Vec<Run> {
    let stretches = line.split(|&ranks| !member(ranks));
    stretches
        .filter_map(|stretch| Run::between(kind, *stretch.first()?, *stretch.last()?))
        .collect()
}

/// The rank pairs below a high card, best kicker first.
fn row(high: Rank) -> Vec<Ranks> {
    let lows = Rank::all().rev().filter(|&low| low < high);
    lows.map(|low| Ranks::new(high, low)).collect()
}

/// The rank pairs that differ by `gap`, highest first.
fn diagonal(gap: usize) -> Vec<Ranks> {
    let ranks = Rank::all().rev().zip(Rank::all().rev().skip(gap));
    ranks.map(|(high, low)| Ranks::new(high, low)).collect()
}
