//! The one interface to a card abstraction.

use lethe_cards::{Board, Hole, Row, Street};

use crate::FlopClusters;

/// A card abstraction: a bucket for every hole on every board.
///
/// # Contract
/// * Every bucket of a street is below [`count`](Buckets::count).
/// * A bucket may depend on which three cards were the flop, which are the board's first three, but
///   not on their order, nor on the order of turn and river.
/// * If [`is_suit_invariant`](Buckets::is_suit_invariant), renaming the suits of board and hole
///   together changes no bucket. The exact pass of a blueprint needs this; a solver that shares
///   isomorphic runouts does too.
///
/// [`fill_checked`] checks the first, and in debug builds the last.
pub trait Buckets: Send + Sync {
    /// The number of buckets of a street after the preflop.
    fn count(&self, street: Street) -> usize;

    /// Writes the bucket of every hole of a board into its row.
    fn fill(&self, board: &Board, row: &mut [u32]);

    /// The bucket of a hole that holds no card of the board.
    fn of(&self, hole: Hole, board: &Board) -> u32 {
        self.row(board)[hole]
    }

    /// The buckets of all holes of a board.
    fn row(&self, board: &Board) -> Row<u32> {
        let mut row = Row::new(board.set(), 0);
        self.fill(board, &mut row);
        row
    }

    /// Whether renaming the suits of board and hole together changes no bucket.
    fn is_suit_invariant(&self) -> bool;

    /// The clusters of flops, if buckets are made of them: then the bucket on every street after the
    /// preflop is the finest cluster of the flop times `count / clusters`, plus a bucket that does not
    /// depend on the flop's cluster.
    fn flop_clusters(&self) -> Option<&FlopClusters> {
        None
    }

    /// The buckets of a street come in groups of these sizes, one for each kind of board that the
    /// abstraction distinguishes: bucket *b* is number *b* modulo a size in its group, and means about
    /// the same in every group of this size.
    ///
    /// The first size is that of the buckets of a flop cluster, the second that of the buckets of a board
    /// texture within it. Where boards are not distinguished, all buckets are one group.
    fn group_sizes(&self, street: Street) -> [usize; 2] {
        [self.count(street) / self.flop_clusters().map_or(1, |clusters| clusters.on(street)); 2]
    }
}

/// A bucket that its street does not have: the abstraction is damaged, or its count is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bucket {bucket} on {board} is out of range: the {street} has {count} buckets", street = board.street())]
pub struct BucketOutOfRange {
    /// The board.
    pub board: Board,
    /// The bucket.
    pub bucket: u32,
    /// The number of buckets of the board's street.
    pub count: usize,
}

/// Fills a row and checks that it keeps the contract of [`Buckets`].
pub fn fill_checked(
    buckets: &(impl Buckets + ?Sized),
    board: &Board,
    row: &mut [u32],
) -> Result<(), BucketOutOfRange> {
    buckets.fill(board, row);
    let (count, most) = (buckets.count(board.street()), row.iter().copied().max().unwrap_or(0));
    if most as usize >= count {
        return Err(BucketOutOfRange { board: *board, bucket: most, count });
    }
    debug_assert!(
        !buckets.is_suit_invariant() || keeps_suit_invariance(buckets, board, row),
        "renaming the suits of {board} changes a bucket"
    );
    Ok(())
}

/// Whether one renaming of all four suits, which depends on the board, changes no bucket of a row.
fn keeps_suit_invariance(buckets: &(impl Buckets + ?Sized), board: &Board, row: &[u32]) -> bool {
    use lethe_cards::{Suit, SuitMap};
    // Every board tries one of the three rotations of the suits; many boards try them all.
    let turns = 1 + board.cards().iter().map(|card| card.index()).sum::<usize>() % 3;
    let rotation = Suit::all().zip(Suit::all().skip(1)).map(|(a, b)| SuitMap::swap(a, b));
    let once = rotation.reduce(SuitMap::then).expect("four suits");
    let map = (1..turns).fold(once, |map, _| map.then(once));
    let cards: Vec<_> = board.cards().iter().map(|&card| map.card(card)).collect();
    let renamed = buckets.row(&Board::new(&cards).expect("renamed cards differ"));
    let holes = Row::new(board.set(), ());
    holes.deck().holes().zip(row).all(|(hole, &bucket)| renamed[map.hole(hole)] == bucket)
}
