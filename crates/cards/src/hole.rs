//! `Hole` and `StartingHand`: the private cards, and the 169 kinds there are before the flop.

use std::fmt;
use std::str::FromStr;

use crate::card::{Card, Rank, Suit};
use crate::card_set::CardSet;
use crate::parse::{self, ParseError};

/// The index of the pair `{low, high}` among all pairs, in colexicographic order.
///
/// The pairs of the numbers below `n` have the indices below `n * (n - 1) / 2`, so the index of a
/// pair does not depend on how large the set is that it was taken from.
#[inline]
pub const fn pair_index(low: usize, high: usize) -> usize {
    debug_assert!(low < high);
    high * (high - 1) / 2 + low
}

/// The pair `(low, high)` with this index: the inverse of [`pair_index`].
pub const fn pair_at(index: usize) -> (usize, usize) {
    let high = (8 * index + 1).isqrt().div_ceil(2);
    (index - high * (high - 1) / 2, high)
}

/// A player's two private cards, whatever their order.
///
/// ```
/// use lethe_cards::Hole;
/// let hole: Hole = "KsAs".parse()?;
/// assert_eq!(hole.to_string(), "AsKs");
/// assert_eq!(hole.class().to_string(), "AKs");
/// # Ok::<(), lethe_cards::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hole {
    high: Card,
    low: Card,
}

impl Hole {
    /// The number of holes: 52 choose 2.
    pub const COUNT: usize = 1326;

    /// The hole of two distinct cards.
    #[inline]
    pub const fn new(a: Card, b: Card) -> Option<Hole> {
        if a.index() > b.index() {
            Some(Hole { high: a, low: b })
        } else if a.index() < b.index() {
            Some(Hole { high: b, low: a })
        } else {
            None
        }
    }

    /// The hole of a set of exactly two cards.
    #[inline]
    pub fn from_set(set: CardSet) -> Option<Hole> {
        let mut rest = set;
        let hole = Hole::new(rest.pop()?, rest.pop()?)?;
        rest.is_empty().then_some(hole)
    }

    /// The hole with this index, if it is below 1,326.
    pub fn from_index(index: usize) -> Option<Hole> {
        if index >= Hole::COUNT {
            return None;
        }
        let (low, high) = pair_at(index);
        Hole::new(Card::from_index(low)?, Card::from_index(high)?)
    }

    /// The hole's place in colexicographic order: `high * (high - 1) / 2 + low` of the card indices.
    #[inline]
    pub const fn index(self) -> usize {
        pair_index(self.low.index(), self.high.index())
    }

    /// The card of the higher index.
    #[inline]
    pub const fn high(self) -> Card {
        self.high
    }

    /// The card of the lower index.
    #[inline]
    pub const fn low(self) -> Card {
        self.low
    }

    /// The two cards as a set.
    #[inline]
    pub fn set(self) -> CardSet {
        CardSet::of(self.high) | CardSet::of(self.low)
    }

    /// All holes in the order of their index.
    pub fn all() -> impl Iterator<Item = Hole> {
        (1..52).flat_map(|high| {
            (0..high).map(move |low| Hole {
                high: Card::from_index(high).expect("below 52"),
                low: Card::from_index(low).expect("below 52"),
            })
        })
    }

    /// The preflop class the hole belongs to.
    pub fn class(self) -> StartingHand {
        let suited = self.high.suit() == self.low.suit();
        StartingHand { high: self.high.rank(), low: self.low.rank(), suited }
    }
}

impl fmt::Display for Hole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.high, self.low)
    }
}

impl FromStr for Hole {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Hole, ParseError> {
        let [a, b] = parse::exactly(text, "a hole of 2 cards")?;
        Ok(Hole::new(a, b).expect("parsed cards are distinct"))
    }
}

/// One of the 169 kinds of hole before the flop: a pair, or two ranks suited or offsuit.
///
/// Indices run over the usual 13 x 13 grid with aces first: `row * 13 + column`, pairs on the
/// diagonal, suited above it, offsuit below. `AA` is 0, `AKs` 1, `AKo` 13, `22` 168.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StartingHand {
    high: Rank,
    low: Rank,
    suited: bool,
}

