//! Gadgets: how the opponent comes to the root of a subgame.
//!
//! A subgame is solved for one player, *us*, without changing what we play elsewhere. What the
//! opponent could have had outside of it is described by a value *T(h)* for each of its holes, the
//! *alternative value*: what *h* gets against the strategy that the subgame's solution replaces. A
//! gadget is the choice in front of the subgame that turns these values into a game:
//!
//! | gadget | the opponent's choice | guarantee |
//! |---|---|---|
//! | `unsafe` | none: it comes with a fixed range | none |
//! | `resolve` | for each hole, take *T* or enter | no hole gains, once solved |
//! | `maxmargin` | which hole it has, to play for *v - T* | no hole gains, and the least loss is largest |
//! | `combined` | a fixed range, plus some of the holes that would enter under `resolve` | none |
//!
//! Nothing here knows cards: holes are entries of rows, in any order that their owner likes.

use std::fmt;
use std::str::FromStr;

use lethe_solver::{RootGadget, Step};
use serde::{Deserialize, Serialize};

/// The kinds of [`Gadget`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GadgetKind {
    /// No choice: the opponent's range is taken as known.
    Unsafe,
    /// Take the alternative value or enter, hole by hole (CFR-D).
    Resolve,
    /// Choose the hole to play with for its value above the alternative one.
    MaxMargin,
    /// The known range, holes that `resolve` would enter, and a little of everything: the least
    /// exploitable under a blueprint that is far from an equilibrium; see `docs/agent.md`.
    #[default]
    Combined,
}

impl GadgetKind {
    /// All of them.
    pub const ALL: [GadgetKind; 4] =
        [GadgetKind::Unsafe, GadgetKind::Resolve, GadgetKind::MaxMargin, GadgetKind::Combined];

    /// The name in commands and files.
    pub const fn name(self) -> &'static str {
        match self {
            GadgetKind::Unsafe => "unsafe",
            GadgetKind::Resolve => "resolve",
            GadgetKind::MaxMargin => "maxmargin",
            GadgetKind::Combined => "combined",
        }
    }
}

impl fmt::Display for GadgetKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for GadgetKind {
    type Err = UnknownGadget;

    fn from_str(text: &str) -> Result<GadgetKind, UnknownGadget> {
        let found = GadgetKind::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| UnknownGadget(text.to_owned()))
    }
}

/// A text that names no gadget.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown gadget '{0}': expected unsafe, resolve, maxmargin or combined")]
pub struct UnknownGadget(pub String);

/// The share of the range's mass that `combined` adds to it at most, in holes that would enter.
const ADDED_MASS: f64 = 0.2;
/// The share of the range's mass that `combined` spreads over all holes.
const SPREAD_MASS: f64 = 0.1;

/// The opponent's choice in front of a subgame, with its regrets and its average.
///
/// Rows have an entry for each hole of the opponent. `met` is *w(h)*: the reach of our holes that
/// *h* can meet, times the probability of chance if that differs between holes. `alternative` is
/// *T(h)* in chips per hand, so that `met * alternative` is counterfactual, as values of a
/// traversal are. Holes that meet nothing never matter.
#[derive(Clone, Debug)]
pub struct Gadget {
    kind: GadgetKind,
    met: Vec<f32>,
    alternative: Vec<f32>,
    /// The blueprint's range, scaled so that its largest weight is 1.
    range: Vec<f32>,
    /// The sum of `range`.
    mass: f64,
    /// Of entering and of taking the alternative value; with `maxmargin` the first alone, of
    /// choosing the hole.
    regrets: [Vec<f32>; 2],
    /// The probability of entering in the current iteration; with `maxmargin`, of choosing the hole.
    enters: Vec<f32>,
    /// The reach that follows from `enters`.
    now: Vec<f32>,
    /// Sums of `enters` and of the reach, and the weight of all iterations summed.
    sums: [Vec<f64>; 2],
    weight: f64,
}

