//! Training as a process: killed and resumed, told wrong things, and from start to finish.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use lethe_blueprint::{Checkpoint, CheckpointKind};
use serde_json::Value;

/// A fresh directory.
fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("training-{name}"));
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}

/// A small game on a small stored abstraction.
fn config(dir: &Path, more: &str) -> PathBuf {
    let cards = Path::new(env!("CARGO_MANIFEST_DIR")).join("../abstraction/tests/compat/v1");
    let text = format!(
        "game:\n  stack: 1000\n  small_blind: 50\n  big_blind: 100\n  bet_sizes:\n    \
         preflop: {{sb: {{raise: \"a\"}}}}\n    flop: {{ip: {{bet: \"100%\"}}}}\n    \
         river: {{oop: {{bet: \"a\"}}}}\nabstraction: '{}'\ntraining:\n  sampling: external\n  \
         checkpoint: 0.02\n{more}",
        cards.display()
    );
    let path = dir.join("small.yaml");
    fs::write(&path, text).unwrap();
    path
}

fn lethe(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lethe"));
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn done(output: &Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn cells(run: &Path) -> (Vec<u32>, Vec<i32>) {
    let checkpoint = Checkpoint::open(run.join(CheckpointKind::Latest.file())).unwrap();
    let cells = checkpoint.verify(lethe_compute::Job::default()).unwrap();
    (cells.averages().to_vec(), cells.regrets().unwrap().to_vec())
}

#[test]
fn a_run_killed_dozens_of_times_ends_as_one_left_alone() {
    kill(folder("killed"), &["training.sampling=external"], 20_000);
}

#[test]
fn a_run_with_an_adversary_can_be_killed_too() {
    let sets = ["training.sampling=public", "training.opponent=adversary"];
    kill(folder("killed-adversary"), &sets, 50);
}

/// Kills a run thirty times, lets it go on for so many iterations, and compares it with one that was
/// never killed.
fn kill(dir: PathBuf, sets: &[&str], more: u64) {
    let config = config(&dir, "");
    let config = config.to_str().unwrap();
    let [whole, killed] = ["whole", "killed"].map(|name| dir.join(name));
    let train = |run: &Path, iterations: &str| {
        let run = run.to_str().unwrap();
        let args = ["train", "--config", config, "--out", run, "--resume", "--threads", "1"];
        let mut command = lethe(&args);
        command.args(["--iterations", iterations]);
        command.args(sets.iter().flat_map(|set| ["--set", set]));
        command
    };
    for number in 0..30 {
        let mut child = train(&killed, "100000000").spawn().unwrap();
        std::thread::sleep(Duration::from_millis(20 + 7 * (number * 13 % 31)));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    // It came somewhere, and goes on from there.
    let file = killed.join(CheckpointKind::Latest.file());
    let reached = Checkpoint::open(file).unwrap().header().reached.iterations;
    assert!(reached > 0);
    let end = (reached + more).to_string();
    done(&train(&killed, &end).output().unwrap());
    done(&train(&whole, &end).output().unwrap());
    assert!(cells(&whole) == cells(&killed), "after {end} iterations");
    // Nothing half-written is left.
    let left = fs::read_dir(&killed).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(left.into_iter().all(|name| !name.to_string_lossy().ends_with(".part")));
}

#[test]
fn push_or_fold_is_trained_and_measured_from_the_outside() {
    let dir = folder("push-fold");
    let run = dir.join("run");
    let run = run.to_str().unwrap();
    let args = ["train", "--preset", "push-fold", "--out", run, "--iterations", "5000", "--json"];
    let summary: Value = serde_json::from_str(&done(&lethe(&args).output().unwrap())).unwrap();
    assert_eq!(summary["iterations"], 5000);
    let args = ["exploitability", run, "--exact", "--json"];
    let exact: Value = serde_json::from_str(&done(&lethe(&args).output().unwrap())).unwrap();
    assert_eq!(exact["exact"], true);
    assert!(exact["exploitability_mbb"].as_f64().unwrap() < 1.0, "{exact}");
    assert!((exact["value_mbb"]["sb"].as_f64().unwrap() + 45.37).abs() < 1.0, "{exact}");
    assert_eq!(exact["preflop"], "exact");
    // Nothing is bet after the flop.
    let ladder = &exact["ladder_mbb"];
    assert_eq!(ladder["all"], exact["exploitability_mbb"]);
    let is_nothing = |rung: &&str| (0.0..1e-6).contains(&ladder[rung].as_f64().unwrap());
    assert!(["river", "turn", "flop"].iter().all(is_nothing), "{exact}");
    let args = ["exploitability", run, "--strategy", "uniform", "--json"];
    let even: Value = serde_json::from_str(&done(&lethe(&args).output().unwrap())).unwrap();
    assert!(even["exploitability_mbb"].as_f64().unwrap() > 400.0, "{even}");

    // A second run does not write over the first.
    let again = lethe(&["train", "--preset", "push-fold", "--out", run]).output().unwrap();
    assert_eq!(again.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&again.stderr).contains("--resume"));
}

#[test]
fn the_best_checkpoint_is_the_one_with_the_lowest_estimate() {
    let run = folder("best").join("run");
    let dir = run.to_str().unwrap();
    let args = ["train", "--preset", "push-fold", "--out", dir, "--time", "2s"];
    done(
        &lethe(&args)
            .args(["--set", "training.evaluate=0.05", "--set", "training.checkpoint=0.05"])
            .output()
            .unwrap(),
    );
    let points = lethe_blueprint::Metrics::read(&run).unwrap();
    let looks =
        points.iter().filter_map(|point| Some((point.exploitability?.mbb, point.iterations)));
    let looks: Vec<(f64, u64)> = looks.collect();
    assert!(looks.len() > 2, "{looks:?}");
    let mut best = looks[0];
    for &look in &looks {
        if look.0 < best.0 {
            best = look;
        }
    }
    let file = run.join(CheckpointKind::BestExploitability.file());
    assert_eq!(Checkpoint::open(file).unwrap().header().reached.iterations, best.1, "{looks:?}");
    assert!(run.join(CheckpointKind::BestMatch.file()).exists());
}

#[test]
fn what_cannot_be_trained_is_refused_with_a_reason() {
    let dir = folder("refused");
    let config = config(&dir, "");
    let config = config.to_str().unwrap();
    let run = dir.join("run");
    let run = run.to_str().unwrap();
    let base = ["train", "--config", config, "--out", run, "--resume", "--iterations", "500"];
    done(&lethe(&base).output().unwrap());
    let cases: [(&[&str], &str); 9] = [
        (&["--set", "game.stack=2000"], "another game"),
        (&["--set", "training.seed=5"], "seed"),
        (&["--set", "abstraction=no-such-thing"], "no-such-thing"),
        (&["--set", "game.stack=0"], "stack is 0 chips"),
        (&["--set", "training.time=-3"], "training.time is -3"),
        (&["--set", "game.bet_sizes.flop.oop.bet='0%'"], "0%"),
        (&["--set", "colour=red"], "unknown field `colour`"),
        (&["--time", "soon"], "30s, 5m"),
        (&["--threads", "0"], "0"),
    ];
    for (more, expected) in cases {
        let output = lethe(&base).args(more).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{more:?}: {stderr}");
        assert!(stderr.contains(expected), "{more:?}: {stderr}");
    }
    let sizes: Vec<String> = (1..=80).map(|size| format!("{size}00%")).collect();
    let many = format!("game.bet_sizes.flop.ip.bet='{}'", sizes.join(", "));
    let deep = ["--set", "game.stack=1000000", "--set", &many];
    let other = dir.join("other");
    let args = ["train", "--config", config, "--iterations", "1", "--out", other.to_str().unwrap()];
    let output = lethe(&args).args(deep).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("at most 64 can be trained"), "{stderr}");
    let preset = lethe(&["train", "--preset", "slow", "--out", run]).output().unwrap();
    assert!(String::from_utf8_lossy(&preset.stderr).contains("push-fold, quick"));

    // A checkpoint cut short or changed is told, not used.
    let file = dir.join("run").join(CheckpointKind::Latest.file());
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() - 7]).unwrap();
    for args in [&base[..], &["exploitability", run], &["strategy", run]] {
        let output = lethe(args).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {stderr}");
        assert!(stderr.contains("does not match its header"), "{args:?}: {stderr}");
    }
    let mut changed = bytes.clone();
    let middle = changed.len() - 500;
    changed[middle] ^= 1;
    fs::write(&file, changed).unwrap();
    let output = lethe(&base).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("checksum"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_checkpoint_that_cannot_be_written_leaves_the_one_before() {
    let dir = folder("full");
    let config = config(&dir, "");
    let config = config.to_str().unwrap();
    let run = dir.join("run");
    let args = ["train", "--config", config, "--out", run.to_str().unwrap(), "--resume"];
    done(&lethe(&args).args(["--iterations", "300"]).output().unwrap());
    let before = cells(&run);
    // No file may be longer than a block, as if the disk were full.
    let mut limited = Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh"]);
    limited.arg(env!("CARGO_BIN_EXE_lethe")).args(args).args(["--iterations", "100000"]);
    let output = limited.stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("the previous checkpoint is intact"), "{stderr}");
    assert!(cells(&run) == before);
    // Nothing is left beside it.
    let names = fs::read_dir(&run).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = names.filter(|name| name.to_string_lossy().contains(".tmp-")).collect();
    assert!(left.is_empty(), "{left:?}");
}
