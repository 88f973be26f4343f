//! `lethe verify`: every byte of any file of Lethe checked.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::anyhow;
use lethe_kit::Error;
use lethe_kit::text::counted;
use lethe_kit::verify::{Kind, VerifyView, verify};

use crate::error::stopped;
use crate::output::{Output, Report, bytes};
use crate::progress::Bars;

/// Checks every byte of an abstraction, a run, a checkpoint, values, a solution or results of the lab
///
/// Of all of them the checksums. Of an abstraction also: buckets that exist, the same bucket for the same situation,
/// sizes as reported. Exits with 1 if anything is wrong, and names all of it.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe verify default
  lethe verify runs/quick
  lethe verify F500T500R500-histogram10 --json")]
pub(crate) struct Args {
    /// A file or directory, or the name of a run, a solution or an abstraction in the data directory
    #[arg(value_name = "PATH")]
    path: PathBuf,
}

impl Report for VerifyView {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let rows = self.files.iter().map(|file| {
            let state = if file.ok { "ok" } else { "damaged" };
            vec![file.name.clone(), bytes(file.bytes), state.to_owned()]
        });
        out.table(&["file", "size", ""], rows)?;
        if self.ok {
            let (path, kind) = (self.path.display(), self.kind.name());
            let files = counted(self.files.len(), "file");
            writeln!(out, "\n{path}: {kind}, {files}, {}, nothing wrong", bytes(self.bytes))?;
        }
        match &self.extra[..] {
            [] => Ok(()),
            extra => writeln!(out, "not part of it: {}", extra.join(", ")),
        }
    }
}

/// Verifies what is asked for.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let (bars, pool) = (Bars::new(), out.pool()?);
    let data = out.data();
    let path = match args.path.exists() {
        true => args.path.clone(),
        false => match data.find_run(&args.path) {
            Ok(run) if Kind::of(&run).is_some() => run,
            _ if data.solution(&args.path).is_file() => data.solution(&args.path),
            _ => data.find_abstraction(&args.path).map_err(Error::from)?,
        },
    };
    let verified = verify(&path, bars.job_on(&pool));
    let view = verified.map_err(stopped("not everything was verified"))?;
    bars.finish();
    out.show(&view)?;
    if view.ok {
        return Ok(());
    }
    let lines: String = view.problems.iter().map(|problem| format!("\n  {problem}")).collect();
    Err(anyhow!(
        "{} is damaged, {}; {}{lines}",
        view.path.display(),
        counted(view.problems.len(), "problem"),
        match view.kind {
            Kind::Abstraction => "build it again with --force",
            Kind::Run | Kind::Checkpoint | Kind::Metrics => {
                "copy it again, use another checkpoint, or train again"
            }
            Kind::Solution => "copy it again, or solve again",
            Kind::Values => "compute it again with lethe values, or delete it",
            Kind::LabResults => "remove the lines, or run the lab again",
            Kind::Units => "run the command again: it computes damaged units",
        },
    ))
}
