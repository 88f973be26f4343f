//! `lethe man`: the manual pages.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::CommandFactory;
use clap_mangen::Man;
use serde::Serialize;

use super::write_file;
use crate::cli::Cli;
use crate::output::{Output, Report};

/// The manual page, or all of them into a folder
///
/// Without --out the page lethe(1) is printed; with it that page and one for each command are
/// written into the folder, and their paths printed.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe man | man -l -
  lethe man --out ~/.local/share/man/man1")]
pub(crate) struct Args {
    /// The folder to write the pages into; it is made if it is not there
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// A manual page.
#[derive(Debug, Serialize)]
struct Page {
    name: String,
    text: String,
}

impl Page {
    fn of(command: clap::Command) -> anyhow::Result<Page> {
        let man = Man::new(command);
        let mut bytes = Vec::new();
        man.render(&mut bytes)?;
        let text = String::from_utf8(bytes).context("the page is not UTF-8")?;
        Ok(Page { name: man.get_filename(), text })
    }
}

impl Report for Page {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        write!(out, "{}", self.text)
    }
}

/// The pages that were written.
#[derive(Debug, Serialize)]
struct Written {
    files: Vec<PathBuf>,
}

impl Report for Written {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        self.files.iter().try_for_each(|file| writeln!(out, "{}", file.display()))
    }
}

/// Prints the page of the whole command, or writes every page.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let mut command = Cli::command();
    // Names the subcommands' pages `lethe-equity` and so on.
    command.build();
    let Some(folder) = &args.out else {
        return out.show(&Page::of(command)?);
    };
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let subcommands: Vec<clap::Command> = command.get_subcommands().cloned().collect();
    let mut files = Vec::new();
    for command in [command].into_iter().chain(subcommands) {
        let page = Page::of(command)?;
        let file = folder.join(&page.name);
        write_file(&file, &page.text)?;
        files.push(file);
    }
    out.show(&Written { files })
}
