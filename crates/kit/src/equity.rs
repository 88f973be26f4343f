//! Equities of hands and ranges, and what the next card does to them.
//!
//! ```
//! use lethe_kit::equity::{EquityView, PlayerCards};
//!
//! let (hole, random) = (PlayerCards::parse("AsKs")?, PlayerCards::parse("random")?);
//! let view = EquityView::of(&hole, &random, &"Th9h8c".parse()?, 10)?;
//! assert_eq!((view.wins, view.ties, view.total), (445_990, 35_830, 1_070_190));
//! assert_eq!(view.histogram.unwrap().counts.iter().sum::<u64>(), 47);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;

use lethe_cards::equity::{self, EquityError, Tally};
use lethe_cards::{Board, Hole, ParseError, Range, Street};
use serde::Serialize;

use crate::plot::Plot;
use crate::plot::chart::columns;
use crate::text::short;

/// What is known of a player's cards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayerCards {
    /// They are these two.
    Hole(Hole),
    /// They are among these.
    Range(Range),
}

impl PlayerCards {
    /// Reads two cards, or else a range.
    ///
    /// If the text is neither, the error is that of the reading that got further.
    pub fn parse(text: &str) -> Result<PlayerCards, ParseError> {
        let not_a_hole = match text.parse() {
            Ok(hole) => return Ok(PlayerCards::Hole(hole)),
            Err(error) => error,
        };
        match text.parse::<Range>() {
            Ok(range) => Ok(PlayerCards::Range(range)),
            Err(error) => Err(if error.at > not_a_hole.at { error } else { not_a_hole }),
        }
    }

    /// The cards as a range.
    pub fn range(&self) -> Range {
        match self {
            PlayerCards::Range(range) => range.clone(),
            PlayerCards::Hole(hole) => {
                let mut range = Range::empty();
                range.set(*hole, Range::ONE);
                range
            }
        }
    }
}

impl fmt::Display for PlayerCards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayerCards::Hole(hole) => hole.fmt(f),
            PlayerCards::Range(range) => range.fmt(f),
        }
    }
}

/// An equity and what it is made of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EquityView {
    /// The player's cards: a hole or a range.
    pub hole: String,
    /// The board; `None` before the flop.
    pub board: Option<String>,
    /// The street.
    pub street: &'static str,
    /// The opponent's cards: a hole or a range.
    pub against: String,
    /// The player's share of the pot, from 0 to 1.
    pub equity: f64,
    /// The deals won, weighted by the ranges.
    pub wins: u128,
    /// The deals tied.
    pub ties: u128,
    /// All deals.
    pub total: u128,
    /// How the equity spreads over the next card; `None` where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub histogram: Option<Histogram>,
}

impl EquityView {
    /// The equity of a player against an opponent, and `bins` bins of it after the next card.
    pub fn of(
        player: &PlayerCards,
        opponent: &PlayerCards,
        board: &Board,
        bins: u32,
    ) -> Result<EquityView, EquityError> {
        let (whole, next) = runouts(player, &opponent.range(), board)?;
        let street = board.street();
        Ok(EquityView {
            hole: player.to_string(),
            board: (street != Street::Preflop).then(|| board.to_string()),
            street: street.name(),
            against: opponent.to_string(),
            equity: whole.equity().ok_or(EquityError::NoPossibleDeal)?,
            wins: whole.wins,
            ties: whole.ties,
            total: whole.total,
            histogram: (!next.is_empty()).then(|| Histogram::of(next, bins)),
        })
    }
}

/// A player's tally over all boards that can follow, and after each next card of a flop or turn
/// against the opponents that the card leaves.
fn runouts(
    player: &PlayerCards,
    opponents: &Range,
    board: &Board,
) -> Result<(Tally, Vec<Tally>), EquityError> {
    match player {
        &PlayerCards::Hole(hole) => {
            let found = equity::hole_by_next_card(hole, opponents, board)?;
            Ok((found.whole, found.next.into_iter().map(|(_, tally)| tally).collect()))
        }
        PlayerCards::Range(range) => {
            let whole = equity::range_vs_range(range, opponents, board)?;
            // Only a flop or turn can be dealt one card more.
            let tally = |card| {
                let board = board.with(card)?;
                Some(equity::range_vs_range(range, opponents, &board).unwrap_or_default())
            };
            Ok((whole, (!board.set()).iter().filter_map(tally).collect()))
        }
    }
}

/// How many next cards lead to an equity in each bin.
///
/// Bin `k` of `N` holds the equities from `k / N` up to but not including `(k + 1) / N`; an equity
/// of one is in the last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Histogram {
    /// The number of bins.
    pub bins: u32,
    /// The next cards in each.
    pub counts: Vec<u64>,
}

impl Histogram {
    /// The histogram of some equities; tallies without an opponent are left out.
    fn of(tallies: impl IntoIterator<Item = Tally>, bins: u32) -> Histogram {
        let mut counts = vec![0; bins as usize];
        for tally in tallies.into_iter().filter(|tally| tally.total > 0) {
            counts[bin(&tally, bins)] += 1;
        }
        Histogram { bins, counts }
    }

