//! The buckets and the equities of a board's holes.

use lethe_abstraction::Abstraction;
use lethe_abstraction::table::{BucketRows, StoredRef};
use lethe_cards::vs_random::{flop_row, river_row, turn_row};
use lethe_cards::{CanonicalBoard, Deck, Street};

use crate::error::Error;

/// Writes the equity of every hole of a canonical board into its row, in units of the street's
/// [`equity_scale`](lethe_cards::vs_random::equity_scale): from the artifact, or computed.
///
/// # Panics
/// If the board is empty or the row is not of its length.
pub(super) fn equity_row(abstraction: &Abstraction, board: CanonicalBoard, row: &mut [u32]) {
    let (street, len) = (board.street(), row.len());
    if let Some(table) = abstraction.equity_table(street) {
        row.copy_from_slice(&table[board.index() * len..][..len]);
        return;
    }
    match street {
        Street::Preflop => unreachable!("a board has cards"),
        Street::Flop => flop_row(board.set(), row, |turn, row| turn_row(turn.set(), row)),
        Street::Turn => turn_row(board.set(), row),
        Street::River => {
            let mut equities = [0; Deck::row_len(Street::River)];
            river_row(board.set(), &mut equities);
            row.iter_mut().zip(equities).for_each(|(entry, q)| *entry = q.into());
        }
    }
}

/// Writes the bucket of every hole of a canonical board into its row; an error if one of them does
/// not exist.
pub(super) fn bucket_row(
    abstraction: &Abstraction,
    board: CanonicalBoard,
    row: &mut [u32],
) -> Result<(), Error> {
    let street = board.street();
    let table: StoredRef<'_> = abstraction.table(street).expect("a street with a board");
    table.bucket_row(street, board.index(), row);
    let buckets = abstraction.buckets(street);
    let highest = row.iter().copied().fold(0, u32::max);
    match highest as usize >= buckets {
        true => Err(too_large(abstraction, street, highest)),
        false => Ok(()),
    }
}

/// The error of a table that holds a bucket which does not exist.
pub(super) fn too_large(abstraction: &Abstraction, street: Street, bucket: u32) -> Error {
    let (path, buckets) = (abstraction.path().to_owned(), abstraction.buckets(street));
    Error::BucketTooLarge { path, street, bucket, buckets }
}
