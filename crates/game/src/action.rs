//! `Player` and `Action`: who acts, and how.

use std::fmt;
use std::str::FromStr;

use crate::Chips;

/// One of the two players, named by position after the flop.
///
/// In a hand from the blinds `Oop` is the big blind and `Ip` the small blind, who has the button.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Player {
    /// Out of position: acts first on the flop, turn and river.
    Oop,
    /// In position: acts last on the flop, turn and river.
    Ip,
}

impl Player {
    /// Both players, in the order of [`Player::index`].
    pub const BOTH: [Player; 2] = [Player::Oop, Player::Ip];

    /// 0 for `Oop`, 1 for `Ip`.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The other player.
    pub const fn opponent(self) -> Player {
        match self {
            Player::Oop => Player::Ip,
            Player::Ip => Player::Oop,
        }
    }

    /// `oop` or `ip`.
    pub const fn name(self) -> &'static str {
        ["oop", "ip"][self as usize]
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// An action of a player. Amounts are the player's total chips put in on the street.
///
/// Actions order as a node lists them: fold, check, call, then bets and raises by amount with the
/// all-in last. A bet or raise of everything is always `AllIn`. The text form is the long name:
///
/// ```
/// use lethe_game::Action;
/// assert_eq!(Action::AllIn(900).to_string(), "allin 900");
/// assert_eq!("bet 120".parse(), Ok(Action::Bet(120)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Give the pot up.
    Fold,
    /// Put nothing in where nothing is asked.
    Check,
    /// Match the opponent's bet.
    Call,
    /// The first bet of a street.
    Bet(Chips),
    /// A raise to this amount (before the flop, also the first one over the big blind).
    Raise(Chips),
    /// A bet or raise of the whole stack.
    AllIn(Chips),
}

impl Action {
    /// The amount of a bet, raise or all-in.
    pub const fn amount(self) -> Option<Chips> {
        match self {
            Action::Bet(amount) | Action::Raise(amount) | Action::AllIn(amount) => Some(amount),
            Action::Fold | Action::Check | Action::Call => None,
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Fold => f.pad("fold"),
            Action::Check => f.pad("check"),
            Action::Call => f.pad("call"),
            Action::Bet(amount) => f.pad(&format!("bet {amount}")),
            Action::Raise(amount) => f.pad(&format!("raise {amount}")),
            Action::AllIn(amount) => f.pad(&format!("allin {amount}")),
        }
    }
}

impl FromStr for Action {
    type Err = UnknownAction;

    fn from_str(text: &str) -> Result<Action, UnknownAction> {
        let unknown = || UnknownAction(text.to_owned());
        let mut words = text.split_whitespace();
        let name = words.next().ok_or_else(unknown)?;
        let amount = words.next().map(str::parse).transpose().map_err(|_| unknown())?;
        match (name, amount, words.next()) {
            ("fold", None, None) => Ok(Action::Fold),
            ("check", None, None) => Ok(Action::Check),
            ("call", None, None) => Ok(Action::Call),
            ("bet", Some(amount), None) => Ok(Action::Bet(amount)),
            ("raise", Some(amount), None) => Ok(Action::Raise(amount)),
            ("allin", Some(amount), None) => Ok(Action::AllIn(amount)),
            _ => Err(unknown()),
        }
    }
}

/// A text that names no action.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown action '{0}': an action is fold, check, call, bet N, raise N or allin N")]
pub struct UnknownAction(pub String);
