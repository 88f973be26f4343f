//! `lethe verify`: every byte of an abstraction checked.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use lethe_abstraction::artifact::{VerifyError, verify};
use serde::Serialize;

use super::artifact::{self, ROOT};
use crate::error::{InputError, Stopped};
use crate::output::{Output, Report, bytes};
use crate::progress::Bars;

/// Checks every byte of an abstraction and everything that must hold of its tables
///
/// Checksums of all files, buckets that exist, equal ones for the same situation, sizes as reported.
/// Ends in 1 if anything is wrong, and names all of it.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe verify default
  lethe verify data/abstractions/F500T500R500-histogram10-1a2b3c4d --json")]
pub(crate) struct Args {
    #[arg(value_name = "DIR", help = artifact::DIR_HELP)]
    dir: PathBuf,
}

/// What was verified.
#[derive(Debug, Serialize)]
struct Verified {
    path: PathBuf,
    ok: bool,
    files: Vec<String>,
    bytes: u64,
    extra: Vec<String>,
    problems: Vec<String>,
}

impl Report for Verified {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let path = self.path.display();
        if !self.ok {
            return Ok(());
        }
        let files = self.files.len();
        writeln!(out, "{path}: {files} files, {}, nothing wrong", bytes(self.bytes))?;
        match &self.extra[..] {
            [] => Ok(()),
            extra => writeln!(out, "no part of it: {}", extra.join(", ")),
        }
    }
}

/// Verifies an abstraction.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let path = artifact::find(&args.dir, Path::new(ROOT))?;
    let progress = Bars::new();
    let verified = verify(&path, progress.job());
    progress.finish();
    match verified {
        Ok(report) => out.show(&Verified {
            path,
            ok: true,
            files: report.files,
            bytes: report.bytes,
            extra: report.extra,
            problems: Vec::new(),
        }),
        Err(VerifyError::Cancelled) => Err(Stopped("not everything was verified").into()),
        Err(VerifyError::Open(error @ lethe_abstraction::OpenError::NotAnAbstraction { .. })) => {
            Err(InputError::new(error).into())
        }
        Err(error) => {
            let problems: Vec<String> = match &error {
                VerifyError::Damaged { problems, .. } => {
                    problems.iter().map(ToString::to_string).collect()
                }
                error => vec![error.to_string()],
            };
            let count = problems.len();
            let shown = path.display().to_string();
            let lines: String = problems.iter().map(|problem| format!("\n  {problem}")).collect();
            if out.is_json() {
                let (files, extra) = (Vec::new(), Vec::new());
                out.show(&Verified { path, ok: false, files, bytes: 0, extra, problems })?;
            }
            let plural = if count == 1 { "" } else { "s" };
            Err(anyhow!(
                "{shown} is damaged, {count} problem{plural}; build it again with --force{lines}"
            ))
        }
    }
}
