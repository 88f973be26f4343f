//! Exact values in real cards: what a strategy earns, and what a best response earns against it.
//!
//! One flop at a time: its betting is walked once for the flop, once for every turn card and once
//! for every river card after it, up to suits that are alike. Every hole stands for itself; buckets
//! only say what the strategy does. The opponent's reach goes down, values come up.

use lethe_cards::{
    Board, CanonicalBoard, Card, CardSet, Deck, Hole, PreflopClass, Street, Symmetry, pair_index,
};

use crate::deal::{Buckets, HOLES, Locals, Numberer, Ranked, STRIDE};
use crate::kernel::{self, TABLE, Walk};
use crate::plan::{Block, Kind, Lane, MAX_ACTIONS, NONE, Plan};
use crate::store::{Weights, fill_tables};

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

/// Rows of one street.
struct Rows {
    stride: usize,
    /// The opponent's reach, by block and row.
    reach: Vec<f32>,
    /// Values by block and node: of the best response, and of the strategy itself.
    best: Vec<f32>,
    own: Vec<f32>,
    /// The first row and the first node of every block.
    row_base: Vec<usize>,
    node_base: Vec<usize>,
}

impl Rows {
    /// Room for blocks, and more nodes without a block.
    fn new<'b>(
        stride: usize,
        blocks: impl Iterator<Item = &'b Block>,
        p: usize,
        more: usize,
    ) -> Rows {
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
            row_base,
            node_base,
        }
    }

    fn reach(&self, row: usize) -> &[f32] {
        &self.reach[row * self.stride..(row + 1) * self.stride]
    }

    fn reach_mut(&mut self, row: usize) -> &mut [f32] {
        &mut self.reach[row * self.stride..(row + 1) * self.stride]
    }
}

/// A place where a line leaves a street: at the node of a street's rows, with the row of reach.
#[derive(Clone, Copy)]
struct Leaf {
    row: usize,
    node: usize,
    /// The block of the next street, or a showdown after all cards are dealt.
    to: To,
}

#[derive(Clone, Copy)]
enum To {
    Block(u32),
    Showdown([f32; 3]),
}

/// The cards of a street and its buckets.
struct Table {
    deck: Deck,
    cards: Vec<[u8; 2]>,
    locals: Locals,
    numberer: Numberer,
    buckets: Vec<u32>,
}

impl Table {
    fn new(street: Street, buckets: &dyn Buckets) -> Table {
        Table {
            deck: Deck::without(CardSet::EMPTY),
            cards: Vec::new(),
            locals: Locals::default(),
            numberer: Numberer::new(buckets.count(street)),
            buckets: vec![0; Deck::row_len(street)],
        }
    }

    fn set(&mut self, board: &Board, buckets: &dyn Buckets) {
        self.deck = Deck::without(board.set());
        let cards = self.deck.cards().len() as u8;
        self.cards.clear();
        self.cards.extend((1..cards).flat_map(|high| (0..high).map(move |low| [low, high])));
        buckets.fill(board, &mut self.buckets);
        self.numberer.number(self.buckets.iter().copied(), &mut self.locals);
    }

