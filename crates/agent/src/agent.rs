//! `Agent`: a blueprint that solves the end of the hand it is in.

use std::fmt;
use std::time::{Duration, Instant};

use lethe_blueprint::{Buckets, Exact, Plan, Values, VerifiedBlueprint, Weights};
use lethe_cards::{Hole, Street};
use lethe_cluster::hash;
use lethe_compute::Job;
use lethe_game::{Action, Player};
use serde::Serialize;

use crate::cache::Cache;
use crate::config::AgentConfig;
use crate::error::AgentError;
use crate::gadget::GadgetMeasure;
use crate::hand::{HandState, Replay};
use crate::search::Search;
use crate::trunk::Trunk;

/// A blueprint's strategy in cells.
pub(crate) type Tables<'a> = Exact<'a, dyn Weights + 'a>;

/// The purpose of a draw: our action.
const ACTION: u64 = 2;

/// A player: a blueprint, and the solving of subgames under it.
///
/// [`Agent::decide`] is a function of the hand and of what it is asked about: what was solved before
/// in the same hand is looked up, or solved again. With a budget of iterations alone, the answer is
/// the same on any machine and any number of threads.
pub struct Agent<'a> {
    pub(crate) tables: Tables<'a>,
    pub(crate) config: AgentConfig,
    pub(crate) cache: Cache,
    values: Option<Values>,
}

impl fmt::Debug for Agent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent").field("config", &self.config).finish_non_exhaustive()
    }
}

/// Where a decision comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The blueprint, or what replaces it where its tree has nothing that stands for the hand.
    Blueprint,
    /// A solved subgame.
    Search,
}

/// What an agent does, and why.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The action taken.
    pub action: Action,
    /// The actions that were considered, in the hand's own chips.
    pub actions: Vec<Action>,
    /// For each action, the frequency of each hole in the order of [`Hole::index`].
    pub frequencies: Vec<f32>,
    /// What each action is worth to our hole if both players play on as expected: the share of the pot,
    /// in chips, less what is put in from here on, so that a fold is worth 0. `None`
    ///
    /// * where [`AgentConfig::values`] is off,
    /// * where the opponent never gets here with a hole that ours can meet,
    /// * before the flop, unless [`Agent::with_values`] was given the blueprint's values: they are means
    ///   over flops, which take minutes to compute,
    /// * where the blueprint's tree has nothing that stands for the hand.
    ///
    /// After the flop values of the blueprint are exact. Where the chips of its node are others than the
    /// hand's they are scaled by the ratio of the pots.
    pub values: Option<Vec<f64>>,
    /// Where it comes from.
    pub source: Source,
    /// The iterations of the solve it comes from; 0 for the blueprint.
    pub iterations: u32,
    /// How far that solve is from an equilibrium, where [`AgentConfig::measure`] asks for it.
    pub measure: Option<GadgetMeasure>,
    /// The time it took.
    pub elapsed: Duration,
}

impl Decision {
    /// The frequencies of a hole.
    pub fn of(&self, hole: Hole) -> Vec<f32> {
        self.frequencies.iter().skip(hole.index()).step_by(Hole::COUNT).copied().collect()
    }
}

