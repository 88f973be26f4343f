//! A range as front ends show and edit it.
//!
//! ```
//! use lethe_kit::range::RangeView;
//!
//! let view = RangeView::parse("AhKh:0.5, AA")?;
//! assert_eq!((view.text.as_str(), view.combos), ("AA,AhKh:0.5", 6.5));
//! assert_eq!(view.hands.len(), 7);
//! # Ok::<(), lethe_cards::ParseError>(())
//! ```

use lethe_cards::{Hole, ParseError, Range};
use serde::Serialize;

/// A range: its text and the weight of every hand in it.
#[derive(Clone, Debug, Serialize)]
pub struct RangeView {
    /// The range in its shortest text.
    pub text: String,
    /// The number of its hands, each counted by its weight.
    pub combos: f64,
    /// Their share of all 1,326.
    pub share: f64,
    /// The hands of non-zero weight.
    pub hands: Vec<WeightedHand>,
}

/// A hand of a range.
#[derive(Clone, Debug, Serialize)]
pub struct WeightedHand {
    /// Its cards.
    pub hand: String,
    /// Its weight, from 0 to 1.
    pub weight: f64,
}

impl RangeView {
    /// Reads a range.
    pub fn parse(text: &str) -> Result<RangeView, ParseError> {
        Ok(RangeView::of(&text.parse()?))
    }

    /// Shows a range.
    pub fn of(range: &Range) -> RangeView {
        let combos = range.combos();
        let weight = |ppm: u32| f64::from(ppm) / f64::from(Range::ONE);
        let hand =
            |(hole, ppm): (Hole, u32)| WeightedHand { hand: hole.to_string(), weight: weight(ppm) };
        RangeView {
            text: range.to_string(),
            combos,
            share: combos / Hole::COUNT as f64,
            hands: range.iter().map(hand).collect(),
        }
    }
}
