//! Damage as a process sees it: whatever bit of a file is flipped, every command either refuses it or
//! prints what it printed before.
//!
//! `LETHE_FLIPS=1000` flips that many bits of each kind of file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use lethe_abstraction::artifact::{ArtifactWriter, BuildSummary, CreateOutcome};
use lethe_abstraction::bucket_equities::BucketEquities;
use lethe_abstraction::table::{SparseTable, Stored, StoredRef, Table};
use lethe_abstraction::{Abstraction, PerStreet};
use lethe_cards::{CanonicalBoard, Situation, Street};
use lethe_compute::Job;
use serde_json::Value;

/// Bits of each kind of file to flip.
fn flips() -> u64 {
    std::env::var("LETHE_FLIPS").ok().and_then(|text| text.parse().ok()).unwrap_or(16)
}

/// An empty directory.
fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("damage-{name}"));
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}

fn compat(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

fn run(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lethe"));
    command.args(args).stdin(Stdio::null()).env_remove("NO_COLOR").output().unwrap()
}

/// What a command prints, but for times and speeds.
fn without_times(output: &Output) -> Vec<u8> {
    fn clean(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.retain(|key, _| !key.contains("second") && key != "created");
                fields.values_mut().for_each(clean);
            }
            Value::Array(values) => values.iter_mut().for_each(clean),
            _ => {}
        }
    }
    match serde_json::from_slice::<Value>(&output.stdout) {
        Ok(mut value) => {
            clean(&mut value);
            value.to_string().into_bytes()
        }
        Err(_) => output.stdout.clone(),
    }
}

/// Numbers without a pattern.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % end
    }
}

/// Flips bits of files, one at a time, and runs all commands on each.
fn flip(files: &[PathBuf], verified: &Path, commands: &[Vec<&str>]) {
    let verify = ["verify", verified.to_str().unwrap()];
    let sound = |args: &[&str]| {
        let output = run(args);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        without_times(&output)
    };
    sound(&verify);
    let before: Vec<Vec<u8>> = commands.iter().map(|args| sound(args)).collect();
    let again: Vec<Vec<u8>> = commands.iter().map(|args| sound(args)).collect();
    assert!(before == again, "what is compared does not change by itself");
    let mut random = Random(7);
    for round in 0..flips() {
        let file = &files[round as usize % files.len()];
        let bytes = fs::read(file).unwrap();
        // A third of the flips hit what comes before the data.
        let end = if round % 3 == 0 { 600.min(bytes.len()) } else { bytes.len() };
        let (at, bit) = (random.below(end as u64) as usize, random.below(8));
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << bit;
        fs::write(file, damaged).unwrap();
        let place = format!("bit {bit} of byte {at} of {}", file.display());
        let refused = |output: &Output, args: &[&str]| {
            let message = String::from_utf8_lossy(&output.stderr);
            assert!(!message.contains("panicked"), "{place}: {args:?}: {message}");
            assert!(matches!(output.status.code(), Some(0..=2)), "{place}: {args:?}: {message}");
            output.status.code() != Some(0)
        };
        let output = run(&verify);
        assert!(refused(&output, &verify), "{place}: verify finds nothing");
        // These take seconds and read the latest checkpoint alone: if the damage is elsewhere, one
        // round in twenty runs them.
        let elsewhere = files.len() > 1 && !file.ends_with("latest.blueprint");
        let spared = |args: &[&str]| {
            elsewhere && round % 20 != 3 && matches!(args[0], "exploitability" | "match")
        };
        for (args, before) in commands.iter().zip(&before).filter(|(args, _)| !spared(args)) {
            let output = run(args);
            let same = || without_times(&output) == *before;
            assert!(refused(&output, args) || same(), "{place}: {args:?} prints something else");
        }
        fs::write(file, bytes).unwrap();
    }
    sound(&verify);
}

