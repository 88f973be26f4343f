//! Solves a spot of the benchmarks a little, and prints how long views of its nodes take.
//!
//! `cargo run --release -p lethe-solver --example views -- flop 20`
#![allow(clippy::print_stdout, reason = "its output is what it is for")]

use std::time::Instant;

use lethe_cards::Card;
use lethe_compute::Job;
use lethe_game::NodeKind;
use lethe_solver::{Options, Position, Solver, Stop};

#[path = "../benches/spots/mod.rs"]
mod spots;

/// The milliseconds of a view with every hand of both players and the EVs of all actions.
fn view(position: &Position<'_>) -> Result<f64, Box<dyn std::error::Error>> {
    let begun = Instant::now();
    position.view(Job::default())?;
    if position.player().is_some() {
        position.action_evs(Job::default())?;
    }
    Ok(begun.elapsed().as_secs_f64() * 1e3)
}

/// Views every node of the street, and those behind some cards of the next ones: the milliseconds of
/// the first view, and the least of three more.
fn visit(
    position: &Position<'_>,
    streets: &mut [[Vec<f64>; 2]],
    cards: &[Card],
) -> Result<(), Box<dyn std::error::Error>> {
    let Some(([first, again], next)) = streets.split_first_mut() else { return Ok(()) };
    first.push(view(position)?);
    again.push(view(position)?.min(view(position)?).min(view(position)?));
    match position.kind() {
        NodeKind::Decision(_) => {
            for action in 0..position.actions().len() {
                visit(&position.act(action)?, streets, cards)?;
            }
        }
        NodeKind::Chance => {
            for &card in cards.iter().filter(|&&card| !position.board().set().contains(card)) {
                visit(&position.deal(card)?, next, cards)?;
            }
        }
        NodeKind::Fold(_) | NodeKind::Showdown => (),
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_else(|| "flop".to_owned());
    let iterations = args.next().map_or(Ok(20), |text| text.parse())?;
    let spot = spots::by_name(&name)?;
    let mut solver = Solver::new(spot, Options::default(), Job::default())?;
    let stop = Stop { iterations: Some(iterations), evaluate: false, ..Stop::default() };
    let report = solver.run(&stop, Job::default(), &mut |_| ());
    println!("an iteration   {:.1} ms", report.elapsed.as_secs_f64() * 1e3 / f64::from(iterations));
    let solution = solver.into_solution();
    let mut streets = [const { [Vec::new(), Vec::new()] }; 3];
    visit(&solution.root(), &mut streets, &["7c".parse()?, "As".parse()?])?;
    for (street, passes) in streets.into_iter().enumerate().filter(|(_, p)| !p[0].is_empty()) {
        for (pass, mut times) in ["first", "again"].into_iter().zip(passes) {
            times.sort_by(f64::total_cmp);
            let (count, last) = (times.len(), times.len() - 1);
            let (median, p95, most) = (times[last / 2], times[last * 95 / 100], times[last]);
            println!(
                "street {street}, {count:4} nodes, {pass}: median {median:.2} ms, p95 {p95:.2} ms, \
                 longest {most:.2} ms"
            );
        }
    }
    Ok(())
}
