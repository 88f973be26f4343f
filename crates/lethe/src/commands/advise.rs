//! `lethe advise`: one decision, one answer.

use std::io::{self, Write};
use std::path::PathBuf;

use lethe_agent::{HandState, Source};
use lethe_cards::{Board, parse_cards};
use lethe_game::{Chips, Game, HandConfig, Player};
use lethe_kit::text::{counted, or_dash, percent};
use lethe_play::{AdviceView, History};

use super::agents::{AgentArgs, unanswered, with_agent};
use super::input::read;
use super::training::{self, BLUEPRINT_HELP};
use crate::error::InputError;
use crate::output::{Output, Report, seconds};

/// Says what to do with a hand: how often each action is taken, and what it is worth
///
/// The history is the betting so far with the cards of the board after each /, such as
/// 'r250 c / AhKd7c x b300': f fold, x check, c call, b300 bet 300, r250 raise to 250, a all-in. Amounts
/// are the player's total on that street, in chips; they need not be sizes of the blueprint. r2.5x, b50%
/// and b3bb are understood as well.
///
/// Before the turn the answer is the blueprint's; from there on the rest of the hand is solved (--search),
/// with the true chips and all bets that were made. The same question has the same answer on any machine,
/// unless --think limits the time. Values are the share of the pot less what is put in from here on, so that
/// a fold is worth 0. Before the flop they need stored values (`lethe values`).
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe advise quick '' --hand AhKd
  lethe advise quick 'r250 c / Th9h8c x b333' --hand AhKh
  lethe advise quick 'r250 c / Th9h8c x x / 2d b300 r900' --hand AhKh --json
  lethe advise quick 'r220 c / x x /' --board Th9h8c2d --hand AhKh --stack 1500")]
pub(crate) struct Args {
    #[arg(value_name = "RUN", help = BLUEPRINT_HELP)]
    blueprint: PathBuf,
    /// The hand so far; '' before the first action
    #[arg(value_name = "HISTORY", required = true)]
    history: Vec<String>,
    /// The two cards of the player to act
    #[arg(long, value_name = "HAND")]
    hand: String,
    /// The board, instead of cards in the history
    #[arg(long, value_name = "BOARD")]
    board: Option<String>,
    /// The player who asks, sb or bb; an error if it is the other's turn [default: the player to act]
    #[arg(long, value_name = "SEAT", value_parser = seat)]
    seat: Option<Player>,
    /// The smaller stack at the start of the hand, in chips [default: that of the blueprint]
    #[arg(long, value_name = "CHIPS")]
    stack: Option<Chips>,
    /// What bets between two sizes of the blueprint are drawn by
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    agent: AgentArgs,
}

fn seat(text: &str) -> Result<Player, &'static str> {
    match text {
        "sb" => Ok(Player::Ip),
        "bb" => Ok(Player::Oop),
        _ => Err("expected sb or bb"),
    }
}

/// Asks the agent.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let hole = read(&args.hand)?;
    let board = args.board.as_deref().map(read::<Board>).transpose()?;
    let blueprint = training::open(&args.blueprint, args.agent.checkpoint, out)?;
    let config = &blueprint.header().config.game;
    let stack = args.stack.unwrap_or(config.stack);
    let game = HandConfig { stack, ..config.clone() };
    let game = Game::hand(&game).map_err(InputError::new)?;
    let line = args.history.join(" ");
    let History { actions, board, now } =
        History::read(&line, &game, board).map_err(InputError::new)?;
    let seat = args.seat.unwrap_or(now.to_act);
    let hand = HandState { seat, hole, stack, board, actions, number: 0 };
    let agent = args.agent.config(args.seed);
    with_agent(&blueprint, agent, out, |agent, _, job, out| {
        let view = AdviceView::ask(agent, &hand, &now, config.big_blind, job);
        out.show(&view.map_err(unanswered)?)
    })
}

impl Report for AdviceView {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let cards = |text: &str| out.cards(&parse_cards(text).unwrap_or_default());
        let (board, hand) = (cards(&self.board), cards(&self.hand));
        let AdviceView { street, pot, stack, seat, to_call, .. } = self;
        let place = if board.is_empty() { street.clone() } else { format!("{street} {board}") };
        writeln!(
            out,
            "{place}  pot {pot}  {seat} to act with {hand}, {to_call} to call, {stack} left\n"
        )?;
        write_actions(self, out)?;
        let source = match self.source {
            Source::Blueprint => "the blueprint".to_owned(),
            Source::Search => {
                format!("solved with {}", counted(self.iterations as usize, "iteration"))
            }
        };
        writeln!(out, "\n{}", out.dim(format_args!("{source}, in {}", seconds(self.seconds))))
    }
}

/// Writes how often each action is taken, and what it is worth.
pub(super) fn write_actions(view: &AdviceView, out: &mut Output<'_>) -> io::Result<()> {
    let rows = view.frequencies.iter().map(|share| {
        let frequency = or_dash(share.frequency, |frequency| percent(frequency, 1));
        let size = or_dash(share.action.pot_fraction, |part| percent(part, 0));
        vec![
            share.action.text.clone(),
            size,
            frequency,
            or_dash(share.ev, |ev| format!("{ev:.1}")),
            or_dash(share.ev_bb, |ev| format!("{ev:.3}")),
        ]
    });
    out.table(&["action", "of pot", "frequency", "EV, chips", "EV, bb"], rows)
}
