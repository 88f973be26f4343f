//! Exact values in real cards: what a strategy earns, and what a best response earns against it.
//!
//! One flop at a time: its betting is walked once for the flop, once for every turn card and once
//! for every river card after it, up to suits that are alike. Every hole stands for itself; buckets
//! only say what the strategy does. The opponent's reach goes down, values come up.

mod level;

use lethe_cards::{Board, CanonicalBoard, Hole, PreflopClass, Street, Symmetry};

pub(crate) use self::level::sized;
use self::level::{Leaf, Level, Rows, Side, To, backward, forward, scatter};
use crate::deal::{Buckets, HOLES, Locals, Numberer, Ranked, STRIDE};
use crate::kernel::{self, Walk};
use crate::plan::{Lane, NONE, Plan};
use crate::store::Weights;

/// The turn and river cards that two holes and the board leave.
const TURNS: f32 = 45.0;
const RIVERS: f32 = 44.0;
/// River nodes that are worked through together, so that lanes are filled and rows stay in a cache.
const RIVER_NODES: usize = 48;

/// A strategy to be valued in real cards.
pub struct Exact<'a, W: ?Sized> {
    /// The betting.
    pub plan: &'a Plan,
    /// The abstraction that the strategy was made on.
    pub buckets: &'a dyn Buckets,
    /// The strategy.
    pub weights: &'a W,
}

/// Values of one flop, for one player.
///
/// For each betting line that reaches the flop and each of the 169 preflop classes: the sum over
/// the class's holes of what they win against every hole of the opponent, weighted by how often it
/// is played so.
#[derive(Clone, Debug)]
pub struct FlopValues {
    /// With the best response after the flop.
    pub best: Vec<f64>,
    /// With the strategy itself.
    pub own: Vec<f64>,
}

/// One thread's room to value flops for one player.
struct Pass<'a, W: ?Sized> {
    exact: &'a Exact<'a, W>,
    p: usize,
    with_own: bool,
    walk: Walk,
    ranked: Ranked,
    river_locals: Locals,
    river_numberer: Numberer,
    river_buckets: Vec<u32>,
    flop: Level,
    turn: Level,
    river: Rows,
    /// The leaves of the turn that the opponent reaches.
    live_leaves: Vec<Leaf>,
    /// River blocks and showdowns in runs that are worked through together, as places in
    /// `live_leaves`.
    chunks: Vec<std::ops::Range<usize>>,
    tables: Vec<kernel::Table>,
    lanes: Vec<Lane>,
    slots: Vec<u16>,
}

impl<W: Weights + ?Sized> Exact<'_, W> {
    /// How many betting lines come to the flop.
    pub fn lines(&self) -> usize {
        self.plan.blocks(Street::Flop).len()
    }

    /// Values a flop for player `p`, 0 for the big blind and 1 for the small blind, whose opponent
    /// reaches the lines of the flop with the frequencies `reach`, by line and class. `with_own`
    /// asks for the strategy's own value too.
    pub fn flop(
        &self,
        p: usize,
        flop: CanonicalBoard,
        reach: &[[f64; PreflopClass::COUNT]],
        with_own: bool,
    ) -> FlopValues {
        Pass::new(self, p, with_own).flop(flop, reach)
    }
}

