//! `lethe export`: the strategies of a solution or a blueprint as a table, row by row.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::ValueEnum;
use lethe_cards::{Card, Street};
use lethe_compute::{Job, Pool};
use lethe_game::{Action, NodeKind, Player};
use lethe_solver::{HandView, Position, Solution, Stop};
use serde::Serialize;

use super::blueprint_rows::Rows;
use super::solve::How;
use super::solving::{limits, line, saved};
use super::training::{self, Checkpoint};
use crate::error::InputError;
use crate::output::{Output, Report, thousands};
use crate::progress::Bars;
use crate::table_file::{Column, Kind, Schema, Table, TableFormat, Value};

/// Writes the strategies of a solution or a blueprint as CSV, JSON or Parquet
///
/// Of a solution: for every decision, and each of the cards that may have come, the hands of the player to act with
/// weight at the start, reach, equity and EV. CSV and Parquet have a row for each action of a hand;
/// JSON a line for each hand. Hands that the board makes impossible are left out; one that never
/// comes to a decision has reach 0 and no action. Parquet needs a build with the feature of this
/// name.
///
/// Of a blueprint: for every decision, in the order of the betting nodes, the frequency of each
/// action in each bucket, with the key of the information set: 16 hexadecimal digits, in Parquet a
/// whole number. Keys are of one game; its hash stands in every row.
///
/// Rows are written as they are computed, so memory does not grow with their number.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe export spots/toy-river.yaml
  lethe export spots/srp-turn.yaml --format json --out turn.jsonl
  lethe export spots/srp-turn.yaml --line 'x x' --to river --out rivers.csv
  lethe export runs/quick --street preflop
  lethe export runs/quick --history 'r250 c' --format parquet --out raised.parquet")]
pub(crate) struct Args {
    /// A saved solution; a spot file, which is solved first; or a blueprint: a run's directory or a
    /// file in it
    #[arg(value_name = "SOLUTION")]
    solution: PathBuf,
    /// How to write it
    #[arg(long, value_name = "FORMAT", default_value = "csv")]
    format: TableFormat,
    /// The file to write; left out: standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Begin after this line
    #[arg(long, value_name = "LINE", default_value = "", visible_alias = "history")]
    line: String,
    /// Of a blueprint, write this street only
    #[arg(long, value_name = "STREET")]
    street: Option<Only>,
    /// Of a blueprint, which checkpoint of the run
    #[arg(long, value_name = "NAME", default_value = "latest")]
    checkpoint: Checkpoint,
    /// Of a solution, the last street to write, with every card that may come; left out: the one it begins on
    #[arg(long, value_name = "STREET")]
    to: Option<Last>,
    /// The exploitability to reach where something is solved
    #[arg(long, value_name = "PERCENT", value_parser = limits::target, default_value = "0.1%")]
    target: f64,
    #[command(flatten)]
    how: How,
}

/// A street of a blueprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Only {
    Preflop,
    Flop,
    Turn,
    River,
}

