//! `lethe report`: the course of a training run.

mod chart;
mod curve;
mod page;

use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use lethe_blueprint::{Estimate, EstimateKind, MatchResult, Metrics};
use serde::Serialize;

use super::inspect::html;
use crate::error::InputError;
use crate::output::{Output, Report, seconds, thousands};
use curve::Curve;

/// Draws the course of a training run: exploitability, matches, regret and speed over time
///
/// It reads metrics.jsonl in the run's directory, to which training adds a line at every interval; a
/// run may be looked at while it goes on. On a terminal the curves are drawn, elsewhere the points
/// are listed. Amounts are in thousandths of a big blind a hand, intervals are 95 %.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe report runs/quick
  lethe report runs/quick --html quick.html
  lethe report runs/quick --json")]
pub(crate) struct Args {
    /// The directory of a run, or its metrics.jsonl
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Write a page with plots into this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// The course of a run.
#[derive(Debug, Serialize)]
struct Course {
    run: String,
    /// The lowest estimate of exploitability.
    best_exploitability: Option<Best>,
    points: Vec<Metrics>,
}

/// An estimate and when it was made.
#[derive(Clone, Copy, Debug, Serialize)]
struct Best {
    seconds: f64,
    #[serde(flatten)]
    estimate: Estimate,
}

/// The rows of a table at most.
const ROWS: usize = 24;

impl Course {
    fn read(run: &Path) -> anyhow::Result<Course> {
        let shown = run.display();
        let points = match Metrics::read(run) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let message = format_args!(
                    "{shown}: no run of training there, {} is missing; `lethe train --out {shown}` makes one",
                    Metrics::FILE
                );
                return Err(InputError::new(message).into());
            }
            read => read.with_context(|| shown.to_string())?,
        };
        if points.is_empty() {
            let message = format_args!("{shown}: no point of the run has been written yet");
            return Err(InputError::new(message).into());
        }
        let estimates = points.iter().filter_map(|point| {
            Some(Best { seconds: point.seconds, estimate: point.exploitability? })
        });
        let best_exploitability =
            estimates.min_by(|a, b| a.estimate.mbb.total_cmp(&b.estimate.mbb));
        Ok(Course { run: shown.to_string(), best_exploitability, points })
    }

    fn last(&self) -> &Metrics {
        self.points.last().expect("a course without points is refused")
    }

    /// What there is to say in few words.
    fn facts(&self) -> Vec<(&'static str, String)> {
        let last = self.last();
        let count = |number: u64| thousands(number.into());
        let mut facts = vec![(
            "training",
            format!(
                "{}, {} iterations, {} visits",
                seconds(last.seconds),
                count(last.iterations),
                count(last.visits)
            ),
        )];
        let latest = self.points.iter().rev().find_map(|p| Some((p.seconds, p.exploitability?)));
        if let Some((at, latest)) = latest {
            facts.push(("exploitability", format!("{} after {}", estimate(&latest), seconds(at))));
        }
        if let Some(best) = self.best_exploitability {
            let text = format!("{} after {}", estimate(&best.estimate), seconds(best.seconds));
            facts.push(("lowest", text));
        }
        let latest = self.points.iter().rev().find_map(|p| Some((p.seconds, p.match_mbb?)));
        if let Some((at, result)) = latest {
            facts.push(("match", format!("{} after {}", matched(&result), seconds(at))));
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

    fn table(&self) -> (Vec<&'static str>, Vec<Vec<String>>) {
        let headings =
            vec!["time", "iterations", "it/s", "visits/s", "regret", "exploitability", "match"];
        let dash = || "-".to_owned();
        let rate = |x: Option<f64>| x.map_or_else(dash, curve::large);
        let row = |point: &Metrics| {
            let exploitability = point.exploitability.map(|e| interval(e.mbb, e.interval_mbb));
            let result = point.match_mbb.map(|m| interval(m.mbb, m.interval_mbb));
            vec![
                seconds(point.seconds),
                thousands(point.iterations.into()),
                rate(point.iterations_per_second),
                rate(point.visits_per_second),
                point.average_regret_mbb.map_or_else(dash, |x| format!("{x:.1}")),
                exploitability.unwrap_or_else(dash),
                result.unwrap_or_else(dash),
            ]
        };
        (headings, self.chosen().into_iter().map(row).collect())
    }
}

fn interval(value: f64, part: f64) -> String {
    if part > 0.0 { format!("{value:.1} ± {part:.1}") } else { format!("{value:.1}") }
}

fn estimate(estimate: &Estimate) -> String {
    let how = match (estimate.kind, estimate.flops) {
        (EstimateKind::Exact, _) => "exact".to_owned(),
        (EstimateKind::Lbr, _) => "local best response, a lower bound".to_owned(),
        (EstimateKind::Flops, Some(flops)) => format!("{flops} flops"),
        (EstimateKind::Flops, None) => "a sample of flops".to_owned(),
    };
    format!("{} mbb/hand ({how})", interval(estimate.mbb, estimate.interval_mbb))
}

fn matched(result: &MatchResult) -> String {
    format!("{} mbb/hand", interval(result.mbb, result.interval_mbb))
}

impl Report for Course {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let heading = out.bold(&self.run);
        writeln!(out, "{heading}")?;
        out.pairs(&self.facts())?;
        if !out.has_blocks() {
            writeln!(out)?;
            let (headings, rows) = self.table();
            return out.table(&headings, &rows);
        }
        for curve in Curve::all(&self.points) {
            let heading = out.bold(curve.name);
            writeln!(out, "\n{heading}, {}", curve.unit)?;
            write!(out, "{}", chart::draw(&curve))?;
        }
        Ok(())
    }
}

/// Draws what was asked for.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let course = Course::read(&args.run)?;
    match &args.html {
        Some(file) => {
            let written = html::save(file, || page::page(&course))?;
            out.show(&written)
        }
        None => out.show(&course),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course(points: Vec<Metrics>) -> Course {
        Course { run: "run".to_owned(), best_exploitability: None, points }
    }

    fn point(seconds: f64) -> Metrics {
        Metrics { seconds, ..Metrics::default() }
    }

    #[test]
    fn a_long_run_has_a_short_table_from_its_first_point_to_its_last() {
        for count in [1, 2, 23, 24, 25, 1000] {
            let course = course((1..=count).map(|i| point(f64::from(i))).collect());
            let chosen = course.chosen();
            assert_eq!(chosen.len(), ROWS.min(count as usize));
            assert_eq!(chosen[0].seconds, 1.0);
            assert_eq!(chosen[chosen.len() - 1].seconds, f64::from(count));
        }
    }

    #[test]
    fn evaluated_points_come_first_and_the_end_is_always_told() {
        let result = Some(MatchResult { mbb: 1.0, interval_mbb: 0.5 });
        let mut points: Vec<Metrics> = (1..=100).map(|i| point(f64::from(i))).collect();
        points[49].match_mbb = result;
        let course = course(points);
        let seconds: Vec<f64> = course.chosen().iter().map(|point| point.seconds).collect();
        assert_eq!(seconds, [50.0, 100.0]);
    }
}
