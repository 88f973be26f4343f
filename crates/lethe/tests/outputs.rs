//! What commands write: never over an input, all or nothing, refused before the work where it cannot
//! be written.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

/// A directory with a copy of everything that can be an input, small.
struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let place = Place { dir: tempfile::tempdir().unwrap() };
        let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        fs::copy(shipped.join("spots/toy-river.yaml"), place.at("spot.yaml")).unwrap();
        let config = shipped.join("crates/kit/blueprints/push-fold.yaml");
        fs::copy(config, place.at("game.yaml")).unwrap();
        let stored = place.at("data/abstractions/small");
        fs::create_dir_all(&stored).unwrap();
        for file in fs::read_dir(shipped.join("crates/abstraction/tests/compat/v1")).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), stored.join(file.file_name())).unwrap();
        }
        place.succeeds("train --config game.yaml --out small --iterations 20");
        place.succeeds("solve spot.yaml --save solution.lethe");
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn lethe(&self, line: &str) -> Output {
        self.shell(&format!("exec \"$LETHE\" {line}"))
    }

    fn shell(&self, script: &str) -> Output {
        let mut command = Command::new("sh");
        command.arg("-c").arg(script).env("LETHE", env!("CARGO_BIN_EXE_lethe"));
        command.env("LETHE_DATA", self.at("data")).current_dir(self.dir.path());
        command.stdin(Stdio::null()).output().expect("the shell starts")
    }

    fn succeeds(&self, line: &str) {
        let output = self.lethe(line);
        assert_eq!(output.status.code(), Some(0), "lethe {line}: {}", said(&output));
    }

    /// The files and what is in them, without the locks.
    fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut dirs = vec![self.dir.path().to_owned()];
        while let Some(dir) = dirs.pop() {
            for entry in fs::read_dir(dir).unwrap().flatten() {
                match entry.file_type().unwrap() {
                    kind if kind.is_dir() => dirs.push(entry.path()),
                    kind if kind.is_file() && entry.file_name() != ".lock" => {
                        found.insert(entry.path(), fs::read(entry.path()).unwrap());
                    }
                    _ => {}
                }
            }
        }
        found
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Every option that names a file to write: a command that reads `IN` and writes `OUT`, and its
/// inputs.
const WRITERS: &[(&str, &[&str])] = &[
    ("solve spot.yaml --iterations 4000000000 --save OUT", &["spot.yaml"]),
    (
        "solve spot.yaml --abstraction small --iterations 4000000000 --save OUT",
        &["spot.yaml", "data/abstractions/small/metadata.json", "data/abstractions/small/new"],
    ),
    ("export spot.yaml --out OUT", &["spot.yaml"]),
    ("export solution.lethe --format json --out OUT", &["solution.lethe"]),
    (
        "export small --out OUT",
        &[
            "data/runs/small/latest.blueprint",
            "data/runs/small/metrics.jsonl",
            "data/runs/small/best-match.blueprint",
        ],
    ),
    ("export data/runs/small --out OUT", &["data/runs/small/latest.blueprint"]),
    ("export data/runs/small/latest.blueprint --out OUT", &["data/runs/small/latest.blueprint"]),
    (
        "report small --html OUT",
        &["data/runs/small/latest.blueprint", "data/runs/small/metrics.jsonl"],
    ),
    ("report data/runs/small/metrics.jsonl --html OUT", &["data/runs/small/metrics.jsonl"]),
    (
        "inspect small --html OUT",
        &["data/abstractions/small/metadata.json", "data/abstractions/small/flop.buckets"],
    ),
    (
        "lab --abstraction small --boards Ks7h2d9s --out cells --html OUT",
        &["data/abstractions/small/metadata.json", "cells/work.json"],
    ),
    (
        "lab --abstraction small --boards Ks7h2d9s --out cells --svg OUT",
        &["data/abstractions/small/metadata.json", "cells/work.json"],
    ),
];

#[test]
fn no_output_replaces_an_input() {
    let place = Place::new();
    fs::create_dir(place.at("cells")).unwrap();
    fs::write(place.at("cells/work.json"), "").unwrap();
    symlink(place.dir.path(), place.at("here")).unwrap();
    for (line, inputs) in WRITERS {
        for input in *inputs {
            let mut ways = vec![(*input).to_owned(), format!("./here/{input}")];
            symlink(place.at(input), place.at("soft")).unwrap();
            // A link that leads nowhere is replaced itself.
            if place.at(input).exists() {
                ways.push("soft".to_owned());
            }
            // Of what is read by the name of its directory, hard links are not known.
            if line.contains(input) {
                fs::hard_link(place.at(input), place.at("hard")).unwrap();
                ways.push("hard".to_owned());
            }
            let before = place.contents();
            for way in ways {
                let line = line.replace("OUT", &way);
                let output = place.lethe(&line);
                assert_eq!(output.status.code(), Some(2), "lethe {line}: {}", said(&output));
                assert!(said(&output).contains("input"), "lethe {line}: {}", said(&output));
                assert!(place.contents() == before, "lethe {line} changed a file");
            }
            fs::remove_file(place.at("soft")).unwrap();
            let _ = fs::remove_file(place.at("hard"));
        }
    }
}

