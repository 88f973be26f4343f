//! `lethe values`: what hands and buckets win with a blueprint.

use std::io::{self, Write};
use std::path::PathBuf;

use lethe_blueprint::Flops;
use lethe_kit::measure::exploitability_forecast;
use lethe_kit::text::{counted, thousands};
use lethe_kit::values::{ValuesView, store};

use super::exploitability::verified;
use super::input::count_in;
use super::training::{self, BLUEPRINT_HELP, Checkpoint};
use super::watched;
use crate::output::{Output, Report, bytes, seconds};

/// Computes and stores what hands and buckets win with a blueprint
///
/// Some flops are walked exactly, in real cards, with every turn and river below them. That gives the
/// value of every action of every starting hand before the flop, with a 95 % interval from the sample of
/// flops, and the mean value of every bucket at the first decision of each street. Folds and all-ins
/// before the flop are exact, and with `--exact` all values before the flop are.
///
/// The values are stored beside the checkpoint, and `lethe strategy` shows them beside the frequencies.
/// They count from the chips before ante and blinds. `lethe train` stores them at its end if it
/// estimates exploitability, on as many flops as those estimates look at.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe values quick
  lethe values quick --flops 100
  lethe values quick --exact --json")]
pub(crate) struct Args {
    #[arg(value_name = "BLUEPRINT", help = BLUEPRINT_HELP)]
    blueprint: PathBuf,
    /// Look at all flops
    #[arg(long, conflicts_with = "flops")]
    exact: bool,
    /// How many of the 22,100 flops to look at
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = count_in(1, 22_100))]
    flops: u32,
    /// Which checkpoint of the run
    #[arg(long, value_name = "NAME", default_value = "latest")]
    checkpoint: Checkpoint,
    /// The seed of the flops
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// Computes and stores the values.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let blueprint = training::open(&args.blueprint, args.checkpoint, out)?;
    let blueprint = verified(&blueprint, out)?;
    let flops = match args.exact {
        true => Flops::All,
        false => Flops::Sample(args.flops as usize, args.seed),
    };
    let forecast = watched("nothing was computed", out, |job| {
        Ok(exploitability_forecast(&blueprint, flops, job))
    })?;
    if let Some((count, time)) = forecast {
        let threads = counted(out.threads(), "thread");
        out.note(format_args!("{} flops: about {} on {threads}", thousands(count), seconds(time)))?;
    }
    let view = watched("no values were stored", out, |job| store(&blueprint, flops, job))?;
    out.show(&view)
}

impl Report for ValuesView {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let flops = match (self.exact, self.flops) {
            (_, 0) => "exact: the game ends before the flop".to_owned(),
            (true, _) => "from all flops".to_owned(),
            (false, count) => format!("from {}", counted(count as usize, "flop")),
        };
        let file = self.values.display();
        writeln!(out, "{file}: {}, {flops}, in {}", bytes(self.bytes), seconds(self.seconds))?;
        let (sb, bb) = (self.value_mbb.sb, self.value_mbb.bb);
        writeln!(
            out,
            "the strategy wins {sb:.1} mbb/hand as the small blind, {bb:.1} as the big blind"
        )
    }
}
