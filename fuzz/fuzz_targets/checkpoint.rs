//! Checkpoints of training: opened, verified, queried and resumed.
#![no_main]

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use lethe_blueprint::{Blueprint, CardModel, Checkpoint, CheckpointKind, MAGIC, Run, TrainConfig};
use lethe_cards::{Board, Hole};
use lethe_compute::Job;
use lethe_fuzz::{Example, Form, Parts, check_json, refused, scratch, write_container};
use libfuzzer_sys::fuzz_target;

static PUSH_FOLD: LazyLock<Example> =
    LazyLock::new(|| Example::of("crates/blueprint/tests/compat/push-fold/latest.blueprint", 48));
static TEXTURE: LazyLock<Example> =
    LazyLock::new(|| Example::of("crates/blueprint/tests/compat/texture/latest.blueprint", 48));

/// Trees of more cells than this are not trained.
const CELLS: u64 = 10_000;

fuzz_target!(|input: &[u8]| {
    let Some(parts) = Parts::of(input) else { return };
    let dir = scratch().join("run");
    fs::create_dir_all(&dir).expect("scratch");
    let path = dir.join(CheckpointKind::Latest.file());
    let example = if parts.form == Form::Other { &TEXTURE } else { &PUSH_FOLD };
    let header = with_game_hash(parts.text_or(&example.header));
    let data = parts.apply(&example.data);
    match parts.form {
        Form::Raw => fs::write(&path, parts.text).expect("scratch"),
        Form::First => fs::write(&path, first_version(&header, &data)).expect("scratch"),
        _ => write_container(&path, MAGIC, 2, &header, &data),
    }
    look(&dir, &path);
});

/// The header with the hash of the game that its configuration has.
fn with_game_hash(header: &[u8]) -> Vec<u8> {
    let value = serde_json::from_slice::<serde_json::Value>(header).ok();
    let signed = value.and_then(|mut value| {
        let config: TrainConfig = serde_json::from_value(value.get("config")?.clone()).ok()?;
        *value.get_mut("game_hash")? = config.game_hash().into();
        serde_json::to_vec(&value).ok()
    });
    signed.unwrap_or_else(|| header.to_vec())
}

/// A file of the first format, with the checksums that belong there.
fn first_version(header: &[u8], data: &[u8]) -> Vec<u8> {
    let mut header = header.to_vec();
    header.resize((48 + header.len()).next_multiple_of(64) - 48, b' ');
    let mut file = MAGIC.to_vec();
    file.extend(1u32.to_le_bytes());
    file.extend((header.len() as u32).to_le_bytes());
    file.extend(blake3::hash(&header).as_bytes());
    file.extend(header);
    file.extend(data);
    file.extend(blake3::hash(data).as_bytes());
    file
}

fn look(dir: &Path, path: &Path) {
    let checkpoint = match Checkpoint::open(path) {
        Ok(checkpoint) => checkpoint,
        Err(error) => return refused(&error),
    };
    let header = checkpoint.header();
    check_json(header);
    let cells = checkpoint.verify(Job::default());
    if let Ok(cells) = &cells {
        assert_eq!(cells.averages().len() as u64, header.cells);
    }
    match Blueprint::open_with(dir, CheckpointKind::Latest, CardModel::Blank) {
        Ok(blueprint) => query(&blueprint),
        Err(error) => refused(&error),
    }
    if header.cells <= CELLS {
        match Run::resume(dir, &header.config, CardModel::Blank, Job::default()) {
            Ok(run) => assert_eq!(run.header().cells, header.cells),
            Err(error) => refused(&error),
        }
    }
}

fn query(blueprint: &Blueprint) {
    let hole = Hole::all().next().expect("a hole");
    for node in blueprint.tree().ids().take(20) {
        match blueprint.frequencies(node, hole, &Board::EMPTY) {
            Ok(Some(shares)) => {
                let sum: f64 = shares.iter().sum();
                assert!((sum - 1.0).abs() < 1e-6, "{shares:?}");
            }
            Ok(None) => {}
            Err(error) => refused(&error),
        }
    }
}
