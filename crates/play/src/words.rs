//! Actions as players write them: `c`, `x`, `b 300`, `r 2.5x`, `half pot`, `allin`.

use lethe_game::{Action, BettingState, Chips, Decimal, Game};

use crate::record::sized;

/// Reads an action in a state of the betting.
///
/// | words | meaning |
/// |---|---|
/// | `f`, `fold` | fold |
/// | `x`, `check` | check |
/// | `c` | call, or check where nothing is owed |
/// | `call` | call |
/// | `b 300`, `r 750`, `bet 300`, `raise to 750` | bet or raise to these chips, the total on the street |
/// | `r 3bb` | to three big blinds |
/// | `r 2.5x`, `2.5x` | to 2.5 times the opponent's bet |
/// | `b 50%`, `50%`, `half pot`, `2/3 pot`, `pot` | a part of the pot, for a raise the pot after calling |
/// | `min` | as little as possible |
/// | `a`, `allin`, `all-in`, `shove`, `jam` | everything |
///
/// Case does not matter. A part of the pot or a multiple that exceeds the stack is all-in.
///
/// ```
/// use lethe_game::{Action, Game, HandConfig};
/// use lethe_play::parse_action;
///
/// let game = Game::hand(&HandConfig::new(2000, 50, 100))?;
/// assert_eq!(parse_action("r 2.5x", &game, &game.state())?, Action::Raise(250));
/// assert_eq!(parse_action("pot", &game, &game.state())?, Action::Raise(300));
/// let error = parse_action("r 150", &game, &game.state()).unwrap_err();
/// assert_eq!(error.to_string(), "a raise is to 200 chips at least; 150 is too small");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the text is no action, or the action is not legal in this state.
pub fn parse_action(text: &str, game: &Game, state: &BettingState) -> Result<Action, WordError> {
    let unknown = || WordError::Unknown(text.trim().to_owned());
    let bet = state.put[0].max(state.put[1]);
    let owed = bet - state.put[state.to_act.index()];
    let words = text.to_lowercase();
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let size = match words.as_str() {
        "f" | "fold" if owed == 0 => return Err(WordError::NothingToFold),
        "f" | "fold" => return Ok(Action::Fold),
        "x" | "check" if owed > 0 => return Err(WordError::CannotCheck { owed }),
        "x" | "check" => return Ok(Action::Check),
        "c" if owed == 0 => return Ok(Action::Check),
        "call" if owed == 0 => return Err(WordError::NothingToCall),
        "c" | "call" => return Ok(Action::Call),
        "a" | "allin" | "all in" | "all-in" | "shove" | "jam" => Amount::Part(Chips::MAX),
        words => amount(words, game, state).ok_or_else(unknown)?,
    };
    if bet >= state.stack {
        return Err(WordError::OpponentAllIn);
    }
    let (least, most) = (game.least_bet(state), state.stack);
    let kind = if state.bets == 0 { "bet" } else { "raise" };
    let to = match size {
        Amount::NoBet => return Err(WordError::NoBet),
        Amount::Chips(to) if to > most => return Err(WordError::TooLarge { to, most }),
        Amount::Chips(to) => to,
        Amount::Part(to) => to.min(most),
        Amount::Least => least,
    };
    match to >= least {
        true => Ok(sized(state, to)),
        false => Err(WordError::TooSmall { kind, to, least }),
    }
}

/// What a bet or raise is to.
enum Amount {
    /// Exactly these chips.
    Chips(Chips),
    /// These chips, or everything if that is less.
    Part(Chips),
    /// The least there is.
    Least,
    /// A multiple of a bet that was not made.
    NoBet,
}

/// Reads a bet or raise; `None` if the words are none.
fn amount(words: &str, game: &Game, state: &BettingState) -> Option<Amount> {
    let bet = state.put[0].max(state.put[1]);
    let pot = state.pot.saturating_add(bet.saturating_mul(2));
    let named = ["bet", "raise", "b", "r"].iter().find_map(|verb| words.strip_prefix(verb));
    let size = named.unwrap_or(words).trim();
    let size = size.strip_prefix("to ").unwrap_or(size);
    let part = |percent: Decimal| Amount::Part(bet.saturating_add(percent.percent_of(pot)));
    let percent = |number: u32| Decimal::parse(&number.to_string());
    if let Some(of) = size.strip_suffix("pot") {
        return Some(part(match of.trim() {
            "" => percent(100)?,
            "half" => percent(50)?,
            "third" => Decimal::parse("33.333333")?,
            "quarter" => percent(25)?,
            of if of.contains('/') => {
                let (over, under) = of.split_once('/')?;
                let [over, under] = [over, under].map(|n| n.trim().parse::<u16>());
                let (over, under) = (f64::from(over.ok()?), f64::from(under.ok()?));
                Decimal::parse(&format!("{:.6}", 100.0 * over / under))?
            }
            of => match of.strip_suffix('%') {
                Some(number) => Decimal::parse(number.trim())?,
                None => Decimal::parse(&format!("{:.4}", 100.0 * of.parse::<f64>().ok()?))?,
            },
        }));
    }
    if let Some(number) = size.strip_suffix('%') {
        return Some(part(Decimal::parse(number.trim())?));
    }
    if let Some(number) = size.strip_suffix('x') {
        let times = Decimal::parse(number.trim())?;
        return Some(if bet == 0 { Amount::NoBet } else { Amount::Part(times.times(bet)) });
    }
    if size == "min" {
        return Some(Amount::Least);
    }
    // A number by itself may be a slip of the keyboard; it needs its verb.
    named?;
    if let Some(number) = size.strip_suffix("bb") {
        return Some(Amount::Chips(Decimal::parse(number.trim())?.times(game.big_blind()?)));
    }
    let digits = size.replace(',', "");
    match digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.is_empty() {
        true => Some(Amount::Chips(digits.parse().unwrap_or(Chips::MAX))),
        false => None,
    }
}

/// A text that is no action, or an action that is not legal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WordError {
    /// No action.
    #[error("'{}' is not an action: write f, x, c, b 300, r 750, r 2.5x, 50%, pot or allin", .0.escape_debug())]
    Unknown(String),
    /// A fold where a check is free.
    #[error("there is no bet to fold to; check with x")]
    NothingToFold,
    /// A check where chips are owed.
    #[error(
        "{owed} chips are owed, so a check is not possible; call with c, raise, or fold with f"
    )]
    CannotCheck {
        /// The chips owed.
        owed: Chips,
    },
    /// A call where nothing is owed.
    #[error("there is nothing to call; check with x")]
    NothingToCall,
    /// A raise of a player who is all-in.
    #[error("the opponent is all-in, so there is nothing to raise; call with c or fold with f")]
    OpponentAllIn,
    /// A multiple of no bet.
    #[error("there is no bet to multiply; write b 300, 50% or pot")]
    NoBet,
    /// Less than the rules allow.
    #[error("a {kind} is to {least} chips at least; {to} is too small")]
    TooSmall {
        /// `bet` or `raise`.
        kind: &'static str,
        /// What was asked for.
        to: Chips,
        /// The least.
        least: Chips,
    },
    /// More than the stack.
    #[error("the stack allows {most} chips on this street, which is all-in; {to} is too much")]
    TooLarge {
        /// What was asked for.
        to: Chips,
        /// The all-in.
        most: Chips,
    },
}
