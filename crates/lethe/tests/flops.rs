//! Abstractions with flop clusters, as a process sees them.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{json, output, refused, text};
use lethe_abstraction::artifact::{ArtifactWriter, BuildSummary, CreateOutcome};
use lethe_abstraction::table::{SparseTable, Stored, StoredRef};
use lethe_abstraction::{Abstraction, FlopClusters, FlopTable, PerStreet};
use lethe_cards::{CanonicalBoard, Street};
use lethe_compute::Job;

/// A folder of this test's own, empty.
fn fresh(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("flops").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Flops without a pair, with one, and trips.
fn by_pairs() -> FlopClusters {
    let ranks =
        |flop: CanonicalBoard| flop.set().lanes().into_iter().fold(0, |all, lane| all | lane);
    let of = CanonicalBoard::all(Street::Flop).map(|flop| 3 - ranks(flop).count_ones() as u8);
    FlopClusters::new(of.collect(), vec![0, 0, 1]).unwrap()
}

/// A small abstraction with flop clusters: 12 base buckets on each street.
fn write(root: &Path) -> PathBuf {
    let small = concat!(env!("CARGO_MANIFEST_DIR"), "/../abstraction/tests/compat/v1");
    let small = Abstraction::open(small).unwrap();
    let plan = small.plan().clone().with_flop_clusters(by_pairs()).unwrap();
    let CreateOutcome::Fresh(mut writer) = ArtifactWriter::create(root, &plan, false).unwrap()
    else {
        panic!("it is there already")
    };
    for street in Street::POSTFLOP {
        let Some(StoredRef::Sparse(table)) = small.table(street, Job::default()).unwrap() else {
            panic!("its tables are sparse")
        };
        let stored = Stored::Sparse(SparseTable {
            clusters: table.clusters.to_vec(),
            medians: table.medians.to_vec(),
            starts: table.starts.to_vec(),
            holes: table.holes.to_vec(),
            buckets: table.buckets.to_vec(),
        });
        let buckets = small.base_buckets(street);
        writer.write_buckets(street, &stored, buckets, Job::default()).unwrap();
    }
    let report = |street| small.report(street).unwrap().clone();
    let reports = PerStreet {
        flop: report(Street::Flop),
        turn: report(Street::Turn),
        river: report(Street::River),
    };
    writer.finish(&BuildSummary { reports, seconds: 1.0, threads: 1 }).unwrap()
}

#[test]
fn lookups_say_which_cards_were_the_flop() {
    let dir = write(&fresh("lookup"));
    let dir = dir.to_str().unwrap();
    let paired = json(&["lookup", dir, "AsKd", "7h7c2dQs"]);
    let other = json(&["lookup", dir, "AsKd", "7h2dQs7c"]);
    assert_eq!(paired["flop_cluster"], 1);
    assert_eq!(other["flop_cluster"], 0);
    assert_eq!(paired["base_bucket"], other["base_bucket"]);
    let number = |view: &serde_json::Value, key: &str| view[key].as_u64().unwrap();
    assert_eq!(number(&paired, "bucket"), 12 + number(&paired, "base_bucket"));
    assert_eq!(other["bucket"], other["base_bucket"]);
    assert_eq!(paired["bucket_size"], other["bucket_size"]);
    // A stream answers the same.
    let mut child = common::lethe(&["lookup", dir, "-", "--json"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut input, b"AsKd 7h7c2dQs\nAsKd\n").unwrap();
    drop(input);
    let answers = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    let mut answers =
        answers.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    assert_eq!(answers.next().unwrap(), paired);
    let preflop = answers.next().unwrap();
    assert!(preflop.get("flop_cluster").is_none(), "there is no flop yet");

    let shown = text(&["lookup", dir, "AsKd", "7h7c2dQs"]);
    let lines: Vec<String> =
        shown.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let bucket = number(&paired, "bucket");
    for expected in [
        format!("bucket {bucket} of 36"),
        format!("base bucket {} of 12 in its flop cluster", bucket - 12),
        "flop cluster 1 of 3, by the flop 7h7c2d".to_owned(),
    ] {
        assert!(lines.iter().any(|line| line.starts_with(&expected)), "{expected}: {shown}");
    }
}

#[test]
fn clusters_are_described_and_verified() {
    let root = fresh("inspect");
    let dir = write(&root.join("abstractions"));
    let dir = dir.to_str().unwrap();
    let view = json(&["inspect", dir]);
    assert_eq!(view["flop_clusters"]["count"], 3);
    let trips = &view["flop_clusters"]["clusters"][2];
    assert_eq!(trips["flops"], 13);
    assert_eq!(trips["parent"], 1);
    assert!((trips["share"].as_f64().unwrap() - 52.0 / 22_100.0).abs() < 1e-12);
    assert_eq!(trips["rainbow"], 1.0);
    let shown = text(&["inspect", dir]);
    for line in ["flop clusters", "buckets in all", "3 flop clusters"] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let board = text(&["inspect", dir, "--board", "7h7c2dQs"]);
    assert!(board.contains("of 12 buckets of flop cluster 1"), "{board}");
    let refusal = refused(&["inspect", dir, "--bucket", "turn:20"]);
    assert!(refusal.contains("its buckets are 0 to 11 in each flop cluster"), "{refusal}");
    let list = json(&["list", "--data", root.to_str().unwrap()]);
    assert_eq!(list["abstractions"][0]["buckets"]["flop"], 36, "{list}");
    assert!(text(&["verify", dir]).contains("metadata.json"));

    let metadata = Path::new(dir).join("metadata.json");
    let whole = fs::read_to_string(&metadata).unwrap();
    let damaged = whole.replacen("\"parents\":[0,0,1]", "\"parents\":[0,0,0]", 1);
    assert_ne!(damaged, whole);
    fs::write(&metadata, damaged).unwrap();
    assert_eq!(output(&["verify", dir]).status.code(), Some(1));
    assert_eq!(output(&["lookup", dir, "AsKd", "7h7c2d"]).status.code(), Some(1));
}

#[test]
fn a_table_is_checked_before_a_build_begins() {
    let root = fresh("tables");
    let file = root.join("flops.json");
    let features: Vec<f32> = (0..1755).map(|flop| (flop % 10) as f32).collect();
    let table = FlopTable::ward(&features, 8, "a test".to_owned(), Job::default()).unwrap();
    fs::write(&file, table.to_text()).unwrap();
    let set = |count: &str| {
        let table = format!("flop_clusters={{table: {}, count: {count}}}", file.display());
        refused(&["build", "--out", root.to_str().unwrap(), "--set", &table])
    };
    assert!(set("9").contains("9 flop clusters, but the table has 8; ask for 1 to 8"));
    assert!(set("0").contains("0 is below 1"));
    let many = ["--set", "buckets=200000", "--set", "method={river: ochs}"];
    let table = format!("flop_clusters={{table: {}}}", file.display());
    let args = ["build", "--out", root.to_str().unwrap(), "--set", &table];
    let refusal = refused(&[&args[..], &many[..]].concat());
    assert!(refusal.contains("8 flop clusters of 200000 buckets are 1600000"), "{refusal}");
    assert!(refusal.contains("ask for at most 5 clusters"), "{refusal}");
    fs::write(&file, table_with_a_wrong_parent(&table_text(&file))).unwrap();
    assert!(set("3").contains("the parent of flop cluster 1 is 1"));
    fs::remove_file(&file).unwrap();
    assert!(set("3").contains("no table of that name and no such file"));
}

fn table_text(file: &Path) -> String {
    fs::read_to_string(file).unwrap()
}

fn table_with_a_wrong_parent(text: &str) -> String {
    assert!(text.contains("\"parents\": [0,0,"), "{text}");
    text.replacen("\"parents\": [0,0,", "\"parents\": [0,1,", 1)
}

#[test]
fn a_game_that_ends_before_the_flop_has_nothing_to_cluster_by() {
    let root = fresh("preflop");
    let data = root.to_str().unwrap();
    let run = root.join("run");
    let run = run.to_str().unwrap();
    text(&["train", "--preset", "push-fold", "--iterations", "5", "--out", run, "--data", data]);
    let out = root.join("flops.json");
    let refusal = refused(&["cluster-flops", run, "--out", out.to_str().unwrap()]);
    assert!(refusal.contains("the blueprint's game ends before the flop"), "{refusal}");
    assert!(!out.exists());
    let inside = format!("{run}/latest.blueprint");
    assert_eq!(output(&["cluster-flops", run, "--out", &inside]).status.code(), Some(2));
    let count = refused(&["cluster-flops", run, "--out", "x.json", "--clusters", "300"]);
    assert!(count.contains("256"), "{count}");
}
