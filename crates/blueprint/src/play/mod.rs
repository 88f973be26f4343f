//! Strategies at play: matches of one against another, and the local best response to one.
//!
//! Whoever plays is a [`Policy`]: a blueprint, a strategy in training ([`TablePolicy`]), one of the
//! [`Baseline`]s that know no cards, or [`ByEquity`]. A [`Match`] deals hands to two of them, each
//! twice with seats swapped. [`LocalBestResponse`] looks for what a simple opponent can win.

mod baseline;
mod by_equity;
mod hand;
mod lbr;
mod match_deal;
mod policy;
mod winnings;
mod workers;

#[cfg(test)]
mod tests;

pub use baseline::{Baseline, UnknownBaseline};
pub use by_equity::ByEquity;
pub use hand::Match;
pub use lbr::LocalBestResponse;
pub use match_deal::{Draws, MatchDeal};
pub use policy::{Policy, TablePolicy};
pub use winnings::{Mean, Sample, Tally, Winnings};
