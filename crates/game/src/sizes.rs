//! Bet-size text: `33%`, `2.5x`, `e`, `3e200%`, `a`, `10c`, `4.5bb` and lists of them.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::{Chips, Decimal, MAX_CHIPS};

/// One bet size as players write it.
///
/// | text | as a bet | as a raise |
/// |---|---|---|
/// | `75%` | 75 % of the pot | to the previous bet + 75 % of the pot after calling |
/// | `2.5x` | (an error) | to 2.5 times the previous bet |
/// | `10c` | 10 chips | to the previous bet + 10 chips |
/// | `4.5bb` | 4.5 big blinds | to the previous bet + 4.5 big blinds |
/// | `a` | all-in | all-in |
/// | `e` | geometric over the streets left | the same, with raises counted off the streets |
/// | `3e` | geometric over 3 streets | the same, with raises counted off the 3 |
/// | `e200%`, `3e200%` | at most 200 % of the pot | at most 200 % of the pot after calling |
///
/// *Geometric over n streets*: the fraction `f` of the pot that, bet and called n times, puts the
/// last chip in: `f = ((1 + 2 stack / pot)^(1/n) - 1) / 2`. In a raise the pot and the stack are
/// those after calling, and every raise already made on the street takes one off n, down to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Size {
    /// `75%`: percent of the pot.
    Pot(Decimal),
    /// `2.5x`: a multiple of the previous bet, above 1. Raises only.
    Multiple(Decimal),
    /// `10c`: chips.
    Chips(Chips),
    /// `4.5bb`: big blinds, a whole number of chips.
    BigBlinds(Decimal),
    /// `e`, `3e`, `e200%`, `3e200%`: geometric.
    Geometric {
        /// The number of streets, 1 to 100; none means the streets left, this one included.
        streets: Option<u8>,
        /// The most percent of the pot.
        cap: Option<Decimal>,
    },
    /// `a`: all-in.
    AllIn,
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Size::Pot(percent) => write!(f, "{percent}%"),
            Size::Multiple(times) => write!(f, "{times}x"),
            Size::Chips(chips) => write!(f, "{chips}c"),
            Size::BigBlinds(number) => write!(f, "{number}bb"),
            Size::Geometric { streets, cap } => {
                if let Some(streets) = streets {
                    write!(f, "{streets}")?;
                }
                f.write_str("e")?;
                cap.map_or(Ok(()), |cap| write!(f, "{cap}%"))
            }
            Size::AllIn => f.write_str("a"),
        }
    }
}

/// A comma-separated list of sizes, in the order written; the empty text is the empty list.
///
/// ```
/// use lethe_game::Sizes;
/// let sizes = Sizes::parse_bets("33%, 75%,a")?;
/// assert_eq!(sizes.to_string(), "33%, 75%, a");
/// let error = Sizes::parse_bets("33%, 2.5x").unwrap_err();
/// assert_eq!((error.item.as_str(), error.column), ("2.5x", 6));
/// # Ok::<(), lethe_game::SizeError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sizes {
    sizes: Vec<Size>,
}

impl Sizes {
    /// Reads a list of first bets (also donk bets), in which `x` is an error.
    pub fn parse_bets(text: &str) -> Result<Sizes, SizeError> {
        Self::parse(text, false)
    }

    /// Reads a list of raises.
    pub fn parse_raises(text: &str) -> Result<Sizes, SizeError> {
        Self::parse(text, true)
    }

