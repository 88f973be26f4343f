//! `lethe list`: the abstractions, runs and solutions there are.

use std::io::{self, Write};
use std::path::PathBuf;

use lethe_blueprint::Header;
use lethe_kit::abstractions::{ListItem, ListState, ListView, older_algorithm};
use lethe_kit::inventory::{Inventory, RunItem, RunState, SolutionItem};
use lethe_kit::text::{seconds, thousands};

use crate::output::{Output, Report, bytes};

/// The abstractions, runs and solutions in the data directory
///
/// Those that do not open are listed with the reason, and abstractions that an older version of the
/// algorithms built are marked. With --root only the abstractions in that directory.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe list
  lethe list --root /mnt/abstractions --json")]
pub(crate) struct Args {
    /// A directory of abstractions to look in instead of the data directory
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

impl Report for ListView {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        if self.abstractions.is_empty() {
            let root = self.root.display();
            return writeln!(out, "no abstraction in {root}; `lethe build` makes one");
        }
        let row = |item: &ListItem| {
            let rest = match &item.state {
                ListState::Opens { buckets, seconds, equity_tables, preset, .. } => {
                    let buckets: Vec<String> = buckets.values().map(|&n| thousands(n)).collect();
                    [
                        buckets.join(" / "),
                        bytes(item.bytes),
                        format!("{seconds:.1} s"),
                        if *equity_tables { "yes" } else { "no" }.to_owned(),
                        preset.unwrap_or("-").to_owned(),
                    ]
                }
                ListState::Broken { .. } => {
                    ["-", &bytes(item.bytes), "-", "-", "damaged"].map(str::to_owned)
                }
            };
            [vec![item.name.clone()], rest.to_vec()].concat()
        };
        let headings = ["name", "buckets", "size", "built in", "equity tables", "preset"];
        out.table(&headings, self.abstractions.iter().map(row))?;
        for item in &self.abstractions {
            match &item.state {
                ListState::Broken { error } => writeln!(out, "\n{error}")?,
                ListState::Opens { algorithm, outdated: true, .. } => {
                    let version = older_algorithm(*algorithm);
                    writeln!(out, "\n{}: {version}; `lethe build` builds it again", item.name)?;
                }
                ListState::Opens { .. } => {}
            }
        }
        Ok(())
    }
}

impl Report for Inventory {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        self.abstractions.write_text(out)?;
        if !self.runs.is_empty() {
            writeln!(out)?;
            let row = |run: &RunItem| {
                let rest = match &run.state {
                    RunState::Opens { iterations, seconds: time, abstraction, .. } => [
                        thousands(*iterations),
                        bytes(run.bytes),
                        seconds(*time),
                        abstraction.clone().unwrap_or_else(|| "-".to_owned()),
                    ],
                    RunState::Broken { .. } => {
                        ["-", &bytes(run.bytes), "-", "-"].map(str::to_owned)
                    }
                };
                [vec![run.name.clone()], rest.to_vec()].concat()
            };
            let headings = ["run", "iterations", "size", "trained for", "abstraction"];
            out.table(&headings, self.runs.iter().map(row))?;
            for run in &self.runs {
                match &run.state {
                    RunState::Broken { error } => writeln!(out, "\n{error}")?,
                    RunState::Opens { trainer, outdated: true, .. } => writeln!(
                        out,
                        "\n{}: trained by version {trainer} of the algorithm; the current one is {}",
                        run.name,
                        Header::TRAINER
                    )?,
                    RunState::Opens { .. } => {}
                }
            }
        }
        if !self.solutions.is_empty() {
            writeln!(out)?;
            let row = |solution: &SolutionItem| vec![solution.name.clone(), bytes(solution.bytes)];
            out.table(&["solution", "size"], self.solutions.iter().map(row))?;
        }
        Ok(())
    }
}

/// Lists what there is.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    match &args.root {
        Some(root) => out.show(&ListView::of(root)?),
        None => {
            let inventory = Inventory::of(out.data())?;
            out.show(&inventory)
        }
    }
}
