//! A spot solved on many flops: which ones, their results on disk, and the report over all of them.
//!
//! A sweep is a directory of work whose units are flops. One that was stopped resumes with the flops
//! that are left, and parts of one may be computed by several processes.
//!
//! ```no_run
//! use lethe_collective::Share;
//! use lethe_compute::Job;
//! use lethe_kit::solution::SolveOptions;
//! use lethe_kit::sweep::{Flops, Sweep};
//!
//! let text = std::fs::read_to_string("spots/srp-flop.yaml")?;
//! let sweep = Sweep::create("srp".as_ref(), &text, &Flops::Count(25), 0.005)?;
//! sweep.run(&SolveOptions::default(), Share::alone(), Job::default(), &mut |_| ())?;
//! println!("{:?}", sweep.view()?.mean);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod flops;

use std::path::{Path, PathBuf};

use lethe_cards::{Board, ParseError, Street};
use lethe_collective::{Share, ShareError};
use lethe_compute::Job;
use lethe_game::{Action, Player};
use lethe_solver::{Metrics, Position, Stop};
use serde::{Deserialize, Serialize};

use self::flops::Texture;
pub use self::flops::{Flops, TextureView};
use crate::action;
use crate::config::ConfigError;
use crate::export::{Column, ExportError, Kind, Schema, Table, TableFormat, Value};
use crate::files::{Replace, Units, UnitsError, Work};
use crate::solution::{self, SolutionError, SolveOptions};
use crate::spot::SpotFile;

/// The kind of work that a sweep is.
pub const KIND: &str = "sweep";

/// What is solved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Manifest {
    version: u32,
    spot: String,
    target: f64,
    flops: Vec<(String, f64)>,
}

/// What determines the result on a flop.
#[derive(Clone, Debug, Serialize)]
struct Key {
    version: u32,
    /// The hash of the spot file.
    spot: String,
    target: f64,
    weight: f64,
}

/// The result on one flop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlopResult {
    /// The flop.
    pub flop: String,
    /// Its weight.
    pub weight: f64,
    /// Iterations of the solve.
    pub iterations: u32,
    /// Their seconds.
    pub seconds: f64,
    /// The exploitability reached, in percent of the pot.
    pub exploitability_percent: Option<f64>,
    /// Each player's expected share of the pot in chips, `oop` first.
    pub ev: [f64; 2],
    /// Each player's equity, `oop` first.
    pub equity: [f64; 2],
    /// What `oop` does first.
    pub oop: Vec<ActionResult>,
    /// What `ip` does after a check; empty where it cannot act.
    pub ip: Vec<ActionResult>,
}

/// An action and how often it is taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActionResult {
    /// `check`, `bet` or `allin`.
    pub action: String,
    /// Of a bet: its chips.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chips: Option<u32>,
    /// Of a bet: the part of the pot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pot_fraction: Option<f64>,
    /// The action for people.
    pub text: String,
    /// How often.
    pub frequency: f64,
}

/// How far a sweep is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepProgress {
    /// Flops finished.
    pub done: usize,
    /// Of so many.
    pub total: usize,
    /// The flop being solved.
    pub flop: Board,
    /// How far its solve is, after the first iteration.
    pub metrics: Option<Metrics>,
}

/// A sweep: what is solved, and where its results are.
#[derive(Debug)]
pub struct Sweep {
    units: Units,
    manifest: Manifest,
    file: SpotFile,
}

/// The report over the finished flops of a sweep.
#[derive(Clone, Debug, Serialize)]
pub struct SweepView {
    /// Flops in all.
    pub total: usize,
    /// The pot at the start, in chips.
    pub pot: f64,
    /// The exploitability that each is solved to, in percent of the pot.
    pub target_percent: f64,
    /// The spot file.
    pub spot: String,
    /// The weighted mean over finished flops; `None` before the first.
    pub mean: Option<SweepMean>,
    /// The finished flops, in the order of their index.
    pub flops: Vec<FlopRow>,
}

/// The weighted mean over flops.
#[derive(Clone, Debug, Serialize)]
pub struct SweepMean {
    /// Their weight.
    pub weight: f64,
    /// Each player's expected share of the pot in chips, `oop` first.
    pub ev: [f64; 2],
    /// Each player's equity, `oop` first.
    pub equity: [f64; 2],
    /// What `oop` does first.
    pub oop: Vec<ActionResult>,
    /// What `ip` does after a check.
    pub ip: Vec<ActionResult>,
}

/// A finished flop with its texture.
#[derive(Clone, Debug, Serialize)]
pub struct FlopRow {
    /// The result.
    #[serde(flatten)]
    pub result: FlopResult,
    /// The texture.
    pub texture: TextureView,
}

