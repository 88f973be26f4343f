//! `lethe solve`: the equilibrium of a postflop spot.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::ValueEnum;
use lethe_abstraction::Abstraction;
use lethe_compute::Job;
use lethe_kit::solution::{self, Limit, SolveOptions, SolveView};
use lethe_kit::spot::{SpotFile, add_lock, start_at};
use lethe_kit::{Error, limits};
use lethe_solver::{Buckets, Keep, Spot, Stop, StopReason};

use super::check_outputs;
use super::input::count_in;
use super::solving::{
    How, Watch, chips, ev_cells, ev_headings, explain, of, or_dash, percent, write_actions,
};
use crate::error::{InputError, stopped};
use crate::output::{Output, Report, seconds};
use crate::progress::Bars;

/// Solves a postflop spot: exact strategies for both players
///
/// Runs until the exploitability is below the target, or until the iterations or the time are used
/// up; Ctrl-C stops it with what was reached. Exploitability is exact: what best responses in real
/// cards gain on average over both players. Without rake, the bracket contains the value of the game
/// to OOP.
///
/// Bucketed players (--abstraction) cannot get below what their buckets cost: a solve also stops
/// when its exploitability no longer falls, and says what it reached.
///
/// EV is the share of the pot that a player takes home, in chips, and in big blinds where the spot
/// says how large these are; without rake both sum to the pot.
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
    #[arg(long, value_name = "PERCENT", value_parser = limits::percent)]
    target: Option<f64>,
    /// The most iterations
    #[arg(long, value_name = "N", value_parser = count_in(1, u32::MAX))]
    iterations: Option<u32>,
    /// The most time, such as 30s, 5m or 1h
    #[arg(long, value_name = "TIME", value_parser = limits::time)]
    time: Option<Duration>,
    #[command(flatten)]
    how: How,
    /// Both players see only the buckets of this abstraction: its directory, a name or a preset
    #[arg(long, value_name = "DIR")]
    abstraction: Option<PathBuf>,
    /// Fix what is played at a decision: LINE=STRATEGY
    ///
    /// LINE is the betting up to the decision, empty at the root, with the dealt cards after each /
    /// or without any for every board. STRATEGY is a list of actions with percentages, for the whole
    /// range ('x=bet 50 30%, check 70%'; actions without a percentage share the rest) or for some
    /// hands of it ('b50=AA,KQs: call; 72o: fold 90%, call'); other hands stay free.
    #[arg(long, value_name = "LINE=STRATEGY")]
    lock: Vec<String>,
    /// Start at the decision that this line leads to, with the ranges as they are
    #[arg(long, value_name = "LINE")]
    start: Option<String>,
    /// Save the solution for show and export: to this file, or under this name in the data directory
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Save without the strategies of this street and those after it; show solves them again
    #[arg(long, value_name = "STREET", requires = "save")]
    without: Option<Without>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Without {
    Turn,
    River,
}

impl Args {
    fn spot(&self, file: &SpotFile) -> Result<Spot, InputError> {
        let mut spot = file.spot().map_err(InputError::new)?;
        if let Some(start) = &self.start {
            spot = start_at(&spot, start).map_err(InputError::new)?;
        }
        let mut locks = self.lock.iter();
        locks.try_fold(spot, |spot, lock| add_lock(spot, lock).map_err(InputError::new))
    }

    fn options(&self, abstraction: Option<Abstraction>) -> SolveOptions {
        let unlimited = self.iterations.is_none() && self.time.is_none();
        let mut how = self.how.options(Stop {
            target: self.target.or(unlimited.then_some(limits::TARGET)),
            iterations: self.iterations,
            time: self.time,
            ..Stop::default()
        });
        if let Some(abstraction) = abstraction {
            let buckets: Arc<dyn Buckets> = Arc::new(abstraction);
            how.options.buckets = [Some(buckets.clone()), Some(buckets)];
        }
        how
    }

