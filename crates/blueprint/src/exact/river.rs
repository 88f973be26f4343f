//! The river of an exact pass, where nearly all of its time goes: eight lines at once.
//!
//! Lines whose betting on the river has the same shape go side by side, one in each lane of a vector:
//! what is done with a hole is done for eight lines in one instruction, looking up what the strategy
//! does with its bucket included. The betting is walked depth first, so that few rows are in use.

use lethe_cards::{Board, Street};
use lethe_cluster::simd::{self, Kernel, LANES};

use super::Exact;
use super::level::{Leaf, Level, To};
use crate::deal::{HOLES, Locals, Numberer, Ranked};
use crate::kernel::{Lanes, Share, Sums};
use crate::plan::{Block, Kind};
use crate::store::Weights;

/// A row: an entry for each hole.
type Row = Vec<Lanes>;

/// The river below one turn.
pub(super) struct River {
    p: usize,
    with_own: bool,
    ranked: Ranked,
    locals: Locals,
    numberer: Numberer,
    buckets: Vec<u32>,
    /// The slot on the turn of every entry.
    slots: Vec<u16>,
    /// By block: the first block with betting of the same shape.
    shapes: Vec<usize>,
    bundles: Vec<Bundle>,
    /// How many of the bundles are in use.
    live: usize,
    room: Room,
}

/// Up to eight lines with betting of one shape on the river, by the slots of the turn.
#[derive(Default)]
struct Bundle {
    lines: Vec<Leaf>,
    /// The opponent's reach.
    reach: Row,
    /// Values, of the best response and of the strategy itself.
    best: Row,
    own: Row,
}

/// Rows of a walk through the betting, by depth.
#[derive(Default)]
struct Room {
    sums: Sums,
    /// The row of reach that is added up.
    summed: Option<usize>,
    reach: Vec<Row>,
    best: Vec<Row>,
    own: Vec<Row>,
    /// The frequencies of a decision's actions: for each action, an entry for each local bucket.
    tables: Vec<Row>,
}

impl River {
    pub(super) fn new<W: ?Sized>(exact: &Exact<'_, W>, p: usize, with_own: bool) -> River {
        let blocks = exact.plan.blocks(Street::River);
        let mut shapes: Vec<usize> = Vec::with_capacity(blocks.len());
        for (number, block) in blocks.iter().enumerate() {
            let alike =
                |&other: &usize| shapes[other] == other && block.is_shaped_like(&blocks[other]);
            shapes.push((0..number).find(alike).unwrap_or(number));
        }
        River {
            p,
            with_own,
            ranked: Ranked::new(),
            locals: Locals::default(),
            numberer: Numberer::new(exact.buckets.count(Street::River)),
            buckets: vec![0; HOLES],
            slots: vec![0; HOLES],
            shapes,
            bundles: Vec::new(),
            live: 0,
            room: Room::default(),
        }
    }

    /// Takes over the lines of a turn that the opponent reaches.
    pub(super) fn begin(&mut self, turn: &Level) {
        // Padding is never written and stays zero.
        let live = |leaf: &&Leaf| turn.rows.reach(leaf.row).iter().any(|&x| x > 0.0);
        let shape = |leaf: &Leaf| match leaf.to {
            To::Block(block) => self.shapes[block as usize],
            To::Showdown(_) => usize::MAX,
        };
        let mut leaves: Vec<Leaf> = turn.leaves.iter().filter(live).copied().collect();
        leaves.sort_by_key(shape);
        self.live = 0;
        let alike = leaves.chunk_by(|a, b| shape(a) == shape(b));
        for lines in alike.flat_map(|lines| lines.chunks(LANES)) {
            if self.bundles.len() == self.live {
                self.bundles.push(Bundle::default());
            }
            let bundle = &mut self.bundles[self.live];
            self.live += 1;
            bundle.lines.clear();
            bundle.lines.extend_from_slice(lines);
            for row in [&mut bundle.reach, &mut bundle.best, &mut bundle.own] {
                row.clear();
                row.resize(turn.rows.stride, Lanes::ZERO);
            }
            for (l, line) in lines.iter().enumerate() {
                for (out, &x) in bundle.reach.iter_mut().zip(turn.rows.reach(line.row)) {
                    out.0[l] = x;
                }
            }
        }
    }

