//! What a solve stores for each board: rows of regrets and strategy sums, as 32-bit numbers or
//! as 16-bit ones with a scale per row.

use lethe_compute::simd::Level as Vectors;
use lethe_rows::matching;
use serde::{Deserialize, Serialize};

use crate::boards::BoardNode;
use crate::plan::Level;

/// How regrets and strategy sums are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// 32-bit floating point.
    #[default]
    F32,
    /// 16-bit integers with one scale per row: about half the memory.
    I16,
}

impl Precision {
    /// The bytes of a stored number.
    pub const fn bytes(self) -> u64 {
        match self {
            Precision::F32 => 4,
            Precision::I16 => 2,
        }
    }
}

/// Rows of numbers.
#[derive(Clone, Debug)]
pub(crate) enum Table {
    F32(Vec<f32>),
    I16(Vec<i16>, Vec<f32>),
}

impl Table {
    pub(crate) fn new(precision: Precision, rows: usize, stride: usize) -> Table {
        match precision {
            Precision::F32 => Table::F32(vec![0.0; rows * stride]),
            Precision::I16 => Table::I16(vec![0; rows * stride], vec![0.0; rows]),
        }
    }

    pub(crate) const EMPTY: Table = Table::F32(Vec::new());

    pub(crate) fn get(&self) -> Rows<'_> {
        match self {
            Table::F32(data) => Rows::F32(data),
            Table::I16(data, scales) => Rows::I16(data, scales),
        }
    }

    pub(crate) fn get_mut(&mut self) -> RowsMut<'_> {
        match self {
            Table::F32(data) => RowsMut::F32(data),
            Table::I16(data, scales) => RowsMut::I16(data, scales),
        }
    }
}

/// Rows to read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rows<'a> {
    F32(&'a [f32]),
    I16(&'a [i16], &'a [f32]),
}

impl<'a> Rows<'a> {
    pub(crate) fn is_empty(self) -> bool {
        match self {
            Rows::F32(data) => data.is_empty(),
            Rows::I16(data, _) => data.is_empty(),
        }
    }

    /// Asks for rows `first` to `first + count` to be loaded.
    #[inline(always)]
    pub(crate) fn prefetch<V: Vectors>(
        self,
        vectors: V,
        first: usize,
        count: usize,
        stride: usize,
    ) {
        let range = first * stride..(first + count) * stride;
        match self {
            Rows::F32(data) => vectors.prefetch(data.get(range).unwrap_or_default()),
            Rows::I16(data, _) => vectors.prefetch(data.get(range).unwrap_or_default()),
        }
    }

    /// Rows `first` to `first + count`, decoded into `scratch` if necessary.
    #[inline(always)]
    pub(crate) fn read<'b>(
        self,
        first: usize,
        count: usize,
        stride: usize,
        scratch: &'b mut [f32],
    ) -> &'b [f32]
    where
        'a: 'b,
    {
        let range = first * stride..(first + count) * stride;
        match self {
            // Rows that were not kept: every action equally often.
            Rows::F32([]) => {
                scratch[..range.len()].fill(0.0);
                &scratch[..range.len()]
            }
            Rows::F32(data) => &data[range],
            Rows::I16(data, scales) => {
                let scratch = &mut scratch[..range.len()];
                decode(&data[range], &scales[first..first + count], stride, scratch);
                scratch
            }
        }
    }
}

/// Rows to change.
#[derive(Debug)]
pub(crate) enum RowsMut<'a> {
    F32(&'a mut [f32]),
    I16(&'a mut [i16], &'a mut [f32]),
}

impl<'a> RowsMut<'a> {
    pub(crate) fn get(&self) -> Rows<'_> {
        match self {
            RowsMut::F32(data) => Rows::F32(data),
            RowsMut::I16(data, scales) => Rows::I16(data, scales),
        }
    }

    /// Rows `first` to `first + count`, to be changed and then [closed](RowsMut::close): the stored
    /// ones, or `scratch` with the rows decoded.
    ///
    /// Not a function that takes a closure, which may be compiled without the instructions of the
    /// kernel that it stands in.
    #[inline(always)]
    pub(crate) fn open<'b>(
        &'b mut self,
        first: usize,
        count: usize,
        stride: usize,
        scratch: &'b mut [f32],
    ) -> &'b mut [f32] {
        let range = first * stride..(first + count) * stride;
        match self {
            RowsMut::F32(data) => &mut data[range],
            RowsMut::I16(data, scales) => {
                let scratch = &mut scratch[..range.len()];
                decode(&data[range], &scales[first..first + count], stride, scratch);
                scratch
            }
        }
    }

    /// Stores the rows that were opened with the same arguments.
    #[inline(always)]
    pub(crate) fn close(&mut self, first: usize, count: usize, stride: usize, scratch: &[f32]) {
        if let RowsMut::I16(data, scales) = self {
            let range = first * stride..(first + count) * stride;
            let rows = &scratch[..range.len()];
            encode(rows, stride, &mut data[range], &mut scales[first..first + count]);
        }
    }

    /// The first `rows` rows, and the rest.
    pub(crate) fn split(self, rows: usize, stride: usize) -> (RowsMut<'a>, RowsMut<'a>) {
        match self {
            // A rule that keeps no predictions has no rows of them.
            RowsMut::F32([]) => (RowsMut::F32(&mut []), RowsMut::F32(&mut [])),
            RowsMut::F32(data) => {
                let (a, b) = data.split_at_mut(rows * stride);
                (RowsMut::F32(a), RowsMut::F32(b))
            }
            RowsMut::I16(data, scales) => {
                let (a, b) = data.split_at_mut(rows * stride);
                let (c, d) = scales.split_at_mut(rows);
                (RowsMut::I16(a, c), RowsMut::I16(b, d))
            }
        }
    }
}

