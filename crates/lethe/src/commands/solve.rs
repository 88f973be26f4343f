//! `lethe solve`: the equilibrium of a postflop spot.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::ValueEnum;
use lethe_compute::{Job, Pool, PoolError};
use lethe_solver::{
    Buckets, Keep, Options, Precision, Rule, Solution, Solver, Spot, Stop, StopReason,
};
use serde::Serialize;

use super::solving::buckets::Stored;
use super::solving::spot_file::SpotFile;
use super::solving::{Both, Share, chips, limits, line, locks, or_dash, percent, run, saved};
use super::{artifact, solving};
use crate::error::InputError;
use crate::output::{Output, Report, seconds};
use crate::progress::Bars;

/// Solves a postflop spot: exact strategies for both players
///
/// Runs until the exploitability is below the target, or until the iterations or the time are used
/// up; Ctrl-C stops it with what was reached. Exploitability is exact: what two best responses in
/// real cards win beyond the solution, halved. The value bracket holds the game's true value to OOP
/// and is told only without rake.
///
/// EV is the share of the pot that a player takes home, in chips; both sum to the pot where there
/// is no rake.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe solve spots/toy-river.yaml
  lethe solve spots/3bet-QsJh2h.yaml --target 0.3% --save qjh.lethe
  lethe solve spots/srp-turn.yaml --time 30s --precision i16 --json
  lethe solve spots/srp-turn.yaml --lock 'x=check' --start x
  lethe solve spots/srp-turn.yaml --abstraction default")]
pub(crate) struct Args {
    /// The spot file
    #[arg(value_name = "SPOT")]
    spot: PathBuf,
    /// The exploitability to reach, in percent of the pot [default: 0.1% without another limit]
    #[arg(long, value_name = "PERCENT", value_parser = limits::target)]
    target: Option<f64>,
    /// The most iterations
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    iterations: Option<u32>,
    /// The most time, such as 30s, 5m or 1h
    #[arg(long, value_name = "TIME", value_parser = limits::time)]
    time: Option<Duration>,
    #[command(flatten)]
    how: How,
    /// Both players tell hands apart only by the buckets of this abstraction: its directory, a
    /// name or a preset
    #[arg(long, value_name = "DIR")]
    abstraction: Option<PathBuf>,
    /// Play this at a decision, whatever is best there: LINE=STRATEGY
    #[arg(long, value_name = "LINE=STRATEGY", long_help = locks::HELP)]
    lock: Vec<String>,
    /// Start at the decision that this line leads to, with the ranges as they are
    #[arg(long, value_name = "LINE")]
    start: Option<String>,
    /// Save the solution to this file, for show and export
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Save without the strategies of this street and those after it; show solves them again
    #[arg(long, value_name = "STREET", requires = "save")]
    without: Option<Without>,
}

