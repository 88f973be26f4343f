//! The `lethe` command.
//!
//! A run goes through three steps: [`cli`] says what can be typed, one file in [`commands`] does
//! what was asked for, and [`output`] writes it as text or JSON. [`error`] decides the exit code.

mod cli;
mod commands;
mod error;
#[cfg(test)]
mod fuzz;
mod menu;
mod output;
mod progress;
mod ranks;

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use lethe_collective::Solo;

use crate::cli::Cli;
use crate::error::Outcome;
use crate::output::{Output, Terminal};
use crate::ranks::Ranks;

fn main() -> ExitCode {
    let terminal = Terminal::of_stdout();
    let mut stdout = BufWriter::new(io::stdout().lock());
    // Not locked: progress is drawn by other threads.
    let outcome = run(std::env::args_os(), terminal, &mut stdout, &mut io::stderr());
    ExitCode::from(outcome)
}

/// Runs the command line `args` (the program's name first) and returns how it ended.
fn run(
    args: impl IntoIterator<Item = OsString>,
    terminal: Terminal,
    stdout: &mut dyn Write,
    stderr: &mut dyn Write,
) -> Outcome {
    let result = match Cli::try_parse_from(args) {
        Ok(Cli { globals, command: Some(command) }) => {
            let ranks = match Ranks::start(command.is_shared()) {
                Ok(ranks) => ranks,
                Err(error) => return ranks::report_early(&error.into(), stderr),
            };
            let collective = ranks.collective();
            let (mut none, mut also_none) = (io::sink(), io::sink());
            // Rank 0 speaks for all.
            let (to, notes): (&mut dyn Write, &mut dyn Write) = match collective.rank() {
                0 => (stdout, stderr),
                _ => (&mut none, &mut also_none),
            };
            let mut out = Output::new(to, notes, terminal, &globals, collective);
            if collective.rank() == 0 {
                out.data().remove_stale();
            }
            let result = command.run(&mut out).and_then(|()| Ok(out.flush()?));
            if let Err(error) = result {
                return ranks.report(&error, stderr);
            }
            Ok(())
        }
        Ok(Cli { globals, command: None }) if terminal.keyboard && !globals.json => {
            menu::run(&mut Output::new(stdout, stderr, terminal, &globals, &Solo))
        }
        Ok(Cli { command: None, .. }) => help(&Cli::command().render_help(), terminal, stdout),
        Err(error) if error.use_stderr() => Err(error.into()),
        // Help and version are results, not errors.
        Err(error) => help(&error.render(), terminal, stdout),
    };
    match result {
        // Whatever was kept of the work, it was stopped.
        Ok(()) if progress::is_stopped() => Outcome::Stopped,
        Ok(()) => Outcome::Fine,
        Err(error) => ranks::report_early(&error, stderr),
    }
}

/// Writes a text of clap's.
fn help(
    text: &clap::builder::StyledStr,
    terminal: Terminal,
    stdout: &mut dyn Write,
) -> anyhow::Result<()> {
    if terminal.colour {
        write!(stdout, "{}", text.ansi())?;
    } else {
        write!(stdout, "{text}")?;
    }
    Ok(stdout.flush()?)
}
