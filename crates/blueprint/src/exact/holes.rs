//! Strategies that tell every hole apart, in the form in which exact values are computed: each hole of
//! each board of a subgame is a bucket of its own.

use std::ops::Range;
use std::sync::Arc;

use lethe_cards::{Board, Deck, Hole, Street};
use lethe_game::{NodeId, Tree};
use lethe_rows::Buckets;

use crate::plan::{Kind, Plan};
use crate::store::Weights;

const RIVER_HOLES: usize = Deck::row_len(Street::River);

/// Every hole as a bucket: on flop and turn its slot, on the river its slot among those of all river
/// cards. Two boards that follow the same turn share no bucket on the river; other boards may share
/// all of them.
#[derive(Clone, Copy, Debug)]
pub struct HoleBuckets;

impl HoleBuckets {
    /// The number of buckets on flop, turn and river.
    pub const COUNTS: [usize; 3] =
        [Deck::row_len(Street::Flop), Deck::row_len(Street::Turn), 48 * RIVER_HOLES];

    /// The plan of a tree with these buckets.
    pub fn plan(tree: &Arc<Tree>) -> Plan {
        Plan::new(tree.clone(), HoleBuckets::COUNTS)
    }

    /// The bucket of a board's first hole.
    fn first(board: &Board) -> usize {
        match board.cards() {
            [before @ .., card] if board.street() == Street::River => {
                let deck = Deck::without(before.iter().copied().collect());
                deck.position(*card).expect("the card is not on the turn") * RIVER_HOLES
            }
            _ => 0,
        }
    }
}

impl Buckets for HoleBuckets {
    fn count(&self, street: Street) -> usize {
        HoleBuckets::COUNTS[street.index() - Street::Flop.index()]
    }

    fn fill(&self, board: &Board, row: &mut [u32]) {
        let first = HoleBuckets::first(board) as u32;
        row.iter_mut().zip(first..).for_each(|(entry, bucket)| *entry = bucket);
    }

    fn of(&self, hole: Hole, board: &Board) -> u32 {
        let slot = Deck::without(board.set()).slot(hole).expect("the board leaves the hole");
        (HoleBuckets::first(board) + slot) as u32
    }

    fn is_suit_invariant(&self) -> bool {
        false
    }
}

/// What both players do with every hole in one subgame, from the start of the turn or river on: the
/// weights of the cells of a plan with [`HoleBuckets`]. Where nothing was set, all actions are taken
/// equally often.
#[derive(Clone, Debug)]
pub struct HoleStrategy {
    /// The cells of the subgame, street by street.
    cells: Vec<Range<usize>>,
    weights: Vec<f32>,
}

impl HoleStrategy {
    /// The strategy that takes all actions equally often after `start`, the first decision of a street
    /// on this board.
    ///
    /// # Panics
    /// If the plan is not one with [`HoleBuckets`], or the board is of another street than `start`.
    pub fn new(plan: &Plan, board: &Board, start: NodeId) -> HoleStrategy {
        let street = plan.tree().node(start).street();
        assert!(board.street() == street && plan.buckets(Street::River) == 48 * RIVER_HOLES);
        let first = plan.place(start).0;
        let mut blocks = first..first + 1;
        let mut cells = Vec::new();
        for street in Street::ALL.into_iter().filter(|&later| later >= street) {
            let own = &plan.blocks(street)[blocks.clone()];
            let (Some(begin), Some(end)) = (own.first(), own.last()) else { break };
            // On the river a subgame has the buckets of one board, or those of all.
            let buckets = match board.street() {
                Street::River => {
                    let first = HoleBuckets::first(board);
                    first..first + RIVER_HOLES
                }
                _ => 0..plan.buckets(street),
            };
            let begin = begin.base + buckets.start * begin.width;
            cells.push(begin..end.base + buckets.end * end.width);
            let next = own.iter().flat_map(|block| &block.nodes).filter_map(|node| {
                let Kind::Next(block) = node.kind else { return None };
                Some(block as usize)
            });
            // The lines of a street are numbered in the order in which they leave the one before.
            let next: Vec<usize> = next.collect();
            let (Some(&low), Some(&high)) = (next.first(), next.last()) else { break };
            blocks = low..high + 1;
        }
        let len = cells.iter().map(ExactSizeIterator::len).sum();
        HoleStrategy { cells, weights: vec![0.0; len] }
    }

    /// Sets what is done at a decision on a board: weights of each action for all holes that the board
    /// leaves, one action's row after the other's.
    ///
    /// # Panics
    /// If the decision is not in the subgame or the rows do not have its size.
    pub fn set(&mut self, plan: &Plan, node: NodeId, board: &Board, rows: &[f32]) {
        let street = plan.tree().node(node).street();
        let (block, place) = plan.place(node);
        let block = &plan.blocks(street)[block];
        let Kind::Decision(_, offset) = block.nodes[place].kind else {
            panic!("only decisions have a strategy")
        };
        let holes = Deck::row_len(street);
        let actions = block.children(place).len();
        assert_eq!(rows.len(), actions * holes, "a row for each action");
        let first = HoleBuckets::first(board);
        for slot in 0..holes {
            let cell = self.index(block.cell(offset, (first + slot) as u32));
            for (action, weight) in self.weights[cell..cell + actions].iter_mut().enumerate() {
                *weight = rows[action * holes + slot];
            }
        }
    }

    /// The position of a cell's weight.
    #[inline]
    fn index(&self, cell: usize) -> usize {
        let mut before = 0;
        for cells in &self.cells {
            if cells.contains(&cell) {
                return before + (cell - cells.start);
            }
            before += cells.len();
        }
        panic!("a cell of the subgame")
    }
}

impl Weights for HoleStrategy {
    #[inline]
    fn weight(&self, cell: usize) -> f32 {
        self.weights[self.index(cell)]
    }
}
