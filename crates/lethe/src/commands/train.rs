//! `lethe train`: a blueprint, from the first hand to a strategy on disk.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lethe_abstraction::Abstraction;
use lethe_blueprint::{
    Buckets, CardModel, Estimate, Limits, Metrics, Opponent, Plan, Run, RunError, Sampling,
    TrainConfig, Training,
};
use lethe_cards::Street;
use lethe_compute::{Pool, Progress};
use lethe_game::{Counts, Game, Tree};
use lethe_kit::config::presets;
use serde::Serialize;

use super::artifact;
use super::build;
use super::training::config;
use crate::error::InputError;
use crate::output::{Output, Report, bytes, seconds, thousands};
use crate::progress::Bars;
use lethe_kit::limits;

/// Trains a blueprint: a strategy for whole hands, from the blinds to the river
///
/// Says first how large the game is and what it takes. Checkpoints are written as it goes, each in
/// place of the last; after a crash or Ctrl-C `--resume` goes on from there. The card abstraction
/// is built first if it is not there.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(after_help = "Examples:
  lethe train --preset push-fold --out runs/push-fold
  lethe train --preset quick --out runs/quick --time 5m
  lethe train --out runs/quick --preset quick --resume
  lethe train --config my.yaml --set game.stack=5000 --threads 4 --out runs/mine

Presets: push-fold, quick, default, deep; they are the commented files in blueprints/, from which to
write one's own. What comes out is read by lethe strategy, exploitability, match, report and export.")]
pub(crate) struct Args {
    /// A configuration that comes with lethe [default: default]
    #[arg(long, value_name = "NAME", conflicts_with = "config")]
    pub(crate) preset: Option<String>,
    /// A configuration of one's own, in YAML
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Overrides a key of the configuration, as game.stack=1500 or training.seed=7
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// The directory of the run [default: the preset's name in runs]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Go on with the run that is there; begin one if there is none
    #[arg(long)]
    pub(crate) resume: bool,
    /// How long to train now, such as 90s, 10m or 8h [default: the configuration's]
    #[arg(long, value_name = "TIME", value_parser = limits::time)]
    pub(crate) time: Option<Duration>,
    /// Train until the run has so many iterations in all
    #[arg(long, value_name = "N")]
    pub(crate) iterations: Option<u64>,
    /// Threads to use [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

/// What is to be trained, once the configuration is read.
#[derive(Debug)]
pub(crate) struct ResolvedArgs {
    pub(crate) config: TrainConfig,
    counts: Counts,
    pub(crate) out: PathBuf,
    resume: bool,
    limits: Limits,
    threads: usize,
}

impl Args {
    /// Reads the configuration.
    pub(crate) fn resolve(&self) -> Result<ResolvedArgs, InputError> {
        let config = config::read(self.preset.as_deref(), self.config.as_deref(), &self.set)?;
        let game = Game::hand(&config.game)
            .map_err(|error| InputError::new(format_args!("game: {error}")))?;
        let counts = game
            .counts(Tree::NODE_LIMIT)
            .map_err(|error| InputError::new(format_args!("game: {error}")))?;
        let name = match (&self.config, &self.preset) {
            (Some(file), _) => file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            (None, preset) => preset.clone().unwrap_or_else(|| "default".to_owned()),
        };
        // Iterations alone are a limit too.
        let time = self.time.map(|time| time.as_secs_f64());
        let seconds = time.or(self.iterations.is_none().then_some(config.training.time));
        Ok(ResolvedArgs {
            out: self.out.clone().unwrap_or_else(|| Path::new("runs").join(name)),
            resume: self.resume,
            limits: Limits { seconds, iterations: self.iterations },
            threads: self.threads.map_or_else(rayon::current_num_threads, usize::from),
            config,
            counts,
        })
    }
}

/// Trains what is asked for and tells of it.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let (summary, _) = perform(&args.resolve()?, out)?;
    out.show(&summary)
}

