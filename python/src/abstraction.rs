//! `Abstraction`: built or opened, looked up, described.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use lethe_abstraction::Abstraction as Open;
use lethe_cards::{Board, CanonicalBoard, Deck, Hole, Rank, StartingHand, Street};
use lethe_kit::abstractions::{Build, BuildView, LookupView, Overview};
use lethe_kit::config::AbstractionConfig;
use lethe_kit::data::DataDir;
use lethe_kit::plot::grid::value_grid;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::cards::Situations;
use crate::errors::Failure;
use crate::json;
use crate::mapped;
use crate::work::{How, each_part, run, short};

/// A card abstraction, opened.
#[pyclass(frozen, module = "lethe._lethe", name = "Abstraction")]
#[derive(Debug)]
pub(crate) struct Abstraction(Mutex<Option<Arc<Open>>>);

impl Abstraction {
    /// The open abstraction.
    pub(crate) fn get(&self) -> Result<Arc<Open>, Failure> {
        let open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.clone().ok_or(Failure::Closed("abstraction"))
    }
}

/// The data directory.
pub(crate) fn data_dir(data: Option<PathBuf>) -> DataDir {
    DataDir::locate(data.as_deref())
}

/// Builds what a configuration asks for, unless it is there: what is said of it.
#[pyfunction]
#[pyo3(signature = (config, overrides, out, force, equity_tables, data, threads, progress))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn build(
    py: Python<'_>,
    config: (String, String),
    overrides: Vec<String>,
    out: Option<PathBuf>,
    force: bool,
    equity_tables: bool,
    data: Option<PathBuf>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> Result<Py<PyAny>, Failure> {
    let (kind, text) = config;
    let mut config = match kind.as_str() {
        "preset" => AbstractionConfig::preset(&text)?,
        "file" => AbstractionConfig::load(&text)?,
        _ => AbstractionConfig::from_yaml(&text, "configuration")?,
    };
    overrides.iter().try_for_each(|assignment| config.set(assignment))?;
    let root = out.unwrap_or_else(|| data_dir(data).abstractions());
    let mut build = Build::new(config, root)?;
    (build.force, build.equity_tables) = (force, equity_tables);
    let view = run(py, How { threads, progress }, |job, _| {
        let built = build.run(job)?;
        json::view(&BuildView::of(built, Vec::new())?)
    })?;
    Ok(json::to_python(py, &view)?.unbind())
}

#[pymethods]
impl Abstraction {
    /// Opens an abstraction: a directory, a name in the data directory or a preset.
    #[new]
    #[pyo3(signature = (name, data=None))]
    fn new(py: Python<'_>, name: PathBuf, data: Option<PathBuf>) -> Result<Abstraction, Failure> {
        let open = short(py, || Ok(data_dir(data).open_abstraction(&name)?))?;
        Ok(Abstraction(Mutex::new(Some(Arc::new(open)))))
    }

