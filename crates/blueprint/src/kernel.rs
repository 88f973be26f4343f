//! Loops over rows of holes with a table of frequencies by bucket.

use lethe_compute::simd::{Kernel, LANES, Level, run};
use lethe_rows::{Lanes, Summand, loops, matching};

use crate::deal::{DenseBuckets, STRIDE};

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
            let at = start % TABLE;
            let mut total = [0.0; LANES];
            for table in &*tables {
                loops::update(&mut total, &table[at..][..LANES], |total, x| total + x);
            }
            let inverse = total.map(matching::inverse);
            for table in &mut *tables {
                for (x, &inverse) in table[at..][..LANES].iter_mut().zip(&inverse) {
                    *x = matching::frequency(*x, inverse, even);
                }
            }
        }
    }
}

/// Mixes frequencies into others: `share` of the others stays. As in [`normalize`].
pub(crate) fn mix_into(others: &mut [Table], tables: &[Table], share: f32, count: usize) {
    run(MixInto { others, tables, share, count });
}

struct MixInto<'a> {
    others: &'a mut [Table],
    tables: &'a [Table],
    share: f32,
    count: usize,
}

impl Kernel for MixInto<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        let MixInto { others, tables, share, count } = self;
        let count = count.next_multiple_of(LANES).min(TABLE);
        for (other, table) in others.iter_mut().zip(tables) {
            loops::update(&mut other[..count], &table[..count], |other, x| x + share * (other - x));
        }
    }
}

/// The same where each action has an entry for each bucket, one action's after the other's.
pub(crate) fn normalize_lanes(table: &mut [Lanes<f32>], actions: usize) {
    run(NormalizeLanes(table, actions));
}

struct NormalizeLanes<'a>(&'a mut [Lanes<f32>], usize);

impl Kernel for NormalizeLanes<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        let NormalizeLanes(table, actions) = self;
        let (count, even) = (table.len() / actions, 1.0 / actions as f32);
        for i in 0..count {
            let mut total = Lanes::ZERO;
            for x in table[i..].iter().step_by(count) {
                total = total.plus(*x);
            }
            let inverse = total.0.map(matching::inverse);
            for lanes in table[i..].iter_mut().step_by(count) {
                for (x, &inverse) in lanes.0.iter_mut().zip(&inverse) {
                    *x = matching::frequency(*x, inverse, even);
                }
            }
        }
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
    dense: &DenseBuckets,
    mut sums: Option<&mut Table>,
) {
    let mut rest = tables;
    for out in out.chunks_mut(SIDE * stride) {
        let (tables, after) = rest.split_at(out.len() / stride);
        rest = after;
        // The sums are made once.
        let sums = sums.take();
        let (local, count) = (&dense.local[..], dense.distinct.len());
        let fan = Fan { out, stride, reach, tables, local, count, sums };
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
    count: usize,
    sums: Option<&'a mut Table>,
}

struct FanOf<'a, const A: usize>(Fan<'a>);

impl<const A: usize> Kernel for FanOf<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        let Fan { out, stride, reach, tables, local, count, sums } = self.0;
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
            add_by_bucket(sums, reach, local, count);
        }
    }
}

/// Copies of a bucket's sum, to which neighbouring holes are added in turn. Holes lie in order of
/// strength, so on the river neighbours have the same bucket, and a single sum would make each
/// addition wait for the one before.
const COPIES: usize = 4;
/// The most buckets that are summed in copies: with more, neighbours differ.
const FEW: usize = 256;

/// Adds up a row by bucket, of which there are `count`.
#[inline(always)]
fn add_by_bucket(sums: &mut Table, row: &[f32], local: &[u16], count: usize) {
    if count > FEW {
        for (&local, &x) in local.iter().zip(row) {
            sums[local as usize % TABLE] += x;
        }
        return;
    }
    let mut copies = [[0.0_f32; COPIES]; FEW];
    let (rows, last) = row.as_chunks::<COPIES>();
    let (locals, last_locals) = local.as_chunks::<COPIES>();
    for (row, local) in rows.iter().zip(locals) {
        for i in 0..COPIES {
            copies[local[i] as usize % FEW][i] += row[i];
        }
    }
    for (&x, &local) in last.iter().zip(last_locals) {
        copies[local as usize % FEW][0] += x;
    }
    for (sum, [a, b, c, d]) in sums[..count].iter_mut().zip(copies) {
        *sum += (a + b) + (c + d);
    }
}

