//! The walk through boards and betting that everything is computed by.
//!
//! A board is visited once for all betting lines that reach it: reaches go down node by node,
//! the boards that follow are visited (in parallel), terminal nodes are valued eight lanes at a
//! time, and values go up node by node, where regrets are updated on the way.

use std::collections::HashMap;
use std::sync::Mutex;

use lethe_game::Player;
use rayon::prelude::*;

use crate::boards::{Alike, BoardNode, Child};
use crate::bucketed::Gains;
use crate::cells::{BoardData, Cells, Rows, RowsMut};
use crate::kernel;
use crate::plan::{Kind, Level, Unit, View};
use crate::terminal::Terminals;
use crate::update::{Step, strategy};

/// What the traverser does at its own decisions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Own {
    /// Plays its current strategy and learns.
    Learn(Step),
    /// Plays what is best against the opponent's average strategy.
    Best,
    /// Plays its average strategy.
    Average,
}

impl Own {
    /// Whether nothing is learned.
    fn reads(self) -> bool {
        !matches!(self, Own::Learn(_))
    }
}

/// One walk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job<'a> {
    /// The traverser.
    pub(crate) player: Player,
    pub(crate) own: Own,
    /// Everyone plays all actions alike, whatever was learned.
    pub(crate) uniform: bool,
    /// The strategies of bucketed players, a table of rows of buckets for each level.
    pub(crate) tables: [Option<&'a [Vec<f32>]>; 2],
    /// Where to note values on the way, if anywhere.
    pub(crate) captured: Option<&'a Captured>,
}

/// The values that a walk finds at the leaves of one level, by board.
#[derive(Debug)]
pub(crate) struct Captured {
    depth: usize,
    rows: Mutex<HashMap<u64, Vec<f32>>>,
}

impl Captured {
    pub(crate) fn new(depth: usize) -> Captured {
        Captured { depth, rows: Mutex::default() }
    }

    fn note(&self, at: &At<'_>, value: &[f32]) {
        let rows = at.level.leaves.iter().flat_map(|&leaf| {
            value[leaf as usize * at.own_stride..][..at.own_stride].iter().copied()
        });
        let mut captured = self.rows.lock().expect("no thread panics with the lock");
        captured.insert(at.board.board.set().bits(), rows.collect());
    }

    /// The rows of a board.
    pub(crate) fn take(&self, board: &BoardNode) -> Option<Vec<f32>> {
        let mut captured = self.rows.lock().expect("no thread panics with the lock");
        captured.remove(&board.board.set().bits())
    }
}

/// The stored cells of a board, to change or to read.
#[derive(Debug)]
pub(crate) enum Data<'a> {
    Learn(&'a mut BoardData),
    Read(&'a BoardData),
}

/// The fixed shape of a solve: levels of betting, boards, and rooms to work in.
#[derive(Debug)]
pub(crate) struct Engine {
    pub(crate) levels: Vec<Level>,
    pub(crate) root: BoardNode,
    pub(crate) alike: Alike,
    rooms: Vec<Mutex<Vec<Room>>>,
    wide: bool,
}

/// Where the reaches at the first nodes of a level come from.
#[derive(Clone, Copy)]
enum Input<'a> {
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
struct Room {
    opp: Vec<f32>,
    own: Vec<f32>,
    value: Vec<f32>,
    sigma: Vec<f32>,
    total: Vec<f32>,
    decoded: Vec<f32>,
    /// Twice the rows of a decision.
    predicted: Vec<f32>,
    below: Vec<f32>,
    terminals: Terminals,
}

/// The rows of a unit's cells.
struct UnitCells<'a> {
    own: OwnCells<'a>,
    opp: Rows<'a>,
    opp_last: Rows<'a>,
    /// The level's row that `own` begins with.
    base: usize,
}

enum OwnCells<'a> {
    Learn { regret: RowsMut<'a>, sum: RowsMut<'a>, last: RowsMut<'a> },
    Read(Rows<'a>),
}

/// What is the same for a whole unit.
#[derive(Clone, Copy)]
struct At<'a> {
    job: &'a Job<'a>,
    depth: usize,
    level: &'a Level,
    unit: &'a Unit,
    view: &'a View,
    board: &'a BoardNode,
    /// The nodes to walk, numbered from the unit's first: all of them, or one subtree.
    span: (usize, usize),
    /// The traverser and its opponent, as indices.
    p: usize,
    o: usize,
    own_stride: usize,
    opp_stride: usize,
}

