//! Loops over rows of holes, and the walk through the holes by strength that values showdowns.
//!
//! A fold pays the same against every hole that shares no card: `all - with(a) - with(b) + same`,
//! where `with(c)` is the reach of the holes with card *c* and `same` that of the very same hole. A
//! showdown asks for the same sum over the holes that come before in the order of strength, with
//! equal ones in either order. Both players can have every hole, so a row has one entry for each, in
//! the order of strength, and eight rows are walked at once, one in each lane of a vector.

use lethe_compute::simd::{Kernel, LANES, Level, run};

use crate::deal::{HOLES, Ranked, STRIDE, Step};
use crate::plan::{Lane, NONE};

/// A number for each of eight rows.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct Lanes(pub(crate) [f32; LANES]);

impl Lanes {
    pub(crate) const ZERO: Lanes = Lanes([0.0; LANES]);

    /// A number of each of up to eight things.
    #[inline(always)]
    pub(crate) fn of<T>(things: &[T], number: impl Fn(&T) -> f32) -> Lanes {
        let mut lanes = Lanes::ZERO;
        for (lane, thing) in lanes.0.iter_mut().zip(things) {
            *lane = number(thing);
        }
        lanes
    }

    #[inline(always)]
    fn with(self, other: Lanes, f: impl Fn(f32, f32) -> f32) -> Lanes {
        let mut out = self;
        for l in 0..LANES {
            out.0[l] = f(self.0[l], other.0[l]);
        }
        out
    }

    #[inline(always)]
    pub(crate) fn add(self, other: Lanes) -> Lanes {
        self.with(other, |a, b| a + b)
    }

    #[inline(always)]
    pub(crate) fn sub(self, other: Lanes) -> Lanes {
        self.with(other, |a, b| a - b)
    }

    #[inline(always)]
    pub(crate) fn mul(self, other: Lanes) -> Lanes {
        self.with(other, |a, b| a * b)
    }

    #[inline(always)]
    pub(crate) fn max(self, other: Lanes) -> Lanes {
        self.with(other, |a, b| if a > b { a } else { b })
    }
}

/// Room for walks.
#[derive(Debug)]
pub(crate) struct Walk {
    sums: Sums,
    reach: Vec<Lanes>,
    value: Vec<Lanes>,
}

impl Walk {
    pub(crate) fn new() -> Walk {
        let row = vec![Lanes::ZERO; STRIDE];
        Walk { sums: Sums::default(), reach: row.clone(), value: row }
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
        let Pay { walk: Walk { sums, reach, value }, ranked, lanes, values, .. } = self;
        let mut rows: [&[f32]; LANES] = [&[]; LANES];
        for (l, row) in rows.iter_mut().enumerate() {
            // A lane too many repeats the first one; what comes of it is not stored.
            let at = lanes.get(l).unwrap_or(&lanes[0]).row as usize * STRIDE;
            *row = &self.reach[at..at + STRIDE];
        }
        for (block, out) in reach.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            let mut square = [[0.0; LANES]; LANES];
            for (square, row) in square.iter_mut().zip(&rows) {
                square.copy_from_slice(&row[block * LANES..block * LANES + LANES]);
            }
            *out = level.transpose(square).map(Lanes);
        }
        if lanes[0].show != NONE {
            let half = Lanes::of(lanes, |lane| lane.stakes.half);
            let lose = Lanes::of(lanes, |lane| lane.stakes.lose);
            sums.show(ranked, reach, half, lose, value);
            store(level, value, lanes, |lane| lane.show, values);
        } else {
            sums.add_up(ranked, reach);
        }
        if lanes.iter().any(|lane| lane.fold != NONE) {
            sums.fold(ranked, reach, Lanes::of(lanes, |lane| lane.fold_pay), value);
            store(level, value, lanes, |lane| lane.fold, values);
        }
    }
}

#[inline(always)]
fn store<L: Level>(
    level: L,
    value: &[Lanes],
    lanes: &[Lane],
    node: impl Fn(&Lane) -> u32,
    values: &mut [f32],
) {
    for (block, square) in value.as_chunks::<LANES>().0.iter().enumerate() {
        let turned = level.transpose(square.map(|lanes| lanes.0));
        for (lane, row) in lanes.iter().zip(&turned) {
            if node(lane) != NONE {
                let start = node(lane) as usize * STRIDE + block * LANES;
                values[start..start + LANES].copy_from_slice(row);
            }
        }
    }
}