    /// The slots that the permutations of alike suits send every slot to.
    fn symmetries(&self, symmetry: Symmetry) -> Vec<Vec<u16>> {
        let maps = symmetry.maps().map(|map| {
            let place = |card: Card| {
                self.deck.position(map.card(card)).expect("suits that are alike stay in the deck")
            };
            let places: Vec<usize> = self.deck.cards().iter().map(|&card| place(card)).collect();
            let slot = |&[low, high]: &[u8; 2]| {
                let (a, b) = (places[low as usize], places[high as usize]);
                pair_index(a.min(b), a.max(b)) as u16
            };
            self.cards.iter().map(slot).collect()
        });
        maps.collect()
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
    let mut with = [0.0f32; 64];
    let mut all = 0.0;
    for (&x, cards) in reach.iter().zip(cards) {
        all += x;
        with[cards[0] as usize & 63] += x;
        with[cards[1] as usize & 63] += x;
    }
    for ((out, &x), cards) in out.iter_mut().zip(reach).zip(cards) {
        *out = pay * (all - with[cards[0] as usize & 63] - with[cards[1] as usize & 63] + x);
    }
}

/// One thread's room to value flops for one player.
struct Pass<'a, W: ?Sized> {
    exact: &'a Exact<'a, W>,
    p: usize,
    with_own: bool,
    walk: Walk,
    ranked: Ranked,
    flop_table: Table,
    turn_table: Table,
    river_locals: Locals,
    river_numberer: Numberer,
    river_buckets: Vec<u32>,
    flop: Rows,
    turn: Rows,
    river: Rows,
    flop_leaves: Vec<Leaf>,
    turn_leaves: Vec<Leaf>,
    /// The leaves of the turn that the opponent reaches.
    live_leaves: Vec<Leaf>,
    /// River blocks and showdowns in runs that are worked through together, as places in
    /// `live_leaves`.
    chunks: Vec<std::ops::Range<usize>>,
    tables: Vec<kernel::Table>,
    lanes: Vec<Lane>,
    spare: Vec<f32>,
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

fn padded(holes: usize) -> usize {
    holes.next_multiple_of(16)
}

impl<'a, W: Weights + ?Sized> Pass<'a, W> {
    fn new(exact: &'a Exact<'a, W>, p: usize, with_own: bool) -> Pass<'a, W> {
        let (plan, buckets) = (exact.plan, exact.buckets);
        let flop_stride = padded(Deck::row_len(Street::Flop));
        let turn_stride = padded(Deck::row_len(Street::Turn));
        let flop = Rows::new(flop_stride, plan.blocks(Street::Flop).iter(), p, 0);
        let flop_leaves = leaves(plan.blocks(Street::Flop), &flop, p);
        let straight = flop_leaves.iter().filter(|leaf| matches!(leaf.to, To::Showdown(_)));
        let straight: Vec<Leaf> = straight.copied().collect();
        let turn = Rows::new(turn_stride, plan.blocks(Street::Turn).iter(), p, straight.len());
        let mut turn_leaves = leaves(plan.blocks(Street::Turn), &turn, p);
        // An all-in on the flop goes through the turn as a line without betting.
        let (row, node) = (turn.reach.len() / turn_stride, turn.best.len() / turn_stride);
        turn_leaves.extend(straight.iter().enumerate().map(|(i, leaf)| Leaf {
            row: row - straight.len() + i,
            node: node - straight.len() + i,
            to: leaf.to,
        }));
        // Blocks first, then showdowns.
        turn_leaves.sort_by_key(|leaf| matches!(leaf.to, To::Showdown(_)));
        let river = Rows {
            stride: STRIDE,
            reach: Vec::new(),
            best: Vec::new(),
            own: Vec::new(),
            row_base: Vec::new(),
            node_base: Vec::new(),
        };
        Pass {
            exact,
            p,
            with_own,
            walk: Walk::new(),
            ranked: Ranked::new(),
            flop_table: Table::new(Street::Flop, buckets),
            turn_table: Table::new(Street::Turn, buckets),
            river_locals: Locals::default(),
            river_numberer: Numberer::new(buckets.count(Street::River)),
            river_buckets: vec![0; HOLES],
            flop,
            turn,
            river,
            flop_leaves,
            turn_leaves,
            live_leaves: Vec::new(),
            chunks: Vec::new(),
            tables: Vec::new(),
            lanes: Vec::new(),
            spare: Vec::new(),
            slots: vec![0; HOLES],
        }
    }

