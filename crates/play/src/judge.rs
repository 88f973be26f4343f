//! What the decisions of a played hand were worth, by an agent in the player's seat.

use lethe_agent::{Agent, AgentError};
use lethe_compute::Job;
use lethe_game::{Action, Player};
use lethe_kit::action::{ActionView, in_state};
use serde::Serialize;

use crate::advice::AdviceView;
use crate::record::{PlayedHand, Replay};

/// A decision of a played hand, and what the agent says about it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JudgedView {
    /// The place of the action in the hand, from 0.
    pub place: usize,
    /// What was done.
    pub done: ActionView,
    /// How often the agent does that with this hand; for a size that is not among the agent's, how often
    /// it takes the sizes beside it.
    pub frequency: f64,
    /// What was done is worth this much to the hand, in chips; for a size that is not among the agent's, by
    /// those beside it.
    pub ev: Option<f64>,
    /// How much less that is than the best action, in chips.
    pub loss: Option<f64>,
    /// The same in big blinds.
    pub loss_bb: Option<f64>,
    /// Whether the size that was bet is not among the agent's.
    pub off_tree: bool,
    /// What the agent would do.
    pub advice: AdviceView,
}

impl JudgedView {
    /// Judges one action of a hand that was played.
    ///
    /// # Errors
    /// As [`Agent::decide`].
    ///
    /// # Panics
    /// If the hand has no such action, or the hole of its player is not known.
    pub fn of(
        hand: &PlayedHand,
        replay: &Replay,
        place: usize,
        agent: &Agent<'_>,
        job: Job<'_>,
    ) -> Result<JudgedView, AgentError> {
        let played = &replay.played[place];
        let asked = hand.before(replay, place).expect("the hole is known");
        let advice = AdviceView::ask(agent, &asked, &played.state, hand.big_blind, job)?;
        let done = in_state(&played.state, played.action);
        let parts = parts(&advice, played.action, &done);
        let sum = |value: &dyn Fn(usize) -> Option<f64>| {
            parts.iter().map(|&(at, part)| Some(part * value(at)?)).sum::<Option<f64>>()
        };
        let frequencies = &advice.frequencies;
        let ev = sum(&|at| frequencies[at].ev).filter(|_| !parts.is_empty());
        let off_tree = !frequencies.iter().any(|share| share.action == done);
        let frequency = match off_tree {
            false => sum(&|at| frequencies[at].frequency),
            true => parts.iter().map(|&(at, _)| frequencies[at].frequency).sum(),
        };
        let loss = ev.zip(advice.best()).map(|(ev, best)| (best - ev).max(0.0));
        Ok(JudgedView {
            place,
            done,
            frequency: frequency.unwrap_or(0.0),
            ev,
            loss,
            loss_bb: loss.map(|loss| loss / f64::from(hand.big_blind)),
            off_tree,
            advice,
        })
    }

    /// Judges all decisions of a player in a hand.
    ///
    /// # Errors
    /// As [`Agent::decide`].
    pub fn all(
        hand: &PlayedHand,
        replay: &Replay,
        player: Player,
        agent: &Agent<'_>,
        job: Job<'_>,
    ) -> Result<Vec<JudgedView>, AgentError> {
        let own = |place: &usize| replay.played[*place].state.to_act == player;
        let places = (0..replay.played.len()).filter(own);
        places.map(|place| JudgedView::of(hand, replay, place, agent, job)).collect()
    }
}

/// The agent's actions that an action is like, and to what part each: itself, or the two sizes beside it by
/// the pseudo-harmonic mapping.
fn parts(advice: &AdviceView, action: Action, done: &ActionView) -> Vec<(usize, f64)> {
    let shares = &advice.frequencies;
    if let Some(same) = shares.iter().position(|share| share.action == *done) {
        return vec![(same, 1.0)];
    }
    let Some(x) = done.pot_fraction.filter(|_| action.amount().is_some()) else {
        return Vec::new();
    };
    // Sizes ascend, as all actions do.
    let size = |at: usize| shares[at].action.pot_fraction;
    let sizes: Vec<(usize, f64)> =
        (0..shares.len()).filter_map(|at| Some((at, size(at)?))).collect();
    let above = sizes.partition_point(|&(_, size)| size < x);
    match (above.checked_sub(1).map(|below| sizes[below]), sizes.get(above)) {
        (Some((below, a)), Some(&(above, b))) => {
            let lower = (b - x) * (1.0 + a) / ((b - a) * (1.0 + x));
            vec![(below, lower), (above, 1.0 - lower)]
        }
        (Some((only, _)), None) => vec![(only, 1.0)],
        (None, Some(&(only, _))) => vec![(only, 1.0)],
        (None, None) => Vec::new(),
    }
}
