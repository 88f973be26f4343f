//! The buckets of a street in either form, and a board's row of them.

use lethe_cards::{CanonicalBoard, Street};

use super::{SparseRef, SparseTable, Table, TableRef};

/// The buckets of a street.
#[derive(Clone, Debug, PartialEq)]
pub enum Stored {
    /// One for every slot.
    Dense(Table),
    /// Only for hands that were seen (the sampled texture method).
    Sparse(SparseTable),
}

/// A view of [`Stored`], or of buckets in a file.
#[derive(Clone, Copy, Debug)]
pub enum StoredRef<'a> {
    /// One for every slot.
    Dense(TableRef<'a>),
    /// Only for hands that were seen (the sampled texture method).
    Sparse(SparseRef<'a>),
}

impl Stored {
    /// The buckets as a view.
    pub fn view(&self) -> StoredRef<'_> {
        match self {
            Stored::Dense(table) => StoredRef::Dense(table.view()),
            Stored::Sparse(table) => StoredRef::Sparse(table.view()),
        }
    }
}

/// The buckets of a street, a board at a time.
///
/// Holes that the board's own suit symmetry makes alike must have the same bucket.
pub trait BucketRows: Sync {
    /// Writes the bucket of every hole of a canonical board into its row.
    ///
    /// # Panics
    /// If the street has no board of this index, or the row not one entry for each hole.
    fn bucket_row(&self, street: Street, board_index: usize, row: &mut [u32]);
}

impl BucketRows for TableRef<'_> {
    fn bucket_row(&self, street: Street, board_index: usize, row: &mut [u32]) {
        match self.row(street, board_index) {
            TableRef::U16(buckets) => {
                assert_eq!(row.len(), buckets.len(), "an entry for each hole");
                for (entry, &bucket) in row.iter_mut().zip(buckets) {
                    *entry = bucket.into();
                }
            }
            TableRef::U32(buckets) => row.copy_from_slice(buckets),
        }
    }
}

impl BucketRows for SparseRef<'_> {
    fn bucket_row(&self, street: Street, board_index: usize, row: &mut [u32]) {
        let board = CanonicalBoard::from_index(street, board_index).expect("a board of the street");
        row.copy_from_slice(&self.row(board_index, board));
    }
}

impl BucketRows for Stored {
    fn bucket_row(&self, street: Street, board_index: usize, row: &mut [u32]) {
        self.view().bucket_row(street, board_index, row);
    }
}

impl BucketRows for StoredRef<'_> {
    fn bucket_row(&self, street: Street, board_index: usize, row: &mut [u32]) {
        match self {
            StoredRef::Dense(table) => table.bucket_row(street, board_index, row),
            StoredRef::Sparse(table) => table.bucket_row(street, board_index, row),
        }
    }
}

#[cfg(test)]
mod tests {
    use lethe_cards::{Board, Deck, Hole};

    use super::*;

    #[test]
    fn holes_alike_on_a_board_share_their_sparse_bucket() {
        let board: Board = "Ts9s8s".parse().unwrap();
        let hole: Hole = "AsKh".parse().unwrap();
        let table = SparseTable {
            clusters: vec![0; CanonicalBoard::count(Street::Flop)],
            medians: vec![1],
            starts: vec![0, 1],
            holes: vec![hole.index() as u32],
            buckets: vec![0],
        };
        let (canonical, _) = CanonicalBoard::of(&board);
        let mut row = vec![7; Deck::row_len(Street::Flop)];
        Stored::Sparse(table).bucket_row(Street::Flop, canonical.index(), &mut row);
        // The ace of spades with each of the three other kings; all others fall back.
        assert_eq!(row.iter().filter(|&&bucket| bucket == 0).count(), 3);
        assert_eq!(row.iter().filter(|&&bucket| bucket == 1).count(), row.len() - 3);
        assert_eq!(row[canonical.deck().slot("AsKd".parse().unwrap()).unwrap()], 0);
    }
}
