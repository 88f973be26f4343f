//! Equity against a random opponent: for every hole of a board at once, or for one on a river.
//!
//! Values are integers: sums of `q = 2 * wins + ties` over the rivers that can follow. A river's
//! equity is `q / 1,980`, a turn's the sum over 46 rivers, a flop's the sum over 47 turns of those.

use crate::board::Street;
use crate::card::Rank;
use crate::card_set::CardSet;
use crate::deck::Deck;
use crate::equity::Tally;
use crate::eval::{FLUSH_BIT, Strength, by_ranks, evaluate, flush_strength, lane_key, rank_key};
use crate::hole::Hole;
use crate::iso::{CanonicalBoard, SuitMap, Symmetry};
use crate::river::{DeckTable, RIVER_SCALE, River, RiverTable};
use crate::row::DeckMap;

/// The value that stands for an equity of one on a street: 1,980 on the river, times 46 on the
/// turn, times 47 on the flop.
pub const fn equity_scale(street: Street) -> u32 {
    match street {
        Street::River => RIVER_SCALE,
        Street::Turn => RIVER_SCALE * 46,
        Street::Flop => RIVER_SCALE * 46 * 47,
        // Twice 990 opponents on each of 50 choose 5 boards; it just fits.
        Street::Preflop => 2 * 990 * 2_118_760,
    }
}

/// Writes the equity of every hole of a river board into its row, in units of 1 / 1,980.
///
/// # Panics
/// If the set does not have five cards or the row 1,081 entries.
pub fn river_row(board: CardSet, row: &mut [u16]) {
    let equities = River::new(board).equities(0, |q| q);
    equities.for_each_hole(&Deck::without(board), row, |entry, q| *entry = q);
}

/// What one hole beats, ties and meets on a river board: 990 opponents; none if it holds a card of
/// the board.
///
/// Opponents without a flush are compared once for each pair of ranks, of which there are 91, and
/// those with one once for each set of cards of the flush suit that they hold.
///
/// # Panics
/// If the set does not have five cards.
pub fn river_hole(board: CardSet, hole: Hole) -> Option<Tally> {
    assert_eq!(board.len(), 5, "a river board has five cards");
    if board.intersects(hole.set()) {
        return None;
    }
    let own = evaluate(board | hole.set());
    let (mut wins, mut ties) = (0u32, 0u32);
    let mut meet = |strength: Strength, holes: u32| {
        wins += if strength < own { holes } else { 0 };
        ties += if strength == own { holes } else { 0 };
    };
    let lanes = board.lanes();
    let left = (!(board | hole.set())).lanes();
    let flush = (0..4).find(|&suit| lanes[suit].count_ones() >= 3);
    let (lane, suited) = flush.map_or((0, 0), |suit| (lanes[suit], left[suit]));
    let on_board = lane.count_ones();

    let of_rank = |rank: usize| left.iter().map(|lane| u32::from(lane >> rank & 1)).sum::<u32>();
    let in_suit = |rank: usize| u32::from(suited >> rank & 1);
    if on_board < 5 {
        // Of each rank, the cards that make no flush: one of the suit alone does from four on.
        let mut cards = [0u32; 13];
        for (rank, cards) in cards.iter_mut().enumerate() {
            *cards = of_rank(rank) - if on_board == 4 { in_suit(rank) } else { 0 };
        }
        let pairs_flush = on_board == 3;
        let board_key = lanes.iter().fold(0u32, |key, &lane| key.wrapping_add(lane_key(lane)));
        let board_key = board_key & !FLUSH_BIT;
        for high in 0..13 {
            let key = board_key + key_of(high);
            let same = cards[high] * cards[high].saturating_sub(1) / 2;
            if same > 0 {
                meet(by_ranks(key + key_of(high)), same);
            }
            for low in 0..high {
                let both = if pairs_flush { in_suit(high) * in_suit(low) } else { 0 };
                let holes = cards[high] * cards[low] - both;
                if holes > 0 {
                    meet(by_ranks(key + key_of(low)), holes);
                }
            }
        }
    }
    if on_board >= 3 {
        let unsuited = 45 - suited.count_ones();
        if on_board == 5 {
            meet(flush_strength(lane), unsuited * (unsuited - 1) / 2);
        }
        for high in (0..13).filter(|&rank| in_suit(rank) > 0) {
            let with_high = lane | 1 << high;
            if on_board >= 4 {
                meet(flush_strength(with_high), unsuited);
            }
            for low in (0..high).filter(|&rank| in_suit(rank) > 0) {
                meet(flush_strength(with_high | 1 << low), 1);
            }
        }
    }
    Some(Tally { wins: wins.into(), ties: ties.into(), total: 990 })
}

