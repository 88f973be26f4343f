//! `lethe completions`: the script that completes `lethe` in a shell.

use std::io::{self, Write};

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;
use serde::Serialize;

use crate::cli::Cli;
use crate::output::{Output, Report};

/// The script that makes a shell complete lethe's commands and options
#[derive(clap::Args, Clone, Copy, Debug)]
#[command(after_help = "Examples:
  lethe completions bash > ~/.local/share/bash-completion/completions/lethe
  lethe completions zsh > ~/.zfunc/_lethe
  lethe completions fish > ~/.config/fish/completions/lethe.fish")]
pub(crate) struct Args {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// A completion script.
#[derive(Serialize)]
struct Script {
    shell: String,
    script: String,
}

impl Report for Script {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        write!(out, "{}", self.script)
    }
}

/// Prints the script asked for.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    // Into memory first: the generator panics if it cannot write.
    let mut bytes = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "lethe", &mut bytes);
    let script = String::from_utf8(bytes).context("the script is not UTF-8")?;
    out.show(&Script { shell: args.shell.to_string(), script })
}
