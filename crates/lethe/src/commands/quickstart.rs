//! `lethe quickstart`: from nothing to a trained blueprint and a first look at it.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use lethe_blueprint::Flops;
use lethe_kit::measure::ExploitabilityView;
use lethe_kit::report::interval;
use lethe_kit::strategy::{Question, StrategyView, ask};
use lethe_kit::text::thousands;
use lethe_kit::training::TrainView;
use serde::Serialize;

use super::training::Checkpoint;
use super::{exploitability, train, training};
use crate::output::{Output, Report};

/// Builds an abstraction, trains a blueprint on it for a minute and shows the result
///
/// A whole no-limit game of 20 big blinds: the exploitability before and after training, and the
/// ranges of the first decision. Run again, it trains for another minute. Ends with what to try
/// next.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Args {
    /// The run: a path, or a name in the data directory
    #[arg(long, value_name = "RUN", default_value = "quickstart")]
    out: PathBuf,
}

/// How long to train.
const TRAINING: Duration = Duration::from_secs(60);
/// The flops that exploitability is estimated from, and their seed.
const FLOPS: Flops = Flops::Sample(24, 0);

/// The result.
#[derive(Debug, Serialize)]
struct First {
    before: ExploitabilityView,
    training: TrainView,
    after: ExploitabilityView,
    strategy: StrategyView,
}

impl Report for First {
    fn write_text(&self, out: &mut Output<'_>) -> std::io::Result<()> {
        let run = self.training.run.display();
        let (before, after) = (&self.before.result, &self.after.result);
        writeln!(
            out,
            "trained {} iterations in {:.0} s, {:.0} M hand-node visits per second\n",
            thousands(self.training.iterations),
            self.training.seconds,
            self.training.visits_per_second.unwrap_or(0.0) / 1e6
        )?;
        writeln!(
            out,
            "What a best response in real cards wins, in thousandths of a big blind per hand, \
             estimated from {} of the 22,100 flops (with every turn and river below them):",
            after.flops
        )?;
        writeln!(
            out,
            "  before  {:>14}  (all actions equally often)",
            interval(before.exploitability_mbb, before.interval_mbb)
        )?;
        let after = interval(after.exploitability_mbb, after.interval_mbb);
        writeln!(out, "  after   {after:>14}")?;
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
  lethe play {run}                             play against it yourself
  lethe match {run} equity                     play it against a simple opponent
  lethe train --preset quick --out {run} --resume --time 5m   train on
  lethe report {run}                           how training went
  lethe lookup quick-clusters AsKs Th9h8c      the bucket of a hand
  lethe solve spots/toy-river.yaml             solve a spot exactly
  lethe lab                                    what abstractions lose in the real game"
        )
    }
}

/// Builds, trains and looks.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let train = train::Args {
        preset: Some("quick".to_owned()),
        // A few estimates on the way, for the report.
        set: ["training.evaluate=20", "training.evaluate_flops=8"].map(str::to_owned).into(),
        out: Some(args.out.clone()),
        resume: true,
        time: Some(TRAINING),
        ..train::Args::default()
    };
    let training = train::perform(&train, out)?;
    let blueprint = training::open(&training.run, Checkpoint::Latest, out)?;
    let verified = exploitability::verified(&blueprint, out)?;
    let before = exploitability::evaluate(&verified, true, FLOPS, out)?;
    let after = exploitability::evaluate(&verified, false, FLOPS, out)?;
    let strategy = ask(&blueprint, &Question::default())?;
    out.show(&First { before, training, after, strategy })
}