    /// Hands the values of the lines to the turn.
    pub(super) fn end(&self, turn: &mut Level) {
        let stride = turn.rows.stride;
        for bundle in &self.bundles[..self.live] {
            for (l, line) in bundle.lines.iter().enumerate() {
                let at = line.node * stride..(line.node + 1) * stride;
                let planes =
                    [(&mut turn.rows.best, &bundle.best), (&mut turn.rows.own, &bundle.own)];
                for (to, from) in planes {
                    for (out, x) in to[at.clone()].iter_mut().zip(from) {
                        *out = x.0[l];
                    }
                }
            }
        }
    }

    /// Values the lines on a board, which counts so often.
    pub(super) fn add<W: Weights + ?Sized>(
        &mut self,
        exact: &Exact<'_, W>,
        turn: &Level,
        board: &Board,
        weight: f32,
    ) {
        self.ranked.set(board.set());
        self.ranked.slots_in(&turn.table.deck, &mut self.slots);
        exact.buckets.fill(board, &mut self.buckets);
        let buckets = self.ranked.slots.iter().map(|&slot| self.buckets[slot as usize]);
        self.numberer.number(buckets, &mut self.locals);
        let blocks = exact.plan.blocks(Street::River);
        for bundle in &mut self.bundles[..self.live] {
            self.room.make(0);
            self.room.summed = None;
            simd::run(Gather {
                to: &mut self.room.reach[0],
                from: &bundle.reach,
                slots: &self.slots,
            });
            let mut walk = Betting {
                exact,
                p: self.p,
                with_own: self.with_own,
                ranked: &self.ranked,
                locals: &self.locals,
                blocks: Vec::with_capacity(LANES),
                room: &mut self.room,
            };
            let mut has_own = false;
            if let To::Showdown(_) = bundle.lines[0].to {
                let pay = |number: usize| {
                    Lanes::of(&bundle.lines, |line| match line.to {
                        To::Showdown(pays) => pays[number],
                        To::Block(_) => unreachable!("lines of a bundle are alike"),
                    })
                };
                walk.show(0, 0, [pay(1), pay(2)]);
            } else {
                walk.blocks.extend(bundle.lines.iter().map(|line| match line.to {
                    To::Block(block) => &blocks[block as usize],
                    To::Showdown(_) => unreachable!("lines of a bundle are alike"),
                }));
                has_own = walk.value(0, 0, 0, 0);
            }
            let room = &self.room;
            let own = if has_own { &room.own[0] } else { &room.best[0] };
            let weight = Lanes([weight; LANES]);
            let slots = &self.slots;
            simd::run(Scatter { to: &mut bundle.best, from: &room.best[0], slots, weight });
            if self.with_own {
                simd::run(Scatter { to: &mut bundle.own, from: own, slots, weight });
            }
        }
    }
}

impl Room {
    /// Makes rows up to a depth.
    fn make(&mut self, depth: usize) {
        for rows in [&mut self.reach, &mut self.best, &mut self.own] {
            if rows.len() <= depth {
                rows.resize(depth + 1, vec![Lanes::ZERO; HOLES]);
            }
        }
        if self.tables.len() <= depth {
            self.tables.resize(depth + 1, Row::new());
        }
    }
}

/// A walk through the betting of lines that are alike, on one board.
struct Betting<'a, W: ?Sized> {
    exact: &'a Exact<'a, W>,
    p: usize,
    with_own: bool,
    ranked: &'a Ranked,
    locals: &'a Locals,
    /// By lane.
    blocks: Vec<&'a Block>,
    room: &'a mut Room,
}

