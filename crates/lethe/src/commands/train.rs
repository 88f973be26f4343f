//! `lethe train`: a blueprint for a whole game.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use lethe_blueprint::{CardModel, Estimate, EstimateKind, Metrics};
use lethe_kit::config::training_config;
use lethe_kit::limits;
use lethe_kit::report::estimate;
use lethe_kit::text::{counted, or_dash, percent, thousands};
use lethe_kit::training::{CardSource, Limits, TrainView, Training};

use super::{build, input};
use crate::output::{Output, Report, bytes, seconds};
use crate::progress::{Bars, bar};
use crate::ranks::on_first;

/// Trains a blueprint: a strategy for whole hands, from the blinds to the river
///
/// First says how large the game is and what it takes. Checkpoints are written on the way, each in
/// place of the last; after a crash or Ctrl-C, `--resume` continues from there. The card abstraction
/// is built first if it does not exist.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(after_help = "Examples:
  lethe train --preset push-fold
  lethe train --preset quick --time 5m
  lethe train --preset quick --resume
  lethe train --config my.yaml --set game.stack=5000 --threads 4 --out runs/mine
  mpirun -n 4 lethe train --preset deep --threads 2    the same strategy, by four ranks

Presets: push-fold, quick, default, deep, slumbot-mb1b1. They are the commented files in
crates/kit/blueprints, a good start for your own. The result is read by lethe strategy,
exploitability, match, report and export.")]
pub(crate) struct Args {
    /// A configuration that comes with lethe [default: default]
    #[arg(long, value_name = "NAME", conflicts_with = "config")]
    pub(crate) preset: Option<String>,
    /// Your own configuration, in YAML
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Overrides a key of the configuration, such as game.stack=1500 or training.seed=7
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// The run: a path, or a name in the data directory [default: the name of the configuration]
    #[arg(long, value_name = "RUN")]
    pub(crate) out: Option<PathBuf>,
    /// Resume the run if it exists
    #[arg(long)]
    pub(crate) resume: bool,
    /// How long to train now, such as 90s, 10m or 8h [default: the configuration's]
    #[arg(long, value_name = "TIME", value_parser = limits::time)]
    pub(crate) time: Option<Duration>,
    /// Train until the run has this many iterations in all, such as 5000 or 20k
    #[arg(long, value_name = "N", value_parser = limits::count)]
    pub(crate) iterations: Option<u64>,
}

impl Args {
    /// What is to be trained.
    fn resolve(&self, out: &Output<'_>) -> anyhow::Result<Training> {
        let config = training_config(self.preset.as_deref(), self.config.as_deref(), &self.set)
            .map_err(lethe_kit::Error::from)?;
        let name = match &self.config {
            Some(file) => input::file_stem(file)?,
            None => self.preset.clone().unwrap_or_else(|| "default".to_owned()).into(),
        };
        let dir = out.data().run(self.out.as_ref().unwrap_or(&name));
        // Iterations alone are a limit too.
        let time = self.time.map(|time| time.as_secs_f64());
        let seconds = time.or(self.iterations.is_none().then_some(config.training.time));
        let limits = Limits { seconds, iterations: self.iterations };
        let mut training = Training::new(config, dir, limits)?;
        training.resume = self.resume;
        Ok(training)
    }
}

/// Trains what is asked for.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let view = perform(args, out)?;
    out.show(&view)
}

/// Trains, after saying what that takes.
pub(crate) fn perform(args: &Args, out: &mut Output<'_>) -> anyhow::Result<TrainView> {
    let training = args.resolve(out)?;
    if let CardSource::Build(build) = training.card_source(out.data())? {
        on_first(out, |out| build::perform(&build, out).map(drop))?;
    }
    let cards = training.open_cards(out.data())?;
    announce(&training, &cards, out)?;
    let (bars, pool) = (Bars::new(), out.pool()?);
    let mut line = Line::new(training.limits());
    let view =
        training.run_with(out.ranks(), cards, bars.job_on(&pool), &mut |point| line.show(point));
    line.bar.finish_and_clear();
    Ok(view?)
}

