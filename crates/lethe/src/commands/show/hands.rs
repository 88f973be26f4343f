//! Hands one by one.

use std::io;

use lethe_cards::Range;
use lethe_compute::Job;
use lethe_game::Player;
use lethe_solver::{HandView, Position};
use serde::Serialize;

use super::realisation;
use crate::commands::solving::{chips, or_dash, percent};
use crate::error::InputError;
use crate::output::Output;

/// Some hands of a player at a node.
#[derive(Debug, Serialize)]
pub(super) struct Hands {
    player: &'static str,
    hands: Vec<Row>,
}

/// One hand.
#[derive(Debug, Serialize)]
struct Row {
    hand: String,
    weight: f64,
    reach: f64,
    ev: Option<f64>,
    equity: Option<f64>,
    realisation: Option<f64>,
    actions: Vec<Choice>,
}

/// One action of a hand.
#[derive(Debug, Serialize)]
struct Choice {
    action: String,
    /// None where the hand never comes here.
    frequency: Option<f64>,
    ev: Option<f64>,
}

impl Hands {
    /// The hands of a range among those that a player can have; an error if there is none.
    pub(super) fn of(
        position: &Position<'_>,
        player: Player,
        own: &[HandView],
        listed: &Range,
        job: Job<'_>,
    ) -> anyhow::Result<Hands> {
        let acts = position.player() == Some(player);
        let evs =
            if acts { position.action_evs(job).map_err(InputError::new)? } else { Vec::new() };
        let row = |(place, hand): (usize, &HandView)| {
            let choice = |(action, name): (usize, &lethe_game::Action)| Choice {
                action: name.to_string(),
                frequency: hand.frequencies.as_ref().map(|frequencies| frequencies[action]),
                ev: evs.get(place).and_then(|evs| evs.get(action).copied().flatten()),
            };
            Row {
                hand: hand.hole.to_string(),
                weight: hand.weight,
                reach: hand.reach,
                ev: hand.ev,
                equity: hand.equity,
                realisation: realisation(hand.ev, hand.equity, position.pot()),
                actions: match acts {
                    true => position.actions().iter().enumerate().map(choice).collect(),
                    false => Vec::new(),
                },
            }
        };
        let wanted = own.iter().enumerate();
        let wanted = wanted.filter(|(_, hand)| listed.weight(hand.hole) > 0 && hand.weight > 0.0);
        let hands: Vec<Row> = wanted.map(row).collect();
        if hands.is_empty() {
            let message = format!("none of these hands is in the range of {player} on this board");
            return Err(InputError::new(message).into());
        }
        Ok(Hands { player: player.name(), hands })
    }

    /// Writes a line for each hand.
    pub(super) fn write(&self, out: &mut Output<'_>) -> io::Result<()> {
        let actions = self.hands.first().map_or(&[][..], |row| &row.actions);
        let mut headings = vec![self.player, "reach", "EV", "equity", "realised"];
        let evs: Vec<String> =
            actions.iter().map(|choice| format!("EV {}", choice.action)).collect();
        headings.extend(actions.iter().map(|choice| choice.action.as_str()));
        headings.extend(evs.iter().map(String::as_str));
        let rows = self.hands.iter().map(|row| {
            let mut cells = vec![
                row.hand.clone(),
                format!("{:.4}", row.reach),
                or_dash(row.ev, chips),
                or_dash(row.equity, percent),
                or_dash(row.realisation, percent),
            ];
            cells.extend(row.actions.iter().map(|choice| or_dash(choice.frequency, percent)));
            cells.extend(row.actions.iter().map(|choice| or_dash(choice.ev, chips)));
            cells
        });
        out.table(&headings, &rows.collect::<Vec<_>>())
    }
}