impl StartingHand {
    /// The number of classes.
    pub const COUNT: usize = 169;

    /// The class of two ranks, suited or not; none for a suited pair.
    pub fn new(a: Rank, b: Rank, suited: bool) -> Option<StartingHand> {
        (a != b || !suited).then(|| StartingHand { high: a.max(b), low: a.min(b), suited })
    }

    /// The class with this index, if it is below 169.
    pub fn from_index(index: usize) -> Option<StartingHand> {
        let rank = |place: usize| Rank::new(u8::try_from(12_usize.checked_sub(place)?).ok()?);
        let (row, column) = (rank(index / 13)?, rank(index % 13)?);
        StartingHand::new(row, column, row > column)
    }

    /// The class's place in the grid, from 0 (`AA`) to 168 (`22`).
    pub fn index(self) -> usize {
        let (high, low) = (12 - self.high.index(), 12 - self.low.index());
        if self.suited { high * 13 + low } else { low * 13 + high }
    }

    /// The higher rank.
    pub fn high(self) -> Rank {
        self.high
    }

    /// The lower rank; the same for a pair.
    pub fn low(self) -> Rank {
        self.low
    }

    /// Whether both cards are of one rank.
    pub fn is_pair(self) -> bool {
        self.high == self.low
    }

    /// Whether both cards are of one suit.
    pub fn is_suited(self) -> bool {
        self.suited
    }

    /// How many holes the class has: 6, 4 or 12.
    pub fn combos(self) -> usize {
        match (self.is_pair(), self.suited) {
            (true, _) => 6,
            (_, true) => 4,
            _ => 12,
        }
    }

    /// All classes in the order of their index.
    pub fn all() -> impl Iterator<Item = StartingHand> {
        (0..StartingHand::COUNT).map(|i| StartingHand::from_index(i).expect("below 169"))
    }

    /// The holes of the class.
    pub fn holes(self) -> impl Iterator<Item = Hole> {
        let class = self;
        Suit::all().flat_map(move |a| {
            Suit::all().filter_map(move |b| {
                let wanted = if class.is_pair() { a > b } else { (a == b) == class.suited };
                let hole = Hole::new(Card::new(class.high, a), Card::new(class.low, b));
                if wanted { hole } else { None }
            })
        })
    }
}

impl fmt::Display for StartingHand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match (self.is_pair(), self.suited) {
            (true, _) => "",
            (_, true) => "s",
            _ => "o",
        };
        f.pad(&format!("{}{}{kind}", self.high, self.low))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pair_indices_are_dense_both_ways() {
        let mut expected = 0;
        for high in 1..60 {
            for low in 0..high {
                assert_eq!(pair_index(low, high), expected);
                assert_eq!(pair_at(expected), (low, high));
                expected += 1;
            }
        }
    }

    #[test]
    fn hole_indices_are_dense_both_ways() {
        assert_eq!(Hole::all().count(), Hole::COUNT);
        for (index, hole) in Hole::all().enumerate() {
            assert_eq!(hole.index(), index);
            assert_eq!(Hole::from_index(index), Some(hole));
            assert_eq!(Hole::from_set(hole.set()), Some(hole));
            assert_eq!(hole.to_string().parse(), Ok(hole));
        }
        assert_eq!(Hole::from_index(Hole::COUNT), None);
    }

    #[test]
    fn the_169_classes_share_out_all_holes() {
        let mut seen = [false; Hole::COUNT];
        for (index, class) in StartingHand::all().enumerate() {
            assert_eq!(class.index(), index);
            assert_eq!(class.holes().count(), class.combos());
            for hole in class.holes() {
                assert_eq!(hole.class(), class);
                assert!(!std::mem::replace(&mut seen[hole.index()], true));
            }
        }
        assert!(seen.iter().all(|&s| s));
        for index in [169, 256, 3328, usize::MAX] {
            assert_eq!(StartingHand::from_index(index), None, "{index}");
        }
        let named = [(0, "AA"), (1, "AKs"), (13, "AKo"), (168, "22")];
        for (index, name) in named {
            assert_eq!(StartingHand::from_index(index).unwrap().to_string(), name);
        }
    }
}