impl<'a> Agent<'a> {
    /// An agent that plays by a blueprint.
    pub fn new(blueprint: &'a VerifiedBlueprint<'a>, config: AgentConfig) -> Agent<'a> {
        Agent::with_tables(blueprint.plan(), blueprint.buckets(), blueprint, config)
    }

    /// An agent that plays by any strategy in cells.
    pub fn with_tables(
        plan: &'a Plan,
        buckets: &'a dyn Buckets,
        weights: &'a (dyn Weights + 'a),
        config: AgentConfig,
    ) -> Agent<'a> {
        let tables = Exact { plan, buckets, weights };
        Agent { tables, config, cache: Cache::new(config.cache_bytes), values: None }
    }

    /// The same agent with what hands win before the flop, such as [`Blueprint::values`] has, for
    /// [`Decision::values`].
    ///
    /// [`Blueprint::values`]: lethe_blueprint::Blueprint::values
    #[must_use]
    pub fn with_values(self, values: Option<Values>) -> Agent<'a> {
        Agent { values, ..self }
    }

    /// How it plays.
    pub fn config(&self) -> &AgentConfig {
        &self.config
    }

    /// Forgets what was solved. Decisions stay the same and take longer.
    pub fn forget(&self) {
        self.cache.clear();
    }

    /// Both players' reach where we are to act, by player and in the order of [`Hole::index`], up to a
    /// scale: ours by what we really played, the opponent's by the strategy that we expect of it.
    ///
    /// # Errors
    /// As [`Agent::decide`].
    pub fn reach(&self, hand: &HandState, job: Job<'_>) -> Result<[Vec<f32>; 2], AgentError> {
        let replay = Replay::new(self.tables.plan.tree().game(), hand)?;
        let (trunk, street) = self.follow(&replay);
        Ok(match street {
            None => trunk.reach,
            Some(street) => {
                let found = Search::new(self, &replay, &trunk, street)?.run(job)?;
                let at = found.position();
                Player::BOTH.map(|player| at.reach(player))
            }
        })
    }

    /// Follows a hand to the street from which on it is solved, or to its end.
    fn follow(&self, replay: &Replay) -> (Trunk, Option<Street>) {
        let tree = self.tables.plan.tree();
        let mut trunk = Trunk::new(tree);
        let searched = |street: &Street| self.config.from.includes(*street);
        let street = Street::POSTFLOP.into_iter().find(searched);
        let street = street.filter(|&street| street <= replay.now.street);
        let end = street.map_or(replay.played.len(), |street| replay.before(street));
        for number in 0..end {
            trunk.deal(tree, replay.played[number].state.street);
            trunk.follow(&self.tables, replay, number, self.config.seed);
        }
        trunk.deal(tree, street.unwrap_or(replay.now.street));
        (trunk, street)
    }

    /// Decides a hand in which it is our turn.
    ///
    /// # Errors
    /// If the hand breaks the rules, is over or deeper than the blueprint's, or the job is cancelled.
    pub fn decide(&self, hand: &HandState, job: Job<'_>) -> Result<Decision, AgentError> {
        self.answer(hand, self.config.values, job)
    }

    /// The same decision without the values of actions, which take most of the time before the turn.
    ///
    /// # Errors
    /// As [`Agent::decide`].
    pub fn play(&self, hand: &HandState, job: Job<'_>) -> Result<Decision, AgentError> {
        self.answer(hand, false, job)
    }

    fn answer(&self, hand: &HandState, values: bool, job: Job<'_>) -> Result<Decision, AgentError> {
        let began = Instant::now();
        let replay = Replay::new(self.tables.plan.tree().game(), hand)?;
        let (trunk, street) = self.follow(&replay);
        let (choices, values, source, searched) = match street {
            None => {
                let choices = trunk.choices(&self.tables, &replay.now, &replay.board);
                let values = match values {
                    true => {
                        trunk.values(&self.tables, self.values.as_ref(), &replay, hand.hole, job)?
                    }
                    false => None,
                };
                (choices, values, Source::Blueprint, None)
            }
            Some(street) => {
                let found = Search::new(self, &replay, &trunk, street)?.run(job)?;
                let values = match values {
                    true => found.values(hand.hole, job)?,
                    false => None,
                };
                (found.choices, values, Source::Search, Some(found.searched))
            }
        };
        let draw = replay.draw(self.config.seed ^ private(hand), replay.played.len(), ACTION);
        let action = choices.actions[drawn(&choices.of(hand.hole), draw)];
        Ok(Decision {
            action,
            actions: choices.actions,
            frequencies: choices.rows,
            values,
            source,
            iterations: searched.as_ref().map_or(0, |searched| searched.iterations),
            measure: searched.and_then(|searched| searched.measure),
            elapsed: began.elapsed(),
        })
    }
}

/// What sets draws of our own actions apart: the hole and the number of the hand.
fn private(hand: &HandState) -> u64 {
    hash(hash(hand.number) ^ hand.hole.index() as u64)
}

/// The place of the action that a number in [0, 1) falls on.
fn drawn(shares: &[f32], draw: f64) -> usize {
    let total: f64 = shares.iter().map(|&share| f64::from(share)).sum();
    let mut left = draw * total;
    let mut last = 0;
    for (place, &share) in shares.iter().enumerate().filter(|(_, share)| **share > 0.0) {
        last = place;
        left -= f64::from(share);
        if left < 0.0 {
            break;
        }
    }
    last
}
