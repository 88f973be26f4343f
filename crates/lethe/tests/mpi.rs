//! Ranks as processes: started by `mpirun` on this machine, killed, stopped, refused.
//!
//! Needs the feature `mpi` and Open MPI; `.ci/mpi` runs it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use lethe_blueprint::{Checkpoint, CheckpointKind, Metrics};
use lethe_compute::Job;

const LETHE: &str = env!("CARGO_BIN_EXE_lethe");

fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mpi-{name}"));
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}

/// A small game on a small stored abstraction.
fn config(dir: &Path) {
    let cards = Path::new(env!("CARGO_MANIFEST_DIR")).join("../abstraction/tests/compat/v1");
    let text = format!(
        "game:\n  stack: 1000\n  small_blind: 50\n  big_blind: 100\n  bet_sizes:\n    \
         preflop: {{sb: {{raise: \"a\"}}}}\n    flop: {{ip: {{bet: \"100%\"}}}}\n    \
         river: {{oop: {{bet: \"a\"}}}}\nabstraction: '{}'\ntraining:\n  opponent: adversary\n  \
         batch: 8\n  checkpoint: 0.2\n  discount: {{interval: 30}}\n",
        cards.display()
    );
    fs::write(dir.join("small.yaml"), text).unwrap();
}

fn mpirun(dir: &Path) -> Command {
    let mut command = Command::new("mpirun");
    command.args(["--oversubscribe", "--bind-to", "none", "--mca", "pml", "ob1"]);
    command.args(["--mca", "btl", "self,vader", "--mca", "oob_tcp_if_include", "lo"]);
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.current_dir(dir);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// `lethe` on so many ranks.
fn ranks(dir: &Path, count: usize, line: &str) -> Command {
    let mut command = mpirun(dir);
    command.args(["-n", &count.to_string(), LETHE]).args(line.split_whitespace());
    command
}

fn done(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert_eq!(status.code(), Some(0), "{command:?}: {}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).unwrap()
}

fn alone(dir: &Path, line: &str) -> String {
    done(Command::new(LETHE).args(line.split_whitespace()).current_dir(dir))
}

fn failed(command: &mut Command) -> String {
    let Output { status, stderr, .. } = command.output().unwrap();
    assert_ne!(status.code(), Some(0));
    String::from_utf8(stderr).unwrap()
}

/// The cells of a run, and how far it is.
fn cells(run: &Path) -> (Vec<u32>, Vec<i32>, String) {
    let checkpoint = Checkpoint::open(run.join(CheckpointKind::Latest.file())).unwrap();
    let cells = checkpoint.verify(Job::default()).unwrap();
    let reached = format!("{:?}", checkpoint.header().reached);
    (cells.averages().to_vec(), cells.regrets().unwrap().to_vec(), reached)
}

/// The processes of the ranks that `mpirun` started, by rank.
fn processes(mpirun: &Child, count: usize) -> Vec<u32> {
    let begun = Instant::now();
    loop {
        assert!(begun.elapsed() < Duration::from_secs(60), "the ranks do not start");
        let mut found: Vec<(usize, u32)> = Vec::new();
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let Ok(process) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
            let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            let parent = stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1));
            if parent != Some(&mpirun.id().to_string()) {
                continue;
            }
            let variables = fs::read(entry.path().join("environ")).unwrap_or_default();
            let variables = String::from_utf8_lossy(&variables).into_owned();
            let rank = variables.split('\0').find_map(|v| v.strip_prefix("OMPI_COMM_WORLD_RANK="));
            found.extend(rank.and_then(|rank| Some((rank.parse().ok()?, process))));
        }
        if found.len() == count {
            found.sort_unstable();
            return found.into_iter().map(|(_, process)| process).collect();
        }
        sleep(Duration::from_millis(20));
    }
}

