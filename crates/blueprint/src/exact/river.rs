//! The river of an exact pass, where it spends nearly all of its time: eight lines at once.
//!
//! Lines whose betting on the river has the same shape are walked together, one in each lane of a
//! vector: one instruction handles a hole for eight lines, including the lookup of what the strategy
//! does with its bucket. The betting is walked depth first, so that few rows are in use.

use lethe_cards::{Board, Street};
use lethe_compute::simd::LANES;
use lethe_rows::{CardSums, Seat, Stakes, Summand};

use super::level::{Leaf, Level, Side, To};
use super::{Exact, StartSums};
use crate::deal::{DenseBuckets, HOLES, Numberer, Ranked, fill};
use crate::lanes::{self, Lanes, Row};
use crate::plan::{Block, Kind};
use crate::store::Weights;

/// The river below one turn.
pub(super) struct River {
    side: Side,
    ranked: Ranked,
    dense: DenseBuckets,
    numberer: Numberer,
    buckets: Vec<u32>,
    /// The slot on the turn of every entry.
    slots: Vec<u16>,
    bundles: Vec<Bundle>,
    /// How many of the bundles are in use.
    live: usize,
    scratch: Scratch,
    /// The node of the lines that values are computed for, the first of their river unless set.
    pub(super) first: usize,
    /// Where values at the start of streets are added up, if they are wanted.
    pub(super) starts: Option<StartSums>,
}

/// Up to eight lines whose betting on the river has one shape, or without betting. Its rows have the
/// slots of the turn.
#[derive(Default)]
struct Bundle {
    lines: Vec<Leaf>,
    /// The opponent's reach.
    reach: Row,
    /// Values, of the best response and, where they are wanted, of the strategy itself.
    best: Row,
    own: Row,
}

impl River {
    pub(super) fn new<W: ?Sized>(exact: &Exact<'_, W>, side: Side) -> River {
        River {
            side,
            ranked: Ranked::new(),
            dense: DenseBuckets::default(),
            numberer: Numberer::new(exact.buckets.count(Street::River)),
            buckets: vec![0; HOLES],
            slots: vec![0; HOLES],
            bundles: Vec::new(),
            live: 0,
            scratch: Scratch::default(),
            first: 0,
            starts: None,
        }
    }

