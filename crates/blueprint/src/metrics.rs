//! `Metrics`: the history of a run, one line of JSON per point, in a file beside the checkpoints.

use std::path::{Path, PathBuf};

use lethe_files::{FileError, Lines, append_line};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

use crate::exploitability::PreflopPlay;
use crate::train::Traffic;

/// How far a run was at one point in time.
///
/// Unknown values are left out of the line. A reader treats a field that is missing or of another
/// type as unknown, so that it can read the lines of other versions.
///
/// ```
/// use lethe_blueprint::Metrics;
/// let line = r#"{"seconds":12.5,"iterations":4000,"average_regret_mbb":35.2,"moon":"full"}"#;
/// let metrics: Metrics = serde_json::from_str(line)?;
/// assert_eq!((metrics.iterations, metrics.average_regret_mbb), (4000, Some(35.2)));
/// assert_eq!(metrics.exploitability, None);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Metrics {
    /// Seconds of training, over all invocations.
    #[serde(deserialize_with = "or_default")]
    pub seconds: f64,
    /// Iterations done.
    #[serde(deserialize_with = "or_default")]
    pub iterations: u64,
    /// Hand-node visits: decisions visited, each counted once for every hand.
    #[serde(deserialize_with = "or_default")]
    pub visits: u64,
    /// Iterations per second since the previous point.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Option::is_none")]
    pub iterations_per_second: Option<f64>,
    /// Hand-node visits per second since the previous point.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Option::is_none")]
    pub visits_per_second: Option<f64>,
    /// Visits of public nodes per second since the previous point, whatever the number of hands.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Option::is_none")]
    pub nodes_per_second: Option<f64>,
    /// Hands per second since the previous point.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Option::is_none")]
    pub hands_per_second: Option<f64>,
    /// The average regret in the trained game, in mbb/hand.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Option::is_none")]
    pub average_regret_mbb: Option<f64>,
    /// What the strategy loses to a best response, where it was estimated.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Option::is_none")]
    pub exploitability: Option<Estimate>,
    /// What a best response gains on each flop of the sample, in mbb/hand: later estimates from the
    /// same flops are compared with these.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub flop_gains_mbb: Vec<f64>,
    /// What the strategy wins against the previous best one, where they played.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Option::is_none")]
    pub match_mbb: Option<MatchResult>,
    /// What ranks exchanged since the previous point, if there are several.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Option::is_none")]
    pub exchange: Option<Exchanged>,
}

/// What ranks that train together exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exchanged {
    /// How many they are.
    pub ranks: u64,
    /// Batches.
    pub batches: u64,
    /// Bytes per batch that all of them sent, each counted once, averages aside.
    pub bytes_per_batch: f64,
    /// Bytes sent for each regret that a rank changed.
    pub bytes_per_cell: f64,
    /// Bytes of averages that each of them sent.
    pub average_bytes: u64,
    /// Seconds per batch of rank 0 in exchanges, those it waited for others included.
    pub seconds_per_batch: f64,
}

impl Exchanged {
    /// What was exchanged between two times; `None` if that is nothing.
    pub(crate) fn between(ranks: usize, before: Traffic, after: Traffic) -> Option<Exchanged> {
        let batches = after.batches - before.batches;
        let bytes = (after.bytes - before.bytes) as f64;
        let cells = (after.cells - before.cells) as f64;
        (ranks > 1 && batches > 0).then(|| Exchanged {
            ranks: ranks as u64,
            batches,
            bytes_per_batch: bytes / batches as f64,
            bytes_per_cell: bytes / cells.max(1.0),
            average_bytes: after.average_bytes - before.average_bytes,
            seconds_per_batch: (after.seconds - before.seconds) / batches as f64,
        })
    }
}

/// An estimate of exploitability, or a lower bound on it: its kind says which.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// In mbb/hand, thousandths of a big blind per hand.
    pub mbb: f64,
    /// Half the width of its 95 % interval; 0 where it is exact.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Option::is_none")]
    pub interval_mbb: Option<f64>,
    /// The same with the preflop actions chosen on the flops they are scored on, which is biased
    /// upward.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Option::is_none")]
    pub optimistic_mbb: Option<f64>,
    /// The flops that were evaluated, if any.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Option::is_none")]
    pub flops: Option<u64>,
    /// How the best response plays before the flop, if it is one.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Option::is_none")]
    pub preflop: Option<PreflopPlay>,
    /// How it was made.
    #[serde(default, deserialize_with = "or_default")]
    pub kind: EstimateKind,
}

/// How an [`Estimate`] is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EstimateKind {
    /// By best responses on a sample of flops.
    #[default]
    Flops,
    /// By best responses on all flops.
    Exact,
    /// By local best response, a lower bound.
    Lbr,
}

impl EstimateKind {
    /// `flops`, `exact` or `lbr`.
    pub const fn name(self) -> &'static str {
        match self {
            EstimateKind::Flops => "flops",
            EstimateKind::Exact => "exact",
            EstimateKind::Lbr => "lbr",
        }
    }
}

/// The result of a match.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchResult {
    /// In mbb/hand, thousandths of a big blind per hand.
    pub mbb: f64,
    /// Half the width of its 95 % interval.
    #[serde(default, deserialize_with = "or_default")]
    pub interval_mbb: f64,
}