/// Sums of the opponent's reach over holes.
#[derive(Debug)]
pub(crate) struct Sums {
    /// Of all holes.
    all: Lanes,
    /// Of the holes with each card.
    with: [Lanes; 64],
    /// By entry: of the holes that came before it on the first walk.
    before: Vec<Lanes>,
}

impl Default for Sums {
    fn default() -> Sums {
        Sums { all: Lanes::ZERO, with: [Lanes::ZERO; 64], before: vec![Lanes::ZERO; HOLES] }
    }
}

impl Sums {
    /// Adds up the reach of all holes.
    #[inline(always)]
    pub(crate) fn add_up(&mut self, ranked: &Ranked, reach: &[Lanes]) {
        self.with = [Lanes::ZERO; 64];
        let mut all = Lanes::ZERO;
        for (&x, &cards) in reach[..HOLES].iter().zip(&ranked.cards) {
            advance(&mut all, &mut self.with, cards, x);
        }
        self.all = all;
    }

    /// What a fold pays, once the reach of all holes is added up.
    #[inline(always)]
    pub(crate) fn fold(&self, ranked: &Ranked, reach: &[Lanes], pay: Lanes, out: &mut [Lanes]) {
        let entries = reach[..HOLES].iter().zip(&ranked.cards);
        for (out, (&x, &cards)) in out.iter_mut().zip(entries) {
            *out = pay.mul(against(self.all, &self.with, cards).add(x));
        }
    }

    /// What a showdown pays; the reach of all holes is added up.
    ///
    /// A loss pays `lose`, a tie `half` more and a win twice `half` more. The holes are walked twice in
    /// the order of strength, and half is paid for each that came before. Equal ones are walked
    /// backwards the first time and forwards the second, so that each comes before the other once.
    #[inline(always)]
    pub(crate) fn show(
        &mut self,
        ranked: &Ranked,
        reach: &[Lanes],
        half: Lanes,
        lose: Lanes,
        out: &mut [Lanes],
    ) {
        let Sums { all: total, with, before } = self;
        let (reach, before) = (&reach[..HOLES], &mut before[..]);
        *with = [Lanes::ZERO; 64];
        let mut all = Lanes::ZERO;
        for &Step { cards, at } in &ranked.back {
            before[at as usize] = against(all, with, cards);
            advance(&mut all, with, cards, reach[at as usize]);
        }
        *total = all;
        // The second walk begins with a loss to every hole.
        let mut all = lose.mul(all);
        let mut paid = *with;
        for paid in &mut paid {
            *paid = paid.mul(lose);
        }
        let entries = reach.iter().zip(before).zip(&ranked.cards);
        for (out, ((&x, before), &cards)) in out.iter_mut().zip(entries) {
            let value = against(all, &paid, cards).add(lose.mul(x));
            *out = value.add(half.mul(*before));
            advance(&mut all, &mut paid, cards, half.mul(x));
        }
    }
}

/// The reach of the holes without either card, less that of the hole itself if it is among them.
#[inline(always)]
fn against(all: Lanes, with: &[Lanes; 64], cards: [u8; 2]) -> Lanes {
    let [a, b] = cards.map(|card| with[(card & 63) as usize]);
    all.sub(a).sub(b)
}

/// Walks past a hole.
#[inline(always)]
fn advance(all: &mut Lanes, with: &mut [Lanes; 64], cards: [u8; 2], reach: Lanes) {
    *all = all.add(reach);
    for card in cards {
        let with = &mut with[(card & 63) as usize];
        *with = with.add(reach);
    }
}

/// The most holes of a row, as a power of two: the length of the tables below.
pub(crate) const TABLE: usize = 2048;

/// For one action: a number for each bucket that occurs on a board, by its place in
/// [`DenseBuckets::distinct`](crate::deal::DenseBuckets::distinct).
pub(crate) type Table = [f32; TABLE];

/// Makes frequencies of the first entries of each action's weights; even ones where all are zero. The
/// entries up to the next multiple of eight are overwritten too.
pub(crate) fn normalize(tables: &mut [Table], count: usize) {
    run(Normalize(tables, count));
}

struct Normalize<'a>(&'a mut [Table], usize);

