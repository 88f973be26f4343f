//! The hands of the player to act on a board, or before the flop.

use std::io::{self, Write};

use lethe_blueprint::{Blueprint, Decision};
use lethe_cards::{Board, Deck, Hole};
use lethe_kit::action::{ActionShare, ActionView, shares};
use lethe_kit::grid::Combo;
use serde::Serialize;

use crate::commands::solving::{or_dash, percent};
use crate::error::InputError;
use crate::output::Output;

/// All hands that a board leaves.
#[derive(Debug)]
pub(super) struct All {
    hands: Vec<Hand>,
}

#[derive(Debug)]
struct Hand {
    hole: Hole,
    bucket: u32,
    /// How often the player comes here with it.
    reach: f64,
    frequencies: Vec<f64>,
    trained: bool,
}

/// One hand.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    hand: String,
    bucket: u32,
    key: String,
    /// How often the player comes here with it by its own actions.
    reach: f64,
    /// Whether training has come here with its bucket; if not, the frequencies are even.
    trained: bool,
    actions: Vec<ActionShare>,
}

impl All {
    pub(super) fn of(blueprint: &Blueprint, decision: &Decision<'_>, board: &Board) -> All {
        let hand = |hole: Hole| {
            let bucket = blueprint.bucket(hole, board)?;
            Some(Hand {
                hole,
                bucket,
                reach: blueprint.reach(decision.player(), decision.node(), hole, board)?,
                frequencies: decision.frequencies(bucket)?,
                trained: decision.weight(bucket) > Some(0.0),
            })
        };
        All { hands: Deck::without(board.set()).holes().filter_map(hand).collect() }
    }

    /// The part of the hands that comes here.
    pub(super) fn reach(&self) -> f64 {
        self.hands.iter().map(|hand| hand.reach).sum::<f64>() / self.hands.len().max(1) as f64
    }

    /// How often each action is taken over all hands that come here; none if none comes.
    pub(super) fn overall(&self) -> Option<Vec<f64>> {
        let total: f64 = self.hands.iter().map(|hand| hand.reach).sum();
        let actions = self.hands.first()?.frequencies.len();
        let share = |action: usize| {
            self.hands.iter().map(|hand| hand.reach * hand.frequencies[action]).sum::<f64>() / total
        };
        (total > 0.0).then(|| (0..actions).map(share).collect())
    }

    pub(super) fn combos(&self) -> Vec<Combo<'_>> {
        let combo = |hand| {
            let &Hand { hole, reach, ref frequencies, .. } = hand;
            Combo { hole, reach, frequencies: Some(frequencies) }
        };
        self.hands.iter().map(combo).collect()
    }

    pub(super) fn row(
        &self,
        decision: &Decision<'_>,
        names: &[ActionView],
        hole: Hole,
    ) -> anyhow::Result<Row> {
        let hand = self.hands.iter().find(|hand| hand.hole == hole);
        let hand = hand.ok_or_else(|| InputError::new(format_args!("{hole} lies on the board")))?;
        Ok(hand.row(decision, names)?)
    }

    pub(super) fn rows(
        &self,
        decision: &Decision<'_>,
        names: &[ActionView],
    ) -> anyhow::Result<Vec<Row>> {
        self.hands.iter().rev().map(|hand| Ok(hand.row(decision, names)?)).collect()
    }
}

impl Hand {
    fn row(
        &self,
        decision: &Decision<'_>,
        names: &[ActionView],
    ) -> Result<Row, lethe_game::KeyError> {
        Ok(Row {
            hand: self.hole.to_string(),
            bucket: self.bucket,
            key: decision.key(self.bucket)?.to_string(),
            reach: self.reach,
            trained: self.trained,
            actions: shares(names, Some(&self.frequencies)),
        })
    }
}

impl Row {
    /// Writes one hand beside all of them.
    pub(super) fn write(&self, all: &[ActionShare], out: &mut Output<'_>) -> io::Result<()> {
        let untrained = if self.trained { "" } else { "  (never trained: even)" };
        let Row { hand, bucket, key, reach, .. } = self;
        writeln!(
            out,
            "{hand}  bucket {bucket}  key {key}  comes here {}{untrained}\n",
            percent(*reach)
        )?;
        let rows = self.actions.iter().zip(all).map(|(own, all)| {
            let [own_share, all] = [own, all].map(|share| or_dash(share.frequency, percent));
            vec![own.action.text.clone(), own_share, all]
        });
        out.table(&["action", hand, "all hands"], &rows.collect::<Vec<_>>())
    }
}

/// Writes a line for each hand.
pub(super) fn write_all(hands: &[Row], out: &mut Output<'_>) -> io::Result<()> {
    let actions = hands.first().map_or(&[][..], |row| &row.actions);
    let mut headings = vec!["hand", "bucket", "comes here"];
    headings.extend(actions.iter().map(|share| share.action.text.as_str()));
    let rows = hands.iter().map(|row| {
        let mut cells = vec![row.hand.clone(), row.bucket.to_string(), percent(row.reach)];
        cells.extend(row.actions.iter().map(|share| or_dash(share.frequency, percent)));
        cells
    });
    out.table(&headings, &rows.collect::<Vec<_>>())
}
