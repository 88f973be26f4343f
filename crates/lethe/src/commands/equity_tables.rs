//! `lethe equity-tables`: the equities of buckets against one another, added to an abstraction.

use std::io::{self, Write};
use std::path::PathBuf;

use lethe_kit::abstractions::{EquityTablesView, add_equity_tables};

use super::artifact::{DIR_HELP, streets};
use super::boards::BoardStreet;
use super::watched;
use crate::output::{Output, Report, seconds};

/// Adds to an abstraction the equity of every bucket against every other
///
/// For each street an exact table over all boards, runouts and pairs of holes without a card in
/// common. Existing tables are left alone unless --force is given.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe equity-tables default
  lethe equity-tables default --street river
  lethe equity-tables F500T500R500-histogram10 --json")]
pub(crate) struct Args {
    #[arg(value_name = "DIR", help = DIR_HELP)]
    dir: PathBuf,
    /// Only the table of this street [default: all streets]
    #[arg(long, value_name = "STREET")]
    street: Option<BoardStreet>,
    /// Compute existing tables again
    #[arg(long)]
    force: bool,
}

impl Report for EquityTablesView {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        writeln!(out, "equity tables of {}\n", self.path.display())?;
        for (street, table) in self.streets.iter() {
            let (street, buckets) = (street.name(), table.buckets);
            let done = match table.added {
                true => format!("added in {}", seconds(table.seconds)),
                false => "exists already".to_owned(),
            };
            writeln!(out, "{street:5}  {buckets} x {buckets}  {done}")?;
        }
        Ok(())
    }
}

/// Adds the tables.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let path = out.data().open_abstraction(&args.dir)?.path().to_owned();
    let view = watched("tables that were finished are kept", out, |job| {
        add_equity_tables(&path, &streets(args.street), args.force, job)
    })?;
    out.show(&view)
}
