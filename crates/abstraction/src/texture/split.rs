//! Cutting the equities of a cluster into buckets.

use lethe_cluster::{ClusterError, Costs, optimal_intervals};
use lethe_compute::Job;

/// Up to this many values the cut is the global optimum over all of them; more are first merged into
/// about this many groups of neighbours.
const GROUPS: usize = 2048;

/// Groups for each bucket at least.
const GROUPS_PER_BUCKET: usize = 8;

/// How often the bounds between merged groups are moved to better places at most.
const REFINEMENTS: usize = 50;

/// Cells that lead to an interval: about two to the power of this.
const CELL_BITS: u32 = 12;

/// Intervals of equity, each a bucket: which of them an equity belongs to.
pub(super) struct Split {
    /// The greatest value of each interval, ascending.
    tops: Vec<u32>,
    /// The lowest rank that the values of each cell can have; a cell is `1 << shift` values.
    starts: Vec<u32>,
    shift: u32,
}

impl Split {
    /// The split of values, ascending and each with its weight, that has the least squared distance
    /// to the means of the intervals, into as many intervals as wanted or as there are values.
    ///
    /// With up to 2,048 values (every river: only 1,950 equities occur) or 8 for each interval it is
    /// the global optimum. More are merged into that many groups of neighbours, and the optimum over
    /// the groups is found. Then every bound may move by the size of a group either way, all of them
    /// at once and to the best places there are, again and again until none moves. That can only
    /// make the cut better, and it begins very near the optimum.
    pub(super) fn new(
        values: &[u32],
        weights: &[u64],
        wanted: usize,
        job: Job<'_>,
    ) -> Result<Split, ClusterError> {
        let bounds = if wanted <= values.len() {
            cut(values, weights, wanted, job)?
        } else {
            (0..=values.len()).collect()
        };
        let tops: Vec<u32> = bounds[1..].iter().map(|&end| values[end - 1]).collect();
        let most = *tops.last().expect("a cluster has hands");
        let shift = (u32::BITS - most.leading_zeros()).saturating_sub(CELL_BITS);
        let rank = |cell: u32| tops.partition_point(|&top| top < cell << shift) as u32;
        let starts = (0..=most >> shift).map(rank).collect();
        Ok(Split { tops, starts, shift })
    }

    /// The number of intervals.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.tops.len()
    }

    /// The interval of one of the values that were split, the lowest 0.
    #[inline]
    pub(super) fn rank(&self, value: u32) -> u32 {
        let mut rank = self.starts[(value >> self.shift) as usize];
        while self.tops[rank as usize] < value {
            rank += 1;
        }
        rank
    }
}

/// Where the intervals begin, and the end of the last.
fn cut(
    values: &[u32],
    weights: &[u64],
    wanted: usize,
    job: Job<'_>,
) -> Result<Vec<usize>, ClusterError> {
    let groups = GROUPS.max(GROUPS_PER_BUCKET * wanted);
    let values: Vec<i64> = values.iter().map(|&value| value.into()).collect();
    if values.len() <= groups {
        return Ok(optimal_intervals(&values, weights, wanted, job)?.bounds);
    }
    let costs = Costs::new(&values, weights).ok_or(ClusterError::TooLarge)?;
    let size = values.len().div_ceil(groups);
    let starts: Vec<usize> = (0..values.len()).step_by(size).chain([values.len()]).collect();
    let ranges = || starts.windows(2).map(|pair| pair[0]..pair[1]);
    // A mean lies between the values of its group, so means ascend as the groups do.
    let means: Vec<i64> = ranges().map(|range| costs.mean(range).round() as i64).collect();
    let masses: Vec<u64> = ranges().map(|range| costs.weight(range)).collect();
    let coarse = optimal_intervals(&means, &masses, wanted, job)?;
    let mut bounds: Vec<usize> = coarse.bounds.iter().map(|&group| starts[group]).collect();
    for _ in 0..REFINEMENTS {
        job.check()?;
        let better = moved(&costs, &bounds, size);
        if better == bounds {
            break;
        }
        bounds = better;
    }
    Ok(bounds)
}

