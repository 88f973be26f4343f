//! Blueprints: trained, opened, asked and measured.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use lethe_agent::Search;
use lethe_blueprint::{Blueprint as Open, CheckpointKind, Flops, Metrics};
use lethe_cards::{Board, Hole, StartingHand, Street};
use lethe_kit::config::{Source, training_config, training_source};
use lethe_kit::export::{BlueprintRows, Table as Written};
use lethe_kit::measure;
use lethe_kit::plot::grid::strategy_grid;
use lethe_kit::report::TrainingHistory;
use lethe_kit::strategy::{BucketStrategy, HandView, Question, StrategyView, ask};
use lethe_kit::training::{CardSource, Limits, Training};
use lethe_kit::{limits, line, runs};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::abstraction::data_dir;
use crate::errors::Failure;
use crate::json;
use crate::solution::{action_columns, names};
use crate::table::{Column, Columns, Table};
use crate::work::{How, Watch, run, short};

/// A trained blueprint, opened.
#[pyclass(frozen, module = "lethe._lethe", name = "Blueprint")]
#[derive(Debug)]
pub(crate) struct Blueprint(Mutex<Option<Arc<Open>>>);

impl Blueprint {
    /// The open blueprint.
    pub(crate) fn get(&self) -> Result<Arc<Open>, Failure> {
        let open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.clone().ok_or(Failure::Closed("blueprint"))
    }
}

/// Trains a blueprint: what is said of it.
#[pyfunction]
#[pyo3(signature = (config, overrides, out, time, iterations, resume, data, threads, progress))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn train(
    py: Python<'_>,
    config: (String, String),
    overrides: Vec<String>,
    out: PathBuf,
    time: Option<&str>,
    iterations: Option<u64>,
    resume: bool,
    data: Option<PathBuf>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> Result<Py<PyAny>, Failure> {
    let (kind, text) = config;
    let config = match kind.as_str() {
        "preset" => training_config(Some(&text), None, &overrides)?,
        "file" => training_config(None, Some(text.as_ref()), &overrides)?,
        _ => training_source(&Source::file("configuration", &text), &overrides)?,
    };
    let data = data_dir(data);
    let time = match time {
        Some(text) => {
            let read = limits::time(text)
                .map_err(|error| Failure::Input(format!("time is {text:?}: {error}")));
            Some(read?.as_secs_f64())
        }
        // Iterations alone are a limit too.
        None => iterations.is_none().then_some(config.training.time),
    };
    let limits = Limits { seconds: time, iterations };
    let mut training = Training::new(config, data.run(&out), limits)?;
    training.resume = resume;
    let view = run(py, How { threads, progress }, |job, watch| {
        if let CardSource::Build(build) = training.card_source(&data)? {
            build.run(job)?;
        }
        let cards = training.open_cards(&data)?;
        training.check_memory(&training.forecast(&cards, job.threads(), 1))?;
        let view =
            training.run(cards, job.silent(), &mut |point| report(watch, point, iterations))?;
        json::view(&view)
    })?;
    Ok(json::to_python(py, &view)?.unbind())
}

/// Reports a point of training.
fn report(watch: &Watch, point: &Metrics, iterations: Option<u64>) {
    let figures = serde_json::to_value(point).unwrap_or_else(|_| json!({}));
    watch.set("training", point.iterations, iterations.unwrap_or(0), figures);
}

fn checkpoint(name: &str) -> Result<CheckpointKind, Failure> {
    let known =
        runs::KINDS.into_iter().find(|kind| kind.file().strip_suffix(".blueprint") == Some(name));
    known.ok_or_else(|| {
        Failure::Input(format!(
            "checkpoint is {name:?}; expected latest, best-exploitability or best-match"
        ))
    })
}

/// The flops to look at.
fn flops(count: usize, exact: bool, seed: u64) -> Result<Flops, Failure> {
    match (exact, count) {
        (true, _) => Ok(Flops::All),
        (false, 1..=22_100) => Ok(Flops::Sample(count, seed)),
        (false, _) => Err(Failure::Input(format!("flops is {count}; expected 1 to 22100"))),
    }
}

/// Reads a hand: two cards, or a starting hand such as AKs.
fn read_hand(text: &str) -> Result<Hole, Failure> {
    let named = StartingHand::all().find(|hand| hand.to_string() == text.trim());
    match named.and_then(|hand| hand.holes().next()) {
        Some(hole) => Ok(hole),
        None => text.parse().map_err(|error| Failure::pointing(&error, text)),
    }
}

fn read_board(text: Option<&str>) -> Result<Option<Board>, Failure> {
    match text.filter(|text| !text.trim().is_empty()) {
        None => Ok(None),
        Some(text) => Ok(Some(text.parse().map_err(|error| Failure::pointing(&error, text))?)),
    }
}