/// The value of a decision, `out[i] = sum of values[a][i] * tables[a][local[i]]`. The values of
/// each action are added up by bucket in `sums`, unless that is empty.
pub(crate) fn mix(
    out: &mut [f32],
    values: &[&[f32]],
    tables: &[Table],
    dense: &DenseBuckets,
    sums: &mut [Table],
) {
    let (local, count) = (&dense.local[..], dense.distinct.len());
    out.fill(0.0);
    let mut sums = sums.chunks_mut(SIDE);
    for (values, tables) in values.chunks(SIDE).zip(tables.chunks(SIDE)) {
        let mix = Mix { out: &mut *out, values, tables, local, count };
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
    count: usize,
}

struct MixOf<'a, const A: usize, const SUMS: bool>(Mix<'a>, &'a mut [Table]);

impl<const A: usize, const SUMS: bool> Kernel for MixOf<'_, A, SUMS> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        let MixOf(Mix { out, values, tables, local, count }, sums) = self;
        let len = local.len();
        let tables: &[Table; A] = tables.try_into().expect("a table for each action");
        let values: [&[f32]; A] = std::array::from_fn(|a| &values[a][..len]);
        let out = &mut out[..len];
        for i in 0..len {
            let bucket = local[i] as usize % TABLE;
            let mut mean = out[i];
            for a in 0..A {
                mean += values[a][i] * tables[a][bucket];
            }
            out[i] = mean;
        }
        if SUMS {
            for (sums, values) in sums.iter_mut().zip(values) {
                add_by_bucket(sums, values, local, count);
            }
        }
    }
}

/// What a decision adds to the average of each bucket, `sums[i] * tables[a][i] * scale` in whole
/// numbers, the row of one action after the other's. `key` determines how they are rounded.
pub(crate) fn weigh(amounts: &mut [i32], sums: &Table, tables: &[Table], scale: f32, key: u32) {
    run(Weigh { amounts, sums, tables, scale, key });
}

struct Weigh<'a> {
    amounts: &'a mut [i32],
    sums: &'a Table,
    tables: &'a [Table],
    scale: f32,
    key: u32,
}

impl Kernel for Weigh<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        let Weigh { amounts, sums, tables, scale, key } = self;
        let count = amounts.len() / tables.len();
        let mut number = 0;
        for (amounts, table) in amounts.chunks_exact_mut(count).zip(tables) {
            for ((amount, &sum), &share) in amounts.iter_mut().zip(sums).zip(table) {
                *amount = round(sum * scale * share, number, key);
                number += 1;
            }
        }
    }
}

/// What a decision adds to the regret of each bucket, in whole numbers: `sums[a][i]` less its mean
/// over the actions, times `scale`; as in [`weigh`].
pub(crate) fn regret(amounts: &mut [i32], sums: &[Table], tables: &[Table], scale: f32, key: u32) {
    run(Regret { amounts, sums, tables, scale, key });
}

struct Regret<'a> {
    amounts: &'a mut [i32],
    sums: &'a [Table],
    tables: &'a [Table],
    scale: f32,
    key: u32,
}

impl Kernel for Regret<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        let Regret { amounts, sums, tables, scale, key } = self;
        let count = amounts.len() / tables.len();
        let mut mean = [0.0_f32; TABLE];
        let mean = &mut mean[..count];
        for (sums, table) in sums.iter().zip(tables) {
            for ((mean, &sum), &share) in mean.iter_mut().zip(sums).zip(table) {
                *mean += sum * share;
            }
        }
        let mut number = 0;
        for (amounts, sums) in amounts.chunks_exact_mut(count).zip(sums) {
            for ((amount, &sum), &mean) in amounts.iter_mut().zip(sums).zip(&*mean) {
                *amount = round((sum - mean) * scale, number, key);
                number += 1;
            }
        }
    }
}

/// The integer below or above a number, so that the mean over keys is the number.
#[inline(always)]
fn round(x: f32, number: u32, key: u32) -> i32 {
    let x = x + noise(number, key);
    let toward_zero = x as i32;
    toward_zero - i32::from(toward_zero as f32 > x)
}

/// A fraction in [0, 1) by number and key, a multiple of 2^-24.
#[inline(always)]
fn noise(number: u32, key: u32) -> f32 {
    (hash(number ^ key) >> 8) as f32 * (1.0 / (1_u32 << 24) as f32)
}

/// Random bits by number, the higher the better: plain enough to be computed for several numbers at
/// once.
#[inline(always)]
fn hash(number: u32) -> u32 {
    let x = number.wrapping_mul(0x9e37_79b9);
    let x = (x ^ x >> 15).wrapping_mul(0x85eb_ca6b);
    (x ^ x >> 13).wrapping_mul(0xc2b2_ae35)
}

/// The sum of a row's entries.
pub(crate) fn total(row: &[f32]) -> f32 {
    run(Total(row))
}

