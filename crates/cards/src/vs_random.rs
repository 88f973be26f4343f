//! Equity against a uniform opponent for every hole of a board at once.
//!
//! Values are integers: sums of `q = 2 * wins + ties` over the rivers that can follow. A river's
//! equity is `q / 1,980`, a turn's the sum over 46 rivers, a flop's the sum over 47 turns of those.

use crate::board::Street;
use crate::card::Card;
use crate::card_set::CardSet;
use crate::deck::Deck;
use crate::hole::pair_index;
use crate::iso::{CanonicalBoard, Symmetry};
use crate::river::{DEAD, PairTable, RIVER_SCALE, River};

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
/// If the set has not five cards or the row not 1,081 entries.
pub fn river_row(board: CardSet, row: &mut [u16]) {
    let river = River::new(board);
    let classes = classes_in(&Deck::without(board), &river);
    river.equities(0, |q| q).for_each_hole(&classes[..47], row, |entry, q| *entry = q);
}

/// Writes the strength of every hole of a river board into its row, as
/// [`Strength::get`](crate::Strength::get).
///
/// # Panics
/// If the set has not five cards or the row not 1,081 entries.
pub fn strength_row(board: CardSet, row: &mut [u16]) {
    let river = River::new(board);
    let classes = classes_in(&Deck::without(board), &river);
    river.strengths().for_each_hole(&classes[..47], row, |entry, strength| *entry = strength);
}

/// The classes of a deck's cards on a river board.
fn classes_in(deck: &Deck, river: &River) -> [u8; 52] {
    let mut classes = [DEAD; 52];
    for (class, &card) in classes.iter_mut().zip(deck.cards()) {
        *class = river.class(card);
    }
    classes
}

/// Calls `visit` for each of the 48 rivers of a turn board, with the table that `make` made of it
/// and the classes of the turn's deck (the river card itself is [`DEAD`]).
///
/// Rivers that the board's own suit symmetry makes alike share one table.
pub fn each_river(
    turn: CardSet,
    mut make: impl FnMut(&River) -> PairTable,
    mut visit: impl FnMut(Card, &PairTable, &[u8; 48]),
) {
    let deck = Deck::without(turn);
    for next in Symmetry::of(turn).next_cards(turn) {
        let river = River::new(turn | next.card.into());
        let table = make(&river);
        for (card, map) in next.images() {
            // The map swaps two suits, so it is its own inverse.
            let mut classes = [DEAD; 48];
            for (class, &card) in classes.iter_mut().zip(deck.cards()) {
                *class = river.class(map.card(card));
            }
            visit(card, &table, &classes);
        }
    }
}

/// Calls `visit` for each of the 1,176 pairs of turn and river cards of a flop, in no order, with
/// the table that `make` made of the river board and the classes of the flop's deck (the two cards
/// themselves are [`DEAD`]).
pub fn each_runout(
    flop: CardSet,
    mut make: impl FnMut(&River) -> PairTable,
    mut visit: impl FnMut(&PairTable, &[u8; 49]),
) {
    let deck = Deck::without(flop);
    for runout in deck.holes() {
        let river = River::new(flop | runout.set());
        let mut classes = [DEAD; 49];
        classes.copy_from_slice(&classes_in(&deck, &river)[..49]);
        visit(&make(&river), &classes);
    }
}

/// Writes the equity of every hole of a turn board into its row: sums of 46 river equities.
///
/// # Panics
/// If the set has not four cards or the row not 1,128 entries.
pub fn turn_row(board: CardSet, row: &mut [u32]) {
    row.fill(0);
    let equities = |river: &River| river.equities(0, |q| q);
    each_river(board, equities, |_, table, classes| {
        table.for_each_hole(classes, row, |entry, q| *entry += u32::from(q));
    });
}

/// Writes the equity of every hole of a flop into its row: sums of 47 turn equities.
///
/// `turn_row_of` fills the row of a canonical turn board: from a table of all turns, or by
/// [`turn_row`].
///
/// # Panics
/// If the set has not three cards or the row not 1,176 entries.
pub fn flop_row(
    board: CardSet,
    row: &mut [u32],
    mut turn_row_of: impl FnMut(CanonicalBoard, &mut [u32]),
) {
    row.fill(0);
    let mut turns = [0; Deck::row_len(Street::Turn)];
    each_turn(board, |turn| {
        turn_row_of(turn.board, &mut turns);
        turn.for_each_hole(row, |entry, slot| *entry += turns[slot]);
    });
}

/// A turn card of a flop, and where the flop's holes stand in the row of the canonical turn board.
#[derive(Clone, Debug)]
pub struct TurnOf {
    /// The canonical board of flop and turn.
    pub board: CanonicalBoard,
    /// Where each card of the flop's deck stands in the deck of the canonical turn board.
    places: [u8; 49],
}

impl TurnOf {
    /// Calls `visit` with each entry of the flop's row whose hole is not blocked by the turn card,
    /// and the hole's slot in the row of the canonical turn board.
    #[inline]
    pub fn for_each_hole<T>(&self, row: &mut [T], mut visit: impl FnMut(&mut T, usize)) {
        let mut rest = row;
        for (high, &place) in self.places.iter().enumerate() {
            let entries = rest.split_off_mut(..high).expect("a row has an entry for every pair");
            if place == DEAD_PLACE {
                continue;
            }
            for (entry, &low) in entries.iter_mut().zip(&self.places[..high]) {
                if low != DEAD_PLACE {
                    let (low, high) = (low.min(place), low.max(place));
                    visit(entry, pair_index(low as usize, high as usize));
                }
            }
        }
    }
}

const DEAD_PLACE: u8 = u8::MAX;

/// Calls `visit` for each of the 49 turn cards of a flop.
pub fn each_turn(flop: CardSet, mut visit: impl FnMut(&TurnOf)) {
    let deck = Deck::without(flop);
    for &card in deck.cards() {
        let (board, map) = CanonicalBoard::of_set(flop | card.into());
        let turn_deck = board.deck();
        let mut places = [DEAD_PLACE; 49];
        for (place, &other) in places.iter_mut().zip(deck.cards()) {
            if let Some(position) = turn_deck.position(map.card(other)) {
                *place = position as u8;
            }
        }
        visit(&TurnOf { board, places });
    }
}
