//! How fast subgames of a blueprint converge, from nothing and from the blueprint's strategy.
//!
//! ```console
//! cargo run --release -p lethe-agent --example convergence -- RUN [SUBGAMES] [GADGET]
//! ```
#![allow(clippy::print_stdout)]

use lethe_agent::{Budget, GadgetKind, Subgame, WarmStart};
use lethe_blueprint::{Blueprint, CheckpointKind, Exact};
use lethe_cards::{Board, Card, Street};
use lethe_cluster::hash;
use lethe_compute::Job;
use lethe_game::{NodeId, NodeKind, Player};
use lethe_solver::StartingStrategy;

const ITERATIONS: [u32; 5] = [5, 10, 20, 40, 80];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let run = arguments.first().ok_or("expected the directory of a run")?;
    let count: usize = arguments.get(1).map_or(Ok(12), |text| text.parse())?;
    let gadget: GadgetKind = arguments.get(2).map_or(Ok(GadgetKind::Resolve), |g| g.parse())?;
    let job = Job::default();
    let blueprint = Blueprint::open(run, CheckpointKind::Latest)?;
    let blueprint = blueprint.verify(job)?;
    let (plan, buckets) = (blueprint.plan(), blueprint.buckets());
    let exact = Exact { plan, buckets, weights: &blueprint };
    let tree = plan.tree();
    let begins = |id: &NodeId| {
        let parent = tree.parent(*id).map(|parent| tree.node(parent).kind());
        tree.node(*id).street() == Street::Turn
            && tree.node(*id).player().is_some()
            && parent == Some(NodeKind::Chance)
    };
    let starts: Vec<NodeId> = tree.ids().filter(begins).collect();
    let mut results: [Vec<[f64; 2]>; ITERATIONS.len()] = Default::default();
    let mut bits = 0;
    while results[0].len() < count {
        let mut next = |bound: usize| {
            bits += 1;
            (hash(bits) % bound as u64) as usize
        };
        let mut left: Vec<Card> = Card::all().collect();
        let cards = [(); 4].map(|()| left.swap_remove(next(left.len())));
        let board = Board::new(&cards).expect("distinct");
        let (start, seat) = (starts[next(starts.len())], Player::BOTH[next(2)]);
        let [own, opponent] =
            [seat, seat.opponent()].map(|player| exact.root_reach(player.index(), &board, start));
        if own.iter().chain(&opponent).copied().fold(0.0, f32::max) < 1e-3 {
            continue;
        }
        let values = exact.root_values(seat.opponent().index(), &board, start, &own, job)?;
        let (tree, locks) = (tree.clone(), Vec::new());
        let alternative = values.best;
        let subgame = Subgame { tree, start, board, seat, own, opponent, alternative, locks };
        let warm = WarmStart(&exact);
        for (results, iterations) in results.iter_mut().zip(ITERATIONS) {
            let starts = [None, Some(&warm as &dyn StartingStrategy)];
            let mut found = [0.0; 2];
            for (found, start) in found.iter_mut().zip(starts) {
                let budget = Budget::iterations(iterations);
                let solved = subgame.solve_from(start, gadget, budget, job)?;
                *found = 100.0 * solved.measure(job)?.exploitability;
            }
            results.push(found);
        }
    }
    println!("{count} turns, {gadget}: half the NashConv in % of the pot, mean (largest)");
    println!("{:>10} {:>18} {:>18}", "iterations", "cold", "warm");
    for (results, iterations) in results.iter().zip(ITERATIONS) {
        let cell = |which: usize| {
            let all = || results.iter().map(|found| found[which]);
            let mean = all().sum::<f64>() / results.len() as f64;
            format!("{mean:.3} ({:.3})", all().fold(0.0, f64::max))
        };
        println!("{iterations:>10} {:>18} {:>18}", cell(0), cell(1));
    }
    Ok(())
}
