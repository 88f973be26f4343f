//! `lethe acpc`: a player in matches of the Annual Computer Poker Competition.

use std::io::{self, BufReader, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use lethe_agent::AgentError;
use lethe_game::Chips;
use lethe_kit::report::interval;
use lethe_kit::text::thousands;
use lethe_play::{MatchSummary, PlayedHand, game_definition, play_scored, write_hands};

use super::agents::{AgentArgs, unanswered, with_agent};
use super::training::{self, BLUEPRINT_HELP};
use super::{check_outputs, write_file};
use crate::error::{InputError, Stopped};
use crate::output::{Output, Report, seconds};

/// Plays in a match of the Annual Computer Poker Competition, by its protocol 2.0.0
///
/// Connects to a dealer, such as the competition's own, and plays until the dealer ends the match. The
/// dealer's game must be the run's: --game prints it as a file for the dealer. Bets of any size are
/// understood.
///
/// Prints what was won, raw and with the luck of our own cards and choices removed where values are stored
/// (`lethe values`). A line that is no state of a legal hand, a dealer that hangs up in the middle of a
/// hand or a connection that breaks end it with exit code 1; finished hands are saved first.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe acpc quick --game
  lethe acpc quick localhost 18791
  lethe acpc quick localhost 18791 --iterations 40 --phh match.phhs")]
pub(crate) struct Args {
    #[arg(value_name = "RUN", help = BLUEPRINT_HELP)]
    blueprint: PathBuf,
    /// The dealer's host
    #[arg(value_name = "HOST", required_unless_present = "game")]
    host: Option<String>,
    /// The port that the dealer has for this player
    #[arg(value_name = "PORT", required_unless_present = "game")]
    port: Option<u16>,
    /// Print the game definition that the dealer needs, and end
    #[arg(long, conflicts_with_all = ["host", "port"])]
    game: bool,
    /// The stack of the dealer's game, in chips [default: that of the blueprint]
    #[arg(long, value_name = "CHIPS")]
    stack: Option<Chips>,
    /// Save the finished hands, as PHH
    #[arg(long, value_name = "FILE", conflicts_with = "game")]
    phh: Option<PathBuf>,
    /// What choices are drawn by
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    agent: AgentArgs,
}

/// Plays a match.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let blueprint = training::open(&args.blueprint, args.agent.checkpoint, out)?;
    let config = &blueprint.header().config.game;
    let stack = args.stack.unwrap_or(config.stack);
    let rules = PlayedHand {
        ante: config.ante,
        ..PlayedHand::new(0, [stack; 2], config.small_blind, config.big_blind)
    };
    rules.game().map_err(InputError::new)?;
    if stack > config.stack {
        let most = config.stack;
        return Err(unanswered(AgentError::TooDeep { stack, most }));
    }
    if args.game {
        let why = "the run's game has an ante, which dealers of the competition do not know";
        let text = game_definition(&rules).ok_or_else(|| InputError::new(why))?;
        return Ok(write!(out, "{text}")?);
    }
    let (Some(host), Some(port)) = (&args.host, args.port) else {
        unreachable!("clap asks for both")
    };
    check_outputs(&[args.phh.as_deref()], &[&args.blueprint])?;
    with_agent(&blueprint, args.agent.config(args.seed), out, |agent, baseline, job, out| {
        let stream = TcpStream::connect((host.as_str(), port));
        let stream =
            stream.with_context(|| format!("{host}:{port}: cannot connect to a dealer"))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_millis(200)))?;
        let (mut from, mut to) = (BufReader::new(stream.try_clone()?), stream);
        let (hands, ended) = play_scored(&mut from, &mut to, &rules, agent, baseline, job.silent());
        if let Some(file) = &args.phh {
            write_file(file, &write_hands(&hands, 1)?)?;
        }
        match ended {
            Err(error) if error.is_cancelled() => Err(Stopped("the match was not finished").into()),
            ended => out.show(&ended.with_context(|| format!("{host}:{port}"))?),
        }
    })
}

impl Report for MatchSummary {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let raw = interval(self.score.raw.mbb, self.score.raw.interval_mbb);
        writeln!(out, "{} hands, {raw} mbb/hand", thousands(self.score.hands))?;
        if let Some(less) = self.score.luck_removed {
            let mean = interval(less.mbb, less.interval_mbb);
            writeln!(out, "with luck removed {mean} mbb/hand")?;
        }
        let longest = seconds(self.longest_seconds);
        writeln!(
            out,
            "{} per hand, {longest} for the longest decision",
            seconds(self.seconds_per_hand)
        )
    }
}
