//! Impossible contents with correct checksums: refused, and never a panic or an allocation.

use std::fs;
use std::path::{Path, PathBuf};

use lethe_abstraction::artifact::verify;
use lethe_abstraction::{Abstraction, OpenError};
use lethe_cards::{Board, Deck, Street};
use lethe_compute::Job;
use lethe_files::BlockHasher;

use crate::sample::{BUCKETS, MIXED, SMALL};

const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Changes the metadata and signs them.
pub(crate) fn change_metadata(dir: &Path, change: impl FnOnce(String) -> String) {
    let path = dir.join("metadata.json");
    let mut text = fs::read_to_string(&path).unwrap();
    text.replace_range(15..15 + 64, ZEROS);
    let mut text = change(text);
    let hash = blake3::hash(text.as_bytes()).to_hex();
    text.replace_range(15..15 + 64, &hash);
    fs::write(path, text).unwrap();
}

/// Changes the header and the payload of a table and signs them, in the metadata too.
fn change_table(dir: &Path, name: &str, change: impl FnOnce(&mut [u8], &mut [u8])) {
    let path = dir.join(name);
    let bytes = fs::read(&path).unwrap();
    let length = u64::from_le_bytes(bytes[40..48].try_into().unwrap()) as usize;
    let (mut header, mut payload) = (bytes[..128].to_vec(), bytes[128..128 + length].to_vec());
    let old = hex(&header[96..]);
    change(&mut header, &mut payload);
    let mut blocks = BlockHasher::new();
    blocks.update(&payload);
    let hashes = blocks.finish();
    header[96..].fill(0);
    let sum = blake3::Hasher::new().update(&header).update(&hashes).finalize();
    header[96..].copy_from_slice(sum.as_bytes());
    fs::write(&path, [header, payload, hashes].concat()).unwrap();
    change_metadata(dir, |text| text.replace(&old, &sum.to_hex()));
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn mixed(root: &Path) -> PathBuf {
    MIXED.write(root, true)
}

#[test]
fn what_is_signed_again_without_a_change_opens() {
    let root = tempfile::tempdir().unwrap();
    let dir = mixed(root.path());
    change_table(&dir, "flop.buckets", |_, _| ());
    change_table(&dir, "river.buckets", |_, _| ());
    verify(&dir, Job::default()).unwrap();
}

#[test]
fn headers_that_contradict_the_plan_are_refused() {
    let root = tempfile::tempdir().unwrap();
    for (file, at, value) in [
        // Buckets.
        ("flop.buckets", 32, BUCKETS as u64 + 1),
        ("flop.buckets", 32, u64::from(u32::MAX)),
        ("flop.buckets", 32, u64::MAX),
        ("flop.buckets", 32, 0),
        ("river.buckets", 32, u64::from(u32::MAX)),
        ("river.buckets", 32, 0),
        // Rows, row length, payload, clusters, entries.
        ("flop.buckets", 16, 1),
        ("flop.buckets", 24, u64::MAX),
        ("flop.buckets", 40, u64::MAX - 127),
        ("flop.buckets", 40, 8),
        ("river.buckets", 56, u64::MAX),
        ("river.buckets", 56, 0),
        ("river.buckets", 64, u64::MAX / 2),
        ("flop.equity", 32, 9),
    ] {
        let dir = mixed(root.path());
        change_table(&dir, file, |header, _| {
            header[at..at + 8].copy_from_slice(&value.to_le_bytes());
        });
        let opened = Abstraction::open(&dir);
        assert!(opened.is_err(), "{file}: {value} at {at}");
        assert!(verify(&dir, Job::default()).is_err());
    }
}

#[test]
fn buckets_and_equities_out_of_range_are_never_returned() {
    let root = tempfile::tempdir().unwrap();
    let board: Board = "Th9h8c".parse().unwrap();
    let dir = mixed(root.path());
    change_table(&dir, "flop.buckets", |_, payload| payload.fill(0xff));
    let abstraction = Abstraction::open(&dir).unwrap();
    for hole in Deck::without(board.set()).holes() {
        assert!(abstraction.bucket(hole, &board).is_err());
        assert!(abstraction.lookup(hole, &board).is_err());
    }
    assert!(abstraction.row(&board).is_err());
    assert!(abstraction.table(Street::Flop, Job::default()).is_err());
    assert!(abstraction.verify_tables(Job::default()).is_err());
    assert!(verify(&dir, Job::default()).is_err());

    let dir = mixed(root.path());
    change_table(&dir, "flop.equity", |_, payload| payload.fill(0xff));
    let abstraction = Abstraction::open(&dir).unwrap();
    assert!(abstraction.equity("AsKs".parse().unwrap(), &board).is_err());
    assert!(abstraction.equity_table(Street::Flop, Job::default()).is_err());
    assert!(verify(&dir, Job::default()).is_err());

    // The parts of a sparse table: clusters of boards, then medians, starts, holes and buckets.
    for at in [0, 4 * 134_459, 4 * (134_459 + 3), 4 * (134_459 + 7)] {
        let dir = mixed(root.path());
        change_table(&dir, "river.buckets", |_, payload| payload[at..at + 4].fill(0xff));
        let error = Abstraction::open(&dir).unwrap_err();
        assert!(matches!(error, OpenError::Content { .. }), "{at}: {error}");
    }
}

#[test]
fn metadata_that_contradict_themselves_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let replace = |from: &str, to: &str| {
        let dir = SMALL.write(root.path(), true);
        change_metadata(&dir, |text| {
            assert!(text.contains(from), "{from} in {text}");
            text.replacen(from, to, 1)
        });
        Abstraction::open(&dir)
    };
    let name = &SMALL.plan.name();
    for (from, to) in [
        ("\"buckets\":4", "\"buckets\":0"),
        ("\"buckets\":4", "\"buckets\":4294967295"),
        ("\"buckets\":4", "\"buckets\":18446744073709551616"),
        ("\"clusters\":3", "\"clusters\":0"),
        ("\"algorithm\": 2", "\"algorithm\": 3"),
        ("\"format\": 2", "\"format\": 0"),
        (name, &format!("\\u001b[2J{name}")),
        ("flop.buckets", "../flop.buckets"),
    ] {
        assert!(replace(from, to).is_err(), "{from} -> {to}");
    }
    // A report of fewer buckets is none.
    let open = replace("\"sizes\":[", "\"sizes\":[1,").unwrap();
    assert!(open.report(Street::Flop).is_none());
    assert!(verify(open.path(), Job::default()).is_err());
}
