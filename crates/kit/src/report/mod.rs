//! How a training run went: its points, curves and a page.
//!
//! ```
//! use lethe_blueprint::Metrics;
//! use lethe_kit::report::TrainingHistory;
//!
//! let point = |seconds| Metrics { seconds, average_regret_mbb: Some(90.0 / seconds), ..Default::default() };
//! let history = TrainingHistory::new("runs/quick", vec![point(1.0), point(10.0)]).unwrap();
//! assert_eq!(history.curves()[0].name, "Average regret");
//! assert!(history.page().contains("Average regret"));
//! ```

mod curve;
mod page;

use std::path::Path;

use lethe_blueprint::{Estimate, EstimateKind, Metrics, MetricsError};
use serde::Serialize;

use crate::error::Error;
use crate::text::{or_dash, seconds, short, thousands};
pub use curve::Curve;

/// How a run went.
#[derive(Clone, Debug, Serialize)]
pub struct TrainingHistory {
    /// The run.
    pub run: String,
    /// The lowest estimate of exploitability; lower bounds are none.
    pub best_exploitability: Option<Best>,
    /// The points in time.
    pub points: Vec<Metrics>,
}

/// An estimate of exploitability and when it was made.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Best {
    /// After how many seconds of training.
    pub seconds: f64,
    /// The estimate.
    #[serde(flatten)]
    pub estimate: Estimate,
}

/// The most rows of a table.
const ROWS: usize = 24;

impl TrainingHistory {
    /// Reads the metrics in a run's directory.
    pub fn read(run: &Path) -> Result<TrainingHistory, Error> {
        let name = run.display().to_string();
        match Metrics::read(run) {
            Ok(points) => TrainingHistory::new(&name, points),
            Err(MetricsError::File(error)) if error.is_missing() => Err(Error::question(
                format_args!("{name}: not a training run, {} is missing", Metrics::FILE),
            )),
            Err(error) => Err(error.into()),
        }
    }

    /// The history of these points.
    pub fn new(run: &str, points: Vec<Metrics>) -> Result<TrainingHistory, Error> {
        if points.is_empty() {
            let message = format_args!("{run}: no point of the run has been written yet");
            return Err(Error::question(message));
        }
        let estimates = points.iter().filter_map(|point| {
            Some(Best { seconds: point.seconds, estimate: point.exploitability? })
        });
        let best_exploitability = estimates
            .filter(|best| best.estimate.kind != EstimateKind::Lbr)
            .min_by(|a, b| a.estimate.mbb.total_cmp(&b.estimate.mbb));
        Ok(TrainingHistory { run: run.to_owned(), best_exploitability, points })
    }

    /// The curves of which there is a point.
    pub fn curves(&self) -> Vec<Curve> {
        Curve::all(&self.points)
    }

    /// The history as a page: one HTML file with plots.
    pub fn page(&self) -> String {
        page::page(self)
    }

    fn last(&self) -> &Metrics {
        self.points.last().expect("a history without points is refused")
    }

