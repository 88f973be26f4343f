//! `Range`: a weight for each of the 1,326 holes, and the text players write for it.

mod error;
mod read;
mod run;
#[cfg(test)]
mod tests;
mod write;

use std::fmt;
use std::str::FromStr;

pub use error::RangeError;

use crate::card_set::CardSet;
use crate::hole::Hole;
use crate::parse::ParseError;

/// The holes a player may have, each with a weight from 0 to 1.
///
/// A weight is an integer number of millionths, so `0.5` is exact, equal ranges compare and hash
/// equal, and sums over a range stay integers.
///
/// # Text
///
/// Entries are separated by commas or blanks. Case does not matter. An entry overrides earlier ones
/// for the holes it names.
///
/// | entry | holes |
/// |---|---|
/// | `99` `AKs` `AKo` `AK` | one pair; suited; offsuit; suited and offsuit |
/// | `AhKh` `A♥K♥` | one hole |
/// | `99+` | this pair and all above |
/// | `KTo+` | the kicker climbs: `KTo`, `KJo`, `KQo` |
/// | `T9s+` | ranks that differ by one climb together: `T9s`, `JTs`, ... `AKs` |
/// | `QQ-99` | the pairs between, in either order |
/// | `A5s-A2s` | the kickers between |
/// | `JTs-87s` `J9s-86s` | both ranks climb together |
/// | `A*` `A*s` `A*o` | every hand with this rank; the suited ones; the offsuit ones |
/// | `20%` | the strongest hands by exact equity against a random hand: as many starting hands, best first, as make up at most 20 % of the 1,326 holes |
/// | `random` | every hole |
/// | `[50]AKs,QQ[/50]` | the hands between the brackets, each with a weight of 50 % |
///
/// Any entry outside brackets may end in a weight, `:0.5`: a decimal from 0 to 1 of at most six
/// decimals. Without one the weight is 1; weight 0 removes holes.
///
/// A range prints as the shortest such text that stays easy to read: groups of one weight,
/// heaviest first, each class named once, then the single holes. Where that is shorter it prints
/// as a larger whole with exceptions (`random,72o:0`). The empty range prints as `random:0`. What
/// is printed reads back as the same range.
///
/// ```
/// use lethe_cards::{Hole, Range};
/// let range: Range = "AA, KK, QQ, AKs:0.5, AhKh:0.25".parse()?;
/// assert_eq!(range.combos(), 3.0 * 6.0 + 3.0 * 0.5 + 0.25);
/// assert_eq!(range.weight("AsKs".parse()?), Range::ONE / 2);
/// assert_eq!(range.to_string(), "QQ+,AKs:0.5,AhKh:0.25");
///
/// let error = "QQ+, AKx".parse::<Range>().unwrap_err();
/// assert_eq!(error.at, 7);
/// # Ok::<(), lethe_cards::ParseError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Range {
    weights: Box<[u32; Hole::COUNT]>,
}

impl Range {
    /// The full weight, in millionths.
    pub const ONE: u32 = 1_000_000;

    /// The range without any hole.
    pub fn empty() -> Range {
        Range::uniform(0)
    }

    /// The range of every hole at full weight, `random`.
    pub fn full() -> Range {
        Range::uniform(Range::ONE)
    }

    fn uniform(ppm: u32) -> Range {
        Range { weights: Box::new([ppm; Hole::COUNT]) }
    }

    /// All weights in millionths, in the order of [`Hole::index`].
    pub fn weights(&self) -> &[u32; Hole::COUNT] {
        &self.weights
    }

    /// The weight of a hole in millionths.
    #[inline]
    pub fn weight(&self, hole: Hole) -> u32 {
        self.weights[hole.index()]
    }

    /// Gives a hole a weight in millionths.
    ///
    /// # Panics
    ///
    /// If the weight is above [`Range::ONE`].
    pub fn set(&mut self, hole: Hole, ppm: u32) {
        assert!(ppm <= Range::ONE, "a weight of {ppm} millionths is above 1");
        self.weights[hole.index()] = ppm;
    }

    /// The holes of non-zero weight with their weights in millionths, in the order of
    /// [`Hole::index`].
    pub fn iter(&self) -> impl Iterator<Item = (Hole, u32)> + '_ {
        Hole::all().zip(self.weights.iter().copied()).filter(|&(_, ppm)| ppm > 0)
    }

    /// The range without the holes that have a card among `dead`.
    #[must_use]
    pub fn without(&self, dead: CardSet) -> Range {
        let mut range = self.clone();
        for (hole, ppm) in Hole::all().zip(range.weights.iter_mut()) {
            if dead.intersects(hole.set()) {
                *ppm = 0;
            }
        }
        range
    }

    /// The number of holes, each counted by its weight.
    pub fn combos(&self) -> f64 {
        let millionths: u64 = self.weights.iter().map(|&ppm| u64::from(ppm)).sum();
        millionths as f64 / f64::from(Range::ONE)
    }

    /// Whether every weight is 0.
    pub fn is_empty(&self) -> bool {
        self.weights.iter().all(|&ppm| ppm == 0)
    }
}

impl FromStr for Range {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Range, ParseError> {
        read::range(text)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&write::text(self))
    }
}
