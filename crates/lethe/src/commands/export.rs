//! `lethe export`: the strategies of a solution or a blueprint as a table, row by row.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueEnum;
use lethe_abstraction::Unwatched;
use lethe_cards::{Card, Street};
use lethe_game::{Action, NodeKind, Player};
use lethe_solver::{HandView, Position, Solution, Stop};
use serde::Serialize;

use super::blueprint_rows::Rows;
use super::solve::How;
use super::solving::{Share, limits, line, saved, shares};
use super::training::{self, Checkpoint};
use crate::error::InputError;
use crate::output::{Output, Report, thousands};
use crate::progress::Progress;

/// Writes the strategies of a solution or a blueprint as CSV or JSON
///
/// Of a solution: for every decision, and each of the cards that may have come, the hands of the player to act with
/// weight at the start, reach, equity and EV. CSV has a row for each action of a hand; JSON a line
/// for each hand. Hands that the board makes impossible are left out; one that never comes to a
/// decision has reach 0 and no action.
///
/// Of a blueprint: for every decision, in the order of the betting nodes, each action of each bucket
/// with its frequency and its information-set key. Keys are of one game; its hash stands in every
/// row.
///
/// Rows are written as they are computed, so memory does not grow with their number.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe export spots/toy-river.yaml
  lethe export spots/srp-turn.yaml --format json --out turn.jsonl
  lethe export spots/srp-turn.yaml --line 'x x' --to river --out rivers.csv
  lethe export runs/quick --street preflop
  lethe export runs/quick --history 'r250 c /' --out flop.csv")]
pub(crate) struct Args {
    /// A saved solution; a spot file, which is solved first; or a blueprint: a run's directory or a
    /// checkpoint in it
    #[arg(value_name = "SOLUTION")]
    solution: PathBuf,
    /// How to write it
    #[arg(long, value_name = "FORMAT", default_value = "csv")]
    format: Kind,
    /// The file to write; left out: standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Begin after this line
    #[arg(long, value_name = "LINE", default_value = "", visible_alias = "history")]
    line: String,
    /// Of a blueprint, write this street only
    #[arg(long, value_name = "STREET", conflicts_with = "to")]
    street: Option<Only>,
    /// Of a blueprint, which checkpoint of the run
    #[arg(long, value_name = "NAME", default_value = "latest")]
    checkpoint: Checkpoint,
    /// Of a solution, the last street to write, with every card that may come; left out: the one it
    /// begins on
    #[arg(long, value_name = "STREET")]
    to: Option<Last>,
    /// The exploitability to reach where something is solved
    #[arg(long, value_name = "PERCENT", value_parser = limits::target, default_value = "0.1%")]
    target: f64,
    #[command(flatten)]
    how: How,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Kind {
    /// A row for each action of each hand
    Csv,
    /// A line for each hand
    Json,
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

/// A hand at a decision.
#[derive(Debug, Serialize)]
struct Row<'a> {
    line: &'a str,
    board: &'a str,
    player: &'static str,
    hand: String,
    weight: f64,
    reach: f64,
    equity: Option<f64>,
    ev: Option<f64>,
    /// Empty where the hand never comes here.
    actions: Vec<Share>,
}

/// The columns of the CSV.
const COLUMNS: &str = "line,board,player,hand,weight,reach,equity,ev,action,frequency";

impl Row<'_> {
    fn write(&self, kind: Kind, to: &mut dyn Write) -> anyhow::Result<u64> {
        if kind == Kind::Json {
            serde_json::to_writer(&mut *to, self)?;
            writeln!(to)?;
            return Ok(1);
        }
        let Row { line, board, player, hand, weight, reach, .. } = self;
        let number = |value: Option<f64>| value.map_or_else(String::new, |x| x.to_string());
        let (equity, ev) = (number(self.equity), number(self.ev));
        let head = format_args!("{line},{board},{player},{hand},{weight},{reach},{equity},{ev}");
        if self.actions.is_empty() {
            writeln!(to, "{head},,")?;
            return Ok(1);
        }
        let head = head.to_string();
        for Share { action, frequency } in &self.actions {
            writeln!(to, "{head},{action},{}", number(*frequency))?;
        }
        Ok(self.actions.len() as u64)
    }
}

