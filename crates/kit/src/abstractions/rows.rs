//! The buckets and the equities of a board's holes.

use lethe_abstraction::Abstraction;
use lethe_cards::vs_random::{flop_row, river_row, turn_row};
use lethe_cards::{CanonicalBoard, Deck, Street};

use crate::error::Error;

/// Writes the equity of every hole of a canonical board into its row, in units of the street's
/// [`equity_scale`](lethe_cards::vs_random::equity_scale): from the artifact, or computed.
///
/// # Panics
/// If the board is empty or the row is not of its length.
pub(super) fn equity_row(
    abstraction: &Abstraction,
    board: CanonicalBoard,
    row: &mut [u32],
) -> Result<(), Error> {
    if abstraction.equity_row(board, row)? {
        return Ok(());
    }
    match board.street() {
        Street::Preflop => unreachable!("a board has cards"),
        Street::Flop => flop_row(board.set(), row, |turn, row| turn_row(turn.set(), row)),
        Street::Turn => turn_row(board.set(), row),
        Street::River => {
            let mut equities = [0; Deck::row_len(Street::River)];
            river_row(board.set(), &mut equities);
            row.iter_mut().zip(equities).for_each(|(entry, q)| *entry = q.into());
        }
    }
    Ok(())
}

/// Writes the bucket of every hole of a canonical board into its row; with flop clusters, the bucket
/// within its cluster.
pub(super) fn bucket_row(
    abstraction: &Abstraction,
    board: CanonicalBoard,
    row: &mut [u32],
) -> Result<(), Error> {
    abstraction.base_row_into(&board.board(), row)?;
    Ok(())
}
