//! Loops over rows of eight lines side by side: an entry for each hole, a lane for each line.
//!
//! One instruction handles a hole for eight lines, including the lookup of what the strategy does
//! with its bucket. A *table* has an entry for each bucket that occurs on the board; those of several
//! actions lie one after the other.

use lethe_compute::simd::{self, Kernel, LANES, Level};
use lethe_rows::{CardSums, Seat, Summand, loops, matching};

use crate::plan::MAX_ACTIONS;

/// A number for each of eight lines.
pub(crate) type Lanes = lethe_rows::Lanes<f32>;
/// A row of them: an entry for each hole.
pub(crate) type Row = Vec<Lanes>;

/// Makes frequencies of a decision's weights, in the tables of its actions; even ones where all are
/// zero.
pub(crate) fn normalize(tables: &mut [Lanes], actions: usize) {
    simd::run(Normalize(tables, actions));
}

struct Normalize<'a>(&'a mut [Lanes], usize);

impl Kernel for Normalize<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        let Normalize(table, actions) = self;
        let (count, even) = (table.len() / actions, 1.0 / actions as f32);
        for i in 0..count {
            let mut total = Lanes::ZERO;
            for x in table[i..].iter().step_by(count) {
                total = total.plus(*x);
            }
            let mut inverse = Lanes::ZERO;
            for l in 0..LANES {
                inverse.0[l] = matching::inverse(total.0[l]);
            }
            for lanes in table[i..].iter_mut().step_by(count) {
                for l in 0..LANES {
                    lanes.0[l] = matching::frequency(lanes.0[l], inverse.0[l], even);
                }
            }
        }
    }
}

/// `out[i] = f(out[i], row[i])`.
pub(crate) fn update(out: &mut [Lanes], row: &[Lanes], f: impl Fn(Lanes, Lanes) -> Lanes) {
    simd::run(Update { out, row, f });
}

struct Update<'a, F> {
    out: &'a mut [Lanes],
    row: &'a [Lanes],
    f: F,
}

impl<F: Fn(Lanes, Lanes) -> Lanes> Kernel for Update<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        loops::update(self.out, self.row, self.f);
    }
}

/// `out[i] = f(out[i], row[i], table[local[i]])`, where `local` is the bucket of every hole.
pub(crate) fn by_bucket(
    out: &mut [Lanes],
    row: &[Lanes],
    table: &[Lanes],
    local: &[u16],
    f: impl Fn(Lanes, Lanes, Lanes) -> Lanes,
) {
    simd::run(ByBucket { out, row, table, local, f });
}

struct ByBucket<'a, F> {
    out: &'a mut [Lanes],
    row: &'a [Lanes],
    table: &'a [Lanes],
    local: &'a [u16],
    f: F,
}

impl<F: Fn(Lanes, Lanes, Lanes) -> Lanes> Kernel for ByBucket<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        for ((out, &x), &local) in self.out.iter_mut().zip(self.row).zip(self.local) {
            *out = (self.f)(*out, x, self.table[local as usize]);
        }
    }
}

/// `out[i] = row[slots[i]]`.
pub(crate) fn gather(out: &mut [Lanes], row: &[Lanes], slots: &[u16]) {
    simd::run(Gather { out, row, slots });
}

struct Gather<'a> {
    out: &'a mut [Lanes],
    row: &'a [Lanes],
    slots: &'a [u16],
}

impl Kernel for Gather<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        loops::gather(self.out, self.row, self.slots);
    }
}

/// `out[slots[i]] += weight * row[i]`.
pub(crate) fn scatter(out: &mut [Lanes], row: &[Lanes], slots: &[u16], weight: f32) {
    simd::run(Scatter { out, row, slots, weight: Lanes::splat(weight) });
}

struct Scatter<'a> {
    out: &'a mut [Lanes],
    row: &'a [Lanes],
    slots: &'a [u16],
    weight: Lanes,
}

impl Kernel for Scatter<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        loops::scatter(self.out, self.row, self.slots, |sum, x| sum.plus(self.weight.times(x)));
    }
}

/// `out[slots[i]] += weights[i] * row[i]`.
pub(crate) fn scatter_weighted(out: &mut [Lanes], row: &[Lanes], slots: &[u16], weights: &[f32]) {
    simd::run(ScatterWeighted { out, row, slots, weights });
}

struct ScatterWeighted<'a> {
    out: &'a mut [Lanes],
    row: &'a [Lanes],
    slots: &'a [u16],
    weights: &'a [f32],
}

impl Kernel for ScatterWeighted<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        for ((&x, &slot), &weight) in self.row.iter().zip(self.slots).zip(self.weights) {
            let out = &mut self.out[slot as usize];
            *out = out.plus(Lanes::splat(weight).times(x));
        }
    }
}

