//! Abstractions as a process sees them: built, looked up, verified, damaged, stopped.
//!
//! A build computes every equity there is, so there are two in all and everything else is asked of
//! the one or the other.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Few buckets and few iterations, so that clustering takes no time.
const SMALL: [&str; 4] = ["--set", "buckets=20", "--set", "kmeans_max_iter=5"];

fn lethe() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lethe"));
    command.stdin(Stdio::null()).env_remove("NO_COLOR").env_remove("LETHE_DATA");
    command.current_dir(folder("."));
    command
}

/// A folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("abstractions").join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The same, empty.
fn fresh(name: &str) -> PathBuf {
    let folder = folder(name);
    fs::remove_dir_all(&folder).unwrap();
    self::folder(name)
}

/// A build on one thread, which no machine does in the time the tests give it.
fn slow_build(root: &Path) -> Command {
    let mut command = build(root);
    command.args(["--threads", "1"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn build(root: &Path) -> Command {
    let mut command = lethe();
    command.arg("build").args(SMALL).arg("--out").arg(root);
    command
}

fn output(command: &mut Command) -> Output {
    command.output().expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("all output is UTF-8")
}

fn stdout(command: &mut Command) -> String {
    let output = output(command);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout)
}

fn json(command: &mut Command) -> Value {
    serde_json::from_str(&stdout(command.arg("--json"))).expect("--json writes JSON")
}

/// The message of a command that must end so.
fn refused(command: &mut Command, code: i32) -> String {
    let output = output(command);
    assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
    text(&output.stderr)
}

/// What a directory holds, hidden or not.
fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The abstraction that most tests share, built on two threads.
fn shared() -> &'static Path {
    static SHARED: OnceLock<PathBuf> = OnceLock::new();
    SHARED.get_or_init(|| {
        let root = fresh("shared");
        let summary = json(build(&root).args(["--threads", "2"]));
        assert_eq!(summary["built"], true);
        PathBuf::from(summary["path"].as_str().unwrap())
    })
}

/// A copy of the shared abstraction in which things may be broken.
fn copy(name: &str) -> PathBuf {
    let target = fresh(name).join(shared().file_name().unwrap());
    fs::create_dir(&target).unwrap();
    for name in names(shared()) {
        fs::copy(shared().join(&name), target.join(&name)).unwrap();
    }
    target
}

fn lookup(dir: &Path, args: &[&str]) -> Command {
    let mut command = lethe();
    command.arg("lookup").arg(dir).args(args);
    command
}

/// Gives a text to a command's standard input.
fn fed(command: &mut Command, text: &str) -> Output {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let text = text.to_owned();
    let writer = std::thread::spawn(move || drop(stdin.write_all(text.as_bytes())));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

#[test]
fn a_build_that_is_there_is_not_done_again() {
    let root = shared().parent().unwrap();
    let again = json(&mut build(root));
    assert_eq!(again["built"], false);
    assert_eq!(again["path"].as_str(), shared().to_str());
    assert!(stdout(&mut build(root)).contains("exists already; --force builds it again"));
    assert_eq!(names(root), [shared().file_name().unwrap().to_str().unwrap()]);
}

#[test]
fn the_summary_describes_every_street() {
    let summary = json(&mut build(shared().parent().unwrap()));
    let slots = [("flop", 1_755 * 1_176), ("turn", 16_432 * 1_128), ("river", 134_459 * 1_081)];
    for (street, slots) in slots {
        let figures = &summary["streets"][street];
        assert_eq!(figures["slots"], slots, "{street}");
        assert_eq!(figures["buckets"], 20, "{street}");
        assert!(figures.get("sizes").is_none(), "{street}");
        let quality = &figures["quality"];
        assert_eq!(quality["empty_buckets"], 0, "{street}");
        assert_eq!(quality["asymmetric_slots"], 0, "{street}");
        assert!(quality["variance_explained"].as_f64().unwrap() > 0.9, "{figures}");
    }
    let mass = |street: &str| summary["streets"][street]["quality"]["histogram_mass"].clone();
    assert_eq!(mass("flop"), serde_json::json!([47, 47]));
    assert_eq!(mass("turn"), serde_json::json!([46, 46]));
}

#[test]
fn killed_builds_leave_nothing_and_one_thread_writes_the_same_bytes_as_two() {
    let root = fresh("killed");
    for wait in [300, 1_000, 2_000] {
        let mut child = slow_build(&root).spawn().unwrap();
        sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        let listed = json(lethe().arg("list").arg("--root").arg(&root));
        assert_eq!(listed["abstractions"], serde_json::json!([]));
        assert!(names(&root).iter().all(|name| name.starts_with('.')), "{:?}", names(&root));
    }
    let summary = json(build(&root).args(["--threads", "1"]));
    let built = PathBuf::from(summary["path"].as_str().unwrap());
    assert_eq!(names(&root), [built.file_name().unwrap().to_str().unwrap()]);
    assert_eq!(names(&built), names(shared()));
    for name in names(&built).iter().filter(|name| *name != "metadata.json") {
        let same = fs::read(built.join(name)).unwrap() == fs::read(shared().join(name)).unwrap();
        assert!(same, "{name} differs");
    }
    fs::remove_dir_all(&root).unwrap();
}

/// A build that is under way: it has said what it will do and holds its lock.
#[cfg(unix)]
fn under_way(root: &Path) -> Child {
    let child = slow_build(root).spawn().unwrap();
    let begun = Instant::now();
    while !names(root).iter().any(|name| name.contains(".tmp-")) {
        assert!(begun.elapsed() < Duration::from_secs(30), "the build does not begin");
        sleep(Duration::from_millis(5));
    }
    child
}

#[cfg(unix)]
#[test]
fn of_two_builds_at_once_one_is_refused_and_ctrl_c_leaves_nothing() {
    let root = fresh("at-once");
    let mut first = under_way(&root);
    let message = refused(&mut build(&root), 1);
    assert!(message.contains("another build is writing"), "{message}");
    // Long enough for the first build to listen.
    sleep(Duration::from_millis(500));
    assert!(first.try_wait().unwrap().is_none(), "it ended before it could be stopped");
    let sent = Command::new("kill").arg("-INT").arg(first.id().to_string()).status().unwrap();
    assert!(sent.success());
    let output = first.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let said = text(&output.stderr);
    assert!(said.contains("of memory"), "{said}");
    assert!(said.ends_with("stopped: nothing was written\n"), "{said}");
    assert_eq!(names(&root), [""; 0]);
}

#[test]
fn configuration_errors_point_at_the_key() {
    let file = fresh("config").join("my.yaml");
    fs::write(&file, "histogram_bins: 10\nnum_rivr_buckets: 5\n").unwrap();
    let message = refused(lethe().arg("build").arg("--config").arg(&file), 2);
    assert!(message.contains("my.yaml:2:1: num_rivr_buckets: no such key"), "{message}");
    assert!(message.contains("did you mean num_river_buckets?"), "{message}");
    assert!(message.lines().any(|line| line.trim_start().starts_with("| ^")), "{message}");
}

#[test]
fn a_hand_is_in_the_bucket_that_the_stream_says() {
    let hands = [
        ("AsKs", None, "preflop"),
        ("AsKs", Some("Th9h8c"), "flop"),
        ("Ah5h", Some("Th9h8c2s"), "turn"),
        ("2c2h", Some("Th9h8c2s7h"), "river"),
    ];
    for (hole, board, street) in hands {
        let args: Vec<&str> = std::iter::once(hole).chain(board).collect();
        let one = json(&mut lookup(shared(), &args));
        assert_eq!(one["street"], street);
        let exact = json(lethe().arg("equity").args(&args));
        let difference = one["equity"].as_f64().unwrap() - exact["equity"].as_f64().unwrap();
        assert!(difference.abs() < 1e-12, "{one} {exact}");
        let line = args.join(" ") + "\n";
        let streamed = fed(lookup(shared(), &["-"]).arg("--json"), &line);
        assert_eq!(streamed.status.code(), Some(0));
        let streamed: Value = serde_json::from_slice(&streamed.stdout).unwrap();
        assert_eq!(streamed, one);
        let shown = stdout(&mut lookup(shared(), &args));
        assert!(shown.contains("bucket equity"), "{shown}");
        let plain = text(&fed(&mut lookup(shared(), &["-"]), &line).stdout);
        let fields: Vec<&str> = plain.trim_end().split('\t').collect();
        assert_eq!(fields[2], one["bucket"].to_string(), "{plain}");
    }
}

#[test]
fn suit_names_do_not_matter_and_stronger_hands_are_in_higher_buckets() {
    let bucket = |hole: &str, board: &str| {
        json(&mut lookup(shared(), &[hole, board]))["bucket"].as_u64().unwrap()
    };
    assert_eq!(bucket("AsKs", "Ts9s8c"), bucket("AhKh", "Th9h8d"));
    assert!(bucket("QsJs", "Ts9s8s2d3c") > bucket("5d4c", "Ts9s8s2d3c"));
}

#[test]
fn a_long_stream_is_answered_in_order() {
    let deck: Vec<String> = "23456789TJQKA"
        .chars()
        .flat_map(|r| "cdhs".chars().map(move |s| format!("{r}{s}")))
        .collect();
    let mut lines = String::new();
    for n in 0..60_000 {
        let card = |place: usize| &deck[(n * 7 + place * 11) % 52];
        let board: String = (2..7).map(|place| card(place).as_str()).collect();
        lines += &format!("{}{} {board}\n", card(0), card(1));
    }
    let answered = fed(&mut lookup(shared(), &["-"]), &lines);
    assert_eq!(answered.status.code(), Some(0), "{}", text(&answered.stderr));
    let answered = text(&answered.stdout);
    assert_eq!(answered.lines().count(), 60_000);
    for (asked, answer) in lines.lines().zip(answered.lines()) {
        assert_eq!(asked.split(' ').nth(1), answer.split('\t').nth(1));
    }
}

#[test]
fn a_bad_line_ends_the_stream_with_its_number() {
    let output = fed(&mut lookup(shared(), &["-"]), "AsKs Th9h8c\n\nAsKs Tx9h8c\nQsQd\n");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stdout).lines().count(), 1);
    let message = text(&output.stderr);
    assert!(message.starts_with("error: line 3, column 7: unknown suit 'x'"), "{message}");
    let output = fed(&mut lookup(shared(), &["-"]), "AsKs AsTh9h");
    assert!(text(&output.stderr).starts_with("error: line 1, column 6: duplicate card As"));
}

