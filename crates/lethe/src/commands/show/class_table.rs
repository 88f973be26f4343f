//! A range by made hands and draws.

use std::io::{self, Write};

use lethe_cards::Board;
use lethe_game::{Action, Player};
use lethe_solver::HandView;
use serde::Serialize;

use super::hand_class::{Draw, Made};
use super::realisation;
use crate::commands::solving::{Share, chips, or_dash, percent, shares};
use crate::output::Output;

/// A range by what its hands are: each hand has one made hand and any number of draws.
#[derive(Debug, Serialize)]
pub(super) struct Classes {
    player: &'static str,
    made: Vec<Row>,
    draws: Vec<Row>,
}

/// The hands of one class.
#[derive(Debug, Serialize)]
struct Row {
    class: &'static str,
    combos: f64,
    share: f64,
    ev: Option<f64>,
    equity: Option<f64>,
    realisation: Option<f64>,
    actions: Vec<Share>,
}

impl Classes {
    /// The classes that a player's hands make up; those that nobody comes with are left out.
    pub(super) fn of(
        player: Player,
        own: &[HandView],
        actions: &[Action],
        board: &Board,
        pot: f64,
    ) -> Classes {
        let total: f64 = own.iter().map(|hand| hand.reach).sum();
        let row = |class: &'static str, holds: &dyn Fn(&HandView) -> bool| {
            let hands: Vec<&HandView> =
                own.iter().filter(|hand| hand.reach > 0.0 && holds(hand)).collect();
            let mean = |of: &dyn Fn(&HandView) -> Option<f64>| {
                HandView::average(hands.iter().copied(), of)
            };
            let frequency = |action: usize| {
                mean(&|hand| hand.frequencies.as_ref().map(|frequencies| frequencies[action]))
            };
            let frequencies: Option<Vec<f64>> = (0..actions.len()).map(frequency).collect();
            let (ev, equity) = (mean(&|hand| hand.ev), mean(&|hand| hand.equity));
            let combos: f64 = hands.iter().map(|hand| hand.reach).sum();
            (combos > 0.0).then(|| Row {
                class,
                combos,
                share: combos / total,
                ev,
                equity,
                realisation: realisation(ev, equity, pot),
                actions: shares(actions, frequencies.as_deref()),
            })
        };
        let made = Made::ALL.into_iter();
        let draws = Draw::ALL.into_iter();
        Classes {
            player: player.name(),
            made: made
                .filter_map(|m| row(m.name(), &|hand| Made::of(hand.hole, board) == m))
                .collect(),
            draws: draws
                .filter_map(|draw| row(draw.name(), &|hand| draw.is_held(hand.hole, board)))
                .collect(),
        }
    }

    /// Writes both tables.
    pub(super) fn write(&self, out: &mut Output<'_>) -> io::Result<()> {
        table(self.player, &self.made, out)?;
        if !self.draws.is_empty() {
            writeln!(out)?;
            table("draws", &self.draws, out)?;
        }
        Ok(())
    }
}

fn table(title: &str, rows: &[Row], out: &mut Output<'_>) -> io::Result<()> {
    let actions = rows.first().map_or(&[][..], |row| &row.actions);
    let mut headings = vec![title, "combos", "share", "EV", "equity", "realised"];
    headings.extend(actions.iter().map(|share| share.action.as_str()));
    let rows = rows.iter().map(|row| {
        let mut cells = vec![
            row.class.to_owned(),
            format!("{:.2}", row.combos),
            percent(row.share),
            or_dash(row.ev, chips),
            or_dash(row.equity, percent),
            or_dash(row.realisation, percent),
        ];
        cells.extend(row.actions.iter().map(|share| or_dash(share.frequency, percent)));
        cells
    });
    out.table(&headings, &rows.collect::<Vec<_>>())
}