impl Engine {
    pub(crate) fn new(levels: Vec<Level>, root: BoardNode, alike: Alike) -> Engine {
        let rooms = levels.iter().map(|_| Mutex::default()).collect();
        Engine { levels, root, alike, rooms, wide: wide() }
    }

    /// The values of the traverser's hands at the root, against the opponent's reach there.
    pub(crate) fn run(
        &self,
        job: &Job<'_>,
        data: Data<'_>,
        reach: [&[f32]; 2],
        gains: Option<&mut [Gains]>,
    ) -> Vec<f32> {
        let p = job.player.index();
        let mut out = vec![0.0; self.root.hands[p].stride()];
        let input = Input::Root { opp: reach[1 - p], own: reach[p] };
        self.visit(job, 0, &self.root, data, input, &mut out, gains);
        out
    }

    /// The values of the traverser's hands at any node of a board's level, against the opponent's
    /// reach there.
    pub(crate) fn values(
        &self,
        job: &Job<'_>,
        (depth, place): (usize, usize),
        board: &BoardNode,
        data: &BoardData,
        opp: &[f32],
    ) -> Vec<f32> {
        let level = &self.levels[depth];
        let unit = level.units.iter().find(|unit| unit.nodes.contains(&place));
        let unit = unit.expect("every node is in a unit");
        let mut at = At::new(job, depth, level, unit, board);
        let first = place - unit.nodes.start;
        at.span = (first, first + level.subtree(place));
        let mut out = vec![0.0; at.own_stride];
        let input = Input::Node { opp };
        if level.leaves.is_empty() {
            let mut cells = UnitCells::read(data, at.p);
            self.unit(&at, &mut cells, input, &mut out, None);
        } else {
            self.visit_inner(&at, Data::Read(data), input, &mut out, None);
        }
        out
    }

    /// Values at all lines of a level on one board. `gains` has one place for the board itself and
    /// one for each child, or one in all below the root.
    #[expect(clippy::too_many_arguments, reason = "the state of a recursion")]
    fn visit(
        &self,
        job: &Job<'_>,
        depth: usize,
        board: &BoardNode,
        data: Data<'_>,
        input: Input<'_>,
        out: &mut [f32],
        gains: Option<&mut [Gains]>,
    ) {
        let level = &self.levels[depth];
        let at = |number: usize| At::new(job, depth, level, &level.units[number], board);
        if !level.leaves.is_empty() {
            return self.visit_inner(&at(0), data, input, out, gains);
        }
        let stride = board.hands[job.player.index()].stride();
        let outs = split_lines(out, &level.units, stride);
        // A single river has many units and is split by them; elsewhere boards are the parts.
        let single = depth > 0 && self.levels[depth - 1].street == level.street;
        match data {
            Data::Learn(data) => {
                let [oop, ip] = &mut data.cells;
                let (own, opp) = if job.player == Player::Oop { (oop, &*ip) } else { (ip, &*oop) };
                if single && gains.is_none() {
                    let cells = UnitCells::split(own, opp, &at(0), level);
                    let work = cells.into_par_iter().zip(outs).enumerate();
                    work.for_each(|(unit, (mut cells, out))| {
                        self.unit(&at(unit), &mut cells, input, out, None);
                    });
                } else {
                    let mut cells = UnitCells::learn(own, opp);
                    let mut gains = gains;
                    for (unit, out) in outs.into_iter().enumerate() {
                        let gains = gains.as_deref_mut().map(|gains| &mut gains[0]);
                        self.unit(&at(unit), &mut cells, input, out, gains);
                    }
                }
            }
            Data::Read(data) => {
                let work = |(unit, out): (usize, &mut [f32])| {
                    let mut cells = UnitCells::read(data, job.player.index());
                    self.unit(&at(unit), &mut cells, input, out, None);
                };
                if single {
                    outs.into_par_iter().enumerate().for_each(work);
                } else {
                    outs.into_iter().enumerate().for_each(work);
                }
            }
        }
    }

