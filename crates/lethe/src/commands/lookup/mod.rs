//! `lethe lookup`: the bucket of a hand, or of every hand that comes in.

mod alike;
mod answer;
mod stream;

use std::io;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use lethe_abstraction::Abstraction;
use lethe_cards::{Board, Hole, Street};

use super::artifact;
use super::input::{check_distinct, read, read_board};
use crate::error::InputError;
use crate::output::Output;

pub(crate) use answer::Answer;
pub(crate) use stream::{Fallbacks, answer as answer_stream};

/// The bucket of a hand in an abstraction: its equity, its size, and hands like it
///
/// With - in place of the hole, hands are read from standard input, one a line: two cards, then the
/// board's, if any. One line is written for each: hole, board, bucket and the bucket's mean equity
/// with tabs between them, or with --json one object. The first bad line ends it.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe lookup default AsKs Th9h8c
  lethe lookup F500T500 'Qd Jd' 'Td 9s 2c 3h' --json
  lethe lookup default - < hands.txt
  echo AsKs Th9h8c | lethe lookup default - --json")]
pub(crate) struct Args {
    #[arg(value_name = "DIR", help = artifact::DIR_HELP)]
    pub(crate) dir: PathBuf,
    /// Two cards, as AsKs; - reads hands from standard input
    #[arg(value_name = "HOLE")]
    pub(crate) hole: String,
    /// Three to five cards, as Th9h8c; left out: before the flop
    #[arg(value_name = "BOARD")]
    pub(crate) board: Option<String>,
}

impl Args {
    /// Reads the cards; none if they are to be read from standard input.
    fn resolve(&self) -> Result<Option<(Hole, Board)>, InputError> {
        if self.hole == "-" {
            return match &self.board {
                None => Ok(None),
                Some(board) => Err(InputError::new(format_args!(
                    "a board, {board:?}, beside -; write it in each line of the input"
                ))),
            };
        }
        let hole: Hole = read(&self.hole)?;
        let board = read_board(self.board.as_deref())?;
        let cards = [Some(self.hole.as_str()), self.board.as_deref()];
        check_distinct(&cards.into_iter().flatten().collect::<Vec<_>>())?;
        Ok(Some((hole, board)))
    }
}

/// Prints the bucket of the hand asked for, or of every hand that comes in.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let cards = args.resolve()?;
    let open = artifact::open(&args.dir)?;
    match cards {
        Some((hole, board)) => {
            let answer = Answer::of(&open, hole, &board)?;
            if answer.fell_back() {
                warn(&open, &[(board.street(), 1)], 1, out)?;
            }
            out.show(&answer)
        }
        None => {
            let json = out.is_json();
            let fallbacks = Fallbacks::default();
            let done = stream::answer(&open, io::stdin(), out, json, &fallbacks);
            let counts =
                fallbacks.iter().map(|(street, count)| (street, count.load(Ordering::Relaxed)));
            let misses: Vec<(Street, u64)> = counts.filter(|&(_, count)| count > 0).collect();
            let hands = *done.as_ref().unwrap_or(&0);
            if !misses.is_empty() {
                warn(&open, &misses, hands, out)?;
            }
            done.map(|_| ())
        }
    }
}

/// Says that hands were not in a sparse table.
fn warn(
    open: &Abstraction,
    misses: &[(Street, u64)],
    hands: u64,
    out: &mut Output<'_>,
) -> io::Result<()> {
    let counts: Vec<String> =
        misses.iter().map(|(street, count)| format!("{count} on the {street}")).collect();
    let of = if hands > 1 { format!(" of {hands} hands") } else { String::new() };
    out.note(format_args!(
        "warning: no entry for some hands, which got the median bucket of their board's cluster: \
         {}{of}; {} is built from sampled boards",
        counts.join(", "),
        open.metadata().name,
    ))
}