impl Sweep {
    /// A sweep of a spot in a directory, which it creates or resumes. The spot's own board only says
    /// that it begins on the flop.
    pub fn create(dir: &Path, spot: &str, flops: &Flops, target: f64) -> Result<Sweep, SweepError> {
        let flops = flops.weighted()?;
        let flops = flops.into_iter().map(|(board, weight)| (board.to_string(), weight)).collect();
        let manifest = Manifest { version: 1, spot: spot.to_owned(), target, flops };
        let file = flop_spot(spot)?;
        let names = manifest.flops.iter().map(|(flop, _)| flop.clone()).collect();
        let units = Units::begin(dir, Work::new(KIND, &manifest, names), Replace::Refused);
        let units = units.map_err(|error| match error {
            UnitsError::Foreign { .. } => SweepError::Other(dir.to_owned()),
            error => error.into(),
        })?;
        Ok(Sweep { units, manifest, file })
    }

    /// Opens a sweep that was begun.
    pub fn open(dir: &Path) -> Result<Sweep, SweepError> {
        Sweep::merge(&[dir.to_owned()])
    }

    /// Opens a sweep of which parts were computed in several directories.
    pub fn merge(dirs: &[PathBuf]) -> Result<Sweep, SweepError> {
        let units = Units::open(dirs)?;
        let damaged = || SweepError::Damaged(units.dir().to_owned());
        if units.work().kind != KIND {
            return Err(damaged());
        }
        let manifest: Manifest =
            serde_json::from_value(units.work().what.clone()).map_err(|_| damaged())?;
        let file = flop_spot(&manifest.spot)?;
        Ok(Sweep { units, manifest, file })
    }

    /// Whether a directory holds a sweep.
    pub fn is_sweep(dir: &Path) -> bool {
        Work::kind_of(dir).is_some_and(|kind| kind == KIND)
    }

    /// The spot file.
    pub fn spot(&self) -> &str {
        &self.manifest.spot
    }

    /// The exploitability that each flop is solved to, as a fraction of the pot.
    pub fn target(&self) -> f64 {
        self.manifest.target
    }

    /// How many flops there are.
    pub fn total(&self) -> usize {
        self.manifest.flops.len()
    }

    /// Solves the flops of a share that are not finished, one after the other, to the sweep's target.
    pub fn run(
        &self,
        how: &SolveOptions,
        share: Share<'_>,
        job: Job<'_>,
        on_progress: &mut (dyn FnMut(SweepProgress) + Send),
    ) -> Result<(), SweepError> {
        let total = share.units(self.total()).len();
        job.begin("flops", total as u64);
        let stop = Stop { target: Some(self.manifest.target), ..how.stop };
        let how = SolveOptions { options: how.options.clone(), stop };
        let mut done = 0;
        share.each(self.total(), &mut |unit| {
            if self.result(unit)?.is_none() {
                let (flop, weight) = &self.manifest.flops[unit];
                let board: Board =
                    flop.parse().map_err(|error| SweepError::Flop { item: flop.clone(), error })?;
                on_progress(SweepProgress { done, total, flop: board, metrics: None });
                let spot = self.file.on(board)?;
                let solution = solution::solve(spot, &how, job.silent(), &mut |metrics| {
                    let metrics = Some(*metrics);
                    on_progress(SweepProgress { done, total, flop: board, metrics });
                })?;
                // Half a solve is not a result.
                job.check().map_err(SolutionError::from)?;
                let result = FlopResult::of(&solution, flop, *weight)?;
                self.units.put(flop, &self.key(unit), &result)?;
            }
            done += 1;
            job.advance(1);
            Ok(())
        })
    }

    fn key(&self, unit: usize) -> Key {
        let Manifest { version, ref spot, target, ref flops } = self.manifest;
        let spot = blake3::hash(spot.as_bytes()).to_hex()[..16].to_owned();
        Key { version, spot, target, weight: flops[unit].1 }
    }

    /// The result on a flop, if it is finished.
    fn result(&self, unit: usize) -> Result<Option<FlopResult>, SweepError> {
        Ok(self.units.get(&self.manifest.flops[unit].0, &self.key(unit))?)
    }

    /// How many flops of a share are finished.
    pub fn finished(&self, share: Share<'_>) -> Result<usize, SweepError> {
        let units = share.units(self.total()).into_iter();
        let finished = units.map(|unit| Ok(usize::from(self.result(unit)?.is_some())));
        finished.sum()
    }

