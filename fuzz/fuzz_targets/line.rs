//! Lines, histories, starts and locks, in a solved turn and in a hand from the blinds.
#![no_main]

use std::sync::LazyLock;

use lethe_compute::Job;
use lethe_fuzz::refused;
use lethe_game::{Game, HandConfig, NodeKind, Tree};
use lethe_kit::line;
use lethe_kit::solution::{SolveOptions, solve, visit};
use lethe_kit::spot::{SpotFile, add_lock, start_at};
use lethe_solver::{Solution, Stop};
use libfuzzer_sys::fuzz_target;

const SPOT: &str = "board: 2s3h4d6c\noop_range: AsAh,QsQh,7s8s\nip_range: KsKh,5c5d\n\
    pot: 100\nstack: 200\nbet_sizes:\n  turn: {oop: {bet: \"50%, a\"}, ip: {raise: 2.5x}}\n  \
    river: {oop: {bet: a}}\n";

static SOLUTION: LazyLock<Solution> = LazyLock::new(|| {
    let spot = SpotFile::parse("turn.yaml", SPOT).and_then(|file| file.spot()).expect("a spot");
    solve(spot, &options(), Job::default(), &mut |_| ()).expect("a solution")
});

static HAND: LazyLock<Tree> = LazyLock::new(|| {
    let game = Game::hand(&HandConfig::new(1000, 50, 100)).expect("a game");
    Tree::build(game, 10_000).expect("a small tree")
});

fn options() -> SolveOptions {
    let stop = Stop { iterations: Some(3), ..Stop::default() };
    SolveOptions { stop, ..SolveOptions::default() }
}

fuzz_target!(|text: &str| {
    let spot = SOLUTION.spot();
    for tree in [&*HAND, spot.tree()] {
        match tree.find(text) {
            Ok(node) => assert_eq!(tree.find(&tree.history(node)), Ok(node)),
            Err(error) => refused(&error),
        }
        match line::find(tree, text) {
            Ok(place) => {
                assert_eq!(tree.find(&tree.history(place.node)), Ok(place.node));
                let after = place.after_deals(tree);
                assert_ne!(tree.node(after.node).kind(), NodeKind::Chance);
            }
            Err(error) => refused(&error),
        }
    }
    match SOLUTION.walk(text) {
        Ok(position) => {
            position.frequencies();
            position.view(Job::default()).expect("nobody cancels");
        }
        Err(error) => refused(&error),
    }
    let mut look =
        |position: &lethe_solver::Position<'_>, _: &mut dyn FnMut(&_)| Ok(position.history());
    if let Err(error) = visit(&SOLUTION, text, &options(), Job::default(), &mut |_| (), &mut look) {
        refused(&error);
    }
    if let Err(error) = start_at(spot, text) {
        refused(&error);
    }
    if let Err(error) = add_lock(spot.clone(), text) {
        refused(&error);
    }
});
