//! One unit of betting on one board: reaches down its nodes, values of its ends, values up again.

use crate::boards::{BoardNode, Child};
use crate::bucketed::Gains;
use crate::engine::{Own, Walk};
use crate::kernel;
use crate::plan::{Kind, Level, Unit, View};
use crate::terminal::Terminals;
use crate::unit_cells::UnitCells;
use crate::update::{Step, strategy};

/// Where the reaches at the first nodes of a level come from.
#[derive(Clone, Copy)]
pub(crate) enum Input<'a> {
    /// One row each, at the root.
    Root { opp: &'a [f32], own: &'a [f32] },
    /// The opponent's reach at the first node of the span; nothing else is reached.
    Node { opp: &'a [f32] },
    /// The rows of the level before, at its leaves.
    Above {
        room: &'a Room,
        leaves: &'a [u32],
        view: &'a View,
        child: &'a Child,
        strides: [usize; 2],
    },
}

/// Room for one unit on one board.
#[derive(Debug)]
pub(crate) struct Room {
    pub(crate) opp: Vec<f32>,
    pub(crate) own: Vec<f32>,
    pub(crate) value: Vec<f32>,
    pub(crate) sigma: Vec<f32>,
    pub(crate) total: Vec<f32>,
    pub(crate) decoded: Vec<f32>,
    /// Twice the rows of a decision.
    pub(crate) predicted: Vec<f32>,
    pub(crate) below: Vec<f32>,
    pub(crate) terminals: Terminals,
}

/// What is the same for a whole unit.
#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
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

/// The same functions compiled for 256-bit vectors, which the plain build may not assume. They
/// change no result: nothing is fused or reordered.
#[cfg(target_arch = "x86_64")]
pub(crate) mod wide {
    use super::{At, Gains, Input, Room, UnitCells};

    #[target_feature(enable = "avx2")]
    pub(crate) fn descend(
        at: &At<'_>,
        cells: &mut UnitCells<'_>,
        input: Input<'_>,
        room: &mut Room,
        gains: Option<&mut Gains>,
    ) {
        super::descend(at, cells, input, room, gains);
    }

    #[target_feature(enable = "avx2")]
    pub(crate) fn end(at: &At<'_>, room: &mut Room) {
        super::end::<true>(at, room);
    }

    #[target_feature(enable = "avx2")]
    pub(crate) fn ascend(
        at: &At<'_>,
        cells: &mut UnitCells<'_>,
        room: &mut Room,
        out: &mut [f32],
        gains: Option<&mut Gains>,
    ) {
        super::ascend(at, cells, room, out, gains);
    }
}

