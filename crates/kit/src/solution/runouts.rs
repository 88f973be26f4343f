//! What every next card does to both ranges.

use lethe_cards::Card;
use lethe_compute::Job;
use lethe_game::Player;
use lethe_solver::{HandView, Position};
use serde::Serialize;

use super::position::both_in_big_blinds;
use super::{OnMetrics, SolutionError, SolveOptions, is_missing, resolve};
use crate::action::{self, ActionShare, Both, shares};

/// Every card that may be dealt, highest first.
#[derive(Clone, Debug, Serialize)]
pub struct RunoutsView {
    /// One row for each card.
    pub cards: Vec<RunoutRow>,
}

/// One card.
#[derive(Clone, Debug, Serialize)]
pub struct RunoutRow {
    /// The card.
    pub card: String,
    /// Each player's expected share of the pot after it, in chips.
    pub ev: Both<Option<f64>>,
    /// The same in big blinds, where their size is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ev_bb: Option<Both<Option<f64>>>,
    /// Each player's equity after it.
    pub equity: Both<Option<f64>>,
    /// The first player's actions after the card; empty after an all-in.
    pub actions: Vec<ActionShare>,
}

impl RunoutsView {
    /// The cards that may be dealt at a position; a street that was left out is solved again.
    pub(super) fn of(
        position: &Position<'_>,
        how: &SolveOptions,
        job: Job<'_>,
        on_metrics: OnMetrics<'_>,
    ) -> Result<RunoutsView, SolutionError> {
        let mut cards = Vec::new();
        for card in Card::all().rev().filter(|&card| !position.board().set().contains(card)) {
            let next = position.deal(card)?;
            // Where the card leaves no two hands there is nothing to solve.
            let met = |hand: &HandView| hand.reach * hand.against > 0.0;
            let missing = is_missing(&next) && next.hands(Player::Oop, job)?.iter().any(met);
            let view = match missing {
                true => resolve(&next, how, job, on_metrics)?.root().view(job)?,
                false => next.view(job)?,
            };
            let actions = action::at(next.tree(), next.node());
            cards.push(RunoutRow {
                card: card.to_string(),
                ev: view.ev.into(),
                ev_bb: both_in_big_blinds(&next, view.ev),
                equity: view.equity.into(),
                actions: shares(&actions, view.frequencies.as_deref()),
            });
        }
        Ok(RunoutsView { cards })
    }
}
