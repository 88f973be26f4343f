//! Solve a spot file and read one hand's strategy after a line.
//!
//! `cargo run --release -p lethe-examples --example solve`
#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::path::Path;

use lethe_compute::Job;
use lethe_game::Player;
use lethe_kit::spot::SpotFile;
use lethe_solver::{Options, Solver, Stop};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spots/srp-turn.yaml");
    let spot = SpotFile::read(&path)?.spot()?;
    let job = Job::default();

    // Until the exploitability is 0.5 % of the pot.
    let mut solver = Solver::new(spot, Options::default(), job)?;
    let stop = Stop { target: Some(0.005), ..Stop::default() };
    let report = solver.run(&stop, job, &mut |metrics| {
        if let (true, Some(chips)) = (metrics.checked, metrics.exploitability) {
            println!("iteration {:4}  exploitability {chips:.3} chips", metrics.iteration);
        }
    });
    println!("stopped after {} iterations: {:?}", report.iterations, report.reason);

    // What in position does with AhQh after a check.
    let solution = solver.into_solution();
    let position = solution.walk("x")?;
    let hands = position.hands(Player::Ip, job)?;
    let hole = "AhQh".parse()?;
    let hand = hands.iter().find(|hand| hand.hole == hole).ok_or("AhQh is not in the range")?;
    println!("{} after a check, equity {:.3}", hand.hole, hand.equity.unwrap_or(f64::NAN));
    for (action, frequency) in position.actions().iter().zip(hand.frequencies.iter().flatten()) {
        println!("  {action:10} {:5.1} %", 100.0 * frequency);
    }
    Ok(())
}
