//! `lethe list`: the abstractions there are.

use std::io::{self, Write};
use std::path::PathBuf;

use lethe_kit::abstractions::{ListState, ListView};
use lethe_kit::text::thousands;

use crate::output::{Output, Report, bytes};

/// The abstractions in a directory, with their buckets and sizes
///
/// Those that do not open are listed with the reason.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe list
  lethe list --root /mnt/abstractions --json")]
pub(crate) struct Args {
    /// The directory to look in [default: abstractions in the data directory]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

impl Report for ListView {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        if self.abstractions.is_empty() {
            let root = self.root.display();
            return writeln!(out, "no abstraction in {root}; `lethe build` makes one");
        }
        let row = |item: &lethe_kit::abstractions::ListItem| {
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
            if let ListState::Broken { error } = &item.state {
                writeln!(out, "\n{error}")?;
            }
        }
        Ok(())
    }
}

/// Lists the abstractions.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let root = args.root.clone().unwrap_or_else(|| out.data().abstractions());
    out.show(&ListView::of(&root)?)
}
