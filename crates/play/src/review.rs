//! Reviews of hand histories: every decision judged by an agent, and totals.

use lethe_agent::{Agent, AgentError};
use lethe_compute::Job;
use lethe_game::{Action, Chips, HandConfig, Player};
use serde::Serialize;

use crate::acpc_log::{AcpcLogError, is_acpc_log, read_acpc_log};
use crate::judge::JudgedView;
use crate::phh::{PhhError, read_hands};
use crate::record::{PlayedHand, Replay};

/// Reads hands in PHH or a log of the ACPC dealer, which has the blinds and stacks of the game.
///
/// # Errors
/// If the text is neither, or a hand breaks the rules.
pub fn read_records(text: &str, game: &HandConfig) -> Result<Vec<PlayedHand>, HistoryFileError> {
    if !is_acpc_log(text) {
        return Ok(read_hands(text)?);
    }
    let HandConfig { stack, small_blind, big_blind, ante, .. } = *game;
    let rules = PlayedHand { ante, ..PlayedHand::new(0, [stack; 2], small_blind, big_blind) };
    Ok(read_acpc_log(text, &rules)?)
}

/// A file that is no hand history.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HistoryFileError {
    /// Neither PHH nor a log.
    #[error(transparent)]
    Phh(#[from] PhhError),
    /// A log with something wrong in it.
    #[error(transparent)]
    Acpc(#[from] AcpcLogError),
}

/// A decision of a reviewed hand.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReviewedView {
    /// The number of the hand.
    pub number: u64,
    /// The player's name.
    pub player: String,
    /// What was done and what the agent says.
    #[serde(flatten)]
    pub judged: JudgedView,
}

/// Decisions that have something in common.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReviewTotal {
    /// What that is: a street, a kind of action or a player.
    pub name: String,
    /// How many there are.
    pub decisions: u64,
    /// How many of them have a value.
    pub valued: u64,
    /// How often the agent does the same, on average.
    pub frequency: f64,
    /// What they cost together, in big blinds.
    pub loss_bb: f64,
    /// What they cost in thousandths of a big blind per hand of the review.
    pub loss_mbb_per_hand: f64,
}

/// A review.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReviewView {
    /// The hands.
    pub hands: u64,
    /// The decisions of players whose holes are known, in order.
    pub decisions: Vec<ReviewedView>,
    /// The decisions of players whose holes are not known.
    pub unknown: u64,
    /// By street.
    pub streets: Vec<ReviewTotal>,
    /// By what was done: fold, check, call, bet, raise or all-in.
    pub kinds: Vec<ReviewTotal>,
    /// By player.
    pub players: Vec<ReviewTotal>,
}

/// Judges the decisions of hands, or those of one player. The hands' chips are scaled to the blueprint's.
///
/// # Errors
/// If a hand is not of the blueprint's game, the agent has no answer, or no hand has the player.
pub fn review(
    hands: &[PlayedHand],
    player: Option<&str>,
    game: &HandConfig,
    agent: &Agent<'_>,
    job: Job<'_>,
) -> Result<ReviewView, ReviewError> {
    let mut wanted: Vec<(PlayedHand, Replay, usize)> = Vec::new();
    let mut unknown = 0;
    let mut seen: Vec<String> = Vec::new();
    for hand in hands {
        let fail = |why| ReviewError::Hand { number: hand.number, why };
        let hand = scaled(hand, game).ok_or_else(|| {
            let of = |small: Chips, big: Chips, ante: Chips| match ante {
                0 => format!("{small}/{big}"),
                ante => format!("{small}/{big} and an ante of {ante}"),
            };
            fail(ReviewProblem::Blinds {
                found: of(hand.small_blind, hand.big_blind, hand.ante),
                expected: of(game.small_blind, game.big_blind, game.ante),
            })
        })?;
        let replay = hand.replay().expect("it was played by the rules before");
        for player in Player::BOTH {
            let name = name(&hand, player);
            if !seen.contains(&name) {
                seen.push(name);
            }
        }
        for place in 0..replay.played.len() {
            let actor = replay.played[place].state.to_act;
            if player.is_some_and(|player| name(&hand, actor) != player) {
                continue;
            }
            match hand.holes[actor.index()] {
                Some(_) => wanted.push((hand.clone(), replay.clone(), place)),
                None => unknown += 1,
            }
        }
    }
    if let Some(player) = player.filter(|player| !seen.iter().any(|name| name == player)) {
        return Err(ReviewError::NoPlayer { player: player.to_owned(), known: seen.join(", ") });
    }
    job.begin("decisions", wanted.len() as u64);
    let mut decisions = Vec::with_capacity(wanted.len());
    let mut actions = Vec::with_capacity(wanted.len());
    for (hand, replay, place) in &wanted {
        let judged = JudgedView::of(hand, replay, *place, agent, job.silent());
        let judged = judged.map_err(|why| match why {
            why if why.is_cancelled() => ReviewError::Cancelled,
            why => ReviewError::Hand { number: hand.number, why: ReviewProblem::Agent(why) },
        })?;
        let actor = replay.played[*place].state.to_act;
        let (number, player) = (hand.number, name(hand, actor));
        decisions.push(ReviewedView { number, player, judged });
        actions.push(replay.played[*place].action);
        job.advance(1);
    }
    let streets = lethe_cards::Street::ALL.map(|street| street.to_string());
    let kinds = ["fold", "check", "call", "bet", "raise", "all-in"].map(str::to_owned);
    let total = |names: &[String], of: &dyn Fn(usize) -> String| -> Vec<ReviewTotal> {
        let total = |name: &String| total(name, &decisions, hands.len(), &|at| of(at) == *name);
        names.iter().map(total).filter(|total| total.decisions > 0).collect()
    };
    let view = ReviewView {
        hands: hands.len() as u64,
        unknown,
        streets: total(&streets, &|at| decisions[at].judged.advice.street.clone()),
        kinds: total(&kinds, &|at| kind(actions[at]).to_owned()),
        players: total(&seen, &|at| decisions[at].player.clone()),
        decisions: Vec::new(),
    };
    Ok(ReviewView { decisions, ..view })
}

