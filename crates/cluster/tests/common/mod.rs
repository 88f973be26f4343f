//! Points for tests and benchmarks: cumulative histograms like those of equities to come.

#![allow(dead_code)]

use std::collections::HashSet;

/// A small generator of random numbers (SplitMix64).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub(crate) fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Nearly normal, of mean 0 and variance 1.
    pub(crate) fn bell(&mut self) -> f64 {
        (0..12).map(|_| self.fraction()).sum::<f64>() - 6.0
    }
}

/// Distinct points, row after row, and their weights.
pub(crate) struct Cloud {
    pub(crate) values: Vec<f32>,
    pub(crate) weights: Vec<u64>,
    pub(crate) dim: usize,
}

impl Cloud {
    /// The points one by one, each as often as its weight says.
    pub(crate) fn repeated(&self) -> Vec<f32> {
        let rows = self.values.chunks_exact(self.dim).zip(&self.weights);
        rows.flat_map(|(row, &weight)| row.repeat(weight as usize)).collect()
    }
}

/// `n` distinct cumulative histograms of 46 values each over `bins` bins, with weights from 1 to
/// `heaviest`, light ones more frequent.
///
/// Each histogram is that of a hand whose strength varies a little around a mean, except that some
/// of the 46 cards lift it: one or two humps, as equity histograms have.
pub(crate) fn cumulative_histograms(n: usize, bins: usize, heaviest: u64, seed: u64) -> Cloud {
    let mut dice = Dice(seed);
    let mut seen = HashSet::with_capacity(n);
    let mut cloud = Cloud { values: Vec::new(), weights: Vec::new(), dim: bins };
    while cloud.weights.len() < n {
        let strength = dice.fraction();
        let spread = 0.02 + 0.1 * dice.fraction();
        let outs = dice.below(16) as f64 / 46.0;
        let lift = 0.4 + 0.6 * dice.fraction();
        let mut histogram = vec![0u8; bins];
        for _ in 0..46 {
            let mut x = strength + spread * dice.bell();
            if dice.fraction() < outs {
                x += (1.0 - x) * lift;
            }
            histogram[((x * bins as f64) as usize).min(bins - 1)] += 1;
        }
        if seen.insert(histogram.clone()) {
            let mut sum = 0.0;
            cloud.values.extend(histogram.iter().map(|&count| {
                sum += f32::from(count);
                sum
            }));
            let light = dice.fraction();
            cloud.weights.push(1 + ((heaviest - 1) as f64 * light * light * light).round() as u64);
        }
    }
    cloud
}
