//! Loops over rows of holes, and the walk through the holes by strength that values showdowns.
//!
//! A fold pays the same against every hole that shares no card: `all - with(a) - with(b) + same`,
//! where `with(c)` is the reach of the holes with card *c* and `same` that of the very same hole. A
//! showdown asks for the same sum over the weaker holes and over those not stronger. Both players
//! can have every hole, so a row has one entry for each, in the order of strength, and eight rows
//! are walked at once, one in each lane of a vector.

use lethe_cluster::simd::{Kernel, LANES, Level, run};

use crate::deal::{HOLES, Ranked, STRIDE};
use crate::plan::{Lane, NONE};

#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
struct Lanes([f32; LANES]);

impl Lanes {
    const ZERO: Lanes = Lanes([0.0; LANES]);

    #[inline(always)]
    fn with(self, other: Lanes, f: impl Fn(f32, f32) -> f32) -> Lanes {
        let mut out = self;
        for l in 0..LANES {
            out.0[l] = f(self.0[l], other.0[l]);
        }
        out
    }

    #[inline(always)]
    fn add(self, other: Lanes) -> Lanes {
        self.with(other, |a, b| a + b)
    }

    #[inline(always)]
    fn sub(self, other: Lanes) -> Lanes {
        self.with(other, |a, b| a - b)
    }

    #[inline(always)]
    fn mul(self, other: Lanes) -> Lanes {
        self.with(other, |a, b| a * b)
    }
}

/// Room for walks.
#[derive(Debug)]
pub(crate) struct Walk {
    reach: Vec<Lanes>,
    value: Vec<Lanes>,
    with: [Lanes; 64],
    all: Lanes,
}

impl Walk {
    pub(crate) fn new() -> Walk {
        Walk {
            reach: vec![Lanes::ZERO; STRIDE],
            value: vec![Lanes::ZERO; STRIDE],
            with: [Lanes::ZERO; 64],
            all: Lanes::ZERO,
        }
    }

    /// Writes what rows of the opponent's reach pay at the nodes of up to any number of lanes.
    ///
    /// `reach` holds rows and `values` a row for each node. Either all lanes have a showdown or none
    /// has.
    pub(crate) fn pay(
        &mut self,
        ranked: &Ranked,
        lanes: &[Lane],
        reach: &[f32],
        values: &mut [f32],
    ) {
        for lanes in lanes.chunks(LANES) {
            run(Pay { walk: self, ranked, lanes, reach, values });
        }
    }

    #[inline(always)]
    fn load<L: Level>(&mut self, level: L, lanes: &[Lane], reach: &[f32]) {
        let mut rows: [&[f32]; LANES] = [&[]; LANES];
        for (l, row) in rows.iter_mut().enumerate() {
            // A lane too many repeats the first one; what comes of it is not stored.
            let at = lanes.get(l).unwrap_or(&lanes[0]).row as usize * STRIDE;
            *row = &reach[at..at + STRIDE];
        }
        for (block, out) in self.reach.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            let mut square = [[0.0; LANES]; LANES];
            for (square, row) in square.iter_mut().zip(&rows) {
                square.copy_from_slice(&row[block * LANES..block * LANES + LANES]);
            }
            *out = level.transpose(square).map(Lanes);
        }
    }

    #[inline(always)]
    fn take(&mut self, at: usize, cards: [u8; 2]) {
        let x = self.reach[at];
        self.all = self.all.add(x);
        for card in cards {
            let with = &mut self.with[(card & 63) as usize];
            *with = with.add(x);
        }
    }

    /// Sums the reach by card in the order of strength and values the showdowns on the way.
    #[inline(always)]
    fn sweep(&mut self, ranked: &Ranked, over: Lanes, under: Lanes) {
        let Walk { reach, value, with, .. } = self;
        let (reach, value) = (&reach[..STRIDE], &mut value[..STRIDE]);
        let mut all = Lanes::ZERO;
        let mut start = 0;
        for &end in &ranked.ends {
            let end = end as usize;
            let cards = &ranked.cards[start..end];
            let (reach, value) = (&reach[start..end], &mut value[start..end]);
            for (value, &cards) in value.iter_mut().zip(cards) {
                *value = over.mul(against(all, with, cards));
            }
            for (&x, cards) in reach.iter().zip(cards) {
                all = all.add(x);
                for card in cards {
                    let with = &mut with[(card & 63) as usize];
                    *with = with.add(x);
                }
            }
            for (value, &cards) in value.iter_mut().zip(cards) {
                *value = value.add(under.mul(against(all, with, cards)));
            }
            start = end;
        }
        self.all = all;
    }
}