struct Total<'a>(&'a [f32]);

impl Kernel for Total<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<L: Level>(self, _: L) -> f32 {
        let (blocks, rest) = self.0.as_chunks::<{ 4 * LANES }>();
        let mut sums = [0.0; 4 * LANES];
        for block in blocks {
            for (sum, x) in sums.iter_mut().zip(block) {
                *sum += x;
            }
        }
        sums.iter().sum::<f32>() + rest.iter().sum::<f32>()
    }
}

/// The sum of rows.
pub(crate) fn sum(out: &mut [f32], rows: &[&[f32]]) {
    run(Combine(out, rows, |a, b| a + b));
}

/// The largest entries of rows.
pub(crate) fn max(out: &mut [f32], rows: &[&[f32]]) {
    run(Combine(out, rows, loops::larger));
}

/// The products of a row with several that lie side by side.
pub(crate) fn times(out: &mut [f32], row: &[f32], others: &[f32]) {
    for (out, other) in out.chunks_exact_mut(row.len()).zip(others.chunks_exact(row.len())) {
        run(Combine(out, &[row, other], |a, b| a * b));
    }
}

struct Combine<'a, F>(&'a mut [f32], &'a [&'a [f32]], F);

impl<F: Fn(f32, f32) -> f32 + Copy> Kernel for Combine<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        loops::combine_all(self.0, self.1, self.2);
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
    fn amounts_are_right_on_average() {
        let mut tables = [[0.0; TABLE]; 3];
        let mut sums = [[0.0; TABLE]; 3];
        let shares = [[0.5_f32, 0.1, 0.0], [0.25, 0.2, 0.0], [0.25, 0.7, 1.0]];
        let values = [[1.0_f32, -0.3, 5.0], [0.2, 0.4, 2.0], [-1.0, 0.01, 7.0]];
        for a in 0..3 {
            tables[a][..3].copy_from_slice(&shares[a]);
            sums[a][..3].copy_from_slice(&values[a]);
        }
        let (mut weights, mut regrets) = ([0_i64; 24], [0_i64; 24]);
        let keys = 40_000_u32;
        for key in 0..keys {
            let key = key.wrapping_mul(0x6c07_8965);
            let mut amounts = [0; 24];
            weigh(&mut amounts, &sums[1], &tables, 1.3, key);
            weights.iter_mut().zip(amounts).for_each(|(sum, x)| *sum += i64::from(x));
            regret(&mut amounts, &sums, &tables, 1.3, key);
            regrets.iter_mut().zip(amounts).for_each(|(sum, x)| *sum += i64::from(x));
        }
        for i in 0..8 {
            let mean: f32 = (0..3).map(|a| sums[a][i] * tables[a][i]).sum();
            for a in 0..3 {
                let found = |sums: &[i64; 24]| sums[8 * a + i] as f64 / f64::from(keys);
                let expected = sums[1][i] * tables[a][i] * 1.3;
                assert!((found(&weights) - f64::from(expected)).abs() < 0.02, "{a} {i}");
                let expected = (sums[a][i] - mean) * 1.3;
                assert!((found(&regrets) - f64::from(expected)).abs() < 0.02, "{a} {i}");
            }
        }
    }

    #[test]
    fn a_row_is_summed_by_bucket_however_many_there_are() {
        // Whole numbers, so that the order of additions does not matter.
        let row: Vec<f32> = (0..1081).map(|i| (i % 13) as f32).collect();
        assert_eq!(total(&row), row.iter().sum::<f32>());
        for count in [1, 50, FEW, FEW + 1, 700] {
            let local: Vec<u16> = (0..1081).map(|i| (i * count / 1081) as u16).collect();
            let mut expected = [1.0; TABLE];
            let mut found = expected;
            local.iter().zip(&row).for_each(|(&bucket, &x)| expected[bucket as usize] += x);
            add_by_bucket(&mut found, &row, &local, count);
            assert_eq!(found, expected, "{count}");
        }
    }

    #[test]
    fn a_mixture_keeps_its_share_of_the_others() {
        let mut others = [[0.25; TABLE], [0.75; TABLE]];
        let tables = [[1.0; TABLE], [0.0; TABLE]];
        mix_into(&mut others, &tables, 0.6, 11);
        for (table, expected) in others.iter().zip([0.55, 0.45]) {
            assert!(table[..11].iter().all(|x: &f32| (x - expected).abs() < 1e-6));
        }
        assert_eq!(others[0][16], 0.25, "entries that are not in use stay");
        mix_into(&mut others, &tables, 0.0, TABLE);
        assert_eq!(others, tables);
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