fn hands_table(hands: &[HandView], actions: &[String]) -> Columns {
    let mut columns = vec![
        Column::texts("hand", hands.iter().map(|row| Some(&row.hand))),
        Column::wholes("bucket", hands.iter().map(|row| Some(row.bucket.into()))),
        Column::texts("key", hands.iter().map(|row| Some(&row.key))),
        Column::numbers("reach", hands.iter().map(|row| Some(row.reach))),
        Column::wholes("trained", hands.iter().map(|row| Some(row.trained.into()))),
    ];
    if hands.iter().any(|row| row.ev.is_some()) {
        columns.push(Column::numbers("ev", hands.iter().map(|row| row.ev)));
    }
    action_columns(actions, hands.iter().map(|row| row.actions.as_slice()), &mut columns);
    Columns::new(columns)
}

fn buckets_table(buckets: &[BucketStrategy], actions: &[String]) -> Columns {
    let mut columns = vec![
        Column::wholes("bucket", buckets.iter().map(|row| Some(row.bucket.into()))),
        Column::texts("key", buckets.iter().map(|row| row.key.as_ref())),
        Column::numbers("share", buckets.iter().map(|row| row.share)),
        Column::numbers("equity", buckets.iter().map(|row| row.equity)),
        Column::wholes("trained", buckets.iter().map(|row| Some(row.trained.into()))),
    ];
    if buckets.iter().any(|row| row.ev.is_some()) {
        columns.push(Column::numbers("ev", buckets.iter().map(|row| row.ev)));
    }
    for (place, name) in actions.iter().enumerate() {
        let frequency = |row: &BucketStrategy| row.frequencies.get(place).copied();
        columns.push(Column::numbers(name.clone(), buckets.iter().map(frequency)));
    }
    Columns::new(columns)
}

/// The curves and the points of a run: a table, and a name and picture of each curve.
type HistoryParts = (Table, Vec<(String, String)>, Py<PyAny>);

#[pymethods]
impl Blueprint {
    /// Opens a blueprint: a run's directory, its name in the data directory, or a checkpoint file.
    #[new]
    #[pyo3(signature = (name, checkpoint="latest", data=None))]
    fn new(
        py: Python<'_>,
        name: PathBuf,
        checkpoint: &str,
        data: Option<PathBuf>,
    ) -> Result<Blueprint, Failure> {
        let kind = self::checkpoint(checkpoint)?;
        let open = short(py, || Ok(runs::open(&data_dir(data), &name, kind)?))?;
        Ok(Blueprint(Mutex::new(Some(Arc::new(open)))))
    }