/// The reach of the holes without either card, twice less that of the hole itself.
#[inline(always)]
fn against(all: Lanes, with: &[Lanes; 64], cards: [u8; 2]) -> Lanes {
    let [a, b] = cards.map(|card| with[(card & 63) as usize]);
    all.sub(a).sub(b)
}

struct Pay<'a> {
    walk: &'a mut Walk,
    ranked: &'a Ranked,
    lanes: &'a [Lane],
    reach: &'a [f32],
    values: &'a mut [f32],
}

impl Kernel for Pay<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        let Pay { walk, ranked, lanes, reach, values } = self;
        walk.load(level, lanes, reach);
        walk.with = [Lanes::ZERO; 64];
        walk.all = Lanes::ZERO;
        let pays = |pay: fn(&Lane) -> f32| {
            let mut pays = Lanes::ZERO;
            for (out, lane) in pays.0.iter_mut().zip(lanes) {
                *out = pay(lane);
            }
            pays
        };
        let (over, under) = (pays(|lane| lane.pay[0]), pays(|lane| lane.pay[1]));
        let (lose, fold) = (pays(|lane| lane.pay[2]), pays(|lane| lane.fold_pay));
        let shows = lanes[0].show != NONE;
        if shows {
            walk.sweep(ranked, over, under);
        } else {
            for (at, &cards) in ranked.cards[..HOLES].iter().enumerate() {
                walk.take(at, cards);
            }
        }
        let folds = lanes.iter().any(|lane| lane.fold != NONE);
        for block in 0..STRIDE / LANES {
            let at = block * LANES;
            let cards: &[[u8; 2]; LANES] = ranked.cards[at..at + LANES].try_into().expect("eight");
            let mut all = [Lanes::ZERO; LANES];
            let mut same = [Lanes::ZERO; LANES];
            for i in 0..LANES {
                same[i] = walk.reach[at + i];
                all[i] = against(walk.all, &walk.with, cards[i]).add(same[i]);
            }
            if shows {
                let mut square = [Lanes::ZERO; LANES];
                for i in 0..LANES {
                    let value = walk.value[at + i].add(under.mul(same[i]));
                    square[i] = value.add(lose.mul(all[i]));
                }
                store(level, &square, lanes, |lane| lane.show, values, at);
            }
            if folds {
                let mut square = [Lanes::ZERO; LANES];
                for i in 0..LANES {
                    square[i] = fold.mul(all[i]);
                }
                store(level, &square, lanes, |lane| lane.fold, values, at);
            }
        }
    }
}

#[inline(always)]
fn store<L: Level>(
    level: L,
    square: &[Lanes; LANES],
    lanes: &[Lane],
    node: impl Fn(&Lane) -> u32,
    values: &mut [f32],
    at: usize,
) {
    let turned = level.transpose(square.map(|lanes| lanes.0));
    for (lane, row) in lanes.iter().zip(&turned) {
        if node(lane) != NONE {
            let start = node(lane) as usize * STRIDE + at;
            values[start..start + LANES].copy_from_slice(row);
        }
    }
}

/// The most holes of a row, as a power of two: the length of the tables below.
pub(crate) const TABLE: usize = 2048;

/// For one action: a number for each bucket that occurs on a board, by its place in
/// [`Locals::distinct`](crate::deal::Locals::distinct).
pub(crate) type Table = [f32; TABLE];

/// Actions handled side by side.
const SIDE: usize = 4;

