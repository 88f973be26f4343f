//! One street of an exact pass: its cards, its rows, and the walk down and up its betting.

use std::ops::Range;

use lethe_cards::{Board, CardSet, Deck, Street, SuitMap, Symmetry};
use lethe_rows::{Buckets, CardSums, DeckMap, Stakes};

use super::{Exact, Wanted};
use crate::deal::{DenseBuckets, Numberer, fill};
use crate::kernel::{self, TABLE};
use crate::plan::{Block, Kind, MAX_ACTIONS};
use crate::store::{Weights, fill_tables};

/// The flop or the turn.
pub(super) struct Level {
    pub(super) street: Street,
    /// Which of the street's blocks.
    blocks: Range<usize>,
    pub(super) table: Table,
    pub(super) rows: Rows,
    pub(super) leaves: Vec<Leaf>,
}

impl Level {
    /// A level for some of a street's blocks and `straight` lines that pass through it without
    /// betting, with `rungs` more planes of values.
    pub(super) fn new<W: ?Sized>(
        exact: &Exact<'_, W>,
        street: Street,
        blocks: Range<usize>,
        side: Side,
        straight: usize,
        rungs: usize,
    ) -> Level {
        let stride = Deck::row_len(street).next_multiple_of(16);
        let own = &exact.plan.blocks(street)[blocks.clone()];
        let rows = Rows::new(stride, own, side.p, straight, rungs);
        let leaves = leaves(own, &rows, side.p);
        Level { street, blocks, table: Table::new(street, exact.buckets), rows, leaves }
    }

    /// The flop of all lines, and each of them once more as one that is checked down.
    pub(super) fn flop<W: Weights + ?Sized>(
        exact: &Exact<'_, W>,
        side: Side,
        rungs: usize,
    ) -> Level {
        let lines = exact.lines();
        let mut level = Level::new(exact, Street::Flop, 0..lines, side, lines, rungs);
        for (line, stakes) in exact.plan.flop_pots().enumerate() {
            let (row, node) = (level.checked_row(line), level.checked_node(line));
            level.leaves.push(Leaf { row, node, to: To::Showdown(stakes) });
        }
        level
    }

    /// The row of reach of a line that is checked down.
    pub(super) fn checked_row(&self, line: usize) -> usize {
        self.rows.row_base[self.blocks.len()] + line
    }

    fn checked_node(&self, line: usize) -> usize {
        self.rows.node_base[self.blocks.len()] + line
    }

    /// The values at the root of a block, one for each hole that the board leaves.
    pub(super) fn root<'a>(&self, number: usize, values: &'a [f32]) -> &'a [f32] {
        self.at(self.rows.node_base[number], values)
    }

    /// The values of a line of the flop if it is checked down.
    pub(super) fn checked_down(&self, line: usize) -> &[f32] {
        self.at(self.checked_node(line), &self.rows.best)
    }

    fn at<'a>(&self, node: usize, values: &'a [f32]) -> &'a [f32] {
        &values[node * self.rows.stride..][..Deck::row_len(self.street)]
    }

    /// The opponent's reach at every node, and the values at folds. Leaves are cleared.
    pub(super) fn down<W: Weights + ?Sized>(
        &mut self,
        exact: &Exact<'_, W>,
        p: usize,
        tables: &mut Vec<kernel::Table>,
    ) {
        let blocks = &exact.plan.blocks(self.street)[self.blocks.clone()];
        for (number, block) in blocks.iter().enumerate() {
            forward(exact.weights, block, p, &mut self.rows, number, &self.table.dense, tables);
            folds(block, p, &mut self.rows, number, &self.table.cards);
        }
        for leaf in &self.leaves {
            let at = leaf.node * self.rows.stride..(leaf.node + 1) * self.rows.stride;
            self.rows.best[at.clone()].fill(0.0);
            self.rows.own[at.clone()].fill(0.0);
            for rung in &mut self.rows.rungs {
                rung[at.clone()].fill(0.0);
            }
        }
    }

    /// Values from the leaves, which hold sums over the next cards that differ, up to the roots.
    pub(super) fn up<W: Weights + ?Sized>(
        &mut self,
        exact: &Exact<'_, W>,
        side: Side,
        (symmetry, factor): (Symmetry, f32),
        tables: &mut Vec<kernel::Table>,
    ) {
        let images = self.table.symmetries(symmetry);
        let mut spare = Vec::new();
        for leaf in &self.leaves {
            let start = leaf.node * self.rows.stride;
            let at = start..start + self.table.cards.len();
            symmetrize(&mut self.rows.best[at.clone()], &images, factor, &mut spare);
            if side.wanted.own {
                symmetrize(&mut self.rows.own[at.clone()], &images, factor, &mut spare);
            }
            if let Some((last, earlier)) = self.rows.rungs.split_last_mut() {
                last[at.clone()].copy_from_slice(&self.rows.best[at.clone()]);
                for rung in earlier {
                    symmetrize(&mut rung[at.clone()], &images, factor, &mut spare);
                }
            }
        }
        let blocks = &exact.plan.blocks(self.street)[self.blocks.clone()];
        for (number, block) in blocks.iter().enumerate() {
            let dense = &self.table.dense;
            backward(exact.weights, block, side, &mut self.rows, number, dense, tables);
        }
    }
}