    fn flop(&mut self, flop: CanonicalBoard, reach: &[[f64; PreflopClass::COUNT]]) -> FlopValues {
        let (plan, p) = (self.exact.plan, self.p);
        let blocks = plan.blocks(Street::Flop);
        self.flop_table.set(&flop.board(), self.exact.buckets);
        let classes: Vec<usize> =
            self.flop_table.deck.holes().map(|hole: Hole| hole.class().index()).collect();
        for (number, reach) in reach.iter().enumerate() {
            let row = self.flop.row_base[number];
            let row = &mut self.flop.reach_mut(row)[..classes.len()];
            for (x, &class) in row.iter_mut().zip(&classes) {
                *x = reach[class] as f32;
            }
        }
        for (number, block) in blocks.iter().enumerate() {
            let locals = &self.flop_table.locals;
            forward(self.exact.weights, block, p, &mut self.flop, number, locals, &mut self.tables);
            folds(block, p, &mut self.flop, number, &self.flop_table.cards);
        }
        let symmetry = flop.symmetry();
        clear(&self.flop_leaves, &mut self.flop);
        for next in symmetry.next_cards(flop.set()) {
            let board = flop.board().with(next.card).expect("the card is not on the board");
            self.turn(&board, symmetry.after(next.card), next.multiplicity as f32);
        }
        let images = self.flop_table.symmetries(symmetry);
        let holes = classes.len();
        self.finish_leaves(Street::Flop, &images, 1.0 / TURNS, holes);
        for (number, block) in blocks.iter().enumerate() {
            let locals = &self.flop_table.locals;
            let rows = &mut self.flop;
            backward(
                self.exact.weights,
                block,
                p,
                rows,
                number,
                locals,
                &mut self.tables,
                self.with_own,
                false,
            );
        }
        let sums = |values: &[f32]| {
            let mut sums = vec![0.0; blocks.len() * PreflopClass::COUNT];
            for (number, sums) in sums.chunks_exact_mut(PreflopClass::COUNT).enumerate() {
                let row = &values[self.flop.node_base[number] * self.flop.stride..];
                for (&x, &class) in row.iter().zip(&classes) {
                    sums[class] += f64::from(x);
                }
            }
            sums
        };
        let own = if self.with_own { sums(&self.flop.own) } else { Vec::new() };
        FlopValues { best: sums(&self.flop.best), own }
    }

    fn turn(&mut self, board: &Board, symmetry: Symmetry, weight: f32) {
        let (plan, p) = (self.exact.plan, self.p);
        let blocks = plan.blocks(Street::Turn);
        self.turn_table.set(board, self.exact.buckets);
        let holes = self.turn_table.cards.len();
        // Where the turn's holes stand in the flop's row.
        let places: Vec<usize> = self
            .turn_table
            .deck
            .cards()
            .iter()
            .map(|&card| self.flop_table.deck.position(card).expect("a larger deck"))
            .collect();
        let up: Vec<u16> = self
            .turn_table
            .cards
            .iter()
            .map(|&[low, high]| pair_index(places[low as usize], places[high as usize]) as u16)
            .collect();
        let targets: Vec<(usize, usize)> = self.targets();
        for (leaf, &(row, _)) in self.flop_leaves.iter().zip(&targets) {
            let from = self.flop.reach(leaf.row);
            for (out, &slot) in self.turn.reach_mut(row)[..holes].iter_mut().zip(&up) {
                *out = from[slot as usize];
            }
        }
        for (number, block) in blocks.iter().enumerate() {
            let locals = &self.turn_table.locals;
            forward(self.exact.weights, block, p, &mut self.turn, number, locals, &mut self.tables);
            folds(block, p, &mut self.turn, number, &self.turn_table.cards);
        }
        clear(&self.turn_leaves, &mut self.turn);
        self.find_live_leaves(holes);
        for next in symmetry.next_cards(board.set()) {
            let river = board.with(next.card).expect("the card is not on the board");
            self.river(&river, next.multiplicity as f32);
        }
        let images = self.turn_table.symmetries(symmetry);
        self.finish_leaves(Street::Turn, &images, 1.0 / RIVERS, holes);
        for (number, block) in blocks.iter().enumerate() {
            let locals = &self.turn_table.locals;
            let rows = &mut self.turn;
            backward(
                self.exact.weights,
                block,
                p,
                rows,
                number,
                locals,
                &mut self.tables,
                self.with_own,
                false,
            );
        }
        for (leaf, (_, node)) in self.flop_leaves.iter().zip(targets) {
            let planes =
                [(&mut self.flop.best, &self.turn.best), (&mut self.flop.own, &self.turn.own)];
            for (to, from) in planes.into_iter().take(1 + usize::from(self.with_own)) {
                let to = &mut to[leaf.node * self.flop.stride..][..self.flop.stride];
                let from = &from[node * self.turn.stride..][..holes];
                for (&x, &slot) in from.iter().zip(&up) {
                    to[slot as usize] += weight * x;
                }
            }
        }
    }

