//! Spots solved, and the positions of their solutions.

use std::path::PathBuf;
use std::sync::Arc;

use lethe_cards::Range;
use lethe_game::{Player, SpotConfig};
use lethe_kit::action::ActionShare;
use lethe_kit::export::{SolutionRows, Table as Written};
use lethe_kit::limits;
use lethe_kit::plot::grid::strategy_grid;
use lethe_kit::solution::{
    self, HandRow, PositionRequest, RunoutRow, RunoutsView, SolveOptions, SolveView, TreeView,
};
use lethe_kit::spot::{SpotFile, add_lock, start_at};
use lethe_solver::{Buckets, Keep, Metrics, Options, Precision, Rule, Stop};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};

use crate::abstraction::{Abstraction, data_dir};
use crate::errors::Failure;
use crate::json;
use crate::table::{Column, Columns, Table};
use crate::work::{How, Watch, run};

/// A solved spot.
#[pyclass(frozen, module = "lethe._lethe", name = "Solution")]
#[derive(Debug)]
pub(crate) struct Solution {
    solution: Arc<lethe_solver::Solution>,
    how: SolveOptions,
    /// How it was solved; `None` for one that was opened.
    view: Option<Value>,
    /// The betting that it was solved with, for saving.
    betting: Option<SpotConfig>,
}

/// What a position shows: its summary, the hands of a player, and their grid.
type PositionParts = (Py<PyAny>, Table, String);

/// A limit as text.
fn limit<T>(
    text: Option<&str>,
    read: impl Fn(&str) -> Result<T, limits::LimitError>,
    name: &str,
) -> Result<Option<T>, Failure> {
    text.map(|text| {
        read(text).map_err(|error| Failure::Input(format!("{name} is {text:?}: {error}")))
    })
    .transpose()
}

/// The options of a solve.
fn options(given: &Bound<'_, PyDict>) -> Result<SolveOptions, Failure> {
    let text = |name: &str| -> Result<Option<String>, Failure> {
        match given.get_item(name)? {
            Some(value) if !value.is_none() => Ok(Some(value.extract()?)),
            _ => Ok(None),
        }
    };
    let iterations: Option<u32> = match given.get_item("iterations")? {
        Some(value) if !value.is_none() => {
            let count: u32 = value.extract()?;
            if count == 0 {
                return Err(Failure::input("iterations is 0; expected at least 1"));
            }
            Some(count)
        }
        _ => None,
    };
    let time = limit(text("time")?.as_deref(), limits::time, "time")?;
    let target = limit(text("target")?.as_deref(), limits::percent, "target")?;
    let unlimited = iterations.is_none() && time.is_none();
    let rule = match text("rule")?.as_deref().unwrap_or("dcfr") {
        "dcfr" => Rule::default(),
        "cfr+" | "plus" => Rule::Plus,
        "linear" => Rule::Linear,
        "predictive" => Rule::PDCFR_PLUS,
        other => {
            return Err(Failure::Input(format!(
                "rule is {other:?}; expected dcfr, cfr+, linear or predictive"
            )));
        }
    };
    let precision = match text("precision")?.as_deref().unwrap_or("f32") {
        "f32" => Precision::F32,
        "i16" => Precision::I16,
        other => {
            return Err(Failure::Input(format!("precision is {other:?}; expected f32 or i16")));
        }
    };
    let memory = limit(text("memory")?.as_deref(), limits::memory, "memory")?;
    Ok(SolveOptions {
        options: Options {
            rule,
            precision,
            memory_limit: memory.or_else(limits::free_memory),
            ..Options::default()
        },
        stop: Stop {
            target: target.or(unlimited.then_some(limits::TARGET)),
            iterations,
            time,
            ..Stop::default()
        },
    })
}

fn spot_file(source: &(String, String)) -> Result<SpotFile, Failure> {
    let (kind, text) = source;
    Ok(match kind.as_str() {
        "file" => SpotFile::read(text.as_ref())?,
        _ => SpotFile::parse("spot", text)?,
    })
}

/// Reports the iterations of a solve.
fn on_metrics<'a>(watch: &'a Watch, stop: &Stop) -> impl FnMut(&Metrics) + 'a {
    let most = stop.iterations.map_or(0, u64::from);
    move |now| {
        let percent = now.exploitability.map(|chips| 100.0 * chips / now.pot);
        let figures = json!({
            "exploitability": now.exploitability,
            "exploitability_percent": percent,
            "seconds": now.elapsed.as_secs_f64(),
        });
        watch.set("solving", now.iteration.into(), most, figures);
    }
}