/// How to solve, whatever the spot.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct How {
    /// The threads to use; left out: all cores. Results do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// How regrets and strategies are stored; i16 takes half the memory
    #[arg(long, value_name = "TYPE", default_value = "f32")]
    precision: Numbers,
    /// The variant of counterfactual regret minimization
    #[arg(long, value_name = "NAME", default_value = "dcfr")]
    rule: Variant,
    /// The most memory, such as 8G; left out: what the machine has free
    #[arg(long, value_name = "SIZE", value_parser = limits::memory)]
    memory: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Numbers {
    F32,
    I16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Variant {
    /// Discounted CFR
    Dcfr,
    /// CFR+
    #[value(name = "cfr+", alias = "plus")]
    Plus,
    /// Linear CFR
    Linear,
    /// Predictive discounted CFR+
    Predictive,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Without {
    Turn,
    River,
}

impl How {
    /// The threads asked for; none for the process-wide pool.
    pub(crate) fn pool(&self) -> Result<Option<Pool>, PoolError> {
        self.threads.map(|threads| Pool::new(threads.into())).transpose()
    }

    /// The options of a solver.
    pub(crate) fn options(&self) -> Options {
        Options {
            rule: match self.rule {
                Variant::Dcfr => Rule::default(),
                Variant::Plus => Rule::Plus,
                Variant::Linear => Rule::Linear,
                Variant::Predictive => Rule::PDCFR_PLUS,
            },
            precision: match self.precision {
                Numbers::F32 => Precision::F32,
                Numbers::I16 => Precision::I16,
            },
            memory_limit: self.memory.or_else(limits::free_memory),
            ..Options::default()
        }
    }
}

impl Args {
    fn spot(&self, file: &SpotFile) -> Result<Spot, InputError> {
        let mut spot = file.spot()?;
        if let Some(start) = &self.start {
            spot = line::start_at(&spot, start)?;
        }
        self.lock.iter().try_fold(spot, |spot, lock| locks::apply(spot, lock))
    }

    fn options(&self) -> anyhow::Result<Options> {
        let mut options = self.how.options();
        if let Some(dir) = &self.abstraction {
            let stored: Arc<dyn Buckets> = Arc::new(Stored(artifact::open(dir)?));
            options.buckets = [Some(stored.clone()), Some(stored)];
        }
        Ok(options)
    }

    fn stop(&self) -> Stop {
        let unlimited = self.iterations.is_none() && self.time.is_none();
        Stop {
            target: self.target.or(unlimited.then_some(run::TARGET)),
            iterations: self.iterations,
            time: self.time,
        }
    }

    fn keep(&self) -> Keep {
        match self.without {
            None => Keep::Everything,
            Some(Without::River) => Keep::ThroughTurn,
            Some(Without::Turn) => Keep::ThroughFlop,
        }
    }
}

/// How a solve ended.
#[derive(Debug, Serialize)]
struct Answer {
    board: String,
    pot: f64,
    iterations: u32,
    seconds: f64,
    stopped_by: StopReason,
    /// None where the solve was stopped before it was measured.
    exploitability: Option<f64>,
    exploitability_percent: Option<f64>,
    ev: Option<Both<f64>>,
    equity: Option<Both<f64>>,
    /// Where the game's value to OOP provably lies; none with rake.
    bracket: Option<[f64; 2]>,
    player: &'static str,
    root: Vec<Share>,
    #[serde(skip_serializing_if = "Option::is_none")]
    saved: Option<String>,
}

impl Answer {
    fn of(solution: &Solution) -> Answer {
        let (report, pot) = (solution.report(), solution.spot().pot());
        // Rounding can leave it a hair below zero.
        let exploitability = report.exploitability.map(|chips| chips.max(0.0));
        let root = solution.root();
        Answer {
            board: solution.spot().board().to_string(),
            pot,
            iterations: report.iterations,
            seconds: report.elapsed.as_secs_f64(),
            stopped_by: report.reason,
            exploitability,
            exploitability_percent: exploitability.map(|chips| 100.0 * chips / pot),
            ev: report.evaluation.map(|found| found.ev.into()),
            equity: report.evaluation.map(|found| found.equity.into()),
            bracket: report.evaluation.and_then(|found| found.bracket),
            player: root.player().map_or("", |player| player.name()),
            root: solving::shares(root.actions(), root.frequencies().as_deref()),
            saved: None,
        }
    }
}

impl Report for Answer {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let reason = match self.stopped_by {
            StopReason::Target => "the target is reached",
            StopReason::Iterations => "all iterations are done",
            StopReason::Time => "the time is up",
            StopReason::Cancelled => "stopped",
        };
        let reached = match (self.exploitability, self.exploitability_percent) {
            (Some(chips), Some(share)) => format!("{chips:.4} chips, {share:.4} % of the pot"),
            _ => "not measured".to_owned(),
        };
        let mut pairs = vec![
            ("exploitability", out.bold(reached)),
            ("iterations", format!("{} in {}; {reason}", self.iterations, seconds(self.seconds))),
        ];
        if let Some([low, high]) = self.bracket {
            let text = format!("{low:.4} to {high:.4}, where the value to oop provably lies");
            pairs.push(("bracket", text));
        }
        if let Some(file) = &self.saved {
            pairs.push(("saved", file.clone()));
        }
        out.pairs(&pairs)?;
        writeln!(out)?;
        let row = |name: &str, ev: f64, equity: f64| {
            let realised = (equity > 0.0).then(|| ev / (equity * self.pot));
            vec![name.to_owned(), format!("{ev:.3}"), percent(equity), or_dash(realised, percent)]
        };
        if let (Some(ev), Some(equity)) = (&self.ev, &self.equity) {
            let rows = [row("oop", ev.oop, equity.oop), row("ip", ev.ip, equity.ip)];
            out.table(&["player", "EV", "equity", "realised"], &rows)?;
            writeln!(out)?;
        }
        writeln!(out, "{} to act, pot {}", self.player, chips(self.pot))?;
        let rows = self
            .root
            .iter()
            .map(|share| vec![share.action.clone(), or_dash(share.frequency, percent)]);
        out.table(&["action", "frequency"], &rows.collect::<Vec<_>>())
    }
}

/// Solves and prints what came out.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let file = SpotFile::read(&args.spot)?;
    let (spot, options) = (args.spot(&file)?, args.options()?);
    if let Some(path) = &args.save {
        saved::check_target(path)?;
    }
    let (pool, bars) = (args.how.pool()?, Bars::new());
    let pool = pool.as_ref().unwrap_or(Pool::global());
    let mut solver = Solver::new(spot, options, bars.job_on(pool)).map_err(run::explain)?;
    run::run(&mut solver, &args.stop(), bars.job_on(pool));
    let solution = solver.into_solution();
    let mut answer = Answer::of(&solution);
    if let Some(path) = &args.save {
        // What was reached is saved even if the solve was stopped.
        saved::save(&solution, path, &file.config(), args.keep(), Job::new(pool))?;
        answer.saved = Some(path.display().to_string());
    }
    out.show(&answer)
}
