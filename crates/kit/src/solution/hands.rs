//! Hands one by one.

use lethe_cards::Range;
use lethe_compute::Job;
use lethe_game::Player;
use lethe_solver::{HandView, Position};
use serde::Serialize;

use super::SolutionError;
use super::position::Values;
use crate::action::{self, ActionShare, shares};
use crate::hand_class::{Draw, Made};
use crate::spot::in_big_blinds;

/// Some hands of a player at a position.
#[derive(Clone, Debug, Serialize)]
pub struct HandsView {
    /// The player.
    pub player: &'static str,
    /// The hands.
    pub hands: Vec<HandRow>,
}

/// One hand.
#[derive(Clone, Debug, Serialize)]
pub struct HandRow {
    /// Its cards.
    pub hand: String,
    /// The made hand that it is.
    pub made: &'static str,
    /// The draws that it has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub draws: Vec<&'static str>,
    /// Its weight in the player's range at the start.
    pub weight: f64,
    /// Its weight here.
    pub reach: f64,
    /// What it is worth.
    #[serde(flatten)]
    pub values: Values,
    /// Its actions with their values; empty where the player does not act.
    pub actions: Vec<ActionShare>,
}

impl HandsView {
    /// Whether a player can have some hand of a range.
    pub(super) fn has_any(position: &Position<'_>, player: Player, listed: &Range) -> bool {
        let reach = position.reach(player);
        listed.iter().any(|(hole, _)| reach[hole.index()] > 0.0)
    }

    /// The hands of a range among those that a player can have; an error if there are none.
    pub(super) fn of(
        position: &Position<'_>,
        player: Player,
        own: &[HandView],
        listed: &Range,
        job: Job<'_>,
    ) -> Result<HandsView, SolutionError> {
        let acts = position.player() == Some(player);
        let evs = if acts { position.action_evs(job)? } else { Vec::new() };
        let actions = action::at(position.tree(), position.node());
        let actions = if acts { &actions[..] } else { &[] };
        let big_blind = position.tree().game().big_blind();
        let board = position.board();
        let row = |(place, hand): (usize, &HandView)| {
            let mut played = shares(actions, hand.frequencies.as_deref());
            for (action, share) in played.iter_mut().enumerate() {
                share.ev = evs.get(place).and_then(|evs| evs.get(action).copied().flatten());
                share.ev_bb = share.ev.and_then(|ev| in_big_blinds(big_blind, ev));
            }
            HandRow {
                hand: hand.hole.to_string(),
                made: Made::of(hand.hole, &board).name(),
                draws: Draw::held(hand.hole, &board),
                weight: hand.weight,
                reach: hand.reach,
                values: Values::of(position, hand.ev, hand.equity),
                actions: played,
            }
        };
        let wanted = own.iter().enumerate();
        let wanted = wanted.filter(|(_, hand)| listed.weight(hand.hole) > 0 && hand.weight > 0.0);
        let hands: Vec<HandRow> = wanted.map(row).collect();
        if hands.is_empty() {
            return Err(SolutionError::NoSuchHands(player));
        }
        Ok(HandsView { player: player.name(), hands })
    }
}