    /// Closes it. Arrays that were taken from it stay valid.
    fn close(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The name of its directory.
    #[getter]
    fn name(&self) -> Result<String, Failure> {
        Ok(self.get()?.metadata().name.clone())
    }

    /// Its directory.
    #[getter]
    fn path(&self) -> Result<PathBuf, Failure> {
        Ok(self.get()?.path().to_owned())
    }

    /// How many buckets a street has.
    fn count(&self, street: &str) -> Result<usize, Failure> {
        Ok(self.get()?.buckets(street.parse()?))
    }

    /// The bucket of each situation.
    fn buckets<'py>(
        &self,
        py: Python<'py>,
        holes: PyReadonlyArray2<'py, u8>,
        boards: PyReadonlyArray2<'py, u8>,
    ) -> Result<Bound<'py, PyArray1<u32>>, Failure> {
        /// Hands looked up together, so that both stay in the cache.
        const TOGETHER: usize = 1024;
        let open = self.get()?;
        let all = Situations::new(&holes, &boards)?;
        let mut buckets = vec![0u32; all.rows];
        let (rows, out, open) = (all.rows, &mut buckets, &*open);
        each_part(py, rows, move |part| {
            let (mut hands, mut found) =
                (Vec::with_capacity(TOGETHER), Vec::with_capacity(TOGETHER));
            for first in part.clone().step_by(TOGETHER) {
                let rows = first..part.end.min(first + TOGETHER);
                hands.clear();
                for row in rows.clone() {
                    hands.push(all.get(row)?);
                }
                open.lookup_all(&hands, &mut found)?;
                for ((to, found), row) in out[rows.clone()].iter_mut().zip(&found).zip(rows) {
                    let (hole, board) = &hands[row - first];
                    *to = found.ok_or_else(|| Situations::shared(row, *hole, board))?.bucket;
                }
            }
            Ok(())
        })?;
        Ok(buckets.into_pyarray(py))
    }

    /// The buckets of a street as an array over the file, a row for each canonical board.
    #[pyo3(signature = (street, threads=None, progress=None))]
    fn table(
        &self,
        py: Python<'_>,
        street: &str,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> Result<Py<PyAny>, Failure> {
        let (open, street) = (self.get()?, street.parse::<Street>()?);
        run(py, How { threads, progress }, |job, _| {
            // Checked with the interpreter free; then it is a matter of a few pointers.
            open.table(street, job)?;
            Python::attach(|py| mapped::bucket_array(py, open.clone(), street, job))
        })
    }

    /// What is said of one hand.
    fn lookup(&self, py: Python<'_>, hole: &str, board: &str) -> Result<Py<PyAny>, Failure> {
        let open = self.get()?;
        let hole: Hole = hole.parse().map_err(|error| Failure::pointing(&error, hole))?;
        let board: Board = match board.trim() {
            "" => Board::EMPTY,
            text => text.parse().map_err(|error| Failure::pointing(&error, text))?,
        };
        let view = short(py, || json::view(&LookupView::of(&open, hole, &board)?))?;
        Ok(json::to_python(py, &view)?.unbind())
    }

    /// Streets in figures, with every bucket.
    fn inspect(&self, py: Python<'_>, streets: Vec<String>) -> Result<Py<PyAny>, Failure> {
        let open = self.get()?;
        let streets: Vec<Street> =
            streets.iter().map(|name| name.parse()).collect::<Result<_, _>>()?;
        let view = short(py, || json::view(&Overview::of(&open, &streets)?))?;
        Ok(json::to_python(py, &view)?.unbind())
    }

    /// Checks every byte of the bucket tables.
    #[pyo3(signature = (threads=None, progress=None))]
    fn verify(
        &self,
        py: Python<'_>,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> Result<(), Failure> {
        let open = self.get()?;
        run(py, How { threads, progress }, |job, _| Ok(open.verify_tables(job)?))
    }

    /// The mean equity of the buckets of each starting hand on a board, or on all flops, as a grid.
    fn grid(&self, py: Python<'_>, board: &str) -> Result<String, Failure> {
        let open = self.get()?;
        let board: Option<Board> = match board.trim() {
            "" => None,
            text => Some(text.parse().map_err(|error| Failure::pointing(&error, text))?),
        };
        short(py, || picture(&open, board))
    }
}

/// Where a starting hand stands in a grid.
fn place(class: StartingHand) -> usize {
    let [high, low] = [class.high(), class.low()].map(|rank| Rank::COUNT - 1 - rank.index());
    if class.is_suited() { 13 * high + low } else { 13 * low + high }
}

fn picture(open: &Open, board: Option<Board>) -> Result<String, Failure> {
    let street = board.map_or(Street::Flop, |board| board.street());
    let report = lethe_kit::abstractions::report(open, street)?;
    let base = open.base_buckets(street);
    let mut sums = vec![(0.0, 0.0); 169];
    let mut seen = vec![vec![false; open.buckets(street)]; 169];
    let mut row = vec![0u32; Deck::row_len(street)];
    let mut add = |board: &Board, weight: f64| -> Result<(), Failure> {
        open.row_into(board, &mut row)?;
        for (hole, &bucket) in Deck::without(board.set()).holes().zip(&row) {
            let at = place(hole.class());
            sums[at].0 += weight * report.equities[bucket as usize % base];
            sums[at].1 += weight;
            seen[at][bucket as usize] = true;
        }
        Ok(())
    };
    match &board {
        Some(board) => add(board, 1.0)?,
        None => {
            for flop in CanonicalBoard::all(Street::Flop) {
                add(&flop.board(), f64::from(flop.multiplicity()))?;
            }
        }
    }
    let mut cells = vec![(String::new(), None, String::new()); 169];
    for class in StartingHand::all() {
        let at = place(class);
        let (sum, weight) = sums[at];
        let buckets = seen[at].iter().filter(|seen| **seen).count();
        let note = if buckets == 0 { String::new() } else { buckets.to_string() };
        cells[at] = (class.to_string(), (weight > 0.0).then(|| sum / weight), note);
    }
    let place = board.map_or_else(|| "over all flops".to_owned(), |board| format!("on {board}"));
    Ok(value_grid(&cells, &format!("mean bucket equity {place}; below: how many buckets")))
}
