//! Every command line in the documentation, the help and the comments of configurations runs.
//!
//! A command that takes long is stopped once it is at work: then its arguments were understood, its
//! inputs opened and its outputs checked.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use lethe_blueprint::CheckpointKind;
use lethe_kit::config::{AbstractionConfig, presets, training_presets};

/// What is written in the place of something, in documentation.
const PLACEHOLDERS: &[(&str, &str)] = &[
    ("<other>", "fine"),
    ("<dir>", "default"),
    ("<blueprint>", "quick"),
    ("{run}", "quick"),
    // The abstraction of the test has fewer buckets than the one that is described.
    ("--bucket flop:237", "--bucket flop:7"),
    ("--bucket flop:37", "--bucket flop:7"),
    ("--key 4042b800000000db", "--key 40001c00000000db"),
];

/// Commands that are not run, and why.
const NOT_RUN: &[(&str, &str)] = &[
    ("lethe man | man -l -", "needs a reader of manual pages"),
    ("lethe bench", "measures for a minute; `bench --quick` is run"),
    ("lethe bench --build", "builds for half a minute; `bench --quick` is run"),
    ("lethe bench --signature", "has a test of its own"),
    ("lethe acpc quick localhost 18791", "needs a dealer; `tests/play.rs` has one"),
    (
        "lethe acpc quick localhost 18791 --iterations 40 --phh match.phhs",
        "needs a dealer; `tests/play.rs` has one",
    ),
    ("lethe merge sweeps/4bet", "needs finished parts, which its own tests have"),
    ("lethe merge parts/4bet", "needs finished parts, which its own tests have"),
    ("lethe merge part0 part1 part2 --json", "needs finished parts, which its own tests have"),
    (
        "lethe merge measured --blueprint runs/quick",
        "needs finished parts, which its own tests have",
    ),
    ("lethe serve", "waits for a browser; the server has tests of its own"),
    ("lethe serve --port 8000 --no-open", "waits for a browser; the server has tests of its own"),
];

/// A hand history of the game of `quick`.
const HANDS: &str = r#"[1]
variant = "NT"
antes = [0, 0]
blinds_or_straddles = [50, 100]
min_bet = 100
starting_stacks = [2000, 2000]
actions = ["d dh p1 AhKd", "d dh p2 9s9h", "p2 cbr 220", "p1 cc", "d db Th4c2d", "p1 cc", "p2 cbr 330", "p1 f"]
players = ["you", "lethe"]
"#;

/// The log of an ACPC dealer for the same game.
const LOG: &str =
    "# name/game/hands/seed match quick 1 1\nSTATE:0:r250f:AhKd|9s9h:-100|100:you|lethe\n";

