//! Signals: Ctrl-C, `SIGTERM` and `SIGHUP` end a command cleanly, with what it has so far.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const SIGNALS: [(&str, i32); 3] = [("INT", 130), ("TERM", 143), ("HUP", 129)];

/// The signals that stop a command. `SIGHUP` is not one of them if the tests themselves were started
/// with `nohup`, which protects what they start.
fn signals() -> impl Iterator<Item = (&'static str, i32)> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let is_protected = ignored.is_some_and(|mask| mask & 1 != 0);
    SIGNALS.into_iter().filter(move |&(signal, _)| signal != "HUP" || !is_protected)
}

fn start(dir: &Path, line: &str) -> Child {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("exec \"$LETHE\" {line}"));
    command.env("LETHE", env!("CARGO_BIN_EXE_lethe")).env("LETHE_DATA", dir).current_dir(dir);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the shell starts")
}

fn send(child: &Child, signal: &str) {
    let sent = Command::new("kill").arg(format!("-{signal}")).arg(child.id().to_string()).status();
    assert!(sent.unwrap().success(), "the command ended by itself");
}

/// Waits until the process is at work: it listens to signals and has used a second of the processor.
fn wait_until_busy(child: &mut Child) {
    let begun = Instant::now();
    loop {
        assert!(child.try_wait().unwrap().is_none(), "the command ended by itself");
        assert!(begun.elapsed() < Duration::from_secs(120), "the command does not begin");
        let read = |file: &str| {
            fs::read_to_string(format!("/proc/{}/{file}", child.id())).unwrap_or_default()
        };
        let status = read("status");
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        let times = read("stat");
        let ticks: u64 = times.split(' ').nth(13).and_then(|ticks| ticks.parse().ok()).unwrap_or(0);
        // The signals of Ctrl-C (2) and of the end (15); a hundredth of a second is a tick.
        if caught.is_some_and(|mask| mask & 0x4002 == 0x4002) && ticks >= 100 {
            return;
        }
        sleep(Duration::from_millis(20));
    }
}

/// Files in a directory and below it, without locks.
fn files(dir: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            names.extend(files(&entry.path()).into_iter().map(|below| format!("{name}/{below}")));
        } else if name != ".lock" {
            names.push(name);
        }
    }
    names.sort();
    names
}

/// Stops a command with each signal; returns what was printed, and checks what was left.
fn stopped(line: &str, left: &[&str], check: impl Fn(&str, &str)) {
    for (signal, code) in signals() {
        let temporary = tempfile::tempdir().unwrap();
        let dir = temporary.path();
        let spots = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spots");
        let line = line.replace("SPOTS", spots.to_str().unwrap());
        let mut child = start(dir, &line);
        wait_until_busy(&mut child);
        send(&child, signal);
        let asked = Instant::now();
        let output = child.wait_with_output().unwrap();
        let [stdout, stderr] =
            [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        assert_eq!(output.status.code(), Some(code), "{signal}: lethe {line}: {stderr}");
        assert!(asked.elapsed() < Duration::from_secs(60), "{signal}: lethe {line}");
        assert_eq!(files(dir), left, "{signal}: lethe {line}");
        check(&stdout, &stderr);
    }
}

#[test]
fn a_stopped_training_keeps_a_checkpoint() {
    let left = ["runs/push-fold/latest.blueprint", "runs/push-fold/metrics.jsonl"];
    stopped("train --preset push-fold --time 1h", &left, |stdout, _| {
        assert!(stdout.starts_with("stopped; "), "{stdout}");
    });
}

#[test]
fn a_stopped_solve_is_saved() {
    let line = "solve SPOTS/srp-turn.yaml --iterations 4000000000 --save s.lethe";
    stopped(line, &["s.lethe"], |stdout, _| {
        assert!(stdout.contains("; stopped"), "{stdout}");
        assert!(stdout.contains("saved"), "{stdout}");
    });
}

#[test]
fn a_stopped_build_leaves_nothing() {
    stopped("build", &[], |_, stderr| {
        assert!(stderr.ends_with("stopped: nothing was written\n"), "{stderr}");
    });
}

#[test]
fn a_stopped_lab_keeps_finished_cells() {
    let line = "lab --out cells --preset full --html page.html";
    stopped(line, &["cells/work.json"], |_, stderr| {
        assert!(stderr.contains("stopped: "), "{stderr}");
    });
}

#[test]
fn a_stopped_measurement_says_so() {
    let temporary = tempfile::tempdir().unwrap();
    let dir = temporary.path();
    let trained = start(dir, "train --preset push-fold --iterations 10").wait_with_output();
    assert!(trained.unwrap().status.success());
    for (signal, code) in signals() {
        let mut child = start(dir, "match push-fold call --hands 1000G");
        wait_until_busy(&mut child);
        send(&child, signal);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code));
        assert!(String::from_utf8_lossy(&output.stderr).contains("stopped"));
    }
}

#[test]
fn the_second_signal_ends_at_once() {
    let temporary = tempfile::tempdir().unwrap();
    let spot = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spots/srp-turn.yaml");
    let line = format!("solve {} --iterations 4000000000", spot.display());
    let mut child = start(temporary.path(), &line);
    wait_until_busy(&mut child);
    // Two that differ, because one that waits is not sent again.
    send(&child, "INT");
    send(&child, "TERM");
    let asked = Instant::now();
    let output = child.wait_with_output().unwrap();
    // Should the first have been enough already, it is as well.
    assert!(matches!(output.status.code(), Some(143 | 130)), "{:?}", output.status);
    assert!(asked.elapsed() < Duration::from_secs(10));
}

#[test]
fn what_nohup_protects_is_not_stopped() {
    let temporary = tempfile::tempdir().unwrap();
    let dir = temporary.path();
    let line = "train --preset push-fold --time 1h";
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("trap '' HUP; exec \"$LETHE\" {line}"));
    command.env("LETHE", env!("CARGO_BIN_EXE_lethe")).env("LETHE_DATA", dir).process_group(0);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    wait_until_busy(&mut child);
    send(&child, "HUP");
    sleep(Duration::from_millis(500));
    assert!(child.try_wait().unwrap().is_none());
    send(&child, "TERM");
    let mut first = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut first).unwrap();
    stdout.read_to_string(&mut String::new()).unwrap();
    assert!(first.starts_with("stopped; "), "{first}");
    let status = child.wait().unwrap();
    assert_eq!((status.code(), status.signal()), (Some(143), None));
}
