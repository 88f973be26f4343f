//! The 169 starting hands after the flop: a baseline that is wrong on purpose.

use lethe_cards::{CanonicalBoard, River, StartingHand, Street};

use super::{Context, Fit, number_by_equity};
use crate::error::BuildError;
use crate::quality::QualitySums;
use crate::report::BuiltStreet;
use crate::table::Table;

/// Builds a bucket for each starting hand. The hand's relation to the board is lost.
pub(super) fn build(cx: &Context<'_>) -> Result<BuiltStreet, BuildError> {
    const COUNT: usize = StartingHand::COUNT;
    let fit = Fit::exact(COUNT, 0.0);
    let phase = format!("{} starting hands", cx.street());
    if cx.street() != Street::River {
        let mut ids = vec![0u32; cx.boards.slots()];
        cx.boards.fill(&phase, &mut ids, cx.job, |_, board, row| {
            for (id, hole) in row.iter_mut().zip(board.deck().holes()) {
                *id = hole.class().index() as u32;
            }
        })?;
        let labels: Vec<u32> = (0..COUNT as u32).collect();
        return number_by_equity(&ids, &labels, COUNT, fit, cx);
    }
    // A river of all boards takes too much memory for a number of each slot.
    let add = |sums: &mut QualitySums, position: usize| {
        let board: CanonicalBoard = cx.boards.board(position);
        let table = River::new(board.set()).equities(0, |q| q);
        for hole in board.deck().holes() {
            let q = table.get(hole);
            sums.add(hole.class().index() as u32, q.into(), cx.boards.weight(position));
        }
    };
    let none = || QualitySums::new(COUNT);
    let sums = cx.boards.sum("river equities", cx.job, none, add, |a, b| a.merge(&b))?;
    let places = sums.order();
    let mut table = vec![0u16; cx.boards.slots()];
    cx.boards.fill(&phase, &mut table, cx.job, |_, board, row| {
        for (bucket, hole) in row.iter_mut().zip(board.deck().holes()) {
            *bucket = places[hole.class().index()] as u16;
        }
    })?;
    fit.finish(Table::U16(table), &sums.renumbered(&places), cx)
}
