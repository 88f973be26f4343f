//! The best strategy of a run so far, by exploitability.

use crate::metrics::{EstimateKind, Metrics};
use crate::sample::Strata;

/// An estimate of exploitability that others are compared with.
#[derive(Clone, Debug)]
pub(crate) struct Best {
    mbb: f64,
    interval: Option<f64>,
    /// What the response gains on each flop of the sample; empty if the estimate is exact.
    gains: Vec<f64>,
}

impl Best {
    /// The estimate of a point, if it has one. Local best response is only a lower bound, by which no
    /// strategy is better than another.
    fn of(point: &Metrics) -> Option<Best> {
        let estimate =
            point.exploitability.filter(|estimate| estimate.kind != EstimateKind::Lbr)?;
        let gains = point.flop_gains_mbb.clone();
        Some(Best { mbb: estimate.mbb, interval: estimate.interval_mbb, gains })
    }

    /// The best of a run's points in the order of time.
    pub(crate) fn of_all(points: &[Metrics]) -> Option<Best> {
        points.iter().fold(None, |best, point| Best::improved(best.as_ref(), point).or(best))
    }

    /// The point, if it is the first one or significantly better than the best before.
    pub(crate) fn improved(before: Option<&Best>, point: &Metrics) -> Option<Best> {
        let new = Best::of(point)?;
        before.is_none_or(|before| new.is_below(before)).then_some(new)
    }

    /// Whether this one is lower, and not by chance: beyond the 95 % interval of the difference. The
    /// same flops are compared one by one.
    fn is_below(&self, other: &Best) -> bool {
        let (difference, interval) = if self.gains.len() == other.gains.len() {
            let both = self.gains.iter().zip(&other.gains);
            let differences: Vec<f64> = both.map(|(new, old)| new - old).collect();
            match differences.is_empty() {
                true => (self.mbb - other.mbb, Some(0.0)),
                false => {
                    let strata = Strata::new(differences.len());
                    (strata.mean(&differences), strata.interval(&differences))
                }
            }
        } else {
            let both = self.interval.zip(other.interval);
            (self.mbb - other.mbb, both.map(|(new, old)| f64::hypot(new, old)))
        };
        interval.is_some_and(|interval| difference + interval < 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Estimate;

    fn point(kind: EstimateKind, mbb: f64, interval_mbb: Option<f64>, gains: &[f64]) -> Metrics {
        let flops = (kind == EstimateKind::Flops).then_some(gains.len() as u64);
        let estimate =
            Estimate { mbb, interval_mbb, optimistic_mbb: None, flops, preflop: None, kind };
        Metrics {
            exploitability: Some(estimate),
            flop_gains_mbb: gains.to_vec(),
            ..Metrics::default()
        }
    }

    fn sampled(gains: &[f64]) -> Metrics {
        let strata = Strata::new(gains.len());
        point(EstimateKind::Flops, strata.mean(gains), strata.interval(gains), gains)
    }

    fn best(points: &[Metrics]) -> Option<f64> {
        Best::of_all(points).map(|best| best.mbb)
    }

    #[test]
    fn flops_are_compared_one_by_one() {
        // Flops differ far more than the strategies do.
        let first = sampled(&[100.0, 20.0, 60.0, 200.0]);
        let better = sampled(&[95.1, 15.0, 54.9, 195.0]);
        let lucky = sampled(&[60.0, 25.0, 66.0, 190.0]);
        let [a, b, c] = [&first, &better, &lucky].map(|point| point.exploitability.unwrap().mbb);
        assert!(b < a && c < a);
        assert_eq!(best(&[first.clone(), better.clone()]), Some(b));
        assert_eq!(best(&[first.clone(), lucky.clone()]), Some(a));
        assert_eq!(best(&[first.clone(), lucky, better, first]), Some(b));
    }

    #[test]
    fn estimates_from_different_flops_are_compared_by_their_intervals() {
        let first = point(EstimateKind::Flops, 100.0, Some(3.0), &[100.0; 4]);
        let near = point(EstimateKind::Flops, 95.1, Some(4.0), &[95.0; 8]);
        let far = point(EstimateKind::Flops, 94.9, Some(4.0), &[94.0; 8]);
        let unknown = point(EstimateKind::Flops, 10.0, None, &[10.0; 3]);
        assert_eq!(best(&[first.clone(), near, unknown]), Some(100.0));
        assert_eq!(best(&[first, far]), Some(94.9));
    }

    #[test]
    fn exact_figures_need_no_interval_and_lower_bounds_do_not_count() {
        let exact = |mbb| point(EstimateKind::Exact, mbb, Some(0.0), &[]);
        let lbr = |mbb| point(EstimateKind::Lbr, mbb, Some(1.0), &[]);
        assert_eq!(best(&[exact(5.0), exact(4.9), exact(4.95)]), Some(4.9));
        assert_eq!(best(&[lbr(5.0), lbr(1.0)]), None);
        assert_eq!(best(&[lbr(5.0), exact(7.0), lbr(1.0)]), Some(7.0));
        assert_eq!(best(&[]), None);
    }
}