impl Kernel for Normalize<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        let Normalize(tables, count) = self;
        let even = 1.0 / tables.len() as f32;
        for start in (0..count).step_by(LANES) {
            let mut total = Lanes::ZERO;
            for table in &*tables {
                total = total.add(lanes_of(table, start));
            }
            let share = Share::new(total, even);
            for table in &mut *tables {
                let shares = share.of(lanes_of(table, start));
                table[start % TABLE..][..LANES].copy_from_slice(&shares.0);
            }
        }
    }
}

/// The entries of a table from a multiple of eight on.
#[inline(always)]
fn lanes_of(table: &Table, start: usize) -> Lanes {
    Lanes(table[start % TABLE..][..LANES].try_into().expect("eight"))
}

/// The same where each action has an entry for each bucket, one action's after the other's.
pub(crate) fn normalize_lanes(table: &mut [Lanes], actions: usize) {
    run(NormalizeLanes(table, actions));
}

struct NormalizeLanes<'a>(&'a mut [Lanes], usize);

impl Kernel for NormalizeLanes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        let NormalizeLanes(table, actions) = self;
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

/// Makes frequencies of weights whose totals are known; even ones where the total is zero.
struct Share {
    factor: Lanes,
    term: Lanes,
}

impl Share {
    #[inline(always)]
    fn new(total: Lanes, even: f32) -> Share {
        let factor = Lanes(total.0.map(|total| if total > 0.0 { 1.0 / total } else { 0.0 }));
        let term = Lanes(total.0.map(|total| if total > 0.0 { 0.0 } else { even }));
        Share { factor, term }
    }

    #[inline(always)]
    fn of(&self, weights: Lanes) -> Lanes {
        weights.mul(self.factor).add(self.term)
    }
}

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
    use std::cmp::Ordering;

    use lethe_cards::{Board, Hole, Strength, evaluate};

    use super::*;
    use crate::random::Random;

    #[test]
    fn sums_pay_what_every_pair_of_holes_is_paid() {
        // Boards with few ties, with many, and where all holes tie.
        for text in ["Ah9d7c4s2h", "KsKhQdQc3c", "AhKhQhJhTh"] {
            let board: Board = text.parse().unwrap();
            let mut ranked = Ranked::new();
            ranked.set(board.set());
            let mut random = Random::new(0, 0);
            let mut reach = vec![Lanes::ZERO; STRIDE];
            for x in &mut reach[..HOLES] {
                *x = Lanes(std::array::from_fn(|l| random.fraction() * (l % 3) as f32));
            }
            let pay = |first: f32| Lanes(std::array::from_fn(|l| first + l as f32));
            let (half, lose, fold) = (pay(2.0), pay(-5.0), pay(-3.0));
            let (mut sums, mut shown, mut folded) = (Sums::default(), reach.clone(), reach.clone());
            sums.show(&ranked, &reach, half, lose, &mut shown);
            sums.fold(&ranked, &reach, fold, &mut folded);
            let hole = |at: usize| {
                let [low, high] = ranked.cards[at].map(|card| ranked.deck[card as usize]);
                Hole::new(low, high).unwrap()
            };
            let holes: Vec<Hole> = (0..HOLES).map(hole).collect();
            let strength = |hole: &Hole| evaluate(hole.set() | board.set());
            let strengths: Vec<Strength> = holes.iter().map(strength).collect();
            for at in (0..HOLES).step_by(13) {
                for l in [1, 5, 7] {
                    let (mut show, mut all) = (0.0, 0.0);
                    for other in 0..HOLES {
                        if !(holes[at].set() & holes[other].set()).is_empty() {
                            continue;
                        }
                        let x = f64::from(reach[other].0[l]);
                        let halves = match strengths[at].cmp(&strengths[other]) {
                            Ordering::Less => 0.0,
                            Ordering::Equal => 1.0,
                            Ordering::Greater => 2.0,
                        };
                        all += x;
                        show += x * f64::from(lose.0[l] + halves * half.0[l]);
                    }
                    let near = |a: f32, b: f64| (f64::from(a) - b).abs() < 0.02;
                    assert!(near(shown[at].0[l], show), "{text} {at}: {:?} {show}", shown[at]);
                    let paid = all * f64::from(fold.0[l]);
                    assert!(near(folded[at].0[l], paid), "{text} {at}: {:?} {paid}", folded[at]);
                }
            }
        }
    }

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