#[inline(always)]
pub(crate) fn descend(
    at: &At<'_>,
    cells: &mut UnitCells<'_>,
    input: Input<'_>,
    room: &mut Room,
    mut gains: Option<&mut Gains>,
) {
    let (own_stride, opp_stride) = (at.own_stride, at.opp_stride);
    input.load(at, room, !at.walk.own.reads());
    for i in at.span.0..at.span.1 {
        let place = at.unit.nodes.start + i;
        let node = &at.level.nodes[place];
        let Kind::Decision(actor, row) = node.kind else { continue };
        let (actions, row) = (node.edges.len(), row as usize);
        let locked = at.board.locked(place);
        if actor.index() == at.o {
            let (before, fan) = room.opp.split_at_mut(at.view.fan[i] as usize * opp_stride);
            let reach = &before[at.view.opp[i] as usize * opp_stride..][..opp_stride];
            let fan = &mut fan[..actions * opp_stride];
            let total = &mut room.total[..opp_stride];
            if let Some(table) = at.table(at.o, row, actions) {
                kernel::expand(fan, table, &at.board.buckets[at.o]);
            } else if at.walk.uniform {
                fan.fill(1.0 / actions as f32);
            } else {
                let rows = cells.opp.read(row, actions, opp_stride, &mut room.decoded);
                let rows = match at.walk.own {
                    Own::Learn(step) if step.predict > 0.0 => {
                        let size = actions * opp_stride;
                        let (room, out) = room.predicted.split_at_mut(size);
                        let last = cells.opp_last.read(row, actions, opp_stride, room);
                        predict(rows, last, step, &mut out[..size]);
                        &out[..size]
                    }
                    _ => rows,
                };
                if locked.is_none() {
                    kernel::spread(rows, reach, fan, total);
                    continue;
                }
                strategy(rows, fan, total);
            }
            if let Some(locked) = locked {
                kernel::overwrite(fan, locked);
            }
            for fan in fan.chunks_exact_mut(opp_stride) {
                fan.iter_mut().zip(reach).for_each(|(fan, &reach)| *fan *= reach);
            }
            continue;
        }
        if at.walk.own == Own::Best && locked.is_none() {
            continue;
        }
        let first = row - at.unit.rows[at.p].start;
        let sigma = &mut room.sigma[first * own_stride..][..actions * own_stride];
        let total = &mut room.total[..own_stride];
        if let Some(table) = at.table(at.p, row, actions) {
            kernel::expand(sigma, table, &at.board.buckets[at.p]);
        } else if at.walk.uniform {
            sigma.fill(1.0 / actions as f32);
        } else {
            cells.own_strategy(at, row, actions, sigma, total, &mut room.decoded);
        }
        if let Some(locked) = locked {
            kernel::overwrite(sigma, locked);
        }
        if let Own::Learn(step) = at.walk.own {
            let (before, fan) = room.own.split_at_mut(at.view.fan[i] as usize * own_stride);
            let reach = &before[at.view.own[i] as usize * own_stride..][..own_stride];
            let fan = &mut fan[..actions * own_stride];
            for (fan, sigma) in fan.chunks_exact_mut(own_stride).zip(sigma.chunks_exact(own_stride))
            {
                kernel::product(fan, reach, sigma);
            }
            if let Some(gains) = gains.as_deref_mut() {
                gains.add_reach(at.depth, row, fan, at.board, at.p);
                continue;
            }
            cells.add_reach(step, row, actions, fan, own_stride, &mut room.decoded);
        }
    }
}

#[inline(always)]
pub(crate) fn end<const WIDE: bool>(at: &At<'_>, room: &mut Room) {
    let exact = at.walk.own.reads();
    let Room { terminals, opp, value, .. } = room;
    for lanes in [&at.view.shows, &at.view.folds] {
        if !lanes.is_empty() {
            terminals.run::<WIDE>(at.board, at.p, lanes, opp, value, exact);
        }
    }
}

#[inline(always)]
pub(crate) fn ascend(
    at: &At<'_>,
    cells: &mut UnitCells<'_>,
    room: &mut Room,
    out: &mut [f32],
    mut gains: Option<&mut Gains>,
) {
    let stride = at.own_stride;
    for i in (at.span.0..at.span.1).rev() {
        let place = at.unit.nodes.start + i;
        let node = &at.level.nodes[place];
        let Kind::Decision(actor, row) = node.kind else { continue };
        let children = at.level.children(node);
        let (value, below) = room.value[i * stride..].split_at_mut(stride);
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
            kernel::sum(value, child(0), child(1));
            for action in 2..children.len() {
                kernel::add(value, child(action));
            }
            continue;
        }
        let row = row as usize;
        if at.walk.own == Own::Best {
            for action in 0..children.len() {
                kernel::max(value, child(action), action == 0);
            }
            if let Some(locked) = at.board.locked(place) {
                keep_locks(value, locked, |action, hand| child(action)[hand]);
            }
            continue;
        }
        let from = (row - at.unit.rows[at.p].start) * stride;
        let sigma = &room.sigma[from..from + children.len() * stride];
        let played =
            |action: usize| [&sigma[action * stride..(action + 1) * stride], child(action)];
        if children.len() == 1 {
            value.copy_from_slice(child(0));
        } else {
            kernel::two_products(value, played(0), played(1));
            for action in 2..children.len() {
                let [sigma, child] = played(action);
                kernel::add_product(value, sigma, child);
            }
        }
        let Own::Learn(step) = at.walk.own else { continue };
        if let Some(gains) = gains.as_deref_mut() {
            for action in 0..children.len() {
                gains.add_regret(at.depth, row + action, child(action), value, at.board, at.p);
            }
            continue;
        }
        for action in 0..children.len() {
            cells.add_regret(step, row + action, child(action), value, &mut room.decoded);
        }
    }
    if !at.is_whole() {
        return out.copy_from_slice(&room.value[at.span.0 * stride..][..stride]);
    }
    for (&root, out) in at.unit.roots.iter().zip(out.chunks_exact_mut(stride)) {
        out.copy_from_slice(&room.value[root as usize * stride..][..stride]);
    }
}

