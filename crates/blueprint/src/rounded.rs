//! What a decision adds to its cells, in whole numbers, for eight lines side by side.

use lethe_compute::simd::{self, Kernel, LANES, Level};
use lethe_rows::Summand;

use crate::lanes::Lanes;

/// Where the amounts of a decision's actions are in those of some blocks, one block per lane: for each
/// block one after the other, for each bucket, one for each of the block's cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The number of buckets.
    pub(crate) buckets: usize,
    /// The cells of a bucket.
    pub(crate) width: usize,
    /// The first of the decision's.
    pub(crate) offset: usize,
}

/// Amounts that are written in whole numbers. `key` and how many were written before determine how each
/// is rounded.
pub(crate) struct Rounded<'a> {
    pub(crate) amounts: &'a mut [i32],
    pub(crate) place: Place,
    pub(crate) key: u32,
    /// How many were written.
    pub(crate) written: u32,
}

impl Rounded<'_> {
    #[inline(always)]
    fn write(&mut self, bucket: usize, action: usize, x: Lanes) {
        let Place { buckets, width, offset } = self.place;
        let x = round(x, self.written, self.key);
        self.written += LANES as u32;
        let first = bucket * width + offset + action;
        for (amounts, x) in self.amounts.chunks_exact_mut(buckets * width).zip(x) {
            amounts[first] = x;
        }
    }
}

/// What a decision adds to the average of each bucket: the sum of its reach times its share of each
/// action, times `scale`.
pub(crate) fn weigh(out: Rounded<'_>, sums: &[Lanes], tables: &[Lanes], scale: Lanes) {
    simd::run(Weigh(Summed { out, sums, tables, scale }));
}

/// What a decision adds to the regret of each bucket: the sum of each action's values less its mean
/// over the actions, times `scale`.
pub(crate) fn regret(out: Rounded<'_>, sums: &[Lanes], tables: &[Lanes], scale: Lanes) {
    simd::run(Regret(Summed { out, sums, tables, scale }));
}

struct Summed<'a> {
    out: Rounded<'a>,
    sums: &'a [Lanes],
    tables: &'a [Lanes],
    scale: Lanes,
}

struct Weigh<'a>(Summed<'a>);

impl Kernel for Weigh<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        let Summed { mut out, sums, tables, scale } = self.0;
        for (action, table) in tables.chunks_exact(out.place.buckets).enumerate() {
            for (bucket, (&sum, &share)) in sums.iter().zip(table).enumerate() {
                out.write(bucket, action, sum.times(scale).times(share));
            }
        }
    }
}

struct Regret<'a>(Summed<'a>);

impl Kernel for Regret<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, _: L) {
        let Summed { mut out, sums, tables, scale } = self.0;
        let count = out.place.buckets;
        let actions = sums.len() / count;
        for bucket in 0..count {
            let mut mean = Lanes::ZERO;
            for a in 0..actions {
                mean = mean.plus(sums[a * count + bucket].times(tables[a * count + bucket]));
            }
            for a in 0..actions {
                out.write(bucket, a, sums[a * count + bucket].minus(mean).times(scale));
            }
        }
    }
}

/// The integers below or above numbers, so that the mean over keys is the number.
#[inline(always)]
fn round(x: Lanes, number: u32, key: u32) -> [i32; LANES] {
    let mut out = [0; LANES];
    for (l, out) in out.iter_mut().enumerate() {
        let x = x.0[l] + noise((number + l as u32) ^ key);
        let toward_zero = x as i32;
        *out = toward_zero - i32::from(toward_zero as f32 > x);
    }
    out
}

/// A fraction in [0, 1) by number, a multiple of 2^-24.
#[inline(always)]
fn noise(number: u32) -> f32 {
    // Plain enough to be computed for several numbers at once.
    let x = number.wrapping_mul(0x9e37_79b9);
    let x = (x ^ x >> 15).wrapping_mul(0x85eb_ca6b);
    let x = (x ^ x >> 13).wrapping_mul(0xc2b2_ae35);
    (x >> 8) as f32 * (1.0 / (1_u32 << 24) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_right_on_average() {
        // Three actions, two buckets, two blocks with cells of other decisions around these.
        let place = Place { buckets: 2, width: 5, offset: 1 };
        let lanes = |x: [f32; 2]| {
            let mut lanes = Lanes::ZERO;
            lanes.0[..2].copy_from_slice(&x);
            lanes
        };
        let tables = [[0.5, 0.1], [0.2, 0.0], [0.25, 0.2], [0.3, 0.0], [0.25, 0.7], [0.5, 1.0]];
        let sums = [[1.0, -0.3], [5.0, 0.1], [0.2, 0.4], [2.0, 0.3], [-1.0, 0.01], [7.0, 0.2]];
        let (tables, sums) = (tables.map(lanes), sums.map(lanes));
        let (mut weights, mut regrets) = ([0_i64; 20], [0_i64; 20]);
        let keys = 40_000_u32;
        let scale = lanes([1.3, 0.7]);
        for key in 0..keys {
            let key = key.wrapping_mul(0x6c07_8965);
            let mut amounts = [0; 20];
            let out = Rounded { amounts: &mut amounts, place, key, written: 0 };
            weigh(out, &sums[2..4], &tables, scale);
            weights.iter_mut().zip(amounts).for_each(|(sum, x)| *sum += i64::from(x));
            let mut amounts = [0; 20];
            let out = Rounded { amounts: &mut amounts, place, key, written: 0 };
            regret(out, &sums, &tables, scale);
            regrets.iter_mut().zip(amounts).for_each(|(sum, x)| *sum += i64::from(x));
        }
        for block in 0..2 {
            for bucket in 0..2 {
                let sum = |a: usize| sums[2 * a + bucket].0[block];
                let share = |a: usize| tables[2 * a + bucket].0[block];
                let mean: f32 = (0..3).map(|a| sum(a) * share(a)).sum();
                let first = block * 10 + bucket * 5;
                assert_eq!((regrets[first], regrets[first + 4]), (0, 0), "cells of others");
                for a in 0..3 {
                    let found = |sums: &[i64; 20]| sums[first + 1 + a] as f32 / keys as f32;
                    let expected = sum(1) * share(a) * scale.0[block];
                    assert!((found(&weights) - expected).abs() < 0.02, "{block} {bucket} {a}");
                    let expected = (sum(a) - mean) * scale.0[block];
                    assert!((found(&regrets) - expected).abs() < 0.02, "{block} {bucket} {a}");
                }
            }
        }
    }
}
