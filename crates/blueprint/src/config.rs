//! Training configurations: the game, the card abstraction and how to train.

use std::ops::RangeInclusive;

use lethe_game::HandConfig;
use serde::{Deserialize, Serialize};

use crate::train::{Discount, Opponent, Sampling};

/// A whole training configuration, as in a YAML file.
///
/// ```yaml
/// game:
///   stack: 2000
///   small_blind: 50
///   big_blind: 100
///   bet_sizes:
///     preflop: {sb: {raise: "2.5x, a"}, bb: {raise: "a"}}
///     flop: {oop: {bet: "50%"}, ip: {bet: "50%"}}
/// abstraction: default
/// training:
///   seed: 0
///   time: 60
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainConfig {
    /// Stacks, blinds and bet sizes.
    pub game: HandConfig,
    /// The card abstraction: a preset, a name or a directory. A game that ends before the flop needs
    /// no abstraction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abstraction: Option<String>,
    /// How to train.
    #[serde(default)]
    pub training: Training,
}

/// How to train.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Training {
    /// What an iteration samples.
    pub sampling: Sampling,
    /// The opponent that a player learns against.
    pub opponent: Opponent,
    /// The seed of all randomness.
    pub seed: u64,
    /// How past iterations are discounted.
    pub discount: Discount,
    /// How prunable actions are skipped.
    pub prune: Prune,
    /// Seconds to train, where the caller sets no other limit.
    pub time: f64,
    /// Seconds between two checkpoints.
    pub checkpoint: f64,
    /// Seconds between two estimates of exploitability; 0 for no estimates.
    pub evaluate: f64,
    /// Flops that an estimate evaluates; 0 uses local best response instead.
    pub evaluate_flops: usize,
}

impl Default for Training {
    fn default() -> Training {
        Training {
            sampling: Sampling::default(),
            opponent: Opponent::default(),
            seed: 0,
            discount: Discount::default(),
            prune: Prune::default(),
            time: 300.0,
            checkpoint: 30.0,
            evaluate: 0.0,
            evaluate_flops: 20,
        }
    }
}

/// Regret-based pruning: actions whose regret is far below zero are skipped in most iterations, but
/// never on the river and never if they end the hand.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Prune {
    /// The fraction of iterations that prune, 0 to 1.
    pub share: f64,
    /// The regret below which an action is prunable, in big blinds.
    pub below: f64,
    /// Iterations before pruning begins.
    pub after: u64,
}

impl Default for Prune {
    fn default() -> Prune {
        Prune { share: 0.95, below: -20_000.0, after: 10_000 }
    }
}

impl TrainConfig {
    /// The hash of the game. Keys of information sets mean the same in games with the same hash.
    pub fn game_hash(&self) -> String {
        hash(&self.game)
    }

    /// Checks the values of the training part.
    pub fn check(&self) -> Result<(), TrainConfigError> {
        let Training { sampling, opponent, discount, prune, time, checkpoint, evaluate, .. } =
            self.training;
        if opponent == Opponent::Adversary && sampling != Sampling::Public {
            return Err(TrainConfigError::AdversarySampling);
        }
        let check = |key, value: f64, allowed: RangeInclusive<f64>, expected| match allowed
            .contains(&value)
        {
            true => Ok(()),
            false => Err(TrainConfigError::OutOfRange { key, value, expected }),
        };
        let exponent = "a number from -10 to 100";
        let seconds = "0 seconds or more";
        let interval = discount.interval as f64;
        check("training.discount.interval", interval, 1.0..=f64::MAX, "at least 1 iteration")?;
        check("training.discount.alpha", discount.alpha, -10.0..=100.0, exponent)?;
        check("training.discount.beta", discount.beta, -10.0..=100.0, exponent)?;
        check("training.discount.gamma", discount.gamma, -10.0..=100.0, exponent)?;
        check("training.prune.share", prune.share, 0.0..=1.0, "from 0 to 1")?;
        check("training.prune.below", prune.below, f64::MIN..=0.0, "a number, 0 or less")?;
        check("training.time", time, 0.0..=f64::MAX, seconds)?;
        check("training.checkpoint", checkpoint, 0.0..=f64::MAX, seconds)?;
        check("training.evaluate", evaluate, 0.0..=f64::MAX, seconds)
    }
}

/// A training configuration with a value that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrainConfigError {
    /// A value out of range.
    #[error("{key} is {value}; it must be {expected}")]
    OutOfRange {
        /// The key, with those above it.
        key: &'static str,
        /// Its value.
        value: f64,
        /// What is allowed.
        expected: &'static str,
    },
    /// An adversary sees a whole board at once.
    #[error("training.opponent is adversary, which needs training.sampling: public")]
    AdversarySampling,
}

/// The first sixteen hexadecimal digits of the hash of a value.
pub(crate) fn hash(value: &impl Serialize) -> String {
    let bytes = serde_json::to_vec(value).expect("plain data");
    blake3::hash(&bytes).to_hex()[..16].to_owned()
}