impl<W: Weights + ?Sized> Betting<'_, W> {
    /// Values a node that the opponent reaches with the row of reach `row`, into the rows of values
    /// `to`; those from there on, and the tables from `deep` on, may be overwritten. Returns whether
    /// the strategy's own values differ from the best response's.
    fn value(&mut self, place: usize, row: usize, to: usize, deep: usize) -> bool {
        match self.blocks[0].nodes[place].kind {
            Kind::Decision(player, offset) => {
                let mine = player == self.p;
                let actions = self.blocks[0].children(place).len();
                self.room.make(row.max(to).max(deep) + 1);
                if !mine || self.with_own {
                    self.fill(offset, actions, deep);
                }
                // A call comes before a fold, which then finds the reach added up.
                for action in (0..actions).rev() {
                    let child = self.blocks[0].children(place)[action] as usize;
                    if !mine {
                        self.reach(action, row, deep);
                    }
                    let first = action + 1 == actions;
                    let below = if mine { row } else { row + 1 };
                    let from = if first { to } else { to + 1 };
                    let has_own = self.value(child, below, from, deep + 1);
                    self.merge(mine, action, to, first, deep, has_own);
                }
                self.with_own
            }
            Kind::Showdown(_) => {
                let pay = |number: usize| {
                    Lanes::of(&self.blocks, |block| match block.nodes[place].kind {
                        Kind::Showdown(pays) => pays[self.p][number],
                        _ => unreachable!("blocks of a bundle are alike"),
                    })
                };
                let pays = [pay(1), pay(2)];
                self.show(row, to, pays);
                false
            }
            Kind::Fold(_) => {
                let pay = Lanes::of(&self.blocks, |block| match block.nodes[place].kind {
                    Kind::Fold(pays) => pays[self.p],
                    _ => unreachable!("blocks of a bundle are alike"),
                });
                let Room { sums, summed, reach, best, .. } = &mut *self.room;
                let is_summed = summed.replace(row) == Some(row);
                let (reach, out) = (&reach[row], &mut best[to]);
                simd::run(Fold { sums, is_summed, ranked: self.ranked, reach, pay, out });
                false
            }
            Kind::Next(_) => unreachable!("no street follows the river"),
        }
    }

    /// What a showdown pays, for a tie and for a loss.
    fn show(&mut self, row: usize, to: usize, [tie, lose]: [Lanes; 2]) {
        let Room { sums, summed, reach, best, .. } = &mut *self.room;
        *summed = Some(row);
        let (reach, out) = (&reach[row], &mut best[to]);
        let half = tie.sub(lose);
        simd::run(Show { sums, ranked: self.ranked, reach, half, lose, out });
    }

    /// The frequencies of a decision's actions.
    fn fill(&mut self, offset: usize, actions: usize, deep: usize) {
        let buckets = &self.locals.distinct;
        let table = &mut self.room.tables[deep];
        table.clear();
        table.resize(actions * buckets.len(), Lanes::ZERO);
        for (l, block) in self.blocks.iter().enumerate() {
            for (i, &bucket) in buckets.iter().enumerate() {
                let first = block.cell(offset, bucket);
                for a in 0..actions {
                    table[a * buckets.len() + i].0[l] = self.exact.weights.weight(first + a);
                }
            }
        }
        simd::run(Normalize { table, actions });
    }

    /// The opponent's reach after one of its actions, in the row after that of its decision.
    fn reach(&mut self, action: usize, row: usize, deep: usize) {
        let (locals, room) = (self.locals, &mut *self.room);
        let (before, after) = room.reach.split_at_mut(row + 1);
        let (to, from) = (&mut after[0], &before[row]);
        let (table, local) = (locals.table(&room.tables[deep], action), &locals.local);
        simd::run(Look { to, from, table, local, f: |_, x| x });
        room.summed = None;
    }

    /// Takes the values of an action into those of the decision. The first action's stand there
    /// already, the others' in the rows after them.
    fn merge(
        &mut self,
        mine: bool,
        action: usize,
        to: usize,
        first: bool,
        deep: usize,
        has_own: bool,
    ) {
        let (locals, room) = (self.locals, &mut *self.room);
        let (best, best_below) = room.best.split_at_mut(to + 1);
        let (own, own_below) = room.own.split_at_mut(to + 1);
        let (best, best_below) = (&mut best[to], &best_below[0]);
        let (own, own_below) = (&mut own[to], &own_below[0]);
        if !first {
            match mine {
                true => simd::run(Each { to: best, from: best_below, f: Lanes::max }),
                false => simd::run(Each { to: best, from: best_below, f: Lanes::add }),
            }
        }
        if !self.with_own {
            return;
        }
        let from = if has_own { own_below } else { best_below };
        let (table, local) = (locals.table(&room.tables[deep], action), &locals.local);
        match (mine, first) {
            (false, true) if has_own => {}
            (false, true) => own.copy_from_slice(best),
            (false, false) => simd::run(Each { to: own, from, f: Lanes::add }),
            (true, true) if has_own => simd::run(Scale { row: own, table, local }),
            (true, true) => simd::run(Look { to: own, from: best, table, local, f: |_, x| x }),
            (true, false) => simd::run(Look { to: own, from, table, local, f: Lanes::add }),
        }
    }
}

