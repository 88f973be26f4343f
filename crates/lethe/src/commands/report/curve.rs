//! The curves of a run.

use lethe_blueprint::Metrics;

/// Something over training time.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    pub(super) name: &'static str,
    pub(super) unit: &'static str,
    /// Seconds, value, and half the width of its interval; in the order of time, at least one.
    pub(super) points: Vec<[f64; 3]>,
    /// The seconds of the whole run.
    pub(super) end: f64,
}

impl Curve {
    /// All curves of which there is a point.
    pub(super) fn all(points: &[Metrics]) -> Vec<Curve> {
        type Value = fn(&Metrics) -> Option<[f64; 2]>;
        let known: [(&str, &str, Value); 5] = [
            ("Exploitability", "mbb/hand", |p| p.exploitability.map(|e| [e.mbb, e.interval_mbb])),
            ("Match against the best before", "mbb/hand", |p| {
                p.match_mbb.map(|m| [m.mbb, m.interval_mbb])
            }),
            ("Average regret", "mbb/hand", |p| p.average_regret_mbb.map(|x| [x, 0.0])),
            ("Iterations", "a second", |p| p.iterations_per_second.map(|x| [x, 0.0])),
            ("Visits", "a second", |p| p.visits_per_second.map(|x| [x, 0.0])),
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

    /// The least and the greatest value, intervals included and zero always.
    pub(super) fn range(&self) -> [f64; 2] {
        let low = self.points.iter().map(|[_, y, part]| y - part).fold(0.0, f64::min);
        let high = self.points.iter().map(|[_, y, part]| y + part).fold(0.0, f64::max);
        if high > low { [low, high] } else { [low, low + 1.0] }
    }

    /// The value at some time: between two points on the line from one to the other; none before the
    /// first and after the last.
    pub(super) fn at(&self, time: f64) -> Option<f64> {
        let after = self.points.partition_point(|point| point[0] < time);
        let [x1, y1, _] = *self.points.get(after)?;
        if x1 == time || after == 0 {
            return (x1 == time).then_some(y1);
        }
        let [x0, y0, _] = self.points[after - 1];
        Some(y0 + (y1 - y0) * (time - x0) / (x1 - x0))
    }
}

/// A number of three digits with the unit that suits it.
pub(super) fn large(value: f64) -> String {
    let (size, unit) = match value.abs() {
        0.0 => return "0".to_owned(),
        x if x >= 1e9 => (value / 1e9, " G"),
        x if x >= 1e6 => (value / 1e6, " M"),
        x if x >= 1e4 => (value / 1e3, " k"),
        _ => (value, ""),
    };
    let digits = match size.abs() {
        x if x >= 99.95 => 0,
        x if x >= 9.995 => 1,
        _ => 2,
    };
    format!("{size:.digits$}{unit}")
}

/// The unit in which a time up to `end` is told, and its seconds.
pub(super) fn time_unit(end: f64) -> (&'static str, f64) {
    match end {
        _ if end < 180.0 => ("s", 1.0),
        _ if end < 3.0 * 3600.0 => ("min", 60.0),
        _ => ("h", 3600.0),
    }
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

    #[test]
    fn numbers_have_three_digits() {
        let known =
            [(0.0, "0"), (330.1, "330"), (1.4e8, "140 M"), (12_345.0, "12.3 k"), (-9.5, "-9.50")];
        known.into_iter().for_each(|(value, text)| assert_eq!(large(value), text));
    }
}
