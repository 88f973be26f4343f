//! What actions are worth where the blueprint is played.

use lethe_blueprint::Values;
use lethe_cards::{Hole, Street};
use lethe_compute::Job;
use lethe_game::{Action, BettingState};

use crate::agent::Tables;
use crate::error::AgentError;
use crate::hand::Replay;
use crate::sizes::in_hand;
use crate::trunk::Trunk;

impl Trunk {
    /// What each action of [`Trunk::choices`] is worth to a hole of the player to act, in chips of the
    /// hand; `None` where that is not known.
    pub(crate) fn values(
        &self,
        blueprint: &Tables<'_>,
        preflop: Option<&Values>,
        replay: &Replay,
        hole: Hole,
        job: Job<'_>,
    ) -> Result<Option<Vec<f64>>, AgentError> {
        let (tree, state) = (blueprint.plan.tree(), &replay.now);
        let at = self.stands_for(tree, state).filter(|_| self.solved.is_none());
        let Some(at) = at else { return Ok(None) };
        let found = match state.street {
            Street::Preflop => self.before_the_flop(blueprint, preflop, state, hole)?,
            _ => blueprint.action_values(&replay.board, self.node, job)?.of(hole),
        };
        let Some(found) = found else { return Ok(None) };
        let chips = |state: &BettingState| f64::from(state.pot + state.put[0] + state.put[1]);
        let scale = chips(state) / chips(&at);
        let shares = self.frequencies(blueprint, &replay.board);
        let mut merged: Vec<(Action, Vec<[f64; 2]>)> = Vec::new();
        for (place, (&action, value)) in tree.actions(self.node).iter().zip(found).enumerate() {
            let action = in_hand(tree.game(), action, &at, state);
            let share = f64::from(shares[place * Hole::COUNT + hole.index()]);
            let entry = [share, value * scale];
            match merged.iter_mut().find(|(known, _)| *known == action) {
                Some((_, entries)) => entries.push(entry),
                None => merged.push((action, vec![entry])),
            }
        }
        Ok(Some(merged.iter().map(|(_, entries)| mean(entries)).collect()))
    }

    /// The values of the node's actions before the flop, in chips of the tree.
    fn before_the_flop(
        &self,
        blueprint: &Tables<'_>,
        values: Option<&Values>,
        state: &BettingState,
        hole: Hole,
    ) -> Result<Option<Vec<f64>>, AgentError> {
        let Some(values) = values else { return Ok(None) };
        let (plan, player) = (blueprint.plan, state.to_act);
        let put = blueprint.put_in(player.index(), self.node);
        let mut found = Vec::new();
        for &child in plan.tree().children(self.node) {
            let Some(value) = values.hand(plan, player, child, hole.class())? else {
                return Ok(None);
            };
            found.push(value.chips + put);
        }
        Ok(Some(found))
    }
}

/// The mean of values by their shares; of all equally if the shares are zero.
fn mean(entries: &[[f64; 2]]) -> f64 {
    let total: f64 = entries.iter().map(|[share, _]| share).sum();
    let weight = |share: f64| if total > 0.0 { share / total } else { 1.0 / entries.len() as f64 };
    entries.iter().map(|&[share, value]| weight(share) * value).sum()
}
