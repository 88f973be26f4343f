//! `lethe play`, `lethe advise` and `lethe acpc` as processes, with a small run.

use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::{fs, thread};

use serde_json::Value;

#[path = "../../play/tests/it/dealer.rs"]
mod dealer;
#[path = "../../play/tests/it/oracle.rs"]
mod oracle;

use dealer::{Dealer, Fault};

/// A data directory with one run, of the preset `quick` with a small abstraction.
fn data() -> &'static Path {
    static DATA: OnceLock<PathBuf> = OnceLock::new();
    DATA.get_or_init(|| {
        let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("play-data");
        let _ = fs::remove_dir_all(&data);
        fs::create_dir_all(data.join("runs")).unwrap();
        let cards = Path::new(env!("CARGO_MANIFEST_DIR")).join("../abstraction/tests/compat/v1");
        let set = format!("abstraction={}", cards.canonicalize().unwrap().display());
        let args = ["train", "--preset", "quick", "--out", "small", "--iterations", "20"];
        let quick = ["--set", &set, "--set", "training.evaluate=0"];
        let trained = lethe(&data, &[&args[..], &quick].concat(), "");
        assert!(trained.status.success(), "{}", String::from_utf8_lossy(&trained.stderr));
        data
    })
}

fn lethe(data: &Path, args: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lethe"));
    command.args(args).env("LETHE_DATA", data).env_remove("NO_COLOR").current_dir(data);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that ends early closes its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(output: &Output) -> (Option<i32>, String, String) {
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    (output.status.code(), out.into_owned(), err.into_owned())
}

fn refused(args: &[&str]) -> String {
    let (code, out, err) = text(&lethe(data(), args, ""));
    assert_eq!((code, out.as_str()), (Some(2), ""), "{args:?}: {err}");
    err
}

#[test]
fn one_question_has_one_answer() {
    let line = "r250 c / Th9h8c x b333 c / 2d b401";
    let args = ["advise", "small", line, "--hand", "AhKh", "--iterations", "10", "--json"];
    let answers = [&["--threads", "1"][..], &["--threads", "2"], &[]].map(|more| {
        let (code, out, err) = text(&lethe(data(), &[&args[..], more].concat(), ""));
        assert_eq!(code, Some(0), "{err}");
        let mut answer: Value = serde_json::from_str(&out).unwrap();
        assert!(answer["seconds"].take().as_f64().unwrap() >= 0.0);
        answer
    });
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0], answers[2]);
    let [answer, ..] = answers;
    assert_eq!((&answer["source"], &answer["iterations"]), (&"search".into(), &10.into()));
    // A target that the first comparison finds reached ends the solve there.
    let args = ["advise", "small", line, "--hand", "AhKh", "--target", "100%", "--json"];
    let (code, out, err) = text(&lethe(data(), &args, ""));
    assert_eq!(code, Some(0), "{err}");
    let early: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(early["iterations"], 100);
    assert_eq!((&answer["pot"], &answer["to_call"]), (&1567.into(), &401.into()));
    assert_eq!((&answer["seat"], &answer["board"]), (&"sb".into(), &"Th9h8c2d".into()));
    let shares = answer["frequencies"].as_array().unwrap();
    let total: f64 = shares.iter().map(|share| share["frequency"].as_f64().unwrap()).sum();
    assert!((total - 1.0).abs() < 1e-5);
    assert_eq!((&shares[0]["action"], &shares[0]["ev"]), (&"fold".into(), &0.0.into()));
    assert!(shares[1]["ev"].is_f64() && shares.last().unwrap()["chips"] == 1417);
}

#[test]
fn a_question_without_an_answer_is_refused() {
    let ask = |history: &str, hand: &str, more: &[&str]| {
        let args = [&["advise", "small", history, "--hand", hand][..], more].concat();
        refused(&args)
    };
    let flop = "r250 c / Th9h8c x";
    assert!(ask(flop, "ThKh", &[]).contains("shares a card with the board Th9h8c"));
    assert!(ask(flop, "AhKh", &["--seat", "bb"]).contains("it is the opponent's turn"));
    assert!(ask("r250 f", "AhKh", &[]).contains("the hand is over"));
    assert!(
        ask("r120", "AhKh", &[]).contains("a raise is to 200 chips at least; 120 is too small")
    );
    assert!(ask("r2500", "AhKh", &[]).contains("2500 is too much"));
    assert!(ask("r250 c", "AhKh", &[]).contains("the flop comes next"));
    assert!(ask("r250 c / Th9hTh x", "AhKh", &[]).contains("the flop comes next"));
    assert!(ask(flop, "AhK", &[]).contains("the last card has no suit"));
    assert!(ask(flop, "AhKhQh", &[]).contains("a hole of 2 cards"));
    assert!(ask("", "AhKh", &["--stack", "2001"]).contains("trained with 2000"));
    assert!(ask("", "AhKh", &["--stack", "100"]).contains("100"));
    assert!(
        ask("", "AhKh", &["--search", "preflop"]).contains("expected flop, turn, river or none")
    );
}

