//! Sets of boards: what every method works on.

use std::collections::BTreeMap;

use lethe_cards::vs_random::river_row;
use lethe_cards::{Board, CanonicalBoard, CardSet, Deck, Street};
use lethe_compute::{Cancelled, Job};
use rayon::prelude::*;

use crate::equities::Equities;
use crate::plan::PerStreet;

/// Canonical boards of one street with their weights, in a fixed order: all boards of a street are in
/// the order of their indices.
///
/// A table of the set has a row of [`row_len`](BoardSet::row_len) slots for each board, one after
/// another: one slot for each hole that the board leaves, in the order of its deck.
///
/// ```
/// use lethe_abstraction::BoardSet;
/// use lethe_cards::Street;
///
/// let flops = BoardSet::all(Street::Flop);
/// assert_eq!((flops.len(), flops.total_weight()), (1_755, 22_100));
/// // Three suits are alike on this flop: ten spades and 13 ranks of the others.
/// let turns = BoardSet::below(&"Ts7s3s".parse()?, Street::Turn);
/// assert_eq!((turns.len(), turns.total_weight()), (23, 49));
/// # Ok::<(), lethe_cards::ParseError>(())
/// ```
#[derive(Clone, Debug)]
pub struct BoardSet {
    street: Street,
    boards: Vec<CanonicalBoard>,
    weights: Vec<u64>,
}

impl BoardSet {
    /// All boards of a street, each weighted by the raw boards it stands for.
    pub fn all(street: Street) -> BoardSet {
        let boards: Vec<_> = CanonicalBoard::all(street).collect();
        let weights = boards.iter().map(|board| board.multiplicity().into()).collect();
        BoardSet { street, boards, weights }
    }

    /// The boards of a street that can follow another board, or are it, each weighted by the number
    /// of runouts (sets of cards) that lead to it; none on an earlier street.
    pub fn below(root: &Board, street: Street) -> BoardSet {
        let deck = Deck::without(root.set());
        let runouts: Vec<CardSet> = match street.board_len().checked_sub(root.set().len()) {
            None => Vec::new(),
            Some(0) => vec![CardSet::EMPTY],
            Some(1) => deck.cards().iter().map(|&card| card.into()).collect(),
            Some(2) => deck.holes().map(|pair| pair.set()).collect(),
            Some(_) => return BoardSet::all(street),
        };
        let mut found: BTreeMap<CanonicalBoard, u64> = BTreeMap::new();
        for runout in runouts {
            let board = Board::from_set(root.set() | runout).expect("as many cards as the street");
            *found.entry(CanonicalBoard::of(&board).0).or_default() += 1;
        }
        let (boards, weights) = found.into_iter().unzip();
        BoardSet { street, boards, weights }
    }

    /// The street.
    pub fn street(&self) -> Street {
        self.street
    }

    /// The number of boards.
    pub fn len(&self) -> usize {
        self.boards.len()
    }

    /// Whether there are no boards.
    pub fn is_empty(&self) -> bool {
        self.boards.is_empty()
    }

    /// The sum of all weights.
    pub fn total_weight(&self) -> u64 {
        self.weights.iter().sum()
    }

    /// The slots of each row.
    pub fn row_len(&self) -> usize {
        Deck::row_len(self.street)
    }

    /// The slots of all rows.
    pub fn slots(&self) -> usize {
        self.len() * self.row_len()
    }

    /// The board at a position.
    ///
    /// # Panics
    /// If the set has no such position.
    pub fn board(&self, position: usize) -> CanonicalBoard {
        self.boards[position]
    }

    /// The weight of the board at a position.
    ///
    /// # Panics
    /// If the set has no such position.
    pub fn weight(&self, position: usize) -> u64 {
        self.weights[position]
    }

    /// The boards with their weights, in order.
    pub fn iter(&self) -> impl Iterator<Item = (CanonicalBoard, u64)> {
        self.boards.iter().copied().zip(self.weights.iter().copied())
    }

    /// The position of a board; `None` if it is not in the set.
    pub fn position(&self, board: CanonicalBoard) -> Option<usize> {
        if self.len() == CanonicalBoard::count(self.street) {
            return (board.street() == self.street).then(|| board.index());
        }
        self.boards.binary_search(&board).ok()
    }

