//! The strategies of a blueprint as rows of a table.

use std::io::Write;

use lethe_abstraction::Watch;
use lethe_blueprint::{Blueprint, Decision};
use lethe_cards::Street;
use lethe_game::{NodeId, NodeKind};
use serde::Serialize;

use super::export::Kind;
use super::training::player_name;
use crate::error::{InputError, Stopped};

/// One action of one information set.
#[derive(Debug, Serialize)]
struct Row<'a> {
    game: &'a str,
    key: &'a str,
    street: &'static str,
    bucket: u32,
    node: u64,
    history: &'a str,
    player: &'static str,
    action: &'a str,
    frequency: f64,
}

/// The columns of the CSV. None of them needs quotes: histories and actions have no comma.
const COLUMNS: &str = "game,key,street,bucket,node,history,player,action,frequency";

/// The rows to write: those at and below a node, on one street or on all.
#[derive(Debug)]
pub(super) struct Rows<'a> {
    blueprint: &'a Blueprint,
    below: NodeId,
    street: Option<Street>,
}

impl<'a> Rows<'a> {
    /// The rows after a history; an error if there is no decision among them.
    pub(super) fn new(
        blueprint: &'a Blueprint,
        history: &str,
        street: Option<Street>,
    ) -> Result<Rows<'a>, InputError> {
        let below = blueprint.tree().find(history).map_err(|error| {
            let (token, history) = (error.token.escape_debug(), history.escape_debug());
            let options = error.options;
            InputError::new(format_args!(
                "'{token}' is not possible in the history '{history}'; possible there: {options}"
            ))
        })?;
        let rows = Rows { blueprint, below, street };
        if rows.count() == 0 {
            let on = street.map_or_else(String::new, |street| format!(" on the {street}"));
            return Err(InputError::new(format_args!(
                "nobody acts{on} after the history '{}'",
                history.escape_debug()
            )));
        }
        Ok(rows)
    }

    /// How many decisions there are.
    fn count(&self) -> u64 {
        let tree = self.blueprint.tree();
        let nodes = tree.subtree(self.below).map(|number| tree.node(NodeId::new(number as u32)));
        let chosen = nodes.filter(|node| {
            matches!(node.kind(), NodeKind::Decision(_))
                && self.street.is_none_or(|street| street == node.street())
        });
        chosen.count() as u64
    }

    /// Writes them one by one, decision by decision in the order of the nodes and bucket by bucket;
    /// tells how many there are.
    pub(super) fn write(
        &self,
        kind: Kind,
        to: &mut dyn Write,
        watch: &dyn Watch,
    ) -> anyhow::Result<u64> {
        if kind == Kind::Csv {
            writeln!(to, "{COLUMNS}")?;
        }
        watch.begin("rows", self.count());
        let mut rows = 0;
        let decisions = self.blueprint.decisions(self.below);
        for decision in decisions.filter(|d| self.street.is_none_or(|street| street == d.street()))
        {
            if watch.cancelled() {
                return Err(Stopped("only a part of the rows was written").into());
            }
            rows += self.write_decision(&decision, kind, to)?;
            watch.advance(1);
        }
        Ok(rows)
    }

    fn write_decision(
        &self,
        decision: &Decision<'_>,
        kind: Kind,
        to: &mut dyn Write,
    ) -> anyhow::Result<u64> {
        let history = decision.history();
        let actions: Vec<String> = decision.actions().iter().map(ToString::to_string).collect();
        let mut rows = 0;
        for bucket in 0..decision.buckets() {
            let key = decision.key(bucket)?.to_string();
            let frequencies = decision.frequencies(bucket).unwrap_or_default();
            for (action, &frequency) in actions.iter().zip(&frequencies) {
                let row = Row {
                    game: &self.blueprint.header().game_hash,
                    key: &key,
                    street: decision.street().name(),
                    bucket,
                    node: decision.node().number(),
                    history: &history,
                    player: player_name(decision.player()),
                    action,
                    frequency,
                };
                row.write(kind, to)?;
                rows += 1;
            }
        }
        Ok(rows)
    }
}

impl Row<'_> {
    fn write(&self, kind: Kind, to: &mut dyn Write) -> anyhow::Result<()> {
        match kind {
            Kind::Json => {
                serde_json::to_writer(&mut *to, self)?;
                writeln!(to)?;
            }
            Kind::Csv => {
                let Row { game, key, street, bucket, node, history, player, action, frequency } =
                    self;
                writeln!(
                    to,
                    "{game},{key},{street},{bucket},{node},{history},{player},{action},{frequency}"
                )?;
            }
        }
        Ok(())
    }
}