impl Gadget {
    /// A gadget before the first iteration.
    ///
    /// # Panics
    /// If the rows differ in length.
    pub fn new(kind: GadgetKind, met: &[f32], alternative: &[f32], range: &[f32]) -> Gadget {
        let holes = met.len();
        assert!(alternative.len() == holes && range.len() == holes, "a row for the same holes");
        let largest = range.iter().copied().fold(0.0, f32::max);
        let scale = if largest > 0.0 { 1.0 / largest } else { 0.0 };
        let range: Vec<f32> = range.iter().map(|weight| weight * scale).collect();
        let mut gadget = Gadget {
            kind,
            met: met.to_vec(),
            alternative: alternative.to_vec(),
            mass: sum(range.iter().copied()),
            range,
            regrets: [vec![0.0; holes], vec![0.0; holes]],
            enters: vec![0.0; holes],
            now: vec![0.0; holes],
            sums: [vec![0.0; holes], vec![0.0; holes]],
            weight: 0.0,
        };
        gadget.choose();
        gadget
    }

    /// The kind.
    pub fn kind(&self) -> GadgetKind {
        self.kind
    }

    /// Sets what is played in the next iteration from the regrets.
    fn choose(&mut self) {
        let [enter, take] = &self.regrets;
        match self.kind {
            GadgetKind::Unsafe => self.enters.fill(1.0),
            GadgetKind::Resolve | GadgetKind::Combined => {
                for ((p, enter), take) in self.enters.iter_mut().zip(enter).zip(take) {
                    let total = enter.max(0.0) + take.max(0.0);
                    *p = if total > 0.0 { enter.max(0.0) / total } else { 0.5 };
                }
            }
            GadgetKind::MaxMargin => {
                let playable = |met: f32| if met > 0.0 { 1.0 } else { 0.0 };
                let positive = enter.iter().zip(&self.met).map(|(r, &m)| r.max(0.0) * playable(m));
                let total: f64 = positive.clone().map(f64::from).sum();
                if total > 0.0 {
                    let shares = positive.map(|r| (f64::from(r) / total) as f32);
                    self.enters.iter_mut().zip(shares).for_each(|(q, share)| *q = share);
                } else {
                    let count: f32 = self.met.iter().map(|&met| playable(met)).sum();
                    let even = self.met.iter().map(|&met| playable(met) / count.max(1.0));
                    self.enters.iter_mut().zip(even).for_each(|(q, even)| *q = even);
                }
            }
        }
        self.set_reach();
    }

    /// Sets the reach that follows from the choice.
    fn set_reach(&mut self) {
        let Gadget { kind, met, range, enters, now, mass, .. } = self;
        match kind {
            GadgetKind::Unsafe => now.copy_from_slice(range),
            GadgetKind::Resolve => now.copy_from_slice(enters),
            GadgetKind::MaxMargin => {
                for ((reach, &q), &met) in now.iter_mut().zip(enters.iter()).zip(met.iter()) {
                    *reach = if met > 0.0 { q / met } else { 0.0 };
                }
            }
            GadgetKind::Combined => {
                let added = range.iter().zip(enters.iter()).map(|(rho, p)| (1.0 - rho) * p);
                let wanted = sum(added.clone());
                let share = (ADDED_MASS * *mass / wanted.max(f64::MIN_POSITIVE)).min(1.0) as f32;
                let spread = (SPREAD_MASS * *mass / range.len().max(1) as f64) as f32;
                for ((reach, rho), added) in now.iter_mut().zip(range.iter()).zip(added) {
                    *reach = rho + share * added + spread;
                }
            }
        }
    }

    /// The average probability of entering; with `maxmargin`, of choosing each hole.
    pub fn average_choice(&self) -> Vec<f32> {
        self.average(0, &self.enters)
    }

    /// The average reach with which the holes come to the root.
    pub fn average_reach(&self) -> Vec<f32> {
        self.average(1, &self.now)
    }

