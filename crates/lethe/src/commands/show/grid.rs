//! A range as a grid of 13 by 13: pairs on the diagonal, suited hands above it, others below.

use std::fmt::Write as _;
use std::io::{self, Write};

use lethe_cards::{Board, Hole, Rank, StartingHand};
use lethe_game::Action;
use serde::Serialize;

use crate::commands::solving::{Share, shares};
use crate::output::Output;

/// A hole as a grid counts it.
#[derive(Clone, Copy, Debug)]
pub(in crate::commands) struct Combo<'a> {
    pub(in crate::commands) hole: Hole,
    /// Its weight here.
    pub(in crate::commands) reach: f64,
    /// How often it takes each action; none where the player does not act.
    pub(in crate::commands) frequencies: Option<&'a [f64]>,
}

/// A player's range at a node by class of hole.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct Grid {
    player: &'static str,
    actions: Vec<String>,
    /// 13 rows of 13, aces first.
    cells: Vec<Cell>,
    #[serde(skip)]
    painter: Vec<Paint>,
}

/// One class of hole.
#[derive(Debug, Serialize)]
struct Cell {
    class: String,
    /// The combos that the board leaves.
    possible: usize,
    /// Those that come here, by weight.
    combos: f64,
    /// How often they take each action; none where none comes here.
    actions: Vec<Share>,
}

/// How an action is drawn.
#[derive(Clone, Copy, Debug)]
struct Paint {
    /// The number of a colour among the 256 of a terminal.
    colour: u8,
    /// Whether it puts in more than asked.
    aggressive: bool,
}

/// The characters of a cell.
const WIDTH: usize = 7;
/// A class of which less comes here is left out.
const RARE: f64 = 0.001;

impl Cell {
    /// The part of the class that comes here.
    fn arrived(&self) -> f64 {
        (self.combos / self.possible.max(1) as f64).min(1.0)
    }
}

fn dot() -> String {
    format!("{:<WIDTH$} ", "·")
}

fn percentage(class: &str, share: f64) -> String {
    format!("{class:<3}{:>4} ", format!("{:.0}", 100.0 * share))
}