    /// Loads the lines of a turn that the opponent reaches.
    pub(super) fn begin<W: ?Sized>(&mut self, exact: &Exact<'_, W>, turn: &Level) {
        // Padding is never written and stays zero.
        let live = |leaf: &&Leaf| turn.rows.reach(leaf.row).iter().any(|&x| x > 0.0);
        let shape = |leaf: &Leaf| match leaf.to {
            To::Block(block) => Some(exact.plan.shapes(Street::River)[block as usize]),
            To::Showdown(_) => None,
        };
        let mut leaves: Vec<Leaf> = turn.leaves.iter().filter(live).copied().collect();
        leaves.sort_by_key(shape);
        self.live = 0;
        let same_shape = leaves.chunk_by(|a, b| shape(a) == shape(b));
        for lines in same_shape.flat_map(|lines| lines.chunks(LANES)) {
            if self.bundles.len() == self.live {
                self.bundles.push(Bundle::default());
            }
            let bundle = &mut self.bundles[self.live];
            self.live += 1;
            bundle.lines.clear();
            bundle.lines.extend_from_slice(lines);
            let rows = [&mut bundle.reach, &mut bundle.best, &mut bundle.own];
            for row in rows.into_iter().take(2 + usize::from(self.side.wanted.own)) {
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

    /// Writes the values of the lines to the turn's rows.
    pub(super) fn end(&self, turn: &mut Level) {
        let rows = &mut turn.rows;
        for bundle in &self.bundles[..self.live] {
            for (l, line) in bundle.lines.iter().enumerate() {
                let at = line.node * rows.stride..(line.node + 1) * rows.stride;
                let planes = [(&mut rows.best, &bundle.best), (&mut rows.own, &bundle.own)];
                for (to, from) in planes.into_iter().take(1 + usize::from(self.side.wanted.own)) {
                    for (out, x) in to[at.clone()].iter_mut().zip(from) {
                        *out = x.0[l];
                    }
                }
            }
        }
    }

    /// Adds the values of the lines on a board, `weight` times.
    pub(super) fn add<W: Weights + ?Sized>(
        &mut self,
        exact: &Exact<'_, W>,
        turn: &Level,
        board: &Board,
        weight: f32,
    ) {
        self.ranked.set(board.set());
        self.ranked.slots_in(&turn.table.deck, &mut self.slots);
        fill(exact.buckets, board, &mut self.buckets);
        let buckets = self.ranked.slots.iter().map(|&slot| self.buckets[slot as usize]);
        self.numberer.number(buckets, &mut self.dense);
        let (slots, times) = (&self.slots, f64::from(weight));
        for bundle in &mut self.bundles[..self.live] {
            self.scratch.reserve(0);
            self.scratch.summed = None;
            lanes::gather(&mut self.scratch.reach[0], &bundle.reach, slots);
            let mut betting = Betting {
                exact,
                side: self.side,
                seat: self.ranked.seat(),
                dense: &self.dense,
                blocks: exact.plan.blocks(Street::River),
                lines: &bundle.lines,
                scratch: &mut self.scratch,
            };
            let has_own = betting.value(Cursor { place: self.first, row: 0, to: 0, depth: 0 });
            let (best, own) = (&self.scratch.best[0], &self.scratch.own[0]);
            if let Some(starts) = &mut self.starts {
                let (board, reach) = ((self.ranked.seat(), &self.dense), &self.scratch.reach[0]);
                let own = if has_own { own } else { best };
                starts.add_lanes(&bundle.lines, board, reach, own, times);
            }
            lanes::scatter(&mut bundle.best, best, slots, weight);
            if self.side.wanted.own {
                let from = if has_own { own } else { best };
                lanes::scatter(&mut bundle.own, from, slots, weight);
            }
        }
    }
}

/// Scratch rows of a walk through the betting.
#[derive(Default)]
struct Scratch {
    sums: CardSums<Lanes>,
    /// The row of reach that is added up in `sums`.
    summed: Option<usize>,
    reach: Vec<Row>,
    best: Vec<Row>,
    own: Vec<Row>,
    /// By depth.
    tables: Vec<Table>,
}

/// The frequencies of a decision's actions: for each action, an entry for each bucket that occurs.
#[derive(Clone, Default)]
struct Table(Row);

impl Table {
    /// The entries of an action.
    fn of(&self, action: Action, dense: &DenseBuckets) -> &[Lanes] {
        let count = dense.distinct.len();
        &self.0[action.number * count..][..count]
    }
}

impl Scratch {
    /// Makes sure that there are rows up to this number.
    fn reserve(&mut self, last: usize) {
        for rows in [&mut self.reach, &mut self.best, &mut self.own] {
            if rows.len() <= last {
                rows.resize(last + 1, vec![Lanes::ZERO; HOLES]);
            }
        }
        if self.tables.len() <= last {
            self.tables.resize(last + 1, Table::default());
        }
    }
}

/// A walk through the betting of lines of one shape, on one board.
struct Betting<'a, W: ?Sized> {
    exact: &'a Exact<'a, W>,
    side: Side,
    seat: Seat<'a>,
    dense: &'a DenseBuckets,
    /// Those of the river.
    blocks: &'a [Block],
    /// One per lane.
    lines: &'a [Leaf],
    scratch: &'a mut Scratch,
}

/// The position of a walk.
#[derive(Clone, Copy)]
struct Cursor {
    /// The node of the blocks.
    place: usize,
    /// The opponent's reach there.
    row: usize,
    /// The rows for its values. They and all later rows may be overwritten below the node.
    to: usize,
    /// The number of its table; those of nodes below follow.
    depth: usize,
}

/// An action of the decision that is being valued.
#[derive(Clone, Copy)]
struct Action {
    number: usize,
    /// Whether the player whose values are computed takes it.
    mine: bool,
    /// Whether it is valued before the others.
    first: bool,
}

impl<'a, W: Weights + ?Sized> Betting<'a, W> {
    /// Values a node. Returns whether the strategy's own values differ from the best response's.
    fn value(&mut self, at: Cursor) -> bool {
        match self.kind(&self.lines[0], at.place) {
            Kind::Decision(player, offset) => {
                let To::Block(block) = self.lines[0].to else {
                    unreachable!("only blocks have decisions")
                };
                let children = self.blocks[block as usize].children(at.place);
                let mine = player == self.side.p;
                self.scratch.reserve(at.row.max(at.to).max(at.depth) + 1);
                if !mine || self.side.wanted.own {
                    self.fill(offset, children.len(), at.depth);
                }
                // A call comes before a fold, which then finds the reach added up.
                for (number, &place) in children.iter().enumerate().rev() {
                    let action = Action { number, mine, first: number + 1 == children.len() };
                    if !mine {
                        self.act(action, at);
                    }
                    let has_own = self.value(Cursor {
                        place: place as usize,
                        row: at.row + usize::from(!mine),
                        to: at.to + usize::from(!action.first),
                        depth: at.depth + 1,
                    });
                    self.merge(action, at, has_own);
                }
                self.side.wanted.own
            }
            Kind::Showdown(_) => {
                let pay = |part: fn(Stakes) -> f32| {
                    Lanes::of(self.lines, |line| match self.kind(line, at.place) {
                        Kind::Showdown(stakes) => part(stakes),
                        _ => unreachable!("the lines of a bundle have one shape"),
                    })
                };
                let (half, lose) = (pay(|stakes| stakes.half), pay(|stakes| stakes.lose));
                let Scratch { sums, summed, reach, best, .. } = &mut *self.scratch;
                *summed = Some(at.row);
                let (reach, out) = (&reach[at.row], &mut best[at.to]);
                lanes::show(self.seat, sums, reach, [half, lose], out);
                false
            }
            Kind::Fold(_) => {
                let pay = Lanes::of(self.lines, |line| match self.kind(line, at.place) {
                    Kind::Fold(pays) => pays[self.side.p],
                    _ => unreachable!("the lines of a bundle have one shape"),
                });
                let Scratch { sums, summed, reach, best, .. } = &mut *self.scratch;
                let is_summed = summed.replace(at.row) == Some(at.row);
                let (reach, out) = (&reach[at.row], &mut best[at.to]);
                lanes::fold(self.seat, sums, is_summed, reach, pay, out);
                false
            }
            Kind::Next(_) => unreachable!("no street follows the river"),
        }
    }

    /// What a node of a line is. A line without betting is a showdown.
    fn kind(&self, line: &Leaf, place: usize) -> Kind {
        match line.to {
            To::Block(block) => self.blocks[block as usize].nodes[place].kind,
            To::Showdown(stakes) => Kind::Showdown(stakes),
        }
    }

    /// Writes the frequencies of a decision's actions.
    fn fill(&mut self, offset: usize, actions: usize, depth: usize) {
        let buckets = &self.dense.distinct;
        let Table(table) = &mut self.scratch.tables[depth];
        table.clear();
        table.resize(actions * buckets.len(), Lanes::ZERO);
        for (l, line) in self.lines.iter().enumerate() {
            let To::Block(block) = line.to else { unreachable!("only blocks have decisions") };
            let block = &self.blocks[block as usize];
            for (i, &bucket) in buckets.iter().enumerate() {
                let first = block.cell(offset, bucket);
                for a in 0..actions {
                    table[a * buckets.len() + i].0[l] = self.exact.weights.weight(first + a);
                }
            }
        }
        lanes::normalize(table, actions);
    }

    /// The opponent's reach after one of its actions, in the row after that of its decision.
    fn act(&mut self, action: Action, at: Cursor) {
        let scratch = &mut *self.scratch;
        let (before, after) = scratch.reach.split_at_mut(at.row + 1);
        let (to, from) = (&mut after[0], &before[at.row]);
        let (table, local) = (scratch.tables[at.depth].of(action, self.dense), &self.dense.local);
        lanes::by_bucket(to, from, table, local, |_, x, share| x.times(share));
        scratch.summed = None;
    }

    /// Merges the values of an action into those of the decision. The first action wrote its values
    /// there; the others wrote theirs to the rows after them.
    fn merge(&mut self, action: Action, at: Cursor, has_own: bool) {
        let scratch = &mut *self.scratch;
        let (best, best_below) = scratch.best.split_at_mut(at.to + 1);
        let (own, own_below) = scratch.own.split_at_mut(at.to + 1);
        let (best, best_below) = (&mut best[at.to], &best_below[0]);
        let (own, own_below) = (&mut own[at.to], &own_below[0]);
        match (action.mine, action.first) {
            (_, true) => {}
            (true, false) => lanes::update(best, best_below, Lanes::max),
            (false, false) => lanes::update(best, best_below, Lanes::plus),
        }
        if !self.side.wanted.own {
            return;
        }
        let from = if has_own { own_below } else { best_below };
        let (table, local) = (scratch.tables[at.depth].of(action, self.dense), &self.dense.local);
        match (action.mine, action.first) {
            (false, true) if has_own => {}
            (false, true) => own.copy_from_slice(best),
            (false, false) => lanes::update(own, from, Lanes::plus),
            (true, true) if has_own => {
                lanes::by_bucket(own, best, table, local, |own, _, share| own.times(share));
            }
            (true, true) => {
                lanes::by_bucket(own, best, table, local, |_, x, share| x.times(share));
            }
            (true, false) => {
                let f = |own: Lanes, x: Lanes, share| own.plus(x.times(share));
                lanes::by_bucket(own, from, table, local, f);
            }
        }
    }
}
