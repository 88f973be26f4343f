//! Numbers by bucket made small enough to draw.

use lethe_abstraction::bucket_equities::BucketEquitiesRef;

/// Consecutive values drawn as one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// The first.
    pub first: usize,
    /// The last.
    pub last: usize,
    /// Their mean.
    pub mean: f64,
}

/// Buckets cut into at most `most` runs of nearly the same length.
pub fn runs(buckets: usize, most: usize) -> Vec<std::ops::Range<usize>> {
    let columns = buckets.min(most).max(1);
    (0..columns).map(|c| c * buckets / columns..(c + 1) * buckets / columns).collect()
}

/// The values as at most `most` columns.
pub fn columns(values: &[f64], most: usize) -> Vec<Column> {
    let column = |run: std::ops::Range<usize>| {
        let part = &values[run.clone()];
        let mean = part.iter().sum::<f64>() / part.len() as f64;
        Column { first: run.start, last: run.end - 1, mean }
    };
    runs(values.len(), most).into_iter().filter(|run| !run.is_empty()).map(column).collect()
}

/// Values between `low` and `high` as a line of characters, one for each.
///
/// With blocks the height shows the value; without, a digit: tenths of the way from low to high.
pub fn sparkline(values: &[f64], low: f64, high: f64, blocks: bool) -> String {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    const DIGITS: [char; 10] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'];
    let signs: &[char] = if blocks { &BLOCKS } else { &DIGITS };
    let width = if high > low { high - low } else { 1.0 };
    let sign = |value: &f64| {
        let share = ((value - low) / width).clamp(0.0, 1.0);
        signs[((share * signs.len() as f64) as usize).min(signs.len() - 1)]
    };
    values.iter().map(sign).collect()
}

/// How many of the sizes above zero lie in each of a few ranges of equal ratio.
pub fn size_ranges(sizes: &[u64], ranges: usize) -> Vec<([u64; 2], u64)> {
    let used: Vec<u64> = sizes.iter().copied().filter(|&size| size > 0).collect();
    let (Some(&low), Some(&high)) = (used.iter().min(), used.iter().max()) else {
        return Vec::new();
    };
    if low == high {
        return vec![([low, high], used.len() as u64)];
    }
    let ratio = high as f64 / low as f64;
    let mut borders: Vec<u64> = (0..=ranges)
        .map(|i| (low as f64 * ratio.powf(i as f64 / ranges as f64)).round() as u64)
        .collect();
    // The last border is open like the others.
    borders[ranges] = high + 1;
    borders.dedup();
    let count = |pair: &[u64]| {
        let inside = used.iter().filter(|&&size| (pair[0]..pair[1]).contains(&size)).count();
        ([pair[0], pair[1] - 1], inside as u64)
    };
    borders.windows(2).map(count).collect()
}

/// A table of bucket equities in at most `most` groups each way; `None` where buckets never meet.
pub fn grouped(pairs: BucketEquitiesRef<'_>, most: usize) -> Vec<Vec<Option<f64>>> {
    let runs = runs(pairs.buckets, most);
    let cell = |rows: &std::ops::Range<usize>, columns: &std::ops::Range<usize>| {
        let (mut sum, mut count) = (0u128, 0u128);
        for a in rows.clone() {
            for b in columns.clone() {
                sum += u128::from(pairs.sums[a * pairs.buckets + b]);
                count += u128::from(pairs.counts[a * pairs.buckets + b]);
            }
        }
        (count > 0).then(|| sum as f64 / (2.0 * count as f64))
    };
    runs.iter().map(|rows| runs.iter().map(|columns| cell(rows, columns)).collect()).collect()
}

/// The share of each bin of a histogram given its cumulative shares.
pub fn shares(cumulative: &[f32]) -> Vec<f64> {
    let mut before = 0.0;
    let share = |&sum: &f32| {
        let share = f64::from(sum) - before;
        before = f64::from(sum);
        share.max(0.0)
    };
    cumulative.iter().map(share).collect()
}

#[cfg(test)]
mod tests {
    use lethe_abstraction::bucket_equities::BucketEquities;

    use super::*;

    #[test]
    fn columns_share_out_all_values_in_order() {
        for (buckets, most) in [(1, 60), (60, 60), (61, 60), (500, 60), (7, 3)] {
            let values: Vec<f64> = (0..buckets).map(f64::from).collect();
            let columns = columns(&values, most);
            assert_eq!(columns.len(), most.min(buckets as usize));
            assert_eq!(columns[0].first, 0);
            assert_eq!(columns[columns.len() - 1].last, buckets as usize - 1);
            for pair in columns.windows(2) {
                assert_eq!(pair[0].last + 1, pair[1].first);
                assert!(pair[0].mean < pair[1].mean);
            }
        }
    }

    #[test]
    fn a_sparkline_spans_its_signs() {
        assert_eq!(sparkline(&[0.0, 0.5, 1.0], 0.0, 1.0, true), "▁▅█");
        assert_eq!(sparkline(&[0.0, 0.5, 1.0], 0.0, 1.0, false), "059");
        assert_eq!(sparkline(&[3.0, 3.0], 3.0, 3.0, false), "00");
    }

    #[test]
    fn every_size_but_zero_is_in_one_range() {
        for sizes in [vec![5, 0, 5], vec![1, 2, 3, 1_000_000], (1..500).collect(), vec![24, 25]] {
            let ranges = size_ranges(&sizes, 8);
            let used = sizes.iter().filter(|&&size| size > 0).count() as u64;
            assert_eq!(ranges.iter().map(|range| range.1).sum::<u64>(), used, "{ranges:?}");
        }
        assert_eq!(size_ranges(&[0, 0], 8), []);
    }

    #[test]
    fn groups_weigh_pairs_by_how_often_they_meet() {
        let pairs = BucketEquities { buckets: 2, sums: vec![4, 0, 8, 0], counts: vec![4, 4, 4, 0] };
        assert_eq!(grouped(pairs.view(), 1), [[Some(0.5)]]);
        assert_eq!(grouped(pairs.view(), 9)[1], [Some(1.0), None]);
    }

    #[test]
    fn shares_are_the_steps_of_the_sums() {
        assert_eq!(shares(&[0.25, 0.25, 1.0]), [0.25, 0.0, 0.75]);
    }
}
