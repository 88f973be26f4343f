//! What the methods see of the holes of one board: the numbers that are clustered into buckets.

use lethe_cards::vs_random::{each_runout, each_turn};
use lethe_cards::{CanonicalBoard, CardSet, RIVER_SCALE, River};

/// On flop and turn, numbers that are to be cut into buckets are rounded down to this many steps
/// between 0 and 1: thousands of times finer than a bucket, and few enough for the optimum to be
/// computed.
pub(crate) const LEVELS: u64 = 1 << 16;

/// The bin of an equity of `value / scale`: `[k/N, (k+1)/N)`, an equity of 1 in the last.
pub(crate) fn bin(value: u32, scale: u32, bins: usize) -> usize {
    let bin = u64::from(value) * bins as u64 / u64::from(scale);
    (bin as usize).min(bins - 1)
}

/// The histograms of the river equities that can follow a flop or a turn board, one after another
/// for the holes of its row: how many runouts lead into each bin.
///
/// Each has one count more than there are bins: runouts that block the hole itself, whose number is
/// the same for all. The length of `counts` is that of the row times `bins + 1`.
pub(crate) fn river_histograms(board: CardSet, bins: usize, counts: &mut [u16]) {
    let mut starts = starts(bins, counts);
    let binned =
        |river: &River| river.equities(bins as u16, |q| bin(q.into(), RIVER_SCALE, bins) as u16);
    each_runout(board, binned, |table| {
        table.for_each_hole(&mut starts, |start, bin| counts[*start + bin as usize] += 1);
    });
}

/// The histograms of the turn equities that can follow a flop, like [`river_histograms`]; `bins_of`
/// gives the bin of every hole of a canonical turn board's row.
pub(crate) fn turn_histograms<'a>(
    flop: CardSet,
    bins: usize,
    mut bins_of: impl FnMut(CanonicalBoard) -> &'a [u8],
    counts: &mut [u16],
) {
    let mut starts = starts(bins, counts);
    each_turn(flop, |turn, map| {
        let bins = bins_of(turn);
        map.for_each_hole(&mut starts, |&mut start, slot| {
            counts[start + bins[slot] as usize] += 1;
        });
    });
}

/// Where the histogram of each slot of a row begins, the counts set to zero.
fn starts(bins: usize, counts: &mut [u16]) -> Vec<usize> {
    counts.fill(0);
    (0..counts.len()).step_by(bins + 1).collect()
}

/// The sums of the squared river equities that can follow a flop or a turn board, for the holes of
/// its row; [`squared_scale`] stands for one. The length of `row` is that of the board's row.
pub(crate) fn squared_equities(board: CardSet, row: &mut [u32]) {
    row.fill(0);
    let raw = |river: &River| river.equities(0, |q| q);
    each_runout(board, raw, |table| {
        table.for_each_hole(row, |sum, q| *sum += u32::from(q) * u32::from(q));
    });
}

/// The value that stands for one in the sums of [`squared_equities`] for a board of `cards` cards:
/// as many squares as there are runouts that leave a hole alone.
pub(crate) const fn squared_scale(cards: usize) -> u64 {
    let rivers = match cards {
        3 => 47 * 46 / 2,
        4 => 46,
        _ => 1,
    };
    rivers * (RIVER_SCALE * RIVER_SCALE) as u64
}

#[cfg(test)]
mod tests {
    use lethe_cards::vs_random::{equity_scale, turn_row};
    use lethe_cards::{Board, CardSet, Deck, Hole, Street, evaluate};

    use super::*;

    /// `2 * wins + ties` of a hole on a river board, showdown by showdown.
    fn equity(river: CardSet, hole: Hole) -> u32 {
        let own = evaluate(river | hole.set());
        let other = |opponent: Hole| evaluate(river | opponent.set());
        let opponents = Deck::without(river | hole.set());
        opponents.holes().map(|o| u32::from(own > other(o)) + u32::from(own >= other(o))).sum()
    }