/// Makes frequencies of weights.
struct Normalize<'a> {
    table: &'a mut [Lanes],
    actions: usize,
}

impl Kernel for Normalize<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: simd::Level>(self, _: L) {
        let Normalize { table, actions } = self;
        let (count, even) = (table.len() / actions, 1.0 / actions as f32);
        for i in 0..count {
            let mut total = Lanes::ZERO;
            for x in table[i..].iter().step_by(count) {
                total = total.add(*x);
            }
            let share = Share::new(total, even);
            for x in table[i..].iter_mut().step_by(count) {
                *x = share.of(*x);
            }
        }
    }
}

/// Takes entries of the turn's.
struct Gather<'a> {
    to: &'a mut [Lanes],
    from: &'a [Lanes],
    slots: &'a [u16],
}

impl Kernel for Gather<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: simd::Level>(self, _: L) {
        for (out, &slot) in self.to.iter_mut().zip(self.slots) {
            *out = self.from[slot as usize];
        }
    }
}

/// Adds to entries of the turn's.
struct Scatter<'a> {
    to: &'a mut [Lanes],
    from: &'a [Lanes],
    slots: &'a [u16],
    weight: Lanes,
}

impl Kernel for Scatter<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: simd::Level>(self, _: L) {
        for (&x, &slot) in self.from.iter().zip(self.slots) {
            let out = &mut self.to[slot as usize];
            *out = out.add(self.weight.mul(x));
        }
    }
}

/// Puts two rows together.
struct Each<'a, F> {
    to: &'a mut [Lanes],
    from: &'a [Lanes],
    f: F,
}

impl<F: Fn(Lanes, Lanes) -> Lanes> Kernel for Each<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: simd::Level>(self, _: L) {
        for (out, &x) in self.to.iter_mut().zip(self.from) {
            *out = (self.f)(*out, x);
        }
    }
}

/// Puts a row together with another times the entries of a table.
struct Look<'a, F> {
    to: &'a mut [Lanes],
    from: &'a [Lanes],
    table: &'a [Lanes],
    local: &'a [u16],
    f: F,
}

impl<F: Fn(Lanes, Lanes) -> Lanes> Kernel for Look<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: simd::Level>(self, _: L) {
        for ((out, &x), &local) in self.to.iter_mut().zip(self.from).zip(self.local) {
            *out = (self.f)(*out, x.mul(self.table[local as usize]));
        }
    }
}

/// Multiplies a row by the entries of a table.
struct Scale<'a> {
    row: &'a mut [Lanes],
    table: &'a [Lanes],
    local: &'a [u16],
}

impl Kernel for Scale<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: simd::Level>(self, _: L) {
        for (x, &local) in self.row.iter_mut().zip(self.local) {
            *x = x.mul(self.table[local as usize]);
        }
    }
}

/// A showdown.
struct Show<'a> {
    sums: &'a mut Sums,
    ranked: &'a Ranked,
    reach: &'a [Lanes],
    half: Lanes,
    lose: Lanes,
    out: &'a mut [Lanes],
}

impl Kernel for Show<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: simd::Level>(self, _: L) {
        self.sums.show(self.ranked, self.reach, self.half, self.lose, self.out);
    }
}

/// A fold.
struct Fold<'a> {
    sums: &'a mut Sums,
    is_summed: bool,
    ranked: &'a Ranked,
    reach: &'a [Lanes],
    pay: Lanes,
    out: &'a mut [Lanes],
}

impl Kernel for Fold<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: simd::Level>(self, _: L) {
        if !self.is_summed {
            self.sums.add_up(self.ranked, self.reach);
        }
        self.sums.fold(self.ranked, self.reach, self.pay, self.out);
    }
}
