//! Query a blueprint: the small blind's strategy. Run the example `train` first.
//!
//! `cargo run --release -p lethe-examples --example query`
#![allow(clippy::print_stdout, reason = "an example prints its result")]

use lethe_blueprint::CheckpointKind;
use lethe_cards::{Board, Hole};
use lethe_kit::{data::DataDir, runs};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data = DataDir::locate(None);
    let blueprint = runs::open(&data, "example".as_ref(), CheckpointKind::Latest)?;
    let tree = blueprint.tree();
    let root = tree.root();
    for text in ["AsAh", "KdQd", "7c2d"] {
        let hole: Hole = text.parse()?;
        let frequencies = blueprint.frequencies(root, hole, &Board::EMPTY)?.ok_or("not dealt")?;
        print!("{hole}:");
        for (action, frequency) in tree.actions(root).iter().zip(frequencies) {
            print!("  {action} {:.1} %", 100.0 * frequency);
        }
        println!();
    }
    Ok(())
}
