//! Exact equity: a hand against a range on a flop, and two hands before the flop.
//!
//! `cargo run --release -p lethe-examples --example equity`
#![allow(clippy::print_stdout, reason = "an example prints its result")]

use lethe_cards::{Board, Range, equity};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let board: Board = "Th9h8c".parse()?;
    let range: Range = "QQ+,AKs".parse()?;
    let tally = equity::hole_vs_range("JsTs".parse()?, &range, &board)?;
    println!(
        "JsTs on {board} against {range}: {} wins, {} ties of {}, equity {:.4}",
        tally.wins,
        tally.ties,
        tally.total,
        tally.equity().expect("at least one deal"),
    );

    let tally = equity::hole_vs_hole("AsAh".parse()?, "KsKh".parse()?, &Board::EMPTY)?;
    println!("AsAh against KsKh: {} wins of {}", tally.wins, tally.total);
    Ok(())
}
