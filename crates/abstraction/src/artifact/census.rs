//! Counting over whole tables: bucket sizes, and slots that differ from their mirror images.

use std::collections::HashMap;

use lethe_cards::{CanonicalBoard, Card, Deck, Hole, Street, Symmetry, pair_index};
use rayon::prelude::*;

use crate::quality::asymmetric_in_row;
use crate::table::SparseRef;
use lethe_compute::Job;

/// Boards that are counted together.
const CHUNK: usize = 256;

/// What a pass over a table found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Census {
    /// The raw deals in each bucket.
    pub(crate) sizes: Vec<u64>,
    /// A slot with a bucket that does not exist, if there is one.
    pub(crate) outside: Option<usize>,
    /// Slots whose bucket differs from that of the same situation elsewhere in the row.
    pub(crate) asymmetric: u64,
}

impl Census {
    fn new(buckets: usize) -> Census {
        Census { sizes: vec![0; buckets], ..Census::default() }
    }

    fn merge(mut self, other: Census) -> Census {
        self.sizes.iter_mut().zip(other.sizes).for_each(|(size, more)| *size += more);
        self.outside = self.outside.into_iter().chain(other.outside).min();
        self.asymmetric += other.asymmetric;
        self
    }
}

/// Counts a dense table; less of it if the job is cancelled.
pub(crate) fn dense<T: Copy + Into<u32> + PartialEq + Sync>(
    street: Street,
    slots: &[T],
    buckets: usize,
    job: Job<'_>,
) -> Census {
    let row_len = Deck::row_len(street);
    let count = |mut census: Census, (chunk, rows): (usize, &[T])| {
        if job.cancelled() {
            return census;
        }
        for (place, row) in rows.chunks_exact(row_len).enumerate() {
            let index = chunk * CHUNK + place;
            let board = CanonicalBoard::from_index(street, index).expect("a row of the table");
            let weight = u64::from(board.multiplicity());
            for (slot, &bucket) in row.iter().enumerate() {
                let bucket: u32 = bucket.into();
                match census.sizes.get_mut(bucket as usize) {
                    Some(size) => *size += weight,
                    None => {
                        census.outside.get_or_insert(index * row_len + slot);
                    }
                }
            }
            census.asymmetric += asymmetric_in_row(board, row);
        }
        job.advance(size_of_val(rows) as u64);
        census
    };
    slots
        .par_chunks(CHUNK * row_len)
        .enumerate()
        .fold(|| Census::new(buckets), count)
        .reduce(|| Census::new(buckets), Census::merge)
}

/// Counts a sparse table, whose structure has been checked, without visiting its slots; less of it if
/// the job is cancelled.
///
/// What a hole is looked up as depends on the board's cluster and on the suits alike on it. So for
/// each such group of boards it is enough to know their weight, and the weight of those that block
/// each hole.
pub(crate) fn sparse(street: Street, table: SparseRef<'_>, buckets: usize, job: Job<'_>) -> Census {
    let mut census = Census::new(buckets);
    let mut boards: Vec<usize> = (0..table.clusters.len()).collect();
    boards.sort_unstable_by_key(|&board| table.clusters[board]);
    for members in boards.chunk_by(|&a, &b| table.clusters[a] == table.clusters[b]) {
        if job.cancelled() {
            return census;
        }
        let mut groups: HashMap<Symmetry, Group> = HashMap::new();
        for &index in members {
            let board = CanonicalBoard::from_index(street, index).expect("a board of the street");
            groups.entry(board.symmetry()).or_default().add(board);
        }
        for (symmetry, group) in groups {
            for hole in Hole::all() {
                let (bucket, _) = table.get(members[0], canonical_hole(symmetry, hole));
                match census.sizes.get_mut(bucket as usize) {
                    Some(size) => *size += group.weight_without(hole),
                    None => {
                        census.outside.get_or_insert(members[0]);
                    }
                }
            }
        }
    }
    census
}

/// The hole that stands for those which the suits alike make the same: the largest as a set.
fn canonical_hole(symmetry: Symmetry, hole: Hole) -> Hole {
    let images = symmetry.maps().map(|map| map.hole(hole));
    images.max_by_key(|image| image.set().bits()).expect("the identity is among the maps")
}

/// Boards by weight: all of them, those with a card, those with two.
struct Group {
    all: u64,
    with: [u64; Card::COUNT],
    with_both: Vec<u64>,
}

impl Default for Group {
    fn default() -> Group {
        Group { all: 0, with: [0; Card::COUNT], with_both: vec![0; Hole::COUNT] }
    }
}

impl Group {
    fn add(&mut self, board: CanonicalBoard) {
        let weight = u64::from(board.multiplicity());
        self.all += weight;
        for high in board.set().iter() {
            self.with[high.index()] += weight;
            for low in board.set().iter().take_while(|&low| low < high) {
                self.with_both[pair_index(low.index(), high.index())] += weight;
            }
        }
    }

    /// The weight of the boards without any card of the hole.
    fn weight_without(&self, hole: Hole) -> u64 {
        let both = self.with_both[hole.index()];
        self.all + both - self.with[hole.low().index()] - self.with[hole.high().index()]
    }
}
