//! `lethe verify`: every byte of an abstraction or a run checked.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::anyhow;
use lethe_kit::abstractions::{VerifyView, verify};
use lethe_kit::text::counted;
use lethe_kit::{Error, runs};

use crate::error::stopped;
use crate::output::{Output, Report, bytes};
use crate::progress::Bars;

/// Checks every byte of an abstraction, or of the checkpoints of a run
///
/// Of an abstraction: checksums of all files, buckets that exist, the same bucket for the same situation, sizes as
/// reported. Exits with 1 if anything is wrong, and names all of it.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe verify default
  lethe verify runs/quick
  lethe verify F500T500R500-histogram10 --json")]
pub(crate) struct Args {
    /// An abstraction or a run: its directory, or its name in the data directory
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

impl Report for VerifyView {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let (path, files) = (self.path.display(), self.files.len());
        if self.ok {
            writeln!(out, "{path}: {files} files, {}, nothing wrong", bytes(self.bytes))?;
        }
        match &self.extra[..] {
            [] => Ok(()),
            extra => writeln!(out, "not part of it: {}", extra.join(", ")),
        }
    }
}

/// Verifies an abstraction.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let (bars, pool) = (Bars::new(), out.pool()?);
    let job = bars.job_on(&pool);
    let run = out.data().find_run(&args.dir).ok().filter(|run| runs::is_blueprint(run));
    let verified = match &run {
        Some(run) => runs::verify(run, job),
        None => out
            .data()
            .find_abstraction(&args.dir)
            .map_err(Error::from)
            .and_then(|dir| verify(&dir, job)),
    };
    let view = verified.map_err(stopped("not everything was verified"))?;
    bars.finish();
    if view.ok || out.is_json() {
        out.show(&view)?;
    }
    if view.ok {
        return Ok(());
    }
    let lines: String = view.problems.iter().map(|problem| format!("\n  {problem}")).collect();
    Err(anyhow!(
        "{} is damaged, {}; {}{lines}",
        view.path.display(),
        counted(view.problems.len(), "problem"),
        if run.is_some() { "train it again" } else { "build it again with --force" },
    ))
}
