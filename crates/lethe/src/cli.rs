//! The command line: the options of every command and the list of commands.

use std::path::PathBuf;

use clap::{Args, ColorChoice, Parser, Subcommand};

use crate::commands::{
    bench, boards, build, canon, completions, diff, equity, equity_tables, evaluate,
    exploitability, export, inspect, lab, list, lookup, man, match_play, quickstart, rank, report,
    show, solve, strategy, train, tree, verify,
};
use crate::output::Output;

/// Everything that can be typed after `lethe`.
#[derive(Parser)]
#[command(
    name = "lethe",
    version,
    about = "Exact answers about no-limit Texas hold'em",
    long_about = "Exact answers about no-limit Texas hold'em: abstractions of every flop, turn and \
                  river, solutions of postflop spots, equities, canonical boards and situations, \
                  the ranks of hands. Nothing is sampled unless asked for and nothing is rounded \
                  before it is printed.",
    after_help = "Examples:
  lethe quickstart                     a first abstraction and a look at it
  lethe build --preset blueprint       another one; its name tells what it is
  lethe lookup default AsKs Th9h8c     the bucket of a hand
  lethe solve spots/toy-river.yaml     the equilibrium of a spot, and how near it is
  lethe show spots/srp-turn.yaml x     ranges, strategies and values after a line
  lethe lab                            what abstractions lose in the real game
  lethe equity AsKs Th9h8c             equity on a flop, with the histogram of turns
  lethe equity AA --against QQ+,AKs    a range against a range before the flop
  lethe canon AhKh Th9h8c              the situation up to the names of the suits
  lethe boards flop --json | head -1   the canonical flops, one a line
  lethe rank AsAdKhKc2s7d3h TsTdTh2c2d

Cards are written As, Td or 10d, 9♥; ranges as players do: 22+, A5s-A2s, KTo+, AK:0.5, random.
Exit codes: 0 fine, 1 failure, 2 bad usage or input, 130 stopped by Ctrl-C.",
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
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Globals {
    /// Write the result as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to colour the text; auto: on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
    /// The data directory [default: LETHE_DATA, ./data if it has abstractions, or the user's]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Threads to use [default: all cores]; results do not depend on it
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
    Build(build::Args),
    Lookup(lookup::Args),
    Inspect(inspect::Args),
    Diff(diff::Args),
    List(list::Args),
    Verify(verify::Args),
    EquityTables(equity_tables::Args),
    Bench(bench::Args),
    Solve(solve::Args),
    Show(show::Args),
    Strategy(strategy::Args),
    Export(export::Args),
    Report(report::Args),
    Tree(tree::Args),
    Evaluate(evaluate::Args),
    Lab(lab::Args),
    Train(train::Args),
    Exploitability(exploitability::Args),
    Match(match_play::Args),
    Equity(equity::Args),
    Canon(canon::Args),
    Boards(boards::Args),
    Rank(rank::Args),
    Completions(completions::Args),
    Man(man::Args),
}

impl Command {
    /// Does it.
    pub(crate) fn run(self, out: &mut Output<'_>) -> anyhow::Result<()> {
        match self {
            Command::Quickstart(args) => quickstart::run(&args, out),
            Command::Build(args) => build::run(&args, out),
            Command::Lookup(args) => lookup::run(&args, out),
            Command::Inspect(args) => inspect::run(&args, out),
            Command::Diff(args) => diff::run(&args, out),
            Command::List(args) => list::run(&args, out),
            Command::Verify(args) => verify::run(&args, out),
            Command::EquityTables(args) => equity_tables::run(&args, out),
            Command::Bench(args) => bench::run(&args, out),
            Command::Solve(args) => solve::run(&args, out),
            Command::Show(args) => show::run(&args, out),
            Command::Strategy(args) => strategy::run(&args, out),
            Command::Export(args) => export::run(&args, out),
            Command::Report(args) => report::run(&args, out),
            Command::Tree(args) => tree::run(&args, out),
            Command::Evaluate(args) => evaluate::run(&args, out),
            Command::Lab(args) => lab::run(&args, out),
            Command::Train(args) => train::run(&args, out),
            Command::Exploitability(args) => exploitability::run(&args, out),
            Command::Match(args) => match_play::run(&args, out),
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