/// A place for commands to run in: the shipped spots, a small run under every name that is used,
/// and a small abstraction under the name of every preset.
struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let place = Place { dir: tempfile::tempdir().unwrap() };
        copy(&root().join("spots"), &place.at("spots"));
        let small = root().join("crates/abstraction/tests/compat/v1");
        for preset in presets() {
            let plan = AbstractionConfig::preset(preset.name).unwrap().resolve().unwrap();
            copy(&small, &place.at("data/abstractions").join(plan.name()));
        }
        fs::write(place.at("hands.txt"), "AsKs Th9h8c\n").unwrap();
        fs::write(place.at("hands.phhs"), HANDS).unwrap();
        fs::write(place.at("match.log"), LOG).unwrap();
        for dir in
            [".zfunc", ".config/fish/completions", ".local/share/bash-completion/completions"]
        {
            fs::create_dir_all(place.at(dir)).unwrap();
        }
        for run in ["quick", "default", "deep", "runs/quick", "runs/other"] {
            // No evaluation, which would take longer than everything else.
            let line = format!(
                "lethe train --preset quick --out {run} --iterations 3 --set training.evaluate=0"
            );
            let output = place.start(&line).wait_with_output().unwrap();
            assert!(output.status.success(), "{line}: {}", said(&output));
        }
        place.value();
        place
    }

    /// Computes what luck is removed by. A run that is trained again loses it.
    fn value(&self) {
        let line = "lethe values quick --flops 1";
        let output = self.start(line).wait_with_output().unwrap();
        assert!(output.status.success(), "{line}: {}", said(&output));
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn start(&self, line: &str) -> Child {
        let program = Path::new(env!("CARGO_BIN_EXE_lethe"));
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{path}", program.parent().unwrap().display());
        let exec = if line.starts_with("lethe ") && !line.contains('|') { "exec " } else { "" };
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("{exec}{line}")).env("PATH", path);
        command.env("HOME", self.dir.path()).env("LETHE_DATA", self.at("data"));
        command.current_dir(self.dir.path()).stdin(Stdio::null());
        let output = || fs::File::create(self.at("output")).unwrap();
        command.stdout(output()).stderr(Stdio::piped());
        command.spawn().expect("the shell starts")
    }

    /// Makes what a command expects to find, or not to find.
    fn prepare(&self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let after = |option| words.iter().skip_while(|word| **word != option).nth(1).copied();
        let mine = match words.get(1) {
            Some(&"build") => presets().iter().find(|preset| preset.name == "default"),
            _ => training_presets().iter().find(|preset| preset.name == "quick"),
        };
        fs::write(self.at("my.yaml"), mine.unwrap().text).unwrap();
        let latest = self.at("data/runs/quick").join(CheckpointKind::Latest.file());
        if latest.exists() {
            fs::copy(&latest, latest.with_file_name(CheckpointKind::BestExploitability.file()))
                .unwrap();
        }
        if words.contains(&"--aivat") {
            self.value();
        }
        if words.get(1) == Some(&"train") && !words.contains(&"--resume") {
            let name = after("--out").or(after("--preset")).unwrap_or("my");
            for run in [self.at("data/runs").join(name), self.at(name)] {
                let _ = fs::remove_dir_all(run);
            }
        }
    }

    /// Runs a command until it ends or has worked for a while; an error says what went wrong.
    fn run(&self, line: &str) -> Result<(), String> {
        self.prepare(line);
        let mut child = self.start(line);
        let begun = Instant::now();
        let mut stopped = false;
        while child.try_wait().unwrap().is_none() {
            if !stopped && is_at_work(child.id()) {
                stopped = true;
                let id = child.id().to_string();
                let _ = Command::new("kill").args(["-INT", &id]).stderr(Stdio::null()).status();
            }
            if begun.elapsed() > Duration::from_secs(120) {
                let _ = child.kill();
                return Err("does not end".to_owned());
            }
            sleep(Duration::from_millis(if begun.elapsed().as_millis() < 100 { 2 } else { 20 }));
        }
        let output = child.wait_with_output().unwrap();
        match output.status.code() {
            Some(0) => Ok(()),
            Some(130) if stopped => Ok(()),
            _ => Err(format!("{}\n{}", output.status, said(&output))),
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for file in fs::read_dir(from).unwrap().flatten() {
        fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Whether a process listens to Ctrl-C and has used a third of a second of the processor.
fn is_at_work(process: u32) -> bool {
    let read = |file: &str| fs::read_to_string(format!("/proc/{process}/{file}"));
    let (Ok(status), Ok(times)) = (read("status"), read("stat")) else { return false };
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let ticks = times.split(' ').nth(13).and_then(|ticks| ticks.parse().ok()).unwrap_or(0);
    caught.is_some_and(|mask| mask & 2 == 2) && ticks >= 30
}

/// The command lines of a text: lines that begin with one, and the code spans of prose. A span with
/// the name of a command alone mentions that command.
fn commands(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    // A backslash continues a line.
    let continued = |text: &str| text.trim_start_matches('#').trim_start().to_owned();
    let text = text.split("\\\n").enumerate();
    let text: Vec<String> =
        text.map(|(i, part)| if i == 0 { part.to_owned() } else { continued(part) }).collect();
    let text = text.join("");
    for line in text.lines() {
        let line = line.trim_start_matches('#').trim_start();
        let line = line.strip_prefix("$ ").unwrap_or(line);
        if line.starts_with("lethe ") || line.contains(" | lethe ") && !line.starts_with('|') {
            // What follows two spaces or a hash describes the command.
            let line = line.split("  ").next().unwrap_or(line);
            found.push(line.split(" #").next().unwrap_or(line).trim_end().to_owned());
            continue;
        }
        for span in line.split('`').skip(1).step_by(2).filter(|span| span.starts_with("lethe ")) {
            found.push(match span.split_whitespace().count() {
                2 => format!("{span} --help"),
                _ => span.to_owned(),
            });
        }
    }
    found
}

/// Every file that documents commands.
fn documents() -> Vec<PathBuf> {
    let root = root();
    let mut files: Vec<PathBuf> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]
            .map(|name| root.join(name))
            .into();
    files.push(root.join("crates/lethe/src/commands/quickstart.rs"));
    for dir in ["docs", "spots", "crates/kit/configs", "crates/kit/blueprints"] {
        let entries = fs::read_dir(root.join(dir)).unwrap().flatten().map(|entry| entry.path());
        let is_text = |path: &PathBuf| path.extension().is_some_and(|e| e == "md" || e == "yaml");
        files.extend(entries.filter(is_text));
    }
    files.sort();
    files
}

#[test]
fn every_documented_command_runs() {
    let place = Place::new();
    let mut lines: Vec<(String, String)> = Vec::new();
    for file in documents() {
        let name = file.strip_prefix(root()).unwrap().display().to_string();
        let text = fs::read_to_string(&file).unwrap();
        lines.extend(commands(&text).into_iter().map(|line| (name.clone(), line)));
    }
    let help = |command: &str| {
        let mut lethe = Command::new(env!("CARGO_BIN_EXE_lethe"));
        let output = lethe.args(command.split_whitespace()).arg("--help").output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let whole = help("");
    let names = whole.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names: Vec<&str> =
        names.map_while(|line| line.split_whitespace().next()).filter(|n| *n != "help").collect();
    assert!(names.len() > 20, "{names:?}");
    for name in [""].into_iter().chain(names) {
        let examples = commands(&help(name)).into_iter();
        lines.extend(examples.map(|line| (format!("lethe {name} --help"), line)));
    }
    assert!(lines.len() > 120, "{}", lines.len());

    let mut failed = Vec::new();
    let mut done = BTreeSet::new();
    for (place_of, line) in lines {
        let mut line = PLACEHOLDERS.iter().fold(line, |line, (from, to)| line.replace(from, to));
        if line.contains('…') {
            // The arguments are left out: the command and its options exist.
            line = line.replace('…', "") + " --help";
        }
        let skipped = NOT_RUN.iter().any(|(command, _)| *command == line);
        if !done.insert(line.clone()) || skipped {
            continue;
        }
        if let Err(error) = place.run(&line) {
            failed.push(format!("{place_of}: {line}\n{error}"));
        }
    }
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), done.len(), failed.join("\n"));
    for (command, _) in NOT_RUN {
        assert!(done.contains(*command), "{command} is nowhere documented");
    }
}