    fn average(&self, which: usize, now: &[f32]) -> Vec<f32> {
        if self.weight == 0.0 {
            return now.to_vec();
        }
        self.sums[which].iter().map(|sum| (sum / self.weight) as f32).collect()
    }

    /// Measures our strategy in the subgame.
    ///
    /// `best_response` has the counterfactual value of each hole's best response to it. `inside` is
    /// what the opponent's [`Gadget::average_reach`] and average strategy get in the subgame, in
    /// all, against *our* best response: without rake, the pot times the pairs of hands less the
    /// value of that response.
    pub fn measure(&self, best_response: &[f32], inside: f64) -> GadgetMeasure {
        let rows = || self.met.iter().zip(&self.alternative).zip(best_response);
        let rows = || rows().map(|((&m, &t), &b)| [m, t, b].map(f64::from));
        let total: f64 = rows().map(|[met, ..]| met).sum();
        let live = |[met, ..]: &[f64; 3]| *met > total * 1e-9;
        let excess_of = |[met, t, best]: [f64; 3]| best / met - t;
        let excesses = || rows().filter(live).map(excess_of);
        let summed = rows().map(|[met, t, best]| (best - met * t).max(0.0)).sum::<f64>();
        let choice = self.average_choice();
        let reach = self.average_reach();
        let (most, unit, least) = match self.kind {
            GadgetKind::Resolve => {
                let most = rows().map(|[met, t, best]| best.max(met * t)).sum::<f64>();
                let taken = rows().zip(&choice).map(|([m, t, _], &p)| (1.0 - f64::from(p)) * m * t);
                (most, total, taken.sum::<f64>() + inside)
            }
            GadgetKind::MaxMargin => {
                let most = excesses().fold(f64::NEG_INFINITY, f64::max);
                let offered = rows().zip(&choice).map(|([_, t, _], &q)| f64::from(q) * t);
                (most, 1.0, inside - offered.sum::<f64>())
            }
            GadgetKind::Unsafe | GadgetKind::Combined => {
                let sum = |of: &dyn Fn([f64; 3]) -> f64| -> f64 {
                    rows().zip(&reach).map(|(row, &r)| f64::from(r) * of(row)).sum()
                };
                (sum(&|[_, _, best]| best), sum(&|[met, ..]| met), inside)
            }
        };
        GadgetMeasure {
            nash_conv: if unit > 0.0 { (most - least) / unit } else { 0.0 },
            excess: if total > 0.0 { summed / total } else { 0.0 },
            largest_excess: excesses().fold(0.0, f64::max),
            margin: -excesses().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// A sum in eight parts, so that an addition does not wait for the one before.
fn sum(row: impl Iterator<Item = f32>) -> f64 {
    let mut parts = [0.0; 8];
    row.enumerate().for_each(|(i, x)| parts[i % 8] += f64::from(x));
    parts.iter().sum()
}

impl RootGadget for Gadget {
    fn reach(&self, row: &mut [f32]) {
        row.copy_from_slice(&self.now);
    }

    fn learn(&mut self, step: Step, values: &[f32]) {
        let kept = f64::from(step.sum);
        self.weight = self.weight * kept + 1.0;
        for (sums, now) in self.sums.iter_mut().zip([&self.enters, &self.now]) {
            sums.iter_mut().zip(now).for_each(|(sum, &x)| *sum = *sum * kept + f64::from(x));
        }
        let [enter, take] = &mut self.regrets;
        match self.kind {
            GadgetKind::Unsafe => return,
            GadgetKind::Resolve | GadgetKind::Combined => {
                for (i, &value) in values.iter().enumerate() {
                    // What entering wins over taking the alternative value.
                    let gain = value - self.met[i] * self.alternative[i];
                    let p = self.enters[i];
                    enter[i] = step.regret(enter[i], (1.0 - p) * gain);
                    take[i] = step.regret(take[i], -p * gain);
                }
            }
            GadgetKind::MaxMargin => {
                let margin = |i: usize| match self.met[i] {
                    met if met > 0.0 => values[i] / met - self.alternative[i],
                    _ => 0.0,
                };
                let played = self.enters.iter().enumerate();
                let played: f64 = played.map(|(i, &q)| f64::from(q) * f64::from(margin(i))).sum();
                for (i, regret) in enter.iter_mut().enumerate() {
                    *regret = step.regret(*regret, margin(i) - played as f32);
                }
            }
        }
        self.choose();
    }
}

/// How good a strategy is in a subgame behind a gadget. All figures are in chips.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GadgetMeasure {
    /// What both players could gain in the game with the gadget in front, on average over the
    /// deals: 0 in equilibrium. With `unsafe` and `combined`, in the game in which the opponent has
    /// its average reach.
    pub nash_conv: f64,
    /// What the opponent's holes get above their alternative values, on average over the deals:
    /// the sum of `w(h) max(0, CBV(h) - T(h))` over that of `w(h)`. With `resolve` it is at most
    /// `nash_conv`, if the alternative values can be held at all.
    pub excess: f64,
    /// The most that a single hole gets above its alternative value.
    pub largest_excess: f64,
    /// The least that any hole falls short of its alternative value; negative if one exceeds it.
    pub margin: f64,
}

#[cfg(test)]
mod tests {
    use lethe_solver::Rule;

    use super::*;

    fn reach(gadget: &Gadget) -> Vec<f32> {
        let mut row = vec![0.0; gadget.met.len()];
        gadget.reach(&mut row);
        row
    }

    fn assert_close(found: &[f32], expected: &[f32]) {
        assert_eq!(found.len(), expected.len());
        let close = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-6;
        assert!(found.iter().zip(expected).all(close), "{found:?} {expected:?}");
    }

    #[test]
    fn combined_brings_its_range_and_a_fifth_more_at_most() {
        let gadget = Gadget::new(GadgetKind::Combined, &[1.0; 4], &[0.0; 4], &[2.0, 1.0, 0.0, 0.0]);
        // The mass is 1.5; half of what is missing would enter, 1.25, of which 0.3 may.
        let (share, spread) = (0.3 / 1.25, 0.15 / 4.0);
        let expected = [1.0, 0.5 + 0.25 * share, 0.5 * share, 0.5 * share].map(|x| x + spread);
        assert_close(&reach(&gadget), &expected);
    }

    #[test]
    fn resolve_enters_where_it_wins_more_than_the_alternative_value() {
        let mut gadget = Gadget::new(GadgetKind::Resolve, &[2.0, 2.0, 0.5], &[3.0; 3], &[0.0; 3]);
        assert_close(&reach(&gadget), &[0.5; 3]);
        // Values are counterfactual: 3 chips per hand are 6 against a reach of 2.
        gadget.learn(Rule::default().step(1), &[6.5, 5.5, 1.4]);
        assert_close(&reach(&gadget), &[1.0, 0.0, 0.0]);
        assert_close(&gadget.average_choice(), &[0.5; 3]);
        gadget.learn(Rule::default().step(2), &[6.5, 5.5, 1.4]);
        // The second iteration counts 16 times as much as the first.
        assert_close(&gadget.average_choice(), &[16.5 / 17.0, 0.5 / 17.0, 0.5 / 17.0]);
    }

    #[test]
    fn maxmargin_chooses_the_hole_with_the_most_above_its_alternative_value() {
        let alternative = [3.0, 1.0, 9.0];
        let mut gadget =
            Gadget::new(GadgetKind::MaxMargin, &[2.0, 0.5, 0.0], &alternative, &[0.0; 3]);
        // A hole that meets nothing is never chosen; reaches are per hand.
        assert_close(&reach(&gadget), &[0.25, 1.0, 0.0]);
        // 3.25 - 3 and 2 - 1.
        gadget.learn(Rule::default().step(1), &[6.5, 1.0, 0.0]);
        assert_close(&reach(&gadget), &[0.0, 2.0, 0.0]);
    }
}
