//! `Policy`: how a player acts, whatever is behind it.

use lethe_cards::{Board, Deck, Hole, Street};
use lethe_game::{NodeId, Tree};

use crate::blueprint::{VerifiedBlueprint, class_of};
use crate::plan::Plan;
use crate::store::Weights;
use lethe_rows::Buckets;

/// How a player acts: the frequencies of the actions of every decision, for every hole.
///
/// On one board, all that play depends on is one number for each hole, the *hand*: its bucket, say,
/// or its equity. It is asked for once a street, and then serves at all decisions of the street.
pub trait Policy: Sync {
    /// The hand that a hole makes on a board, which it does not touch.
    fn hand(&self, hole: Hole, board: &Board) -> u32;

    /// Writes the hands of all holes of a board, in the order of the board's own deck:
    /// [`Deck::without(board.set()).holes()`](Deck::holes).
    fn hands(&self, board: &Board, row: &mut [u32]) {
        for (entry, hole) in row.iter_mut().zip(Deck::without(board.set()).holes()) {
            *entry = self.hand(hole, board);
        }
    }

    /// Writes how often a hand takes each action of a decision: shares that add up to one.
    fn frequencies(&self, tree: &Tree, node: NodeId, hand: u32, shares: &mut [f32]);
}

/// A strategy stored in cells: weights for every action of every bucket.
///
/// It acts at the decisions of its plan's own tree; a hand is a bucket, before the flop a class.
/// Where all weights are zero, and for a bucket that the plan does not have, it plays all actions
/// equally often.
pub struct TablePolicy<'a, W: ?Sized> {
    /// The betting.
    pub plan: &'a Plan,
    /// The abstraction that the strategy was made on.
    pub buckets: &'a dyn Buckets,
    /// The strategy.
    pub weights: &'a W,
}

impl<W: Weights + ?Sized> Policy for TablePolicy<'_, W> {
    fn hand(&self, hole: Hole, board: &Board) -> u32 {
        match board.street() {
            Street::Preflop => class_of(hole),
            _ => self.buckets.of(hole, board),
        }
    }

    fn hands(&self, board: &Board, row: &mut [u32]) {
        if board.street() == Street::Preflop {
            for (entry, hole) in row.iter_mut().zip(Deck::without(board.set()).holes()) {
                *entry = class_of(hole);
            }
        } else {
            self.buckets.fill(board, row);
        }
    }

    fn frequencies(&self, _: &Tree, node: NodeId, hand: u32, shares: &mut [f32]) {
        let mut total = 0.0;
        if let Some(cells) = self.plan.cells_of(node, hand) {
            for (share, cell) in shares.iter_mut().zip(cells) {
                *share = self.weights.weight(cell);
                total += *share;
            }
        }
        if total > 0.0 {
            let inverse = 1.0 / total;
            shares.iter_mut().for_each(|share| *share *= inverse);
        } else {
            shares.fill(1.0 / shares.len() as f32);
        }
    }
}

impl VerifiedBlueprint<'_> {
    fn as_cells(&self) -> TablePolicy<'_, Self> {
        TablePolicy { plan: self.plan(), buckets: self.buckets(), weights: self }
    }
}

impl Policy for VerifiedBlueprint<'_> {
    fn hand(&self, hole: Hole, board: &Board) -> u32 {
        self.as_cells().hand(hole, board)
    }

    fn hands(&self, board: &Board, row: &mut [u32]) {
        self.as_cells().hands(board, row);
    }

    fn frequencies(&self, tree: &Tree, node: NodeId, hand: u32, shares: &mut [f32]) {
        self.as_cells().frequencies(tree, node, hand, shares);
    }
}