/// The key of one more card of a rank.
#[inline]
fn key_of(rank: usize) -> u32 {
    rank_key(Rank::new(rank as u8).expect("below 13"))
}

/// Writes the strength of every hole of a river board into its row, as
/// [`Strength::get`](crate::Strength::get).
///
/// # Panics
/// If the set does not have five cards or the row 1,081 entries.
pub fn strength_row(board: CardSet, row: &mut [u16]) {
    let strengths = River::new(board).strengths();
    strengths.for_each_hole(&Deck::without(board), row, |entry, strength| *entry = strength);
}

/// Calls `visit` for each way to complete a flop or a turn board, in no particular order, with the
/// table that `make` made of the river board as the board's own deck sees it.
///
/// Isomorphic rivers of a turn share one table.
pub fn each_runout(
    board: CardSet,
    mut make: impl FnMut(&River) -> RiverTable,
    mut visit: impl FnMut(&DeckTable<'_>),
) {
    let deck = Deck::without(board);
    if board.len() == 3 {
        for runout in deck.holes() {
            visit(&make(&River::new(board | runout.set())).on(&deck, SuitMap::IDENTITY));
        }
        return;
    }
    for next in Symmetry::of(board).next_cards(board) {
        let table = make(&River::new(board | next.card.into()));
        // A map swaps two suits, so it is its own inverse.
        next.images().for_each(|(_, map)| visit(&table.on(&deck, map)));
    }
}

/// Writes the equity of every hole of a turn board into its row: sums of 46 river equities.
///
/// # Panics
/// If the set does not have four cards or the row 1,128 entries.
pub fn turn_row(board: CardSet, row: &mut [u32]) {
    row.fill(0);
    let equities = |river: &River| river.equities(0, |q| q);
    each_runout(board, equities, |table| {
        table.for_each_hole(row, |entry, q| *entry += u32::from(q));
    });
}

/// Writes the equity of every hole of a flop into its row: sums of 47 turn equities.
///
/// `turn_row_of` fills the row of a canonical turn board: from a table of all turns, or by
/// [`turn_row`].
///
/// # Panics
/// If the set does not have three cards or the row 1,176 entries.
pub fn flop_row(
    board: CardSet,
    row: &mut [u32],
    mut turn_row_of: impl FnMut(CanonicalBoard, &mut [u32]),
) {
    row.fill(0);
    let mut turns = [0; Deck::row_len(Street::Turn)];
    each_turn(board, |turn, map| {
        turn_row_of(turn, &mut turns);
        map.for_each_hole(row, |entry, slot| *entry += turns[slot]);
    });
}

/// Calls `visit` for each of the 49 turn cards of a flop, with the canonical board of both and the map
/// from the flop's row to that board's: it has no slot for the holes that the turn card blocks.
pub fn each_turn(flop: CardSet, mut visit: impl FnMut(CanonicalBoard, &DeckMap)) {
    let deck = Deck::without(flop);
    for &card in deck.cards() {
        let (board, suits) = CanonicalBoard::of_set(flop | card.into());
        visit(board, &DeckMap::new(&deck, &board.deck(), suits));
    }
}
