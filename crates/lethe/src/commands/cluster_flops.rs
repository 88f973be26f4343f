//! `lethe cluster-flops`: a table of flop clusters, made from a blueprint.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use lethe_blueprint::{Flops, Grouping, ValueKind};
use lethe_kit::abstractions::{FlopClustersView, FlopFeatures, cluster_flops, flop_profiles};
use lethe_kit::measure::exploitability_forecast;
use lethe_kit::text::{counted, percent, thousands};
use serde::Serialize;

use super::exploitability::verified;
use super::input::count_in;
use super::training::{self, BLUEPRINT_HELP, Checkpoint};
use super::{check_outputs, watched, write_file};
use crate::output::{Output, Report, seconds};

/// Clusters flops by what hands win on them with a blueprint
///
/// On each of the 1,755 flops that differ up to suits, after each betting line that reaches it, the
/// value of both players' hands is computed exactly, in real cards: with the blueprint's strategy, and
/// with a best response from the flop on. Flops on which hands are worth the same become one cluster
/// (Ward's criterion). The table holds every smaller number of clusters too, each made from the next
/// by a merger.
///
/// An abstraction whose configuration says `flop_clusters: {table: FILE, count: N}` has its buckets
/// once for each cluster: hands on flops of different clusters are never in one bucket.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe cluster-flops quick --out flops.json
  lethe cluster-flops quick --out flops.json --clusters 128 --features gain --by class
  lethe build --preset quick --set 'flop_clusters={table: quick, count: 32}'")]
pub(crate) struct Args {
    #[arg(value_name = "BLUEPRINT", help = BLUEPRINT_HELP)]
    blueprint: PathBuf,
    /// Where to write the table
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The most clusters that the table gives
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = count_in(1, 256))]
    clusters: u32,
    /// Which values to compare
    #[arg(long, value_name = "VALUES", default_value = "both")]
    features: Values,
    /// How hands are put together
    #[arg(long, value_name = "GROUPS", default_value = "strength")]
    by: Groups,
    /// Which checkpoint of the run
    #[arg(long, value_name = "NAME", default_value = "latest")]
    checkpoint: Checkpoint,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Values {
    /// What the strategy wins
    Own,
    /// What a best response from the flop on wins
    Best,
    /// Both
    Both,
    /// What the best response wins beyond the strategy
    Gain,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Groups {
    /// The 169 starting hands
    Class,
    /// Parts of equal size of each range, from the strongest on the flop to the weakest
    Strength,
}

/// A table that was written.
#[derive(Serialize)]
struct View<'a> {
    out: &'a Path,
    made_by: &'a str,
    #[serde(flatten)]
    view: FlopClustersView,
}

/// Makes the table and writes it.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    check_outputs(&[Some(&args.out)], &[&args.blueprint])?;
    let blueprint = training::open(&args.blueprint, args.checkpoint, out)?;
    let blueprint = verified(&blueprint, out)?;
    let features = FlopFeatures {
        kind: match args.features {
            Values::Own => ValueKind::Own,
            Values::Best => ValueKind::Best,
            Values::Both => ValueKind::Both,
            Values::Gain => ValueKind::Gain,
        },
        grouping: match args.by {
            Groups::Class => Grouping::Class,
            Groups::Strength => Grouping::Strength,
        },
    };
    let forecast = watched("nothing was written", out, |job| {
        Ok(exploitability_forecast(&blueprint, Flops::All, job))
    })?;
    if let Some((count, time)) = forecast {
        let threads = counted(out.threads(), "thread");
        out.note(format_args!("{} flops: about {} on {threads}", thousands(count), seconds(time)))?;
    }
    let table = watched("nothing was written", out, |job| {
        let profiles = flop_profiles(&blueprint, job)?;
        cluster_flops(&blueprint, &profiles, features, args.clusters as usize, job)
    })?;
    write_file(&args.out, &table.to_text())?;
    let view = FlopClustersView::of(table.clusters(), Some(&table));
    out.show(&View { out: &args.out, made_by: table.made_by(), view })
}

impl Report for View<'_> {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        writeln!(out, "{} clusters of flops in {}\n", self.view.count, self.out.display())?;
        write_clusters(&self.view, out)
    }
}

/// Writes what clusters explain, and a row for each.
pub(crate) fn write_clusters(view: &FlopClustersView, out: &mut Output<'_>) -> io::Result<()> {
    if let Some(explained) = &view.explained {
        let levels = std::iter::successors(Some(2), |level| Some(level * 2));
        let levels = levels.take_while(|&level| level < view.count).chain([view.count]);
        let row = |level: usize| vec![level.to_string(), percent(explained[level - 1], 1)];
        out.table(&["clusters", "variance explained"], levels.map(row))?;
        writeln!(out)?;
    }
    let (headings, rows) = view.table();
    out.table(&headings, rows)
}
