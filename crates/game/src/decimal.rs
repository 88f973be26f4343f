//! `Decimal`: the exact decimal numbers of bet-size text.

use std::fmt;

use crate::Chips;

/// A non-negative decimal number with at most six digits after the point, kept exactly.
///
/// Bet sizes are decimals and not floats because a size that falls on half a chip must round up:
/// 35 % of 90 is 31.5, which binary floating point makes 31.499999999999996 and so 31.
///
/// ```
/// use lethe_game::Decimal;
/// let percent = Decimal::parse("35").unwrap();
/// assert_eq!(percent.percent_of(90), 32);
/// assert_eq!(Decimal::parse("2.50").unwrap().to_string(), "2.5");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decimal {
    millionths: u64,
}

impl Decimal {
    /// One.
    pub const ONE: Decimal = Decimal { millionths: Decimal::UNIT };
    /// The largest value, ten million.
    pub const MAX: Decimal = Decimal { millionths: 10_000_000 * Decimal::UNIT };
    const UNIT: u64 = 1_000_000;
    const DIGITS: usize = 6;

    /// Reads digits with at most one point, such as `33`, `2.5` or `.5`; `None` if the text is
    /// anything else (a sign, an exponent), has more than six decimals or exceeds [`Decimal::MAX`].
    pub fn parse(text: &str) -> Option<Decimal> {
        Decimal::parse_digits(text).filter(|&value| value <= Decimal::MAX)
    }

    /// As [`Decimal::parse`], with up to ten digits before the point.
    pub(crate) fn parse_digits(text: &str) -> Option<Decimal> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(fraction) || whole.len() + fraction.len() == 0 {
            return None;
        }
        if whole.trim_start_matches('0').len() > 10 || fraction.len() > Self::DIGITS {
            return None;
        }
        let whole: u64 = format!("0{whole}").parse().ok()?;
        let fraction: u64 = format!("{fraction:0<width$}", width = Self::DIGITS).parse().ok()?;
        Some(Decimal { millionths: whole * Self::UNIT + fraction })
    }

    pub(crate) const fn from_millionths(millionths: u64) -> Decimal {
        Decimal { millionths }
    }

    pub(crate) const fn millionths(self) -> u64 {
        self.millionths
    }

    /// Whether this is zero.
    pub const fn is_zero(self) -> bool {
        self.millionths == 0
    }

    /// This many times `chips`, halves rounded up; `Chips::MAX` where that does not fit.
    pub fn times(self, chips: Chips) -> Chips {
        self.divided(chips, Self::UNIT)
    }

    /// This many percent of `chips`, halves rounded up; `Chips::MAX` where that does not fit.
    pub fn percent_of(self, chips: Chips) -> Chips {
        self.divided(chips, 100 * Self::UNIT)
    }

    fn divided(self, chips: Chips, unit: u64) -> Chips {
        let (product, unit) = (u128::from(self.millionths) * u128::from(chips), u128::from(unit));
        Chips::try_from((2 * product + unit) / (2 * unit)).unwrap_or(Chips::MAX)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) = (self.millionths / Self::UNIT, self.millionths % Self::UNIT);
        if fraction == 0 {
            return write!(f, "{whole}");
        }
        let digits = format!("{fraction:0width$}", width = Self::DIGITS);
        write!(f, "{whole}.{}", digits.trim_end_matches('0'))
    }
}
