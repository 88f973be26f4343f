//! `lethe strategy`: what a blueprint does at any decision.

mod buckets;
mod hands;
mod line;
mod place;

use std::io::{self, Write};
use std::path::PathBuf;

use lethe_blueprint::{Blueprint, Decision};
use lethe_cards::{Board, Hole, StartingHand, Street};
use lethe_game::InfoKey;
use lethe_kit::action::{self, ActionShare, shares};
use lethe_kit::grid::GridView;
use serde::Serialize;

use super::input::{check_distinct, read};
use super::show::grid;
use super::solving::write_actions;
use super::training::{self, BLUEPRINT_HELP, Checkpoint, player_name};
use crate::error::InputError;
use crate::output::{Output, Report};

/// Shows what a blueprint does: the frequencies of all actions at any decision
///
/// The decision is named by the betting before it: f fold, x check, c call, b300 bet 300, r250 raise
/// to 250, a all-in, and / where the next street is dealt, such as 'r250 c / x b300'. Amounts are the
/// player's total on that street, in chips. The cards of the board may stand after each /.
///
/// Before the flop it shows the range as a grid. After it: without a board all buckets, with one all
/// hands on it as a grid, with a hand as well that hand. Hands count as often as the player itself
/// comes to the decision with them; without a board, buckets count as often as they are dealt.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe strategy runs/quick
  lethe strategy runs/quick r250 --hand AhKd
  lethe strategy runs/quick 'r250 c / x b300'
  lethe strategy runs/quick 'r250 c /' --board Th9h8c --hand AhKd
  lethe strategy runs/quick 'r250 c / Th9h8c x' --hands
  lethe strategy runs/quick --key 4042b800000000db")]
pub(crate) struct Args {
    #[arg(value_name = "BLUEPRINT", help = BLUEPRINT_HELP)]
    blueprint: PathBuf,
    /// The betting before the decision; left out: the first decision of the hand
    #[arg(value_name = "HISTORY")]
    history: Vec<String>,
    /// CheckpointKind checkpoint of the run
    #[arg(long, value_name = "NAME", default_value = "latest")]
    checkpoint: Checkpoint,
    /// One hand of the player to act: two cards, or before the flop a class such as AKs
    #[arg(long, value_name = "HAND")]
    hand: Option<String>,
    /// The board at the decision
    #[arg(long, value_name = "BOARD")]
    board: Option<String>,
    /// List all hands on the board one by one
    #[arg(long, conflicts_with = "hand")]
    hands: bool,
    /// List every bucket by itself, however many there are
    #[arg(long)]
    all: bool,
    /// An information set by its key instead of a history
    #[arg(long, value_name = "KEY", conflicts_with_all = ["history", "hand", "board", "hands", "all"])]
    key: Option<String>,
}

/// A decision and what was asked for about it.
#[derive(Debug, Serialize)]
pub(crate) struct Answer {
    #[serde(flatten)]
    line: line::Line,
    /// How often each action is taken, over all hands that come here; none where none comes.
    actions: Vec<ActionShare>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hand: Option<hands::Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grid: Option<GridView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hands: Option<Vec<hands::Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    buckets: Option<buckets::Buckets>,
}

impl Report for Answer {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        self.line.write(out)?;
        writeln!(out)?;
        if let Some(hand) = &self.hand {
            hand.write(&self.actions, out)?;
            return Ok(());
        }
        write_actions(&self.actions, out)?;
        if let Some(view) = &self.grid {
            writeln!(out)?;
            grid::write(view, out)?;
        }
        if let Some(hands) = &self.hands {
            writeln!(out)?;
            hands::write_all(hands, out)?;
        }
        if let Some(buckets) = &self.buckets {
            writeln!(out)?;
            buckets.write(&self.actions, out)?;
        }
        Ok(())
    }
}

/// What is known of the cards.
struct Cards {
    board: Option<Board>,
    hole: Option<Hole>,
}

impl Cards {
    /// Checks that they fit a decision's street and each other.
    fn check(&self, street: Street) -> Result<(), InputError> {
        let cards = street.board_len();
        match self.board {
            Some(board) if board.street() != street => Err(InputError::new(format_args!(
                "the decision is on the {street}, whose board has {cards} cards; {board} has {}",
                board.cards().len()
            ))),
            Some(board) => match self.hole {
                Some(hole) => check_distinct(&[&hole.to_string(), &board.to_string()]),
                None => Ok(()),
            },
            None if self.hole.is_some() && cards > 0 => Err(InputError::new(format_args!(
                "the decision is on the {street}: what the hand is worth there depends on the \
                 board; give its {cards} cards with --board"
            ))),
            None => Ok(()),
        }
    }
}

