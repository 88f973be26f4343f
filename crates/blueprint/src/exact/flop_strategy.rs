//! A strategy that is another one's but on one flop, where it tells every hole apart.

use lethe_cards::{Board, CardSet, Deck, Hole, Street, Symmetry};
use lethe_game::NodeId;
use lethe_rows::{Buckets, DeckMap};

use super::Exact;
use crate::plan::{Kind, Plan};
use crate::store::Weights;

/// The strategy of [`Exact`] before the flop and from the turn on, and any strategy hole by hole on one
/// flop: what an agent plays that solves a flop. Its plan has a bucket for each hole on the flop.
pub struct FlopStrategy<'a, W: ?Sized> {
    exact: &'a Exact<'a, W>,
    plan: Plan,
    flop: CardSet,
    symmetry: Symmetry,
    /// Of the cells of the flop in this plan.
    weights: Vec<f32>,
    /// The cells of the flop here, and where those of the turn begin there.
    cells: std::ops::Range<usize>,
    turn: usize,
}

impl<'a, W: Weights + ?Sized> FlopStrategy<'a, W> {
    /// The strategy that is still the other one's everywhere on this flop.
    pub fn new(exact: &'a Exact<'a, W>, flop: &Board) -> FlopStrategy<'a, W> {
        let counts = [
            Deck::row_len(Street::Flop),
            exact.plan.buckets(Street::Turn),
            exact.plan.buckets(Street::River),
        ];
        let plan = Plan::new(exact.plan.tree().clone(), counts);
        let cells = plan.cells_of_street(Street::Flop);
        let mut found = FlopStrategy {
            exact,
            flop: flop.set(),
            symmetry: Symmetry::of(flop.set()),
            weights: vec![0.0; cells.len()],
            turn: exact.plan.cells_before(Street::Turn),
            cells,
            plan,
        };
        let nodes = found.plan.blocks(Street::Flop).iter().flat_map(|block| &block.nodes);
        let decisions = nodes.filter(|node| matches!(node.kind, Kind::Decision(..)));
        for node in decisions.map(|node| node.id).collect::<Vec<NodeId>>() {
            found.set(node, &exact.frequencies(node, flop));
        }
        found
    }

    /// Sets what is done at a decision of the flop: weights of each action for all holes that the flop
    /// leaves, one action's row after the other's. Holes that suits make alike get the mean of theirs.
    ///
    /// # Panics
    /// If the node is not a decision of the flop or the rows do not have its size.
    pub fn set(&mut self, node: NodeId, rows: &[f32]) {
        let (block, place) = self.plan.place(node);
        let block = &self.plan.blocks(Street::Flop)[block];
        let Kind::Decision(_, offset) = block.nodes[place].kind else {
            panic!("only decisions have a strategy")
        };
        let deck = Deck::without(self.flop);
        let (holes, actions) = (deck.holes_len(), block.children(place).len());
        assert_eq!(rows.len(), actions * holes, "a row for each action");
        let images: Vec<Vec<u16>> =
            self.symmetry.maps().map(|map| DeckMap::new(&deck, &deck, map).slots()).collect();
        for slot in 0..holes {
            let cell = block.cell(offset, slot as u32) - self.cells.start;
            for action in 0..actions {
                let row = &rows[action * holes..];
                let sum: f32 = images.iter().map(|image| row[image[slot] as usize]).sum();
                self.weights[cell + action] = sum / images.len() as f32;
            }
        }
    }

    /// The strategy, to be valued on this flop.
    pub fn exact(&self) -> Exact<'_, FlopStrategy<'a, W>> {
        Exact { plan: &self.plan, buckets: self, weights: self }
    }

    /// Its plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }
}

impl<W: Weights + ?Sized> Weights for FlopStrategy<'_, W> {
    #[inline]
    fn weight(&self, cell: usize) -> f32 {
        if cell < self.cells.start {
            self.exact.weights.weight(cell)
        } else if cell < self.cells.end {
            self.weights[cell - self.cells.start]
        } else {
            self.exact.weights.weight(cell - self.cells.end + self.turn)
        }
    }
}

impl<W: Weights + ?Sized> Buckets for FlopStrategy<'_, W> {
    fn count(&self, street: Street) -> usize {
        match street {
            Street::Flop => Deck::row_len(Street::Flop),
            street => self.exact.buckets.count(street),
        }
    }

    fn fill(&self, board: &Board, row: &mut [u32]) {
        match board.street() {
            Street::Flop => row.iter_mut().zip(0..).for_each(|(entry, slot)| *entry = slot),
            _ => self.exact.buckets.fill(board, row),
        }
    }

    fn of(&self, hole: Hole, board: &Board) -> u32 {
        match board.street() {
            Street::Flop => {
                Deck::without(board.set()).slot(hole).expect("the board leaves the hole") as u32
            }
            _ => self.exact.buckets.of(hole, board),
        }
    }

    fn is_suit_invariant(&self) -> bool {
        // Buckets of the flop are not, but the strategy is the same in those that suits make alike.
        self.exact.buckets.is_suit_invariant()
    }
}
