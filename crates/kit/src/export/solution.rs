//! The strategies of a solution as rows of a table.

use lethe_cards::{Card, Street};
use lethe_compute::Job;
use lethe_game::{Action, NodeKind, Player};
use lethe_solver::{HandView, Position, Solution};

use super::{ACTION, ExportError, Kind, Schema, Table, Value, action_values};
use crate::action;
use crate::line;
use crate::solution::take;

/// The rows to write: those of every decision at and below a position.
#[derive(Debug)]
pub struct SolutionRows<'a> {
    position: Position<'a>,
    /// The last street to write.
    last: Street,
    /// The cards of the solution's board.
    first: usize,
}

impl<'a> SolutionRows<'a> {
    /// A record for each hand at a decision; no actions where the hand never gets there.
    pub const SCHEMA: Schema = Schema {
        columns: &[
            ("line", Kind::Text),
            ("board", Kind::Text),
            ("player", Kind::Text),
            ("hand", Kind::Text),
            ("weight", Kind::Number),
            ("reach", Kind::Number),
            ("equity", Kind::Number),
            ("ev", Kind::Number),
        ],
        list: ("actions", ACTION),
    };

    /// The rows after a line, with every card that may be dealt up to the street `last`; `None` for
    /// the street where the line ends.
    pub fn new(
        solution: &'a Solution,
        line: &str,
        last: Option<Street>,
    ) -> Result<SolutionRows<'a>, ExportError> {
        let mut position = solution.root();
        for step in line::steps(line) {
            position = take(position, &step, line)?;
        }
        let last = last.unwrap_or(position.board().street());
        if let Some(street) = missing(&position, last)? {
            return Err(ExportError::NotSaved(street));
        }
        Ok(SolutionRows { position, last, first: solution.spot().board().cards().len() })
    }

    /// Writes them one by one, depth first; the number of rows.
    pub fn write(&self, mut table: Table<'_>, job: Job<'_>) -> Result<u64, ExportError> {
        self.below(&self.position, &mut table, job)?;
        table.finish()
    }

    fn below(
        &self,
        position: &Position<'_>,
        table: &mut Table<'_>,
        job: Job<'_>,
    ) -> Result<(), ExportError> {
        job.check()?;
        match position.kind() {
            NodeKind::Fold(_) | NodeKind::Showdown => {}
            NodeKind::Chance if position.board().street() >= self.last => {}
            NodeKind::Chance => {
                let board = position.board().set();
                for card in Card::all().rev().filter(|&card| !board.contains(card)) {
                    self.below(&position.deal(card)?, table, job)?;
                }
            }
            NodeKind::Decision(player) => {
                self.decision(position, player, table, job)?;
                for action in 0..position.actions().len() {
                    self.below(&position.act(action)?, table, job)?;
                }
            }
        }
        Ok(())
    }

    fn decision(
        &self,
        position: &Position<'_>,
        player: Player,
        table: &mut Table<'_>,
        job: Job<'_>,
    ) -> Result<(), ExportError> {
        let board = position.board();
        let line = line::with_cards(&position.history(), &board, self.first);
        let board = board.to_string();
        let actions = action::at(position.tree(), position.node());
        let evs = position.action_evs(job)?;
        for (hand, evs) in position.hands(player, job)?.into_iter().zip(evs) {
            let HandView { hole, weight, reach, ev, equity, frequencies, .. } = hand;
            if weight == 0.0 {
                continue;
            }
            let hole = hole.to_string();
            let values = [
                Value::Text(&line),
                Value::Text(&board),
                Value::Text(player.name()),
                Value::Text(&hole),
                Value::Number(weight),
                Value::Number(reach),
                equity.into(),
                ev.into(),
            ];
            let frequencies = frequencies.unwrap_or_default();
            let played = actions.iter().zip(frequencies).zip(evs);
            let played = played.map(|((action, x), ev)| {
                let mut values = action_values(action, x);
                values.push(ev.into());
                values
            });
            table.record(&values, &played.collect::<Vec<_>>())?;
        }
        Ok(())
    }
}

/// The first street up to `last` that was not kept, as far as a line of checks and calls shows: a
/// street is kept as a whole or not at all.
fn missing(position: &Position<'_>, last: Street) -> Result<Option<Street>, ExportError> {
    match position.kind() {
        NodeKind::Fold(_) | NodeKind::Showdown => Ok(None),
        NodeKind::Chance if position.board().street() >= last => Ok(None),
        NodeKind::Chance => {
            let mut free = Card::all().filter(|&card| !position.board().set().contains(card));
            let card = free.next().expect("a board has five cards at most");
            missing(&position.deal(card)?, last)
        }
        NodeKind::Decision(_) if !position.is_stored() => Ok(Some(position.board().street())),
        NodeKind::Decision(_) => {
            let passive = |action: &Action| matches!(action, Action::Check | Action::Call);
            match position.actions().iter().position(passive) {
                Some(action) => missing(&position.act(action)?, last),
                None => Ok(None),
            }
        }
    }
}