fn total(
    name: &str,
    decisions: &[ReviewedView],
    hands: usize,
    is_in: &dyn Fn(usize) -> bool,
) -> ReviewTotal {
    let inside =
        decisions.iter().enumerate().filter(|(at, _)| is_in(*at)).map(|(_, one)| &one.judged);
    let (mut count, mut valued, mut frequency, mut loss) = (0, 0, 0.0, 0.0);
    for judged in inside {
        count += 1;
        frequency += judged.frequency;
        if let Some(one) = judged.loss_bb {
            valued += 1;
            loss += one;
        }
    }
    ReviewTotal {
        name: name.to_owned(),
        decisions: count,
        valued,
        frequency: if count > 0 { frequency / count as f64 } else { 0.0 },
        loss_bb: loss,
        loss_mbb_per_hand: 1000.0 * loss / hands.max(1) as f64,
    }
}

/// A player's name; the position for one without.
fn name(hand: &PlayedHand, player: Player) -> String {
    match hand.names[player.index()].as_str() {
        "" => lethe_kit::action::blind(player).to_owned(),
        name => name.to_owned(),
    }
}

fn kind(action: Action) -> &'static str {
    match action {
        Action::Fold => "fold",
        Action::Check => "check",
        Action::Call => "call",
        Action::Bet(_) => "bet",
        Action::Raise(_) => "raise",
        Action::AllIn(_) => "all-in",
    }
}

/// A hand in the chips of a game, if its blinds and ante are the game's up to a factor.
fn scaled(hand: &PlayedHand, game: &HandConfig) -> Option<PlayedHand> {
    let scale = |chips: Chips| {
        let product = u64::from(chips) * u64::from(game.big_blind);
        let whole = product.is_multiple_of(u64::from(hand.big_blind));
        whole.then(|| Chips::try_from(product / u64::from(hand.big_blind)).ok()).flatten()
    };
    let same = scale(hand.small_blind)? == game.small_blind && scale(hand.ante)? == game.ante;
    let action = |action: &Action| {
        Some(match *action {
            Action::Bet(to) => Action::Bet(scale(to)?),
            Action::Raise(to) => Action::Raise(scale(to)?),
            Action::AllIn(to) => Action::AllIn(scale(to)?),
            action => action,
        })
    };
    same.then_some(())?;
    Some(PlayedHand {
        small_blind: game.small_blind,
        big_blind: game.big_blind,
        ante: game.ante,
        stacks: [scale(hand.stacks[0])?, scale(hand.stacks[1])?],
        actions: hand.actions.iter().map(action).collect::<Option<_>>()?,
        ..hand.clone()
    })
}

/// Hands that cannot be reviewed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReviewError {
    /// A hand that cannot.
    #[error("hand {number}: {why}")]
    Hand {
        /// Its number.
        number: u64,
        /// Why.
        why: ReviewProblem,
    },
    /// A player who does not play.
    #[error("no player is called '{}'; players are {}", player.escape_debug(), known.escape_debug())]
    NoPlayer {
        /// The name.
        player: String,
        /// Those who play.
        known: String,
    },
    /// The job was cancelled.
    #[error("cancelled")]
    Cancelled,
}

/// Why a hand cannot be reviewed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReviewProblem {
    /// Another game.
    #[error("blinds of {found}; the run was trained for {expected}, up to a factor")]
    Blinds {
        /// The hand's.
        found: String,
        /// The run's.
        expected: String,
    },
    /// The agent has no answer.
    #[error(transparent)]
    Agent(AgentError),
}