impl Args {
    fn answer(&self, blueprint: &Blueprint) -> anyhow::Result<Answer> {
        if let Some(key) = &self.key {
            return by_key(blueprint, key);
        }
        let place = place::find(blueprint.tree(), &self.history.join(" "))?;
        let board = match (place.board, &self.board) {
            (Some(_), Some(_)) => {
                let message = "the board stands in the history already; leave --board out";
                return Err(InputError::new(message).into());
            }
            (board, None) => board,
            (None, Some(text)) => Some(read::<Board>(text)?),
        };
        let decision =
            blueprint.decision(place.node).ok_or_else(|| place::over(blueprint, place.node))?;
        let hole = self.hand.as_deref().map(|text| hole(text, decision.street())).transpose()?;
        let cards = Cards { board, hole };
        cards.check(decision.street())?;
        if self.hands && board.is_none() && decision.street() != Street::Preflop {
            let message = "hands are listed on a board; give its cards with --board";
            return Err(InputError::new(message).into());
        }
        let line = line::Line::of(blueprint, &decision, board);
        let known = match decision.street() {
            Street::Preflop => Some(Board::EMPTY),
            _ => board,
        };
        let Some(board) = known else {
            let buckets = buckets::Buckets::of(blueprint, &decision, self.all);
            let actions = shares(&actions(blueprint, &decision), buckets.overall().as_deref());
            return Ok(Answer {
                line,
                actions,
                hand: None,
                grid: None,
                hands: None,
                buckets: Some(buckets),
            });
        };
        let all = hands::All::of(blueprint, &decision, &board);
        let names = actions(blueprint, &decision);
        let actions = shares(&names, all.overall().as_deref());
        let hand = match hole {
            Some(hole) => Some(all.row(&decision, &names, hole)?),
            None => None,
        };
        let grid = hole
            .is_none()
            .then(|| GridView::of(player_name(decision.player()), &all.combos(), &names, &board));
        let hands = match self.hands {
            true => Some(all.rows(&decision, &names)?),
            false => None,
        };
        let line = line.with_arrivals(&all);
        Ok(Answer { line, actions, hand, grid, hands, buckets: None })
    }
}

/// The actions of a decision.
fn actions(blueprint: &Blueprint, decision: &Decision<'_>) -> Vec<action::ActionView> {
    action::at(blueprint.tree(), decision.node())
}

/// Reads a hand: two cards, or before the flop a class such as AKs, all of whose hands are played alike.
fn hole(text: &str, street: Street) -> Result<Hole, InputError> {
    let named =
        |class: &StartingHand| street == Street::Preflop && class.to_string() == text.trim();
    match StartingHand::all().find(named).and_then(|class| class.holes().next()) {
        Some(hole) => Ok(hole),
        None => read(text),
    }
}

/// The information set that a key names.
fn by_key(blueprint: &Blueprint, text: &str) -> anyhow::Result<Answer> {
    let key: InfoKey = text.trim().parse().map_err(InputError::new)?;
    let node = key.node_id().filter(|node| node.index() < blueprint.tree().len());
    let decision = node.and_then(|node| blueprint.decision(node));
    let fits = |decision: &Decision<'_>| {
        decision.street() == key.street() && key.bucket() < decision.buckets()
    };
    let Some(decision) = decision.filter(fits) else {
        return Err(InputError::new(format_args!(
            "{key} is no information set of this blueprint: {} bucket {}, node {}; \
             keys are of one game only, that of this one is {}",
            key.street(),
            key.bucket(),
            key.node(),
            blueprint.header().game_hash
        ))
        .into());
    };
    let buckets = buckets::Buckets::one(blueprint, &decision, key.bucket());
    let actions = shares(&actions(blueprint, &decision), buckets.overall().as_deref());
    let line = line::Line::of(blueprint, &decision, None);
    Ok(Answer { line, actions, hand: None, grid: None, hands: None, buckets: Some(buckets) })
}

/// The first decision of the hand.
pub(crate) fn first(blueprint: &Blueprint) -> anyhow::Result<Answer> {
    let args = Args {
        blueprint: PathBuf::new(),
        history: Vec::new(),
        checkpoint: Checkpoint::Latest,
        hand: None,
        board: None,
        hands: false,
        all: false,
        key: None,
    };
    args.answer(blueprint)
}

/// Shows what was asked for.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let blueprint = training::open(&args.blueprint, args.checkpoint)?;
    let answer = args.answer(&blueprint)?;
    out.show(&answer)
}
