//! What abstractions lose: a grid to measure, and the table, the plot and the page of its results.
//!
//! ```
//! use lethe_kit::lab::LabView;
//! use lethe_lab::{Betting, Summary};
//!
//! let summary = Summary { boards: Vec::new(), floor: None, rows: Vec::new() };
//! let (betting, iterations, finished, seconds) = (Betting::default(), 100, true, 0.0);
//! let view = LabView { betting, iterations, finished, seconds, summary };
//! assert!(view.svg().starts_with("<svg"));
//! assert!(view.page().contains("What card abstractions lose"));
//! ```

mod request;

use lethe_lab::{Betting, BoardFigures, Row, Summary};
use serde::Serialize;

use crate::plot::{Line, Plot, document, escape, figure, table};
use crate::text::{or_dash, seconds};
pub use request::{LabPreset, LabRequest};

/// The results of a lab.
#[derive(Debug, Serialize)]
pub struct LabView {
    /// The game.
    pub betting: Betting,
    /// Iterations of each solve.
    pub iterations: u32,
    /// Whether all cells are done.
    pub finished: bool,
    /// How long it took.
    pub seconds: f64,
    /// The figures.
    #[serde(flatten)]
    pub summary: Summary,
}

/// A loss for people, in thousandths of the pot.
pub fn loss(milli_pots: f64) -> String {
    format!("{milli_pots:.0$}", if milli_pots < 9.995 { 2 } else { 1 })
}

impl LabView {
    /// The betting in words.
    pub fn game(&self) -> String {
        let Betting { pot, stack, bet, raise } = &self.betting;
        let raises = match raise.trim() {
            "" => "no raises".to_owned(),
            sizes => format!("raises of {sizes}"),
        };
        format!("uniform ranges, bets of {bet} on every street, {raises}, pot {pot}, stack {stack}")
    }

    /// The table of boards: headings and rows.
    pub fn boards(&self) -> ([&'static str; 4], Vec<Vec<String>>) {
        let row = |board: &BoardFigures| {
            let value = (board.value[0] + board.value[1]) / 2.0;
            vec![
                board.board.clone(),
                board.weight.to_string(),
                loss(board.floor),
                format!("{:.2} %", 100.0 * value),
            ]
        };
        let headings = ["board", "weight", "floor", "value to oop"];
        (headings, self.summary.boards.iter().map(row).collect())
    }

    /// The table of losses: headings and rows.
    pub fn losses(&self) -> (Vec<&'static str>, Vec<Vec<String>>) {
        let played = |street: &usize| self.summary.rows.iter().any(|r| r.occurring[*street] > 0.0);
        let streets: Vec<usize> = (0..3).filter(played).collect();
        let mut headings = vec!["method", "buckets", "loss", "spread", "oop", "ip", "both"];
        headings.extend(streets.iter().map(|&street| ["flop", "turn", "river"][street]));
        let row = |row: &Row| {
            let part = match row.cells == row.expected {
                true => String::new(),
                false => format!(" ({} of {})", row.cells, row.expected),
            };
            let mut cells = vec![
                format!("{}{part}", row.method),
                or_dash(row.buckets, |buckets| buckets.to_string()),
                loss(row.epsilon),
                loss(row.spread),
                loss(row.seats[0]),
                loss(row.seats[1]),
                or_dash(row.symmetric, loss),
            ];
            cells.extend(streets.iter().map(|&street| format!("{:.0}", row.occurring[street])));
            cells
        };
        (headings, self.summary.rows.iter().map(row).collect())
    }

    /// Loss against buckets as a plot, one line for each method.
    fn plot(&self) -> Plot {
        let lines = self.lines();
        let points = || lines.iter().flat_map(|line| line.points.iter().copied());
        let floor = self.summary.floor.filter(|&floor| floor > 0.0);
        let first = points().next().map_or(1.0, |point| point[0]);
        let mut plot = Plot::log_log(440.0, points().chain(floor.map(|floor| [first, floor])));
        plot.y_axis(|value| value.to_string());
        let mut columns: Vec<f64> = points().map(|point| point[0].round()).collect();
        columns.sort_by(f64::total_cmp);
        columns.dedup();
        plot.x_axis_at(&columns, "buckets per street", |value| value.to_string());
        plot.y_name("loss in thousandths of the pot");
        if let Some(floor) = floor {
            plot.level(floor, &format!("lossless floor {}", loss(floor)));
        }
        plot.named_lines(&lines, |buckets, value| format!("with {buckets:.0}: {}", loss(value)));
        plot
    }

    /// The lines in the order of their last loss, greatest first.
    fn lines(&self) -> Vec<Line<'_>> {
        let mut lines: Vec<Line<'_>> = Vec::new();
        for row in self.summary.rows.iter().filter(|row| row.epsilon > 0.0) {
            // A method with its own number of buckets is placed at the most that occur.
            let most = row.occurring.iter().copied().fold(1.0, f64::max);
            let point = [row.buckets.map_or(most, |buckets| buckets as f64), row.epsilon];
            match lines.iter_mut().find(|line| line.name == row.method) {
                Some(line) => line.points.push(point),
                None => lines.push(Line { name: &row.method, points: vec![point] }),
            }
        }
        for line in &mut lines {
            line.points.sort_by(|a, b| a[0].total_cmp(&b[0]));
        }
        let last = |line: &Line<'_>| line.points.last().map_or(0.0, |point| point[1]);
        lines.sort_by(|a, b| last(b).total_cmp(&last(a)));
        lines
    }

    /// The plot as a file of its own.
    pub fn svg(&self) -> String {
        self.plot().standalone("Loss against buckets, by method")
    }

    /// The results as a page: one HTML file.
    pub fn page(&self) -> String {
        let (headings, rows) = self.losses();
        let (board_headings, boards) = self.boards();
        let caption = "The mean over boards of what an exact best response gains over the value of \
                       the game against a player who sees only buckets, in thousandths of the pot.";
        let body = format!(
            "<header><h1>What card abstractions lose</h1><p>{}; {} iterations per solve; {}</p>\
             </header>\n<section><h2>Loss by buckets</h2>{}</section>\n<section><h2>Table</h2>{}\
             <p class=\"note\">Spread: the standard deviation over boards and seeds. OOP, IP: the \
             loss of each seat. Both: both players bucketed in training. The last columns: the \
             buckets that occur.</p></section>\n<section><h2>Boards</h2>{}</section>\n\
             <section><h2>By board</h2>{}</section>\n",
            escape(&self.game()),
            self.iterations,
            seconds(self.seconds),
            figure(caption, &self.plot().finish("Loss against buckets, by method", "")),
            table(&headings, rows),
            table(&board_headings, boards),
            self.by_board()
        );
        document("What card abstractions lose", &body, "")
    }

    /// The loss of every row on every board.
    fn by_board(&self) -> String {
        let boards = &self.summary.boards;
        let mut headings = vec!["method", "buckets"];
        headings.extend(boards.iter().map(|board| board.board.as_str()));
        let rows = self.summary.rows.iter().map(|row| {
            let mut cells =
                vec![row.method.clone(), or_dash(row.buckets, |buckets| buckets.to_string())];
            cells.extend(boards.iter().map(|board| {
                let of = row.each.iter().filter(|each| each.board == board.board);
                let values: Vec<f64> = of.map(|each| each.epsilon).collect();
                let mean = values.iter().sum::<f64>() / values.len() as f64;
                or_dash((!values.is_empty()).then_some(mean), loss)
            }));
            cells
        });
        table(&headings, rows)
    }
}
