//! The strategies of a blueprint as rows of a table.

use lethe_blueprint::{Blueprint, Decision};
use lethe_cards::Street;
use lethe_compute::Job;
use lethe_game::{NodeId, NodeKind};

use crate::error::{InputError, Stopped};
use crate::table_file::{Column, Kind, Schema, Table, Value};
use lethe_kit::action::blind as player_name;

/// The rows to write: those at and below a node, on one street or on all.
#[derive(Debug)]
pub(super) struct Rows<'a> {
    blueprint: &'a Blueprint,
    below: NodeId,
    street: Option<Street>,
}

impl<'a> Rows<'a> {
    /// A record for each information set. The game stands in each: keys mean nothing without it, and
    /// there is no other place that every reader of CSV and JSON finds.
    pub(super) const SCHEMA: Schema = Schema {
        columns: &[
            Column::new("game", Kind::Text),
            Column::new("key", Kind::Key),
            Column::new("street", Kind::Text),
            Column::new("bucket", Kind::Whole),
            Column::new("node", Kind::Whole),
            Column::new("history", Kind::Text),
            Column::new("player", Kind::Text),
            Column::new("weight", Kind::Number),
        ],
        list: (
            "actions",
            &[Column::new("action", Kind::Text), Column::new("frequency", Kind::Number)],
        ),
    };

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
    pub(super) fn write(&self, mut table: Table<'_>, job: Job<'_>) -> anyhow::Result<u64> {
        job.begin("rows", self.count());
        let decisions = self.blueprint.decisions(self.below);
        for decision in decisions.filter(|d| self.street.is_none_or(|street| street == d.street()))
        {
            if job.cancelled() {
                return Err(Stopped("only a part of the rows was written").into());
            }
            self.write_decision(&decision, &mut table)?;
            job.advance(1);
        }
        table.finish()
    }

    fn write_decision(&self, decision: &Decision<'_>, table: &mut Table<'_>) -> anyhow::Result<()> {
        let history = decision.history();
        let actions: Vec<String> = decision.actions().iter().map(ToString::to_string).collect();
        for bucket in 0..decision.buckets() {
            let values = [
                Value::Text(&self.blueprint.header().game_hash),
                Value::Key(decision.key(bucket)?.to_bits()),
                Value::Text(decision.street().name()),
                Value::Whole(bucket.into()),
                Value::Whole(decision.node().number()),
                Value::Text(&history),
                Value::Text(player_name(decision.player())),
                Value::Number(decision.weight(bucket).unwrap_or_default()),
            ];
            let frequencies = decision.frequencies(bucket).unwrap_or_default();
            let played = actions.iter().zip(frequencies);
            let played = played.map(|(action, x)| vec![Value::Text(action), Value::Number(x)]);
            table.record(&values, &played.collect::<Vec<_>>())?;
        }
        Ok(())
    }
}