    /// An error if flops are not finished.
    pub fn check_complete(&self) -> Result<(), SweepError> {
        let mut missing = Vec::new();
        for (unit, (flop, _)) in self.manifest.flops.iter().enumerate() {
            if self.result(unit)?.is_none() {
                missing.push(flop.as_str());
            }
        }
        Ok(self.units.check_complete(missing.len(), missing.first().copied())?)
    }

    /// The finished flops and their mean.
    pub fn view(&self) -> Result<SweepView, SweepError> {
        let mut flops = Vec::new();
        for (unit, (flop, _)) in self.manifest.flops.iter().enumerate() {
            if let Some(result) = self.result(unit)? {
                let board: Board =
                    flop.parse().map_err(|error| SweepError::Flop { item: flop.clone(), error })?;
                flops.push(FlopRow { result, texture: Texture::of(&board).names() });
            }
        }
        Ok(SweepView {
            total: self.total(),
            pot: f64::from(self.file.config().pot),
            target_percent: 100.0 * self.manifest.target,
            spot: self.manifest.spot.clone(),
            mean: SweepMean::of(&flops),
            flops,
        })
    }
}

impl SweepView {
    /// A record for each flop with a row for each action.
    pub const SCHEMA: Schema = Schema {
        columns: &[
            ("flop", Kind::Text),
            ("weight", Kind::Number),
            ("pairing", Kind::Text),
            ("suits", Kind::Text),
            ("iterations", Kind::Whole),
            ("exploitability_percent", Kind::Number),
            ("ev_oop", Kind::Number),
            ("ev_ip", Kind::Number),
            ("equity_oop", Kind::Number),
            ("equity_ip", Kind::Number),
        ],
        list: ("actions", ACTION),
    };

    /// Writes the flops as a table; the number of rows.
    pub fn write(&self, mut table: Table<'_>) -> Result<u64, ExportError> {
        for FlopRow { result, texture } in &self.flops {
            let record = [
                Value::Text(&result.flop),
                Value::Number(result.weight),
                Value::Text(texture.pairing),
                Value::Text(texture.suits),
                Value::Whole(result.iterations.into()),
                result.exploitability_percent.into(),
                Value::Number(result.ev[0]),
                Value::Number(result.ev[1]),
                Value::Number(result.equity[0]),
                Value::Number(result.equity[1]),
            ];
            let rows: Vec<Vec<Value<'_>>> = [("oop", &result.oop), ("ip", &result.ip)]
                .into_iter()
                .flat_map(|(player, list)| list.iter().map(move |action| (player, action)))
                .map(|(player, action)| {
                    vec![
                        Value::Text(player),
                        Value::Text(&action.action),
                        action.chips.map_or(Value::Empty, |chips| Value::Whole(chips.into())),
                        action.pot_fraction.into(),
                        Value::Text(&action.text),
                        Value::Number(action.frequency),
                    ]
                })
                .collect();
            table.record(&record, &rows)?;
        }
        table.finish()
    }

    /// Writes the report to a file of this format.
    pub fn write_file(&self, format: TableFormat, path: &Path) -> Result<u64, ExportError> {
        Table::create(format, &SweepView::SCHEMA, path).and_then(|table| self.write(table))
    }
}

/// The columns of an action.
const ACTION: &[Column] = &[
    ("player", Kind::Text),
    ("action", Kind::Text),
    ("chips", Kind::Whole),
    ("pot_fraction", Kind::Number),
    ("text", Kind::Text),
    ("frequency", Kind::Number),
];

impl FlopResult {
    fn of(
        solution: &lethe_solver::Solution,
        flop: &str,
        weight: f64,
    ) -> Result<FlopResult, SweepError> {
        let report = solution.report();
        let found = report.evaluation.ok_or(SweepError::Unmeasured)?;
        let root = solution.root();
        let check = root.actions().iter().position(|action| *action == Action::Check);
        let after = check.map(|check| root.act(check)).transpose().map_err(SolutionError::from)?;
        let after = after.filter(|after| after.player() == Some(Player::Ip));
        Ok(FlopResult {
            flop: flop.to_owned(),
            weight,
            iterations: report.iterations,
            seconds: report.elapsed.as_secs_f64(),
            exploitability_percent: report
                .exploitability
                .map(|chips| 100.0 * chips.max(0.0) / solution.spot().pot()),
            ev: found.ev,
            equity: found.equity,
            oop: actions(&root),
            ip: after.as_ref().map(actions).unwrap_or_default(),
        })
    }
}