/// Goes through positions depth-first and writes the hands of each decision.
struct Writer<'a> {
    to: &'a mut dyn Write,
    kind: Kind,
    /// The last street to write.
    last: Street,
    /// The cards of the first board.
    first: usize,
    rows: u64,
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

    /// Whether everything up to the last street was kept, as far as a line of checks and calls tells:
    /// a street is kept as a whole or not at all.
    fn can_write(&self, position: &Position<'_>) -> Result<bool, InputError> {
        match position.kind() {
            NodeKind::Fold(_) | NodeKind::Showdown => Ok(true),
            NodeKind::Chance if position.board().street() >= self.last => Ok(true),
            NodeKind::Chance => {
                let mut free = Card::all().filter(|&card| !position.board().set().contains(card));
                let card = free.next().expect("a board has five cards at most");
                self.can_write(&position.deal(card).map_err(InputError::new)?)
            }
            NodeKind::Decision(_) if !position.is_stored() => Ok(false),
            NodeKind::Decision(_) => {
                let passive = |action: &Action| matches!(action, Action::Check | Action::Call);
                match position.actions().iter().position(passive) {
                    Some(action) => self.can_write(&position.act(action).map_err(InputError::new)?),
                    None => Ok(true),
                }
            }
        }
    }

    fn decision(&mut self, position: &Position<'_>, player: Player) -> anyhow::Result<()> {
        let board = position.board();
        let line = line::with_cards(&position.history(), &board, self.first);
        let board = board.to_string();
        for hand in position.hands(player).into_iter().filter(|hand| hand.weight > 0.0) {
            let HandView { hole, weight, reach, ev, equity, frequencies, .. } = hand;
            let actions = match &frequencies {
                Some(frequencies) => shares(position.actions(), Some(frequencies)),
                None => Vec::new(),
            };
            let row = Row {
                line: &line,
                board: &board,
                player: player.name(),
                hand: hole.to_string(),
                weight,
                reach,
                equity,
                ev,
                actions,
            };
            self.rows += row.write(self.kind, self.to)?;
        }
        Ok(())
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
    fn write(&self, solution: &Solution, kind: Kind, to: &mut dyn Write) -> anyhow::Result<u64> {
        let position = solution.walk(&self.line).map_err(InputError::new)?;
        let first = solution.spot().board().cards().len();
        let last = self.to.map_or(position.board().street(), Street::from);
        let mut writer = Writer { to, kind, last, first, rows: 0 };
        if !writer.can_write(&position)? {
            let message = "the solution was saved without that street; \
                           write an earlier --to, or solve again and save everything";
            return Err(InputError::new(message).into());
        }
        if kind == Kind::Csv {
            writeln!(writer.to, "{COLUMNS}")?;
        }
        writer.position(&position)?;
        Ok(writer.rows)
    }

    /// Writes the rows of a blueprint.
    fn blueprint(&self, out: &mut Output<'_>) -> anyhow::Result<()> {
        if self.to.is_some() {
            let message = "--to is for solutions; of a blueprint, write one street with --street";
            return Err(InputError::new(message).into());
        }
        let blueprint = training::open(&self.solution, self.checkpoint)?;
        let street = self.street.map(Street::from);
        let rows = Rows::new(&blueprint, &self.line, street)?;
        match &self.out {
            Some(path) => {
                let progress = Progress::new();
                let written = to_file(path, |to| rows.write(self.format, to, &progress))?;
                out.show(&written)
            }
            None => {
                let kind = if out.is_json() { Kind::Json } else { self.format };
                rows.write(kind, out, &Unwatched)?;
                Ok(())
            }
        }
    }
}

/// Writes rows to a file.
fn to_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> anyhow::Result<u64>,
) -> anyhow::Result<Written> {
    let file = File::create(path).with_context(|| path.display().to_string())?;
    let mut file = BufWriter::new(file);
    let rows = write(&mut file)?;
    file.flush().with_context(|| path.display().to_string())?;
    Ok(Written { file: path.display().to_string(), rows })
}

/// Writes what was asked for.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    if training::is_blueprint(&args.solution) {
        return args.blueprint(out);
    }
    if args.street.is_some() {
        let message = "--street is for blueprints; of a solution, say where to begin with --line \
                       and where to end with --to";
        return Err(InputError::new(message).into());
    }
    let stop = Stop { target: Some(args.target), ..Stop::default() };
    let solution = saved::open(&args.solution, args.how.options(), &stop)?;
    match &args.out {
        Some(path) => {
            let written = to_file(path, |to| args.write(&solution, args.format, to))?;
            out.show(&written)
        }
        None => {
            let kind = if out.is_json() { Kind::Json } else { args.format };
            args.write(&solution, kind, out)?;
            Ok(())
        }
    }
}
