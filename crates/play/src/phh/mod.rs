//! Hand histories in PHH: TOML, variant `NT`, one hand or a table for each hand.
//!
//! ```toml
//! [1]
//! variant = "NT"
//! antes = [0, 0]
//! blinds_or_straddles = [50, 100]
//! min_bet = 100
//! starting_stacks = [2000, 2000]
//! actions = ["d dh p1 AhKd", "d dh p2 9s9h", "p2 cbr 250", "p1 f"]
//! hand = 1
//! players = ["lethe", "you"]
//! finishing_stacks = [1900, 2100]
//! ```
//!
//! Heads-up, PHH lists blinds in the order in which they are posted while `p1` is the player who acts first
//! after the flop: the big blind. `cbr` is followed by the player's total on the street.

mod read;
#[cfg(test)]
mod tests;

use std::fmt::Write;

use lethe_cards::Street;
use lethe_game::{Action, BettingState, Player};

pub use self::read::{PhhError, PhhProblem, read_hands};
use crate::record::{End, PlayedHand, RecordError, Replay};

/// Hands as a file of PHH, a table for each, numbered from `first` on.
///
/// # Errors
/// If a hand breaks the rules.
pub fn write_hands(hands: &[PlayedHand], first: usize) -> Result<String, RecordError> {
    let mut text = String::new();
    for (number, hand) in (first..).zip(hands) {
        if number > 1 {
            text.push('\n');
        }
        write!(text, "[{number}]\n{}", write_hand(hand)?).expect("a string takes all");
    }
    Ok(text)
}

/// A hand as a PHH.
///
/// # Errors
/// If it breaks the rules.
pub fn write_hand(hand: &PlayedHand) -> Result<String, RecordError> {
    let replay = hand.replay()?;
    let PlayedHand { ante, small_blind, big_blind, stacks, .. } = hand;
    let actions: Vec<String> =
        actions(hand, &replay).iter().map(|action| format!("\"{action}\"")).collect();
    let mut text = format!(
        "variant = \"NT\"\nantes = [{ante}, {ante}]\nblinds_or_straddles = [{small_blind}, {big_blind}]\n\
         min_bet = {big_blind}\nstarting_stacks = [{}, {}]\nactions = [{}]\nhand = {}\n",
        stacks[0],
        stacks[1],
        actions.join(", "),
        hand.number
    );
    if hand.names.iter().any(|name| !name.is_empty()) {
        let [a, b] = hand.names.each_ref().map(|name| quoted(name));
        writeln!(text, "players = [{a}, {b}]").expect("a string takes all");
    }
    if let Some(won) = hand.payoffs() {
        let [a, b] = [0, 1].map(|p| i64::from(stacks[p]) + won[p]);
        writeln!(text, "finishing_stacks = [{a}, {b}]").expect("a string takes all");
    }
    Ok(text)
}

/// What happened in a hand, as PHH says it.
fn actions(hand: &PlayedHand, replay: &Replay) -> Vec<String> {
    let name = |player: Player| ["p1", "p2"][player.index()];
    let deals = Player::BOTH.map(|player| {
        let hole = hand.holes[player.index()];
        let cards = hole.map_or_else(|| "????".to_owned(), |hole| hole.to_string());
        format!("d dh {} {cards}", name(player))
    });
    let mut actions: Vec<String> = deals.into();
    let board = |street: Street| {
        let cards = hand.board.cards();
        let before = Street::ALL[street.index() - 1].board_len();
        let cards: String =
            cards[before..street.board_len()].iter().map(ToString::to_string).collect();
        format!("d db {cards}")
    };
    let mut street = Street::Preflop;
    let mut aggressor = None;
    for played in &replay.played {
        let player = played.state.to_act;
        while street < played.state.street {
            street = street.next().expect("a street after this one");
            actions.push(board(street));
            aggressor = None;
        }
        let name = name(player);
        actions.push(match played.action {
            Action::Fold => format!("{name} f"),
            Action::Check | Action::Call => format!("{name} cc"),
            Action::Bet(to) | Action::Raise(to) | Action::AllIn(to) => {
                aggressor = Some(player);
                // Whoever has more than the opponent is not all-in, so the bet must be a legal one.
                let stack = played.state.stack + hand.stacks[player.index()] - hand.stack();
                let least = replay.game.least_bet(&BettingState { stack, ..played.state });
                format!("{name} cbr {}", to.max(least))
            }
        });
    }
    if replay.end != End::Showdown {
        // A street that was dealt, and on which nobody has acted.
        while street < hand.board.street() {
            street = street.next().expect("a street after this one");
            actions.push(board(street));
        }
        return actions;
    }
    // Whoever bet last shows first; without a bet, whoever acts first.
    let first =
        aggressor.unwrap_or(if street == Street::Preflop { Player::Ip } else { Player::Oop });
    for player in [first, first.opponent()] {
        if let Some(hole) = hand.holes[player.index()] {
            actions.push(format!("{} sm {hole}", name(player)));
        }
    }
    while street < Street::River {
        street = street.next().expect("a street after this one");
        actions.push(board(street));
    }
    actions
}

/// A TOML string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                write!(quoted, "\\u{:04X}", u32::from(c)).expect("a string takes all");
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