#[test]
fn a_session_is_played_from_a_file() {
    let args = ["play", "--seed", "7", "--search", "none", "--hands", "2"];
    let input = "help\nhint\nr 3x\nnonsense\nc\nc\nc\nc\nc\nc\nreview\nscore\n\nc\nc\nc\nc\nc\nc\n";
    let (code, out, err) = text(&lethe(data(), &args, input));
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("seed 7"), "{err}");
    assert!(out.contains("hand 1  you are the sb with "), "{out}");
    assert!(out.contains("'nonsense' is not"), "{out}");
    assert!(out.contains("you: raise 300"), "{out}");
    assert!(out.contains("score after 1 hand "), "{out}");
    // Saved in another file.
    let (_, again, _) = text(&lethe(data(), &args, input));
    assert_eq!(out, again, "the same seed and input");
}

#[test]
fn a_program_can_play_by_lines_of_json() {
    let args = ["play", "small", "--seed", "3", "--search", "none", "--json"];
    let (code, out, err) = text(&lethe(data(), &args, "allin\nquit\n"));
    assert_eq!(code, Some(0), "{err}");
    let lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["number"], &lines[0]["to_act"]), (&1.into(), &"you".into()));
    assert_eq!(lines[0]["legal"]["most"], 2000);
    let table = &lines[1];
    assert!(table["result"]["won"].is_i64(), "{table}");
    assert_eq!(lines.last().unwrap()["hands"], 1);
}

#[test]
fn nothing_is_trained_in_silence() {
    let empty = tempfile::tempdir().unwrap();
    let (code, out, err) = text(&lethe(empty.path(), &["play"], ""));
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(
        err.contains("there is no run") && err.contains("`lethe quickstart` trains one"),
        "{err}"
    );
}

/// A match of the program with the dealer of the tests.
fn acpc(fault: Fault, hands: u64) -> (dealer::Outcome, (Option<i32>, String, String)) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let dealer = Dealer { stack: 2000, small: 50, big: 100, hands, seed: 5, fault };
    let dealing = thread::spawn(move || dealer.deal(&listener));
    let args = ["acpc", "small", "127.0.0.1", &port, "--search", "none", "--json"];
    let output = lethe(data(), &args, "");
    (dealing.join().unwrap(), text(&output))
}

#[test]
fn a_match_is_played_over_the_network() {
    let (outcome, (code, out, err)) = acpc(Fault::None, 300);
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(outcome.violations, [] as [String; 0]);
    let result: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(result["hands"], 300);
    let won = result["raw"]["mbb"].as_f64().unwrap() * 300.0 / 10.0;
    assert!((won - outcome.won as f64).abs() < 1e-6, "{won} {outcome:?}");
}

#[test]
fn a_dealer_that_fails_is_an_error() {
    for (fault, message) in [
        (Fault::Malformed, "expected f, c or r and chips"),
        (Fault::DealtTwice, "has been dealt already"),
        (Fault::HangUp, "closed the connection in the middle of hand 1"),
        (Fault::CutLine, "the connection ended in the middle of the line"),
        (Fault::Illegal, "'raise 2001' is not legal here"),
        (Fault::OtherCards, "our cards are not those dealt at the start of the hand"),
    ] {
        let (_, (code, out, err)) = acpc(fault, 3);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{fault:?}: {err}");
        assert!(err.contains(message) && err.lines().count() == 1, "{fault:?}: {err}");
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    drop(listener);
    let (code, _, err) = text(&lethe(data(), &["acpc", "small", "127.0.0.1", &port], ""));
    assert_eq!(code, Some(1));
    assert!(err.contains("cannot connect to a dealer"), "{err}");
}

#[test]
fn a_dealers_game_is_written() {
    let (code, out, _) = text(&lethe(data(), &["acpc", "small", "--game"], ""));
    assert_eq!(code, Some(0));
    assert!(
        out.starts_with("GAMEDEF\nnolimit\n") && out.contains("\nstack = 2000 2000\n"),
        "{out}"
    );
    assert!(out.contains("\nblind = 100 50\n") && out.ends_with("END GAMEDEF\n"), "{out}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_session_and_keeps_its_hands() {
    let file = data().join("stopped.phhs");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lethe"));
    command.args(["play", "small", "--seed", "3", "--search", "none", "--phh"]).arg(&file);
    command.env("LETHE_DATA", data()).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The input stays open, as a terminal does.
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"allin\n").unwrap();
    let begun = std::time::Instant::now();
    while !file.exists() {
        assert!(begun.elapsed().as_secs() < 120, "no hand was saved");
        thread::sleep(std::time::Duration::from_millis(20));
    }
    let sent = Command::new("kill").arg("-INT").arg(child.id().to_string()).status();
    assert!(sent.unwrap().success());
    let (code, out, err) = text(&child.wait_with_output().unwrap());
    assert_eq!(code, Some(130), "{err}");
    assert!(out.ends_with("bb/100\n") && err.contains("1 hand saved in"), "{out}{err}");
    let saved = fs::read_to_string(&file).unwrap();
    assert_eq!(saved.matches("variant").count(), 1, "{saved}");
    drop(input);
}