/// The reach after each action, `out[a][i] = reach[i] * tables[a][local[i]]`, where the rows of
/// actions lie side by side in `out`; the reach of each bucket is added to `sums`.
pub(crate) fn fan(
    out: &mut [f32],
    stride: usize,
    reach: &[f32],
    tables: &[Table],
    local: &[u16],
    mut sums: Option<&mut Table>,
) {
    let mut rest = tables;
    for out in out.chunks_mut(SIDE * stride) {
        let (tables, after) = rest.split_at(out.len() / stride);
        rest = after;
        // The sums are made once.
        let fan = Fan { out, stride, reach, tables, local, sums: sums.take() };
        match tables.len() {
            1 => run(FanOf::<1>(fan)),
            2 => run(FanOf::<2>(fan)),
            3 => run(FanOf::<3>(fan)),
            _ => run(FanOf::<4>(fan)),
        }
    }
}

struct Fan<'a> {
    out: &'a mut [f32],
    stride: usize,
    reach: &'a [f32],
    tables: &'a [Table],
    local: &'a [u16],
    sums: Option<&'a mut Table>,
}

struct FanOf<'a, const A: usize>(Fan<'a>);

impl<const A: usize> Kernel for FanOf<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        let Fan { out, stride, reach, tables, local, sums } = self.0;
        let tables: &[Table; A] = tables.try_into().expect("a table for each action");
        let len = local.len();
        let reach = &reach[..len];
        let mut rows = out.chunks_exact_mut(stride);
        let rows: [&mut [f32]; A] =
            std::array::from_fn(|_| &mut rows.next().expect("a row for each action")[..len]);
        for (i, &local) in local.iter().enumerate() {
            for a in 0..A {
                rows[a][i] = reach[i] * tables[a][local as usize % TABLE];
            }
        }
        if let Some(sums) = sums {
            for (&local, &x) in local.iter().zip(reach) {
                sums[local as usize % TABLE] += x;
            }
        }
    }
}

/// The value of a decision, `out[i] = sum of values[a][i] * tables[a][local[i]]`. The values of
/// each action are added up by bucket in `sums`, unless that is empty.
pub(crate) fn mix(
    out: &mut [f32],
    values: &[&[f32]],
    tables: &[Table],
    local: &[u16],
    sums: &mut [Table],
) {
    out.fill(0.0);
    let mut sums = sums.chunks_mut(SIDE);
    for (values, tables) in values.chunks(SIDE).zip(tables.chunks(SIDE)) {
        let mix = Mix { out: &mut *out, values, tables, local };
        match (values.len(), sums.next()) {
            (1, None) => run(MixOf::<1, false>(mix, &mut [])),
            (2, None) => run(MixOf::<2, false>(mix, &mut [])),
            (3, None) => run(MixOf::<3, false>(mix, &mut [])),
            (_, None) => run(MixOf::<4, false>(mix, &mut [])),
            (1, Some(sums)) => run(MixOf::<1, true>(mix, sums)),
            (2, Some(sums)) => run(MixOf::<2, true>(mix, sums)),
            (3, Some(sums)) => run(MixOf::<3, true>(mix, sums)),
            (_, Some(sums)) => run(MixOf::<4, true>(mix, sums)),
        }
    }
}

struct Mix<'a> {
    out: &'a mut [f32],
    values: &'a [&'a [f32]],
    tables: &'a [Table],
    local: &'a [u16],
}

struct MixOf<'a, const A: usize, const SUMS: bool>(Mix<'a>, &'a mut [Table]);

impl<const A: usize, const SUMS: bool> Kernel for MixOf<'_, A, SUMS> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        let MixOf(Mix { out, values, tables, local }, sums) = self;
        let len = local.len();
        let tables: &[Table; A] = tables.try_into().expect("a table for each action");
        let values: [&[f32]; A] = std::array::from_fn(|a| &values[a][..len]);
        let out = &mut out[..len];
        for (i, &local) in local.iter().enumerate() {
            let local = local as usize % TABLE;
            let mut mean = out[i];
            for a in 0..A {
                let value = values[a][i];
                mean += value * tables[a][local];
                if SUMS {
                    sums[a][local] += value;
                }
            }
            out[i] = mean;
        }
    }
}

/// The sum of rows.
pub(crate) fn sum(out: &mut [f32], rows: &[&[f32]]) {
    fold(out, rows, |a, b| a + b);
}