    /// A unit of the last level.
    fn unit(
        &self,
        at: &At<'_>,
        cells: &mut UnitCells<'_>,
        input: Input<'_>,
        out: &mut [f32],
        mut gains: Option<&mut Gains>,
    ) {
        let mut room = self.take_room(at.depth);
        self.descend(at, cells, input, &mut room, gains.as_deref_mut());
        let lines = at.unit.lines.len() * at.opp_stride;
        if at.job.own.reads() && room.opp[..lines].iter().all(|&x| x == 0.0) && at.is_whole() {
            // Nobody comes here, so nothing is won.
            out.fill(0.0);
            return self.give_room(at.depth, room);
        }
        self.end(at, &mut room);
        self.ascend(at, cells, &mut room, out, gains);
        self.give_room(at.depth, room);
    }

    /// A level whose lines go on: down, through the boards that follow, and up again.
    fn visit_inner(
        &self,
        at: &At<'_>,
        data: Data<'_>,
        input: Input<'_>,
        out: &mut [f32],
        gains: Option<&mut [Gains]>,
    ) {
        let mut room = self.take_room(at.depth);
        let mut below = std::mem::take(&mut room.below);
        let leaves = &at.level.leaves;
        let most = at.board.children.iter().map(|c| c.node.hands[at.p].stride()).max().unwrap_or(0);
        let chunk = leaves.len() * most;
        below.resize(chunk * at.board.children.len(), 0.0);
        let strides = [0, 1].map(|p| at.board.hands[p].stride());
        let (mut first, mut rest) = match gains {
            Some(gains) => {
                let (first, rest) = gains.split_at_mut(1);
                (Some(&mut first[0]), Some(rest))
            }
            None => (None, None),
        };
        let deeper = |child, room, data, out: &mut [f32], gains: Option<&mut [Gains]>| {
            let child: &Child = child;
            let lines = leaves.len() * child.node.hands[at.p].stride();
            let input = Input::Above { room, leaves, view: at.view, child, strides };
            self.visit(at.job, at.depth + 1, &child.node, data, input, &mut out[..lines], gains);
        };
        match data {
            Data::Learn(data) => {
                let [oop, ip] = &mut data.cells;
                let (own, opp) = if at.p == 0 { (oop, &*ip) } else { (ip, &*oop) };
                let mut cells = UnitCells::learn(own, opp);
                self.descend(at, &mut cells, input, &mut room, first.as_deref_mut());
                let (children, data) = (&at.board.children, &mut data.children);
                let outs = below.chunks_mut(chunk.max(1));
                match rest.as_deref_mut() {
                    None => {
                        let outs: Vec<_> = outs.collect();
                        let work = children.par_iter().zip(outs).zip(data);
                        work.for_each(|((child, out), data)| {
                            deeper(child, &room, Data::Learn(data), out, None);
                        });
                    }
                    // Gains of the boards below the root's children are summed in order.
                    Some([]) => {
                        let work = children.iter().zip(outs);
                        for ((child, out), data) in work.zip(data) {
                            let gains = first.as_deref_mut().map(std::slice::from_mut);
                            deeper(child, &room, Data::Learn(data), out, gains);
                        }
                    }
                    Some(rest) => {
                        let outs: Vec<_> = outs.collect();
                        let work = children.par_iter().zip(outs).zip(data);
                        let work = work.zip(rest.par_iter_mut());
                        work.for_each(|(((child, out), data), gains)| {
                            let gains = Some(std::slice::from_mut(gains));
                            deeper(child, &room, Data::Learn(data), out, gains);
                        });
                    }
                }
                self.lift(at, &mut room, &below, chunk);
                self.end(at, &mut room);
                self.ascend(at, &mut cells, &mut room, out, first);
            }
            Data::Read(data) => {
                let mut cells = UnitCells::read(data, at.p);
                self.descend(at, &mut cells, input, &mut room, None);
                if let Some(stored) = data.stored(at.p) {
                    for (row, &leaf) in stored.chunks_exact(at.own_stride).zip(leaves) {
                        let start = leaf as usize * at.own_stride;
                        room.value[start..start + at.own_stride].copy_from_slice(row);
                    }
                } else {
                    let work = at.board.children.par_iter().zip(&data.children);
                    work.zip(below.par_chunks_mut(chunk)).for_each(|((child, data), out)| {
                        deeper(child, &room, Data::Read(data), out, None);
                    });
                    self.lift(at, &mut room, &below, chunk);
                    if let Some(captured) = at.job.captured.filter(|c| c.depth == at.depth) {
                        captured.note(at, &room.value);
                    }
                }
                self.end(at, &mut room);
                self.ascend(at, &mut cells, &mut room, out, None);
            }
        }
        room.below = below;
        self.give_room(at.depth, room);
    }

