//! The strategies of a blueprint as rows of a table.

use lethe_blueprint::{Blueprint, Decision};
use lethe_cards::Street;
use lethe_compute::Job;
use lethe_game::{NodeId, NodeKind};

use super::{ACTION, ExportError, Kind, Schema, Table, Value, action_values};
use crate::action;
use crate::line;

/// The rows to write: those at and below a node, on one street or on all.
#[derive(Debug)]
pub struct BlueprintRows<'a> {
    blueprint: &'a Blueprint,
    below: NodeId,
    street: Option<Street>,
}

impl<'a> BlueprintRows<'a> {
    /// A record for each information set. Each names the game: keys mean nothing without it, and
    /// every reader of CSV and JSON finds it there.
    pub const SCHEMA: Schema = Schema {
        columns: &[
            ("game_hash", Kind::Text),
            ("key", Kind::Key),
            ("street", Kind::Text),
            ("bucket", Kind::Whole),
            ("node", Kind::Whole),
            ("history", Kind::Text),
            ("player", Kind::Text),
            ("weight", Kind::Number),
        ],
        // A blueprint has no values.
        list: ("actions", ACTION.split_at(5).0),
    };

    /// The rows after a line; an error if there is no decision among them.
    pub fn new(
        blueprint: &'a Blueprint,
        line: &str,
        street: Option<Street>,
    ) -> Result<BlueprintRows<'a>, ExportError> {
        let below = line::find(blueprint.tree(), line)?.node;
        let rows = BlueprintRows { blueprint, below, street };
        if rows.count() == 0 {
            return Err(ExportError::NoDecision { line: line.to_owned(), street });
        }
        Ok(rows)
    }

    /// The number of decisions.
    fn count(&self) -> u64 {
        let tree = self.blueprint.tree();
        let nodes = tree.subtree(self.below).map(|number| tree.node(NodeId::new(number as u32)));
        let chosen = nodes.filter(|node| {
            matches!(node.kind(), NodeKind::Decision(_)) && self.is_chosen(node.street())
        });
        chosen.count() as u64
    }

    fn is_chosen(&self, street: Street) -> bool {
        self.street.is_none_or(|chosen| chosen == street)
    }

    /// Writes them one by one, in the order of the nodes and of the buckets; the number of rows.
    pub fn write(&self, mut table: Table<'_>, job: Job<'_>) -> Result<u64, ExportError> {
        job.begin("rows", self.count());
        let decisions = self.blueprint.decisions(self.below);
        for decision in decisions.filter(|decision| self.is_chosen(decision.street())) {
            job.check()?;
            self.write_decision(&decision, &mut table)?;
            job.advance(1);
        }
        table.finish()
    }

    fn write_decision(
        &self,
        decision: &Decision<'_>,
        table: &mut Table<'_>,
    ) -> Result<(), ExportError> {
        let history = decision.history();
        let actions = action::at(self.blueprint.tree(), decision.node());
        for bucket in 0..decision.buckets() {
            let values = [
                Value::Text(&self.blueprint.header().game_hash),
                Value::Key(decision.key(bucket)?.to_bits()),
                Value::Text(decision.street().name()),
                Value::Whole(bucket.into()),
                Value::Whole(decision.node().number()),
                Value::Text(&history),
                Value::Text(action::blind(decision.player())),
                Value::Number(decision.weight(bucket)?.unwrap_or_default()),
            ];
            let frequencies = decision.frequencies(bucket)?.unwrap_or_default();
            let played = actions.iter().zip(frequencies);
            let played = played.map(|(action, x)| action_values(action, x));
            table.record(&values, &played.collect::<Vec<_>>())?;
        }
        Ok(())
    }
}