    fn keep(&self) -> Keep {
        match self.without {
            None => Keep::Everything,
            Some(Without::River) => Keep::ThroughTurn,
            Some(Without::Turn) => Keep::ThroughFlop,
        }
    }
}

impl Report for SolveView {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let reason = match self.stopped_by {
            StopReason::Target => "the target is reached",
            StopReason::Iterations => "all iterations are done",
            StopReason::Time => "the time is up",
            StopReason::Plateau => match self.limited_by {
                Some(Limit::Buckets) => {
                    "it gets no lower, since hands of one bucket are played alike"
                }
                _ => "it gets no lower, since numbers are rounded",
            },
            StopReason::Paused | StopReason::Cancelled => "stopped",
        };
        let values = &self.values;
        let reached = match (values.exploitability, values.exploitability_percent) {
            (Some(chips), Some(share)) => format!("{chips:.4} chips, {share:.4} % of the pot"),
            _ => "not measured".to_owned(),
        };
        let mut pairs = vec![
            ("exploitability", out.bold(reached)),
            ("iterations", format!("{} in {}; {reason}", self.iterations, seconds(self.seconds))),
        ];
        if let Some([low, high]) = self.bracket {
            pairs.push(("bracket", format!("{low:.4} to {high:.4} contains the value to oop")));
        }
        if let Some(file) = &self.saved {
            pairs.push(("saved", file.clone()));
        }
        out.pairs(&pairs)?;
        writeln!(out)?;
        if let (Some(ev), Some(equity)) = (&values.ev, &values.equity) {
            let row = |name: &str| {
                let (ev, equity) = (of(ev, name), of(equity, name));
                let realised = (equity > 0.0).then(|| ev / (equity * values.pot));
                let bb = values.ev_bb.as_ref().map(|bb| Some(of(bb, name)));
                let mut cells = vec![name.to_owned()];
                cells.extend(ev_cells(Some(ev), bb));
                cells.extend([percent(equity), or_dash(realised, percent)]);
                cells
            };
            let bb = values.ev_bb.is_some();
            let headings = ev_headings(&["player"], bb, &["equity", "realised"]);
            out.table(&headings, [row("oop"), row("ip")])?;
            writeln!(out)?;
        }
        writeln!(out, "{} to act, pot {}", self.player, chips(values.pot))?;
        write_actions(&self.actions, out)
    }
}

/// Solves and prints what came out.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let file = SpotFile::read(&args.spot).map_err(InputError::new)?;
    let abstraction = args.abstraction.as_ref().map(|dir| out.data().open_abstraction(dir));
    let abstraction = abstraction.transpose()?;
    let mut inputs = vec![args.spot.as_path()];
    inputs.extend(abstraction.as_ref().map(Abstraction::path));
    let save = args.save.as_ref().map(|file| out.data().solution(file));
    if save != args.save {
        fs::create_dir_all(out.data().solutions())?;
    }
    check_outputs(&[save.as_deref()], &inputs)?;
    let spot = args.spot(&file)?;
    if let Some(abstraction) = &abstraction {
        let (bars, pool) = (Bars::new(), out.pool()?);
        let verified = abstraction.verify_tables(bars.job_on(&pool)).map_err(Error::from);
        verified.map_err(stopped("nothing was solved"))?;
        bars.finish();
    }
    let how = args.options(abstraction);
    let watch = Watch::new(out)?;
    let solution = solution::solve(spot, &how, watch.job(), &mut watch.on_metrics(how.stop))
        .map_err(explain)?;
    // What was reached is shown and saved even if the solve was stopped.
    let job = Job::new(watch.pool());
    let mut view = SolveView::of(&solution);
    if let Some(path) = &save {
        solution.save(path, file.config(), args.keep(), job)?;
        view.saved = Some(path.display().to_string());
    }
    drop(watch);
    out.show(&view)
}