/// Reads a value; one that is missing, null or of another kind is the default.
fn or_default<'de, T, D>(from: D) -> Result<T, D::Error>
where
    T: DeserializeOwned + Default,
    D: Deserializer<'de>,
{
    let value = serde_json::Value::deserialize(from)?;
    Ok(serde_json::from_value(value).unwrap_or_default())
}

impl Metrics {
    /// The name of the file in a run's directory.
    pub const FILE: &'static str = "metrics.jsonl";

    /// Appends a point to a file, as a line with a checksum; creates it if it does not exist.
    ///
    /// The line is one write at the end of the file. If an interrupted run left an unfinished line,
    /// that is removed first.
    pub fn append(&self, path: &Path) -> Result<(), FileError> {
        append_line(path, &serde_json::to_string(self).expect("metrics are plain data"))
    }

    /// The points of a run in the order of time, from its directory or the file itself.
    ///
    /// The last line may have been cut short when the run was killed, and is skipped then. Where a
    /// run resumed from a checkpoint, the points after that checkpoint, whose work was lost, are
    /// skipped too.
    pub fn read(path: impl AsRef<Path>) -> Result<Vec<Metrics>, MetricsError> {
        let path = path.as_ref();
        let path = if path.is_dir() { path.join(Self::FILE) } else { path.to_owned() };
        let lines = Metrics::lines(&path)?;
        if let Some(&line) = lines.damaged.first() {
            return Err(MetricsError::Damaged { path, line });
        }
        let mut points: Vec<Metrics> = Vec::new();
        for (_, line) in lines.whole {
            let Ok(point) = serde_json::from_slice::<Metrics>(&line) else { continue };
            if !point.seconds.is_finite() {
                continue;
            }
            while points.last().is_some_and(|last| last.seconds >= point.seconds) {
                points.pop();
            }
            points.push(point);
        }
        Ok(points)
    }

    /// The lines of a file.
    pub fn lines(path: &Path) -> Result<Lines, FileError> {
        Lines::read(path, |line| serde_json::from_slice::<Metrics>(line).is_ok())
    }
}

/// Metrics that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MetricsError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A line is not as it was written.
    #[error("{}:{line}: damaged; remove the line, or train again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line's number.
        line: usize,
    },
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn point(seconds: f64) -> Metrics {
        Metrics { seconds, iterations: seconds as u64 * 100, ..Metrics::default() }
    }

    fn file(name: &str) -> std::path::PathBuf {
        let name = format!("lethe-metrics-{name}-{}.jsonl", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_file(&path);
        path
    }

    #[test]
    fn what_is_appended_is_read() {
        let path = file("append");
        let estimate = Estimate {
            mbb: 412.0,
            interval_mbb: Some(30.5),
            optimistic_mbb: Some(430.1),
            flops: Some(20),
            preflop: Some(PreflopPlay::Halves),
            kind: EstimateKind::Flops,
        };
        let result = MatchResult { mbb: 15.0, interval_mbb: 6.0 };
        let full = Metrics {
            iterations_per_second: Some(330.1),
            visits_per_second: Some(1.4e8),
            nodes_per_second: Some(1.3e5),
            hands_per_second: Some(4e5),
            average_regret_mbb: Some(35.2),
            exploitability: Some(estimate),
            flop_gains_mbb: vec![400.5, 420.25],
            match_mbb: Some(result),
            exchange: Some(Exchanged {
                ranks: 4,
                batches: 7,
                bytes_per_batch: 4.5e6,
                bytes_per_cell: 4.75,
                average_bytes: 12_000,
                seconds_per_batch: 0.25,
            }),
            ..point(12.0)
        };
        let points = [point(3.0), full, point(20.0)];
        for point in &points {
            point.append(&path).unwrap();
        }
        assert_eq!(Metrics::read(&path).unwrap(), points);
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_line_cut_short_is_left_out_and_hurts_no_other() {
        let path = file("cut");
        point(1.0).append(&path).unwrap();
        let mut bytes = fs::read(&path).unwrap();
        bytes.extend(b"{\"seconds\":2.0,\"itera");
        fs::write(&path, &bytes).unwrap();
        assert_eq!(Metrics::read(&path).unwrap(), [point(1.0)]);
        point(3.0).append(&path).unwrap();
        assert_eq!(Metrics::read(&path).unwrap(), [point(1.0), point(3.0)]);
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn points_that_were_lost_with_the_work_are_left_out() {
        let path = file("lost");
        for seconds in [10.0, 20.0, 30.0, 40.0, 25.0, 35.0] {
            point(seconds).append(&path).unwrap();
        }
        let seconds: Vec<f64> = Metrics::read(&path).unwrap().iter().map(|p| p.seconds).collect();
        assert_eq!(seconds, [10.0, 20.0, 25.0, 35.0]);
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn fields_of_another_kind_are_not_known() {
        let line = r#"{"seconds":1,"iterations":null,"visits":"many","visits_per_second":null,
            "exploitability":{"mbb":5,"kind":"guess"},"match_mbb":{"interval_mbb":6}}"#;
        let metrics: Metrics = serde_json::from_str(line).unwrap();
        assert_eq!((metrics.seconds, metrics.iterations, metrics.visits), (1.0, 0, 0));
        assert_eq!(metrics.visits_per_second, None);
        let estimate = metrics.exploitability.unwrap();
        assert_eq!((estimate.mbb, estimate.kind), (5.0, EstimateKind::Flops));
        assert_eq!(metrics.match_mbb, None);
    }
}