/// In a best response, locked hands play what they must.
fn keep_locks(value: &mut [f32], locked: &[f32], child: impl Fn(usize, usize) -> f32) {
    let stride = value.len();
    for (hand, value) in value.iter_mut().enumerate() {
        if !locked[hand].is_nan() {
            let play = |action: usize| locked[action * stride + hand] * child(action, hand);
            *value = (0..locked.len() / stride).map(play).sum();
        }
    }
}

/// The regrets that a predictive rule plays by: those so far, and the last ones once more.
#[inline(always)]
fn predict(rows: &[f32], last: &[f32], step: Step, out: &mut [f32]) {
    for ((out, &regret), &last) in out.iter_mut().zip(rows).zip(last) {
        *out = regret * step.predict + last;
    }
}

impl<'a> At<'a> {
    pub(crate) fn new(
        walk: &'a Walk<'a>,
        depth: usize,
        level: &'a Level,
        unit: &'a Unit,
        board: &'a BoardNode,
    ) -> At<'a> {
        let p = walk.player.index();
        let o = 1 - p;
        let view = &unit.views[p];
        let (own_stride, opp_stride) = (board.hands[p].stride(), board.hands[o].stride());
        let span = (0, unit.nodes.len());
        At { walk, depth, level, unit, view, board, span, p, o, own_stride, opp_stride }
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
    pub(crate) fn load(&self, at: &At<'_>, room: &mut Room, own_too: bool) {
        let (own_stride, opp_stride) = (at.own_stride, at.opp_stride);
        match *self {
            Input::Root { opp, own } => {
                room.opp[..opp_stride].copy_from_slice(opp);
                if own_too {
                    room.own[..own_stride].copy_from_slice(own);
                }
            }
            Input::Node { opp } => {
                room.opp.fill(0.0);
                let row = at.view.opp[at.span.0] as usize;
                room.opp[row * opp_stride..][..opp_stride].copy_from_slice(opp);
            }
            Input::Above { room: above, leaves, view, child, strides } => {
                for (i, line) in at.unit.lines.clone().enumerate() {
                    let leaf = leaves[line] as usize;
                    let from = &above.opp[view.opp[leaf] as usize * strides[at.o]..];
                    let out = &mut room.opp[i * opp_stride..][..opp_stride];
                    kernel::gather(out, &from[..strides[at.o]], &child.down[at.o]);
                    if own_too {
                        let from = &above.own[view.own[leaf] as usize * strides[at.p]..];
                        let out = &mut room.own[i * own_stride..][..own_stride];
                        kernel::gather(out, &from[..strides[at.p]], &child.down[at.p]);
                    }
                }
            }
        }
    }
}

impl Room {
    pub(crate) fn new(level: &Level, root: &BoardNode) -> Room {
        let stride = root.hands[0].stride().max(root.hands[1].stride());
        let most = |rows: &dyn Fn(&Unit) -> usize| level.units.iter().map(rows).max().unwrap_or(0);
        let views =
            |rows: fn(&View) -> usize| most(&|u: &Unit| rows(&u.views[0]).max(rows(&u.views[1])));
        let row = |count: usize| vec![0.0; count * stride];
        let actions = level.nodes.iter().map(|node| node.edges.len()).max().unwrap_or(0);
        let sigma = most(&|unit: &Unit| unit.rows[0].len().max(unit.rows[1].len()));
        Room {
            opp: row(views(|view| view.opp_rows)),
            own: row(views(|view| view.own_rows)),
            value: row(most(&|unit: &Unit| unit.nodes.len())),
            sigma: row(sigma),
            total: row(1),
            decoded: row(actions),
            predicted: row(2 * actions),
            below: Vec::new(),
            terminals: Terminals::new(stride),
        }
    }
}