/// Solves a spot.
#[pyfunction]
#[pyo3(signature = (spot, given, start, locks, abstraction, threads, progress))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn solve(
    py: Python<'_>,
    spot: (String, String),
    given: &Bound<'_, PyDict>,
    start: Option<&str>,
    locks: Vec<String>,
    abstraction: Option<Bound<'_, Abstraction>>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> Result<Solution, Failure> {
    let mut how = options(given)?;
    let abstraction = abstraction.map(|open| open.get().get()).transpose()?;
    let file = spot_file(&spot)?;
    let mut built = file.spot()?;
    if let Some(start) = start {
        built = start_at(&built, start).map_err(Failure::input)?;
    }
    for lock in &locks {
        built = add_lock(built, lock).map_err(Failure::input)?;
    }
    let solved = run(py, How { threads, progress }, |job, watch| {
        if let Some(open) = abstraction {
            open.verify_tables(job)?;
            let buckets: Arc<dyn Buckets> = open;
            how.options.buckets = [Some(buckets.clone()), Some(buckets)];
        }
        let mut report = on_metrics(watch, &how.stop);
        let solution = solution::solve(built, &how, job.silent(), &mut report)?;
        job.check()?;
        let view = json::view(&SolveView::of(&solution))?;
        Ok((solution, how, view))
    })?;
    let (solution, how, view) = solved;
    let betting = Some(file.config().clone());
    Ok(Solution { solution: Arc::new(solution), how, view: Some(view), betting })
}

/// The betting tree of a spot and the memory of a solve.
#[pyfunction]
pub(crate) fn tree(
    py: Python<'_>,
    spot: (String, String),
    depth: usize,
) -> Result<Py<PyAny>, Failure> {
    let view = run(py, How { threads: Some(1), progress: None }, |_, _| {
        json::view(&TreeView::of(&spot_file(&spot)?.spot()?, depth))
    })?;
    Ok(json::to_python(py, &view)?.unbind())
}

/// The columns of the actions of hands: how often each is taken, and what it is worth.
pub(crate) fn action_columns<'a>(
    names: &[String],
    rows: impl Iterator<Item = &'a [ActionShare]> + Clone,
    columns: &mut Vec<Column>,
) {
    for (place, name) in names.iter().enumerate() {
        let frequency =
            |actions: &'a [ActionShare]| actions.get(place).and_then(|share| share.frequency);
        columns.push(Column::numbers(name.clone(), rows.clone().map(frequency)));
    }
    let has_values = rows.clone().flatten().any(|share| share.ev.is_some());
    for (place, name) in names.iter().enumerate().filter(|_| has_values) {
        let ev = |actions: &'a [ActionShare]| actions.get(place).and_then(|share| share.ev);
        columns.push(Column::numbers(format!("ev {name}"), rows.clone().map(ev)));
    }
}

fn hands_table(hands: &[HandRow], actions: &[String]) -> Columns {
    let number = |of: fn(&HandRow) -> Option<f64>| hands.iter().map(of);
    let mut columns = vec![
        Column::texts("hand", hands.iter().map(|row| Some(&row.hand))),
        Column::texts("made", hands.iter().map(|row| Some(row.made))),
        Column::texts("draws", hands.iter().map(|row| Some(row.draws.join(", ")))),
        Column::numbers("weight", number(|row| Some(row.weight))),
        Column::numbers("reach", number(|row| Some(row.reach))),
        Column::numbers("ev", number(|row| row.values.ev)),
        Column::numbers("equity", number(|row| row.values.equity)),
        Column::numbers("realisation", number(|row| row.values.realisation)),
    ];
    action_columns(actions, hands.iter().map(|row| row.actions.as_slice()), &mut columns);
    Columns::new(columns)
}

fn runouts_table(runouts: &RunoutsView) -> Columns {
    let cards = &runouts.cards;
    let number =
        |name: &str, of: fn(&RunoutRow) -> Option<f64>| Column::numbers(name, cards.iter().map(of));
    let mut columns = vec![
        Column::texts("card", cards.iter().map(|row| Some(&row.card))),
        number("ev oop", |row| row.ev.oop),
        number("ev ip", |row| row.ev.ip),
        number("equity oop", |row| row.equity.oop),
        number("equity ip", |row| row.equity.ip),
    ];
    // The betting after a card is the same whatever the card.
    let actions = cards.first().map_or_else(Vec::new, |row| names(&row.actions));
    action_columns(&actions, cards.iter().map(|row| row.actions.as_slice()), &mut columns);
    Columns::new(columns)
}

/// The names of actions, each once.
pub(crate) fn names(actions: &[ActionShare]) -> Vec<String> {
    actions.iter().map(|share| share.action.text.clone()).collect()
}

fn player(name: Option<&str>) -> Result<Option<Player>, Failure> {
    match name {
        None => Ok(None),
        Some("oop") => Ok(Some(Player::Oop)),
        Some("ip") => Ok(Some(Player::Ip)),
        Some(other) => Err(Failure::Input(format!("player is {other:?}; expected oop or ip"))),
    }
}

