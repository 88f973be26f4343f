//! What the lab tells.

use std::io::{self, Write};

use lethe_lab::{Betting, Estimate, Lab, Row, Summary};
use serde::Serialize;

use crate::output::{Output, Report, seconds};

/// How long a grid will take.
#[derive(Debug, Serialize)]
pub(super) struct Forecast {
    boards: usize,
    cells: usize,
    finished: usize,
    iterations: u32,
    seconds: f64,
}

impl Forecast {
    pub(super) fn of(lab: &Lab, estimate: &Estimate) -> Forecast {
        Forecast {
            boards: lab.roots.len(),
            cells: estimate.cells,
            finished: estimate.finished,
            iterations: lab.effort.iterations,
            seconds: estimate.seconds,
        }
    }
}

impl Report for Forecast {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        out.pairs(&[
            ("boards", self.boards.to_string()),
            ("cells", format!("{}, {} finished", self.cells, self.finished)),
            ("iterations", format!("{} a solve", self.iterations)),
            ("time", format!("about {} for what is not finished", seconds(self.seconds))),
        ])
    }
}

/// What came out.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    pub(super) betting: Betting,
    pub(super) iterations: u32,
    pub(super) finished: bool,
    pub(super) seconds: f64,
    #[serde(flatten)]
    pub(super) summary: Summary,
}

/// A loss for people.
pub(super) fn loss(milli_pots: f64) -> String {
    match milli_pots {
        _ if milli_pots < 9.995 => format!("{milli_pots:.2}"),
        _ => format!("{milli_pots:.1}"),
    }
}

impl Answer {
    /// The betting in words.
    pub(super) fn game(&self) -> String {
        let Betting { pot, stack, bet, raise } = &self.betting;
        let raises = match raise.trim() {
            "" => "no raises".to_owned(),
            sizes => format!("raises of {sizes}"),
        };
        format!("uniform ranges, bets of {bet} on every street, {raises}, pot {pot}, stack {stack}")
    }

    /// The headings of the table of losses.
    pub(super) fn headings(&self) -> Vec<&'static str> {
        let mut headings = vec!["method", "buckets", "loss", "spread", "oop", "ip", "both"];
        headings.extend(self.streets().map(|street| ["flop", "turn", "river"][street]));
        headings
    }

    /// The streets that are played.
    fn streets(&self) -> impl Iterator<Item = usize> + '_ {
        (0..3).filter(|&street| self.summary.rows.iter().any(|row| row.occurring[street] > 0.0))
    }

    /// A row of the table of losses.
    pub(super) fn cells(&self, row: &Row) -> Vec<String> {
        let part = match row.cells == row.expected {
            true => String::new(),
            false => format!(" ({} of {})", row.cells, row.expected),
        };
        let mut cells = vec![
            format!("{}{part}", row.method),
            row.buckets.map_or_else(|| "-".to_owned(), |buckets| buckets.to_string()),
            loss(row.epsilon),
            loss(row.spread),
            loss(row.seats[0]),
            loss(row.seats[1]),
            row.symmetric.map_or_else(|| "-".to_owned(), loss),
        ];
        cells.extend(self.streets().map(|street| format!("{:.0}", row.occurring[street])));
        cells
    }
}

impl Report for Answer {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let Summary { boards, floor, rows } = &self.summary;
        let floor = floor.map_or_else(|| "-".to_owned(), loss);
        out.pairs(&[
            ("game", self.game()),
            ("floor", out.bold(format_args!("{floor} after {} iterations", self.iterations))),
            ("unit", "thousandths of the pot".to_owned()),
        ])?;
        writeln!(out)?;
        let board = |b: &lethe_lab::BoardFigures| {
            let value = (b.value[0] + b.value[1]) / 2.0;
            vec![
                b.board.clone(),
                format!("{}", b.weight),
                loss(b.floor),
                format!("{:.2} %", 100.0 * value),
            ]
        };
        let board_rows: Vec<Vec<String>> = boards.iter().map(board).collect();
        out.table(&["board", "weight", "floor", "value to oop"], &board_rows)?;
        if rows.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
        let table: Vec<Vec<String>> = rows.iter().map(|row| self.cells(row)).collect();
        out.table(&self.headings(), &table)
    }
}