    /// The history in a few lines: names and values.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let last = self.last();
        let mut facts = vec![(
            "training",
            format!(
                "{}, {} iterations, {} hand-node visits",
                seconds(last.seconds),
                thousands(last.iterations),
                thousands(last.visits)
            ),
        )];
        let latest = self.points.iter().rev().find_map(|p| Some((p.seconds, p.exploitability?)));
        if let Some((at, latest)) = latest {
            let name = match latest.kind {
                EstimateKind::Lbr => "lower bound",
                EstimateKind::Exact | EstimateKind::Flops => "exploitability",
            };
            facts.push((name, format!("{} after {}", estimate(&latest), seconds(at))));
        }
        if let Some(best) = self.best_exploitability {
            let text = format!("{} after {}", estimate(&best.estimate), seconds(best.seconds));
            facts.push(("lowest", text));
        }
        let latest = self.points.iter().rev().find_map(|p| Some((p.seconds, p.match_mbb?)));
        if let Some((at, result)) = latest {
            let result = interval(result.mbb, Some(result.interval_mbb));
            facts.push(("match", format!("{result} mbb/hand after {}", seconds(at))));
        }
        if let Some(regret) = last.average_regret_mbb {
            facts.push(("average regret", format!("{regret:.1} mbb/hand")));
        }
        facts
    }

    /// The points for a table: all that were evaluated, or as many of all as it has rows.
    fn chosen(&self) -> Vec<&Metrics> {
        let evaluated = |p: &&Metrics| p.exploitability.is_some() || p.match_mbb.is_some();
        let mut points: Vec<&Metrics> = self.points.iter().filter(evaluated).collect();
        if points.is_empty() {
            points = self.points.iter().collect();
        }
        let last = points.len() - 1;
        let rows = points.len().min(ROWS);
        let mut chosen: Vec<&Metrics> =
            (0..rows).map(|row| points[row * last / (rows - 1).max(1)]).collect();
        if chosen.last() != Some(&self.last()) {
            chosen.push(self.last());
        }
        chosen
    }

    /// The points as a table: headings and rows.
    pub fn table(&self) -> (Vec<&'static str>, Vec<Vec<String>>) {
        let headings = vec![
            "time",
            "iterations",
            "it/s",
            "visits/s",
            "regret",
            "exploitability",
            "measure",
            "match",
        ];
        let row = |point: &Metrics| {
            vec![
                seconds(point.seconds),
                thousands(point.iterations),
                or_dash(point.iterations_per_second, short),
                or_dash(point.visits_per_second, short),
                or_dash(point.average_regret_mbb, |x| format!("{x:.1}")),
                or_dash(point.exploitability, |e| interval(e.mbb, e.interval_mbb)),
                or_dash(point.exploitability, |e| measure(&e)),
                or_dash(point.match_mbb, |m| interval(m.mbb, Some(m.interval_mbb))),
            ]
        };
        (headings, self.chosen().into_iter().map(row).collect())
    }
}

/// A value, with half the width of its interval where that is known and not zero.
pub fn interval(value: f64, part: Option<f64>) -> String {
    match part.filter(|&part| part > 0.0) {
        Some(part) => format!("{value:.1} ± {part:.1}"),
        None => format!("{value:.1}"),
    }
}

/// What an estimate is, in a word or two.
fn measure(estimate: &Estimate) -> String {
    match (estimate.kind, estimate.flops) {
        (EstimateKind::Exact, _) => "exact".to_owned(),
        (EstimateKind::Lbr, _) => "LBR, at least".to_owned(),
        (EstimateKind::Flops, Some(flops)) => format!("{flops} flops"),
        (EstimateKind::Flops, None) => "a sample of flops".to_owned(),
    }
}

/// An estimate of exploitability for people.
pub fn estimate(estimate: &Estimate) -> String {
    let how = match estimate.kind {
        EstimateKind::Lbr => "local best response, a lower bound".to_owned(),
        EstimateKind::Exact | EstimateKind::Flops => measure(estimate),
    };
    format!("{} mbb/hand ({how})", interval(estimate.mbb, estimate.interval_mbb))
}

#[cfg(test)]
mod tests {
    use lethe_blueprint::MatchResult;

    use super::*;

    fn history(points: Vec<Metrics>) -> TrainingHistory {
        TrainingHistory::new("run", points).unwrap()
    }

    fn point(seconds: f64) -> Metrics {
        Metrics { seconds, ..Metrics::default() }
    }

    #[test]
    fn a_long_run_has_a_short_table_from_its_first_point_to_its_last() {
        for count in [1, 2, 23, 24, 25, 1000] {
            let history = history((1..=count).map(|i| point(f64::from(i))).collect());
            let chosen = history.chosen();
            assert_eq!(chosen.len(), ROWS.min(count as usize));
            assert_eq!(chosen[0].seconds, 1.0);
            assert_eq!(chosen[chosen.len() - 1].seconds, f64::from(count));
        }
    }

    #[test]
    fn evaluated_points_come_first_and_the_last_is_always_there() {
        let result = Some(MatchResult { mbb: 1.0, interval_mbb: 0.5 });
        let mut points: Vec<Metrics> = (1..=100).map(|i| point(f64::from(i))).collect();
        points[49].match_mbb = result;
        let history = history(points);
        let seconds: Vec<f64> = history.chosen().iter().map(|point| point.seconds).collect();
        assert_eq!(seconds, [50.0, 100.0]);
    }
}