/// Says how large the game is, and refuses what does not fit.
fn announce(training: &Training, cards: &CardModel, out: &mut Output<'_>) -> anyhow::Result<()> {
    let ranks = out.ranks().size();
    let forecast = training.forecast(cards, out.threads(), ranks);
    let decisions: Vec<String> = forecast.decisions.values().map(|&n| thousands(n)).collect();
    out.note(format_args!(
        "{} decisions before the flop, on flop, turn and river; {} information sets, {} of memory, \
         {} on disk per checkpoint",
        decisions.join(" / "),
        thousands(forecast.information_sets),
        bytes(forecast.memory),
        bytes(forecast.disk),
    ))?;
    if let Some(rate) = forecast.iterations_per_second {
        out.note(format_args!(
            "about {} iterations per second on {}{}",
            thousands(rate as u64),
            counted(out.threads(), "thread"),
            if ranks > 1 { format!(" of each of {ranks} ranks") } else { String::new() }
        ))?;
    }
    Ok(training.check_memory(&forecast)?)
}

/// A line on standard error that shows how far training is.
struct Line {
    bar: indicatif::ProgressBar,
    limits: Limits,
    /// Seconds and iterations before this invocation.
    begun: Option<(f64, u64)>,
}

impl Line {
    fn new(limits: Limits) -> Line {
        let units = match limits {
            Limits { seconds: Some(seconds), .. } => (seconds * 1000.0) as u64,
            Limits { iterations, .. } => iterations.unwrap_or(u64::MAX),
        };
        let template = "training {wide_bar} {percent:>3} %  {elapsed} / {eta} left  {msg}";
        Line { bar: bar(units, template), limits, begun: None }
    }

    fn show(&mut self, point: &Metrics) {
        let &mut (begun, _) = self.begun.get_or_insert((point.seconds, point.iterations));
        match self.limits.seconds {
            Some(_) => self.bar.set_position(((point.seconds - begun) * 1000.0) as u64),
            None => self.bar.set_position(point.iterations),
        }
        let million = |rate: Option<f64>| rate.unwrap_or(0.0) / 1e6;
        let exploitability = |estimate: &Estimate| match estimate.kind {
            EstimateKind::Lbr => format!(", lower bound {:.0}", estimate.mbb),
            EstimateKind::Exact | EstimateKind::Flops => {
                format!(", exploitability {:.0}", estimate.mbb)
            }
        };
        self.bar.set_message(format!(
            "{} it, {:.0} it/s, {:.0} M hand-nodes/s{}",
            thousands(point.iterations),
            point.iterations_per_second.unwrap_or(0.0),
            million(point.visits_per_second),
            point.exploitability.as_ref().map_or_else(String::new, exploitability)
        ));
    }
}

impl Report for TrainView {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let run = self.run.display();
        writeln!(
            out,
            "{}{run}: {} iterations in {} of training, {} per second, {} M hand-node visits per second",
            if self.stopped { "stopped; " } else { "" },
            thousands(self.iterations),
            seconds(self.seconds),
            or_dash(self.iterations_per_second, |rate| format!("{rate:.0}")),
            or_dash(self.visits_per_second, |rate| format!("{:.1}", rate / 1e6)),
        )?;
        if let Some(regret) = self.average_regret_mbb {
            writeln!(out, "average regret in the abstract game: {regret:.1} mbb/hand")?;
        }
        if let Some(last) = &self.exploitability {
            let name = match last.kind {
                EstimateKind::Lbr => "lower bound on exploitability in real cards",
                EstimateKind::Exact | EstimateKind::Flops => "exploitability in real cards",
            };
            writeln!(out, "{name}: {}", estimate(last))?;
        }
        if let Some(values) = &self.values {
            writeln!(out, "what hands win with it: {}", values.display())?;
        }
        if let Some(shares) = &self.fallback {
            let share = |(street, share): (lethe_cards::Street, &f64)| {
                format!("{} of {street}s", percent(*share, 1))
            };
            let shares: Vec<String> = shares.iter().map(share).collect();
            writeln!(
                out,
                "hands without an entry in the sampled abstraction: {}",
                shares.join(", ")
            )?;
        }
        writeln!(
            out,
            "\n  lethe strategy {run}          the ranges before the flop\n  \
             lethe exploitability {run}    what a best response wins from it\n  \
             lethe report {run}            how training went\n  \
             lethe train … --resume        train on"
        )
    }
}