    /// The sizes as written.
    pub fn as_slice(&self) -> &[Size] {
        &self.sizes
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    fn parse(text: &str, raises: bool) -> Result<Sizes, SizeError> {
        if text.trim().is_empty() {
            return Ok(Sizes::default());
        }
        let mut sizes = Vec::new();
        let mut start = 0;
        for piece in text.split(',') {
            let item = piece.trim();
            let blank = piece.chars().take_while(|c| c.is_whitespace()).count();
            let size = parse_size(item, raises).map_err(|problem| SizeError {
                item: item.to_owned(),
                column: start + if item.is_empty() { 0 } else { blank } + 1,
                problem,
            })?;
            sizes.push(size);
            start += piece.chars().count() + 1;
        }
        Ok(Sizes { sizes })
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, size) in self.sizes.iter().enumerate() {
            write!(f, "{}{size}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl Serialize for Sizes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A bet-size text that cannot be read: which item, where it starts, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bet size '{item}' at column {column}: {problem}")]
pub struct SizeError {
    /// The offending item, trimmed.
    pub item: String,
    /// Where the item starts in the list, in characters from 1.
    pub column: usize,
    /// What is wrong with it.
    pub problem: SizeProblem,
}

/// What is wrong with a bet size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SizeProblem {
    /// Nothing between two commas.
    #[error("expected a size such as 75%, found nothing; remove the comma")]
    Empty,
    /// A number and nothing after it.
    #[error("a number needs a unit: 75% (of the pot), 2.5x (a raise), 10c (chips) or 4.5bb")]
    NoUnit,
    /// No form of a size at all.
    #[error(
        "not a size; write 75%, 2.5x (a raise), 10c, 4.5bb, e, 3e, e200%, 3e200% or a (all-in)"
    )]
    Unknown,
    /// The text before the unit is not a plain number.
    #[error(
        "expected a plain number before the unit, such as 33 or 33.3 (no sign, at most 6 decimals, at most ten million)"
    )]
    Number,
    /// 0 %.
    #[error("must be above 0%; leave the size out for no such bet")]
    ZeroPercent,
    /// `0bb`.
    #[error("must be above 0bb; leave the size out for no such bet")]
    ZeroBigBlinds,
    /// A negative number.
    #[error("must not be negative")]
    Negative,
    /// `x` in a list of bets.
    #[error(
        "x multiplies a previous bet, so it is only for raises; write a percentage such as 75%"
    )]
    MultipleOfNoBet,
    /// `1x` or less.
    #[error("a raise must be above 1x; write 2x or more")]
    MultipleTooSmall,
    /// `0c`, a fraction of a chip or too many.
    #[error("chips must be a whole number from 1 to {MAX_CHIPS}")]
    WholeChips,
    /// The number before `e`.
    #[error("the number of streets before e must be a whole number from 1 to 100")]
    Streets,
}

fn parse_size(item: &str, raises: bool) -> Result<Size, SizeProblem> {
    let lower = item.to_ascii_lowercase();
    if lower.is_empty() {
        return Err(SizeProblem::Empty);
    }
    if lower == "a" {
        return Ok(Size::AllIn);
    }
    if let Some((streets, cap)) = lower.split_once('e') {
        return parse_geometric(streets, cap);
    }
    if let Some(number) = lower.strip_suffix('%') {
        return Ok(Size::Pot(percent(number)?));
    }
    if let Some(number) = lower.strip_suffix('x') {
        if !raises {
            return Err(SizeProblem::MultipleOfNoBet);
        }
        let times = plain_number(number)?;
        return if times > Decimal::ONE {
            Ok(Size::Multiple(times))
        } else {
            Err(SizeProblem::MultipleTooSmall)
        };
    }
    if let Some(number) = lower.strip_suffix("bb") {
        return match plain_number(number)? {
            number if number.is_zero() => Err(SizeProblem::ZeroBigBlinds),
            number => Ok(Size::BigBlinds(number)),
        };
    }
    if let Some(number) = lower.strip_suffix('c') {
        if !number.bytes().all(|b| b.is_ascii_digit()) {
            plain_number(number)?;
        }
        return match number.parse() {
            Ok(chips @ 1..=MAX_CHIPS) => Ok(Size::Chips(chips)),
            _ => Err(SizeProblem::WholeChips),
        };
    }
    match plain_number(&lower) {
        Ok(_) => Err(SizeProblem::NoUnit),
        Err(SizeProblem::Negative) => Err(SizeProblem::Negative),
        Err(_) => Err(SizeProblem::Unknown),
    }
}

fn parse_geometric(streets: &str, cap: &str) -> Result<Size, SizeProblem> {
    let plain = |s: &str| s.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b'-');
    if !plain(streets) || !(cap.is_empty() || cap.ends_with('%')) {
        return Err(SizeProblem::Unknown);
    }
    let streets = match streets {
        "" => None,
        digits => match digits.parse() {
            Ok(n @ 1..=100) => Some(n),
            _ => return Err(SizeProblem::Streets),
        },
    };
    let cap = cap.strip_suffix('%').map(percent).transpose()?;
    Ok(Size::Geometric { streets, cap })
}

fn percent(number: &str) -> Result<Decimal, SizeProblem> {
    match plain_number(number)? {
        percent if percent.is_zero() => Err(SizeProblem::ZeroPercent),
        percent => Ok(percent),
    }
}

fn plain_number(text: &str) -> Result<Decimal, SizeProblem> {
    let text = text.trim_end();
    match text.strip_prefix('-') {
        Some(rest) if Decimal::parse(rest).is_some() => Err(SizeProblem::Negative),
        _ => Decimal::parse(text).ok_or(SizeProblem::Number),
    }
}