    /// Sums the values of the boards that follow into the rows of the leaves, in a fixed order.
    fn lift(&self, at: &At<'_>, room: &mut Room, below: &[f32], chunk: usize) {
        let stride = at.own_stride;
        let factor = at.board.factor(self.levels[at.depth + 1].street);
        for (line, &leaf) in at.level.leaves.iter().enumerate() {
            let value = &mut room.value[leaf as usize * stride..][..stride];
            value.fill(0.0);
            for (child, below) in at.board.children.iter().zip(below.chunks(chunk)) {
                let row = child.node.hands[at.p].stride();
                let below = &below[line * row..(line + 1) * row];
                for up in &child.up {
                    kernel::add_gathered(value, below, &up[at.p]);
                }
            }
            value.iter_mut().for_each(|v| *v *= factor);
        }
    }

    fn take_room(&self, depth: usize) -> Room {
        let room = self.rooms[depth].lock().expect("no thread panics with the lock").pop();
        room.unwrap_or_else(|| Room::new(&self.levels[depth], &self.root))
    }

    fn give_room(&self, depth: usize, room: Room) {
        self.rooms[depth].lock().expect("no thread panics with the lock").push(room);
    }

    /// Reaches from the first nodes to the last.
    fn descend(
        &self,
        at: &At<'_>,
        cells: &mut UnitCells<'_>,
        input: Input<'_>,
        room: &mut Room,
        gains: Option<&mut Gains>,
    ) {
        #[cfg(target_arch = "x86_64")]
        if self.wide {
            // SAFETY: `wide` is set only where the processor has these instructions.
            return unsafe { wide::descend(at, cells, input, room, gains) };
        }
        descend(at, cells, input, room, gains);
    }

    /// The values of the terminal nodes.
    fn end(&self, at: &At<'_>, room: &mut Room) {
        #[cfg(target_arch = "x86_64")]
        if self.wide {
            // SAFETY: `wide` is set only where the processor has these instructions.
            return unsafe { wide::end(at, room) };
        }
        end::<false>(at, room);
    }

    /// Values from the last nodes to the first, and what is learned from them.
    fn ascend(
        &self,
        at: &At<'_>,
        cells: &mut UnitCells<'_>,
        room: &mut Room,
        out: &mut [f32],
        gains: Option<&mut Gains>,
    ) {
        #[cfg(target_arch = "x86_64")]
        if self.wide {
            // SAFETY: `wide` is set only where the processor has these instructions.
            return unsafe { wide::ascend(at, cells, room, out, gains) };
        }
        ascend(at, cells, room, out, gains);
    }
}

