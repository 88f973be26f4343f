//! `Agent`: a blueprint that solves the end of the hand it is in.

use std::fmt;
use std::ops::Range;
use std::time::{Duration, Instant};

use lethe_abstraction::bucket_equities::BucketEquities;
use lethe_blueprint::{Buckets, Exact, FlopStrategy, Plan, Values, VerifiedBlueprint, Weights};
use lethe_cards::{Hole, Street};
use lethe_cluster::hash;
use lethe_compute::Job;
use lethe_game::{Action, Player};
use serde::Serialize;

use crate::cache::Cache;
use crate::config::{AgentConfig, SearchFrom};
use crate::error::AgentError;
use crate::flop::FlopSolved;
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
    pub(crate) flops: Cache<FlopSolved>,
    values: Option<Values>,
    pub(crate) equities: Option<BucketEquities>,
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
    /// * where the blueprint's tree has nothing that stands for the hand,
    /// * on a solved flop after a size that the blueprint's tree does not contain.
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
        let cache = Cache::new(config.cache_bytes);
        let flops = Cache::new(config.cache_bytes);
        Agent { tables, config, cache, flops, values: None, equities: None }
    }

    /// The same agent with what hands win before the flop, such as [`Blueprint::values`] has, for
    /// [`Decision::values`].
    ///
    /// [`Blueprint::values`]: lethe_blueprint::Blueprint::values
    #[must_use]
    pub fn with_values(self, values: Option<Values>) -> Agent<'a> {
        Agent { values, ..self }
    }

    /// The same agent with the equities of the flop's buckets over all flops, for [`LeafKind::Equity`].
    /// Without them, buckets have the equities of the flop at hand.
    ///
    /// [`LeafKind::Equity`]: crate::LeafKind::Equity
    #[must_use]
    pub fn with_equities(self, equities: Option<BucketEquities>) -> Agent<'a> {
        Agent { equities, ..self }
    }

    /// How it plays.
    pub fn config(&self) -> &AgentConfig {
        &self.config
    }

    /// Forgets what was solved. Decisions stay the same and take longer.
    pub fn forget(&self) {
        self.cache.clear();
        self.flops.clear();
    }

    /// Both players' reach where we are to act, by player and in the order of [`Hole::index`], up to a
    /// scale: ours by what we really played, the opponent's by the strategy that we expect of it.
    ///
    /// # Errors
    /// As [`Agent::decide`].
    pub fn reach(&self, hand: &HandState, job: Job<'_>) -> Result<[Vec<f32>; 2], AgentError> {
        let replay = Replay::new(self.tables.plan.tree().game(), hand)?;
        self.follow(&replay, job, |tables, trunk, _| match self.searched(&replay) {
            None => Ok(trunk.reach.clone()),
            Some(street) => {
                let found = Search::new(self, tables, &replay, trunk, street)?.run(job)?;
                let at = found.position();
                Ok(Player::BOTH.map(|player| at.reach(player)))
            }
        })
    }

    /// The street from which on a hand is solved to its end, if it has come there.
    fn searched(&self, replay: &Replay) -> Option<Street> {
        let street = Street::POSTFLOP.into_iter().find(|&street| self.config.from.includes(street));
        street.filter(|&street| street <= replay.now.street)
    }

    /// Follows a hand to the street from which on it is solved to its end, or to its last action. Beside
    /// the trunk, `then` gets the strategy that was played there, and the solve of the flop, if there was one.
    fn follow<T>(
        &self,
        replay: &Replay,
        job: Job<'_>,
        then: impl FnOnce(&Tables<'_>, &Trunk, Option<&FlopSolved>) -> Result<T, AgentError>,
    ) -> Result<T, AgentError> {
        let tree = self.tables.plan.tree();
        let mut trunk = Trunk::new(tree);
        let street = self.searched(replay);
        let end = street.map_or(replay.played.len(), |street| replay.before(street));
        let last = street.unwrap_or(replay.now.street);
        let walk = |trunk: &mut Trunk, tables: &Tables<'_>, numbers: Range<usize>, to: Street| {
            for number in numbers {
                trunk.deal(tree, replay.played[number].state.street);
                trunk.follow(tables, replay, number, self.config.seed);
            }
            trunk.deal(tree, to);
        };
        if self.config.from != SearchFrom::Flop || replay.now.street < Street::Flop {
            walk(&mut trunk, &self.tables, 0..end, last);
            return then(&self.tables, &trunk, None);
        }
        let flop = replay.before(Street::Flop);
        walk(&mut trunk, &self.tables, 0..flop, Street::Flop);
        let Some(solved) = self.solve_flop(replay, &trunk, job)? else {
            walk(&mut trunk, &self.tables, flop..end, last);
            return then(&self.tables, &trunk, None);
        };
        let mut strategy = FlopStrategy::new(&self.tables, &replay.board_on(Street::Flop));
        for (node, rows) in &solved.decisions {
            strategy.set(*node, rows);
        }
        let tables = Exact { plan: strategy.plan(), buckets: &strategy, weights: &strategy as _ };
        let line = self.flop_line(replay, &trunk, solved.clone(), job)?;
        // The blueprint's node stands for later streets, whatever was solved here.
        walk(&mut trunk, &tables, flop..end, last);
        let Some(line) = line else { return then(&tables, &trunk, Some(&solved)) };
        (trunk.reach, trunk.solved) = (line.reach, line.choices);
        then(&tables, &trunk, Some(&line.solved))
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
        let (choices, values, source, searched) =
            self.follow(&replay, job, |tables, trunk, flop| {
                let Some(street) = self.searched(&replay) else {
                    let choices = trunk.choices(tables, &replay.now, &replay.board);
                    let values = match values {
                        true => {
                            trunk.values(tables, self.values.as_ref(), &replay, hand.hole, job)?
                        }
                        false => None,
                    };
                    let source = if flop.is_some() { Source::Search } else { Source::Blueprint };
                    let iterations = flop.map_or(0, |solved| solved.iterations);
                    return Ok((choices, values, source, (iterations, None)));
                };
                let found = Search::new(self, tables, &replay, trunk, street)?.run(job)?;
                let values = match values {
                    true => found.values(hand.hole, job)?,
                    false => None,
                };
                let searched = (found.searched.iterations, found.searched.measure);
                Ok((found.choices, values, Source::Search, searched))
            })?;
        let draw = replay.draw(self.config.seed ^ private(hand), replay.played.len(), ACTION);
        let action = choices.actions[drawn(&choices.of(hand.hole), draw)];
        Ok(Decision {
            action,
            actions: choices.actions,
            frequencies: choices.rows,
            values,
            source,
            iterations: searched.0,
            measure: searched.1,
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
