//! `lethe show`: a solved spot, walked by actions and dealt cards.

mod class_table;
pub(super) mod grid;
mod hand_class;
mod hands;
mod node;
mod runouts;

use std::io::{self, Write};
use std::path::PathBuf;

use clap::ValueEnum;
use lethe_cards::Range;
use lethe_compute::{Job, Pool};
use lethe_game::{NodeKind, Player};
use lethe_solver::{HandView, Position, Solution, Spot, Stop};
use serde::Serialize;

use super::input::read;
use super::solve::How;
use super::solving::{limits, line, saved};
use crate::error::InputError;
use crate::output::{Output, Report};
use crate::progress::Bars;

/// Shows a solution: ranges, strategies and values after any line
///
/// A line is the betting with the dealt cards, from where the spot starts: x check, c call, f fold,
/// b50 bet 50, r150 raise to 150, a all-in, and after / the card of the next street, such as
/// 'x b94 c / Th x'. Without a line it shows the first decision.
///
/// EV is a hand's share of the pot from there on, in chips; equity its share if all cards were
/// dealt and shown at once; realised is EV / (equity x pot). A hand that never comes there has no
/// frequencies and is left empty.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe show spots/toy-river.yaml
  lethe show spots/toy-river.yaml b100 --hand KsKh
  lethe show spots/srp-turn.yaml x --grid --classes
  lethe show spots/srp-turn.yaml 'x x' --runouts
  lethe show qjh.lethe 'x b94 c / Th' --grid")]
pub(crate) struct Args {
    /// A saved solution, or a spot file, which is solved first
    #[arg(value_name = "SOLUTION")]
    solution: PathBuf,
    /// The line to walk
    #[arg(value_name = "LINE", default_value = "")]
    line: String,
    /// List these hands: two cards or a range
    #[arg(long, value_name = "HANDS")]
    hand: Option<String>,
    /// Draw the range as a grid of 13 by 13
    #[arg(long)]
    grid: bool,
    /// List made hands and draws
    #[arg(long)]
    classes: bool,
    /// After a street's last action: list every card that may come
    #[arg(long)]
    runouts: bool,
    /// Whose hands; left out: those of the player to act
    #[arg(long, value_name = "PLAYER")]
    player: Option<Side>,
    /// The exploitability to reach where something is solved
    #[arg(long, value_name = "PERCENT", value_parser = limits::target, default_value = "0.1%")]
    target: f64,
    #[command(flatten)]
    how: How,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Side {
    Oop,
    Ip,
}

/// A node and what was asked for about it.
#[derive(Debug, Serialize)]
struct Answer {
    #[serde(flatten)]
    node: node::Node,
    #[serde(skip_serializing_if = "Option::is_none")]
    hands: Option<hands::Hands>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grid: Option<grid::Grid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    classes: Option<class_table::Classes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    runouts: Option<runouts::Runouts>,
}

impl Report for Answer {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        self.node.write(out)?;
        if let Some(grid) = &self.grid {
            writeln!(out)?;
            grid.write(out)?;
        }
        if let Some(hands) = &self.hands {
            writeln!(out)?;
            hands.write(out)?;
        }
        if let Some(classes) = &self.classes {
            writeln!(out)?;
            classes.write(out)?;
        }
        if let Some(runouts) = &self.runouts {
            writeln!(out)?;
            runouts.write(out)?;
        }
        Ok(())
    }
}

impl Args {
    fn answer(
        &self,
        position: &Position<'_>,
        listed: Option<&Range>,
        spot: &Spot,
        resolve: &mut dyn FnMut(&Position<'_>) -> anyhow::Result<Solution>,
        job: Job<'_>,
    ) -> anyhow::Result<Answer> {
        if matches!(position.kind(), NodeKind::Fold(_) | NodeKind::Showdown) {
            let how = if position.kind() == NodeKind::Showdown { "a showdown" } else { "a fold" };
            let message = format!("the hand is over after this line, by {how}; show one step less");
            return Err(InputError::new(message).into());
        }
        if self.runouts && position.kind() != NodeKind::Chance {
            let message = "runouts are shown where a card is dealt: end the line with the last \
                           action of a street, such as 'x x'";
            return Err(InputError::new(message).into());
        }
        let chosen = self.player.map(|side| match side {
            Side::Oop => Player::Oop,
            Side::Ip => Player::Ip,
        });
        let player = chosen.or(position.player()).unwrap_or(Player::Oop);
        let all = [position.hands(Player::Oop, job)?, position.hands(Player::Ip, job)?];
        let own = &all[player.index()];
        let actions = if position.player() == Some(player) { position.actions() } else { &[] };
        let pot = position.pot();
        Ok(Answer {
            node: node::Node::of(position, &all, (spot.tree(), spot.board().cards().len())),
            hands: match listed {
                Some(range) => Some(hands::Hands::of(position, player, own, range, job)?),
                None => None,
            },
            grid: self.grid.then(|| {
                let combos: Vec<grid::Combo<'_>> = own.iter().map(combo).collect();
                grid::Grid::of(player.name(), &combos, actions, &position.board())
            }),
            classes: self
                .classes
                .then(|| class_table::Classes::of(player, own, actions, &position.board(), pot)),
            runouts: match self.runouts {
                true => Some(runouts::Runouts::of(position, resolve, job)?),
                false => None,
            },
        })
    }
}

/// Shows what was asked for.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let listed = args.hand.as_deref().map(read::<Range>).transpose()?;
    let options = args.how.options();
    let (pool, bars) = (args.how.pool()?, Bars::new());
    let job = bars.job_on(pool.as_ref().unwrap_or(Pool::global()));
    let stop = Stop { target: Some(args.target), ..Stop::default() };
    let solution = saved::open(&args.solution, options.clone(), &stop, job)?;
    let words = line::words(&args.line);
    let mut resolve =
        |position: &Position<'_>| saved::resolve(position, options.clone(), &stop, job);
    // Both closures may have to solve; each has its own.
    let mut below = |position: &Position<'_>| saved::resolve(position, options.clone(), &stop, job);
    let mut show = |position: &Position<'_>| {
        args.answer(position, listed.as_ref(), solution.spot(), &mut below, job)
    };
    let answer = line::visit(&solution, &words, &mut resolve, &mut show)?;
    out.show(&answer)
}

/// A hand as a grid counts it.
fn combo(hand: &HandView) -> grid::Combo<'_> {
    let HandView { hole, reach, ref frequencies, .. } = *hand;
    grid::Combo { hole, reach, frequencies: frequencies.as_deref() }
}

/// EV as a share of what the equity promises.
fn realisation(ev: Option<f64>, equity: Option<f64>, pot: f64) -> Option<f64> {
    let (ev, equity) = ev.zip(equity)?;
    (equity > 1e-9 && pot > 0.0).then(|| ev / (equity * pot))
}
