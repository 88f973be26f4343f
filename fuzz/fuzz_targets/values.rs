//! Values beside a checkpoint: opened, verified and queried.
#![no_main]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use lethe_blueprint::{
    Blueprint, CardModel, CheckpointKind, Exact, Flops, VALUES_MAGIC, ValuesFile,
};
use lethe_cards::StartingHand;
use lethe_compute::Job;
use lethe_fuzz::{Example, Form, Parts, check_json, refused, repository, scratch, write_container};
use lethe_game::Player;
use libfuzzer_sys::fuzz_target;

/// A run with values that belong to its checkpoint.
static RUN: LazyLock<(PathBuf, Example)> = LazyLock::new(|| {
    let dir = scratch().join("values");
    fs::create_dir_all(&dir).expect("scratch");
    let checkpoint = repository("crates/blueprint/tests/compat/push-fold/latest.blueprint");
    fs::copy(checkpoint, dir.join(CheckpointKind::Latest.file())).expect("scratch");
    let blueprint = open(&dir);
    let verified = blueprint.verify(Job::default()).expect("a whole checkpoint");
    let (plan, buckets) = (blueprint.plan(), blueprint.buckets());
    let exact = Exact { plan, buckets, weights: &verified };
    let values = exact.values(Flops::All, Job::default()).expect("not cancelled");
    let path = values.save(blueprint.checkpoint()).expect("scratch");
    let bytes = fs::read(path).expect("scratch");
    let number = |at: usize| u32::from_le_bytes(*bytes[at..].first_chunk().expect("a number"));
    let (header, data) = bytes[64..].split_at(number(12) as usize);
    let data = data[..number(16) as usize].to_vec();
    (dir, Example { header: header.to_vec(), data })
});

fn open(dir: &Path) -> Blueprint {
    Blueprint::open_with(dir, CheckpointKind::Latest, CardModel::Blank).expect("it opens")
}

fuzz_target!(|input: &[u8]| {
    let Some(parts) = Parts::of(input) else { return };
    let (dir, example) = &*RUN;
    let path = dir.join("latest.values");
    let data = parts.apply(&example.data);
    match parts.form {
        Form::Raw => fs::write(&path, parts.text).expect("scratch"),
        _ => write_container(&path, VALUES_MAGIC, 1, parts.text_or(&example.header), &data),
    }
    match ValuesFile::open(&path) {
        Ok(file) => {
            check_json(file.header());
            if let Err(error) = file.verify(Job::default()) {
                refused(&error);
            }
        }
        Err(error) => refused(&error),
    }
    query(&open(dir));
});

fn query(blueprint: &Blueprint) {
    let values = match blueprint.values() {
        Ok(values) => values.expect("it was written"),
        Err(error) => return refused(&error),
    };
    for node in blueprint.tree().ids() {
        for hand in StartingHand::all().step_by(40) {
            match values.hand(blueprint.plan(), Player::Ip, node, hand) {
                Ok(Some(value)) => assert!(value.chips.is_finite(), "{value:?}"),
                Ok(None) => {}
                Err(error) => refused(&error),
            }
        }
    }
}