fn send(signal: &str, process: u32) {
    let sent = Command::new("kill").args([signal, &process.to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Waits for the second checkpoint of a run, so that training is well under way.
fn wait_for_checkpoint(run: &Path) {
    let begun = Instant::now();
    while Metrics::read(run).map_or(0, |points| points.len()) < 2 {
        assert!(begun.elapsed() < Duration::from_secs(120), "no checkpoint is written");
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn any_number_of_ranks_and_threads_trains_the_same_cells() {
    let dir = folder("train");
    config(&dir);
    let line = "train --config small.yaml --iterations 100 --out";
    alone(&dir, &format!("{line} ./alone --threads 2"));
    let expected = cells(&dir.join("alone"));
    for count in [1, 2, 4, 8] {
        for threads in [1, 2] {
            let run = format!("ranks-{count}-{threads}");
            let text =
                done(&mut ranks(&dir, count, &format!("{line} ./{run} --threads {threads}")));
            assert_eq!(text.matches("iterations in").count(), 1, "one rank speaks: {text}");
            assert!(cells(&dir.join(&run)) == expected, "{count} ranks, {threads} threads");
            let points = Metrics::read(dir.join(&run)).unwrap();
            match points.last().unwrap().exchange {
                None => assert_eq!(count, 1),
                Some(found) => {
                    assert_eq!(found.ranks, count as u64);
                    assert!(found.bytes_per_cell <= 6.0, "{found:?}");
                }
            }
        }
    }
    // What ranks trained, a single process resumes, and the other way round.
    let more = "train --config small.yaml --resume --out";
    done(&mut ranks(&dir, 3, &format!("{more} ./alone --iterations 150 --threads 1")));
    alone(&dir, &format!("{more} ./ranks-4-1 --iterations 150 --threads 1"));
    assert!(cells(&dir.join("alone")) == cells(&dir.join("ranks-4-1")));
}

#[test]
fn a_killed_rank_ends_the_job_and_the_run_resumes_on_other_ranks() {
    let dir = folder("kill");
    config(&dir);
    let line = "train --config small.yaml --threads 1 --out ./run --resume --iterations";
    for (count, victim) in [(3, 1), (2, 0)] {
        let mut child = ranks(&dir, count, &format!("{line} 100000000")).spawn().unwrap();
        let processes = processes(&child, count);
        let before = Metrics::read(dir.join("run")).map_or(0, |points| points.len());
        let begun = Instant::now();
        while Metrics::read(dir.join("run")).map_or(0, |points| points.len()) < before + 2 {
            assert!(begun.elapsed() < Duration::from_secs(120), "no checkpoint is written");
            sleep(Duration::from_millis(20));
        }
        send("-9", processes[victim]);
        let killed = Instant::now();
        while child.try_wait().unwrap().is_none() {
            assert!(killed.elapsed() < Duration::from_secs(60), "the job goes on");
            sleep(Duration::from_millis(50));
        }
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains(&format!("process rank {victim}")), "{told}");
        assert!(told.contains("signal 9"), "{told}");
        assert!(!output.status.success());
    }
    // At most the interval since the last checkpoint is lost, and nothing of it is wrong.
    let checkpoint = Checkpoint::open(dir.join("run/latest.blueprint")).unwrap();
    let end = checkpoint.header().reached.iterations + 24;
    drop(checkpoint);
    done(&mut ranks(&dir, 4, &format!("{line} {end}")));
    alone(&dir, &format!("train --config small.yaml --out ./alone --iterations {end}"));
    assert!(cells(&dir.join("run")) == cells(&dir.join("alone")));
}

#[test]
fn ranks_that_were_started_with_something_else_are_refused() {
    let dir = folder("refused");
    config(&dir);
    let cards = dir.join("cards");
    let built = "build --set method=ehs --set num_flop_buckets=5 --set num_turn_buckets=7 \
                 --set num_river_buckets=9 --out cards";
    alone(&dir, built);
    let other = fs::read_dir(&cards).unwrap().flatten().next().unwrap().path();
    let other = format!("abstraction={}", other.display());
    let line = "train --config small.yaml --iterations 50 --threads 1 --out ./run";
    for (set, what) in [("training.seed=7", "configuration"), (other.as_str(), "abstraction")] {
        let mut command = mpirun(&dir);
        command.args(["-n", "2", LETHE]).args(line.split_whitespace()).arg(":");
        command.args(["-n", "1", LETHE]).args(line.split_whitespace()).args(["--set", set]);
        let told = failed(&mut command);
        let expected = format!("error: rank 2 has another {what}: expected ");
        assert_eq!(told.matches(&expected).count(), 1, "{told}");
        assert!(!dir.join("run/latest.blueprint").exists());
    }
}

#[test]
fn a_full_disk_on_one_rank_ends_the_job_and_spoils_nothing() {
    let dir = folder("disk");
    config(&dir);
    let write_limit = |process: u32| {
        let limit = ["--pid", &process.to_string(), "--fsize=100:100"];
        assert!(Command::new("prlimit").args(limit).status().unwrap().success());
    };
    // A process that ignores the signal of the limit gets an error, as from a full disk.
    let script = format!("trap '' XFSZ; exec {LETHE} \"$@\"");
    let started = |line: &str, count: &str| {
        let mut command = mpirun(&dir);
        command.args(["-n", count, "sh", "-c", &script, "sh"]).args(line.split_whitespace());
        command.spawn().unwrap()
    };
    let line = "train --config small.yaml --threads 1 --out ./run --iterations";
    let child = started(&format!("{line} 100000000"), "2");
    wait_for_checkpoint(&dir.join("run"));
    write_limit(processes(&child, 2)[0]);
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    assert!(told.contains("rank 0: error: cannot write"), "{told}");
    assert!(told.contains("the previous checkpoint is intact"), "{told}");
    let end =
        Checkpoint::open(dir.join("run/latest.blueprint")).unwrap().header().reached.iterations;
    done(&mut ranks(&dir, 2, &format!("{line} {} --resume", end + 24)));
    alone(&dir, &format!("{} {}", line.replace("./run", "./alone"), end + 24));
    assert!(cells(&dir.join("run")) == cells(&dir.join("alone")));
    // The same for a rank that computes units.
    fs::write(dir.join("spot.yaml"), SPOT).unwrap();
    let child = started(&format!("{SWEEP} --out sweep --threads 1"), "3");
    let begun = Instant::now();
    while !dir.join("sweep/work.json").exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the sweep does not begin");
        sleep(Duration::from_millis(1));
    }
    write_limit(processes(&child, 3)[2]);
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    assert!(told.contains("rank 2: error: cannot write"), "{told}");
    let resumed = done(&mut ranks(&dir, 2, &format!("{SWEEP} --out sweep --threads 1")));
    let whole = alone(&dir, &format!("{SWEEP} --out whole"));
    assert_eq!(timeless(&resumed), timeless(&whole));
}

#[test]
fn a_slow_rank_changes_nothing_but_the_time() {
    let dir = folder("slow");
    config(&dir);
    let line = "train --config small.yaml --threads 1 --iterations 400 --out";
    let child = ranks(&dir, 3, &format!("{line} ./run")).spawn().unwrap();
    let slow = processes(&child, 3)[2];
    for _ in 0..3 {
        sleep(Duration::from_millis(300));
        // It may have ended by now.
        for signal in ["-STOP", "-CONT"] {
            let _ = Command::new("kill").args([signal, &slow.to_string()]).output();
            sleep(Duration::from_millis(700));
        }
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    alone(&dir, &format!("{line} ./alone"));
    assert!(cells(&dir.join("run")) == cells(&dir.join("alone")));
}

const SPOT: &str = "board: Ks7h2d\noop_range: 22+,A2s+,K9s+\nip_range: 22+,A2s+,K9s+\npot: 10\n\
                    stack: 20\nbet_sizes:\n  flop: {oop: {bet: \"50%\"}, ip: {bet: \"50%\"}}\n";
const SWEEP: &str = "sweep spot.yaml --flops Ks7h2d,AhKhQh:2,2s2h2d,Ts9s8s,Jd6c6h,9c5d3s --target 1% \
                     --json";

/// JSON text without the numbers of seconds, which differ each time.
fn timeless(text: &str) -> String {
    let mut parts = text.split("\"seconds\":");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| {
        let end = part.find(|c: char| !"0123456789.e-+".contains(c)).unwrap_or(part.len());
        kept + &part[end..]
    })
}

#[test]
fn ranks_share_the_units_of_bulk_work() {
    let dir = folder("bulk");
    config(&dir);
    fs::write(dir.join("spot.yaml"), SPOT).unwrap();
    alone(&dir, "train --config small.yaml --iterations 40 --out ./run");
    let lab = "lab --boards KsKh7s7h --methods percentile,histogram10 --buckets 4,9 --iterations 5 \
               --json";
    let exact = "exploitability ./run --flops 5 --json";
    let search = "exploitability ./run --flops 2 --search river --iterations 5 --json";
    for (name, line) in [("sweep", SWEEP), ("lab", lab), ("exact", exact), ("search", search)] {
        let whole = match name {
            "sweep" => alone(&dir, &format!("{line} --out whole")),
            _ => alone(&dir, line),
        };
        let together = done(&mut ranks(&dir, 3, &format!("{line} --out {name} --threads 1")));
        assert_eq!(timeless(&together), timeless(&whole), "{name}");
        let merged = alone(&dir, &format!("merge {name} --json"));
        assert_eq!(timeless(&merged), timeless(&whole), "{name}");
    }
    let told = failed(&mut ranks(&dir, 2, lab));
    assert!(told.contains("give --out"), "{told}");
}
