//! The walk through boards and betting that computes all values and updates.
//!
//! A board is visited once for all betting lines that reach it: reaches are passed down node by node,
//! the boards that follow are visited (in parallel), terminal nodes are valued eight rows at a time,
//! and values are passed up node by node, updating regrets.

use std::collections::HashMap;
use std::sync::Mutex;

use lethe_compute::simd;
use lethe_compute::{Cancelled, Job};
use lethe_game::Player;
use lethe_rows::loops;
use rayon::prelude::*;

use crate::boards::{BoardNode, Child, SuitClasses};
use crate::bucketed::Gains;
use crate::cells::BoardData;
use crate::plan::{Level, Unit};
use crate::street::Line;
use crate::unit::{Ascend, Descend, Input, Pay, Scratch, UnitContext};
use crate::unit_cells::UnitCells;
use crate::update::Step;

/// What the traverser does at its own decisions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TraverserMode {
    /// Plays its current strategy and learns.
    Learn(Step),
    /// Plays what is best against the opponent's average strategy.
    Best,
    /// Plays its average strategy.
    Average,
}

impl TraverserMode {
    /// Whether nothing is learned.
    pub(crate) fn reads(self) -> bool {
        !matches!(self, TraverserMode::Learn(_))
    }
}

/// One walk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk<'a> {
    /// The traverser.
    pub(crate) player: Player,
    pub(crate) mode: TraverserMode,
    /// Everyone plays all actions equally often, whatever was learned.
    pub(crate) uniform: bool,
    /// The strategies of bucketed players, a table of rows of buckets for each level.
    pub(crate) tables: [Option<&'a [Vec<f32>]>; 2],
    /// Where to record values on the way, if anywhere.
    pub(crate) captured: Option<&'a Captured>,
    /// The threads, and whether to stop: asked before every unit of every board. A walk that is
    /// cancelled leaves the values that it returns, and the regrets of the boards above the skipped
    /// ones, as they were.
    pub(crate) job: Job<'a>,
}

/// The values that a walk finds at the leaves or at all nodes of one level, by board.
#[derive(Debug)]
pub(crate) struct Captured {
    depth: usize,
    all: bool,
    rows: Mutex<HashMap<u64, Vec<f32>>>,
}

impl Captured {
    /// Captures the leaves of a level.
    pub(crate) fn leaves(depth: usize) -> Captured {
        Captured { depth, all: false, rows: Mutex::default() }
    }

    /// Captures all nodes of a level that are walked.
    pub(crate) fn nodes(depth: usize) -> Captured {
        Captured { depth, all: true, rows: Mutex::default() }
    }

    fn record_leaves(&self, at: &UnitContext<'_>, value: &[f32]) {
        if self.depth == at.depth && !self.all {
            let rows = at.level.leaves.iter().flat_map(|&leaf| {
                value[leaf as usize * at.own_stride..][..at.own_stride].iter().copied()
            });
            self.insert(at, rows.collect());
        }
    }

    fn record_nodes(&self, at: &UnitContext<'_>, value: &[f32]) {
        if self.depth == at.depth && self.all {
            let (first, end) = (at.span.0 * at.own_stride, at.span.1 * at.own_stride);
            self.insert(at, value[first..end].to_vec());
        }
    }

