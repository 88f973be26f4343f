//! The command as a process: exit codes, pipes, files and arguments of any bytes.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use proptest::prelude::*;
use serde_json::Value;

fn lethe<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lethe"));
    command.args(args).stdin(Stdio::null()).env_remove("NO_COLOR");
    command
}

fn output<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Output {
    lethe(args).output().expect("the command starts")
}

fn stdout_of<const N: usize>(args: [&str; N]) -> String {
    let output = output(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}");
    String::from_utf8(output.stdout).expect("results are UTF-8")
}

fn json_of<const N: usize>(args: [&str; N]) -> Value {
    serde_json::from_str(&stdout_of(args)).expect("--json writes JSON")
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    let long: [&[&str]; 3] =
        [&["boards", "river"], &["boards", "river", "--json"], &["rank", "AsKsQsJsTs", "--json"]];
    for args in long {
        let mut child = lethe(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        if args[0] == "boards" {
            BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
            assert!(line.contains("2s2h2d"), "{line}");
        }
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    }
}

#[test]
fn every_canonical_board_is_listed_once_with_its_index() {
    for (street, canonical, raw) in [("flop", 1_755, 22_100), ("turn", 16_432, 270_725)] {
        let text = stdout_of(["boards", street]);
        let mut sum = 0;
        for (place, line) in text.lines().enumerate() {
            let fields: Vec<&str> = line.split('\t').collect();
            assert_eq!(fields[0], place.to_string());
            sum += fields[2].parse::<u64>().unwrap();
        }
        assert_eq!((text.lines().count(), sum), (canonical, raw));
        let first: Value =
            serde_json::from_str(stdout_of(["boards", street, "--json"]).lines().next().unwrap())
                .unwrap();
        let counts = json_of(["boards", street, "--count", "--json"]);
        assert_eq!(first["index"], 0);
        assert_eq!((&counts["canonical"], &counts["raw"]), (&canonical.into(), &raw.into()));
    }
}

/// Published figures: of 1,712,304 boards, wins and ties of aces against kings, and equities
/// against a random hand.
#[test]
fn equities_agree_with_published_ones() {
    let known = [
        ("AsAh", "KsKh", 1_410_336, 9_308),
        ("AsAh", "KdKc", 1_388_072, 6_538),
        ("AcKc", "QdQh", 787_966, 6_732),
    ];
    for (hole, against, wins, ties) in known {
        let answer = json_of(["equity", hole, "--against", against, "--json"]);
        assert_eq!(answer["wins"], wins);
        assert_eq!(answer["ties"], ties);
        assert_eq!(answer["total"], 1_712_304);
        assert_eq!(answer["board"], Value::Null);
        assert_eq!(answer.get("histogram"), None);
    }
    for (hole, equity) in [("AsAh", 0.852_037_13), ("KsQs", 0.634_004_03), ("3s2h", 0.323_032_28)] {
        let answer = json_of(["equity", hole, "--json"]);
        assert!((answer["equity"].as_f64().unwrap() - equity).abs() < 5e-9, "{answer}");
    }
}

#[test]
fn the_histogram_counts_every_next_card_once() {
    let cards = [("Th9h8c", "random", 47), ("Th9h8c2s", "random", 46), ("Th9h8c", "7d7c", 45)];
    for (board, against, cards) in cards {
        let args = ["equity", "AsKs", board, "--against", against, "--bins", "1000", "--json"];
        let answer = json_of(args);
        let counts = answer["histogram"]["counts"].as_array().unwrap();
        assert_eq!(counts.len(), 1000);
        assert_eq!(counts.iter().map(|count| count.as_u64().unwrap()).sum::<u64>(), cards);
    }
}

#[test]
fn manual_pages_are_written_into_a_folder() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("man").join("man1");
    let written = json_of(["man", "--out", folder.to_str().unwrap(), "--json"]);
    let files = written["files"].as_array().unwrap();
    assert!(files.len() >= 7);
    for file in files {
        let page = fs::read_to_string(file.as_str().unwrap()).unwrap();
        assert!(page.contains(".SH SYNOPSIS"), "{file}");
    }
    assert!(stdout_of(["man"]).contains(".TH lethe 1"));
}

#[test]
fn a_folder_that_cannot_be_made_is_a_failure() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("not-a-folder");
    fs::write(&file, "").unwrap();
    let output = output([OsStr::new("man"), OsStr::new("--out"), file.as_os_str()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("not-a-folder"));
}

#[test]
fn every_shell_has_completions() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        assert!(stdout_of(["completions", shell]).contains("equity"), "{shell}");
        assert_eq!(json_of(["completions", shell, "--json"])["shell"], shell);
    }
}

#[test]
fn colour_is_only_written_when_asked_for_or_on_a_terminal() {
    assert!(!stdout_of(["equity", "AsKs"]).contains('\u{1b}'));
    assert!(stdout_of(["equity", "AsKs", "--color", "always"]).contains('\u{1b}'));
    assert!(!stdout_of(["equity", "AsKs", "--color", "always", "--json"]).contains('\u{1b}'));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Arguments of any bytes but zero, which no system lets through.
    #[cfg(unix)]
    #[test]
    fn any_bytes_end_in_an_answer_or_a_message(
        command in prop::sample::select(vec!["equity", "canon", "rank", "boards", "completions"]),
        bytes in prop::collection::vec(prop::collection::vec(1u8..=255, 0..12), 0..4),
    ) {
        use std::os::unix::ffi::OsStrExt;
        let rest = bytes.iter().map(|bytes| OsStr::from_bytes(bytes));
        let output = output([OsStr::new(command)].into_iter().chain(rest));
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        match output.status.code() {
            Some(0) => prop_assert!(message.is_empty() && !output.stdout.is_empty()),
            code => {
                prop_assert_eq!(code, Some(2), "{}", &message);
                prop_assert!(output.stdout.is_empty());
                prop_assert!(message.starts_with("error: "), "{}", message);
            }
        }
    }
}