#[test]
fn a_name_is_enough_where_abstractions_are_kept() {
    let home = fresh("home");
    let root = home.join("data/abstractions");
    fs::create_dir_all(&root).unwrap();
    let name = shared().file_name().unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(shared(), root.join(name)).unwrap();
    let mut command = lethe();
    command.current_dir(&home).args(["lookup", "F20T20", "AsKs", "Th9h8c"]);
    assert_eq!(json(&mut command)["street"], "flop");
    let mut command = lethe();
    let message = refused(command.current_dir(&home).args(["lookup", "default", "AsKs"]), 2);
    assert!(message.contains("lethe build --preset default"), "{message}");
    let mut command = lethe();
    let message = refused(command.current_dir(&home).args(["lookup", "F30", "AsKs"]), 2);
    assert!(message.contains(name.to_str().unwrap()), "{message}");
}

#[test]
fn what_is_listed_verifies() {
    let listed = json(lethe().arg("list").arg("--root").arg(shared().parent().unwrap()));
    let item = &listed["abstractions"][0];
    assert_eq!(item["path"].as_str(), shared().to_str());
    assert_eq!(item["equity_tables"], false);
    assert_eq!(item["buckets"], serde_json::json!({"flop": 20, "turn": 20, "river": 20}));
    let overview = json(lethe().arg("inspect").arg(shared()));
    assert_eq!(item["bytes"], overview["bytes"]);
    let verified = json(lethe().arg("verify").arg(shared()));
    assert_eq!(verified["ok"], true);
    assert_eq!(verified["extra"], serde_json::json!([]));
    assert!(verified["bytes"].as_u64().unwrap() > 400_000_000);
}