    fn insert(&self, at: &UnitContext<'_>, rows: Vec<f32>) {
        let mut captured = self.rows.lock().expect("no thread panics with the lock");
        captured.insert(at.board.board.set().bits(), rows);
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

/// The fixed shape of a solve: levels of betting, boards, and scratch memory for each level.
#[derive(Debug)]
pub(crate) struct Engine {
    pub(crate) levels: Vec<Level>,
    pub(crate) root: BoardNode,
    pub(crate) suits: SuitClasses,
    scratches: Vec<Mutex<Vec<Scratch>>>,
}

impl Engine {
    pub(crate) fn new(levels: Vec<Level>, root: BoardNode, suits: SuitClasses) -> Engine {
        let scratches = levels.iter().map(|_| Mutex::default()).collect();
        Engine { levels, root, suits, scratches }
    }

    /// The values of the traverser's hands at the root, against the opponent's reach there.
    pub(crate) fn run(
        &self,
        walk: &Walk<'_>,
        data: Data<'_>,
        reach: [&[f32]; 2],
        gains: Option<&mut [Gains]>,
    ) -> Result<Vec<f32>, Cancelled> {
        let p = walk.player.index();
        let mut out = vec![0.0; self.root.hands[p].stride()];
        let input = Input::Root { opp: reach[1 - p], own: reach[p] };
        let visit = || self.visit(walk, 0, &self.root, data, input, &mut out, gains);
        match self.levels.as_slice() {
            // One unit on one board takes less time than waking another thread.
            [only] if only.leaves.is_empty() => visit(),
            _ => walk.job.install(visit),
        }
        walk.job.check()?;
        Ok(out)
    }

    /// The traverser's values at all nodes of a line's street, a row for each.
    pub(crate) fn line_values(
        &self,
        walk: &Walk<'_>,
        line: Line<'_>,
    ) -> Result<Vec<f32>, Cancelled> {
        let Line { depth, place, board, data, reach } = line;
        let captured = Captured::nodes(depth);
        let walk = Walk { captured: Some(&captured), ..*walk };
        let opp = &reach[1 - walk.player.index()];
        self.values(&walk, (depth, place), board, data, opp)?;
        Ok(captured.take(board).expect("the level of the line is captured"))
    }

    /// The opponent's ranges in a line's street: the number of the range at each node, and their rows.
    pub(crate) fn line_ranges(&self, walk: &Walk<'_>, line: Line<'_>) -> (Vec<u32>, Vec<f32>) {
        let level = &self.levels[line.depth];
        let unit = &level.units[0];
        let mut at = UnitContext::new(walk, line.depth, level, unit, line.board);
        at.span = (line.place, line.place + level.subtree(line.place));
        let mut scratch = self.take_scratch(line.depth);
        let input = Input::Node { opp: &line.reach[at.o] };
        let cells = &mut UnitCells::read(line.data, at.p);
        simd::run(Descend { at: &at, cells, input, scratch: &mut scratch, gains: None });
        let (mut known, mut rows) = (Vec::new(), Vec::new());
        let numbers = at.view.opp[at.span.0..at.span.1].iter().map(|&row| {
            let number = known.iter().position(|&seen| seen == row).unwrap_or_else(|| {
                let start = row as usize * at.opp_stride;
                rows.extend_from_slice(&scratch.opp[start..start + at.opp_stride]);
                known.push(row);
                known.len() - 1
            });
            number as u32
        });
        let numbers = numbers.collect();
        self.give_scratch(line.depth, scratch);
        (numbers, rows)
    }

    /// The values of the traverser's hands at any node of a board's level, against the opponent's
    /// reach there.
    pub(crate) fn values(
        &self,
        walk: &Walk<'_>,
        (depth, place): (usize, usize),
        board: &BoardNode,
        data: &BoardData,
        opp: &[f32],
    ) -> Result<Vec<f32>, Cancelled> {
        let level = &self.levels[depth];
        let unit = level.units.iter().find(|unit| unit.nodes.contains(&place));
        let unit = unit.expect("every node is in a unit");
        let mut at = UnitContext::new(walk, depth, level, unit, board);
        let first = place - unit.nodes.start;
        at.span = (first, first + level.subtree(place));
        let mut out = vec![0.0; at.own_stride];
        let input = Input::Node { opp };
        if level.leaves.is_empty() {
            let mut cells = UnitCells::read(data, at.p);
            self.unit(&at, &mut cells, input, &mut out, None);
        } else {
            let data = Data::Read(data);
            walk.job.install(|| self.visit_inner(&at, data, input, &mut out, None));
        }
        walk.job.check()?;
        Ok(out)
    }

    /// Values at all lines of a level on one board. `gains` has one entry for the board itself and one
    /// for each child; below the root, a single one.
    #[expect(clippy::too_many_arguments, reason = "the state of a recursion")]
    fn visit(
        &self,
        walk: &Walk<'_>,
        depth: usize,
        board: &BoardNode,
        data: Data<'_>,
        input: Input<'_>,
        out: &mut [f32],
        gains: Option<&mut [Gains]>,
    ) {
        let level = &self.levels[depth];
        let at = |number: usize| UnitContext::new(walk, depth, level, &level.units[number], board);
        if !level.leaves.is_empty() {
            return self.visit_inner(&at(0), data, input, out, gains);
        }
        let stride = board.hands[walk.player.index()].stride();
        let outs = split_lines(out, &level.units, stride);
        // A single river is split by its units over threads; elsewhere boards are.
        let single = depth > 0 && self.levels[depth - 1].street == level.street;
        match data {
            Data::Learn(data) => {
                let [oop, ip] = &mut data.cells;
                let (own, opp) = if walk.player == Player::Oop { (oop, &*ip) } else { (ip, &*oop) };
                if single && gains.is_none() {
                    let cells = UnitCells::split(own, opp, &at(0), level);
                    let work = cells.into_par_iter().zip(outs).enumerate();
                    work.with_max_len(1).for_each(|(unit, (mut cells, out))| {
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
                    let mut cells = UnitCells::read(data, walk.player.index());
                    self.unit(&at(unit), &mut cells, input, out, None);
                };
                if single {
                    outs.into_par_iter().enumerate().with_max_len(1).for_each(work);
                } else {
                    outs.into_iter().enumerate().for_each(work);
                }
            }
        }
    }

    /// A unit of the last level.
    fn unit(
        &self,
        at: &UnitContext<'_>,
        cells: &mut UnitCells<'_>,
        input: Input<'_>,
        out: &mut [f32],
        mut gains: Option<&mut Gains>,
    ) {
        if at.walk.job.cancelled() {
            return;
        }
        let mut scratch = self.take_scratch(at.depth);
        let gains_above = gains.as_deref_mut();
        simd::run(Descend { at, cells, input, scratch: &mut scratch, gains: gains_above });
        let lines = at.unit.lines.len() * at.opp_stride;
        if at.walk.mode.reads() && scratch.opp[..lines].iter().all(|&x| x == 0.0) && at.is_whole() {
            // The opponent does not reach this unit, so nothing is won.
            out.fill(0.0);
            return self.give_scratch(at.depth, scratch);
        }
        simd::run(Pay { at, scratch: &mut scratch });
        simd::run(Ascend { at, cells, scratch: &mut scratch, out, gains });
        self.give_scratch(at.depth, scratch);
    }

    /// A level whose lines continue: down, through the boards that follow, and up again.
    fn visit_inner(
        &self,
        at: &UnitContext<'_>,
        data: Data<'_>,
        input: Input<'_>,
        out: &mut [f32],
        gains: Option<&mut [Gains]>,
    ) {
        if at.walk.job.cancelled() {
            return;
        }
        let mut scratch = self.take_scratch(at.depth);
        let mut below = std::mem::take(&mut scratch.below);
        let leaves = &at.level.leaves;
        let most = at.board.children.iter().map(|c| c.node.hands[at.p].stride()).max().unwrap_or(0);
        let chunk = leaves.len() * most;
        below.resize(chunk * at.board.children.len(), 0.0);
        let strides = [0, 1].map(|p| at.board.hands[p].stride());
        let (mut first, rest) = match gains {
            Some(gains) => {
                let (first, rest) = gains.split_at_mut(1);
                (Some(&mut first[0]), Some(rest))
            }
            None => (None, None),
        };
        let deeper = |child, scratch, data, out: &mut [f32], gains: Option<&mut [Gains]>| {
            let child: &Child = child;
            let lines = leaves.len() * child.node.hands[at.p].stride();
            let input = Input::Above { scratch, leaves, view: at.view, child, strides };
            self.visit(at.walk, at.depth + 1, &child.node, data, input, &mut out[..lines], gains);
        };
        match data {
            Data::Learn(data) => {
                let [oop, ip] = &mut data.cells;
                let (own, opp) = if at.p == 0 { (oop, &*ip) } else { (ip, &*oop) };
                let mut cells = UnitCells::learn(own, opp);
                let gains = first.as_deref_mut();
                simd::run(Descend { at, cells: &mut cells, input, scratch: &mut scratch, gains });
                let (children, data) = (&at.board.children, &mut data.children);
                let outs = below.chunks_mut(chunk.max(1));
                match rest {
                    None => {
                        let outs: Vec<_> = outs.collect();
                        let work = children.par_iter().zip(outs).zip(data);
                        work.for_each(|((child, out), data)| {
                            deeper(child, &scratch, Data::Learn(data), out, None);
                        });
                    }
                    // Gains of the boards below the root's children are summed in order.
                    Some([]) => {
                        let work = children.iter().zip(outs);
                        for ((child, out), data) in work.zip(data) {
                            let gains = first.as_deref_mut().map(std::slice::from_mut);
                            deeper(child, &scratch, Data::Learn(data), out, gains);
                        }
                    }
                    Some(rest) => {
                        let outs: Vec<_> = outs.collect();
                        let work = children.par_iter().zip(outs).zip(data);
                        let work = work.zip(rest.par_iter_mut());
                        work.for_each(|(((child, out), data), gains)| {
                            let gains = Some(std::slice::from_mut(gains));
                            deeper(child, &scratch, Data::Learn(data), out, gains);
                        });
                    }
                }
                if !at.walk.job.cancelled() {
                    self.lift(at, &mut scratch, &below, chunk);
                    simd::run(Pay { at, scratch: &mut scratch });
                    let (cells, scratch) = (&mut cells, &mut scratch);
                    simd::run(Ascend { at, cells, scratch, out, gains: first });
                }
            }
            Data::Read(data) => {
                let mut cells = UnitCells::read(data, at.p);
                simd::run(Descend {
                    at,
                    cells: &mut cells,
                    input,
                    scratch: &mut scratch,
                    gains: None,
                });
                if let Some(stored) = data.stored(at.p) {
                    for (row, &leaf) in stored.chunks_exact(at.own_stride).zip(leaves) {
                        let start = leaf as usize * at.own_stride;
                        scratch.value[start..start + at.own_stride].copy_from_slice(row);
                    }
                } else {
                    let work = at.board.children.par_iter().zip(&data.children);
                    work.zip(below.par_chunks_mut(chunk)).for_each(|((child, data), out)| {
                        deeper(child, &scratch, Data::Read(data), out, None);
                    });
                    // After a cancelled walk nobody reads the values.
                    self.lift(at, &mut scratch, &below, chunk);
                    if let Some(captured) = at.walk.captured {
                        captured.record_leaves(at, &scratch.value);
                    }
                }
                simd::run(Pay { at, scratch: &mut scratch });
                let (cells, scratch) = (&mut cells, &mut scratch);
                simd::run(Ascend { at, cells, scratch, out, gains: None });
                if let Some(captured) = at.walk.captured {
                    captured.record_nodes(at, &scratch.value);
                }
            }
        }
        scratch.below = below;
        self.give_scratch(at.depth, scratch);
    }

    /// Sums the values of the boards that follow into the rows of the leaves, in a fixed order.
    fn lift(&self, at: &UnitContext<'_>, scratch: &mut Scratch, below: &[f32], chunk: usize) {
        let stride = at.own_stride;
        let factor = at.board.factor(self.levels[at.depth + 1].street);
        for (line, &leaf) in at.level.leaves.iter().enumerate() {
            let value = &mut scratch.value[leaf as usize * stride..][..stride];
            value.fill(0.0);
            for (child, below) in at.board.children.iter().zip(below.chunks(chunk)) {
                let row = child.node.hands[at.p].stride();
                let below = &below[line * row..(line + 1) * row];
                for up in &child.up {
                    loops::add_gathered(value, below, &up[at.p]);
                }
            }
            value.iter_mut().for_each(|v| *v *= factor);
        }
    }

    fn take_scratch(&self, depth: usize) -> Scratch {
        let scratch = self.scratches[depth].lock().expect("no thread panics with the lock").pop();
        scratch.unwrap_or_else(|| Scratch::new(&self.levels[depth], &self.root))
    }

    fn give_scratch(&self, depth: usize, scratch: Scratch) {
        self.scratches[depth].lock().expect("no thread panics with the lock").push(scratch);
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
