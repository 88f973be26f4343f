//! The curves of a run.

use lethe_blueprint::{EstimateKind, Metrics};

/// Something over training time.
#[derive(Clone, Debug)]
pub struct Curve {
    /// What it shows.
    pub name: &'static str,
    /// In which unit.
    pub unit: &'static str,
    /// Seconds, value, and half the width of its interval; in the order of time, at least one.
    pub points: Vec<[f64; 3]>,
    /// The seconds of the whole run.
    pub end: f64,
}

impl Curve {
    /// All curves of which there is a point.
    pub(super) fn all(points: &[Metrics]) -> Vec<Curve> {
        type Value = fn(&Metrics) -> Option<[f64; 2]>;
        let known: [(&str, &str, Value); 6] = [
            ("Exploitability", "mbb/hand", |p| estimate(p, false)),
            ("Local best response, a lower bound", "mbb/hand", |p| estimate(p, true)),
            ("Match against the best before", "mbb/hand", |p| {
                p.match_mbb.map(|m| [m.mbb, m.interval_mbb])
            }),
            ("Average regret", "mbb/hand", |p| p.average_regret_mbb.map(|x| [x, 0.0])),
            ("Iterations", "per second", |p| p.iterations_per_second.map(|x| [x, 0.0])),
            ("Hand-node visits", "per second", |p| p.visits_per_second.map(|x| [x, 0.0])),
        ];
        let end = points.last().map_or(0.0, |point| point.seconds);
        let curve = |(name, unit, value): (&'static str, &'static str, Value)| {
            let points = points.iter().filter_map(|point| {
                let [y, part] = value(point)?;
                (y.is_finite() && part.is_finite()).then_some([point.seconds, y, part])
            });
            Curve { name, unit, points: points.collect(), end }
        };
        known.into_iter().map(curve).filter(|curve| !curve.points.is_empty()).collect()
    }

    /// The curve as a picture of its own.
    pub fn svg(&self) -> String {
        super::page::svg(self)
    }

    /// The unit of time that suits it, and its seconds.
    pub fn time_unit(&self) -> (&'static str, f64) {
        match self.end {
            end if end < 180.0 => ("s", 1.0),
            end if end < 3.0 * 3600.0 => ("min", 60.0),
            _ => ("h", 3600.0),
        }
    }

    /// The least and the greatest value, intervals included and zero always.
    pub fn range(&self) -> [f64; 2] {
        let low = self.points.iter().map(|[_, y, part]| y - part).fold(0.0, f64::min);
        let high = self.points.iter().map(|[_, y, part]| y + part).fold(0.0, f64::max);
        if high > low { [low, high] } else { [low, low + 1.0] }
    }

    /// The value at some time, on the line between two points; `None` before the first and after
    /// the last.
    pub fn at(&self, time: f64) -> Option<f64> {
        let after = self.points.partition_point(|point| point[0] < time);
        let [x1, y1, _] = *self.points.get(after)?;
        if x1 == time || after == 0 {
            return (x1 == time).then_some(y1);
        }
        let [x0, y0, _] = self.points[after - 1];
        Some(y0 + (y1 - y0) * (time - x0) / (x1 - x0))
    }
}

/// The exploitability of a point and its interval, or what local best response wins.
fn estimate(point: &Metrics, is_lbr: bool) -> Option<[f64; 2]> {
    let estimate = point.exploitability?;
    let shown = (estimate.kind == EstimateKind::Lbr) == is_lbr;
    shown.then_some([estimate.mbb, estimate.interval_mbb.unwrap_or(0.0)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_a_line_from_point_to_point() {
        let points = vec![[10.0, 4.0, 1.0], [20.0, 2.0, 0.5], [40.0, 2.0, 0.5]];
        let curve = Curve { name: "", unit: "", points, end: 50.0 };
        let at = [5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 41.0].map(|time| curve.at(time));
        let known = [None, Some(4.0), Some(3.0), Some(2.0), Some(2.0), Some(2.0), None];
        assert_eq!(at, known);
        assert_eq!(curve.range(), [0.0, 5.0]);
    }

    #[test]
    fn only_curves_with_points_are_drawn() {
        let regret = Metrics { average_regret_mbb: Some(3.0), ..Metrics::default() };
        let curves = Curve::all(&[Metrics::default(), regret]);
        assert_eq!(curves.iter().map(|curve| curve.name).collect::<Vec<_>>(), ["Average regret"]);
        assert!(Curve::all(&[]).is_empty());
    }
}
