//! The rules of counterfactual regret minimization: how regrets and strategy sums are weighted from
//! one iteration to the next.
//!
//! Everything works on *rows*: a decision with *a* actions and *n* hands has *a* rows of *n*
//! numbers, one after the other. [`Rule::step`] gives an iteration's weights, [`Step::regret`] a
//! regret's update and [`Step::sum`] a strategy sum's; [`lethe_rows::matching`] turns regrets into
//! a strategy.

use serde::{Deserialize, Serialize};

/// A variant of counterfactual regret minimization.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "name")]
pub enum Rule {
    /// Discounted CFR: before iteration `t + 1` positive regrets are multiplied by
    /// `t^alpha / (t^alpha + 1)`, negative ones by `t^beta / (t^beta + 1)`, strategy sums by
    /// `(t / (t + 1))^gamma`.
    Discounted {
        /// The exponent for positive regrets.
        alpha: f32,
        /// The exponent for negative regrets; `-inf` forgets them.
        beta: f32,
        /// The exponent of the average.
        gamma: f32,
        /// Whether the average restarts at iterations 1, 4, 16, 64, 256 and so on, so that it forgets
        /// the first iterations sooner.
        restarts: bool,
    },
    /// CFR+: regrets never fall below zero; the average weights iteration `t` by `t`.
    Plus,
    /// Linear CFR: regrets and average weight iteration `t` by `t`.
    Linear,
    /// Predictive discounted CFR+: regrets never fall below zero, and the strategy predicts that the
    /// last regret comes again.
    Predictive {
        /// The exponent for regrets.
        alpha: f32,
        /// The exponent of the average.
        gamma: f32,
    },
}

impl Rule {
    /// Discounted CFR with the exponents of its authors: 1.5, 0 and 2.
    pub const DCFR: Rule = Rule::Discounted { alpha: 1.5, beta: 0.0, gamma: 2.0, restarts: false };
    /// Predictive discounted CFR+ with the exponents of its authors: 2.3 and 5.
    pub const PDCFR_PLUS: Rule = Rule::Predictive { alpha: 2.3, gamma: 5.0 };

    /// Whether the last regrets are kept to predict the next.
    pub fn is_predictive(&self) -> bool {
        matches!(self, Rule::Predictive { .. })
    }

    /// The weights of an iteration, counted from 1.
    pub fn step(&self, iteration: u32) -> Step {
        // Iterations done before this one.
        let t = f64::from(iteration.max(1) - 1);
        let power = |t: f64, exponent: f32| {
            let power = t.powf(f64::from(exponent));
            if power.is_finite() { (power / (power + 1.0)) as f32 } else { 1.0 }
        };
        let fade = |t: f64, exponent: f32| (t / (t + 1.0)).powf(f64::from(exponent)) as f32;
        match *self {
            Rule::Discounted { alpha, beta, gamma, restarts } => {
                let since = match iteration.max(1) - 1 {
                    0 => 0,
                    t if restarts => t - (1 << (t.ilog2() & !1)),
                    t => t,
                };
                Step {
                    positive: power(t, alpha),
                    negative: if t == 0.0 { 0.0 } else { power(t, beta) },
                    sum: fade(f64::from(since), gamma),
                    floor: false,
                    predict: 0.0,
                }
            }
            Rule::Plus => {
                Step { positive: 1.0, negative: 0.0, sum: fade(t, 1.0), floor: true, predict: 0.0 }
            }
            Rule::Linear => Step {
                positive: fade(t, 1.0),
                negative: fade(t, 1.0),
                sum: fade(t, 1.0),
                floor: false,
                predict: 0.0,
            },
            Rule::Predictive { alpha, gamma } => Step {
                positive: power(t, alpha),
                negative: 0.0,
                sum: fade(t, gamma),
                floor: true,
                predict: power(t, alpha),
            },
        }
    }
}

impl Default for Rule {
    /// Discounted CFR with the exponents found best for postflop spots; see `docs/cfr.md`.
    fn default() -> Rule {
        Rule::Discounted { alpha: 1.5, beta: 0.25, gamma: 4.0, restarts: false }
    }
}

/// The weights of one iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// What positive regrets are multiplied by before the iteration's are added.
    pub positive: f32,
    /// What negative regrets are multiplied by.
    pub negative: f32,
    /// What strategy sums are multiplied by.
    pub sum: f32,
    /// Whether regrets below zero are set to zero.
    pub floor: bool,
    /// In a predictive rule, what regrets are multiplied by before the prediction is added.
    pub predict: f32,
}

impl Step {
    /// A regret after an iteration that adds `gain`.
    #[inline(always)]
    pub fn regret(&self, regret: f32, gain: f32) -> f32 {
        let weight = if regret > 0.0 { self.positive } else { self.negative };
        let sum = regret * weight + gain;
        let least = if self.floor { 0.0 } else { f32::NEG_INFINITY };
        if sum < least { least } else { sum }
    }

    /// A strategy sum after an iteration that adds `reach`.
    #[inline(always)]
    pub fn sum(&self, sum: f32, reach: f32) -> f32 {
        sum * self.sum + reach
    }
}
