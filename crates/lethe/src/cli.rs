//! The command line: the options of every command and the list of commands.

use std::path::PathBuf;

use clap::{Args, ColorChoice, Parser, Subcommand};

use crate::commands::{
    acpc, advise, bench, boards, build, canon, cluster_flops, completions, diff, equity,
    equity_tables, evaluate, exploitability, export, inspect, lab, list, lookup, man, match_play,
    merge, play, quickstart, rank, report, review, serve, show, solve, strategy, sweep, train,
    tree, values, verify,
};
use crate::output::Output;

/// Everything that can be typed after `lethe`.
#[derive(Parser)]
#[command(
    name = "lethe",
    version,
    about = "Exact answers about no-limit Texas hold'em",
    long_about = "Exact answers about no-limit Texas hold'em: card abstractions of every flop, turn \
                  and river, blueprints of whole hands, solutions of postflop spots, equities, \
                  canonical forms and hand ranks. Nothing is sampled unless a command says so.",
    after_help = "Examples:
  lethe quickstart                     train a small blueprint in a minute
  lethe serve                          the explorer, in the browser
  lethe solve spots/toy-river.yaml     the equilibrium of a spot, and how close it is
  lethe show spots/srp-turn.yaml x     ranges, strategies and values after a line
  lethe train --preset quick           train a blueprint
  lethe strategy quick r250            what it does after a raise
  lethe play quick                     play against it
  lethe build                          build the default abstraction
  lethe lookup default AsKs Th9h8c     the bucket of a hand
  lethe equity AsKs Th9h8c             equity on a flop, with the histogram of turns
  lethe equity AA --against QQ+,AKs    a range against a range before the flop
  lethe lab                            what abstractions lose in the real game

Cards are written As, Td or 10d, 9♥; ranges as players do: 22+, A5s-A2s, KTo+, AK:0.5, random.
Abstractions, runs and solutions are kept in the data directory and found there by name: --data, or
LETHE_DATA, or ./data if it contains abstractions, or else the user's data directory.
Exit codes: 0 success, 1 failure, 2 bad input; stopped by Ctrl-C 130, by SIGTERM 143, by SIGHUP 129.",
    max_term_width = 100
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) globals: Globals,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// The options of every command.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Globals {
    /// Write the result as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to colour the text; auto: on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
    /// The directory of abstractions, runs and solutions [default: see lethe --help]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Threads to use [default: all cores]
    #[arg(long, global = true, value_name = "N",
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

/// What to do.
///
/// A new command is a file in `commands`, a variant here and an arm in [`Command::run`].
#[derive(Subcommand)]
pub(crate) enum Command {
    Quickstart(quickstart::Args),
    Serve(serve::Args),
    Solve(solve::Args),
    Show(show::Args),
    Sweep(sweep::Args),
    Merge(merge::Args),
    Tree(tree::Args),
    Evaluate(evaluate::Args),
    Train(train::Args),
    Strategy(strategy::Args),
    Values(values::Args),
    Exploitability(exploitability::Args),
    Match(match_play::Args),
    Advise(advise::Args),
    Play(play::Args),
    Acpc(acpc::Args),
    Review(review::Args),
    Report(report::Args),
    Export(export::Args),
    Build(build::Args),
    Lookup(lookup::Args),
    Inspect(inspect::Args),
    Diff(diff::Args),
    List(list::Args),
    Verify(verify::Args),
    EquityTables(equity_tables::Args),
    ClusterFlops(cluster_flops::Args),
    Equity(equity::Args),
    Canon(canon::Args),
    Boards(boards::Args),
    Rank(rank::Args),
    Lab(lab::Args),
    Bench(bench::Args),
    Completions(completions::Args),
    Man(man::Args),
}

impl Command {
    /// Whether several ranks can share its work.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(
            self,
            Command::Train(_) | Command::Sweep(_) | Command::Lab(_) | Command::Exploitability(_)
        )
    }

    /// Runs it.
    pub(crate) fn run(self, out: &mut Output<'_>) -> anyhow::Result<()> {
        match self {
            Command::Quickstart(args) => quickstart::run(&args, out),
            Command::Serve(args) => serve::run(&args, out),
            Command::Sweep(args) => sweep::run(&args, out),
            Command::Merge(args) => merge::run(&args, out),
            Command::Build(args) => build::run(&args, out),
            Command::Lookup(args) => lookup::run(&args, out),
            Command::Inspect(args) => inspect::run(&args, out),
            Command::Diff(args) => diff::run(&args, out),
            Command::List(args) => list::run(&args, out),
            Command::Verify(args) => verify::run(&args, out),
            Command::EquityTables(args) => equity_tables::run(&args, out),
            Command::ClusterFlops(args) => cluster_flops::run(&args, out),
            Command::Bench(args) => bench::run(&args, out),
            Command::Solve(args) => solve::run(&args, out),
            Command::Show(args) => show::run(&args, out),
            Command::Strategy(args) => strategy::run(&args, out),
            Command::Values(args) => values::run(&args, out),
            Command::Export(args) => export::run(&args, out),
            Command::Report(args) => report::run(&args, out),
            Command::Tree(args) => tree::run(&args, out),
            Command::Evaluate(args) => evaluate::run(&args, out),
            Command::Lab(args) => lab::run(&args, out),
            Command::Train(args) => train::run(&args, out),
            Command::Exploitability(args) => exploitability::run(&args, out),
            Command::Match(args) => match_play::run(&args, out),
            Command::Advise(args) => advise::run(&args, out),
            Command::Play(args) => play::run(&args, out),
            Command::Acpc(args) => acpc::run(&args, out),
            Command::Review(args) => review::run(&args, out),
            Command::Equity(args) => equity::run(&args, out),
            Command::Canon(args) => canon::run(&args, out),
            Command::Boards(args) => boards::run(&args, out),
            Command::Rank(args) => rank::run(&args, out),
            Command::Completions(args) => completions::run(&args, out),
            Command::Man(args) => man::run(&args, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
