//! The summary of a node: pot, stacks, who acts, both ranges and the actions.

use std::io::{self, Write};

use lethe_game::{NodeKind, Tree};
use lethe_solver::{HandView, Position};
use serde::Serialize;

use super::realisation;
use crate::commands::solving::{Both, Share, chips, line, or_dash, percent, shares};
use crate::output::Output;

/// The summary of a node.
#[derive(Debug, Serialize)]
pub(super) struct Node {
    line: String,
    board: String,
    pot: f64,
    stacks: Both<u32>,
    /// Who acts; none where a card is dealt.
    player: Option<&'static str>,
    combos: Both<f64>,
    ev: Both<Option<f64>>,
    equity: Both<Option<f64>>,
    realisation: Both<Option<f64>>,
    actions: Vec<Share>,
}

impl Node {
    /// The summary of a position, given both players' hands there, of a spot with this tree whose
    /// board has `first` cards.
    pub(super) fn of(
        position: &Position<'_>,
        hands: &[Vec<HandView>; 2],
        (tree, first): (&Tree, usize),
    ) -> Node {
        let view = position.summary(hands);
        let pot = position.pot();
        let realised = [0, 1].map(|p| realisation(view.ev[p], view.equity[p], pot));
        Node {
            line: line::with_cards(&position.history(), &position.board(), first),
            board: position.board().to_string(),
            pot,
            stacks: tree.stacks(position.node()).into(),
            player: position.player().map(|player| player.name()),
            combos: view.combos.into(),
            ev: view.ev.into(),
            equity: view.equity.into(),
            realisation: realised.into(),
            actions: match position.kind() {
                NodeKind::Decision(_) => shares(position.actions(), view.frequencies.as_deref()),
                _ => Vec::new(),
            },
        }
    }

    /// Writes it for people.
    pub(super) fn write(&self, out: &mut Output<'_>) -> io::Result<()> {
        let line = if self.line.is_empty() { "(the first decision)" } else { &self.line };
        let acts = self
            .player
            .map_or_else(|| "a card is dealt".to_owned(), |player| format!("{player} to act"));
        let heading = out.bold(line);
        writeln!(out, "{heading}")?;
        writeln!(
            out,
            "{}  pot {}  stacks {}, {}  {acts}\n",
            self.board,
            chips(self.pot),
            self.stacks.oop,
            self.stacks.ip
        )?;
        let row = |name: &str, of: &dyn Fn(&Both<Option<f64>>) -> Option<f64>, combos: f64| {
            vec![
                name.to_owned(),
                format!("{combos:.2}"),
                or_dash(of(&self.ev), chips),
                or_dash(of(&self.equity), percent),
                or_dash(of(&self.realisation), percent),
            ]
        };
        let rows = [
            row("oop", &|both| both.oop, self.combos.oop),
            row("ip", &|both| both.ip, self.combos.ip),
        ];
        out.table(&["player", "combos", "EV", "equity", "realised"], &rows)?;
        if !self.actions.is_empty() {
            writeln!(out)?;
            let rows = self.actions.iter();
            let rows = rows.map(|s| vec![s.action.clone(), or_dash(s.frequency, percent)]);
            out.table(&["action", "frequency"], &rows.collect::<Vec<_>>())?;
        }
        Ok(())
    }
}