/// Whose values are computed, and how.
#[derive(Clone, Copy)]
pub(super) struct Side {
    /// The player.
    pub(super) p: usize,
    /// What to compute beside the best response's values.
    pub(super) wanted: Wanted,
}

/// Rows of one street.
pub(super) struct Rows {
    pub(super) stride: usize,
    /// The opponent's reach, by block and row.
    reach: Vec<f32>,
    /// Values by block and node: of the best response, and of the strategy itself.
    pub(super) best: Vec<f32>,
    pub(super) own: Vec<f32>,
    /// The same of the responses that follow the strategy on this street and are best from a later
    /// one on: from the river on, then, on the flop, from the turn on. None unless they are wanted.
    pub(super) rungs: Vec<Vec<f32>>,
    /// The first row and the first node of every block.
    pub(super) row_base: Vec<usize>,
    pub(super) node_base: Vec<usize>,
}

impl Rows {
    /// Rows for blocks, and for `more` nodes without a block.
    fn new(stride: usize, blocks: &[Block], p: usize, more: usize, rungs: usize) -> Rows {
        let (mut row_base, mut node_base) = (vec![0], vec![0]);
        for block in blocks {
            row_base.push(row_base.last().expect("not empty") + block.views[p].rows);
            node_base.push(node_base.last().expect("not empty") + block.nodes.len());
        }
        let rows = row_base.last().expect("not empty") + more;
        let nodes = node_base.last().expect("not empty") + more;
        Rows {
            stride,
            reach: vec![0.0; rows * stride],
            best: vec![0.0; nodes * stride],
            own: vec![0.0; nodes * stride],
            rungs: vec![vec![0.0; nodes * stride]; rungs],
            row_base,
            node_base,
        }
    }

    /// The number of rows of reach.
    pub(super) fn reach_len(&self) -> usize {
        self.reach.len() / self.stride
    }

    /// The number of rows of values.
    pub(super) fn node_len(&self) -> usize {
        self.best.len() / self.stride
    }

    pub(super) fn reach(&self, row: usize) -> &[f32] {
        &self.reach[row * self.stride..(row + 1) * self.stride]
    }

    pub(super) fn reach_mut(&mut self, row: usize) -> &mut [f32] {
        &mut self.reach[row * self.stride..(row + 1) * self.stride]
    }
}

/// A node at which a line leaves a street, and the row of reach there.
#[derive(Clone, Copy)]
pub(super) struct Leaf {
    pub(super) row: usize,
    pub(super) node: usize,
    pub(super) to: To,
}

/// Where a line continues.
#[derive(Clone, Copy)]
pub(super) enum To {
    /// In this block of the next street.
    Block(u32),
    /// At a showdown after all cards are dealt.
    Showdown(Stakes),
}

/// The cards of a street and its buckets.
pub(super) struct Table {
    pub(super) deck: Deck,
    pub(super) cards: Vec<[u8; 2]>,
    pub(super) dense: DenseBuckets,
    numberer: Numberer,
    buckets: Vec<u32>,
}

impl Table {
    fn new(street: Street, buckets: &dyn Buckets) -> Table {
        Table {
            deck: Deck::without(CardSet::EMPTY),
            cards: Vec::new(),
            dense: DenseBuckets::default(),
            numberer: Numberer::new(buckets.count(street)),
            buckets: vec![0; Deck::row_len(street)],
        }
    }

    pub(super) fn set(&mut self, board: &Board, buckets: &dyn Buckets) {
        self.deck = Deck::without(board.set());
        let cards = self.deck.cards().len() as u8;
        self.cards.clear();
        self.cards.extend((1..cards).flat_map(|high| (0..high).map(move |low| [low, high])));
        fill(buckets, board, &mut self.buckets);
        self.numberer.number(self.buckets.iter().copied(), &mut self.dense);
    }

    /// The slot of every hole in the row of a larger deck.
    pub(super) fn slots_in(&self, deck: &Deck) -> Vec<u16> {
        DeckMap::new(&self.deck, deck, SuitMap::IDENTITY).slots()
    }

    /// For each permutation of interchangeable suits, the slot that it sends every slot to.
    fn symmetries(&self, symmetry: Symmetry) -> Vec<Vec<u16>> {
        symmetry.maps().map(|map| DeckMap::new(&self.deck, &self.deck, map).slots()).collect()
    }
}

/// Makes a row the mean of its images, times a factor.
fn symmetrize(row: &mut [f32], images: &[Vec<u16>], factor: f32, spare: &mut Vec<f32>) {
    if images.len() > 1 {
        spare.clear();
        spare.extend_from_slice(row);
        row.fill(0.0);
        for image in images {
            for (out, &slot) in row.iter_mut().zip(image) {
                *out += spare[slot as usize];
            }
        }
    }
    let factor = factor / images.len() as f32;
    row.iter_mut().for_each(|x| *x *= factor);
}