/// What a showdown pays against a row of the opponent's reach, which is left added up in `sums`.
pub(crate) fn show(
    seat: Seat<'_>,
    sums: &mut CardSums<Lanes>,
    reach: &[Lanes],
    [half, lose]: [Lanes; 2],
    out: &mut [Lanes],
) {
    simd::run(Show { seat, sums, reach, half, lose, out });
}

struct Show<'a> {
    seat: Seat<'a>,
    sums: &'a mut CardSums<Lanes>,
    reach: &'a [Lanes],
    half: Lanes,
    lose: Lanes,
    out: &'a mut [Lanes],
}

impl Kernel for Show<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        self.seat.show(self.sums, self.reach, self.half, self.lose, self.out);
    }
}

/// What a fold pays. The reach is added up first, unless it `is_summed`.
pub(crate) fn fold(
    seat: Seat<'_>,
    sums: &mut CardSums<Lanes>,
    is_summed: bool,
    reach: &[Lanes],
    pay: Lanes,
    out: &mut [Lanes],
) {
    simd::run(Fold { seat, sums, is_summed, reach, pay, out });
}

struct Fold<'a> {
    seat: Seat<'a>,
    sums: &'a mut CardSums<Lanes>,
    is_summed: bool,
    reach: &'a [Lanes],
    pay: Lanes,
    out: &'a mut [Lanes],
}

impl Kernel for Fold<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        if !self.is_summed {
            *self.sums = self.seat.add_up(self.reach);
        }
        self.seat.fold(self.sums, self.reach, self.pay, self.out);
    }
}

/// Actions handled side by side.
const SIDE: usize = 4;

/// The reach after each action, `out[a][i] = reach[i] * tables[a][local[i]]`, one row after the other.
/// Returns for each action which lanes are reached with any hole, as a bit each.
pub(crate) fn fan(
    out: &mut [Lanes],
    reach: &[Lanes],
    tables: &[Lanes],
    local: &[u16],
) -> [u8; MAX_ACTIONS] {
    let len = reach.len();
    let actions = out.len() / len;
    let count = tables.len() / actions;
    let mut reached = [0; MAX_ACTIONS];
    let tables = tables.chunks(SIDE * count);
    for ((out, tables), reached) in
        out.chunks_mut(SIDE * len).zip(tables).zip(reached.chunks_mut(SIDE))
    {
        let fan = Fan { out, reach, tables, local, reached };
        match tables.len() / count {
            1 => simd::run(FanOf::<1>(fan)),
            2 => simd::run(FanOf::<2>(fan)),
            3 => simd::run(FanOf::<3>(fan)),
            _ => simd::run(FanOf::<SIDE>(fan)),
        }
    }
    reached
}

struct Fan<'a> {
    out: &'a mut [Lanes],
    reach: &'a [Lanes],
    tables: &'a [Lanes],
    local: &'a [u16],
    reached: &'a mut [u8],
}

struct FanOf<'a, const A: usize>(Fan<'a>);

impl<const A: usize> Kernel for FanOf<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        let Fan { out, reach, tables, local, reached } = self.0;
        let (len, count) = (reach.len(), tables.len() / A);
        let mut rows = out.chunks_exact_mut(len);
        let rows: [&mut [Lanes]; A] =
            std::array::from_fn(|_| rows.next().expect("a row for each action"));
        let mut tables = tables.chunks_exact(count);
        let tables: [&[Lanes]; A] =
            std::array::from_fn(|_| tables.next().expect("a table for each action"));
        let mut totals = [Lanes::ZERO; A];
        for (i, (&x, &local)) in reach.iter().zip(local).enumerate() {
            for a in 0..A {
                let after = x.times(tables[a][local as usize]);
                rows[a][i] = after;
                totals[a] = totals[a].plus(after);
            }
        }
        for (reached, total) in reached.iter_mut().zip(totals) {
            *reached = positive(total);
        }
    }
}

/// A bit for each lane that has more than 0.
#[inline(always)]
fn positive(x: Lanes) -> u8 {
    (0..LANES).fold(0, |bits, l| bits | u8::from(x.0[l] > 0.0) << l)
}

/// The same with a share of every hole, rather than of its bucket, in rows like those of `out`.
pub(crate) fn fan_by_hole(
    out: &mut [Lanes],
    reach: &[Lanes],
    shares: &[Lanes],
) -> [u8; MAX_ACTIONS] {
    let mut reached = [0; MAX_ACTIONS];
    let rows = out.chunks_exact_mut(reach.len()).zip(shares.chunks_exact(reach.len()));
    for ((out, shares), reached) in rows.zip(&mut reached) {
        *reached = positive(simd::run(FanByHole { out, reach, shares }));
    }
    reached
}