    /// A board's row of a table of the set.
    pub(crate) fn row<'t, T>(&self, table: &'t [T], position: usize) -> &'t [T] {
        &table[position * self.row_len()..][..self.row_len()]
    }

    /// Fills all rows of a table in parallel, as a phase of a job.
    pub(crate) fn fill<T: Send>(
        &self,
        phase: &str,
        table: &mut [T],
        job: Job<'_>,
        fill: impl Fn(usize, CanonicalBoard, &mut [T]) + Sync,
    ) -> Result<(), Cancelled> {
        job.begin(phase, self.len() as u64);
        let rows = table.par_chunks_mut(self.row_len()).enumerate();
        let each = |(position, row): (usize, &mut [T])| {
            job.check()?;
            fill(position, self.boards[position], row);
            job.advance(1);
            Ok(())
        };
        job.install(|| rows.try_for_each(each))
    }

    /// Folds over all boards in parallel, as a phase of a job; the sum of what the parts come to.
    pub(crate) fn sum<S: Send>(
        &self,
        phase: &str,
        job: Job<'_>,
        zero: impl Fn() -> S + Sync + Send,
        add: impl Fn(&mut S, usize) + Sync + Send,
        merge: impl Fn(S, S) -> S + Sync + Send,
    ) -> Result<S, Cancelled> {
        job.begin(phase, self.len() as u64);
        let each = |mut sum: S, position: usize| {
            job.check()?;
            add(&mut sum, position);
            job.advance(1);
            Ok(sum)
        };
        let all = (0..self.len()).into_par_iter();
        job.install(|| all.try_fold(&zero, each).try_reduce(&zero, |a, b| Ok(merge(a, b))))
    }
}

/// The boards of all streets that an abstraction is built on, with their exact equities: all boards,
/// or those that can follow a flop or a turn.
#[derive(Clone, Debug)]
pub struct Domain {
    boards: PerStreet<BoardSet>,
    equities: Equities,
    whole: bool,
}

impl Domain {
    /// All boards.
    pub fn all(job: Job<'_>) -> Result<Domain, Cancelled> {
        Domain::new(BoardSet::all, true, job)
    }

    /// A board and those that can follow it. Streets before it have no boards.
    pub fn below(root: &Board, job: Job<'_>) -> Result<Domain, Cancelled> {
        Domain::new(|street| BoardSet::below(root, street), false, job)
    }

    fn new(
        boards: impl Fn(Street) -> BoardSet,
        whole: bool,
        job: Job<'_>,
    ) -> Result<Domain, Cancelled> {
        let streets = PerStreet { flop: (), turn: (), river: () };
        let boards = streets.map(|street, ()| boards(street));
        let equities = Equities::of_boards(&boards.flop, &boards.turn, job)?;
        Ok(Domain { boards, equities, whole })
    }

    /// All boards with made-up equities.
    #[cfg(test)]
    pub(crate) fn with_equities_of(equities: Equities) -> Domain {
        let streets = PerStreet { flop: (), turn: (), river: () };
        let boards = streets.map(|street, ()| BoardSet::all(street));
        Domain { boards, equities, whole: true }
    }

    /// The boards of a street; `None` before the flop.
    pub fn boards(&self, street: Street) -> Option<&BoardSet> {
        self.boards.get(street)
    }

    /// The exact equities of the slots of flop and turn.
    pub fn equities(&self) -> &Equities {
        &self.equities
    }

    /// Calls `read` with the exact equities of a board's row: on the river they are computed.
    #[inline]
    pub(crate) fn with_equities<R>(
        &self,
        boards: &BoardSet,
        position: usize,
        read: impl FnOnce(&[u32]) -> R,
    ) -> R {
        match self.equities.of(boards.street()) {
            Some(all) => read(boards.row(all, position)),
            None => {
                let mut row = [0; Deck::row_len(Street::River)];
                river_row(boards.board(position).set(), &mut row);
                read(&row.map(u32::from))
            }
        }
    }

    /// The equities without the boards.
    pub(crate) fn into_equities(self) -> Equities {
        self.equities
    }

    /// Whether these are all boards.
    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_below_a_root_are_counted_with_all_their_runouts() {
        let count = |root: &str, street| {
            let boards = BoardSet::below(&root.parse().unwrap(), street);
            assert!(boards.iter().map(|(board, _)| board).is_sorted());
            for position in 0..boards.len() {
                assert_eq!(boards.position(boards.board(position)), Some(position));
            }
            (boards.len(), boards.total_weight())
        };
        assert_eq!(count("Ks7h2d9s", Street::Flop), (0, 0));
        assert_eq!(count("Ks7h2d9s", Street::Turn), (1, 1));
        assert_eq!(count("Ks7h2d9s", Street::River), (48, 48));
        // Two spades, a spade and a rank, two ranks of one suit, and of two suits.
        assert_eq!(count("Ts7s3s", Street::River), (45 + 130 + 78 + 91, 1176));
    }

    #[test]
    fn every_successor_of_a_board_is_in_the_next_set() {
        let root: Board = "QsQh5d".parse().unwrap();
        let turns = BoardSet::below(&root, Street::Turn);
        for &card in Deck::without(root.set()).cards() {
            let turn = CanonicalBoard::of(&root.with(card).unwrap()).0;
            assert!(turns.position(turn).is_some(), "{turn}");
        }
        let other = CanonicalBoard::of(&"QsQh5dAc".parse().unwrap()).0;
        assert!(turns.position(other).is_some());
        let other = CanonicalBoard::of(&"QsJh5dAc".parse().unwrap()).0;
        assert_eq!(turns.position(other), None);
    }
}