    /// The river boards that can follow a flop or a turn and leave a hole alone.
    fn rivers(board: CardSet, hole: Hole) -> Vec<CardSet> {
        let deck = Deck::without(board | hole.set());
        match board.len() {
            4 => deck.cards().iter().map(|&card| board | card.into()).collect(),
            _ => deck.holes().map(|pair| board | pair.set()).collect(),
        }
    }

    /// Boards of several suit patterns with holes that share ranks, suits or nothing with them.
    const CASES: [(&str, &str); 6] = [
        ("Ks7h2d9s", "AsKd"),
        ("Ts7s3s2s", "4s4h"),
        ("QsQh5d5c", "JsTh"),
        ("AsAhAdAc", "3d2c"),
        ("9s8s6h", "7s5s"),
        ("QsQh5d", "Ac2c"),
    ];

    fn cases() -> impl Iterator<Item = (CardSet, Hole, usize)> {
        CASES.into_iter().map(|(board, hole)| {
            let (board, hole) = (board.parse::<Board>().unwrap().set(), hole.parse().unwrap());
            (board, hole, Deck::without(board).slot(hole).unwrap())
        })
    }

    #[test]
    fn squared_equities_are_those_of_every_showdown() {
        for (board, hole, slot) in cases() {
            let deck = Deck::without(board);
            let mut row = vec![0; deck.holes().count()];
            squared_equities(board, &mut row);
            let rivers = rivers(board, hole);
            let squares = rivers.iter().map(|&river| equity(river, hole).pow(2));
            assert_eq!(row[slot], squares.sum::<u32>(), "{hole} on {board:?}");
            let scale = rivers.len() as u64 * u64::from(RIVER_SCALE).pow(2);
            assert_eq!(squared_scale(board.len()), scale);
        }
        assert_eq!(squared_scale(5), u64::from(RIVER_SCALE).pow(2));
    }

    #[test]
    fn river_histograms_are_those_of_every_showdown() {
        for bins in [2, 10, 255] {
            for (board, hole, slot) in cases() {
                let deck = Deck::without(board);
                let mut counts = vec![7; deck.holes().count() * (bins + 1)];
                river_histograms(board, bins, &mut counts);
                let mut expected = vec![0; bins];
                for river in rivers(board, hole) {
                    let bin = equity(river, hole) as usize * bins / 1980;
                    expected[bin.min(bins - 1)] += 1;
                }
                let found = &counts[slot * (bins + 1)..][..bins];
                assert_eq!(found, expected, "{hole} on {board:?}, {bins} bins");
            }
        }
    }

    #[test]
    fn turn_histograms_are_those_of_every_showdown() {
        let bins = 20;
        for (board, hole, slot) in cases().filter(|(board, ..)| board.len() == 3) {
            let mut counts = vec![7; Deck::row_len(Street::Flop) * (bins + 1)];
            let scale = equity_scale(Street::Turn);
            let mut known: Vec<(CanonicalBoard, Vec<u8>)> = Vec::new();
            for &card in Deck::without(board).cards() {
                let turn = Board::from_set(board | card.into()).unwrap();
                let (turn, _) = CanonicalBoard::of(&turn);
                let mut row = vec![0; Deck::row_len(Street::Turn)];
                turn_row(turn.set(), &mut row);
                known.push((turn, row.iter().map(|&q| bin(q, scale, bins) as u8).collect()));
            }
            let of = |turn| &known.iter().find(|(board, _)| *board == turn).unwrap().1[..];
            turn_histograms(board, bins, of, &mut counts);
            let mut expected = vec![0; bins];
            for &card in Deck::without(board | hole.set()).cards() {
                let sum: u32 = rivers(board | card.into(), hole)
                    .into_iter()
                    .map(|river| equity(river, hole))
                    .sum();
                expected[(sum as usize * bins / (1980 * 46)).min(bins - 1)] += 1;
            }
            let found = &counts[slot * (bins + 1)..][..bins];
            assert_eq!(found, expected, "{hole} on {board:?}");
        }
    }
}
