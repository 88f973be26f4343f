//! The lab as a process: files, resuming, stored abstractions.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn lethe(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lethe"));
    command.args(args).stdin(Stdio::null());
    command
}

fn output(args: &[&str]) -> Output {
    lethe(args).output().expect("the command starts")
}

fn json(args: &[&str]) -> Value {
    let output = output(&[args, &["--json"]].concat());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {stderr}");
    serde_json::from_slice(&output.stdout).expect("--json writes JSON")
}

/// A place for one test, empty.
fn place(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    let _ = fs::remove_file(&path);
    path
}

const SMALL: [&str; 10] = [
    "lab",
    "--boards",
    "KsKh7s7h",
    "--methods",
    "percentile,histogram10",
    "--buckets",
    "4,30",
    "--iterations",
    "10",
    "--no-symmetric",
];

fn losses(answer: &Value) -> Vec<(String, u64, f64)> {
    let rows = answer["rows"].as_array().expect("rows");
    let row = |row: &Value| {
        let (method, buckets) = (row["method"].as_str(), row["buckets"].as_u64());
        (method.unwrap().to_owned(), buckets.unwrap(), row["epsilon"].as_f64().unwrap())
    };
    rows.iter().map(row).collect()
}

#[test]
fn the_lab_writes_a_page_a_plot_and_results_that_it_goes_on_with() {
    let (dir, page, plot) = (place("lab-out"), place("lab.html"), place("lab.svg"));
    let [out, html, svg] = [&dir, &page, &plot].map(|path| path.to_str().unwrap());
    let args = [&SMALL[..], &["--out", out, "--html", html, "--svg", svg]].concat();
    let first = json(&args);
    assert_eq!(first["finished"], true);
    let page = fs::read_to_string(&page).unwrap();
    let plot = fs::read_to_string(&plot).unwrap();
    assert!(page.contains("<svg") && page.contains("histogram10") && !page.contains("http-equiv"));
    let drawn = plot.split("</style>\n").nth(1).unwrap();
    assert!(page.contains(drawn.trim_end()), "the page holds the plot");
    assert!(plot.starts_with("<svg xmlns") && !plot.contains("NaN"), "{plot}");

    // The lossless game and four cells; one that was cut in the middle is measured again.
    let cells = || -> Vec<PathBuf> {
        let mut cells: Vec<PathBuf> =
            fs::read_dir(dir.join("units")).unwrap().map(|cell| cell.unwrap().path()).collect();
        cells.sort();
        cells
    };
    assert_eq!(cells().len(), 5);
    let whole = fs::read_to_string(&cells()[2]).unwrap();
    fs::write(&cells()[2], &whole[..whole.len() / 2]).unwrap();
    fs::remove_file(&cells()[0]).unwrap();
    let forecast = json(&[&args[..], &["--estimate"]].concat());
    assert_eq!((&forecast["cells"], &forecast["finished"]), (&5.into(), &3.into()));
    let second = json(&args);
    assert_eq!(losses(&second), losses(&first));
    assert_eq!(cells().len(), 5);
    // Everything is there now.
    let forecast = json(&[&args[..], &["--estimate"]].concat());
    assert_eq!((&forecast["cells"], &forecast["finished"]), (&5.into(), &5.into()));
    assert_eq!(forecast["seconds"], 0.0);
}

#[test]
fn losses_are_the_same_every_time() {
    assert_eq!(losses(&json(&SMALL)), losses(&json(&SMALL)));
}

#[test]
fn a_stored_abstraction_is_restricted_to_the_board() {
    let dir = place("lab-abstractions");
    let root = dir.to_str().unwrap();
    let small = ["num_flop_buckets=5", "num_turn_buckets=7", "num_river_buckets=9", "method=ehs"];
    let set: Vec<&str> = small.iter().flat_map(|value| ["--set", value]).collect();
    let build = output(&[&["build", "--out", root, "--json"], &set[..]].concat());
    assert!(build.status.success(), "{}", String::from_utf8_lossy(&build.stderr));
    let made = fs::read_dir(&dir).unwrap().next().unwrap().unwrap().path();
    let made = made.to_str().unwrap();
    let args = ["lab", "--boards", "KsKh7s7h", "--iterations", "10", "--abstraction", made];
    let answer = json(&args);
    let row = &answer["rows"][0];
    assert_eq!((&row["artifact"], &row["buckets"]), (&true.into(), &Value::Null));
    // What occurs is no more than there is, and nothing before the game starts.
    let occurring: Vec<f64> =
        row["occurring"].as_array().unwrap().iter().map(|n| n.as_f64().unwrap()).collect();
    assert_eq!(occurring[0], 0.0);
    assert!((2.0..=7.0).contains(&occurring[1]), "{occurring:?}");
    assert!((2.0..=9.0).contains(&occurring[2]), "{occurring:?}");
    assert!(row["epsilon"].as_f64().unwrap() > 0.0);
    fs::remove_dir_all(&dir).unwrap();
}
