//! What the methods see of the holes of one board: the numbers that are clustered into buckets.
//!
//! A build takes these for every canonical board of a street; whoever wants to bucket fewer boards,
//! such as those that can follow one flop, takes them for those.

use lethe_cards::vs_random::{each_river, each_runout, each_turn};
use lethe_cards::{CanonicalBoard, CardSet, RIVER_SCALE, River, Street};

pub use crate::methods::ochs::{OpponentFeatures, Opponents};
pub use crate::texture::{TEXTURE_FEATURES, texture};

/// On flop and turn, numbers that are to be cut into buckets are rounded down to so many steps
/// between 0 and 1: thousands of times finer than a bucket, and few enough for the optimum to be
/// computed.
pub const LEVELS: u64 = 1 << 16;

/// The bin of an equity of `value / scale`: `[k/N, (k+1)/N)`, an equity of 1 in the last.
pub fn bin(value: u32, scale: u32, bins: usize) -> usize {
    let bin = u64::from(value) * bins as u64 / u64::from(scale);
    (bin as usize).min(bins - 1)
}

/// The histograms of the river equities that can follow a flop or a turn board, one after another
/// for the holes of its row: how many runouts lead into each bin.
///
/// Each has one count more than there are bins: runouts that block the hole itself, whose number is
/// the same for all.
///
/// # Panics
/// If there are not as many counts, or if the board is no flop and no turn.
pub fn river_histograms(board: CardSet, bins: usize, counts: &mut [u16]) {
    let mut starts = starts(bins, counts);
    let binned =
        |river: &River| river.equities(bins as u16, |q| bin(q.into(), RIVER_SCALE, bins) as u16);
    let mut count = |start: &mut usize, bin: u16| counts[*start + bin as usize] += 1;
    match board.len() {
        4 => each_river(board, binned, |_, table| {
            table.for_each_hole(&mut starts, &mut count);
        }),
        _ => each_runout(board, binned, |table| {
            table.for_each_hole(&mut starts, &mut count);
        }),
    }
}

/// The histograms of the turn equities that can follow a flop, like [`river_histograms`]; `bins_of`
/// gives the bin of every hole of a canonical turn board's row.
pub fn turn_histograms<'a>(
    flop: CardSet,
    bins: usize,
    mut bins_of: impl FnMut(CanonicalBoard) -> &'a [u8],
    counts: &mut [u16],
) {
    let mut starts = starts(bins, counts);
    each_turn(flop, |turn| {
        let bins = bins_of(turn.board);
        turn.for_each_hole(&mut starts, |&mut start, slot| {
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
/// its row; [`squared_scale`] stands for one.
///
/// # Panics
/// If the row is not of the board's length, or if the board is no flop and no turn.
pub fn squared_equities(board: CardSet, row: &mut [u32]) {
    row.fill(0);
    let raw = |river: &River| river.equities(0, |q| q);
    let square = |sum: &mut u32, q: u16| *sum += u32::from(q) * u32::from(q);
    match board.len() {
        4 => each_river(board, raw, |_, table| {
            table.for_each_hole(row, square);
        }),
        _ => each_runout(board, raw, |table| {
            table.for_each_hole(row, square);
        }),
    }
}

/// The value that stands for one in the sums of [`squared_equities`] on the flop or the turn.
pub const fn squared_scale(street: Street) -> u64 {
    let rivers = match street {
        Street::Turn => 46,
        _ => 47 * 46 / 2,
    };
    rivers * (RIVER_SCALE * RIVER_SCALE) as u64
}
