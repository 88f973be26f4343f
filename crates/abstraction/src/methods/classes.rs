//! The 169 starting hands after the flop: a baseline that is wrong on purpose.

use lethe_cards::StartingHand;

use super::{Context, Fit, number_rows};
use crate::error::BuildError;
use crate::report::BuiltStreet;

/// Builds a bucket for each starting hand. The hand's relation to the board is lost.
pub(super) fn build(cx: &Context<'_>) -> Result<BuiltStreet, BuildError> {
    let fit = Fit::exact(StartingHand::COUNT, 0.0);
    number_rows(StartingHand::COUNT, fit, cx, |position, row| {
        for (label, hole) in row.iter_mut().zip(cx.boards.board(position).deck().holes()) {
            *label = hole.class().index() as u32;
        }
    })
}
