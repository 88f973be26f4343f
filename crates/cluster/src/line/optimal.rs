//! Globally optimal k-means on a line.

use lethe_compute::{Cancelled, Job};

use super::cost::Costs;
use super::{Intervals, check};
use crate::ClusterError;

/// The cut of a line of weighted values into `k` intervals that has the least inertia of all.
///
/// `values` ascend strictly and each has a positive weight. On a line, clusters are intervals, so
/// dynamic programming over the first `i` values in `q` intervals finds the optimum (Wang and Song
/// 2011): no seeding, no restarts, no luck. Among equally good last cuts the leftmost is taken.
///
/// **Exactness.** Each cost is computed from exact integers and rounded once or twice (relative
/// error below 2^-51), and the program adds up `k` of them. Between costs that are equal up to
/// rounding, each of the `log2 n` levels of each of the `k` rows may narrow the search to the wrong
/// side. So the inertia returned exceeds the true minimum by at most about `k (log2 n + 8)`
/// roundings of the costs compared: one part in 10^11 for 65,536 values in 500 intervals.
///
/// **Work.** The best last cut moves right as `i` grows and as `q` grows, so a row of the program is
/// filled by divide and conquer: O(k n log n) at worst, less in practice since both neighbours bound
/// each search. Memory is O(n sqrt k): only some rows are kept, and those between are computed again
/// on the way back.
pub fn optimal_intervals(
    values: &[i64],
    weights: &[u64],
    k: usize,
    job: Job<'_>,
) -> Result<Intervals, ClusterError> {
    let costs = check(values, weights, k)?;
    let bounds = job.install(|| optimal_bounds(&costs, k, job))?;
    Ok(Intervals::new(bounds, &costs))
}

/// One row of the program, for a number of intervals `q`.
#[derive(Clone)]
struct Row {
    /// Least cost of the first `i` values in `q` intervals, for each `i`.
    least: Vec<f64>,
    /// Where the last of those intervals begins.
    cut: Vec<u32>,
}

impl Row {
    /// The row for one interval.
    fn first(costs: &Costs, end: usize) -> Self {
        let mut least = vec![0.0; end + 1];
        for (i, least) in least.iter_mut().enumerate().skip(1) {
            *least = costs.cost(0, i);
        }
        Self { least, cut: vec![0; end + 1] }
    }

    /// The row for one interval more, for up to `end` values.
    ///
    /// `q` is the new number of intervals.
    fn next(&self, costs: &Costs, q: usize, end: usize, job: Job<'_>) -> Result<Self, Cancelled> {
        let mut row = Self { least: vec![f64::INFINITY; end + 1], cut: vec![0; end + 1] };
        let fill = Fill { costs, before: self, job };
        fill.places(q, &mut row.least[q..], &mut row.cut[q..], (q - 1, end));
        job.check()?;
        Ok(row)
    }
}

/// Rows shorter than this are filled by one thread.
const PARALLEL: usize = 2048;

/// Fills a row from the one before it.
struct Fill<'a> {
    costs: &'a Costs,
    before: &'a Row,
    job: Job<'a>,
}

impl Fill<'_> {
    /// Fills the places from `first` on, given that all their cuts lie within `cuts`; less of them if
    /// the job is cancelled.
    fn places(&self, first: usize, least: &mut [f64], cut: &mut [u32], cuts: (usize, usize)) {
        let Fill { costs, before, job } = self;
        let long = least.len() >= 2 * PARALLEL;
        if least.is_empty() || long && job.cancelled() {
            return;
        }
        let middle = least.len() / 2;
        let i = first + middle;
        // One interval fewer, or one value fewer, cuts no further right.
        let low = cuts.0.max(before.cut[i.min(before.cut.len() - 1)] as usize);
        // Between costs equal but for rounding the bounds could cross.
        let high = cuts.1.min(i - 1).max(low);
        let mut best = (f64::INFINITY, low);
        for j in low..=high {
            let cost = before.least[j] + costs.cost(j, i);
            if cost < best.0 {
                best = (cost, j);
            }
        }
        let (left, right) = least.split_at_mut(middle);
        let (left_cut, right_cut) = cut.split_at_mut(middle);
        (right[0], right_cut[0]) = (best.0, best.1 as u32);
        let (right, right_cut) = (&mut right[1..], &mut right_cut[1..]);
        let left_half = |least, cut| self.places(first, least, cut, (cuts.0, best.1));
        let right_half = |least, cut| self.places(i + 1, least, cut, (best.1, cuts.1));
        if long {
            rayon::join(|| left_half(left, left_cut), || right_half(right, right_cut));
        } else {
            left_half(left, left_cut);
            right_half(right, right_cut);
        }
    }
}

/// Where the intervals of the optimal cut begin and end.
fn optimal_bounds(costs: &Costs, k: usize, job: Job<'_>) -> Result<Vec<usize>, Cancelled> {
    let n = costs.len();
    // With q of k intervals made, k - q values at least are left over.
    let stride = k.isqrt().max(1);
    let mut kept = vec![Row::first(costs, n + 1 - k)];
    let mut row = kept[0].clone();
    for q in 2..=k {
        row = row.next(costs, q, n + q - k, job)?;
        if (q - 1).is_multiple_of(stride) {
            kept.push(row.clone());
        }
    }
    drop(row);

    let mut bounds = vec![0; k + 1];
    bounds[k] = n;
    let mut q = k;
    while let Some(start) = kept.pop() {
        // The rows of `base..=q`, from the kept one on, as far as the cuts found so far reach.
        let base = kept.len() * stride + 1;
        let mut rows = vec![start];
        for r in base + 1..=q {
            let end = bounds[q] + r - q;
            rows.push(rows[rows.len() - 1].next(costs, r, end, job)?);
        }
        while q >= base {
            bounds[q - 1] = rows[q - base].cut[bounds[q]] as usize;
            q -= 1;
        }
    }
    Ok(bounds)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least cost over all cuts, tried one by one.
    fn exhaustive(costs: &Costs, start: usize, k: usize) -> f64 {
        let n = costs.len();
        if k == 1 {
            return costs.cost(start, n);
        }
        (start + 1..=n + 1 - k)
            .map(|cut| costs.cost(start, cut) + exhaustive(costs, cut, k - 1))
            .fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn every_small_line_is_cut_as_exhaustive_search_cuts_it() {
        let mut rng = crate::random::Random::new(7, 0);
        for _ in 0..300 {
            let n = 1 + rng.below(11) as usize;
            let mut value = -40;
            let mut values = Vec::new();
            let mut weights = Vec::new();
            for _ in 0..n {
                value += 1 + rng.below(12) as i64;
                values.push(value);
                weights.push(1 + rng.below(9));
            }
            let costs = Costs::new(&values, &weights).expect("the sums are small");
            for k in 1..=n {
                let cut = optimal_intervals(&values, &weights, k, Job::default())
                    .expect("the input is valid");
                let least = exhaustive(&costs, 0, k);
                assert!((cut.inertia - least).abs() <= 1e-12 * least, "{values:?} {weights:?} {k}");
                assert!(cut.bounds.windows(2).all(|pair| pair[0] < pair[1]));
            }
        }
    }
}
