//! Reading cards as people write them: `As`, `AsKs`, `Th 9h 8c`, `T♠ 9♥ 8♠`, `10h`.

use crate::card::{Card, Rank, Suit};
use crate::card_set::CardSet;
use crate::range::RangeError;

/// A text that cannot be read as cards or a range, and the offending character.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct ParseError {
    /// The offset of the offending character, in characters (its column less one).
    pub at: usize,
    /// What is wrong there.
    pub kind: ParseErrorKind,
}

/// What can be wrong with a text that should be cards or a range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// The text is empty or blank.
    #[error("expected {expected}, found nothing")]
    Empty {
        /// What was expected.
        expected: &'static str,
    },
    /// Not a rank.
    #[error("unknown rank '{found}': a rank is one of 2 3 4 5 6 7 8 9 T J Q K A")]
    UnknownRank {
        /// The character.
        found: char,
    },
    /// Not a suit.
    #[error("unknown suit '{found}': a suit is one of c d h s (or ♣ ♦ ♥ ♠)")]
    UnknownSuit {
        /// The character.
        found: char,
    },
    /// The text ends after a rank.
    #[error("the last card has no suit: add c, d, h or s")]
    MissingSuit,
    /// A card occurs twice.
    #[error("duplicate card {card}")]
    Duplicate {
        /// The card.
        card: Card,
    },
    /// Too many or too few cards.
    #[error("expected {expected}, found {found}")]
    Count {
        /// What was expected.
        expected: &'static str,
        /// What was found, as in "2 cards".
        found: CardCount,
    },
    /// A range entry is not understood.
    #[error(transparent)]
    Range(RangeError),
}

/// A number of cards that prints in words: "1 card", "2 cards".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CardCount(pub usize);

impl std::fmt::Display for CardCount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} card{}", self.0, if self.0 == 1 { "" } else { "s" })
    }
}

impl ParseError {
    pub(crate) fn new(at: usize, kind: ParseErrorKind) -> ParseError {
        ParseError { at, kind }
    }

    /// The message with the text and a caret under the offending character, on three lines.
    ///
    /// ```
    /// let text = "AsXs";
    /// let error = lethe_cards::parse_cards(text).unwrap_err();
    /// assert!(error.pointing_at(text).contains("AsXs\n    ^"));
    /// ```
    pub fn pointing_at(&self, text: &str) -> String {
        let shown: String =
            text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
        format!("{self}\n  {shown}\n  {}^", " ".repeat(self.at))
    }
}

/// Reads any number of distinct cards, in the order written.
///
/// Blanks and commas between cards are skipped; ranks and suits may be of either case, suits also
/// symbols, and the ten also `10`.
pub fn parse_cards(text: &str) -> Result<Vec<Card>, ParseError> {
    let mut cards = Vec::new();
    let mut seen = CardSet::EMPTY;
    let mut chars = text.chars().enumerate().filter(|&(_, c)| c != '\u{fe0f}').peekable();
    while let Some((at, c)) = chars.next() {
        if c.is_whitespace() || c == ',' {
            continue;
        }
        let rank = if c == '1' && chars.next_if(|&(_, c)| c == '0').is_some() {
            Rank::from_letter('T')
        } else {
            Rank::from_letter(c)
        };
        let error = ParseError::new(at, ParseErrorKind::UnknownRank { found: c });
        let rank = rank.ok_or(error)?;
        let Some((suit_at, c)) = chars.next() else {
            return Err(ParseError::new(at + 1, ParseErrorKind::MissingSuit));
        };
        let error = ParseError::new(suit_at, ParseErrorKind::UnknownSuit { found: c });
        let card = Card::new(rank, Suit::from_letter(c).ok_or(error)?);
        if seen.contains(card) {
            return Err(ParseError::new(at, ParseErrorKind::Duplicate { card }));
        }
        seen.insert(card);
        cards.push(card);
    }
    Ok(cards)
}

/// Reads cards whose number must be one of `allowed`.
pub(crate) fn counted(
    text: &str,
    expected: &'static str,
    allowed: &[usize],
) -> Result<Vec<Card>, ParseError> {
    let cards = parse_cards(text)?;
    if cards.is_empty() {
        return Err(ParseError::new(0, ParseErrorKind::Empty { expected }));
    }
    if !allowed.contains(&cards.len()) {
        let found = CardCount(cards.len());
        let at = text.chars().count();
        return Err(ParseError::new(at, ParseErrorKind::Count { expected, found }));
    }
    Ok(cards)
}

/// Reads exactly `N` cards.
pub(crate) fn exactly<const N: usize>(
    text: &str,
    expected: &'static str,
) -> Result<[Card; N], ParseError> {
    let cards = counted(text, expected, &[N])?;
    Ok(cards.try_into().expect("the number of cards was checked"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> (usize, ParseErrorKind) {
        let error = parse_cards(text).unwrap_err();
        (error.at, error.kind)
    }

    #[test]
    fn every_common_spelling_is_read() {
        let expected = parse_cards("ThAs9c").unwrap();
        for text in ["Th As 9c", "th,aS,9C", "10h as 9♣", " T♥\tA♠ 9♧ ", "T♥\u{fe0f}A♠\u{fe0f}9♣"]
        {
            assert_eq!(parse_cards(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn errors_name_the_character() {
        assert_eq!(kind("As Xs"), (3, ParseErrorKind::UnknownRank { found: 'X' }));
        assert_eq!(kind("AsKx"), (3, ParseErrorKind::UnknownSuit { found: 'x' }));
        assert_eq!(kind("AsK"), (3, ParseErrorKind::MissingSuit));
        assert_eq!(kind("1s"), (0, ParseErrorKind::UnknownRank { found: '1' }));
        let (at, twice) = kind("As Ks As");
        assert_eq!(at, 6);
        assert!(twice.to_string().starts_with("duplicate card As"));
    }
}