/// The same functions compiled for 256-bit vectors, which the plain build may not assume. They make
/// an iteration faster by a third and change no result: nothing is fused or reordered.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{At, Gains, Input, Room, UnitCells};

    #[target_feature(enable = "avx2")]
    pub(super) fn descend(
        at: &At<'_>,
        cells: &mut UnitCells<'_>,
        input: Input<'_>,
        room: &mut Room,
        gains: Option<&mut Gains>,
    ) {
        super::descend(at, cells, input, room, gains);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn end(at: &At<'_>, room: &mut Room) {
        super::end::<true>(at, room);
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn ascend(
        at: &At<'_>,
        cells: &mut UnitCells<'_>,
        room: &mut Room,
        out: &mut [f32],
        gains: Option<&mut Gains>,
    ) {
        super::ascend(at, cells, room, out, gains);
    }
}

/// Whether the processor has 256-bit vectors.
fn wide() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::arch::is_x86_feature_detected!("avx2")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

#[inline(always)]
fn descend(
    at: &At<'_>,
    cells: &mut UnitCells<'_>,
    input: Input<'_>,
    room: &mut Room,
    mut gains: Option<&mut Gains>,
) {
    let (own_stride, opp_stride) = (at.own_stride, at.opp_stride);
    input.load(at, room, !at.job.own.reads());
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
            } else if at.job.uniform {
                fan.fill(1.0 / actions as f32);
            } else {
                let rows = cells.opp.read(row, actions, opp_stride, &mut room.decoded);
                let rows = match at.job.own {
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
        if at.job.own == Own::Best && locked.is_none() {
            continue;
        }
        let first = row - at.unit.rows[at.p].start;
        let sigma = &mut room.sigma[first * own_stride..][..actions * own_stride];
        let total = &mut room.total[..own_stride];
        if let Some(table) = at.table(at.p, row, actions) {
            kernel::expand(sigma, table, &at.board.buckets[at.p]);
        } else if at.job.uniform {
            sigma.fill(1.0 / actions as f32);
        } else {
            cells.own_strategy(at, row, actions, sigma, total, &mut room.decoded);
        }
        if let Some(locked) = locked {
            kernel::overwrite(sigma, locked);
        }
        if let Own::Learn(step) = at.job.own {
            let (before, fan) = room.own.split_at_mut(at.view.fan[i] as usize * own_stride);
            let reach = &before[at.view.own[i] as usize * own_stride..][..own_stride];
            let fan = &mut fan[..actions * own_stride];
            for (fan, sigma) in fan.chunks_exact_mut(own_stride).zip(sigma.chunks_exact(own_stride))
            {
                kernel::product(fan, reach, sigma);
            }
            if let Some(gains) = gains.as_deref_mut() {
                if !at.board.buckets[at.p].is_empty() {
                    gains.add_reach(at.depth, row, fan, at.board, at.p);
                    continue;
                }
            }
            cells.add_reach(step, row, actions, fan, own_stride, &mut room.decoded);
        }
    }
}

#[inline(always)]
fn end<const WIDE: bool>(at: &At<'_>, room: &mut Room) {
    let exact = at.job.own.reads();
    let Room { terminals, opp, value, .. } = room;
    for lanes in [&at.view.shows, &at.view.folds] {
        if !lanes.is_empty() {
            terminals.run::<WIDE>(at.board, at.p, lanes, opp, value, exact);
        }
    }
}

#[inline(always)]
fn ascend(
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
            for action in 0..children.len() {
                kernel::add(value, child(action), action == 0);
            }
            continue;
        }
        let row = row as usize;
        if at.job.own == Own::Best {
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
        for (action, sigma) in sigma.chunks_exact(stride).enumerate() {
            kernel::add_product(value, sigma, child(action), action == 0);
        }
        let Own::Learn(step) = at.job.own else { continue };
        if let Some(gains) = gains.as_deref_mut() {
            if !at.board.buckets[at.p].is_empty() {
                for action in 0..children.len() {
                    gains.add_regret(at.depth, row + action, child(action), value, at.board, at.p);
                }
                continue;
            }
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

/// The lines of each unit in a buffer of rows.
fn split_lines<'a>(out: &'a mut [f32], units: &[Unit], stride: usize) -> Vec<&'a mut [f32]> {
    let mut rest = out;
    let mut split = |unit: &Unit| {
        let (lines, after) = std::mem::take(&mut rest).split_at_mut(unit.lines.len() * stride);
        rest = after;
        lines
    };
    units.iter().map(&mut split).collect()
}

impl<'a> At<'a> {
    fn new(
        job: &'a Job<'a>,
        depth: usize,
        level: &'a Level,
        unit: &'a Unit,
        board: &'a BoardNode,
    ) -> At<'a> {
        let p = job.player.index();
        let o = 1 - p;
        let view = &unit.views[p];
        let (own_stride, opp_stride) = (board.hands[p].stride(), board.hands[o].stride());
        let span = (0, unit.nodes.len());
        At { job, depth, level, unit, view, board, span, p, o, own_stride, opp_stride }
    }

    fn is_whole(&self) -> bool {
        self.span == (0, self.unit.nodes.len())
    }

    /// The rows of a bucketed player's decision.
    #[inline(always)]
    fn table(&self, player: usize, row: usize, actions: usize) -> Option<&'a [f32]> {
        let table = &self.job.tables[player]?[self.depth];
        let count = table.len() / self.level.rows[player];
        Some(&table[row * count..(row + actions) * count])
    }
}

