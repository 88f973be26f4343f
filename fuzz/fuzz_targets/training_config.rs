//! Training configurations and their overrides.
//!
//! The input is a file; what follows a line `===` are overrides, one per line. Without a file they
//! change the preset `quick`.
#![no_main]

use std::fs;

use lethe_fuzz::{check_json, refused, scratch};
use lethe_game::{Game, Tree};
use lethe_kit::config::training_config;
use libfuzzer_sys::fuzz_target;

/// Larger trees are counted, and not built.
const NODES: u64 = 5_000;

fuzz_target!(|input: &[u8]| {
    let mark = b"===\n";
    let at = input.windows(mark.len()).position(|part| part == mark);
    let (file, overrides) = match at {
        Some(at) => (&input[..at], &input[at + mark.len()..]),
        None => (input, &[][..]),
    };
    let Ok(overrides) = str::from_utf8(overrides) else { return };
    let overrides: Vec<&str> = overrides.lines().collect();
    let path = scratch().join("config.yaml");
    let path = match file {
        [] => None,
        text => {
            fs::write(&path, text).expect("scratch");
            Some(path.as_path())
        }
    };
    match training_config(Some("quick"), path, &overrides) {
        Ok(config) => {
            let Ok(game) = Game::hand(&config.game) else { return };
            check_json(&config);
            if let Ok(tree) = Tree::build(game, NODES) {
                for node in tree.ids().step_by(tree.len().div_ceil(50)) {
                    assert_eq!(tree.find(&tree.history(node)).ok(), Some(node));
                }
            }
        }
        Err(error) => refused(&error),
    }
});
