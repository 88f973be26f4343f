//! A stored abstraction as the buckets of a solver.

use lethe_abstraction::Abstraction;
use lethe_cards::{Board, Deck, Hole, Street};
use lethe_solver::Buckets;

/// An opened abstraction, for a solver.
pub(crate) struct Stored(pub(crate) Abstraction);

impl Buckets for Stored {
    fn count(&self, street: Street) -> usize {
        self.0.buckets(street)
    }

    fn fill(&self, board: &Board, holes: &[Hole], buckets: &mut [u32]) {
        // A row of the whole board is much cheaper than its holes one by one.
        let mut row = vec![0; Deck::row_len(board.street())];
        self.0.row_into(board, &mut row);
        let most = self.count(board.street()) as u32 - 1;
        let mut all = [0; Hole::COUNT];
        for (hole, bucket) in Deck::without(board.set()).holes().zip(row) {
            // A damaged table must not lead outside the solver's rows.
            all[hole.index()] = bucket.min(most);
        }
        for (hole, bucket) in holes.iter().zip(buckets) {
            *bucket = all[hole.index()];
        }
    }
}
