//! The exact cost of an interval.

use std::ops::Range;

/// Prefix sums that give the weighted variance of any interval of values in constant time.
///
/// With `W`, `S` and `Q` the sums of weights, of weighted values and of weighted squares over an
/// interval, its cost is `Q - S^2/W = (QW - S^2)/W`. The numerator is an integer and is computed as
/// one, so nothing cancels; only the final conversion and division round. A cost is therefore
/// relatively exact to 2^-51, however far from the origin its values lie.
#[derive(Debug)]
pub struct Costs {
    /// The value that counts as zero in the sums.
    origin: i64,
    sums: Vec<Sums>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    weight: u64,
    value: u64,
    square: u128,
}

impl Costs {
    /// The sums of ascending values; `None` if there are none or the sums would overflow.
    pub fn new(values: &[i64], weights: &[u64]) -> Option<Self> {
        let origin = *values.first()?;
        let span = values[values.len() - 1].abs_diff(origin);
        let total = weights.iter().try_fold(0u64, |sum, &weight| sum.checked_add(weight))?;
        // QW and S^2 are at most (span x total)^2.
        let bound = u128::from(span).checked_mul(u128::from(total))?;
        if bound >= 1 << 63 {
            return None;
        }
        let mut sums = Vec::with_capacity(values.len() + 1);
        let mut sum = Sums::default();
        sums.push(sum);
        for (&value, &weight) in values.iter().zip(weights) {
            let x = u128::from(value.abs_diff(origin));
            sum.weight += weight;
            sum.value += value.abs_diff(origin) * weight;
            sum.square += x * x * u128::from(weight);
            sums.push(sum);
        }
        Some(Self { origin, sums })
    }

    /// Number of values.
    pub(crate) fn len(&self) -> usize {
        self.sums.len() - 1
    }

    /// The cost of the values from `start` up to, not including, `end`; `start < end`.
    #[inline]
    pub fn cost(&self, start: usize, end: usize) -> f64 {
        let (a, b) = (self.sums[start], self.sums[end]);
        let weight = b.weight - a.weight;
        let (value, square) = (b.value - a.value, b.square - a.square);
        // Cauchy and Schwarz: never negative.
        let numerator = square * u128::from(weight) - u128::from(value) * u128::from(value);
        // Two exact halves and one rounded addition; far cheaper than the general conversion.
        let high = (numerator >> 64) as u64 as f64 * 18_446_744_073_709_551_616.0;
        (high + numerator as u64 as f64) / weight as f64
    }

    /// The weight of a range of values.
    pub fn weight(&self, range: Range<usize>) -> u64 {
        self.sums[range.end].weight - self.sums[range.start].weight
    }

    /// The weighted mean of a range of values.
    pub fn mean(&self, range: Range<usize>) -> f64 {
        let value = self.sums[range.end].value - self.sums[range.start].value;
        self.origin as f64 + value as f64 / self.weight(range) as f64
    }
}
