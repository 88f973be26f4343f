//! A range drawn as a grid of 13 by 13.

use std::fmt::Write as _;
use std::io::{self, Write};

use lethe_kit::grid::{CellView, GridView};

use crate::output::Output;

/// The characters of a cell.
const WIDTH: usize = 7;
/// A starting hand of which a smaller part reaches the node is a dot.
const RARE: f64 = 0.001;

/// Draws a grid. With colours each cell is filled by the mix of actions, as far as its hands reach
/// the node; without, there is a grid of percentages for each action.
pub(in crate::commands) fn write(grid: &GridView, out: &mut Output<'_>) -> io::Result<()> {
    if out.is_coloured() {
        let colours = colours(grid);
        rows(grid, out, |cell| filled(cell, &colours))?;
        return writeln!(out, "\n{}", legend(grid, &colours));
    }
    for (place, action) in grid.actions.iter().enumerate() {
        writeln!(out, "{}", action.text)?;
        rows(grid, out, |cell| percentage(cell, cell.actions[place].frequency.unwrap_or(0.0)))?;
        writeln!(out)?;
    }
    if grid.actions.is_empty() {
        rows(grid, out, |cell| percentage(cell, cell.arrived()))?;
        return writeln!(out, "\n{}: percent of each hand that gets here; · none", grid.player);
    }
    writeln!(out, "{}: percent of each hand; · never gets here", grid.player)
}

/// Draws what each starting hand wins, in big blinds.
pub(in crate::commands) fn write_values(grid: &GridView, out: &mut Output<'_>) -> io::Result<()> {
    let value = |cell: &CellView| match cell.ev_bb {
        Some(value) => format!("{:<3}{:>5} ", cell.class, written(value)),
        None => format!("{:<3}{:>5} ", cell.class, "-"),
    };
    for row in grid.cells.chunks(13) {
        writeln!(out, "{}", row.iter().map(value).collect::<String>().trim_end_matches(' '))?;
    }
    writeln!(out, "\n{}: what each hand wins, in big blinds", grid.player)
}

/// A value in five characters.
fn written(value: f64) -> String {
    let digits = if value.abs() < 9.995 { 2 } else { 1 };
    format!("{value:.digits$}")
}

fn rows(
    grid: &GridView,
    out: &mut Output<'_>,
    text: impl Fn(&CellView) -> String,
) -> io::Result<()> {
    for row in grid.cells.chunks(13) {
        let cell = |cell: &CellView| match cell.arrived() < RARE {
            true => format!("{:<WIDTH$} ", "·"),
            false => text(cell),
        };
        writeln!(out, "{}", row.iter().map(cell).collect::<String>().trim_end_matches(' '))?;
    }
    Ok(())
}

fn percentage(cell: &CellView, share: f64) -> String {
    format!("{:<3}{:>4} ", cell.class, format!("{:.0}", 100.0 * share))
}

fn filled(cell: &CellView, colours: &[u8]) -> String {
    let filled = ((cell.arrived() * WIDTH as f64).ceil() as usize).clamp(1, WIDTH);
    let mut text = String::new();
    for (place, letter) in format!("{:<WIDTH$}", cell.class).chars().enumerate() {
        let written = if place < filled {
            let code = colour_at(cell, colours, (place as f64 + 0.5) / filled as f64);
            write!(text, "\x1b[38;5;16;48;5;{code}m{letter}")
        } else {
            write!(text, "\x1b[0m{letter}")
        };
        written.expect("a string takes any text");
    }
    text + "\x1b[0m "
}

/// The colour at a place from 0 to 1 of a cell; grey where the player does not act.
fn colour_at(cell: &CellView, colours: &[u8], place: f64) -> u8 {
    let mut sum = 0.0;
    for (share, &colour) in cell.actions.iter().zip(colours) {
        sum += share.frequency.unwrap_or(0.0);
        if place < sum {
            return colour;
        }
    }
    colours.last().map_or(250, |&colour| colour)
}

fn legend(grid: &GridView, colours: &[u8]) -> String {
    if grid.actions.is_empty() {
        return format!("{}: part of each hand that gets here; · none", grid.player);
    }
    let names = grid.actions.iter().zip(colours).rev();
    let names = names
        .map(|(action, colour)| format!("\x1b[38;5;16;48;5;{colour}m {} \x1b[0m", action.text));
    format!("{}: {}  · never gets here", grid.player, names.collect::<Vec<_>>().join(" "))
}

/// A colour of a terminal's 256 for each action: blue folds, green checks and calls, reds for bets,
/// darker if larger.
fn colours(grid: &GridView) -> Vec<u8> {
    let mut reds = [217, 210, 203, 196, 160].into_iter();
    let colour = |action: &str| match action {
        "fold" => 75,
        "check" | "call" => 114,
        "allin" => 134,
        _ => reds.next().unwrap_or(160),
    };
    grid.actions.iter().map(|action| action.action).map(colour).collect()
}