impl Input<'_> {
    /// Writes the first rows of a unit.
    #[inline(always)]
    fn load(&self, at: &At<'_>, room: &mut Room, own_too: bool) {
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
    fn new(level: &Level, root: &BoardNode) -> Room {
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

impl<'a> UnitCells<'a> {
    fn learn(own: &'a mut Cells, opp: &'a Cells) -> UnitCells<'a> {
        let own = OwnCells::Learn {
            regret: own.regret.get_mut(),
            sum: own.sum.get_mut(),
            last: own.last.get_mut(),
        };
        UnitCells { own, opp: opp.regret.get(), opp_last: opp.last.get(), base: 0 }
    }

    fn read(data: &'a BoardData, player: usize) -> UnitCells<'a> {
        let own = OwnCells::Read(data.cells[player].sum.get());
        let opp = data.cells[1 - player].sum.get();
        UnitCells { own, opp, opp_last: Rows::F32(&[]), base: 0 }
    }

    /// The cells of every unit of a level, to be worked on at once.
    fn split(own: &'a mut Cells, opp: &'a Cells, at: &At<'_>, level: &Level) -> Vec<UnitCells<'a>> {
        let stride = at.own_stride;
        let (mut regret, mut sum) = (own.regret.get_mut(), own.sum.get_mut());
        let mut last = own.last.get_mut();
        let mut units = Vec::with_capacity(level.units.len());
        for unit in &level.units {
            let rows = &unit.rows[at.p];
            let (regrets, sums, lasts);
            (regrets, regret) = regret.split(rows.len(), stride);
            (sums, sum) = sum.split(rows.len(), stride);
            (lasts, last) = last.split(rows.len(), stride);
            let own = OwnCells::Learn { regret: regrets, sum: sums, last: lasts };
            let (opp, opp_last) = (opp.regret.get(), opp.last.get());
            units.push(UnitCells { own, opp, opp_last, base: rows.start });
        }
        units
    }

    /// The traverser's strategy at a decision.
    #[inline(always)]
    fn own_strategy(
        &self,
        at: &At<'_>,
        row: usize,
        actions: usize,
        sigma: &mut [f32],
        total: &mut [f32],
        decoded: &mut [f32],
    ) {
        let (stride, row) = (at.own_stride, row - self.base);
        match (&self.own, at.job.own) {
            (OwnCells::Learn { regret, last, .. }, Own::Learn(step)) if step.predict > 0.0 => {
                let decoded = &mut decoded[..actions * stride];
                sigma.copy_from_slice(last.get().read(row, actions, stride, decoded));
                let rows = regret.get().read(row, actions, stride, decoded);
                for (sigma, &regret) in sigma.iter_mut().zip(rows) {
                    *sigma += regret * step.predict;
                }
                decoded.copy_from_slice(sigma);
                strategy(decoded, sigma, total);
            }
            (OwnCells::Learn { regret, .. }, _) => {
                strategy(regret.get().read(row, actions, stride, decoded), sigma, total);
            }
            (OwnCells::Read(sums), _) => {
                strategy(sums.read(row, actions, stride, decoded), sigma, total);
            }
        }
    }

    #[inline(always)]
    fn add_reach(
        &mut self,
        step: Step,
        row: usize,
        actions: usize,
        fan: &[f32],
        stride: usize,
        decoded: &mut [f32],
    ) {
        let row = row - self.base;
        if let OwnCells::Learn { sum, .. } = &mut self.own {
            sum.change(row, actions, stride, decoded, |sums| {
                for (sum, &reach) in sums.iter_mut().zip(fan) {
                    *sum = step.sum(*sum, reach);
                }
            });
        }
    }

    #[inline(always)]
    fn add_regret(
        &mut self,
        step: Step,
        row: usize,
        child: &[f32],
        value: &[f32],
        decoded: &mut [f32],
    ) {
        let (row, stride) = (row - self.base, value.len());
        let OwnCells::Learn { regret, last, .. } = &mut self.own else { return };
        regret.change(row, 1, stride, decoded, |regrets| {
            for ((regret, &child), &value) in regrets.iter_mut().zip(child).zip(value) {
                *regret = step.regret(*regret, child - value);
            }
        });
        if step.floor && step.negative == 0.0 && !last.get().is_empty() {
            last.change(row, 1, stride, decoded, |last| {
                for ((last, &child), &value) in last.iter_mut().zip(child).zip(value) {
                    *last = child - value;
                }
            });
        }
    }
}
