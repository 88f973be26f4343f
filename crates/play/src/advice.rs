//! `AdviceView`: what an agent would do, for one hand in one place.

use lethe_agent::{Agent, AgentError, Decision, HandState, Source};
use lethe_cards::Hole;
use lethe_compute::Job;
use lethe_game::{BettingState, Chips};
use lethe_kit::action::{ActionShare, blind, in_state};
use serde::Serialize;

/// What an agent would do with a hand, and what each action is worth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AdviceView {
    /// The hand.
    pub hand: String,
    /// The player's seat: `sb` or `bb`.
    pub seat: &'static str,
    /// The street.
    pub street: String,
    /// The board; empty before the flop.
    pub board: String,
    /// All chips in the middle, bets of this street included.
    pub pot: Chips,
    /// What a call costs.
    pub to_call: Chips,
    /// The chips that the player has left.
    pub stack: Chips,
    /// The actions, how often the hand takes each, and its value: the share of the pot in chips less what
    /// is put in from here on, so that a fold is worth 0. Without values where they are not known.
    pub frequencies: Vec<ActionShare>,
    /// The action that the agent would take this time.
    pub action: String,
    /// Where it comes from.
    pub source: Source,
    /// The iterations of the solve it comes from; 0 for the blueprint.
    pub iterations: u32,
    /// The time it took.
    pub seconds: f64,
}

impl AdviceView {
    /// Asks an agent about a hand in a state of its betting.
    ///
    /// # Errors
    /// As [`Agent::decide`].
    pub fn ask(
        agent: &Agent<'_>,
        hand: &HandState,
        state: &BettingState,
        big_blind: Chips,
        job: Job<'_>,
    ) -> Result<AdviceView, AgentError> {
        let decision = agent.decide(hand, job)?;
        let own = state.put[state.to_act.index()];
        let bet = state.put[0].max(state.put[1]);
        Ok(AdviceView {
            hand: hand.hole.to_string(),
            seat: blind(state.to_act),
            street: state.street.to_string(),
            board: hand.board.to_string(),
            pot: state.pot + state.put[0] + state.put[1],
            to_call: bet - own,
            stack: state.stack - own,
            frequencies: shares(&decision, hand.hole, state, big_blind),
            action: decision.action.to_string(),
            source: decision.source,
            iterations: decision.iterations,
            seconds: decision.elapsed.as_secs_f64(),
        })
    }

    /// The highest value of an action.
    pub fn best(&self) -> Option<f64> {
        self.frequencies.iter().filter_map(|share| share.ev).reduce(f64::max)
    }
}

/// The actions of a decision with the frequencies and values of a hole.
fn shares(
    decision: &Decision,
    hole: Hole,
    state: &BettingState,
    big_blind: Chips,
) -> Vec<ActionShare> {
    let frequencies = decision.of(hole);
    let total: f64 = frequencies.iter().map(|&share| f64::from(share)).sum();
    let share = |(place, &action)| {
        let ev = decision.values.as_ref().and_then(|values| values.get(place).copied());
        ActionShare {
            action: in_state(state, action),
            frequency: (total > 0.0).then(|| f64::from(frequencies[place]) / total),
            ev,
            ev_bb: ev.map(|ev| ev / f64::from(big_blind)),
            ev_interval: None,
        }
    };
    decision.actions.iter().enumerate().map(share).collect()
}
