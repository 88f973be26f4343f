//! The row of a board: one entry for each hole that its cards leave, and the one walk through it.

use std::ops::{Deref, DerefMut, Index, IndexMut};

use crate::card_set::CardSet;
use crate::deck::Deck;
use crate::hole::{Hole, pair_index};
use crate::iso::SuitMap;

/// One entry for each hole that a board leaves, in the order of [`Deck::holes`].
///
/// A row has 1,176 entries on the flop, 1,128 on the turn and 1,081 on the river. It derefs to a
/// slice by slot; indexing by a [`Hole`] finds the entry of that hole.
///
/// ```
/// use lethe_cards::{Board, Hole, Row};
/// let board: Board = "Th9h8c".parse()?;
/// let suited = Row::from_fn(board.set(), |hole: Hole| hole.low().suit() == hole.high().suit());
/// assert_eq!(suited.len(), 1176);
/// assert!(suited["AsKs".parse::<Hole>()?]);
/// assert_eq!(suited.get("ThKs".parse()?), None);
/// # Ok::<(), lethe_cards::ParseError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Row<T> {
    deck: Deck,
    entries: Vec<T>,
}

impl<T> Row<T> {
    /// The row of a board with the same value everywhere.
    pub fn new(board: CardSet, value: T) -> Row<T>
    where
        T: Clone,
    {
        let deck = Deck::without(board);
        Row { entries: vec![value; deck.holes_len()], deck }
    }

    /// The row of a board with the value of each hole.
    pub fn from_fn(board: CardSet, value: impl FnMut(Hole) -> T) -> Row<T> {
        let deck = Deck::without(board);
        Row { entries: deck.holes().map(value).collect(), deck }
    }

    /// The cards that the board leaves.
    pub fn deck(&self) -> &Deck {
        &self.deck
    }

    /// The entry of a hole; `None` if it holds a card of the board.
    #[inline]
    pub fn get(&self, hole: Hole) -> Option<&T> {
        Some(&self.entries[self.deck.slot(hole)?])
    }

    /// Every hole with its entry.
    pub fn holes(&self) -> impl Iterator<Item = (Hole, &T)> {
        self.deck.holes().zip(&self.entries)
    }
}

impl<T> Deref for Row<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.entries
    }
}

impl<T> DerefMut for Row<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.entries
    }
}

impl<T> Index<Hole> for Row<T> {
    type Output = T;

    /// The entry of a hole.
    ///
    /// # Panics
    /// If the hole holds a card of the board.
    #[inline]
    fn index(&self, hole: Hole) -> &T {
        self.get(hole).expect("the hole holds no card of the board")
    }
}

impl<T> IndexMut<Hole> for Row<T> {
    #[inline]
    fn index_mut(&mut self, hole: Hole) -> &mut T {
        let slot = self.deck.slot(hole).expect("the hole holds no card of the board");
        &mut self.entries[slot]
    }
}

/// The walk through a row by higher card: for each of `cards` cards, the entries of its holes with
/// the cards before it, in their order.
///
/// Every loop over the holes of a row that needs their cards is written on this one.
///
/// # Panics
/// If the row does not have an entry for each pair of cards.
#[inline]
pub fn by_high_card<T>(row: &mut [T], cards: usize) -> impl Iterator<Item = &mut [T]> {
    assert_eq!(row.len(), cards * cards.saturating_sub(1) / 2, "an entry for each pair of cards");
    let mut rest = row;
    (0..cards).map(move |high| rest.split_off_mut(..high).expect("the length was checked"))
}

/// Where the cards of one deck are in another, perhaps after renaming suits.
///
/// It maps the slots of one board's row to those of another's: to a board with fewer cards, to one
/// with more, or to the canonical board that it is isomorphic to.
#[derive(Clone, Debug)]
pub struct DeckMap {
    positions: [u8; 52],
    /// For each card of the first deck, where its rank begins there.
    ranks: [u8; 52],
    len: usize,
    /// Whether the other deck has every card.
    complete: bool,
}

/// The position of a card that the other deck does not have.
const ABSENT: u8 = u8::MAX;

impl DeckMap {
    /// The map from one deck to another, where `suits` renames the suits of the former.
    pub fn new(from: &Deck, to: &Deck, suits: SuitMap) -> DeckMap {
        let (cards, mut positions, mut ranks) = (from.cards(), [ABSENT; 52], [0; 52]);
        let mut first = 0;
        for (at, &card) in cards.iter().enumerate() {
            positions[at] = to.position(suits.card(card)).map_or(ABSENT, |place| place as u8);
            if card.rank() != cards[first].rank() {
                first = at;
            }
            ranks[at] = first as u8;
        }
        let complete = !positions[..cards.len()].contains(&ABSENT);
        DeckMap { positions, ranks, len: cards.len(), complete }
    }

    /// The slot in the other row of the hole of two cards, given by their positions; `None` if the
    /// other deck lacks one of them.
    #[inline]
    pub fn slot(&self, cards: [u8; 2]) -> Option<usize> {
        let [a, b] = cards.map(|card| self.positions[card as usize]);
        (a != ABSENT && b != ABSENT).then(|| pair_index(a.min(b) as usize, a.max(b) as usize))
    }

    /// The slot in the other row of every hole whose cards are both there.
    pub fn slots(&self) -> Vec<u16> {
        let mut slots = vec![0; self.len * self.len.saturating_sub(1) / 2];
        let mut count = 0;
        self.for_each_hole(&mut slots, |entry, slot| {
            *entry = slot as u16;
            count += 1;
        });
        debug_assert_eq!(count, slots.len(), "the other deck has all cards");
        slots
    }

    /// Calls `visit` with each entry of a row whose hole the other deck has, and its slot there.
    ///
    /// # Panics
    /// If the row does not have an entry for each hole of the first deck.
    #[inline]
    pub fn for_each_hole<T>(&self, row: &mut [T], mut visit: impl FnMut(&mut T, usize)) {
        for (high, entries) in by_high_card(row, self.len).enumerate() {
            let place = self.positions[high];
            if place == ABSENT {
                continue;
            }
            // Suits change names and ranks do not, so only cards of one rank change places.
            let rank = self.ranks[high] as usize;
            let (lower, same) = entries.split_at_mut(rank);
            let start = place as usize * (place as usize).saturating_sub(1) / 2;
            if self.complete {
                for (entry, &low) in lower.iter_mut().zip(&self.positions[..rank]) {
                    visit(entry, start + low as usize);
                }
            } else {
                for (entry, &low) in lower.iter_mut().zip(&self.positions[..rank]) {
                    if low != ABSENT {
                        visit(entry, start + low as usize);
                    }
                }
            }
            for (entry, &low) in same.iter_mut().zip(&self.positions[rank..high]) {
                if low != ABSENT {
                    let (low, high) = (low.min(place), low.max(place));
                    visit(entry, pair_index(low as usize, high as usize));
                }
            }
        }
    }
}