struct FanByHole<'a> {
    out: &'a mut [Lanes],
    reach: &'a [Lanes],
    shares: &'a [Lanes],
}

impl Kernel for FanByHole<'_> {
    type Output = Lanes;

    #[inline(always)]
    fn run<L: Level>(self, _: L) -> Lanes {
        let mut total = Lanes::ZERO;
        for ((out, &x), &share) in self.out.iter_mut().zip(self.reach).zip(self.shares) {
            *out = x.times(share);
            total = total.plus(*out);
        }
        total
    }
}

/// The value of a decision, `out[i] = sum of values[a][i] * tables[a][local[i]]`.
pub(crate) fn mix(out: &mut [Lanes], values: &[&[Lanes]], tables: &[Lanes], local: &[u16]) {
    let count = tables.len() / values.len();
    let mut is_first = true;
    for (values, tables) in values.chunks(SIDE).zip(tables.chunks(SIDE * count)) {
        let mix = Mix { out: &mut *out, values, tables, local, is_first };
        match values.len() {
            1 => simd::run(MixOf::<1>(mix)),
            2 => simd::run(MixOf::<2>(mix)),
            3 => simd::run(MixOf::<3>(mix)),
            _ => simd::run(MixOf::<SIDE>(mix)),
        }
        is_first = false;
    }
}

struct Mix<'a> {
    out: &'a mut [Lanes],
    values: &'a [&'a [Lanes]],
    tables: &'a [Lanes],
    local: &'a [u16],
    is_first: bool,
}

struct MixOf<'a, const A: usize>(Mix<'a>);

impl<const A: usize> Kernel for MixOf<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        let Mix { out, values, tables, local, is_first } = self.0;
        let (len, count) = (out.len(), tables.len() / A);
        let values: [&[Lanes]; A] = std::array::from_fn(|a| &values[a][..len]);
        let tables: [&[Lanes]; A] = std::array::from_fn(|a| &tables[a * count..][..count]);
        for (i, (out, &local)) in out.iter_mut().zip(local).enumerate() {
            let mut mean = if is_first { Lanes::ZERO } else { *out };
            for a in 0..A {
                mean = mean.plus(values[a][i].times(tables[a][local as usize]));
            }
            *out = mean;
        }
    }
}

/// The sum of rows.
pub(crate) fn sum(out: &mut [Lanes], rows: &[&[Lanes]]) {
    simd::run(Sum { out, rows });
}

struct Sum<'a> {
    out: &'a mut [Lanes],
    rows: &'a [&'a [Lanes]],
}

impl Kernel for Sum<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        let Sum { out, rows } = self;
        match *rows {
            [] => out.fill(Lanes::ZERO),
            [a] => out.copy_from_slice(a),
            [a, b, ref rest @ ..] => {
                for ((out, a), &b) in out.iter_mut().zip(a).zip(b) {
                    *out = a.plus(b);
                }
                for row in rest {
                    loops::update(out, row, |sum, x| sum.plus(x));
                }
            }
        }
    }
}

/// The sum of a row.
pub(crate) fn total(row: &[Lanes]) -> Lanes {
    simd::run(Total(row))
}

struct Total<'a>(&'a [Lanes]);

impl Kernel for Total<'_> {
    type Output = Lanes;

    #[inline(always)]
    fn run<L: Level>(self, _: L) -> Lanes {
        let (blocks, rest) = self.0.as_chunks::<4>();
        let mut sums = [Lanes::ZERO; 4];
        for block in blocks {
            for i in 0..4 {
                sums[i] = sums[i].plus(block[i]);
            }
        }
        let sum = sums[0].plus(sums[1]).plus(sums[2].plus(sums[3]));
        rest.iter().fold(sum, |sum, &x| sum.plus(x))
    }
}

/// The most buckets that are summed in two copies: with more, neighbours differ.
const FEW: usize = 256;

/// Adds up a row by bucket, into a table that was all zero.
///
/// Holes lie in order of strength, so on the river neighbours have the same bucket, and a single sum
/// would make each addition wait for the one before: there the sums are made in two copies.
pub(crate) fn add_by_bucket(sums: &mut [Lanes], row: &[Lanes], local: &[u16]) {
    simd::run(AddByBucket { sums, row, local });
}

struct AddByBucket<'a> {
    sums: &'a mut [Lanes],
    row: &'a [Lanes],
    local: &'a [u16],
}