/// The best of all bounds that lie at most `reach` values away from the given ones.
///
/// The usual program over bounds and their places, with few places for each bound. Bounds that
/// are as good where they are stay there.
fn moved(costs: &Costs, bounds: &[usize], reach: usize) -> Vec<usize> {
    let last = bounds.len() - 1;
    let count = bounds[last];
    let places = |bound: usize| match bound {
        0 => 0..1,
        _ if bound == last => count..count + 1,
        _ => bounds[bound].saturating_sub(reach).max(1)..(bounds[bound] + reach + 1).min(count),
    };
    // For each place of a bound the least cost of all before it, and the place before.
    let mut least = vec![0.0];
    let mut before: Vec<Vec<usize>> = Vec::with_capacity(last);
    for bound in 1..=last {
        let (from, to) = (places(bound - 1), places(bound));
        let stay = bounds[bound - 1];
        let best = |place: usize| {
            let others = from.clone().filter(|&start| start != stay);
            let mut best = (f64::INFINITY, stay);
            for start in [stay].into_iter().chain(others).filter(|&start| start < place) {
                let cost = least[start - from.start] + costs.cost(start, place);
                if cost < best.0 {
                    best = (cost, start);
                }
            }
            best
        };
        let (sums, starts) = to.map(best).unzip();
        least = sums;
        before.push(starts);
    }
    let mut moved = vec![count; last + 1];
    for bound in (0..last).rev() {
        moved[bound] = before[bound][moved[bound + 1] - places(bound + 1).start];
    }
    moved
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn inertia(values: &[u32], weights: &[u64], rank: impl Fn(usize) -> u32, k: usize) -> f64 {
        let mut sums = vec![(0.0, 0.0, 0.0); k];
        for (i, (&value, &weight)) in values.iter().zip(weights).enumerate() {
            let (value, weight) = (f64::from(value), weight as f64);
            let sum = &mut sums[rank(i) as usize];
            *sum = (sum.0 + weight, sum.1 + weight * value, sum.2 + weight * value * value);
        }
        sums.into_iter().map(|(w, s, q)| if w > 0.0 { q - s * s / w } else { 0.0 }).sum()
    }

    proptest! {
        #[test]
        fn every_value_finds_its_interval(
            values in prop::collection::btree_set(0u32..4_280_760, 1..400),
            wanted in 1usize..40,
        ) {
            let values: Vec<u32> = values.into_iter().collect();
            let split = Split::new(&values, &vec![3; values.len()], wanted, Job::default()).unwrap();
            prop_assert_eq!(split.len(), wanted.min(values.len()));
            let ranks: Vec<u32> = values.iter().map(|&value| split.rank(value)).collect();
            prop_assert!(ranks.windows(2).all(|pair| pair[1] == pair[0] || pair[1] == pair[0] + 1));
            prop_assert_eq!(ranks[0], 0);
            prop_assert_eq!(ranks[ranks.len() - 1] as usize, split.len() - 1);
        }
    }

    #[test]
    fn merged_values_are_split_almost_as_well_as_all_of_them() {
        // A bumpy line of values, as a cluster of turns has it.
        let values: Vec<u32> = (0..40_000u32).map(|i| i * 2 + i * i % 2).collect();
        let weights: Vec<u64> =
            values.iter().map(|&v| 1 + u64::from(v % 97) * u64::from(v / 9000 % 3)).collect();
        let (k, wide): (usize, Vec<i64>) = (100, values.iter().map(|&v| v.into()).collect());
        assert!(values.len() > 10 * GROUPS);
        let best = optimal_intervals(&wide, &weights, k, Job::default()).unwrap();
        let split = Split::new(&values, &weights, k, Job::default()).unwrap();
        let labels = best.labels();
        let least = inertia(&values, &weights, |i| labels[i], k);
        let got = inertia(&values, &weights, |i| split.rank(values[i]), k);
        assert!(got <= least * 1.0001, "{got} against {least}");
    }

    #[test]
    fn no_intervals_are_refused() {
        let none = Split::new(&[1, 2], &[1, 1], 0, Job::default());
        assert_eq!(none.err(), Some(ClusterError::NoClusters));
    }
}
