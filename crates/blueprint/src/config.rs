//! Training configurations: the game, the card abstraction and how to train.

use std::ops::RangeInclusive;

use lethe_game::HandConfig;
use serde::{Deserialize, Serialize};

use crate::deal::TURN_HOLES;
use crate::stages::Stages;
use crate::store::CEILING;
use crate::train::{AVERAGE_UNIT, Adversary, Discount, Opponent, Pooling, REGRET_UNIT, Sampling};

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
    /// That opponent, if it is an adversary.
    pub adversary: Adversary,
    /// Rivers that an iteration deals after its turn, 1 to 48; more than one only with public chance
    /// sampling.
    #[serde(skip_serializing_if = "is_one")]
    pub rivers: usize,
    /// Iterations of a batch, which read the regrets from its start; `None` chooses by the sampling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<u64>,
    /// How buckets of different boards learn from each other at first.
    #[serde(skip_serializing_if = "Pooling::is_off")]
    pub pooling: Pooling,
    /// How many flop clusters of the abstraction are used from which iteration on; empty uses all of
    /// them from the start.
    #[serde(skip_serializing_if = "Stages::is_empty")]
    pub stages: Stages,
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
    /// Flops that an estimate evaluates, at least four; 0 plays local best response instead, which
    /// gives a lower bound and chooses no checkpoint.
    pub evaluate_flops: usize,
}

impl Default for Training {
    fn default() -> Training {
        Training {
            sampling: Sampling::default(),
            opponent: Opponent::default(),
            adversary: Adversary::default(),
            rivers: 1,
            batch: None,
            pooling: Pooling::default(),
            stages: Stages::default(),
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

impl Training {
    /// Iterations of a batch: many where they are short, so that threads seldom wait.
    pub fn batch_size(&self) -> u64 {
        self.batch.unwrap_or(match self.sampling {
            Sampling::Public => 20,
            Sampling::External => 4096,
        })
    }
}

impl TrainConfig {
    /// The hash of the game. Keys of information sets mean the same in games with the same hash.
    pub fn game_hash(&self) -> String {
        hash(&self.game)
    }

    /// Checks the values of the training part.
    pub fn check(&self) -> Result<(), TrainConfigError> {
        let Training { sampling, opponent, adversary, batch, discount, prune, .. } = self.training;
        let Training { time, checkpoint, evaluate, .. } = self.training;
        if opponent == Opponent::Adversary && sampling != Sampling::Public {
            return Err(TrainConfigError::AdversarySampling);
        }
        if self.training.rivers > 1 && sampling != Sampling::Public {
            return Err(TrainConfigError::RiversSampling);
        }
        let pooling = self.training.pooling;
        if !pooling.is_off() && sampling != Sampling::Public {
            return Err(TrainConfigError::PoolingSampling);
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
        let slack_iterations = adversary.slack_iterations;
        check("training.rivers", self.training.rivers as f64, 1.0..=48.0, "from 1 to 48")?;
        check(
            "training.batch",
            batch.unwrap_or(1) as f64,
            1.0..=1e6,
            "from 1 to 1,000,000 iterations",
        )?;
        check(
            "training.adversary.slack",
            adversary.slack,
            0.0..=1.0,
            "a share of the pot, 0 to 1",
        )?;
        check("training.adversary.slack_iterations", slack_iterations, 1.0..=1e18, "at least 1")?;
        check(
            "training.adversary.average_share",
            adversary.average_share,
            0.0..=1.0,
            "a share of the average strategy, 0 to 1",
        )?;
        check("training.pooling.weight", pooling.weight, 0.0..=1e6, "from 0 to 1,000,000")?;
        check("training.pooling.iterations", pooling.iterations, 1.0..=1e18, "at least 1")?;
        check("training.discount.interval", interval, 1.0..=f64::MAX, "at least 1 iteration")?;
        check("training.discount.alpha", discount.alpha, -10.0..=100.0, exponent)?;
        check("training.discount.beta", discount.beta, -10.0..=100.0, exponent)?;
        check("training.discount.gamma", discount.gamma, -10.0..=100.0, exponent)?;
        check("training.prune.share", prune.share, 0.0..=1.0, "from 0 to 1")?;
        check("training.prune.below", prune.below, f64::MIN..=0.0, "a number, 0 or less")?;
        check("training.time", time, 0.0..=f64::MAX, seconds)?;
        check("training.checkpoint", checkpoint, 0.0..=f64::MAX, seconds)?;
        check("training.evaluate", evaluate, 0.0..=f64::MAX, seconds)?;
        self.check_ranges()
    }

    /// Checks that the cells can hold what one iteration adds to a regret, and what the iterations
    /// between two discounts add to an average.
    fn check_ranges(&self) -> Result<(), TrainConfigError> {
        let hands = match self.training.sampling {
            Sampling::Public => TURN_HOLES as f64,
            Sampling::External => 1.0,
        };
        // From losing the stack to winning it, with every hand of a bucket that has all of them.
        let most = f64::from(i32::MAX) / (2.0 * f64::from(REGRET_UNIT) * hands);
        let big_blinds = f64::from(self.game.stack) / f64::from(self.game.big_blind.max(1));
        if big_blinds > most {
            return Err(TrainConfigError::Stack { big_blinds, most: most.floor() });
        }
        let most = f64::from(u32::MAX - CEILING) / (f64::from(AVERAGE_UNIT) * hands);
        let interval = self.training.discount.interval;
        if interval as f64 > most {
            return Err(TrainConfigError::Interval { interval, most: most as u64 });
        }
        Ok(())
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
    /// A stack so deep that regrets might not fit.
    #[error(
        "game.stack is {big_blinds:.1} big blinds; with this training.sampling at most {most} can be \
         trained, or regrets could overflow"
    )]
    Stack {
        /// The stack.
        big_blinds: f64,
        /// The deepest one.
        most: f64,
    },
    /// An interval so long that averages might not fit.
    #[error(
        "training.discount.interval is {interval} iterations; with this training.sampling it must be \
         at most {most}, or averages could overflow"
    )]
    Interval {
        /// The interval.
        interval: u64,
        /// The longest one.
        most: u64,
    },
    /// An adversary sees a whole board at once.
    #[error("training.opponent is adversary, which needs training.sampling: public")]
    AdversarySampling,
    /// A single hand has a single river.
    #[error("training.rivers is more than 1, which needs training.sampling: public")]
    RiversSampling,
    /// Only public chance sampling pools regrets.
    #[error("training.pooling needs training.sampling: public")]
    PoolingSampling,
}

fn is_one(number: &usize) -> bool {
    *number == 1
}

/// The first sixteen hexadecimal digits of the hash of a value.
pub(crate) fn hash(value: &impl Serialize) -> String {
    let bytes = serde_json::to_vec(value).expect("plain data");
    blake3::hash(&bytes).to_hex()[..16].to_owned()
}
