//! What can be wrong with a range's text.

use crate::card::{Card, Rank};
use crate::hole::Hole;

/// Why an entry of a range is not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RangeError {
    /// A hand was expected.
    #[error("expected a hand such as AKs, 99 or AhKh")]
    ExpectedHand,
    /// A sign without a hand before it.
    #[error("'{0}' without a hand before it: expected a hand such as AKs, 99 or AhKh")]
    SignWithoutHand(char),
    /// A rank that nothing follows.
    #[error("{0} alone is not a hand: {HAND}")]
    LoneRank(Rank),
    /// Neither a rank nor a suit after a rank.
    #[error("'{found}' is neither a rank, as in {first}T, nor a suit: {HAND}")]
    ExpectedRankOrSuit {
        /// The rank before it.
        first: Rank,
        /// The character.
        found: char,
    },
    /// One card where a hand was expected.
    #[error("{0} is one card: a hand is two cards, as in AhKh")]
    OneCard(Card),
    /// A suit after two ranks.
    #[error(
        "'{suit}' after {ranks}: write {ranks}s (suited), {ranks}o (offsuit) or {ranks} (both), \
         or both cards with their suits, as in AhKh"
    )]
    SuitAfterRanks {
        /// The suit as it was written.
        suit: char,
        /// The two ranks.
        ranks: String,
    },
    /// `AAs` or `AAo`.
    #[error("a pair is neither suited nor offsuit: write {0}")]
    SuitedPair(String),
    /// `+` or `-` after two cards.
    #[error("{0} is a single hand: only classes such as AKs take + or -")]
    SignAfterHole(Hole),
    /// Both `+` and a dash.
    #[error("use either + or a dash, not both")]
    PlusAndDash,
    /// Two hands that a dash cannot join.
    #[error(
        "{0} and this hand cannot form a range: a dash joins two pairs (QQ-99), kickers of one \
         high card (A5s-A2s) or hands with the same gap (JTs-87s), both suited, both offsuit or \
         both without s and o"
    )]
    NotARun(String),
    /// A word other than `random`.
    #[error("unknown word '{0}': 'random' means all hands")]
    UnknownWord(String),
    /// Nothing after the colon of a weight.
    #[error("missing weight: {WEIGHT}")]
    MissingWeight,
    /// Something else after the colon of a weight.
    #[error("expected a weight, found '{0}': {WEIGHT}")]
    ExpectedWeight(char),
    /// A weight in percent.
    #[error("a weight is not in percent: {WEIGHT} for 50%")]
    PercentWeight,
    /// More than 100 percent.
    #[error("more than 100 %")]
    PercentAboveHundred,
    /// A percentage below that of the strongest hand.
    #[error("no hand: the strongest one, AA, is 0.46 % of all hands")]
    TooFewHands,
    /// A sign after `A*`.
    #[error("a star already means every kicker: write A*s, or a run such as A5s+")]
    SignAfterStar,
    /// A bracket without a percentage.
    #[error("expected a percentage in brackets: {GROUP}")]
    BadBracket,
    /// A group that does not end.
    #[error("this group is never closed: {GROUP}")]
    OpenGroup,
    /// A group within a group.
    #[error("a group within a group: close the first one: {GROUP}")]
    GroupInGroup,
    /// The end of a group of another weight, or of none.
    #[error("this closes no group of that weight: {GROUP}")]
    NoGroupToClose,
    /// A weight inside a group.
    #[error("the group in brackets already gives the weight: write one of the two")]
    WeightInGroup,
    /// A weight above 1.
    #[error("weight above 1: {WEIGHT}")]
    WeightAboveOne,
    /// A weight with more than six decimals.
    #[error("a weight has at most six decimals, a percentage four")]
    TooManyDecimals,
    /// Something after an entry that is not a separator.
    #[error("expected a comma before '{0}'")]
    ExpectedComma(char),
}

const HAND: &str = "a hand is two ranks (AK, AKs, AKo, 99) or two cards (AhKh)";
const GROUP: &str = "hands of one weight in percent are written [50]AKs,QQ[/50]";
const WEIGHT: &str = "a weight is a decimal from 0 to 1, as in AKs:0.5";
