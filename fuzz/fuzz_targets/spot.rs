//! Spot files, and the betting trees that they describe.
#![no_main]

use lethe_cards::Street;
use lethe_fuzz::{check_json, refused};
use lethe_game::{Game, Tree};
use lethe_kit::spot::SpotFile;
use libfuzzer_sys::fuzz_target;

/// Larger trees are counted, and not built.
const NODES: u64 = 5_000;

fuzz_target!(|text: &str| {
    let file = match SpotFile::parse("spot.yaml", text) {
        Ok(file) => file,
        Err(error) => return refused(&error),
    };
    let mut small = true;
    for street in Street::POSTFLOP {
        let Ok(game) = Game::spot(file.config(), street) else { continue };
        check_json(file.config());
        match Tree::build(game, NODES) {
            Ok(tree) => check(&tree),
            Err(_) => small = false,
        }
    }
    if small && let Err(error) = file.spot() {
        refused(&error);
    }
});

fn check(tree: &Tree) {
    let game = tree.game();
    for node in tree.ids().take(500) {
        let [oop, ip] = tree.stacks(node);
        assert!(oop <= game.stack() && ip <= game.stack());
        if let Some(outcome) = tree.outcome(node) {
            let [a, b] = outcome.payoffs(outcome.winner);
            let all = f64::from(game.pot()) - outcome.rake;
            assert!((a + b - all).abs() < 1e-3, "{a} and {b} of {all}");
            assert!((0.0..=f64::from(outcome.pot)).contains(&outcome.rake));
        }
    }
    for node in tree.ids().step_by(tree.len().div_ceil(50)) {
        assert_eq!(tree.find(&tree.history(node)).ok(), Some(node), "{}", tree.history(node));
    }
}