/// Trains what is ordered.
pub(crate) fn perform(
    order: &ResolvedArgs,
    out: &mut Output<'_>,
) -> anyhow::Result<(Summary, Run)> {
    let cards = cards(order, out)?;
    announce(order, &cards, out)?;
    let (bars, pool) = (Bars::new(), Pool::new(order.threads)?);
    let job = bars.job_on(&pool);
    let run = match order.resume {
        true => Run::resume(&order.out, &order.config, cards, job),
        false => Run::create(&order.out, &order.config, cards),
    };
    let mut run = run.map_err(explain)?;
    if run.header().iterations > 0 {
        let (iterations, spent) = (run.header().iterations, run.header().seconds);
        out.note(format_args!(
            "going on from {} iterations, {} of training",
            thousands(iterations.into()),
            seconds(spent)
        ))?;
    }
    let line = Line::new(order.limits, run.header().iterations);
    let mut last = Metrics::default();
    let begun = run.header().seconds;
    let trained = run.train(order.limits, job, &mut |point| {
        line.tell(point, begun);
        let (estimate, regret) = (last.exploitability, last.average_regret_mbb);
        last = point.clone();
        last.exploitability = last.exploitability.or(estimate);
        last.average_regret_mbb = last.average_regret_mbb.or(regret);
    });
    line.0.finish_and_clear();
    trained.map_err(explain)?;
    let header = run.header();
    let now = header.seconds - begun;
    let fallback = run.cards().abstraction().map(fallback);
    let summary = Summary {
        run: order.out.clone(),
        game_hash: header.game_hash.clone(),
        iterations: header.iterations,
        visits: header.visits,
        seconds: header.seconds,
        seconds_now: now,
        iterations_per_second: header.iterations as f64 / header.seconds.max(1e-9),
        visits_per_second: header.visits as f64 / header.seconds.max(1e-9),
        average_regret_mbb: last.average_regret_mbb,
        exploitability: last.exploitability,
        fallback: fallback.flatten(),
        stopped: bars.cancelled(),
    };
    Ok((summary, run))
}

/// The buckets that the configuration names; built if they are a preset that is not there.
fn cards(order: &ResolvedArgs, out: &mut Output<'_>) -> anyhow::Result<CardModel> {
    let bets = |street| order.counts.of(street).decisions > 0;
    if !Street::POSTFLOP.into_iter().any(bets) {
        return Ok(CardModel::Blank);
    }
    let Some(name) = &order.config.abstraction else {
        return Err(InputError::new(
            "the key abstraction is missing: name a preset of `lethe build` or a directory",
        )
        .into());
    };
    if presets().iter().any(|preset| preset.name == *name) {
        let args = build::Args { preset: Some(name.clone()), ..build::Args::default() };
        let built = build::perform(&args.resolve()?, out)?;
        return Ok(CardModel::Abstraction(Box::new(Abstraction::open(&built.path)?)));
    }
    Ok(CardModel::Abstraction(Box::new(artifact::open(Path::new(name))?)))
}

/// How often a sampled abstraction had no entry for a hand.
fn fallback(abstraction: &Abstraction) -> Option<[f64; 3]> {
    let share = |street| Some(abstraction.report(street)?.quality.fallback);
    let shares = [share(Street::Flop)?, share(Street::Turn)?, share(Street::River)?];
    shares.iter().any(|&share| share > 0.0).then_some(shares)
}

/// Says how large the game is, and refuses what does not fit.
fn announce(order: &ResolvedArgs, cards: &CardModel, out: &mut Output<'_>) -> anyhow::Result<()> {
    let buckets = Street::POSTFLOP.map(|street| cards.count(street));
    let cells = Plan::count_cells(&order.counts, buckets);
    let opponent = order.config.training.opponent;
    let adversary = opponent.count_cells(&order.counts, buckets);
    let disk = cells.saturating_mul(8).saturating_add(adversary.saturating_mul(4));
    let workers = opponent.worker_bytes(&order.counts).saturating_mul(order.threads as u64);
    let nodes = order.counts.nodes().saturating_mul(120);
    let memory = disk.saturating_add(nodes).saturating_add(workers);
    let decisions = Street::ALL.map(|street| order.counts.of(street).decisions);
    let [preflop, flop, turn, river] = decisions.map(|count| thousands(count.into()));
    let sets = order.counts.information_sets([
        169,
        buckets[0] as u64,
        buckets[1] as u64,
        buckets[2] as u64,
    ]);
    out.note(format_args!(
        "{preflop} / {flop} / {turn} / {river} decisions before the flop, on flop, turn and river; \
         {} information sets, {} of memory, {} on disk a checkpoint",
        thousands(sets.into()),
        bytes(memory),
        bytes(disk),
    ))?;
    if let Some(rate) = rate(order, &decisions) {
        out.note(format_args!(
            "about {} iterations a second on {} thread{}",
            thousands(rate as u128),
            order.threads,
            if order.threads == 1 { "" } else { "s" }
        ))?;
    }
    match limits::free_memory() {
        Some(free) if memory > free => Err(InputError::new(format_args!(
            "training takes {} of memory and {} are free: lower the buckets of the abstraction, \
             game.bet_sizes or max_raises, or raise game.force_allin_threshold",
            bytes(memory),
            bytes(free)
        ))
        .into()),
        _ => Ok(()),
    }
}

/// About how many iterations a second there will be, from figures of a 3 GHz core.
fn rate(order: &ResolvedArgs, decisions: &[u64; 4]) -> Option<f64> {
    let all: u64 = decisions.iter().sum();
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(order.threads);
    let Training { sampling, opponent, .. } = order.config.training;
    let walks = if opponent == Opponent::Adversary { 4.0 } else { 2.0 };
    let seconds = match sampling {
        _ if decisions[1..] == [0; 3] => return None,
        Sampling::Public => all as f64 * walks * 1081.0 / 125e6,
        // An iteration visits about the square root of the tree for each player.
        Sampling::External => 2e-6 + (all as f64).sqrt() * 2.5e-7,
    };
    Some(cores as f64 / seconds)
}