/// What a fold pays against a row of reach.
fn fold(cards: &[[u8; 2]], reach: &[f32], pay: f32, out: &mut [f32]) {
    let sums = CardSums::of(reach.iter().copied().zip(cards));
    for ((out, &x), &cards) in out.iter_mut().zip(reach).zip(cards) {
        *out = pay * (sums.against(cards) + x);
    }
}

/// The leaves of a street's blocks.
fn leaves(blocks: &[Block], rows: &Rows, p: usize) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        for (place, node) in block.nodes.iter().enumerate() {
            let to = match node.kind {
                Kind::Next(block) => To::Block(block),
                Kind::Showdown(stakes) => To::Showdown(stakes),
                _ => continue,
            };
            let row = rows.row_base[number] + block.views[p].row[place] as usize;
            leaves.push(Leaf { row, node: rows.node_base[number] + place, to });
        }
    }
    leaves
}

/// The opponent's reach at every node of a block.
fn forward<W: Weights + ?Sized>(
    weights: &W,
    block: &Block,
    p: usize,
    rows: &mut Rows,
    number: usize,
    dense: &DenseBuckets,
    tables: &mut Vec<kernel::Table>,
) {
    let view = &block.views[p];
    let (stride, base) = (rows.stride, rows.row_base[number]);
    let holes = dense.local.len();
    for (place, node) in block.nodes.iter().enumerate() {
        let Kind::Decision(player, offset) = node.kind else { continue };
        if player == p {
            continue;
        }
        let children = block.children(place);
        let tables = sized(tables, children.len());
        fill_tables(weights, block, offset, &dense.distinct, tables);
        let first = (base + view.row[children[0] as usize] as usize) * stride;
        let (before, after) = rows.reach.split_at_mut(first);
        let reach = &before[(base + view.row[place] as usize) * stride..][..holes];
        let after = &mut after[..children.len() * stride];
        kernel::fan(after, stride, reach, tables, dense);
    }
}

/// The values at folds before the river.
fn folds(block: &Block, p: usize, rows: &mut Rows, number: usize, cards: &[[u8; 2]]) {
    for (place, node) in block.nodes.iter().enumerate() {
        let Kind::Fold(pays) = node.kind else { continue };
        let row = rows.row_base[number] + block.views[p].row[place] as usize;
        let reach = &rows.reach[row * rows.stride..][..cards.len()];
        let at = (rows.node_base[number] + place) * rows.stride;
        fold(cards, reach, pays[p], &mut rows.best[at..at + cards.len()]);
        let at = at..at + cards.len();
        for plane in std::iter::once(&mut rows.own).chain(&mut rows.rungs) {
            plane[at.clone()].copy_from_slice(&rows.best[at.clone()]);
        }
    }
}

/// Values from the terminals and leaves of a block up to its root.
fn backward<W: Weights + ?Sized>(
    weights: &W,
    block: &Block,
    Side { p, wanted }: Side,
    rows: &mut Rows,
    number: usize,
    dense: &DenseBuckets,
    tables: &mut Vec<kernel::Table>,
) {
    let stride = rows.stride;
    let base = rows.node_base[number];
    let holes = dense.local.len();
    for (place, node) in block.nodes.iter().enumerate().rev() {
        let Kind::Decision(player, offset) = node.kind else { continue };
        let children = block.children(place);
        let split = (base + place + 1) * stride;
        let at = |child: u32| {
            let start = (child as usize - place - 1) * stride;
            start..start + holes
        };
        let tables = sized(tables, children.len());
        if player == p && (wanted.own || wanted.ladder) {
            fill_tables(weights, block, offset, &dense.distinct, tables);
        }
        let own = wanted.own.then_some(&mut rows.own);
        let mixed = own.into_iter().chain(&mut rows.rungs).map(|plane| (plane, false));
        for (plane, is_best) in std::iter::once((&mut rows.best, true)).chain(mixed) {
            let (before, after) = plane.split_at_mut(split);
            let out = &mut before[split - stride..][..holes];
            let mut values = [&[][..]; MAX_ACTIONS];
            for (value, &child) in values.iter_mut().zip(children) {
                *value = &after[at(child)];
            }
            let values = &values[..children.len()];
            match (player == p, is_best) {
                (false, _) => kernel::sum(out, values),
                (true, true) => kernel::max(out, values),
                (true, false) => kernel::mix(out, values, tables, dense),
            }
        }
    }
}

/// The first `len` tables; missing ones are added.
pub(crate) fn sized(tables: &mut Vec<kernel::Table>, len: usize) -> &mut [kernel::Table] {
    if tables.len() < len {
        tables.resize(len, [0.0; TABLE]);
    }
    &mut tables[..len]
}