    /// Lists the leaves of the turn that the opponent reaches, in runs to be worked through together.
    fn find_live_leaves(&mut self, holes: usize) {
        let blocks = self.exact.plan.blocks(Street::River);
        let (turn, p) = (&self.turn, self.p);
        let live = |leaf: &&Leaf| turn.reach(leaf.row)[..holes].iter().any(|&x| x > 0.0);
        self.live_leaves.clear();
        self.live_leaves.extend(self.turn_leaves.iter().filter(live));
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
        let rows = self.turn.reach.len() / self.turn.stride;
        let nodes = self.turn.best.len() / self.turn.stride;
        let straight = |leaf: &&Leaf| matches!(leaf.to, To::Showdown(_));
        let count = self.flop_leaves.iter().filter(straight).count();
        let mut at = 0;
        let target = |leaf: &Leaf| match leaf.to {
            To::Block(block) => {
                (self.turn.row_base[block as usize], self.turn.node_base[block as usize])
            }
            To::Showdown(_) => {
                at += 1;
                (rows - count + at - 1, nodes - count + at - 1)
            }
        };
        self.flop_leaves.iter().map(target).collect()
    }

    fn river(&mut self, board: &Board, weight: f32) {
        let (plan, p) = (self.exact.plan, self.p);
        let blocks = plan.blocks(Street::River);
        self.ranked.set(board.set());
        self.ranked.slots_in(&self.turn_table.deck, &mut self.slots);
        self.exact.buckets.fill(board, &mut self.river_buckets);
        let buckets = self.ranked.slots.iter().map(|&slot| self.river_buckets[slot as usize]);
        self.river_numberer.number(buckets, &mut self.river_locals);
        for chunk in &self.chunks {
            let leaves = &self.live_leaves[chunk.clone()];
            let river = &mut self.river;
            river.row_base.clear();
            river.node_base.clear();
            let (mut row, mut node) = (0, 0);
            for leaf in leaves {
                let from = &self.turn.reach[leaf.row * self.turn.stride..][..self.turn.stride];
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
                    backward(
                        self.exact.weights,
                        block,
                        p,
                        river,
                        i,
                        locals,
                        tables,
                        self.with_own,
                        true,
                    );
                }
                let to = leaf.node * self.turn.stride..(leaf.node + 1) * self.turn.stride;
                scatter(&mut self.turn.best[to.clone()], &river.best[node..], &self.slots, weight);
                if self.with_own {
                    let from = if own_from_best { &river.best } else { &river.own };
                    scatter(&mut self.turn.own[to], &from[node..], &self.slots, weight);
                }
            }
        }
    }

    /// Completes the values at the places where lines leave a street.
    fn finish_leaves(&mut self, street: Street, images: &[Vec<u16>], factor: f32, holes: usize) {
        let (rows, leaves) = match street {
            Street::Flop => (&mut self.flop, &self.flop_leaves),
            _ => (&mut self.turn, &self.turn_leaves),
        };
        for leaf in leaves {
            let at = leaf.node * rows.stride..leaf.node * rows.stride + holes;
            symmetrize(&mut rows.best[at.clone()], images, factor, &mut self.spare);
            if self.with_own {
                symmetrize(&mut rows.own[at], images, factor, &mut self.spare);
            }
        }
    }
}

/// The leaves of a street's blocks.
fn leaves(blocks: &[Block], rows: &Rows, p: usize) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        for (place, node) in block.nodes.iter().enumerate() {
            let to = match node.kind {
                Kind::Next(block) => To::Block(block),
                Kind::Showdown(pays) => {
                    let [win, tie, lose] = pays[p];
                    To::Showdown([win - tie, tie - lose, lose])
                }
                _ => continue,
            };
            let row = rows.row_base[number] + block.views[p].row[place] as usize;
            leaves.push(Leaf { row, node: rows.node_base[number] + place, to });
        }
    }
    leaves
}