/// A run's error as the user should see it.
fn explain(error: RunError) -> anyhow::Error {
    match error {
        RunError::Exists { dir } => InputError::new(format_args!(
            "{}: contains a run already; --resume resumes it, another --out starts a new one",
            dir.display()
        ))
        .into(),
        RunError::Other { dir, what } => InputError::new(format_args!(
            "{}: the run there was trained with another {what}; resume it with the configuration it \
             was started with, or start a new one with another --out",
            dir.display()
        ))
        .into(),
        RunError::Config(_)
        | RunError::Actions { .. }
        | RunError::Game(_)
        | RunError::Tree(_) => InputError::new(error).into(),
        error => error.into(),
    }
}

/// A line on standard error that is written over and over; nothing if it is no terminal.
struct Line(ProgressBar, Limits);

impl Line {
    fn new(limits: Limits, done: u64) -> Line {
        let target = if io::stderr().is_terminal() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let units = match limits {
            Limits { seconds: Some(seconds), .. } => (seconds * 1000.0) as u64,
            Limits { iterations, .. } => iterations.unwrap_or(u64::MAX).saturating_sub(done),
        };
        let bar = ProgressBar::with_draw_target(Some(units), target);
        let template = "training {wide_bar} {percent:>3} %  {elapsed} / {eta} left  {msg}";
        let style = ProgressStyle::with_template(template)
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("━╸ ");
        bar.set_style(style);
        bar.enable_steady_tick(Duration::from_millis(200));
        Line(bar, limits)
    }

    fn tell(&self, point: &Metrics, begun: f64) {
        match self.1.seconds {
            Some(_) => self.0.set_position(((point.seconds - begun) * 1000.0) as u64),
            None => self.0.set_position(point.iterations),
        }
        let million = |rate: Option<f64>| rate.unwrap_or(0.0) / 1e6;
        let mut text = format!(
            "{} it, {:.0} it/s, {:.0} M nodes/s, {:.2} M hands/s",
            thousands(point.iterations.into()),
            point.iterations_per_second.unwrap_or(0.0),
            million(point.visits_per_second),
            million(point.hands_per_second),
        );
        if let Some(estimate) = point.exploitability {
            text += &format!(", exploitability {}", estimated(&estimate));
        }
        self.0.set_message(text);
    }
}

/// An estimate of exploitability for people.
pub(crate) fn estimated(estimate: &Estimate) -> String {
    let Estimate { mbb, interval_mbb, .. } = *estimate;
    let how = match estimate.flops {
        Some(flops) if interval_mbb > 0.0 => format!(" ± {interval_mbb:.0} ({flops} flops)"),
        _ if interval_mbb > 0.0 => format!(" ± {interval_mbb:.0} ({})", estimate.kind.name()),
        _ => String::new(),
    };
    format!("{mbb:.1}{how} mbb/hand")
}

/// What was trained.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    pub(crate) run: PathBuf,
    game_hash: String,
    pub(crate) iterations: u64,
    visits: u64,
    /// Of all invocations.
    pub(crate) seconds: f64,
    /// Of this one.
    seconds_now: f64,
    iterations_per_second: f64,
    pub(crate) visits_per_second: f64,
    average_regret_mbb: Option<f64>,
    exploitability: Option<Estimate>,
    /// Of a sampled abstraction: the share of hands on flop, turn and river that have no entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    fallback: Option<[f64; 3]>,
    stopped: bool,
}

impl Report for Summary {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let dir = self.run.display();
        writeln!(
            out,
            "{}{dir}: {} iterations in {} of training, {:.0} a second, {:.1} M node visits a second",
            if self.stopped { "stopped; " } else { "" },
            thousands(self.iterations.into()),
            seconds(self.seconds),
            self.iterations_per_second,
            self.visits_per_second / 1e6,
        )?;
        if let Some(regret) = self.average_regret_mbb {
            writeln!(out, "average regret in the game that is trained: {regret:.1} mbb/hand")?;
        }
        if let Some(estimate) = &self.exploitability {
            writeln!(out, "exploitability in real cards: {}", estimated(estimate))?;
        }
        if let Some([flop, turn, river]) = self.fallback.map(|shares| shares.map(|x| 100.0 * x)) {
            writeln!(
                out,
                "hands without an entry in the sampled abstraction: {flop:.1} % of flops, {turn:.1} % of turns, {river:.1} % of rivers"
            )?;
        }
        writeln!(
            out,
            "\n  lethe strategy {dir}          the ranges before the flop\n  \
             lethe exploitability {dir}    what a best response wins from it\n  \
             lethe report {dir}            how training went\n  \
             lethe train … --resume        go on"
        )
    }
}