    /// The number of equities in it.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The histogram as a picture of its own.
    pub fn svg(&self) -> String {
        let counts: Vec<f64> = self.counts.iter().map(|&count| count as f64).collect();
        let most = counts.iter().copied().fold(0.0, f64::max);
        let mut plot = Plot::new(240.0, [0.0, f64::from(self.bins)], [0.0, most * 1.04]);
        plot.y_axis(short);
        plot.bars(&columns(&counts, self.counts.len()));
        let share = |place: f64| format!("{:.2}", place / f64::from(self.bins));
        plot.x_axis("equity after the next card", share);
        plot.y_name("cards");
        plot.standalone("Equity after the next card")
    }

    /// A label and the count of each bin; long histograms leave out the empty bins at both ends.
    pub fn rows(&self) -> Vec<(String, u64)> {
        const LONG: u32 = 20;
        let filled = |&count: &u64| count > 0;
        let (mut first, mut last) = (0, self.counts.len());
        if self.bins > LONG {
            first = self.counts.iter().position(filled).unwrap_or(0);
            last = self.counts.iter().rposition(filled).map_or(0, |place| place + 1);
        }
        let decimals = (1..4).find(|&d| 10u32.pow(d).is_multiple_of(self.bins)).unwrap_or(4);
        let edge = |place: usize| {
            format!("{:.1$}", place as f64 / f64::from(self.bins), decimals as usize)
        };
        let row =
            |place: usize| (format!("{} - {}", edge(place), edge(place + 1)), self.counts[place]);
        (first..last).map(row).collect()
    }
}

/// The bin of an equity, in integers.
fn bin(tally: &Tally, bins: u32) -> usize {
    let bins = u128::from(bins);
    let place = (2 * tally.wins + tally.ties) * bins / (2 * tally.total);
    place.min(bins - 1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(wins: u128, ties: u128, total: u128) -> Tally {
        Tally { wins, ties, total }
    }

    #[test]
    fn an_equity_on_an_edge_is_in_the_bin_above_it() {
        assert_eq!(bin(&tally(0, 0, 10), 10), 0);
        assert_eq!(bin(&tally(3, 0, 10), 10), 3);
        assert_eq!(bin(&tally(2, 1, 10), 10), 2);
        assert_eq!(bin(&tally(2, 2, 10), 10), 3);
        assert_eq!(bin(&tally(10, 0, 10), 10), 9);
        assert_eq!(bin(&tally(1, 0, 3), 3), 1);
        assert_eq!(bin(&tally(u128::from(u64::MAX), 0, u128::from(u64::MAX)), 1000), 999);
    }

    #[test]
    fn cards_that_leave_no_opponent_do_not_count() {
        let histogram = Histogram::of([tally(1, 0, 2), tally(0, 0, 0)], 2);
        assert_eq!(histogram.counts, [0, 1]);
        assert_eq!(histogram.total(), 1);
    }

    #[test]
    fn labels_have_the_digits_of_the_bins() {
        let label = |bins, place: usize| Histogram::of([], bins).rows()[place].0.clone();
        assert_eq!(label(10, 3), "0.3 - 0.4");
        assert_eq!(label(20, 19), "0.95 - 1.00");
        assert_eq!(label(3, 0), "0.0000 - 0.3333");
        let long = Histogram::of([tally(1, 0, 2), tally(3, 0, 4)], 1000);
        let rows = long.rows();
        assert_eq!(rows.len(), 251);
        assert_eq!(rows[0], ("0.500 - 0.501".to_owned(), 1));
    }

    #[test]
    fn a_hole_is_a_range_of_one() {
        let board: Board = "Th9h8c2s".parse().unwrap();
        let opponents = PlayerCards::parse("AA,KQs").unwrap();
        let hole = PlayerCards::parse("AsKh").unwrap();
        let range = PlayerCards::Range(hole.range());
        let [one, other] =
            [hole, range].map(|cards| EquityView::of(&cards, &opponents, &board, 7).unwrap());
        assert_eq!((one.equity, one.histogram), (other.equity, other.histogram));
    }

    #[test]
    fn there_is_no_next_card_before_the_flop_and_on_the_river() {
        let random = PlayerCards::Range(Range::full());
        for player in ["AsKs", "AKs"] {
            let player = PlayerCards::parse(player).unwrap();
            for board in [Board::EMPTY, "Th9h8c2s2d".parse().unwrap()] {
                let view = EquityView::of(&player, &random, &board, 10).unwrap();
                assert_eq!(view.histogram, None);
            }
        }
    }

    #[test]
    fn opponents_without_cards_left_are_an_error() {
        let board: Board = "AhAdAc".parse().unwrap();
        for player in ["KsKh", "KK"] {
            let player = PlayerCards::parse(player).unwrap();
            let aces = PlayerCards::parse("AA").unwrap();
            let error = EquityView::of(&player, &aces, &board, 10).unwrap_err();
            assert_eq!(error, EquityError::NoPossibleDeal);
        }
    }

    #[test]
    fn two_cards_are_a_hole_and_everything_else_a_range() {
        let read = |text| PlayerCards::parse(text).unwrap();
        assert_eq!(read("Ks As"), PlayerCards::Hole("AsKs".parse().unwrap()));
        assert_eq!(read("AKs"), PlayerCards::Range("AKs".parse().unwrap()));
        assert_eq!(read("AsKs:0.5").range().combos(), 0.5);
    }

    #[test]
    fn the_reading_that_got_further_explains_the_error() {
        let at = |text| PlayerCards::parse(text).unwrap_err().at;
        assert_eq!([at("AKx"), at("AsKsQs"), at("")], [2, 6, 0]);
    }
}
