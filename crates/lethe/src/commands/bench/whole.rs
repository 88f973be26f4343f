//! Whole runs of the program: a build, and the shortest question.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, ensure};

use super::{Figure, fastest};
use crate::commands::build;
use crate::output::Output;
use lethe_kit::abstractions::Phase;

/// Builds the default preset in a temporary directory; returns how long each phase took.
pub(super) fn measure(
    figures: &mut Vec<Figure>,
    out: &mut Output<'_>,
) -> anyhow::Result<Vec<Phase>> {
    let root = std::env::temp_dir().join(format!("lethe-bench-{}", std::process::id()));
    let begun = Instant::now();
    let built = build::preset(&root, out);
    let time = begun.elapsed().as_secs_f64();
    let removed = fs::remove_dir_all(&root);
    let phases = built?.phases;
    removed.with_context(|| format!("cannot remove {}", root.display()))?;
    figures.push(Figure::at_most("building the default preset", time, "s", 20.0));
    if let Some(peak) = peak_memory() {
        let gibibytes = peak as f64 / (1u64 << 30) as f64;
        figures.push(Figure::at_most("peak memory of that", gibibytes, "GiB", 1.5));
    }
    Ok(phases)
}

/// The most memory this process has had, in bytes, where the system says.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

/// Measures the start of the program and its answer to a question.
pub(super) fn measure_start(figures: &mut Vec<Figure>) -> anyhow::Result<()> {
    let program = std::env::current_exe().context("where this program is")?;
    let mut fine = true;
    let time = fastest(5, || {
        let mut command = Command::new(&program);
        let run = command.args(["equity", "AsKs", "Th9h8c"]).stdout(Stdio::null()).status();
        fine &= run.is_ok_and(|status| status.success());
    });
    ensure!(fine, "lethe equity AsKs Th9h8c failed");
    figures.push(Figure::at_most("lethe equity AsKs Th9h8c", time * 1e3, "ms", 50.0));
    Ok(())
}
