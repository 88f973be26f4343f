//! Bulk work in numbered parts: parts and merge equal the whole, and what is finished stays finished.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;

/// A fresh directory.
fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("parts-{name}"));
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}

fn lethe(dir: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lethe"));
    command.args(line.split_whitespace()).current_dir(dir);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn done(dir: &Path, line: &str) -> String {
    let Output { status, stdout, stderr } = lethe(dir, line).output().unwrap();
    assert_eq!(status.code(), Some(0), "{line}: {}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).unwrap()
}

fn refused(dir: &Path, line: &str) -> String {
    let Output { status, stderr, .. } = lethe(dir, line).output().unwrap();
    assert_eq!(status.code(), Some(2), "{line}: {}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stderr).unwrap()
}

/// JSON text without the numbers of seconds, which differ each time; every other byte stays.
fn timeless(text: &str) -> String {
    let mut parts = text.split("\"seconds\":");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| {
        let end = part.find(|c: char| !"0123456789.e-+".contains(c)).unwrap_or(part.len());
        kept + &part[end..]
    })
}

fn units(dir: &Path) -> BTreeMap<String, SystemTime> {
    let entries = fs::read_dir(dir.join("units")).unwrap().flatten();
    let name = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().unwrap();
        (name, entry.metadata().unwrap().modified().unwrap())
    };
    entries.map(name).filter(|(name, _)| !name.starts_with('.')).collect()
}

const SPOT: &str = "board: Ks7h2d\noop_range: AA,KQs,76s\nip_range: KK,AJs,T9s\npot: 10\nstack: 20\n\
                    bet_sizes:\n  flop: {oop: {bet: \"50%\"}, ip: {bet: \"50%\"}}\n";
const SWEEP: &str =
    "sweep spot.yaml --flops Ks7h2d,AhKhQh:2,2s2h2d,Ts9s8s,Jd6c6h --target 2% --json";
const LAB: &str = "lab --boards KsKh7s7h,AsAh2s2h --methods percentile,histogram10 --buckets 4,9 \
                   --iterations 5 --json";

/// A line in parts of its own directories, or all in one, and then joined.
fn check(dir: &Path, line: &str, parts: usize) {
    let whole = done(dir, &format!("{line} --out whole"));
    for part in 0..parts {
        let text = done(dir, &format!("{line} --out one --part {part}/{parts}"));
        let view: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(view["units"], view["finished"], "{view}");
        done(dir, &format!("{line} --out own{part} --part {part}/{parts}"));
    }
    let total = units(&dir.join("whole")).len();
    assert_eq!(units(&dir.join("one")).len(), total);
    let own: Vec<String> = (0..parts).map(|part| format!("own{part}")).collect();
    let each: usize = own.iter().map(|own| units(&dir.join(own)).len()).sum();
    assert_eq!(each, total, "no unit is computed twice");
    for dirs in ["whole", "one", &own.join(" ")] {
        let merged = done(dir, &format!("merge {dirs} --json"));
        assert_eq!(timeless(&merged), timeless(&whole), "merge {dirs}");
        assert_ne!(merged, timeless(&merged));
    }
    // The text, as people read it.
    let plain = line.replace(" --json", "");
    let texts = [done(dir, &format!("{plain} --out one")), done(dir, "merge one")];
    let untimed = texts.map(|text| {
        let lines = text.lines().filter(|line| !line.starts_with("in "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    });
    assert_eq!(untimed[0], untimed[1]);
    // Parts that are missing, damaged or foreign.
    let lacking = refused(dir, &format!("merge {}", own[1..].join(" ")));
    assert!(lacking.contains("units are missing or damaged"), "{lacking}");
    let first = dir.join("one/units").join(units(&dir.join("one")).keys().next().unwrap());
    let text = fs::read_to_string(&first).unwrap();
    fs::write(&first, text.replacen("\"value\":", "\"value\": ", 1)).unwrap();
    assert!(refused(dir, "merge one").contains("1 of "));
    done(dir, &format!("{line} --out one"));
    assert_eq!(timeless(&done(dir, "merge one --json")), timeless(&whole));
    assert!(done(dir, "verify one").contains("work in units"));
}

#[test]
fn a_sweep_in_parts_is_the_sweep() {
    let dir = folder("sweep");
    fs::write(dir.join("spot.yaml"), SPOT).unwrap();
    fs::write(dir.join("other.yaml"), SPOT.replace("stack: 20", "stack: 25")).unwrap();
    check(&dir, SWEEP, 3);
    // A part of another sweep.
    let other = SWEEP.replace("spot.yaml", "other.yaml");
    let told = refused(&dir, &format!("{other} --out one --part 0/3"));
    assert!(told.contains("holds a sweep of another spot"), "{told}");
    done(&dir, &format!("{other} --out foreign --part 0/3"));
    let told = refused(&dir, "merge own1 own2 foreign");
    assert!(told.contains("expected spot"), "{told}");
    // One of its units, slipped in.
    let name = units(&dir.join("foreign")).into_keys().next().unwrap();
    let [from, to] = ["foreign", "one"].map(|of| dir.join(of).join("units").join(&name));
    fs::copy(from, to).unwrap();
    assert!(refused(&dir, "merge one").contains("expected spot"));
    let told = refused(&dir, "merge nowhere");
    assert!(told.contains("nowhere: holds no work in units"), "{told}");
}

#[test]
fn a_lab_in_parts_is_the_lab() {
    let dir = folder("lab");
    check(&dir, LAB, 4);
    let told = refused(&dir, &format!("{LAB} --seeds 3 --out one --part 0/4"));
    assert!(told.contains("use another directory"), "{told}");
    // Without parts a grid may grow, and finds the cells it has.
    let before = units(&dir.join("one"));
    let more = LAB.replace("4,9", "4,9,12");
    done(&dir, &format!("{more} --out one"));
    let after = units(&dir.join("one"));
    assert!(after.len() > before.len());
    assert!(before.iter().all(|(name, time)| after[name] == *time), "nothing is measured again");
}

#[test]
fn an_exploitability_in_parts_is_the_exploitability() {
    let dir = folder("exploitability");
    let cards = Path::new(env!("CARGO_MANIFEST_DIR")).join("../abstraction/tests/compat/v1");
    let config = format!(
        "game:\n  stack: 1000\n  small_blind: 50\n  big_blind: 100\n  bet_sizes:\n    \
         flop: {{ip: {{bet: \"100%\"}}}}\n    river: {{oop: {{bet: \"a\"}}}}\nabstraction: '{}'\n\
         training:\n  sampling: external\n",
        cards.display()
    );
    fs::write(dir.join("small.yaml"), config).unwrap();
    done(&dir, "train --config small.yaml --iterations 2000 --out ./run");
    check(&dir, "exploitability ./run --flops 5 --seed 1 --json", 2);
    for name in ["whole", "one", "own0", "own1"] {
        fs::remove_dir_all(dir.join(name)).unwrap();
    }
    let line = "exploitability ./run --flops 2 --search river --iterations 10 --json";
    check(&dir, line, 2);
    // What is measured without keeping anything is the same.
    let kept = done(&dir, "merge one --json");
    assert_eq!(timeless(&done(&dir, line)), timeless(&kept));
    // The blueprint must be the one that was measured, wherever it is.
    fs::rename(dir.join("run"), dir.join("moved")).unwrap();
    refused(&dir, "merge one");
    assert_eq!(timeless(&done(&dir, "merge one --blueprint ./moved --json")), timeless(&kept));
    done(&dir, "train --config small.yaml --iterations 4000 --resume --out ./moved");
    let told = refused(&dir, "merge one --blueprint ./moved");
    assert!(told.contains("expected blueprint"), "{told}");
}

#[test]
fn a_killed_part_repeats_only_the_unit_it_was_in() {
    let dir = folder("killed");
    // Ranges so wide that a flop takes a while.
    let spot = SPOT.replace("AA,KQs,76s", "22+,A2s+,K9s+").replace("KK,AJs,T9s", "22+,A2s+,K9s+");
    fs::write(dir.join("spot.yaml"), spot).unwrap();
    let line = SWEEP.replace("2%", "0.5%");
    let whole = done(&dir, &format!("{line} --out whole"));
    let out = dir.join("killed");
    let mut kept: BTreeMap<String, SystemTime> = BTreeMap::new();
    let mut kills = 0;
    while kept.len() < 4 {
        let mut child = lethe(&dir, &format!("{line} --out killed")).spawn().unwrap();
        let begun = Instant::now();
        // Killed as soon as one more is finished, within the next.
        let found = loop {
            let found = if out.join("units").is_dir() { units(&out) } else { BTreeMap::new() };
            if found.len() > kept.len() || child.try_wait().unwrap().is_some() {
                break found;
            }
            assert!(begun.elapsed() < Duration::from_secs(120));
            sleep(Duration::from_millis(1));
        };
        let _ = child.kill();
        child.wait().unwrap();
        kills += 1;
        assert!(kept.iter().all(|(name, time)| found[name] == *time), "nothing is solved again");
        kept = found;
    }
    assert!(kills >= 2);
    let resumed = done(&dir, &format!("{line} --out killed"));
    assert_eq!(timeless(&resumed), timeless(&whole));
    assert!(kept.iter().all(|(name, time)| units(&out)[name] == *time));
    let left = fs::read_dir(out.join("units")).unwrap().flatten();
    let left = left.filter(|entry| entry.file_name().to_string_lossy().starts_with('.')).count();
    assert_eq!(left, 0, "what killed processes left is removed");
}

#[test]
fn wrong_parts_are_refused() {
    let dir = folder("wrong");
    fs::write(dir.join("spot.yaml"), SPOT).unwrap();
    for (part, told) in [
        ("3/3", "there is no part 3 of 3; parts are numbered from 0"),
        ("x", "expected a part such as 0/8 or auto/8, found 'x'"),
        ("auto/3", "auto needs SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX"),
    ] {
        let text = refused(&dir, &format!("{SWEEP} --out out --part {part}"));
        assert!(text.contains(told), "{text}");
    }
    let text = refused(&dir, &format!("{LAB} --part 0/2"));
    assert!(text.contains("--out"), "{text}");
    let slurm = [("SLURM_ARRAY_TASK_ID", "7"), ("SLURM_ARRAY_TASK_MIN", "5")];
    let mut command = lethe(&dir, &format!("{SWEEP} --out out --part auto/3"));
    let output = command.envs(slurm).output().unwrap();
    let view: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&view["part"], &view["parts"], &view["units"]), (&2.into(), &3.into(), &1.into()));
    let kubernetes = lethe(&dir, &format!("{SWEEP} --out out --part auto/3"))
        .env("JOB_COMPLETION_INDEX", "1")
        .output()
        .unwrap();
    let view: Value = serde_json::from_slice(&kubernetes.stdout).unwrap();
    assert_eq!((&view["part"], &view["finished"]), (&1.into(), &2.into()));
}

#[test]
fn ranks_without_mpi_are_refused_once() {
    let dir = folder("ranks");
    fs::write(dir.join("spot.yaml"), SPOT).unwrap();
    let start = |line: &str, rank: &str| {
        let variables = [("OMPI_COMM_WORLD_SIZE", "2"), ("OMPI_COMM_WORLD_RANK", rank)];
        let output = lethe(&dir, line).envs(variables).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, told) = start("rank AsKsQsJsTs2c3d", "0");
    assert_eq!(code, Some(2));
    assert!(told.contains("this command runs in one process, and 2 were started"), "{told}");
    assert_eq!(start("rank AsKsQsJsTs2c3d", "1"), (Some(2), String::new()));
    if cfg!(not(feature = "mpi")) {
        let (code, told) = start(&format!("{SWEEP} --out out"), "0");
        assert_eq!(code, Some(2));
        assert!(told.contains("built without MPI; build it with --features mpi"), "{told}");
    }
}