    /// Closes it.
    fn close(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// What the checkpoint says about itself.
    #[getter]
    fn header(&self, py: Python<'_>) -> Result<Py<PyAny>, Failure> {
        let view = json::view(self.get()?.header())?;
        Ok(json::to_python(py, &view)?.unbind())
    }

    /// The checkpoint.
    #[getter]
    fn path(&self) -> Result<PathBuf, Failure> {
        Ok(self.get()?.checkpoint().path().to_owned())
    }

    /// What it does at a decision: the summary, the hands or buckets, and the grid where there is one.
    #[pyo3(signature = (line, board, hand))]
    fn decision(
        &self,
        py: Python<'_>,
        line: &str,
        board: Option<&str>,
        hand: Option<&str>,
    ) -> Result<(Py<PyAny>, Table, Option<String>), Failure> {
        let open = self.get()?;
        let hole = hand.map(read_hand).transpose()?;
        let mut question = Question { line, board: read_board(board)?, hole, hands: true };
        let view: StrategyView = short(py, || match ask(&open, &question) {
            // Without a board there are only buckets.
            Err(lethe_kit::Error::BoardNeeded(_)) if hole.is_none() => {
                question.hands = false;
                Ok(ask(&open, &question)?)
            }
            found => Ok(found?),
        })?;
        let actions = names(&view.actions);
        let table = match (&view.hand, &view.hands, &view.buckets) {
            (Some(hand), ..) => hands_table(std::slice::from_ref(hand), &actions),
            (_, Some(hands), _) => hands_table(hands, &actions),
            (_, _, Some(buckets)) => buckets_table(buckets, &actions),
            _ => Columns::default(),
        };
        let line = if view.history.is_empty() { "the first decision" } else { &view.history };
        let grid = view.grid.as_ref().map(|grid| strategy_grid(grid, line));
        let mut summary = json::view(&view)?;
        if let Some(fields) = summary.as_object_mut() {
            fields
                .retain(|name, _| !matches!(name.as_str(), "hand" | "hands" | "grid" | "buckets"));
        }
        Ok((json::to_python(py, &summary)?.unbind(), Table::new(table), grid))
    }

    /// The actions of a decision as words of a line, and how often a hand takes each.
    #[pyo3(signature = (line, hole, board))]
    fn frequencies(
        &self,
        line: &str,
        hole: &str,
        board: Option<&str>,
    ) -> Result<(Vec<String>, Vec<f64>), Failure> {
        let open = self.get()?;
        let tree = open.tree();
        let place = line::find(tree, line).map_err(Failure::input)?.after_deals(tree);
        let hole = read_hand(hole)?;
        let board = match Board::new(&place.dealt).filter(|board| board.street() != Street::Preflop)
        {
            Some(board) => board,
            None => read_board(board)?.unwrap_or(Board::EMPTY),
        };
        let found = open.frequencies(place.node, hole, &board)?;
        let found = found.ok_or_else(|| {
            Failure::Input(format!(
                "nobody acts with {hole} on the board {board:?} after the line {line:?}"
            ))
        })?;
        let word = |&child: &lethe_game::NodeId| {
            tree.history(child).rsplit(' ').next().unwrap_or_default().to_owned()
        };
        Ok((tree.children(place.node).iter().map(word).collect(), found))
    }

    /// What a best response wins from it.
    #[pyo3(signature = (flops, exact, seed, uniform, search, threads, progress))]
    #[allow(clippy::too_many_arguments)]
    fn exploitability(
        &self,
        py: Python<'_>,
        flops: usize,
        exact: bool,
        seed: u64,
        uniform: bool,
        search: Option<(String, String, u32)>,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> Result<Py<PyAny>, Failure> {
        let (open, flops) = (self.get()?, self::flops(flops, exact, seed)?);
        let search = match search {
            None => None,
            Some((from, gadget, iterations @ 1..)) => {
                let from = match from.as_str() {
                    "flop" => Street::Flop,
                    "turn" => Street::Turn,
                    "river" => Street::River,
                    other => {
                        return Err(Failure::Input(format!(
                            "search is {other:?}; expected flop, turn or river"
                        )));
                    }
                };
                Some(Search::new(from, gadget.parse().map_err(Failure::input)?, iterations))
            }
            Some(_) => return Err(Failure::input("iterations is 0; expected at least 1")),
        };
        if let (Some(_), Flops::All | Flops::Sample(0 | 1, _)) = (search, flops) {
            return Err(Failure::input(
                "an agent that searches is measured on a sample of at least 2 flops",
            ));
        }
        let view: Value = run(py, How { threads, progress }, |job, _| {
            let verified = open.verify(job)?;
            match search {
                None => json::view(&measure::exploitability(&verified, uniform, flops, job)?),
                Some(search) => json::view(&measure::search_exploitability(
                    &verified,
                    search,
                    flops,
                    job,
                    &mut |_| (),
                )?),
            }
        })?;
        Ok(json::to_python(py, &view)?.unbind())
    }

    /// What a local best response wins from it, a lower bound.
    #[pyo3(signature = (hands, seed, threads, progress))]
    fn local_best_response(
        &self,
        py: Python<'_>,
        hands: u64,
        seed: u64,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> Result<Py<PyAny>, Failure> {
        if !(2..=1_000_000_000_000).contains(&hands) {
            return Err(Failure::Input(format!("hands is {hands}; expected at least 2")));
        }
        let open = self.get()?;
        let view = run(py, How { threads, progress }, |job, _| {
            json::view(&measure::local_best_response(&open.verify(job)?, false, hands, seed, job)?)
        })?;
        Ok(json::to_python(py, &view)?.unbind())
    }

    /// How training went.
    fn history(&self, py: Python<'_>) -> Result<HistoryParts, Failure> {
        let open = self.get()?;
        let run = open.checkpoint().path().parent().unwrap_or(std::path::Path::new(""));
        let history = TrainingHistory::read(run)?;
        let points = &history.points;
        let number = |name: &str, of: fn(&Metrics) -> Option<f64>| {
            Column::numbers(name, points.iter().map(of))
        };
        let table = Columns::new(vec![
            number("seconds", |point| Some(point.seconds)),
            Column::wholes("iterations", points.iter().map(|point| Some(point.iterations))),
            Column::wholes("visits", points.iter().map(|point| Some(point.visits))),
            number("iterations_per_second", |point| point.iterations_per_second),
            number("average_regret_mbb", |point| point.average_regret_mbb),
            number("exploitability_mbb", |point| Some(point.exploitability?.mbb)),
            number("interval_mbb", |point| point.exploitability?.interval_mbb),
        ]);
        let curves =
            history.curves().iter().map(|curve| (curve.name.to_owned(), curve.svg())).collect();
        let facts = Value::Object(
            history
                .facts()
                .into_iter()
                .map(|(name, text)| (name.to_owned(), Value::from(text)))
                .collect(),
        );
        Ok((Table::new(table), curves, json::to_python(py, &facts)?.unbind()))
    }

    /// Every decision at and below a line, a row for each action of each bucket.
    #[pyo3(signature = (line, street, threads, progress))]
    fn export(
        &self,
        py: Python<'_>,
        line: &str,
        street: Option<&str>,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> Result<Table, Failure> {
        let (open, street) = (self.get()?, street.map(str::parse).transpose()?);
        let table = run(py, How { threads, progress }, |job, _| {
            let rows = BlueprintRows::new(&open, line, street)?;
            let mut columns = Columns::of(&BlueprintRows::SCHEMA);
            rows.write(
                Written::rows(&BlueprintRows::SCHEMA, Box::new(|row| columns.push(row))),
                job,
            )?;
            Ok(columns)
        })?;
        Ok(Table::new(table))
    }
}
