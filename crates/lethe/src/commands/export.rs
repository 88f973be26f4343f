//! `lethe export`: the strategies of a solution or a blueprint as a table, row by row.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::ValueEnum;
use lethe_abstraction::Abstraction;
use lethe_cards::Street;
use lethe_kit::export::{BlueprintRows, ExportError, Schema, SolutionRows, Table, TableFormat};
use lethe_kit::files::FileError;
use lethe_kit::{limits, solution};
use serde::Serialize;

use super::boards::BoardStreet;
use super::check_outputs;
use super::solving::{How, Watch, explain};
use super::training::{self, Checkpoint};
use crate::error::InputError;
use crate::output::{Output, Report, thousands};
use crate::progress::Bars;

/// Writes the strategies of a solution or a blueprint as CSV, JSON or Parquet
///
/// Of a solution: the hands of the player to act at every decision, with their weight at the start,
/// reach, equity and EV, and the frequency and EV of each action. CSV and Parquet have a row for each
/// action of a hand; JSON a line for each hand. Hands that the board makes impossible are left out;
/// one that never reaches a decision has reach 0 and no action. Parquet needs a build with the
/// feature of this name.
///
/// Of a blueprint: for every decision, in the order of the betting nodes, the frequency of each
/// action in each bucket, with the key of the information set: 16 hexadecimal digits, in Parquet a
/// whole number. Keys belong to one game; its hash is in every row.
///
/// Rows are written as they are computed, so memory does not grow with their number.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe export spots/toy-river.yaml
  lethe export spots/srp-turn.yaml --format json --out turn.jsonl
  lethe export spots/srp-turn.yaml --line 'x x' --to river --out rivers.csv
  lethe export runs/quick --street preflop
  lethe export runs/quick --history 'r250 c' --out raised.csv")]
pub(crate) struct Args {
    /// A saved solution, by its file or name; a spot file, which is solved first; or a blueprint: a run's directory or a
    /// file in it
    #[arg(value_name = "SOLUTION")]
    solution: PathBuf,
    /// How to write it
    #[arg(long, value_name = "FORMAT", default_value = "csv")]
    format: FileFormat,
    /// The file to write; left out: standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Begin after this line
    #[arg(long, value_name = "LINE", default_value = "", visible_alias = "history")]
    line: String,
    /// Of a blueprint, write this street only
    #[arg(long, value_name = "STREET", value_parser = str::parse::<Street>)]
    street: Option<Street>,
    /// Of a blueprint, which checkpoint of the run
    #[arg(long, value_name = "NAME", default_value = "latest")]
    checkpoint: Checkpoint,
    /// Of a solution, the last street to write, with every card that may be dealt; left out: the one
    /// it begins on
    #[arg(long, value_name = "STREET")]
    to: Option<BoardStreet>,
    /// The exploitability to reach where something is solved
    #[arg(long, value_name = "PERCENT", value_parser = limits::percent, default_value = "0.1%")]
    target: f64,
    #[command(flatten)]
    how: How,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FileFormat {
    /// A row for each action
    Csv,
    /// A line for each hand or bucket
    Json,
    /// A row for each action, by columns; only to a file
    Parquet,
}

/// What was written to a file.
#[derive(Debug, Serialize)]
struct Written {
    file: String,
    rows: u64,
}

impl Report for Written {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        writeln!(out, "{}: {} rows", self.file, thousands(self.rows))
    }
}

impl Args {
    fn format(&self, out: &Output<'_>) -> TableFormat {
        match self.format {
            _ if self.out.is_none() && out.is_json() => TableFormat::Json,
            FileFormat::Csv => TableFormat::Csv,
            FileFormat::Json => TableFormat::Json,
            FileFormat::Parquet => TableFormat::Parquet,
        }
    }

    /// Writes a table to the file or the standard output.
    fn write(
        &self,
        schema: &'static Schema,
        rows: impl FnOnce(Table<'_>) -> Result<u64, ExportError>,
        out: &mut Output<'_>,
    ) -> anyhow::Result<()> {
        let format = self.format(out);
        let Some(path) = &self.out else {
            let table = Table::stream(format, schema, Box::new(&mut *out));
            table.and_then(rows).map_err(failed)?;
            return Ok(());
        };
        let rows = Table::create(format, schema, path).and_then(rows);
        let rows = rows.map_err(|error| match error {
            ExportError::Io(why) => {
                lethe_kit::Error::from(FileError::Write { path: path.clone(), why }).into()
            }
            error => failed(error),
        })?;
        out.show(&Written { file: path.display().to_string(), rows })
    }

    fn blueprint(&self, out: &mut Output<'_>) -> anyhow::Result<()> {
        if self.to.is_some() {
            let message = "--to is for solutions; of a blueprint, write one street with --street";
            return Err(InputError::new(message).into());
        }
        let blueprint = training::open(&self.solution, self.checkpoint, out)?;
        let stored = blueprint.abstraction().map(Abstraction::path);
        check_outputs(&[self.out.as_deref()], stored.as_slice())?;
        let rows = BlueprintRows::new(&blueprint, &self.line, self.street).map_err(failed)?;
        let bars = Bars::new();
        // A stream shows its progress itself.
        let job = if self.out.is_some() { bars.job() } else { bars.job().silent() };
        self.write(&BlueprintRows::SCHEMA, |table| rows.write(table, job), out)
    }
}

/// The error to end with: most are the input's fault.
fn failed(error: ExportError) -> anyhow::Error {
    match error {
        ExportError::Io(error) => error.into(),
        ExportError::Solution(error) => explain(error),
        ExportError::ParquetStream => {
            InputError::new("Parquet is written to a file: name it with --out").into()
        }
        error => InputError::new(error).into(),
    }
}

/// Writes what was asked for.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    args.format(out).check(args.out.is_some()).map_err(failed)?;
    let saved = out.data().solution(&args.solution);
    let run = out.data().find_run(&args.solution).unwrap_or_else(|_| args.solution.clone());
    check_outputs(&[args.out.as_deref()], &[&run, &saved])?;
    if lethe_kit::runs::is_blueprint(&run) {
        return args.blueprint(out);
    }
    if args.street.is_some() {
        let message = "--street is for blueprints; of a solution, say where to begin with --line \
                       and where to end with --to";
        return Err(InputError::new(message).into());
    }
    let (how, watch) = (args.how.to_target(args.target), Watch::new(out)?);
    let mut on_metrics = watch.on_metrics(how.stop);
    let solution = solution::open(&saved, &how, watch.job(), &mut on_metrics);
    let solution = solution.map_err(explain)?;
    let rows =
        SolutionRows::new(&solution, &args.line, args.to.map(Street::from)).map_err(failed)?;
    args.write(&SolutionRows::SCHEMA, |table| rows.write(table, watch.job()), out)
}
