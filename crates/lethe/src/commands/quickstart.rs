//! `lethe quickstart`: from nothing to a trained blueprint and a first look at it.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use lethe_blueprint::{Blueprint, CheckpointKind, Flops, Uniform};
use serde::Serialize;

use super::exploitability::{self, Measured};
use super::strategy;
use super::train::{self, Summary};
use crate::output::{Output, Report};

/// Builds an abstraction, trains a blueprint on it for a minute and shows what came out
///
/// A whole no-limit game of 20 big blinds: the exploitability before and after training, and the
/// ranges of the first decision. Run again, it trains for another minute. Ends with what to try
/// next.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Args {
    /// The directory of the run
    #[arg(long, value_name = "DIR", default_value = "runs/quickstart")]
    out: PathBuf,
}

/// How long to train.
const TRAINING: Duration = Duration::from_secs(60);
/// Flops that exploitability is estimated from, and the seed they are drawn by.
const FLOPS: Flops = Flops::Sample(24, 0);

/// What came out.
#[derive(Debug, Serialize)]
struct First {
    before: Measured,
    training: Summary,
    after: Measured,
    strategy: strategy::Answer,
}

impl Report for First {
    fn write_text(&self, out: &mut Output<'_>) -> std::io::Result<()> {
        let run = self.training.run.display();
        let (before, after) = (&self.before.result, &self.after.result);
        writeln!(
            out,
            "trained {} iterations in {:.0} s, {:.0} M node visits a second\n",
            self.training.iterations,
            self.training.seconds,
            self.training.visits_per_second / 1e6
        )?;
        writeln!(
            out,
            "What a best response in real cards wins, in thousandths of a big blind a hand, estimated \
             from {} of the 22,100 flops (every turn and river below them is counted):",
            after.flops
        )?;
        writeln!(
            out,
            "  before  {:>7.1} ± {:.1}  (all actions equally often)",
            before.exploitability_mbb, before.interval_mbb
        )?;
        writeln!(out, "  after   {:>7.1} ± {:.1}", after.exploitability_mbb, after.interval_mbb)?;
        writeln!(
            out,
            "  lethe exploitability {run} --exact    the exact figure, over all flops\n"
        )?;
        self.strategy.write_text(out)?;
        writeln!(
            out,
            "
What to try next:
  lethe strategy {run} r250                    the big blind's answer to a raise
  lethe strategy {run} 'r250 c / Th9h8c x'     the button on a flop, after a check
  lethe match {run} equity --hands 1M          play it against a simple opponent
  lethe train --preset quick --out {run} --resume --time 5m   train on
  lethe report {run}                           how training went
  lethe lookup quick AsKs Th9h8c               the bucket of a hand
  lethe solve spots/toy-river.yaml             solve a spot exactly
  lethe lab                                    what abstractions lose in the real game"
        )
    }
}

/// Builds, trains and looks.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let order = train::Args {
        preset: Some("quick".to_owned()),
        // The looks before and after are made here.
        set: vec!["training.evaluate=0".to_owned()],
        out: Some(args.out.clone()),
        resume: true,
        time: Some(TRAINING),
        ..train::Args::default()
    };
    let (training, run) = train::perform(&order.resolve()?, out)?;
    drop(run);
    let blueprint = Blueprint::open(&args.out, CheckpointKind::Latest)?;
    let threads = rayon::current_num_threads();
    let before = exploitability::evaluate(&blueprint, &Uniform, FLOPS, threads, out)?;
    let after = exploitability::evaluate(&blueprint, &blueprint, FLOPS, threads, out)?;
    let strategy = strategy::first(&blueprint)?;
    out.show(&First { before, training, after, strategy })
}
