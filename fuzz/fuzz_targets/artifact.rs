//! Artifacts of abstractions: metadata and tables.
//!
//! The text of an input is that of `metadata.json`. The first byte of the changes says which table
//! they are for. Checksums and hashes of the plan are made right wherever they were.
#![no_main]

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use lethe_abstraction::artifact::file_names;
use lethe_abstraction::{Abstraction, Plan};
use lethe_cards::{Board, Street};
use lethe_compute::Job;
use lethe_fuzz::{Form, Parts, changed, refused, repository, scratch};
use libfuzzer_sys::fuzz_target;

const HEADER: usize = 128;
const SUM: std::ops::Range<usize> = 96..HEADER;
const BLOCK: usize = 1 << 16;
const TABLES: [&str; 3] = ["flop.buckets", "turn.buckets", "river.buckets"];

/// An artifact of the first format.
struct Sample {
    metadata: String,
    tables: [Vec<u8>; 3],
}

static SAMPLE: LazyLock<Sample> = LazyLock::new(|| {
    let dir = repository("crates/abstraction/tests/compat/v1");
    let read = |name: &str| fs::read(dir.join(name)).expect("a file of the repository");
    let metadata = String::from_utf8(read("metadata.json")).expect("a text");
    Sample { metadata, tables: TABLES.map(read) }
});

fuzz_target!(|input: &[u8]| {
    let Some(parts) = Parts::of(input) else { return };
    let dir = scratch().join("artifact");
    fs::create_dir_all(&dir).expect("scratch");
    if parts.form == Form::Raw {
        fs::write(dir.join("metadata.json"), parts.text).expect("scratch");
        for (name, table) in TABLES.iter().zip(&SAMPLE.tables) {
            fs::write(dir.join(name), table).expect("scratch");
        }
        return look(&dir);
    }
    let Ok(text) = str::from_utf8(parts.text_or(SAMPLE.metadata.as_bytes())) else { return };
    let (text, plan_hash) = with_plan_hash(text);
    let (which, changes) = match parts.changes.split_first() {
        Some((&which, changes)) => (usize::from(which) % 3, changes),
        None => (0, &[][..]),
    };
    let mut text = text;
    for (place, sample) in SAMPLE.tables.iter().enumerate() {
        let mine = if place == which { changes } else { &[] };
        let table = signed(sample, mine, &plan_hash, parts.form != Form::First);
        let old = hex(&sample[SUM]);
        text = text.replace(&old, &hex(&table[SUM]));
        text = text
            .replace(&format!("\"bytes\":{}", sample.len()), &format!("\"bytes\":{}", table.len()));
        fs::write(dir.join(TABLES[place]), &table).expect("scratch");
    }
    fs::write(dir.join("metadata.json"), with_checksum(text)).expect("scratch");
    look(&dir);
});

fn hex(bytes: &[u8]) -> String {
    blake3::Hash::from_bytes(bytes.try_into().expect("32 bytes")).to_hex().to_string()
}

/// The text with the hash of the plan in it, wherever that of the sample was, and the hash.
fn with_plan_hash(text: &str) -> (String, String) {
    let old = "ba44972b";
    let value: Option<serde_json::Value> = serde_json::from_str(text).ok();
    let algorithm = value.as_ref().and_then(|value| value.get("algorithm")?.as_u64()).unwrap_or(1);
    let plan = value.and_then(|value| value.get("plan").cloned());
    let plan = plan.and_then(|plan| serde_json::from_value::<Plan>(plan).ok());
    let new = plan.map_or(old.to_owned(), |plan| plan.hash_by(algorithm as u32));
    (text.replace(old, &new), new)
}

/// The text with its checksum.
fn with_checksum(mut text: String) -> String {
    let place = "{\n\"checksum\": \"".len();
    let end = place + 64;
    if text.get(place..end).is_some() {
        text.replace_range(place..end, &"0".repeat(64));
        let sum = blake3::hash(text.as_bytes()).to_hex();
        text.replace_range(place..end, &sum);
    }
    text
}

/// A table with some words changed, in the header too, and the checksums that belong to it.
fn signed(sample: &[u8], changes: &[u8], plan_hash: &str, current: bool) -> Vec<u8> {
    let mut table = sample.to_vec();
    table[8] = if current { 2 } else { 1 };
    if plan_hash.len() == 8 {
        table[48..56].copy_from_slice(plan_hash.as_bytes());
    }
    let mut table = changed(&table, changes);
    table[SUM].fill(0);
    let mut hasher = blake3::Hasher::new();
    if current {
        let blocks = table[HEADER..].chunks(BLOCK);
        let sums: Vec<u8> =
            blocks.flat_map(|block| blake3::hash(block).as_bytes()[..16].to_vec()).collect();
        hasher.update(&table[..HEADER]).update(&sums);
        table.extend(sums);
    } else {
        hasher.update(&table);
    }
    table[SUM].copy_from_slice(hasher.finalize().as_bytes());
    table
}

fn look(dir: &Path) {
    file_names(dir);
    let open = match Abstraction::open(dir) {
        Ok(open) => open,
        Err(error) => return refused(&error),
    };
    for (street, board) in
        [(Street::Flop, "AsKd7c"), (Street::Turn, "2s2h2d3c"), (Street::River, "AsKsQsJs2d")]
    {
        let board: Board = board.parse().expect("a board");
        let hole = "9c8d".parse().expect("a hole");
        match open.lookup(hole, &board) {
            Ok(found) => {
                let bucket = found.expect("no card of the board").bucket as usize;
                assert!(bucket < open.buckets(street));
            }
            Err(error) => refused(&error),
        }
        if let Err(error) = open.row(&board) {
            refused(&error);
        }
        if let Err(error) = open.bucket_equities(street) {
            refused(&error);
        }
        open.report(street);
    }
    open.metadata().bytes();
    if let Err(error) = open.verify_tables(Job::default()) {
        refused(&error);
    }
}
