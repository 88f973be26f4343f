//! Saved solutions: opened and walked.
#![no_main]

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use lethe_compute::Job;
use lethe_fuzz::{Example, Form, Parts, refused, scratch, write_container};
use lethe_game::{NodeKind, Player};
use lethe_solver::{MAGIC, Position, Solution};
use libfuzzer_sys::fuzz_target;

static RIVER: LazyLock<Example> =
    LazyLock::new(|| Example::of("crates/solver/tests/compat/river.lethe", 16));
static TURN: LazyLock<Example> =
    LazyLock::new(|| Example::of("crates/solver/tests/compat/turn.lethe", 16));

fuzz_target!(|input: &[u8]| {
    let Some(parts) = Parts::of(input) else { return };
    let path = scratch().join("solution.lethe");
    let example = if parts.form == Form::Other { &TURN } else { &RIVER };
    let (header, data) = (parts.text_or(&example.header), parts.apply(&example.data));
    match parts.form {
        Form::Raw => fs::write(&path, parts.text).expect("scratch"),
        Form::First => fs::write(&path, first_version(header, &data)).expect("scratch"),
        _ => write_container(&path, MAGIC, 2, header, &data),
    }
    look(&path);
});

/// A file of the first format, with the checksum that belongs there.
fn first_version(header: &[u8], data: &[u8]) -> Vec<u8> {
    let mut file = MAGIC.to_vec();
    file.extend(1u32.to_le_bytes());
    file.extend((header.len() as u32).to_le_bytes());
    file.extend(header);
    file.extend(data);
    file.extend(*blake3::hash(&file).as_bytes());
    file
}

fn look(path: &Path) {
    let solution = match Solution::open(path, Job::default()) {
        Ok(solution) => solution,
        Err(error) => return refused(&error),
    };
    walk(&solution.root(), 2);
}

/// What a position shows is finite, as is what follows it.
fn walk(position: &Position<'_>, depth: usize) {
    if position.is_stored() {
        for player in Player::BOTH {
            for hand in position.hands(player, Job::default()).expect("nobody cancels") {
                assert!(hand.reach.is_finite() && hand.against.is_finite());
                assert!(hand.ev.is_none_or(f64::is_finite), "an EV of {:?}", hand.ev);
            }
        }
        if let Some(shares) = position.frequencies() {
            let sum: f64 = shares.iter().sum();
            assert!((sum - 1.0).abs() < 1e-3, "{shares:?}");
        }
    }
    if depth == 0 {
        return;
    }
    match position.kind() {
        NodeKind::Decision(_) => {
            for action in 0..position.actions().len().min(3) {
                match position.act(action) {
                    Ok(next) => walk(&next, depth - 1),
                    Err(error) => refused(&error),
                }
            }
        }
        NodeKind::Chance => match position.deal("2c".parse().expect("a card")) {
            Ok(next) => walk(&next, depth - 1),
            Err(error) => refused(&error),
        },
        NodeKind::Fold(_) | NodeKind::Showdown => {}
    }
}
