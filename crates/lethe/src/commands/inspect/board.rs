//! All hands on a board: a grid of the 169 classes.

use std::collections::BTreeSet;
use std::io::{self, Write};

use lethe_abstraction::Abstraction;
use lethe_cards::vs_random::equity_scale;
use lethe_cards::{Board, CanonicalBoard, Deck, Hole, Rank, StartingHand};
use serde::Serialize;

use super::overview::percent;
use super::{report, rows};
use crate::output::{Output, Report};

/// The classes on a board.
#[derive(Serialize)]
pub(super) struct Grid {
    board: String,
    street: &'static str,
    buckets: usize,
    /// Distinct buckets on the board.
    distinct: usize,
    cluster: Option<u32>,
    classes: Vec<Cell>,
    #[serde(skip)]
    cards: Board,
}

/// A class on a board.
#[derive(Serialize)]
struct Cell {
    class: String,
    /// Holes that the board leaves of the class; none, and nothing else is known.
    combos: usize,
    equity: Option<f64>,
    /// The mean number of their buckets.
    bucket: Option<f64>,
    /// The buckets they are in.
    buckets: Vec<u32>,
}

impl Cell {
    /// What stands in the grid: the mean bucket, then equity and number of buckets.
    fn lines(&self) -> [String; 2] {
        match (self.equity, self.bucket) {
            (Some(equity), Some(bucket)) => {
                [format!("{bucket:.0}"), format!("{:.0}/{}", equity * 100.0, self.buckets.len())]
            }
            _ => ["-".to_owned(), String::new()],
        }
    }
}

impl Grid {
    pub(super) fn of(abstraction: &Abstraction, board: Board) -> anyhow::Result<Grid> {
        let street = board.street();
        let texture = !report(abstraction, street)?.clusters.is_empty();
        let (canonical, map) = CanonicalBoard::of(&board);
        let mut buckets = vec![0; Deck::row_len(street)];
        let mut equities = buckets.clone();
        rows::bucket_row(abstraction, canonical, &mut buckets)?;
        rows::equity_row(abstraction, canonical, &mut equities);
        let deck = canonical.deck();
        let scale = f64::from(equity_scale(street));
        let slot = |hole: Hole| deck.slot(map.hole(hole));
        let cell = |class: StartingHand| {
            let slots: Vec<usize> = class.holes().filter_map(slot).collect();
            let mean = |sum: f64| (!slots.is_empty()).then(|| sum / slots.len() as f64);
            let set: BTreeSet<u32> = slots.iter().map(|&slot| buckets[slot]).collect();
            Cell {
                class: class.to_string(),
                combos: slots.len(),
                equity: mean(slots.iter().map(|&s| f64::from(equities[s]) / scale).sum()),
                bucket: mean(slots.iter().map(|&s| f64::from(buckets[s])).sum()),
                buckets: set.into_iter().collect(),
            }
        };
        let cluster = match texture {
            true => deck.hole(0).and_then(|hole| abstraction.lookup(hole, &canonical.board())),
            false => None,
        };
        Ok(Grid {
            board: board.to_string(),
            street: street.name(),
            buckets: abstraction.buckets(street),
            distinct: buckets.iter().collect::<BTreeSet<_>>().len(),
            cluster: cluster.and_then(|found| found.cluster),
            classes: StartingHand::all().map(cell).collect(),
            cards: board,
        })
    }
}

impl Report for Grid {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let board = out.cards(self.cards.cards());
        let cluster = self.cluster.map_or_else(String::new, |c| format!(", board cluster {c}"));
        writeln!(
            out,
            "{board}: the {}, {} of {} buckets{cluster}",
            self.street, self.distinct, self.buckets
        )?;
        let note = "above: the mean bucket of a class; below: its equity and in how many buckets \
                    it is";
        let note = out.dim(note);
        writeln!(out, "{note}\n")?;
        let width = self.classes.iter().flat_map(Cell::lines).map(|line| line.len()).max();
        let width = width.unwrap_or(0) + 1;
        write!(out, "  ")?;
        for rank in Rank::all().rev() {
            write!(out, "{:>width$}", format!("{rank} "))?;
        }
        writeln!(out)?;
        for row in Rank::all().rev() {
            for line in 0..2 {
                let name = if line == 0 { row.letter() } else { ' ' };
                let name = out.bold(name);
                write!(out, "{name} ")?;
                for column in Rank::all().rev() {
                    // Suited above the diagonal, where the row's rank is the higher.
                    let class = StartingHand::new(row, column, row > column);
                    let Some(cell) = class.and_then(|class| self.classes.get(class.index())) else {
                        continue;
                    };
                    let text = format!("{:>width$}", cell.lines()[line].clone() + " ");
                    let text = cell.equity.map_or(text.clone(), |equity| out.shaded(equity, text));
                    write!(out, "{text}")?;
                }
                writeln!(out)?;
            }
        }
        let held = self.classes.iter().filter(|cell| cell.combos > 0);
        let best =
            held.max_by(|a, b| a.equity.partial_cmp(&b.equity).expect("equities are finite"));
        if let Some(Cell { class, equity: Some(equity), .. }) = best {
            writeln!(out, "\nstrongest class: {class}, {}", percent(*equity, 2))?;
        }
        Ok(())
    }
}
