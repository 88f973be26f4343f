//! The exact equity of every slot of the flop and the turn.

use lethe_cards::vs_random::{flop_row, turn_row};
use lethe_cards::{CanonicalBoard, Deck, Situation, Street};
use rayon::prelude::*;

use crate::error::BuildError;
use lethe_compute::Job;

/// The equity of every slot against a uniform opponent, in units of
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
    /// Computes them all.
    pub fn compute(job: Job<'_>) -> Result<Equities, BuildError> {
        let turn_len = Deck::row_len(Street::Turn);
        let mut turn = vec![0; Situation::slots(Street::Turn)];
        each_row(Street::Turn, "turn equities", &mut turn, job, |board, row| {
            turn_row(board.set(), row);
        })?;
        let mut flop = vec![0; Situation::slots(Street::Flop)];
        each_row(Street::Flop, "flop equities", &mut flop, job, |board, row| {
            flop_row(board.set(), row, |turn_board, row| {
                row.copy_from_slice(&turn[turn_board.index() * turn_len..][..turn_len]);
            });
        })?;
        Ok(Equities { flop, turn })
    }

    /// The equities of a street's slots; none for the river.
    pub fn of(&self, street: Street) -> Option<&[u32]> {
        match street {
            Street::Flop => Some(&self.flop),
            Street::Turn => Some(&self.turn),
            _ => None,
        }
    }
}

/// Fills the rows of all canonical boards of a street, in parallel, as a phase of a build.
pub(crate) fn each_row<T: Send>(
    street: Street,
    phase: &str,
    table: &mut [T],
    job: Job<'_>,
    fill: impl Fn(CanonicalBoard, &mut [T]) + Sync,
) -> Result<(), BuildError> {
    job.begin(phase, CanonicalBoard::count(street) as u64);
    let rows = table.par_chunks_mut(Deck::row_len(street)).enumerate();
    let each = |(index, row): (usize, &mut [T])| {
        if job.cancelled() {
            return Err(BuildError::Cancelled);
        }
        let board = CanonicalBoard::from_index(street, index).expect("a row for every board");
        fill(board, row);
        job.advance(1);
        Ok(())
    };
    job.install(|| rows.try_for_each(each))
}
