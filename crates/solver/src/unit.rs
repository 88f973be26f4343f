//! One unit of betting on one board: reaches down, values of terminal nodes, values up.

use lethe_compute::simd::{self, Kernel};
use lethe_rows::{Terminals, loops, matching};

use crate::boards::{BoardNode, Child};
use crate::bucketed::Gains;
use crate::engine::{TraverserMode, Walk};
use crate::kernel;
use crate::plan::{Kind, Level, Unit, View};
use crate::unit_cells::UnitCells;
use crate::update::Step;

/// Where the reaches at the first nodes of a level come from.
#[derive(Clone, Copy)]
pub(crate) enum Input<'a> {
    /// One row each, at the root.
    Root { opp: &'a [f32], own: &'a [f32] },
    /// The opponent's reach at the first node of the span; nothing else is reached.
    Node { opp: &'a [f32] },
    /// The rows of the level before, at its leaves.
    Above {
        scratch: &'a Scratch,
        leaves: &'a [u32],
        view: &'a View,
        child: &'a Child,
        strides: [usize; 2],
    },
}

/// Scratch memory for one unit on one board.
#[derive(Debug)]
pub(crate) struct Scratch {
    pub(crate) opp: Vec<f32>,
    pub(crate) own: Vec<f32>,
    pub(crate) value: Vec<f32>,
    pub(crate) sigma: Vec<f32>,
    pub(crate) decoded: Vec<f32>,
    /// Twice the rows of a decision.
    pub(crate) predicted: Vec<f32>,
    pub(crate) below: Vec<f32>,
    pub(crate) terminals: Terminals<f32>,
    /// With sums of 64 bits, for values that are only read.
    pub(crate) exact_terminals: Terminals<f64>,
}

/// What is the same for all nodes of a unit.
#[derive(Clone, Copy)]
pub(crate) struct UnitContext<'a> {
    pub(crate) walk: &'a Walk<'a>,
    pub(crate) depth: usize,
    pub(crate) level: &'a Level,
    pub(crate) unit: &'a Unit,
    pub(crate) view: &'a View,
    pub(crate) board: &'a BoardNode,
    /// The nodes to walk, numbered from the unit's first: all of them, or one subtree.
    pub(crate) span: (usize, usize),
    /// The traverser and its opponent, as indices.
    pub(crate) p: usize,
    pub(crate) o: usize,
    pub(crate) own_stride: usize,
    pub(crate) opp_stride: usize,
}

/// The way down a unit: reaches from its first nodes to its last.
pub(crate) struct Descend<'a, 'c> {
    pub(crate) at: &'a UnitContext<'a>,
    pub(crate) cells: &'a mut UnitCells<'c>,
    pub(crate) input: Input<'a>,
    pub(crate) scratch: &'a mut Scratch,
    pub(crate) gains: Option<&'a mut Gains>,
}

impl Kernel for Descend<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: simd::Level>(self, level: L) {
        descend(level, self);
    }
}

/// The values of the terminal nodes.
pub(crate) struct Pay<'a> {
    pub(crate) at: &'a UnitContext<'a>,
    pub(crate) scratch: &'a mut Scratch,
}

impl Kernel for Pay<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: simd::Level>(self, level: L) {
        let Pay { at, scratch } = self;
        let seat = at.board.seat(at.p);
        let Scratch { terminals, exact_terminals, opp, value, .. } = scratch;
        let payouts = &at.view.payouts;
        if at.walk.mode.reads() {
            exact_terminals.pay_all(level, seat, payouts, opp, value);
        } else {
            terminals.pay_all(level, seat, payouts, opp, value);
        }
    }
}

/// The way up: values from the last nodes to the first, and what is learned from them.
pub(crate) struct Ascend<'a, 'c> {
    pub(crate) at: &'a UnitContext<'a>,
    pub(crate) cells: &'a mut UnitCells<'c>,
    pub(crate) scratch: &'a mut Scratch,
    pub(crate) out: &'a mut [f32],
    pub(crate) gains: Option<&'a mut Gains>,
}

impl Kernel for Ascend<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: simd::Level>(self, _: L) {
        ascend(self);
    }
}

