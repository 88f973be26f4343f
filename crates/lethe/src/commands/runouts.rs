//! The boards that can follow: an equity, and what the next card does to it.

use lethe_cards::equity::{self, EquityError, Tally};
use lethe_cards::{Board, Range};
use serde::Serialize;

use super::input::Player;

/// How many next cards lead to an equity in each bin.
///
/// Bin `k` of `N` holds the equities from `k / N` up to but not including `(k + 1) / N`; an equity
/// of one is in the last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Histogram {
    pub(super) bins: u32,
    pub(super) counts: Vec<u64>,
}

impl Histogram {
    /// The histogram of some equities; tallies that met no opponent are left out.
    pub(super) fn of(tallies: impl IntoIterator<Item = Tally>, bins: u32) -> Histogram {
        let mut counts = vec![0; bins as usize];
        for tally in tallies.into_iter().filter(|tally| tally.total > 0) {
            counts[bin(&tally, bins)] += 1;
        }
        Histogram { bins, counts }
    }

    /// The number of equities in it.
    pub(super) fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// A label and the count of each bin; those outside all equities are left out of long ones.
    pub(super) fn rows(&self) -> Vec<(String, u64)> {
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

/// A player's tally on a board, and after each card that can come next on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Runouts {
    /// The tally over all boards that can follow.
    pub(super) whole: Tally,
    /// The tally after each next card of a flop or turn, against the same opponents less those that
    /// the card blocks; none before the flop and on the river.
    pub(super) next: Option<Vec<Tally>>,
}

impl Runouts {
    /// The tallies of a player against opponents.
    pub(super) fn of(
        player: &Player,
        opponents: &Range,
        board: &Board,
    ) -> Result<Runouts, EquityError> {
        match player {
            &Player::Hole(hole) => {
                let found = equity::hole_by_next_card(hole, opponents, board)?;
                let next: Vec<Tally> = found.next.into_iter().map(|(_, tally)| tally).collect();
                Ok(Runouts { whole: found.whole, next: (!next.is_empty()).then_some(next) })
            }
            Player::Range(range) => Runouts::of_range(range, opponents, board),
        }
    }

    fn of_range(range: &Range, opponents: &Range, board: &Board) -> Result<Runouts, EquityError> {
        let whole = equity::range_vs_range(range, opponents, board)?;
        let tally = |card| {
            let board = board.with(card)?;
            Some(equity::range_vs_range(range, opponents, &board).unwrap_or_default())
        };
        // Only a flop or turn can be dealt one card more.
        let next: Vec<Tally> = (!board.set()).iter().filter_map(tally).collect();
        Ok(Runouts { whole, next: (!next.is_empty()).then_some(next) })
    }
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
    fn cards_after_which_nobody_is_met_do_not_count() {
        let histogram = Histogram::of([tally(1, 0, 2), tally(0, 0, 0)], 2);
        assert_eq!(histogram.counts, [0, 1]);
        assert_eq!(histogram.total(), 1);
    }

    #[test]
    fn labels_are_as_precise_as_the_bins() {
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
        let opponents: Range = "AA,KQs".parse().unwrap();
        let hole = Player::Hole("AsKh".parse().unwrap());
        let range = Player::Range(hole.range());
        let equities = |player| {
            let next = Runouts::of(player, &opponents, &board).unwrap().next.unwrap();
            next.iter().filter_map(Tally::equity).collect::<Vec<f64>>()
        };
        assert_eq!(equities(&hole), equities(&range));
    }

    #[test]
    fn there_is_no_next_card_before_the_flop_and_on_the_river() {
        let random = Range::full();
        for player in ["AsKs", "AKs"] {
            let player = Player::read(player).unwrap();
            for board in [Board::EMPTY, "Th9h8c2s2d".parse().unwrap()] {
                assert_eq!(Runouts::of(&player, &random, &board).unwrap().next, None);
            }
        }
    }

    #[test]
    fn opponents_without_cards_left_are_an_error() {
        let board: Board = "AhAdAc".parse().unwrap();
        for player in ["KsKh", "KK"] {
            let player = Player::read(player).unwrap();
            let error = Runouts::of(&player, &"AA".parse().unwrap(), &board).unwrap_err();
            assert_eq!(error, EquityError::NoPossibleDeal);
        }
    }
}
