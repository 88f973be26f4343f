//! What to train: the game, the cards and how.

use lethe_game::HandConfig;
use serde::{Deserialize, Serialize};

use crate::train::{Discount, Opponent, Sampling};

/// A whole training configuration, as it stands in a YAML file.
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
    /// none.
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
    /// Whom a player learns against.
    pub opponent: Opponent,
    /// The seed of all randomness.
    pub seed: u64,
    /// How the past is forgotten.
    pub discount: Discount,
    /// How actions that are hopeless are left out.
    pub prune: Prune,
    /// Seconds to train, unless the command line says otherwise.
    pub time: f64,
    /// Seconds between two checkpoints.
    pub checkpoint: f64,
    /// Seconds between two estimates of exploitability; 0 makes none.
    pub evaluate: f64,
    /// Flops that an estimate looks at; 0 takes local best response instead.
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

/// Regret-based pruning: actions whose regret is far below zero are left out of most iterations,
/// though never on the river and never if they end the hand.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Prune {
    /// The share of iterations that prune, 0 to 1.
    pub share: f64,
    /// The regret below which an action is left out, in big blinds.
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
    /// The hash of the game, which tells betting trees apart: keys of information sets with the same
    /// hash have the same meaning.
    pub fn game_hash(&self) -> String {
        hash(&self.game)
    }

    /// Checks the numbers of the training part; the message names the key.
    pub fn check(&self) -> Result<(), String> {
        let Training { sampling, opponent, discount, prune, time, checkpoint, evaluate, .. } =
            self.training;
        if opponent == Opponent::Adversary && sampling != Sampling::Public {
            return Err(
                "training.opponent is adversary, which needs training.sampling: public".into()
            );
        }
        if discount.interval == 0 {
            return Err("training.discount.interval is 0; it must be at least 1 iteration".into());
        }
        for (key, value) in
            [("alpha", discount.alpha), ("beta", discount.beta), ("gamma", discount.gamma)]
        {
            if !(value.is_finite() && (-10.0..=100.0).contains(&value)) {
                return Err(format!(
                    "training.discount.{key} is {value}; it must be a number from -10 to 100"
                ));
            }
        }
        if !(0.0..=1.0).contains(&prune.share) {
            return Err(format!("training.prune.share is {}; it must be from 0 to 1", prune.share));
        }
        if prune.below.is_nan() || prune.below > 0.0 {
            return Err(format!("training.prune.below is {}; it must be 0 or less", prune.below));
        }
        for (key, value) in [("time", time), ("checkpoint", checkpoint), ("evaluate", evaluate)] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(format!("training.{key} is {value}; it must be 0 seconds or more"));
            }
        }
        Ok(())
    }
}

/// The first sixteen hexadecimal digits of the hash of a value.
pub(crate) fn hash(value: &impl Serialize) -> String {
    let bytes = serde_json::to_vec(value).expect("plain data");
    blake3::hash(&bytes).to_hex()[..16].to_owned()
}
