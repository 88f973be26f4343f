//! Buckets kept only for hands that were seen: the sampled texture method's table.

use lethe_cards::{CanonicalBoard, Hole, Situation};

/// For each canonical board its cluster, and for each cluster the buckets of the holes seen on its
/// representative boards. Any other hole falls back to the cluster's median bucket.
///
/// Holes are in the canonical suits of their board, so one cluster's hole may be met on every board
/// of the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SparseTable {
    /// The cluster of each canonical board of the street, by board index.
    pub clusters: Vec<u32>,
    /// The bucket that each cluster falls back to.
    pub medians: Vec<u32>,
    /// Where each cluster's entries begin, and the end of the last.
    pub starts: Vec<u32>,
    /// The holes seen, by [`Hole::index`], ascending within each cluster.
    pub holes: Vec<u32>,
    /// The bucket of each of those holes.
    pub buckets: Vec<u32>,
}

/// A view of a [`SparseTable`], or of one in a file.
#[derive(Clone, Copy, Debug)]
pub struct SparseRef<'a> {
    /// See [`SparseTable::clusters`].
    pub clusters: &'a [u32],
    /// See [`SparseTable::medians`].
    pub medians: &'a [u32],
    /// See [`SparseTable::starts`].
    pub starts: &'a [u32],
    /// See [`SparseTable::holes`].
    pub holes: &'a [u32],
    /// See [`SparseTable::buckets`].
    pub buckets: &'a [u32],
}

impl SparseTable {
    /// The table as a view.
    pub fn view(&self) -> SparseRef<'_> {
        SparseRef {
            clusters: &self.clusters,
            medians: &self.medians,
            starts: &self.starts,
            holes: &self.holes,
            buckets: &self.buckets,
        }
    }
}

impl SparseRef<'_> {
    /// The bucket of a canonical hole on a canonical board, and whether it is a fallback.
    ///
    /// # Panics
    /// If the street has no board of this index.
    pub fn get(self, board_index: usize, hole: Hole) -> (u32, bool) {
        let cluster = self.clusters[board_index] as usize;
        let entries = self.starts[cluster] as usize..self.starts[cluster + 1] as usize;
        match self.holes[entries.clone()].binary_search(&(hole.index() as u32)) {
            Ok(place) => (self.buckets[entries.start + place], false),
            Err(_) => (self.medians[cluster], true),
        }
    }

    /// The buckets of all holes of a canonical board, whose cluster is at `board_index`.
    ///
    /// # Panics
    /// If the street has no board of this index.
    pub fn row(self, board_index: usize, board: CanonicalBoard) -> Vec<u32> {
        let (deck, cards) = (board.deck(), board.board());
        let canonical = |hole| Situation::of(hole, &cards).expect("a hole of the deck").0.hole();
        deck.holes().map(|hole| self.get(board_index, canonical(hole)).0).collect()
    }
}