impl Grid {
    /// The grid of a player's hands.
    pub(in crate::commands) fn of(
        player: &'static str,
        own: &[Combo<'_>],
        actions: &[Action],
        board: &Board,
    ) -> Grid {
        let cell = |row: usize, column: usize| {
            let rank = |place: usize| Rank::all().nth(12 - place);
            let class = rank(row)
                .zip(rank(column))
                .and_then(|(a, b)| StartingHand::new(a, b, row < column));
            let class = class.expect("unequal ranks may be suited, equal ones are not");
            let hands: Vec<&Combo<'_>> =
                own.iter().filter(|hand| hand.hole.class() == class).collect();
            let combos: f64 = hands.iter().map(|hand| hand.reach).sum();
            let share = |action: usize| {
                let taken = hands
                    .iter()
                    .filter_map(|hand| Some(hand.reach * hand.frequencies?.get(action)?));
                taken.sum::<f64>() / combos
            };
            let frequencies: Option<Vec<f64>> =
                (combos > 0.0).then(|| (0..actions.len()).map(share).collect());
            let possible = class.holes().filter(|hole| !hole.set().intersects(board.set()));
            Cell {
                class: class.to_string(),
                possible: possible.count(),
                combos,
                actions: shares(actions, frequencies.as_deref()),
            }
        };
        Grid {
            player,
            actions: actions.iter().map(Action::to_string).collect(),
            cells: (0..13 * 13).map(|place| cell(place / 13, place % 13)).collect(),
            painter: painters(actions),
        }
    }

    /// Draws it: with colours each cell is filled by the mix of actions, as far as its hands come
    /// here; without, it holds the percentage of bets and raises (of its hands, where the player
    /// does not act). A class of which less than one hand in a thousand comes is a dot.
    pub(in crate::commands) fn write(&self, out: &mut Output<'_>) -> io::Result<()> {
        let colour = out.is_coloured();
        for row in self.cells.chunks(13) {
            let line: String = row.iter().map(|cell| self.cell(cell, colour)).collect();
            writeln!(out, "{}", line.trim_end_matches(' '))?;
        }
        writeln!(out, "\n{}", self.legend(colour))
    }

    /// Writes a grid of percentages for each action.
    pub(in crate::commands) fn write_each(&self, out: &mut Output<'_>) -> io::Result<()> {
        for (place, action) in self.actions.iter().enumerate() {
            let heading = out.bold(action);
            writeln!(out, "{heading}")?;
            for row in self.cells.chunks(13) {
                let number = |cell: &Cell| cell.actions.get(place)?.frequency;
                let cells = row.iter().map(|cell| match number(cell) {
                    Some(share) if cell.arrived() >= RARE => percentage(&cell.class, share),
                    _ => dot(),
                });
                writeln!(out, "{}", cells.collect::<String>().trim_end())?;
            }
            writeln!(out)?;
        }
        writeln!(out, "{}: percent of each class; · never comes here", self.player)
    }

    fn cell(&self, cell: &Cell, colour: bool) -> String {
        let arrived = cell.arrived();
        if arrived < RARE {
            return dot();
        }
        let mix: Option<Vec<f64>> = cell.actions.iter().map(|share| share.frequency).collect();
        let mix = mix.filter(|mix| !mix.is_empty());
        if !colour {
            let bets = mix.map(|mix| {
                let shares = mix.iter().zip(&self.painter);
                shares.filter(|(_, paint)| paint.aggressive).map(|(share, _)| share).sum()
            });
            let number: f64 = bets.unwrap_or(arrived);
            return percentage(&cell.class, number);
        }
        let filled = ((arrived * WIDTH as f64).ceil() as usize).clamp(1, WIDTH);
        let mut text = String::new();
        for (place, letter) in format!("{:<WIDTH$}", cell.class).chars().enumerate() {
            if place < filled {
                let code = self.colour_at(mix.as_deref(), (place as f64 + 0.5) / filled as f64);
                write!(text, "\x1b[38;5;16;48;5;{code}m{letter}").expect("a string takes any text");
            } else {
                write!(text, "\x1b[0m{letter}").expect("a string takes any text");
            }
        }
        text + "\x1b[0m "
    }

    /// The colour at a place from 0 to 1 of a cell.
    fn colour_at(&self, mix: Option<&[f64]>, place: f64) -> u8 {
        let Some(mix) = mix else { return 250 };
        let mut sum = 0.0;
        for (share, paint) in mix.iter().zip(&self.painter) {
            sum += share;
            if place < sum {
                return paint.colour;
            }
        }
        self.painter.last().map_or(250, |paint| paint.colour)
    }

    fn legend(&self, colour: bool) -> String {
        if self.actions.is_empty() {
            return format!("{}: part of each class that comes here; · none", self.player);
        }
        if !colour {
            return format!("{}: percent of bets and raises; · never comes here", self.player);
        }
        let names = self.actions.iter().zip(&self.painter).rev();
        let names =
            names.map(|(n, paint)| format!("\x1b[38;5;16;48;5;{}m {n} \x1b[0m", paint.colour));
        format!("{}: {}  · never comes here", self.player, names.collect::<Vec<_>>().join(" "))
    }
}

/// A colour for each action: blue folds, green checks and calls, reds for bets, darker if larger.
fn painters(actions: &[Action]) -> Vec<Paint> {
    const REDS: [u8; 5] = [217, 210, 203, 196, 160];
    let mut reds = REDS.into_iter();
    let paint = |action: &Action| match action {
        Action::Fold => Paint { colour: 75, aggressive: false },
        Action::Check | Action::Call => Paint { colour: 114, aggressive: false },
        Action::Bet(_) | Action::Raise(_) => {
            Paint { colour: reds.next().unwrap_or(160), aggressive: true }
        }
        Action::AllIn(_) => Paint { colour: 134, aggressive: true },
    };
    actions.iter().map(paint).collect()
}
