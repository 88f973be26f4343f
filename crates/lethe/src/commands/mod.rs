//! The commands, one per file: what can be typed after its name, and what it does.
//!
//! Each file has an `Args` as it was typed, a `run` that asks the kit for a view, and the text of
//! that view, a [`Report`].

pub(crate) mod acpc;
pub(crate) mod advise;
pub(crate) mod artifact;
pub(crate) mod bench;
pub(crate) mod boards;
pub(crate) mod build;
pub(crate) mod canon;
pub(crate) mod cluster_flops;
pub(crate) mod completions;
pub(crate) mod diff;
pub(crate) mod equity;
pub(crate) mod equity_tables;
pub(crate) mod evaluate;
pub(crate) mod exploitability;
pub(crate) mod export;
pub(crate) mod inspect;
pub(crate) mod lab;
pub(crate) mod list;
pub(crate) mod lookup;
pub(crate) mod man;
pub(crate) mod match_play;
pub(crate) mod merge;
pub(crate) mod play;
pub(crate) mod quickstart;
pub(crate) mod rank;
pub(crate) mod report;
pub(crate) mod review;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod solve;
pub(crate) mod strategy;
pub(crate) mod sweep;
pub(crate) mod train;
pub(crate) mod tree;
pub(crate) mod values;
pub(crate) mod verify;

mod agents;
mod input;
mod solving;
mod training;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lethe_compute::Job;
use lethe_kit::{Error, files};
use serde::Serialize;

use crate::error::stopped;
use crate::output::{Output, Report, bytes};
use crate::progress::Bars;

/// Computes something on the threads asked for, behind progress bars; `kept` says what is left if
/// it is stopped.
fn watched<T>(
    kept: &'static str,
    out: &Output<'_>,
    work: impl FnOnce(Job<'_>) -> Result<T, Error>,
) -> anyhow::Result<T> {
    let (bars, pool) = (Bars::new(), out.pool()?);
    work(bars.job_on(&pool)).map_err(stopped(kept))
}

/// A page that was written.
#[derive(Serialize)]
struct Written {
    html: PathBuf,
    bytes: usize,
}

impl Report for Written {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        writeln!(out, "{} ({})", self.html.display(), bytes(self.bytes as u64))
    }
}

/// Refuses an output before any work is done for it: one that is or is inside an input, or one
/// that cannot be written.
fn check_outputs(outputs: &[Option<&Path>], inputs: &[&Path]) -> Result<(), Error> {
    for output in outputs.iter().flatten() {
        files::check_output(output, inputs)?;
        files::OutputFile::create(output)?;
        files::remove_stale(output.parent().filter(|dir| *dir != "").unwrap_or(".".as_ref()));
    }
    Ok(())
}

/// Writes a page, and says so.
fn write_page(file: &Path, page: &str, out: &mut Output<'_>) -> anyhow::Result<()> {
    write_file(file, page)?;
    out.show(&Written { html: file.to_owned(), bytes: page.len() })
}

/// Writes a file.
fn write_file(file: &Path, text: &str) -> Result<(), Error> {
    Ok(files::write(file, |out| out.write_all(text.as_bytes()))?)
}