/// The greatest entries of rows.
pub(crate) fn max(out: &mut [f32], rows: &[&[f32]]) {
    fold(out, rows, f32::max);
}

/// Puts rows together entry by entry; no rows make zeros.
fn fold(out: &mut [f32], rows: &[&[f32]], f: impl Fn(f32, f32) -> f32 + Copy) {
    match *rows {
        [] => out.fill(0.0),
        [a] => out.copy_from_slice(a),
        [a, b] => run(FoldOf([a, b], out, f)),
        [a, b, c, ref rest @ ..] => {
            run(FoldOf([a, b, c], out, f));
            for row in rest {
                run(Zip(&mut *out, row, f));
            }
        }
    }
}

struct FoldOf<'a, const A: usize, F>([&'a [f32]; A], &'a mut [f32], F);

impl<const A: usize, F: Fn(f32, f32) -> f32> Kernel for FoldOf<'_, A, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        let FoldOf(rows, out, f) = self;
        let rows = rows.map(|row| &row[..out.len()]);
        for (i, out) in out.iter_mut().enumerate() {
            let mut x = rows[0][i];
            for row in &rows[1..] {
                x = f(x, row[i]);
            }
            *out = x;
        }
    }
}

struct Zip<'a, F>(&'a mut [f32], &'a [f32], F);

impl<F: Fn(f32, f32) -> f32> Kernel for Zip<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        for (out, &a) in self.0.iter_mut().zip(self.1) {
            *out = (self.2)(*out, a);
        }
    }
}

/// The products of a row with several that lie side by side.
pub(crate) fn times(out: &mut [f32], row: &[f32], others: &[f32]) {
    for (out, other) in out.chunks_exact_mut(row.len()).zip(others.chunks_exact(row.len())) {
        run(FoldOf([row, other], out, |a, b| a * b));
    }
}

/// Nearly the best answer: the shares of actions, in proportion to `max(0, value - best + slack)`,
/// side by side in `shares`, and the mean value.
pub(crate) fn answer(out: &mut [f32], values: &[&[f32]], shares: &mut [f32], slack: f32) {
    max(out, values);
    run(Answer { out, values, shares, slack });
}

struct Answer<'a> {
    out: &'a mut [f32],
    values: &'a [&'a [f32]],
    shares: &'a mut [f32],
    slack: f32,
}

impl Kernel for Answer<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        let Answer { out, values, shares, slack } = self;
        let len = out.len();
        let mut total = [0.0_f32; STRIDE];
        let total = &mut total[..len];
        for (values, shares) in values.iter().zip(shares.chunks_exact_mut(len)) {
            let values = &values[..len];
            for i in 0..len {
                shares[i] = (values[i] - out[i] + slack).max(0.0);
                total[i] += shares[i];
            }
        }
        out.fill(0.0);
        for (values, shares) in values.iter().zip(shares.chunks_exact_mut(len)) {
            let values = &values[..len];
            for i in 0..len {
                shares[i] /= total[i];
                out[i] += shares[i] * values[i];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_mixes_what_is_nearly_best() {
        let values: [[f32; 4]; 3] =
            [[1.0, 5.0, -2.0, 0.0], [3.0, 4.5, -2.0, 0.0], [2.9, -9.0, -2.0, 0.75]];
        let rows = values.each_ref().map(|row| &row[..]);
        let (mut out, mut shares) = ([0.0; 4], [0.0; 12]);
        answer(&mut out, &rows, &mut shares, 0.5);
        let expected = [[0.0, 1.0, 1.0 / 3.0, 0.0], [0.5 / 0.9, 0.0, 1.0 / 3.0, 0.0]];
        for i in 0..4 {
            let third = 1.0 - expected[0][i] - expected[1][i];
            let share = [expected[0][i], expected[1][i], third];
            let mean: f32 = (0..3).map(|a| share[a] * values[a][i]).sum();
            assert!((out[i] - mean).abs() < 1e-5, "{i}: {out:?}");
            for a in 0..3 {
                assert!((shares[4 * a + i] - share[a]).abs() < 1e-5, "{i}: {shares:?}");
            }
        }
    }
}