/// The kept artifact of the first version, written again: its flop dense, with equities.
fn artifact(root: &Path) -> PathBuf {
    let old = Abstraction::open(compat("abstraction/tests/compat/v1")).unwrap();
    let CreateOutcome::Fresh(mut writer) = ArtifactWriter::create(root, old.plan(), false).unwrap()
    else {
        panic!("there is nothing yet")
    };
    for street in Street::POSTFLOP {
        let stored = match old.table(street, Job::default()).unwrap() {
            Some(StoredRef::Sparse(table)) if street != Street::Flop => {
                let [clusters, medians, starts, holes, buckets] =
                    [table.clusters, table.medians, table.starts, table.holes, table.buckets]
                        .map(<[u32]>::to_vec);
                Stored::Sparse(SparseTable { clusters, medians, starts, holes, buckets })
            }
            _ => {
                let boards = (0..CanonicalBoard::count(street))
                    .map(|index| CanonicalBoard::from_index(street, index).unwrap());
                let row = |board: CanonicalBoard| old.row(&board.board()).unwrap().to_vec();
                Stored::Dense(Table::U16(boards.flat_map(row).map(|b| b as u16).collect()))
            }
        };
        let buckets = old.buckets(street);
        writer.write_buckets(street, &stored, buckets, Job::default()).unwrap();
    }
    let slots = Situation::slots(Street::Flop) as u32;
    let equities: Vec<u32> = (0..slots).map(|slot| slot * 2).collect();
    writer.write_equity(Street::Flop, &equities, Job::default()).unwrap();
    let buckets = old.buckets(Street::River);
    let (sums, counts) = (vec![5; buckets * buckets], vec![5; buckets * buckets]);
    let pairs = BucketEquities { buckets, sums, counts };
    writer.write_bucket_equities(Street::River, &pairs, Job::default()).unwrap();
    let report = |street| old.report(street).unwrap().clone();
    let reports = PerStreet {
        flop: report(Street::Flop),
        turn: report(Street::Turn),
        river: report(Street::River),
    };
    writer.finish(&BuildSummary { reports, seconds: 1.0, threads: 1 }).unwrap()
}

fn files_of(dir: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| !file.file_name().unwrap().to_str().unwrap().starts_with('.'));
    files.sort();
    files
}

fn abstraction_commands(dir: &str) -> Vec<Vec<&str>> {
    vec![
        vec!["lookup", dir, "AsKs", "Th9h8c", "--json"],
        vec!["lookup", dir, "9d2c", "Th9h8c2d3s"],
        vec!["inspect", dir, "--json"],
        vec!["inspect", dir, "--board", "2c2d7h7s9c", "--json"],
        vec!["inspect", dir, "--bucket", "flop:3", "--json"],
        vec!["solve", SPOT, "--abstraction", dir, "--iterations", "3", "--json"],
    ]
}

const SPOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../spots/toy-river.yaml");

#[test]
fn no_bit_of_an_abstraction_is_flipped_unseen() {
    let root = folder("artifact");
    let dir = artifact(&root);
    flip(&files_of(&dir), &dir, &abstraction_commands(dir.to_str().unwrap()));
}

#[test]
fn no_bit_of_an_abstraction_of_the_first_version_is_flipped_unseen() {
    let dir = folder("artifact-1").join("a");
    copy(&compat("abstraction/tests/compat/v1"), &dir);
    flip(&files_of(&dir), &dir, &abstraction_commands(dir.to_str().unwrap()));
}