fn clear(leaves: &[Leaf], rows: &mut Rows) {
    for leaf in leaves {
        let at = leaf.node * rows.stride..(leaf.node + 1) * rows.stride;
        rows.best[at.clone()].fill(0.0);
        rows.own[at].fill(0.0);
    }
}

fn scatter(to: &mut [f32], from: &[f32], slots: &[u16], weight: f32) {
    for (&x, &slot) in from.iter().zip(slots) {
        to[slot as usize] += weight * x;
    }
}

/// The opponent's reach at every node of a block.
fn forward<W: Weights + ?Sized>(
    weights: &W,
    block: &Block,
    p: usize,
    rows: &mut Rows,
    number: usize,
    locals: &Locals,
    tables: &mut Vec<kernel::Table>,
) {
    let view = &block.views[p];
    let (stride, base) = (rows.stride, rows.row_base[number]);
    let holes = locals.local.len();
    for (place, node) in block.nodes.iter().enumerate() {
        let Kind::Decision(player, offset) = node.kind else { continue };
        if player == p {
            continue;
        }
        let children = block.children(place);
        let tables = sized(tables, children.len());
        fill_tables(weights, block, offset, &locals.distinct, tables);
        let first = (base + view.row[children[0] as usize] as usize) * stride;
        let (before, after) = rows.reach.split_at_mut(first);
        let reach = &before[(base + view.row[place] as usize) * stride..][..holes];
        let after = &mut after[..children.len() * stride];
        kernel::fan(after, stride, reach, tables, &locals.local, None);
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
        let (best, own) = (&rows.best, &mut rows.own);
        own[at..at + cards.len()].copy_from_slice(&best[at..at + cards.len()]);
    }
}

/// Values from the terminals and leaves of a block up to its root.
///
/// With `shared`, the values of terminals are those of the best response's plane in both.
#[expect(clippy::too_many_arguments, reason = "the room of one thread, taken apart")]
fn backward<W: Weights + ?Sized>(
    weights: &W,
    block: &Block,
    p: usize,
    rows: &mut Rows,
    number: usize,
    locals: &Locals,
    tables: &mut Vec<kernel::Table>,
    with_own: bool,
    shared: bool,
) {
    let stride = rows.stride;
    let base = rows.node_base[number];
    let holes = locals.local.len();
    for (place, node) in block.nodes.iter().enumerate().rev() {
        let Kind::Decision(player, offset) = node.kind else { continue };
        let children = block.children(place);
        let split = (base + place + 1) * stride;
        let at = |child: u32| {
            let start = (child as usize - place - 1) * stride;
            start..start + holes
        };
        let mut values = [&[][..]; MAX_ACTIONS];
        let (before, after) = rows.best.split_at_mut(split);
        let out = &mut before[split - stride..][..holes];
        for (value, &child) in values.iter_mut().zip(children) {
            *value = &after[at(child)];
        }
        let each = &values[..children.len()];
        if player == p {
            kernel::max(out, each)
        } else {
            kernel::sum(out, each)
        }
        if !with_own {
            continue;
        }
        let best = &*after;
        let (before, after) = rows.own.split_at_mut(split);
        let out = &mut before[split - stride..][..holes];
        for (value, &child) in values.iter_mut().zip(children) {
            let leaf = !matches!(block.nodes[child as usize].kind, Kind::Decision(..));
            *value = if shared && leaf { &best[at(child)] } else { &after[at(child)] };
        }
        let each = &values[..children.len()];
        if player != p {
            kernel::sum(out, each);
            continue;
        }
        let tables = sized(tables, children.len());
        fill_tables(weights, block, offset, &locals.distinct, tables);
        kernel::mix(out, each, tables, &locals.local, &mut []);
    }
}

/// The first `len` tables, which are made if there are too few.
pub(crate) fn sized(tables: &mut Vec<kernel::Table>, len: usize) -> &mut [kernel::Table] {
    if tables.len() < len {
        tables.resize(len, [0.0; TABLE]);
    }
    &mut tables[..len]
}