#[test]
fn equity_tables_are_added_to_an_abstraction() {
    let dir = copy("tables");
    let add = || json(lethe().arg("equity-tables").arg(&dir).args(["--street", "river"]));
    let added = add();
    // Every river board, each of its holes against each other hole without its cards.
    assert_eq!(added["streets"]["river"]["showdowns"], 2_598_960u64 * 1_081 * 990);
    assert_eq!(added["streets"]["river"]["added"], true);
    assert_eq!(add()["streets"]["river"]["added"], false);
    assert!(names(&dir).contains(&"river.pairs".to_owned()));
    assert_eq!(json(lethe().arg("verify").arg(&dir))["ok"], true);
    fs::remove_dir_all(dir).unwrap();
}

#[test]
fn damage_is_named_and_never_answered_from() {
    // A byte of a table: it opens, but what is there is not answered.
    let dir = copy("flipped");
    let table = dir.join("flop.buckets");
    let mut bytes = fs::read(&table).unwrap();
    bytes[4_000] ^= 1;
    fs::write(&table, &bytes).unwrap();
    let message = refused(lethe().arg("verify").arg(&dir), 1);
    assert!(message.contains("flop.buckets: bytes 128 to 65664 do not match"), "{message}");
    assert!(message.contains("--force"), "{message}");
    let message = refused(lethe().arg("inspect").arg(&dir).args(["--bucket", "flop:1"]), 1);
    assert!(message.contains("flop.buckets is damaged: bytes 128 to 65664"), "{message}");

    // A table cut short: it does not open.
    fs::write(&table, &bytes[..bytes.len() - 2]).unwrap();
    for mut command in [lookup(&dir, &["AsKs", "Th9h8c"]), lookup(&dir, &["-"])] {
        let message = refused(&mut command, 1);
        assert!(message.contains("flop.buckets has 4128894 bytes instead of 4128896"), "{message}");
    }
    assert!(refused(lethe().arg("verify").arg(&dir), 1).contains("instead of 4128896"));
    let listed = json(lethe().arg("list").arg("--root").arg(dir.parent().unwrap()));
    assert!(listed["abstractions"][0]["error"].as_str().unwrap().contains("flop.buckets"));

    // A missing table.
    fs::remove_file(&table).unwrap();
    assert!(refused(&mut lookup(&dir, &["AsKs", "Th9h8c"]), 1).contains("flop.buckets is missing"));

    // Metadata that are none.
    fs::write(dir.join("metadata.json"), "{}").unwrap();
    assert!(refused(&mut lookup(&dir, &["AsKs"]), 1).contains("metadata.json is damaged"));
    fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_directory_that_is_none_is_bad_input() {
    let empty = fresh("empty");
    let message = refused(lethe().arg("verify").arg(&empty), 2);
    assert!(message.contains("neither an abstraction, a run"), "{message}");
    let message = refused(lethe().arg("verify").arg(empty.join("nowhere")), 2);
    assert!(message.contains("there is no such directory"), "{message}");
    for command in ["lookup", "equity-tables"] {
        let args: &[&str] = if command == "lookup" { &["AsKs"] } else { &[] };
        let message = refused(lethe().arg(command).arg(&empty).args(args), 2);
        assert!(message.contains("is not an abstraction: there is no metadata.json"), "{message}");
        let message = refused(lethe().arg(command).arg(empty.join("nowhere")).args(args), 2);
        assert!(message.contains("there is no such directory"), "{message}");
    }
    let file = empty.join("file");
    fs::write(&file, "").unwrap();
    let message = refused(lethe().arg("verify").arg(&file), 2);
    assert!(message.contains("neither an abstraction, a run"), "{message}");
    let message = refused(build(&file).args(["--threads", "1"]), 2);
    assert!(message.contains("is a file, not a directory"), "{message}");
}
