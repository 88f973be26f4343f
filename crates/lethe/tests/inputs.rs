//! What commands read: never without end, never more than could be meant, never shown raw.

#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Runs a command in a directory, which is also its data directory.
fn lethe(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lethe"));
    command.args(args).env("LETHE_DATA", dir).current_dir(dir).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() && begun.elapsed() < Duration::from_secs(30) {
        thread::sleep(Duration::from_millis(5));
    }
    if child.try_wait().unwrap().is_none() {
        child.kill().unwrap();
        panic!("lethe {args:?} does not end");
    }
    child.wait_with_output().unwrap()
}

fn refused(dir: &Path, args: &[&str]) -> String {
    let output = lethe(dir, args);
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(matches!(output.status.code(), Some(1 | 2)), "lethe {args:?}: {message}");
    assert!(message.starts_with("error: "), "lethe {args:?}: {message}");
    message
}

#[test]
fn devices_and_pipes_are_refused() {
    let temporary = tempfile::tempdir().unwrap();
    let dir = temporary.path();
    assert!(Command::new("mkfifo").arg(dir.join("pipe")).status().unwrap().success());
    for file in ["/dev/zero", "pipe"] {
        for command in ["solve", "show", "tree", "evaluate", "export"] {
            let message = refused(dir, &[command, file]);
            assert!(message.contains("not a regular file"), "{command} {file}: {message}");
        }
        for command in ["build", "train"] {
            let message = refused(dir, &[command, "--config", file]);
            assert!(message.contains("not a regular file"), "{command} {file}: {message}");
        }
    }
}

#[test]
fn devices_and_pipes_inside_a_directory_and_in_place_of_one_are_refused() {
    let temporary = tempfile::tempdir().unwrap();
    let dir = temporary.path();
    let pipe = |path: &Path| {
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    pipe(&dir.join("pipe"));
    for out in ["/dev/zero", "./pipe"] {
        for args in [["build", "--preset", "quick"], ["train", "--preset", "push-fold"]] {
            let message = refused(dir, &[&args[..], &["--out", out]].concat());
            assert!(message.contains("not a directory"), "{args:?}: {message}");
        }
    }
    for (place, name) in [("abstraction", "metadata.json"), ("run", "metrics.jsonl")] {
        let folder = dir.join(place);
        fs::create_dir(&folder).unwrap();
        let file = folder.join(name);
        let commands: &[&[&str]] = match place {
            "run" => &[&["report", "./run"], &["verify", "./run"]],
            _ => &[
                &["inspect", "./abstraction"],
                &["lookup", "./abstraction", "AsKs", "Th9h8c"],
                &["verify", "./abstraction"],
            ],
        };
        let kinds: [&dyn Fn(); 2] =
            [&|| std::os::unix::fs::symlink("/dev/zero", &file).unwrap(), &|| pipe(&file)];
        for make in kinds {
            make();
            for args in commands {
                let message = refused(dir, args);
                assert!(message.contains("not a regular file"), "{args:?}: {message}");
            }
            fs::remove_file(&file).unwrap();
        }
    }
}

#[test]
fn a_configuration_has_keys_and_a_name() {
    let temporary = tempfile::tempdir().unwrap();
    let dir = temporary.path();
    for text in ["", "\n\n", "# a comment\n---\n  # another\n"] {
        fs::write(dir.join("empty.yaml"), text).unwrap();
        let lines: [&[&str]; 3] = [
            &["build", "--config", "empty.yaml"],
            &["train", "--config", "empty.yaml"],
            &["solve", "empty.yaml"],
        ];
        for args in lines {
            let message = refused(dir, args);
            assert!(message.contains("empty.yaml: empty; write `key: value`"), "{message}");
        }
    }
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kit/blueprints/push-fold.yaml");
    fs::remove_file(dir.join("empty.yaml")).unwrap();
    for name in ["...yaml", ".yaml", "..yaml"] {
        fs::copy(&config, dir.join(name)).unwrap();
        let message = refused(dir, &["train", "--config", name, "--iterations", "1"]);
        assert!(message.contains("has no name"), "{message}");
        fs::remove_file(dir.join(name)).unwrap();
    }
    assert_eq!(fs::read_dir(dir).unwrap().count(), 0, "something was written");
}

#[test]
fn names_do_not_command_the_terminal() {
    let temporary = tempfile::tempdir().unwrap();
    let dir = temporary.path();
    let name = "\u{1b}]0;owned\u{7}\u{9b}2J";
    fs::create_dir_all(dir.join("abstractions").join(name)).unwrap();
    fs::write(dir.join("abstractions").join(name).join("metadata.json"), "{}").unwrap();
    fs::create_dir_all(dir.join("runs").join(name)).unwrap();
    let lines: [&[&str]; 7] = [
        &["list"],
        &["lookup", name, "AsKs"],
        &["lookup", "nothing", "AsKs"],
        &["strategy", name],
        &["report", "nothing"],
        &["solve", name],
        &["equity", name],
    ];
    for args in lines {
        let output = lethe(dir, args);
        for text in [output.stdout, output.stderr] {
            let text = String::from_utf8(text).unwrap();
            let control = |c: char| c.is_control() && c != '\n';
            assert!(!text.contains(control), "lethe {args:?}: {text:?}");
        }
    }
}

#[test]
fn a_line_without_an_end_is_refused_at_once() {
    let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("../abstraction/tests/compat/v1");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lethe"));
    command.arg("lookup").arg(stored).arg("-").stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let begun = Instant::now();
    let piece = [b'A'; 1 << 20];
    let written = (0..300).take_while(|_| stdin.write_all(&piece).is_ok()).count();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("line 1: longer than any hand"));
    assert!(written < 100 && begun.elapsed() < Duration::from_secs(10), "{written} MiB were read");
}

#[test]
fn a_tree_of_single_chips_is_refused_in_time() {
    let temporary = tempfile::tempdir().unwrap();
    let sizes = "{oop: {bet: 1c, raise: 1c}, ip: {bet: 1c, raise: 1c}}";
    let text = format!(
        "board: Qs Jh 2h\noop_range: AA\nip_range: KK\npot: 100\nstack: 1000000000\n\
         bet_sizes: {{flop: {sizes}, turn: {sizes}, river: {sizes}}}\n"
    );
    fs::write(temporary.path().join("spot.yaml"), text).unwrap();
    for command in ["tree", "solve"] {
        let message = refused(temporary.path(), &[command, "spot.yaml"]);
        assert!(message.contains("spot.yaml"), "{message}");
    }
}