#[test]
fn what_cannot_be_written_is_refused_before_the_work() {
    let place = Place::new();
    let before = place.contents();
    for (line, _) in WRITERS {
        for out in ["no/such/folder/x", "data", "/proc/x", "/dev/full", "spot.yaml/x", "''"] {
            let line = line.replace("OUT", out).replace(" --out cells", "");
            let begun = Instant::now();
            let output = place.lethe(&line);
            let message = said(&output);
            assert!(matches!(output.status.code(), Some(1 | 2)), "lethe {line}: {message}");
            assert!(message.starts_with("error: "), "lethe {line}: {message}");
            // Said once, and without the names of temporary files.
            assert!(message.matches("os error").count() < 2, "lethe {line}: {message}");
            assert!(!message.contains("tmp"), "lethe {line}: {message}");
            assert!(output.stdout.is_empty(), "lethe {line}");
            assert!(begun.elapsed().as_secs() < 20, "lethe {line} worked first");
            assert!(place.contents() == before, "lethe {line} changed a file");
        }
    }
    let device = fs::metadata("/dev/full").unwrap();
    assert!(!device.is_file(), "a device was replaced");
}

#[test]
fn a_full_disk_leaves_the_old_file() {
    let place = Place::new();
    fs::write(place.at("old"), "old").unwrap();
    let before = place.contents();
    let lines = [
        "export small --out old",
        "export spot.yaml --line '' --out old",
        "solve spot.yaml --save old",
        "report small --html old",
        "inspect small --html old",
    ];
    for line in lines {
        // Writes beyond a kibibyte fail, as they do on a full disk.
        let output = place.shell(&format!("trap '' XFSZ; ulimit -f 1; exec \"$LETHE\" {line}"));
        let message = said(&output);
        assert_eq!(output.status.code(), Some(1), "lethe {line}: {message}");
        assert!(message.contains("old: "), "lethe {line}: {message}");
        assert_eq!(message.matches("os error").count(), 1, "lethe {line}: {message}");
        assert!(place.contents() == before, "lethe {line} changed a file");
    }
}

#[test]
fn what_killed_commands_left_is_removed() {
    let place = Place::new();
    let mut child = Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    let dead = child.id();
    let before = place.contents();
    let left = [
        format!("data/abstractions/.F1-x.tmp-{dead}-0"),
        format!("data/abstractions/small/.flop.equities.tmp-{dead}-0"),
        format!("data/runs/small/.latest.blueprint.tmp-{dead}-3"),
        format!("data/solutions/.turn.lethe.tmp-{dead}-1"),
    ];
    fs::create_dir_all(place.at("data/solutions")).unwrap();
    for file in &left {
        fs::write(place.at(file), "x").unwrap();
    }
    let foreign = place.at("data/runs/small/.mine.tmp-1");
    fs::write(&foreign, "x").unwrap();
    place.succeeds("list");
    fs::remove_file(foreign).unwrap();
    assert!(place.contents() == before, "{:?}", place.contents().keys());
    // Those of an output go with the next output.
    fs::write(place.at(&format!(".x.csv.tmp-{dead}-0")), "x").unwrap();
    place.succeeds("export small --out x.csv");
    fs::remove_file(place.at("x.csv")).unwrap();
    assert!(place.contents() == before, "{:?}", place.contents().keys());
}

#[test]
fn everything_in_the_data_directory_is_listed() {
    let place = Place::new();
    place.succeeds("solve spot.yaml --save river");
    fs::create_dir(place.at("data/runs/empty")).unwrap();
    // A run of the first version.
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("../blueprint/tests/compat/push-fold");
    fs::create_dir(place.at("data/runs/old")).unwrap();
    for file in ["latest.blueprint", "metrics.jsonl"] {
        fs::copy(old.join(file), place.at("data/runs/old").join(file)).unwrap();
    }
    fs::write(place.at("data/solutions/notes.txt"), "mine").unwrap();
    let listed = place.lethe("list --json");
    let listed: serde_json::Value = serde_json::from_slice(&listed.stdout).unwrap();
    let names = |kind: &str| -> Vec<&str> {
        listed[kind].as_array().unwrap().iter().map(|i| i["name"].as_str().unwrap()).collect()
    };
    assert_eq!(names("abstractions"), ["small"]);
    assert_eq!(names("runs"), ["empty", "old", "small"]);
    assert_eq!(names("solutions"), ["river"]);
    assert!(listed["runs"][0]["error"].as_str().unwrap().contains("no checkpoint"), "{listed}");
    assert_eq!(listed["runs"][2]["iterations"], 20);
    assert_eq!(listed["runs"][2]["outdated"], false);
    assert_eq!(listed["runs"][1]["outdated"], true);
    assert_eq!(listed["runs"][2]["abstraction"], serde_json::Value::Null);
    let size = |path: &str| fs::metadata(place.at(path)).unwrap().len();
    assert_eq!(listed["solutions"][0]["bytes"], size("data/solutions/river.lethe"));
    // The kept artifact is of the first version.
    assert_eq!(listed["abstractions"][0]["algorithm"], 1);
    assert_eq!(listed["abstractions"][0]["outdated"], true);
    let older = "built by version 1 of the algorithms";
    for line in ["list", "inspect small"] {
        let text = String::from_utf8(place.lethe(line).stdout).unwrap();
        assert!(text.contains(older), "{line}: {text}");
    }
    let text = String::from_utf8(place.lethe("list").stdout).unwrap();
    assert!(text.contains("river") && text.contains("iterations"), "{text}");
}

#[test]
fn a_reader_that_leaves_ends_a_stream_quietly() {
    let place = Place::new();
    for flag in ["", "--json"] {
        let stream = format!(
            "yes AsKs Th9h8c2d3s | head -300000 | {{ \"$LETHE\" lookup small - {flag}; echo $? >&2; }} | head -1"
        );
        let output = place.shell(&stream);
        assert_eq!(String::from_utf8_lossy(&output.stderr), "0\n", "{flag}");
        assert_eq!(output.stdout.iter().filter(|&&byte| byte == b'\n').count(), 1);
    }
}