#[pymethods]
impl Solution {
    /// Opens a saved solution.
    #[staticmethod]
    #[pyo3(signature = (path, data, threads, progress))]
    fn open(
        py: Python<'_>,
        path: PathBuf,
        data: Option<PathBuf>,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> Result<Solution, Failure> {
        let path = data_dir(data).solution(&path);
        let how = SolveOptions::default();
        let solution = run(py, How { threads, progress }, |job, _| {
            let found = lethe_solver::Solution::open(&path, job);
            Ok(found.map_err(|error| solution::SolutionError::Open {
                file: path.display().to_string(),
                error,
            })?)
        })?;
        Ok(Solution { solution: Arc::new(solution), how, view: None, betting: None })
    }

    /// How the solve ended.
    #[getter]
    fn view(&self, py: Python<'_>) -> Result<Py<PyAny>, Failure> {
        let view = match &self.view {
            Some(view) => view.clone(),
            None => json::view(&SolveView::of(&self.solution))?,
        };
        Ok(json::to_python(py, &view)?.unbind())
    }

    /// The position that a line leads to.
    #[pyo3(signature = (line, player, threads, progress))]
    fn position(
        &self,
        py: Python<'_>,
        line: &str,
        player: Option<&str>,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> Result<PositionParts, Failure> {
        let request = PositionRequest {
            player: self::player(player)?,
            hands: Some(Range::full()),
            grid: true,
            ..PositionRequest::default()
        };
        let view = run(py, How { threads, progress }, |job, watch| {
            let mut report = on_metrics(watch, &self.how.stop);
            Ok(solution::view(
                &self.solution,
                line,
                &request,
                &self.how,
                job.silent(),
                &mut report,
            )?)
        })?;
        let hands = view.hands.as_ref().map_or(&[][..], |hands| &hands.hands);
        let shown = view.hands.as_ref().map(|hands| hands.player);
        let actions = names(&view.node.actions);
        let actions = if view.node.player == shown { &actions[..] } else { &[] };
        let table = hands_table(hands, actions);
        let line = if view.node.line.is_empty() { "root" } else { &view.node.line };
        let grid = view.grid.as_ref().map(|grid| strategy_grid(grid, line)).unwrap_or_default();
        let mut summary = json::view(&view.node)?;
        summary["shown"] = json::view(&shown)?;
        Ok((json::to_python(py, &summary)?.unbind(), Table::new(table), grid))
    }

    /// Every card that may be dealt after a line.
    #[pyo3(signature = (line, threads, progress))]
    fn runouts(
        &self,
        py: Python<'_>,
        line: &str,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> Result<Table, Failure> {
        let request = PositionRequest { runouts: true, ..PositionRequest::default() };
        let table = run(py, How { threads, progress }, |job, watch| {
            let mut report = on_metrics(watch, &self.how.stop);
            let view = solution::view(
                &self.solution,
                line,
                &request,
                &self.how,
                job.silent(),
                &mut report,
            )?;
            Ok(view.runouts.as_ref().map_or_else(Columns::default, runouts_table))
        })?;
        Ok(Table::new(table))
    }

    /// Every decision at and below a line, a row for each action of each hand.
    #[pyo3(signature = (line, to, threads, progress))]
    fn export(
        &self,
        py: Python<'_>,
        line: &str,
        to: Option<&str>,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> Result<Table, Failure> {
        let last = to.map(str::parse).transpose()?;
        let table = run(py, How { threads, progress }, |job, _| {
            let rows = SolutionRows::new(&self.solution, line, last)?;
            let mut columns = Columns::of(&SolutionRows::SCHEMA);
            rows.write(
                Written::rows(&SolutionRows::SCHEMA, Box::new(|row| columns.push(row))),
                job,
            )?;
            Ok(columns)
        })?;
        Ok(Table::new(table))
    }

    /// Saves the solution to a file, or under a name in the data directory.
    #[pyo3(signature = (path, without, data))]
    fn save(
        &self,
        py: Python<'_>,
        path: PathBuf,
        without: Option<&str>,
        data: Option<PathBuf>,
    ) -> Result<PathBuf, Failure> {
        let keep = match without {
            None => Keep::Everything,
            Some("river") => Keep::ThroughTurn,
            Some("turn") => Keep::ThroughFlop,
            Some(other) => {
                return Err(Failure::Input(format!(
                    "without is {other:?}; expected turn or river"
                )));
            }
        };
        let Some(betting) = &self.betting else {
            return Err(Failure::input(
                "this solution was opened from a file: copy the file instead",
            ));
        };
        let data = data_dir(data);
        let target = data.solution(&path);
        run(py, How { threads: Some(1), progress: None }, |job, _| {
            if target != path {
                std::fs::create_dir_all(data.solutions())
                    .map_err(|error| Failure::Failed(error.to_string()))?;
            }
            self.solution.save(&target, betting, keep, job)?;
            Ok(())
        })?;
        Ok(target)
    }
}