impl<'a, W: Weights + ?Sized> Pass<'a, W> {
    fn new(exact: &'a Exact<'a, W>, p: usize, with_own: bool) -> Pass<'a, W> {
        let buckets = exact.buckets;
        let flop = Level::new(exact, Street::Flop, p, 0);
        let straight = flop.leaves.iter().filter(|leaf| matches!(leaf.to, To::Showdown(_)));
        let straight: Vec<Leaf> = straight.copied().collect();
        let mut turn = Level::new(exact, Street::Turn, p, straight.len());
        // An all-in on the flop goes through the turn as a line without betting.
        let (row, node) = (turn.rows.reach_len(), turn.rows.node_len());
        turn.leaves.extend(straight.iter().enumerate().map(|(i, leaf)| Leaf {
            row: row - straight.len() + i,
            node: node - straight.len() + i,
            to: leaf.to,
        }));
        // Blocks first, then showdowns.
        turn.leaves.sort_by_key(|leaf| matches!(leaf.to, To::Showdown(_)));
        Pass {
            exact,
            p,
            with_own,
            walk: Walk::new(),
            ranked: Ranked::new(),
            river_locals: Locals::default(),
            river_numberer: Numberer::new(buckets.count(Street::River)),
            river_buckets: vec![0; HOLES],
            flop,
            turn,
            river: Rows::empty(STRIDE),
            live_leaves: Vec::new(),
            chunks: Vec::new(),
            tables: Vec::new(),
            lanes: Vec::new(),
            slots: vec![0; HOLES],
        }
    }

    fn flop(&mut self, flop: CanonicalBoard, reach: &[[f64; PreflopClass::COUNT]]) -> FlopValues {
        let blocks = self.exact.plan.blocks(Street::Flop);
        self.flop.table.set(&flop.board(), self.exact.buckets);
        let classes: Vec<usize> =
            self.flop.table.deck.holes().map(|hole: Hole| hole.class().index()).collect();
        for (number, reach) in reach.iter().enumerate() {
            let row = self.flop.rows.row_base[number];
            let row = &mut self.flop.rows.reach_mut(row)[..classes.len()];
            for (x, &class) in row.iter_mut().zip(&classes) {
                *x = reach[class] as f32;
            }
        }
        self.flop.down(self.exact, self.p, &mut self.tables);
        let symmetry = flop.symmetry();
        for next in symmetry.next_cards(flop.set()) {
            let board = flop.board().with(next.card).expect("the card is not on the board");
            self.turn(&board, symmetry.after(next.card), next.multiplicity as f32);
        }
        self.flop.up(self.exact, self.side(false), (symmetry, 1.0 / TURNS), &mut self.tables);
        let rows = &self.flop.rows;
        let sums = |values: &[f32]| {
            let mut sums = vec![0.0; blocks.len() * PreflopClass::COUNT];
            for (number, sums) in sums.chunks_exact_mut(PreflopClass::COUNT).enumerate() {
                let row = &values[rows.node_base[number] * rows.stride..];
                for (&x, &class) in row.iter().zip(&classes) {
                    sums[class] += f64::from(x);
                }
            }
            sums
        };
        let own = if self.with_own { sums(&rows.own) } else { Vec::new() };
        FlopValues { best: sums(&rows.best), own }
    }

    fn turn(&mut self, board: &Board, symmetry: Symmetry, weight: f32) {
        self.turn.table.set(board, self.exact.buckets);
        let up = self.turn.table.slots_in(&self.flop.table.deck);
        let targets = self.targets();
        for (leaf, &(row, _)) in self.flop.leaves.iter().zip(&targets) {
            let from = self.flop.rows.reach(leaf.row);
            for (out, &slot) in self.turn.rows.reach_mut(row).iter_mut().zip(&up) {
                *out = from[slot as usize];
            }
        }
        self.turn.down(self.exact, self.p, &mut self.tables);
        self.find_live_leaves();
        for next in symmetry.next_cards(board.set()) {
            let river = board.with(next.card).expect("the card is not on the board");
            self.river(&river, next.multiplicity as f32);
        }
        self.turn.up(self.exact, self.side(false), (symmetry, 1.0 / RIVERS), &mut self.tables);
        let (flop, turn) = (&mut self.flop.rows, &self.turn.rows);
        for (leaf, (_, node)) in self.flop.leaves.iter().zip(targets) {
            let planes = [(&mut flop.best, &turn.best), (&mut flop.own, &turn.own)];
            for (to, from) in planes.into_iter().take(1 + usize::from(self.with_own)) {
                let to = &mut to[leaf.node * flop.stride..];
                scatter(to, &from[node * turn.stride..], &up, weight);
            }
        }
    }

    fn side(&self, shared: bool) -> Side {
        Side { p: self.p, with_own: self.with_own, shared }
    }

    /// Lists the leaves of the turn that the opponent reaches, in runs to be worked through together.
    fn find_live_leaves(&mut self) {
        let blocks = self.exact.plan.blocks(Street::River);
        let (turn, p) = (&self.turn, self.p);
        // Padding is never written and stays zero.
        let live = |leaf: &&Leaf| turn.rows.reach(leaf.row).iter().any(|&x| x > 0.0);
        self.live_leaves.clear();
        self.live_leaves.extend(turn.leaves.iter().filter(live));
        self.chunks.clear();
        let (mut start, mut rows, mut nodes) = (0, 0, 0);
        let (mut most_rows, mut most_nodes) = (0, 0);
        for (i, leaf) in self.live_leaves.iter().enumerate() {
            let (more_rows, more_nodes) = match leaf.to {
                To::Block(block) => {
                    let block = &blocks[block as usize];
                    (block.views[p].rows, block.nodes.len())
                }
                To::Showdown(_) => (1, 1),
            };
            if nodes > 0 && nodes + more_nodes > RIVER_NODES {
                self.chunks.push(start..i);
                (start, rows, nodes) = (i, 0, 0);
            }
            (rows, nodes) = (rows + more_rows, nodes + more_nodes);
            (most_rows, most_nodes) = (most_rows.max(rows), most_nodes.max(nodes));
        }
        if start < self.live_leaves.len() {
            self.chunks.push(start..self.live_leaves.len());
        }
        let river = &mut self.river;
        for (row, len) in [
            (&mut river.reach, most_rows),
            (&mut river.best, most_nodes),
            (&mut river.own, most_nodes),
        ] {
            if row.len() < len * STRIDE {
                row.resize(len * STRIDE, 0.0);
            }
        }
    }

    /// The row and node on the turn of every leaf of the flop.
    fn targets(&self) -> Vec<(usize, usize)> {
        let turn = &self.turn.rows;
        let (rows, nodes) = (turn.reach_len(), turn.node_len());
        let straight = |leaf: &&Leaf| matches!(leaf.to, To::Showdown(_));
        let count = self.flop.leaves.iter().filter(straight).count();
        let mut at = 0;
        let target = |leaf: &Leaf| match leaf.to {
            To::Block(block) => (turn.row_base[block as usize], turn.node_base[block as usize]),
            To::Showdown(_) => {
                at += 1;
                (rows - count + at - 1, nodes - count + at - 1)
            }
        };
        self.flop.leaves.iter().map(target).collect()
    }

    fn river(&mut self, board: &Board, weight: f32) {
        let (plan, p) = (self.exact.plan, self.p);
        let blocks = plan.blocks(Street::River);
        self.ranked.set(board.set());
        self.ranked.slots_in(&self.turn.table.deck, &mut self.slots);
        self.exact.buckets.fill(board, &mut self.river_buckets);
        let buckets = self.ranked.slots.iter().map(|&slot| self.river_buckets[slot as usize]);
        self.river_numberer.number(buckets, &mut self.river_locals);
        let side = self.side(true);
        for chunk in &self.chunks {
            let leaves = &self.live_leaves[chunk.clone()];
            let river = &mut self.river;
            river.row_base.clear();
            river.node_base.clear();
            let (mut row, mut node) = (0, 0);
            for leaf in leaves {
                let from = self.turn.rows.reach(leaf.row);
                let to = &mut river.reach[row * STRIDE..][..STRIDE];
                for (out, &slot) in to[..HOLES].iter_mut().zip(&self.slots) {
                    *out = from[slot as usize];
                }
                river.row_base.push(row);
                river.node_base.push(node);
                match leaf.to {
                    To::Block(block) => {
                        let block = &blocks[block as usize];
                        row += block.views[p].rows;
                        node += block.nodes.len();
                    }
                    To::Showdown(_) => (row, node) = (row + 1, node + 1),
                }
            }
            for folds in [false, true] {
                self.lanes.clear();
                for (i, leaf) in leaves.iter().enumerate() {
                    let (row, node) = (river.row_base[i] as u32, river.node_base[i] as u32);
                    match leaf.to {
                        To::Showdown(pay) if !folds => {
                            self.lanes.push(Lane {
                                row,
                                show: node,
                                pay,
                                fold: NONE,
                                fold_pay: 0.0,
                            });
                        }
                        To::Showdown(_) => {}
                        To::Block(block) => {
                            let block = &blocks[block as usize];
                            if !folds {
                                let (locals, tables) = (&self.river_locals, &mut self.tables);
                                forward(self.exact.weights, block, p, river, i, locals, tables);
                            }
                            let view = &block.views[p];
                            let lanes = if folds { &view.folds } else { &view.shows };
                            let moved = |to: u32| if to == NONE { NONE } else { to + node };
                            self.lanes.extend(lanes.iter().map(|lane| Lane {
                                row: lane.row + row,
                                show: moved(lane.show),
                                fold: moved(lane.fold),
                                ..*lane
                            }));
                        }
                    }
                }
                self.walk.pay(&self.ranked, &self.lanes, &river.reach, &mut river.best);
            }
            for (i, leaf) in leaves.iter().enumerate() {
                let node = river.node_base[i] * STRIDE;
                let mut own_from_best = true;
                if let To::Block(block) = leaf.to {
                    let block = &blocks[block as usize];
                    own_from_best = false;
                    let (locals, tables) = (&self.river_locals, &mut self.tables);
                    backward(self.exact.weights, block, side, river, i, locals, tables);
                }
                let turn = &mut self.turn.rows;
                let to = leaf.node * turn.stride;
                scatter(&mut turn.best[to..], &river.best[node..], &self.slots, weight);
                if self.with_own {
                    let from = if own_from_best { &river.best } else { &river.own };
                    scatter(&mut turn.own[to..], &from[node..], &self.slots, weight);
                }
            }
        }
    }
}
