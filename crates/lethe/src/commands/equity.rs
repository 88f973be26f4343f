//! `lethe equity`: how often a hand or a range wins.

use std::io::{self, Write};

use lethe_cards::equity::Tally;
use lethe_cards::{Board, Street};
use lethe_kit::equity::{EquityView, PlayerCards};
use serde::Serialize;

use super::input::{check_distinct, read_board};
use crate::error::InputError;
use crate::output::{Output, Report, thousands};

/// The exact equity of a hand, against any other or against a range
///
/// Counts every board that can follow and every opponent: wins, ties and the total are whole
/// numbers. Opponents count by their weight.
///
/// On a flop and a turn it also draws how the equity spreads over the next card: for every card
/// that can be dealt, the equity after it against the same opponents (less those who would hold
/// that card), in equal bins that include their lower edge; an equity of 1 is in the last.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe equity AsKs
  lethe equity AsKs Th9h8c
  lethe equity AsKs Th9h8c --against QQ+,AKs,JhTh:0.5
  lethe equity AhKh 'Th 9h 8c 2s' --bins 20 --json
  lethe equity 22+,A2s+ --against random")]
pub(crate) struct Args {
    /// Two cards, as AsKs, or a range, as 22+,AKs:0.5
    #[arg(value_name = "HOLE")]
    hole: String,
    /// Three to five cards, as Th9h8c; left out: before the flop
    #[arg(value_name = "BOARD")]
    board: Option<String>,
    /// The opponent: two cards or a range
    #[arg(long, value_name = "HAND OR RANGE", default_value = "random")]
    against: String,
    /// The number of bins of the histogram, from 1 to 1000
    #[arg(long, value_name = "N", default_value_t = 10)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1000))]
    bins: u32,
}

/// The query, once the texts are read and no card is there twice.
#[derive(Debug)]
pub(crate) struct Query {
    player: PlayerCards,
    board: Board,
    opponent: PlayerCards,
    bins: u32,
}

impl Args {
    /// Reads the texts.
    pub(crate) fn resolve(&self) -> Result<Query, InputError> {
        let read = |text: &str| {
            PlayerCards::parse(text).map_err(|error| InputError::pointing(&error, text))
        };
        let player = read(&self.hole)?;
        let board = read_board(self.board.as_deref())?;
        let opponent = read(&self.against)?;
        let known = |player: &PlayerCards| matches!(player, PlayerCards::Hole(_));
        let cards = [
            known(&player).then_some(self.hole.as_str()),
            self.board.as_deref(),
            known(&opponent).then_some(self.against.as_str()),
        ];
        check_distinct(&cards.into_iter().flatten().collect::<Vec<_>>())?;
        Ok(Query { player, board, opponent, bins: self.bins })
    }
}

/// An equity and the cards it is of.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    view: EquityView,
    #[serde(skip)]
    query: &'a Query,
}

impl Report for Answer<'_> {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let Query { player, board, opponent, .. } = self.query;
        let view = &self.view;
        let place = match board.street() {
            Street::Preflop => "before the flop".to_owned(),
            _ => format!("on {}", out.cards(board.cards())),
        };
        let (player, opponent) = (name(player, out), name(opponent, out));
        writeln!(out, "{player} {place} against {opponent}\n")?;

        let tally = Tally { wins: view.wins, ties: view.ties, total: view.total };
        let counts = [tally.wins, tally.ties, tally.losses(), tally.total].map(thousands);
        let width = counts.iter().map(String::len).max().unwrap_or(0);
        let [wins, ties, losses, total] = counts.map(|count| format!("{count:>width$}"));
        let share = |part: u128| format!("{:8.4} %", 100.0 * part as f64 / tally.total as f64);
        out.pairs(&[
            ("equity", out.bold(format_args!("{:.4} %", 100.0 * view.equity))),
            ("wins", format!("{wins}  {}", share(tally.wins))),
            ("ties", format!("{ties}  {}", share(tally.ties))),
            ("losses", format!("{losses}  {}", share(tally.losses()))),
            ("total", total),
        ])?;
        match (&view.histogram, board.street().next()) {
            (Some(histogram), Some(next)) => {
                writeln!(out, "\nequity on the {next}, {} cards\n", histogram.total())?;
                out.bars(&histogram.rows())
            }
            _ => Ok(()),
        }
    }
}

/// A player's cards in text.
fn name(player: &PlayerCards, out: &Output<'_>) -> String {
    match player {
        PlayerCards::Hole(hole) => out.card_set(hole.set()),
        PlayerCards::Range(range) => out.bold(range),
    }
}

/// Prints the equity asked for.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let query = args.resolve()?;
    let Query { player, board, opponent, bins } = &query;
    let view = EquityView::of(player, opponent, board, *bins).map_err(InputError::new)?;
    out.show(&Answer { view, query: &query })
}