#[inline(always)]
fn descend<L: simd::Level>(
    vectors: L,
    Descend { at, cells, input, scratch, mut gains }: Descend<'_, '_>,
) {
    let (own_stride, opp_stride) = (at.own_stride, at.opp_stride);
    input.load(at, scratch, !at.walk.mode.reads());
    for i in at.span.0..at.span.1 {
        let place = at.unit.nodes.start + i;
        let node = &at.level.nodes[place];
        let Kind::Decision(actor, row) = node.kind else { continue };
        // The cells of the next decision are on their way while this one is worked on; those of a
        // single board never leave the cache.
        let later = &at.level.nodes[place + 1..at.unit.nodes.start + at.span.1];
        for node in later {
            if at.depth == 0 {
                break;
            }
            if let Kind::Decision(actor, row) = node.kind {
                cells.prefetch(vectors, at, actor.index(), row as usize, node.edges.len());
                break;
            }
        }
        let (actions, row) = (node.edges.len(), row as usize);
        let locked = at.board.locked(place);
        if actor.index() == at.o {
            let (before, fan) = scratch.opp.split_at_mut(at.view.fan[i] as usize * opp_stride);
            let reach = &before[at.view.opp[i] as usize * opp_stride..][..opp_stride];
            let fan = &mut fan[..actions * opp_stride];
            if let Some(table) = at.table(at.o, row, actions) {
                kernel::expand(fan, table, &at.board.buckets[at.o]);
            } else if at.walk.uniform {
                fan.fill(1.0 / actions as f32);
            } else {
                let rows = cells.opp.read(row, actions, opp_stride, &mut scratch.decoded);
                let rows = match at.walk.mode {
                    TraverserMode::Learn(step) if step.predict > 0.0 => {
                        let size = actions * opp_stride;
                        let (scratch, out) = scratch.predicted.split_at_mut(size);
                        let last = cells.opp_last.read(row, actions, opp_stride, scratch);
                        predict(rows, last, step, &mut out[..size]);
                        &out[..size]
                    }
                    _ => rows,
                };
                if locked.is_none() {
                    matching::reach_after(rows, reach, fan);
                    continue;
                }
                matching::frequencies(rows, fan, opp_stride);
            }
            if let Some(locked) = locked {
                kernel::overwrite(fan, locked);
            }
            for fan in fan.chunks_exact_mut(opp_stride) {
                fan.iter_mut().zip(reach).for_each(|(fan, &reach)| *fan *= reach);
            }
            continue;
        }
        if at.walk.mode == TraverserMode::Best && locked.is_none() {
            continue;
        }
        let first = row - at.unit.rows[at.p].start;
        let sigma = &mut scratch.sigma[first * own_stride..][..actions * own_stride];
        if let Some(table) = at.table(at.p, row, actions) {
            kernel::expand(sigma, table, &at.board.buckets[at.p]);
        } else if at.walk.uniform {
            sigma.fill(1.0 / actions as f32);
        } else {
            cells.own_strategy(at, row, actions, sigma, &mut scratch.decoded);
        }
        if let Some(locked) = locked {
            kernel::overwrite(sigma, locked);
        }
        if let TraverserMode::Learn(step) = at.walk.mode {
            let (before, fan) = scratch.own.split_at_mut(at.view.fan[i] as usize * own_stride);
            let reach = &before[at.view.own[i] as usize * own_stride..][..own_stride];
            let fan = &mut fan[..actions * own_stride];
            if let Some(gains) = gains.as_deref_mut() {
                let rows = fan.chunks_exact_mut(own_stride).zip(sigma.chunks_exact(own_stride));
                for (fan, sigma) in rows {
                    loops::combine(fan, [reach, sigma], |reach, share| reach * share);
                }
                gains.add_reach(at.depth, row, fan, at.board, at.p);
                continue;
            }
            cells.add_reach(step, row, [reach, sigma], fan, &mut scratch.decoded);
        }
    }
}

#[inline(always)]
fn ascend(Ascend { at, cells, scratch, out, mut gains }: Ascend<'_, '_>) {
    let stride = at.own_stride;
    for i in (at.span.0..at.span.1).rev() {
        let place = at.unit.nodes.start + i;
        let node = &at.level.nodes[place];
        let Kind::Decision(actor, row) = node.kind else { continue };
        let children = at.level.children(node);
        let (value, below) = scratch.value[i * stride..].split_at_mut(stride);
        let first = at.unit.nodes.start + i + 1;
        let child = |action: usize| {
            let start = (children[action] as usize - first) * stride;
            &below[start..start + stride]
        };
        if actor.index() == at.o {
            if children.len() == 1 {
                value.copy_from_slice(child(0));
                continue;
            }
            loops::combine(value, [child(0), child(1)], |a, b| a + b);
            for action in 2..children.len() {
                loops::update(value, child(action), |sum, x| sum + x);
            }
            continue;
        }
        let row = row as usize;
        if at.walk.mode == TraverserMode::Best {
            value.copy_from_slice(child(0));
            for action in 1..children.len() {
                loops::update(value, child(action), loops::larger);
            }
            if let Some(locked) = at.board.locked(place) {
                keep_locks(value, locked, |action, hand| child(action)[hand]);
            }
            continue;
        }
        let from = (row - at.unit.rows[at.p].start) * stride;
        let sigma = &scratch.sigma[from..from + children.len() * stride];
        let played =
            |action: usize| [&sigma[action * stride..(action + 1) * stride], child(action)];
        if children.len() == 1 {
            value.copy_from_slice(child(0));
        } else {
            loops::two_products(value, played(0), played(1));
            for action in 2..children.len() {
                let [sigma, child] = played(action);
                loops::add_product(value, sigma, child);
            }
        }
        let TraverserMode::Learn(step) = at.walk.mode else { continue };
        if let Some(gains) = gains.as_deref_mut() {
            for action in 0..children.len() {
                gains.add_regret(at.depth, row + action, child(action), value, at.board, at.p);
            }
            continue;
        }
        for action in 0..children.len() {
            cells.add_regret(step, row + action, child(action), value, &mut scratch.decoded);
        }
    }
    if !at.is_whole() {
        return out.copy_from_slice(&scratch.value[at.span.0 * stride..][..stride]);
    }
    for (&root, out) in at.unit.roots.iter().zip(out.chunks_exact_mut(stride)) {
        out.copy_from_slice(&scratch.value[root as usize * stride..][..stride]);
    }
}