#[test]
fn no_bit_of_a_run_is_flipped_unseen() {
    let root = folder("run");
    let config = root.join("small.yaml");
    let cards = compat("abstraction/tests/compat/v1");
    let text = format!(
        "game:\n  stack: 1000\n  small_blind: 50\n  big_blind: 100\n  bet_sizes:\n    \
         preflop: {{sb: {{raise: \"a\"}}}}\n    river: {{oop: {{bet: \"a\"}}}}\nabstraction: '{}'\n\
         training:\n  sampling: external\n  evaluate: 1000\n  evaluate_flops: 1\n",
        cards.display()
    );
    fs::write(&config, text).unwrap();
    let dir = root.join("run");
    let (dir_text, config) = (dir.to_str().unwrap(), config.to_str().unwrap());
    let train = ["train", "--config", config, "--out", dir_text, "--threads", "1"];
    let trained = run(&[&train[..], &["--iterations", "2000"]].concat());
    assert!(trained.status.success(), "{}", String::from_utf8_lossy(&trained.stderr));
    let board = ["c x / Th9h8c x x / 2d x x / 3s", "--json"];
    let commands = [
        vec!["strategy", dir_text, "--json"],
        vec!["strategy", dir_text, board[0], board[1]],
        vec!["strategy", dir_text, "--checkpoint", "best-exploitability", "--json"],
        vec!["export", dir_text],
        vec!["exploitability", dir_text, "--flops", "4", "--json"],
        vec!["match", dir_text, "call", "--hands", "200", "--json"],
        vec!["report", dir_text, "--json"],
    ];
    flip(&files_of(&dir), &dir, &commands);
    // Resumed from a damaged checkpoint, or not at all.
    let latest = dir.join("latest.blueprint");
    let bytes = fs::read(&latest).unwrap();
    for at in [20, 100, bytes.len() / 2, bytes.len() - 5] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 4;
        fs::write(&latest, damaged).unwrap();
        let output = run(&[&train[..], &["--resume", "--iterations", "2100"]].concat());
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{at}: {message}");
        assert!(message.contains("damaged") && message.contains("latest.blueprint"), "{message}");
    }
}

#[test]
fn no_bit_of_a_run_of_the_first_version_is_flipped_unseen() {
    let dir = folder("run-1").join("r");
    copy(&compat("blueprint/tests/compat/push-fold"), &dir);
    let text = dir.to_str().unwrap();
    let commands = [
        vec!["strategy", text, "--json"],
        vec!["export", text],
        vec!["exploitability", text, "--json"],
    ];
    // Its metrics have no checksums.
    flip(&[dir.join("latest.blueprint")], &dir, &commands);
}

#[test]
fn no_bit_of_a_solution_is_flipped_unseen() {
    let root = folder("solution");
    let new = root.join("new.lethe");
    let solved = run(&["solve", SPOT, "--iterations", "50", "--save", new.to_str().unwrap()]);
    assert!(solved.status.success(), "{}", String::from_utf8_lossy(&solved.stderr));
    let old = root.join("old.lethe");
    fs::copy(compat("solver/tests/compat/river.lethe"), &old).unwrap();
    for file in [new, old] {
        let text = file.to_str().unwrap();
        let commands =
            [vec!["show", text, "--json"], vec!["show", text, "x", "--json"], vec!["export", text]];
        flip(std::slice::from_ref(&file), &file, &commands);
    }
}

#[test]
fn damaged_tables_stop_training_before_it_begins() {
    let root = folder("training");
    let dir = artifact(&root);
    let config = root.join("small.yaml");
    let text = format!(
        "game:\n  stack: 1000\n  small_blind: 50\n  big_blind: 100\nabstraction: '{}'\n",
        dir.display()
    );
    fs::write(&config, text).unwrap();
    let table = dir.join("flop.buckets");
    let mut bytes = fs::read(&table).unwrap();
    bytes[3_000_000] ^= 1;
    fs::write(&table, bytes).unwrap();
    let out = root.join("run");
    for sampling in ["public", "external"] {
        let set = format!("training.sampling={sampling}");
        let args = ["train", "--config", config.to_str().unwrap(), "--set", &set, "--iterations"];
        let output = run(&[&args[..], &["5", "--out", out.to_str().unwrap()]].concat());
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains("flop.buckets"), "{message}");
        assert!(message.contains("build the abstraction again"), "{message}");
    }
}
