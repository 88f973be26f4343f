//! Look up buckets. Run the example `abstraction` first.
//!
//! `cargo run --release -p lethe-examples --example lookup`
#![allow(clippy::print_stdout, reason = "an example prints its result")]

use lethe_cards::{Board, Hole};
use lethe_kit::data::DataDir;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let abstraction = DataDir::locate(None).open_abstraction("F20T20R20".as_ref())?;
    let board: Board = "Th9h8c".parse()?;
    for text in ["AsKs", "AhKh", "JsTs", "QcJc", "2c2d"] {
        let hole: Hole = text.parse()?;
        let bucket = abstraction.bucket(hole, &board)?.ok_or("the hole is on the board")?;
        println!("{hole} on {board}: bucket {bucket} of {}", abstraction.buckets(board.street()));
    }
    Ok(())
}