#[inline(always)]
fn decode(data: &[i16], scales: &[f32], stride: usize, out: &mut [f32]) {
    let rows = data.chunks_exact(stride).zip(out.chunks_exact_mut(stride)).zip(scales);
    for ((row, out), &scale) in rows {
        for (out, &x) in out.iter_mut().zip(row) {
            *out = f32::from(x) * scale;
        }
    }
}

#[inline(always)]
pub(crate) fn encode(rows: &[f32], stride: usize, data: &mut [i16], scales: &mut [f32]) {
    let rows = rows.chunks_exact(stride).zip(data.chunks_exact_mut(stride)).zip(scales);
    for ((row, data), scale) in rows {
        let mut most = [0.0f32; 8];
        for chunk in row.chunks_exact(8) {
            for (most, x) in most.iter_mut().zip(chunk) {
                let x = x.abs();
                *most = if x > *most { x } else { *most };
            }
        }
        let most = most.into_iter().fold(0.0, f32::max);
        *scale = most / 32767.0;
        let inverse = if most > 1e-30 { 32767.0 / most } else { 0.0 };
        for (out, &x) in data.iter_mut().zip(row) {
            let x = x * inverse;
            *out = (x + if x < 0.0 { -0.5 } else { 0.5 }) as i32 as i16;
        }
    }
}

/// What one player's decisions of a level have on one board.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    pub(crate) regret: Table,
    pub(crate) sum: Table,
    /// The last regrets, where the rule predicts.
    pub(crate) last: Table,
}

impl Cells {
    pub(crate) const EMPTY: Cells =
        Cells { regret: Table::EMPTY, sum: Table::EMPTY, last: Table::EMPTY };
}

/// The cells of a board and of the boards below it.
#[derive(Clone, Debug)]
pub(crate) struct BoardData {
    pub(crate) cells: [Cells; 2],
    pub(crate) children: Vec<BoardData>,
    /// Each player's values at the leaves, if the children were not kept.
    pub(crate) values: [Vec<f32>; 2],
}

impl BoardData {
    /// No cells and no boards below.
    pub(crate) fn empty() -> BoardData {
        let cells = [Cells::EMPTY; 2];
        BoardData { cells, children: Vec::new(), values: Default::default() }
    }

    /// The average strategies alone, in 16 bits, written over an older copy if there is one.
    pub(crate) fn snapshot(
        &self,
        board: &BoardNode,
        levels: &[Level],
        old: Option<BoardData>,
    ) -> BoardData {
        use rayon::prelude::*;
        let (cells, children) = match old {
            Some(old) => (Some(old.cells), old.children.into_iter().map(Some).collect()),
            None => (None, self.children.iter().map(|_| None).collect::<Vec<_>>()),
        };
        let mut cells = cells.unwrap_or([Cells::EMPTY; 2]);
        for (p, cells) in cells.iter_mut().enumerate() {
            let (rows, stride) = (levels[0].rows[p], board.hands[p].stride());
            let sums = self.cells[p].sum.get();
            if sums.is_empty() {
                continue;
            }
            if !matches!(cells.sum, Table::I16(..)) {
                cells.sum = Table::new(Precision::I16, rows, stride);
            }
            let Table::I16(data, scales) = &mut cells.sum else { continue };
            let (mut scratch, mut played) = (Vec::new(), Vec::new());
            for (row, actions) in levels[0].decisions(p) {
                scratch.resize(actions * stride, 0.0);
                played.resize(actions * stride, 0.0);
                matching::frequencies(
                    sums.read(row, actions, stride, &mut scratch),
                    &mut played,
                    stride,
                );
                let data = &mut data[row * stride..(row + actions) * stride];
                encode(&played, stride, data, &mut scales[row..row + actions]);
            }
        }
        let work = self.children.par_iter().zip(&board.children).zip(children);
        let children =
            work.map(|((data, child), old)| data.snapshot(&child.node, &levels[1..], old));
        BoardData { cells, children: children.collect(), values: Default::default() }
    }

    /// Drops everything but the strategy sums.
    pub(crate) fn keep_sums(&mut self) {
        for cells in &mut self.cells {
            (cells.regret, cells.last) = (Table::EMPTY, Table::EMPTY);
        }
        self.children.iter_mut().for_each(BoardData::keep_sums);
    }

    /// Whether the boards below were kept, down to the last.
    pub(crate) fn is_whole(&self) -> bool {
        self.stored(0).is_none() && self.children.iter().all(BoardData::is_whole)
    }

    /// A player's values at the leaves, where the boards below were not kept.
    pub(crate) fn stored(&self, player: usize) -> Option<&[f32]> {
        let values = &self.values[player];
        (!values.is_empty()).then_some(values)
    }

    /// Cells for a board; empty for a player that `skips` them.
    pub(crate) fn new(
        board: &BoardNode,
        levels: &[Level],
        precision: Precision,
        predictive: bool,
        skips: [bool; 2],
    ) -> BoardData {
        use rayon::prelude::*;
        let cells = [0, 1].map(|p| {
            let (rows, stride) = (levels[0].rows[p], board.hands[p].stride());
            if skips[p] {
                return Cells::EMPTY;
            }
            let table = || Table::new(precision, rows, stride);
            let last = if predictive { table() } else { Table::EMPTY };
            Cells { regret: table(), sum: table(), last }
        });
        let children = board.children.par_iter();
        let below = |child: &crate::boards::Child| {
            BoardData::new(&child.node, &levels[1..], precision, predictive, skips)
        };
        BoardData { cells, children: children.map(below).collect(), values: Default::default() }
    }
}