impl Kernel for AddByBucket<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        let AddByBucket { sums, row, local } = self;
        if sums.len() > FEW {
            for (&local, &x) in local.iter().zip(row) {
                sums[local as usize] = sums[local as usize].plus(x);
            }
            return;
        }
        let mut copy = [Lanes::ZERO; FEW];
        let (pairs, last) = row.as_chunks::<2>();
        let (locals, last_local) = local.as_chunks::<2>();
        for (&[x, y], &[i, j]) in pairs.iter().zip(locals) {
            sums[i as usize] = sums[i as usize].plus(x);
            copy[j as usize % FEW] = copy[j as usize % FEW].plus(y);
        }
        for (&x, &i) in last.iter().zip(last_local) {
            sums[i as usize] = sums[i as usize].plus(x);
        }
        loops::update(sums, &copy, |sum, x| sum.plus(x));
    }
}

/// Nearly the best answer: the shares of actions, in proportion to `max(0, value - best + slack)`,
/// one row after the other, and the mean value. The slack is more than 0.
pub(crate) fn answer(out: &mut [Lanes], values: &[&[Lanes]], shares: &mut [Lanes], slack: Lanes) {
    simd::run(Answer { out, values, shares, slack });
}

struct Answer<'a> {
    out: &'a mut [Lanes],
    values: &'a [&'a [Lanes]],
    shares: &'a mut [Lanes],
    slack: Lanes,
}

impl Kernel for Answer<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        let Answer { out, values, shares, slack } = self;
        let len = out.len();
        for (i, out) in out.iter_mut().enumerate() {
            let mut best = values[0][i];
            for values in &values[1..] {
                best = best.max(values[i]);
            }
            let mut total = Lanes::ZERO;
            for (a, values) in values.iter().enumerate() {
                let share = values[i].minus(best).plus(slack).max(Lanes::ZERO);
                shares[a * len + i] = share;
                total = total.plus(share);
            }
            let mut inverse = Lanes::ZERO;
            for l in 0..LANES {
                inverse.0[l] = 1.0 / total.0[l];
            }
            let mut mean = Lanes::ZERO;
            for (a, values) in values.iter().enumerate() {
                let share = shares[a * len + i].times(inverse);
                shares[a * len + i] = share;
                mean = mean.plus(share.times(values[i]));
            }
            *out = mean;
        }
    }
}

/// Copies lane `from` of a row to lane `to` of another.
pub(crate) fn copy_lane(out: &mut [Lanes], to: usize, row: &[Lanes], from: usize) {
    for (out, x) in out.iter_mut().zip(row) {
        out.0[to] = x.0[from];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_summed_by_bucket_however_many_there_are() {
        // Whole numbers, so that the order of additions does not matter.
        let lanes = |i: usize| lethe_rows::Lanes(std::array::from_fn(|l| (i % (13 + l)) as f32));
        let row: Row = (0..1081).map(lanes).collect();
        for l in 0..LANES {
            assert_eq!(total(&row).0[l], row.iter().map(|x| x.0[l]).sum::<f32>());
        }
        for count in [1, 50, FEW, FEW + 1, 700] {
            let local: Vec<u16> = (0..1081).map(|i| (i * count / 1081) as u16).collect();
            let mut expected = vec![Lanes::ZERO; count];
            let mut found = expected.clone();
            for (&bucket, &x) in local.iter().zip(&row) {
                expected[bucket as usize] = expected[bucket as usize].plus(x);
            }
            add_by_bucket(&mut found, &row, &local);
            assert_eq!(found, expected, "{count}");
        }
    }

    #[test]
    fn an_answer_mixes_what_is_nearly_best() {
        let values: [[f32; 4]; 3] =
            [[1.0, 5.0, -2.0, 0.0], [3.0, 4.5, -2.0, 0.0], [2.9, -9.0, -2.0, 0.75]];
        let rows = values.map(|row| row.map(Lanes::splat));
        let rows = rows.each_ref().map(|row| &row[..]);
        let (mut out, mut shares) = ([Lanes::ZERO; 4], [Lanes::ZERO; 12]);
        answer(&mut out, &rows, &mut shares, Lanes::splat(0.5));
        let expected = [[0.0, 1.0, 1.0 / 3.0, 0.0], [0.5 / 0.9, 0.0, 1.0 / 3.0, 0.0]];
        for i in 0..4 {
            let third = 1.0 - expected[0][i] - expected[1][i];
            let share = [expected[0][i], expected[1][i], third];
            let mean: f32 = (0..3).map(|a| share[a] * values[a][i]).sum();
            assert!((out[i].0[5] - mean).abs() < 1e-5, "{i}: {out:?}");
            for a in 0..3 {
                assert!((shares[4 * a + i].0[5] - share[a]).abs() < 1e-5, "{i}: {shares:?}");
            }
        }
    }
}