fn actions(position: &Position<'_>) -> Vec<ActionResult> {
    let frequencies = position.frequencies().unwrap_or_default();
    let views = action::at(position.tree(), position.node());
    let result = |(view, frequency): (action::ActionView, f64)| ActionResult {
        action: view.action.to_owned(),
        chips: view.chips,
        pot_fraction: view.pot_fraction,
        text: view.text,
        frequency,
    };
    views.into_iter().zip(frequencies).map(result).collect()
}

impl SweepMean {
    /// The mean, where all flops have the same actions.
    fn of(flops: &[FlopRow]) -> Option<SweepMean> {
        let weight: f64 = flops.iter().map(|row| row.result.weight).sum();
        let first = flops.first()?;
        let mean = |of: &dyn Fn(&FlopResult) -> f64| {
            flops.iter().map(|row| row.result.weight * of(&row.result)).sum::<f64>() / weight
        };
        let actions = |of: fn(&FlopResult) -> &Vec<ActionResult>| -> Vec<ActionResult> {
            let action = |(place, action): (usize, &ActionResult)| ActionResult {
                frequency: mean(&|r| of(r).get(place).map_or(0.0, |action| action.frequency)),
                ..action.clone()
            };
            of(&first.result).iter().enumerate().map(action).collect()
        };
        Some(SweepMean {
            weight,
            ev: [0, 1].map(|p| mean(&|r| r.ev[p])),
            equity: [0, 1].map(|p| mean(&|r| r.equity[p])),
            oop: actions(|r| &r.oop),
            ip: actions(|r| &r.ip),
        })
    }
}

/// The spot of a file that begins on the flop and has no locks.
fn flop_spot(text: &str) -> Result<SpotFile, SweepError> {
    let file = SpotFile::parse("the spot", text)?;
    if file.board().street() != Street::Flop {
        return Err(SweepError::NotFlop(file.board().street()));
    }
    if !file.is_plain() {
        return Err(SweepError::Locked);
    }
    Ok(file)
}

/// A sweep that cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SweepError {
    /// A number of flops that there is not.
    #[error("expected all, a number of flops from 1 to {0}, or a list of flops")]
    Count(usize),
    /// An item of a list that is no flop.
    #[error("'{}' is not a flop: {error}", item.escape_debug())]
    Flop {
        /// The item.
        item: String,
        /// What is wrong with it.
        error: ParseError,
    },
    /// An item of a list that is no flop with a weight.
    #[error("'{}' is not a flop with a weight, such as Ks7h2d:0.5", .0.escape_debug())]
    Item(String),
    /// A list without flops.
    #[error("the list has no flop")]
    Empty,
    /// A spot that begins later.
    #[error("the spot begins on the {0}; a sweep needs one that begins on the flop")]
    NotFlop(Street),
    /// A spot with locks.
    #[error("a sweep has neither start nor locks; remove these keys from the spot")]
    Locked,
    /// A directory in use.
    #[error("{} holds a sweep of another spot, target or list of flops; choose another", .0.display())]
    Other(PathBuf),
    /// A damaged file.
    #[error("{}: damaged, or not a sweep", .0.display())]
    Damaged(PathBuf),
    /// A solve that ended before its strategies were measured.
    #[error("the solve ended before it was measured; allow more time or iterations")]
    Unmeasured,
    /// The spot cannot be read.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A flop cannot be solved.
    #[error(transparent)]
    Solution(#[from] SolutionError),
    /// The flops of a directory cannot be used.
    #[error(transparent)]
    Units(#[from] UnitsError),
    /// Other ranks did not finish their flops.
    #[error(transparent)]
    Share(#[from] ShareError),
}

impl SweepError {
    /// Whether the job was cancelled.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, SweepError::Solution(error) if error.is_cancelled())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_sweep_resumes() {
        let dir = tempfile::tempdir().unwrap();
        let spot = "board: Ks7h2d\noop_range: AA\nip_range: KK\npot: 10\nstack: 5\n";
        let flops = Flops::parse("Ks7h2d").unwrap();
        let begun = Sweep::create(dir.path(), spot, &flops, 0.01).unwrap();
        assert_eq!((begun.total(), begun.view().unwrap().flops.len()), (1, 0));
        assert!(Sweep::create(dir.path(), spot, &flops, 0.01).is_ok());
        let other = Sweep::create(dir.path(), spot, &flops, 0.02).unwrap_err();
        assert!(other.to_string().contains("another spot"), "{other}");
        let turn = spot.replace("2d", "2d5c");
        let error = Sweep::create(&dir.path().join("x"), &turn, &flops, 0.01).unwrap_err();
        assert!(error.to_string().contains("begins on the turn"), "{error}");
    }
}
