//! Loops over rows of holes with a table of frequencies by bucket.

use lethe_compute::simd::{Kernel, LANES, Level, run};
use lethe_rows::{loops, matching};

use crate::deal::DenseBuckets;

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

/// Actions handled side by side.
const SIDE: usize = 4;

/// The reach after each action, `out[a][i] = reach[i] * tables[a][local[i]]`, where the rows of
/// actions lie side by side in `out`.
pub(crate) fn fan(
    out: &mut [f32],
    stride: usize,
    reach: &[f32],
    tables: &[Table],
    dense: &DenseBuckets,
) {
    let mut rest = tables;
    for out in out.chunks_mut(SIDE * stride) {
        let (tables, after) = rest.split_at(out.len() / stride);
        rest = after;
        let fan = Fan { out, stride, reach, tables, local: &dense.local };
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
}

struct FanOf<'a, const A: usize>(Fan<'a>);

impl<const A: usize> Kernel for FanOf<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        let Fan { out, stride, reach, tables, local } = self.0;
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
    }
}

/// The value of a decision, `out[i] = sum of values[a][i] * tables[a][local[i]]`.
pub(crate) fn mix(out: &mut [f32], values: &[&[f32]], tables: &[Table], dense: &DenseBuckets) {
    let local = &dense.local[..];
    out.fill(0.0);
    for (values, tables) in values.chunks(SIDE).zip(tables.chunks(SIDE)) {
        let mix = Mix { out: &mut *out, values, tables, local };
        match values.len() {
            1 => run(MixOf::<1>(mix)),
            2 => run(MixOf::<2>(mix)),
            3 => run(MixOf::<3>(mix)),
            _ => run(MixOf::<4>(mix)),
        }
    }
}

struct Mix<'a> {
    out: &'a mut [f32],
    values: &'a [&'a [f32]],
    tables: &'a [Table],
    local: &'a [u16],
}

struct MixOf<'a, const A: usize>(Mix<'a>);

impl<const A: usize> Kernel for MixOf<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        let Mix { out, values, tables, local } = self.0;
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

struct Combine<'a, F>(&'a mut [f32], &'a [&'a [f32]], F);

impl<F: Fn(f32, f32) -> f32 + Copy> Kernel for Combine<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        loops::combine_all(self.0, self.1, self.2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
