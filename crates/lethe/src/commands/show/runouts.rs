//! What every next card does to both ranges.

use std::io;

use lethe_cards::Card;
use lethe_compute::Job;
use lethe_game::{NodeKind, Player};
use lethe_solver::{HandView, NodeView, Position, Solution};
use serde::Serialize;

use crate::commands::solving::{Both, Share, chips, or_dash, percent, shares};
use crate::error::InputError;
use crate::output::Output;

/// One row for each card that may come, highest first.
#[derive(Debug, Serialize)]
pub(super) struct Runouts {
    cards: Vec<Row>,
}

/// One card.
#[derive(Debug, Serialize)]
struct Row {
    card: String,
    ev: Both<Option<f64>>,
    equity: Both<Option<f64>>,
    /// The first player's actions after the card; none after an all-in.
    actions: Vec<Share>,
}

impl Runouts {
    /// The cards that may be dealt at a position; a street that was left out is solved by
    /// `resolve`.
    pub(super) fn of(
        position: &Position<'_>,
        resolve: &mut dyn FnMut(&Position<'_>) -> anyhow::Result<Solution>,
        job: Job<'_>,
    ) -> anyhow::Result<Runouts> {
        let mut cards = Vec::new();
        for card in Card::all().rev().filter(|&card| !position.board().set().contains(card)) {
            let next = position.deal(card).map_err(InputError::new)?;
            let unknown = matches!(next.kind(), NodeKind::Decision(_)) && !next.is_stored();
            // Where the card leaves no two hands there is nothing to solve.
            let met = |hand: &HandView| hand.reach * hand.against > 0.0;
            cards.push(match unknown && next.hands(Player::Oop, job)?.iter().any(met) {
                true => row(card, &next, &resolve(&next)?.root().view(job)?),
                false => row(card, &next, &next.view(job)?),
            });
        }
        Ok(Runouts { cards })
    }

    /// Writes a line for each card.
    pub(super) fn write(&self, out: &mut Output<'_>) -> io::Result<()> {
        let actions = self.cards.first().map_or(&[][..], |row| &row.actions);
        let mut headings = vec!["card", "EV oop", "EV ip", "equity oop"];
        headings.extend(actions.iter().map(|share| share.action.as_str()));
        let rows = self.cards.iter().map(|row| {
            let mut cells = vec![
                row.card.clone(),
                or_dash(row.ev.oop, chips),
                or_dash(row.ev.ip, chips),
                or_dash(row.equity.oop, percent),
            ];
            cells.extend(row.actions.iter().map(|share| or_dash(share.frequency, percent)));
            cells
        });
        out.table(&headings, &rows.collect::<Vec<_>>())
    }
}

fn row(card: Card, next: &Position<'_>, view: &NodeView) -> Row {
    Row {
        card: card.to_string(),
        ev: view.ev.into(),
        equity: view.equity.into(),
        actions: shares(next.actions(), view.frequencies.as_deref()),
    }
}
