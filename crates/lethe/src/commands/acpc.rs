//! `lethe acpc`: a player in matches of the Annual Computer Poker Competition.

use std::io::{self, BufReader, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use lethe_agent::{Agent, AgentConfig};
use lethe_game::Chips;
use lethe_kit::Error;
use lethe_kit::report::interval;
use lethe_kit::text::thousands;
use lethe_play::{
    Baseline, MatchHand, MatchSummary, PlayedHand, ScoreTally, View, game_definition, play_match,
};

use super::agents::{AgentArgs, unanswered};
use super::exploitability::verified;
use super::training::{self, BLUEPRINT_HELP};
use crate::error::{InputError, Stopped};
use crate::output::{Output, Report, seconds};
use crate::progress::Bars;

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
  lethe acpc quick localhost 18791 …
  lethe acpc quick localhost 18791 --iterations 40 …")]
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
        return Err(unanswered(lethe_agent::AgentError::TooDeep { stack, most }));
    }
    if args.game {
        let why = "the run's game has an ante, which dealers of the competition do not know";
        let text = game_definition(&rules).ok_or_else(|| InputError::new(why))?;
        return Ok(write!(out, "{text}")?);
    }
    let (Some(host), Some(port)) = (&args.host, args.port) else {
        unreachable!("clap asks for both")
    };
    let verified = verified(&blueprint, out)?;
    let values = blueprint.values().map_err(Error::from)?;
    let baseline = values.as_ref().map(|v| Baseline::new(verified.plan(), &verified, v));
    let config = AgentConfig { values: false, ..args.agent.config(args.seed) };
    let agent = Agent::new(&verified, config);
    let (bars, pool) = (Bars::new(), out.pool()?);
    let job = bars.job_on(&pool);
    let stream = TcpStream::connect((host.as_str(), port));
    let stream = stream.with_context(|| format!("{host}:{port}: cannot connect to a dealer"))?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(Duration::from_millis(200)))?;
    let (mut from, mut to) = (BufReader::new(stream.try_clone()?), stream);
    let mut hands: Vec<MatchHand> = Vec::new();
    let mut tally = ScoreTally::new(View::Own);
    let mut scored = Ok(());
    let names = ["lethe".to_owned(), "opponent".to_owned()];
    let mut on_hand = |mut hand: MatchHand| {
        hand.hand.names = names.clone();
        if hand.seat == lethe_game::Player::Ip {
            hand.hand.names.reverse();
        }
        if scored.is_ok() {
            scored = tally.add(&hand.hand, hand.seat, &agent, baseline.as_ref(), job.silent());
        }
        hands.push(hand);
    };
    let ended = play_match(&mut from, &mut to, &rules, &agent, job.silent(), &mut on_hand);
    bars.finish();
    match ended {
        Err(error) if error.is_cancelled() => {
            return Err(Stopped("the match was not finished").into());
        }
        ended => ended.with_context(|| format!("{host}:{port}"))?,
    }
    scored?;
    out.show(&MatchSummary::of(&hands, tally.score()))
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
