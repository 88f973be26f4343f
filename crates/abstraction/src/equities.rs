//! The exact equity of every slot of the flop and the turn.

use lethe_cards::Street;
use lethe_cards::vs_random::{flop_row, turn_row};
use lethe_compute::{Cancelled, Job};

use crate::boards::BoardSet;

/// The equity of every slot against a random hand, in units of
/// [`equity_scale`](lethe_cards::vs_random::equity_scale).
///
/// The river has too many slots to keep them all; a river board's row takes some microseconds.
#[derive(Clone, Debug)]
pub struct Equities {
    /// Of the flop's slots.
    pub flop: Vec<u32>,
    /// Of the turn's slots.
    pub turn: Vec<u32>,
}

impl Equities {
    /// The equities of all boards.
    pub fn compute(job: Job<'_>) -> Result<Equities, Cancelled> {
        Equities::of_boards(&BoardSet::all(Street::Flop), &BoardSet::all(Street::Turn), job)
    }

    /// The equities of some flops, and of turns that hold all that can follow them.
    pub(crate) fn of_boards(
        flops: &BoardSet,
        turns: &BoardSet,
        job: Job<'_>,
    ) -> Result<Equities, Cancelled> {
        let mut turn = vec![0; turns.slots()];
        turns.fill("turn equities", &mut turn, job, |_, board, row| turn_row(board.set(), row))?;
        let mut flop = vec![0; flops.slots()];
        flops.fill("flop equities", &mut flop, job, |_, board, row| {
            flop_row(board.set(), row, |next, row| {
                let position = turns.position(next).expect("turns hold all that can follow");
                row.copy_from_slice(turns.row(&turn, position));
            });
        })?;
        Ok(Equities { flop, turn })
    }

    /// The equities of a street's slots; `None` except on flop and turn.
    pub fn of(&self, street: Street) -> Option<&[u32]> {
        match street {
            Street::Flop => Some(&self.flop),
            Street::Turn => Some(&self.turn),
            _ => None,
        }
    }
}
