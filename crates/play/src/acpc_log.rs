//! Logs of the ACPC dealer: a line for each hand, `STATE:<hand>:<betting>:<cards>:<chips won>:<players>`.

use lethe_game::Chips;

use crate::acpc::{StateTextError, actions, parse_betting, parse_dealt};
use crate::record::PlayedHand;

/// Whether a text is a dealer's log: the first line that is no comment and not empty is that of a hand.
pub fn is_acpc_log(text: &str) -> bool {
    lines(text).next().is_some_and(|(_, line)| line.starts_with("STATE:"))
}

/// The lines that are no comments, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = (1..).zip(text.lines().map(str::trim_end));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with(['#', ';']))
}

/// Reads a log. The dealer writes neither blinds nor stacks into it: they are those of `rules`.
///
/// # Errors
/// If a line is neither a hand nor the final score, a hand breaks the rules, or what the log says was won is
/// not what the actions and cards give: blinds or stacks are then others.
pub fn read_acpc_log(text: &str, rules: &PlayedHand) -> Result<Vec<PlayedHand>, AcpcLogError> {
    let mut hands = Vec::new();
    for (line, text) in lines(text) {
        if text.starts_with("SCORE:") {
            continue;
        }
        let hand = read_hand(text, rules).map_err(|why| AcpcLogError::Line { line, why })?;
        hands.push(hand);
    }
    if hands.is_empty() { Err(AcpcLogError::Empty) } else { Ok(hands) }
}

fn read_hand(line: &str, rules: &PlayedHand) -> Result<PlayedHand, LogProblem> {
    let fields: Vec<&str> = line.split(':').collect();
    let ["STATE", number, betting, cards, won, players] = fields[..] else {
        return Err(LogProblem::Fields);
    };
    let number: u64 = number.parse().map_err(|_| LogProblem::Fields)?;
    let (holes, board) = parse_dealt(cards)?;
    let betting = parse_betting(betting)?;
    let game = rules.game().map_err(StateTextError::from)?;
    let actions = actions(&betting, &game, rules.ante)?;
    let mut hand = PlayedHand { number, holes, board, actions, ..rules.clone() };
    let names: Vec<&str> = players.split('|').collect();
    let [a, b] = names[..] else { return Err(LogProblem::Players(names.len())) };
    hand.names = [a.to_owned(), b.to_owned()];
    hand.replay().map_err(StateTextError::from)?;
    let found = hand.payoffs().ok_or(LogProblem::Unfinished)?;
    let said: Vec<f64> = won.split('|').map(|won| won.parse().unwrap_or(f64::NAN)).collect();
    // A pot that cannot be halved is said with a fraction.
    let same = |p: usize| said.get(p).is_some_and(|said| (said - found[p] as f64).abs() < 1.0);
    if said.len() != 2 || !same(0) || !same(1) {
        let (small, big, stack) = (rules.small_blind, rules.big_blind, rules.stack());
        return Err(LogProblem::Won { said: won.to_owned(), found, small, big, stack });
    }
    Ok(hand)
}

/// A text that is no log of heads-up no-limit hold'em.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AcpcLogError {
    /// No hand.
    #[error("the log has no hands")]
    Empty,
    /// A line that cannot be taken.
    #[error("line {line}: {why}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        why: LogProblem,
    },
}

/// What is wrong with a line of a log.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LogProblem {
    /// No hand.
    #[error("expected STATE:hand:betting:cards:chips won:players")]
    Fields,
    /// More or fewer players.
    #[error("{0} players; only hands of two players are played here")]
    Players(usize),
    /// Betting or cards that cannot be read or break the rules.
    #[error(transparent)]
    State(#[from] StateTextError),
    /// A hand that was cut off.
    #[error("the hand is not finished, or a hand that was shown is missing")]
    Unfinished,
    /// Other winnings than those of the hand.
    #[error(
        "the log says that '{}' was won, and with blinds of {small} and {big} and stacks of {stack} it is \
         {}|{}; review it with a run of the game that was played",
        said.escape_debug(), found[0], found[1]
    )]
    Won {
        /// What the log says.
        said: String,
        /// What the hand gives.
        found: [i64; 2],
        /// The small blind.
        small: Chips,
        /// The big blind.
        big: Chips,
        /// The stacks.
        stack: Chips,
    },
}
