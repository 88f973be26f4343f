//! Units: amounts written in chips or in big blinds.

use std::fmt;

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize};

use crate::{Chips, Decimal, MAX_CHIPS};

/// The unit that the amounts of a configuration are written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Whole chips.
    #[default]
    Chips,
    /// Big blinds, with decimals.
    Bb,
}

/// An amount as a configuration writes it, before its unit is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amount(Decimal);

/// What an [`Amount`] is worth: its unit and the chips of a big blind.
///
/// ```
/// use lethe_game::{Scale, Unit};
/// let scale = Scale::new(Unit::Bb, None)?;
/// assert_eq!(scale.chips("pot", "5.5".parse()?)?, 550);
/// let error = scale.chips("pot", "5.555".parse()?).unwrap_err();
/// assert_eq!(error.to_string(), "pot: 5.555 bb is 555.5 chips; write 5.55 or 5.56");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scale {
    unit: Unit,
    big_blind: Option<Chips>,
}

impl Scale {
    /// The chips of a big blind where amounts are in big blinds and nothing else is said.
    pub const BIG_BLIND: Chips = 100;

    /// Amounts in this unit; `big_blind` is in chips whatever the unit.
    pub fn new(unit: Unit, big_blind: Option<Chips>) -> Result<Scale, AmountError> {
        match (unit, big_blind) {
            (_, Some(0)) | (Unit::Bb, Some(1)) => Err(AmountError::BigBlind),
            (Unit::Bb, None) => Ok(Scale { unit, big_blind: Some(Scale::BIG_BLIND) }),
            _ => Ok(Scale { unit, big_blind }),
        }
    }

    /// The chips of a big blind, where that is known.
    pub fn big_blind(&self) -> Option<Chips> {
        self.big_blind
    }

    /// The chips of the amount that stands under a key.
    pub fn chips(&self, key: &'static str, amount: Amount) -> Result<Chips, AmountError> {
        let unit = self.unit();
        whole_chips(amount.0, unit).map_err(|(low, high)| {
            let chips = Decimal::from_millionths(amount.0.millionths() * u64::from(unit));
            AmountError::Fraction { key, amount, unit: self.unit, chips, low, high }
        })
    }

    /// The chips of one unit.
    fn unit(&self) -> Chips {
        match self.unit {
            Unit::Chips => 1,
            Unit::Bb => self.big_blind.unwrap_or(Scale::BIG_BLIND),
        }
    }

    /// The chips of one unit, for amounts that may be fractions of a chip.
    pub(crate) fn unit_chips(&self) -> f64 {
        f64::from(self.unit())
    }
}

/// An amount in units of `unit` chips as whole chips, or else the nearest amounts that are.
///
/// An amount that would be whole but for rounding in its last decimal is taken as whole: a third of
/// a big blind of 3 chips is 0.333333.
pub(crate) fn whole_chips(amount: Decimal, unit: Chips) -> Result<Chips, (Decimal, Decimal)> {
    let unit = u64::from(unit);
    let one = Decimal::ONE.millionths();
    // More than any game has, which the game says.
    let Some(product) = amount.millionths().checked_mul(unit) else { return Ok(Chips::MAX) };
    let low = product / one;
    let part = product % one;
    let slack = if one.is_multiple_of(unit) { 0 } else { unit };
    let whole = if part <= slack { Some(low) } else { (one - part <= slack).then_some(low + 1) };
    let fits = |chips: u64| Chips::try_from(chips).unwrap_or(Chips::MAX);
    let near = |chips: u64| {
        Decimal::from_millionths(chips.saturating_mul(one).saturating_add(unit / 2) / unit)
    };
    whole.map(fits).ok_or_else(|| (near(low), near(low + 1)))
}

/// An amount that is no whole number of chips, or a big blind that is no amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AmountError {
    /// An amount that comes to a fraction of a chip.
    #[error("{key}: {}; write {low} or {high}{}", said(*amount, *chips, *unit), hint(*unit))]
    Fraction {
        /// The key.
        key: &'static str,
        /// The amount as written, in the unit.
        amount: Amount,
        /// The unit.
        unit: Unit,
        /// The same in chips.
        chips: Decimal,
        /// The nearest amount below that is whole.
        low: Decimal,
        /// The nearest amount above that is whole.
        high: Decimal,
    },
    /// A big blind of no chips, or of one chip where all amounts are in big blinds.
    #[error(
        "big_blind: expected the chips of a big blind; it is given in chips even with `unit: bb`, \
         and is 100 if left out"
    )]
    BigBlind,
    /// A text that is no amount.
    #[error(
        "expected an amount such as 120 or 5.5, from 0 to {MAX_CHIPS}, with at most 6 decimals"
    )]
    Unreadable,
}

fn said(amount: Amount, chips: Decimal, unit: Unit) -> String {
    match unit {
        Unit::Chips => format!("{amount} is not a whole number of chips"),
        Unit::Bb => format!("{amount} bb is {chips} chips"),
    }
}

fn hint(unit: Unit) -> &'static str {
    match unit {
        Unit::Chips => ", or add `unit: bb` to write amounts in big blinds",
        Unit::Bb => "",
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::str::FromStr for Amount {
    type Err = AmountError;

    fn from_str(text: &str) -> Result<Amount, AmountError> {
        let most = u64::from(MAX_CHIPS) * Decimal::ONE.millionths();
        let amount = Decimal::parse_digits(text).filter(|amount| amount.millionths() <= most);
        amount.map(Amount).ok_or(AmountError::Unreadable)
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Amount, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = Amount;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an amount such as 120 or 5.5")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Amount, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Amount, E> {
                self.visit_str(&number.to_string())
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Amount, E> {
                self.visit_str(&number.to_string())
            }

            // The shortest text that reads back as the same number is the one that was written.
            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Amount, E> {
                self.visit_str(&number.to_string())
            }
        }

        deserializer.deserialize_any(Text)
    }
}