/// In a best response, locked hands play their locked frequencies.
fn keep_locks(value: &mut [f32], locked: &[f32], child: impl Fn(usize, usize) -> f32) {
    let stride = value.len();
    for (hand, value) in value.iter_mut().enumerate() {
        if !locked[hand].is_nan() {
            let play = |action: usize| locked[action * stride + hand] * child(action, hand);
            *value = (0..locked.len() / stride).map(play).sum();
        }
    }
}

/// The regrets that a predictive rule plays by: those so far plus the last ones again.
#[inline(always)]
fn predict(rows: &[f32], last: &[f32], step: Step, out: &mut [f32]) {
    for ((out, &regret), &last) in out.iter_mut().zip(rows).zip(last) {
        *out = regret * step.predict + last;
    }
}

impl<'a> UnitContext<'a> {
    pub(crate) fn new(
        walk: &'a Walk<'a>,
        depth: usize,
        level: &'a Level,
        unit: &'a Unit,
        board: &'a BoardNode,
    ) -> UnitContext<'a> {
        let p = walk.player.index();
        let o = 1 - p;
        let view = &unit.views[p];
        let (own_stride, opp_stride) = (board.hands[p].stride(), board.hands[o].stride());
        let span = (0, unit.nodes.len());
        UnitContext { walk, depth, level, unit, view, board, span, p, o, own_stride, opp_stride }
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.span == (0, self.unit.nodes.len())
    }

    /// The rows of a bucketed player's decision.
    #[inline(always)]
    pub(crate) fn table(&self, player: usize, row: usize, actions: usize) -> Option<&'a [f32]> {
        let table = &self.walk.tables[player]?[self.depth];
        let count = table.len() / self.level.rows[player];
        Some(&table[row * count..(row + actions) * count])
    }
}

impl Input<'_> {
    /// Writes the first rows of a unit.
    #[inline(always)]
    pub(crate) fn load(&self, at: &UnitContext<'_>, scratch: &mut Scratch, own_too: bool) {
        let (own_stride, opp_stride) = (at.own_stride, at.opp_stride);
        match *self {
            Input::Root { opp, own } => {
                scratch.opp[..opp_stride].copy_from_slice(opp);
                if own_too {
                    scratch.own[..own_stride].copy_from_slice(own);
                }
            }
            Input::Node { opp } => {
                scratch.opp.fill(0.0);
                let row = at.view.opp[at.span.0] as usize;
                scratch.opp[row * opp_stride..][..opp_stride].copy_from_slice(opp);
            }
            Input::Above { scratch: above, leaves, view, child, strides } => {
                for (i, line) in at.unit.lines.clone().enumerate() {
                    let leaf = leaves[line] as usize;
                    let from = &above.opp[view.opp[leaf] as usize * strides[at.o]..];
                    let out = &mut scratch.opp[i * opp_stride..][..opp_stride];
                    loops::gather(out, &from[..strides[at.o]], &child.down[at.o]);
                    if own_too {
                        let from = &above.own[view.own[leaf] as usize * strides[at.p]..];
                        let out = &mut scratch.own[i * own_stride..][..own_stride];
                        loops::gather(out, &from[..strides[at.p]], &child.down[at.p]);
                    }
                }
            }
        }
    }
}

impl Scratch {
    pub(crate) fn new(level: &Level, root: &BoardNode) -> Scratch {
        let stride = root.hands[0].stride().max(root.hands[1].stride());
        let most = |rows: &dyn Fn(&Unit) -> usize| level.units.iter().map(rows).max().unwrap_or(0);
        let views =
            |rows: fn(&View) -> usize| most(&|u: &Unit| rows(&u.views[0]).max(rows(&u.views[1])));
        let row = |count: usize| vec![0.0; count * stride];
        let actions = level.nodes.iter().map(|node| node.edges.len()).max().unwrap_or(0);
        let sigma = most(&|unit: &Unit| unit.rows[0].len().max(unit.rows[1].len()));
        Scratch {
            opp: row(views(|view| view.opp_rows)),
            own: row(views(|view| view.own_rows)),
            value: row(most(&|unit: &Unit| unit.nodes.len())),
            sigma: row(sigma),
            decoded: row(actions),
            predicted: row(2 * actions),
            below: Vec::new(),
            terminals: Terminals::new(stride),
            exact_terminals: Terminals::new(stride),
        }
    }
}
