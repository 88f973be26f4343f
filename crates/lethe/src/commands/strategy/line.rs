//! The facts of a decision: pot, stacks, who acts.

use std::io::{self, Write};

use lethe_blueprint::{Blueprint, Decision};
use lethe_cards::Board;
use serde::Serialize;

use super::hands::All;
use crate::commands::solving::percent;
use crate::commands::training::player_name;
use crate::output::{Output, thousands};

/// The facts of a decision.
#[derive(Debug, Serialize)]
pub(super) struct Line {
    blueprint: String,
    iterations: u64,
    /// The hash of the game, which keys belong to.
    game: String,
    history: String,
    street: &'static str,
    board: Option<String>,
    node: u64,
    player: &'static str,
    pot: u32,
    to_call: u32,
    stacks: Stacks,
    /// The part of the player's hands that it comes here with, whatever the opponent does; none
    /// where there is no board to tell by.
    reach: Option<f64>,
}

#[derive(Debug, Serialize)]
struct Stacks {
    sb: u32,
    bb: u32,
}

impl Line {
    pub(super) fn of(blueprint: &Blueprint, decision: &Decision<'_>, board: Option<Board>) -> Line {
        let (tree, header, node) = (blueprint.tree(), blueprint.header(), decision.node());
        let [bb, sb] = tree.stacks(node);
        let put = tree.node(node).contributed();
        let own = put[decision.player().index()];
        Line {
            blueprint: blueprint.checkpoint().path().display().to_string(),
            iterations: header.iterations,
            game: header.game_hash.clone(),
            history: decision.history(),
            street: decision.street().name(),
            board: board.map(|board| board.to_string()),
            node: node.number(),
            player: player_name(decision.player()),
            pot: tree.pot(node),
            to_call: put[0].max(put[1]) - own,
            stacks: Stacks { sb, bb },
            reach: None,
        }
    }

    pub(super) fn with_arrivals(self, all: &All) -> Line {
        Line { reach: Some(all.reach()), ..self }
    }

    pub(super) fn write(&self, out: &mut Output<'_>) -> io::Result<()> {
        let history = if self.history.is_empty() { "(the first decision)" } else { &self.history };
        let heading = out.bold(history);
        writeln!(out, "{heading}")?;
        let board = self.board.iter().map(|board| format!(" {board}")).collect::<String>();
        let Line { street, pot, player, to_call, stacks, node, .. } = self;
        writeln!(
            out,
            "{street}{board}  pot {pot}  stacks sb {}, bb {}  {player} to act, {to_call} to call",
            stacks.sb, stacks.bb
        )?;
        let iterations = thousands(self.iterations.into());
        let reach =
            self.reach.map(|reach| format!("  {player} comes here with {}", percent(reach)));
        let facts = format!(
            "node {node}  game {}  after {iterations} iterations{}",
            self.game,
            reach.unwrap_or_default()
        );
        let facts = out.dim(facts);
        writeln!(out, "{facts}")
    }
}