impl From<Only> for Street {
    fn from(only: Only) -> Street {
        match only {
            Only::Preflop => Street::Preflop,
            Only::Flop => Street::Flop,
            Only::Turn => Street::Turn,
            Only::River => Street::River,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Last {
    Flop,
    Turn,
    River,
}

impl From<Last> for Street {
    fn from(last: Last) -> Street {
        match last {
            Last::Flop => Street::Flop,
            Last::Turn => Street::Turn,
            Last::River => Street::River,
        }
    }
}

/// A record for each hand at a decision; no actions where the hand never comes there.
static SCHEMA: Schema = Schema {
    columns: &[
        Column::new("line", Kind::Text),
        Column::new("board", Kind::Text),
        Column::new("player", Kind::Text),
        Column::new("hand", Kind::Text),
        Column::new("weight", Kind::Number),
        Column::new("reach", Kind::Number),
        Column::new("equity", Kind::Number),
        Column::new("ev", Kind::Number),
    ],
    list: ("actions", &[Column::new("action", Kind::Text), Column::new("frequency", Kind::Number)]),
};

/// Goes through positions depth-first and writes the hands of each decision.
struct Writer<'a> {
    table: Table<'a>,
    /// The last street to write.
    last: Street,
    /// The cards of the first board.
    first: usize,
    job: Job<'a>,
}

impl Writer<'_> {
    fn position(&mut self, position: &Position<'_>) -> anyhow::Result<()> {
        match position.kind() {
            NodeKind::Fold(_) | NodeKind::Showdown => Ok(()),
            NodeKind::Chance => {
                if position.board().street() >= self.last {
                    return Ok(());
                }
                let free = |card: &Card| !position.board().set().contains(*card);
                for card in Card::all().rev().filter(free) {
                    self.position(&position.deal(card).map_err(InputError::new)?)?;
                }
                Ok(())
            }
            NodeKind::Decision(player) => {
                self.decision(position, player)?;
                for action in 0..position.actions().len() {
                    self.position(&position.act(action).map_err(InputError::new)?)?;
                }
                Ok(())
            }
        }
    }

    fn decision(&mut self, position: &Position<'_>, player: Player) -> anyhow::Result<()> {
        let board = position.board();
        let line = line::with_cards(&position.history(), &board, self.first);
        let board = board.to_string();
        let actions: Vec<String> = position.actions().iter().map(Action::to_string).collect();
        for hand in position.hands(player, self.job)?.into_iter().filter(|hand| hand.weight > 0.0) {
            let HandView { hole, weight, reach, ev, equity, frequencies, .. } = hand;
            let hole = hole.to_string();
            let values = [
                Value::Text(&line),
                Value::Text(&board),
                Value::Text(player.name()),
                Value::Text(&hole),
                Value::Number(weight),
                Value::Number(reach),
                equity.into(),
                ev.into(),
            ];
            let frequencies = frequencies.unwrap_or_default();
            let played = actions.iter().zip(frequencies);
            let played = played.map(|(action, x)| vec![Value::Text(action), Value::Number(x)]);
            self.table.record(&values, &played.collect::<Vec<_>>())?;
        }
        Ok(())
    }
}

/// Whether everything up to the last street was kept, as far as a line of checks and calls tells:
/// a street is kept as a whole or not at all.
fn can_write(position: &Position<'_>, last: Street) -> Result<bool, InputError> {
    match position.kind() {
        NodeKind::Fold(_) | NodeKind::Showdown => Ok(true),
        NodeKind::Chance if position.board().street() >= last => Ok(true),
        NodeKind::Chance => {
            let mut free = Card::all().filter(|&card| !position.board().set().contains(card));
            let card = free.next().expect("a board has five cards at most");
            can_write(&position.deal(card).map_err(InputError::new)?, last)
        }
        NodeKind::Decision(_) if !position.is_stored() => Ok(false),
        NodeKind::Decision(_) => {
            let passive = |action: &Action| matches!(action, Action::Check | Action::Call);
            match position.actions().iter().position(passive) {
                Some(action) => can_write(&position.act(action).map_err(InputError::new)?, last),
                None => Ok(true),
            }
        }
    }
}

/// What was written to a file.
#[derive(Debug, Serialize)]
struct Written {
    file: String,
    rows: u64,
}

impl Report for Written {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        writeln!(out, "{}: {} rows", self.file, thousands(self.rows.into()))
    }
}

impl Args {
    fn write<'a>(
        &self,
        solution: &Solution,
        table: impl FnOnce() -> anyhow::Result<Table<'a>>,
        job: Job<'a>,
    ) -> anyhow::Result<u64> {
        let position = solution.walk(&self.line).map_err(InputError::new)?;
        let first = solution.spot().board().cards().len();
        let last = self.to.map_or(position.board().street(), Street::from);
        if !can_write(&position, last)? {
            let message = "the solution was saved without that street; \
                           write an earlier --to, or solve again and save everything";
            return Err(InputError::new(message).into());
        }
        let mut writer = Writer { table: table()?, last, first, job };
        writer.position(&position)?;
        writer.table.finish()
    }

    /// Writes a blueprint.
    fn blueprint(&self, format: TableFormat, out: &mut Output<'_>) -> anyhow::Result<()> {
        if self.to.is_some() {
            let message = "--to is for solutions; of a blueprint, write one street with --street";
            return Err(InputError::new(message).into());
        }
        let blueprint = training::open(&self.solution, self.checkpoint)?;
        let rows = Rows::new(&blueprint, &self.line, self.street.map(Street::from))?;
        match &self.out {
            Some(path) => {
                let table = Table::create(format, &Rows::SCHEMA, path)?;
                let rows = rows.write(table, Bars::new().job())?;
                out.show(&Written { file: path.display().to_string(), rows })
            }
            None => {
                rows.write(Table::stream(format, &Rows::SCHEMA, Box::new(out))?, Job::default())?;
                Ok(())
            }
        }
    }
}

/// Writes what was asked for.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let format = match args.out {
        None if out.is_json() => TableFormat::Json,
        _ => args.format,
    };
    format.check(args.out.is_some())?;
    if training::is_blueprint(&args.solution) {
        return args.blueprint(format, out);
    }
    if args.street.is_some() {
        let message = "--street is for blueprints; of a solution, say where to begin with --line \
                       and where to end with --to";
        return Err(InputError::new(message).into());
    }
    let stop = Stop { target: Some(args.target), ..Stop::default() };
    let (pool, bars) = (args.how.pool()?, Bars::new());
    let job = bars.job_on(pool.as_ref().unwrap_or(Pool::global()));
    let solution = saved::open(&args.solution, args.how.options(), &stop, job)?;
    match &args.out {
        Some(path) => {
            let rows = args.write(&solution, || Table::create(format, &SCHEMA, path), job)?;
            out.show(&Written { file: path.display().to_string(), rows })
        }
        None => {
            args.write(&solution, || Table::stream(format, &SCHEMA, Box::new(out)), job)?;
            Ok(())
        }
    }
}
