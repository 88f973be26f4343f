//! `CardSet`: a set of cards as four 16-bit suit lanes.

use std::fmt;
use std::ops::{BitOr, BitOrAssign, Not, Sub};

use crate::card::{Card, Suit};

/// A set of cards: a `u64` of four 16-bit lanes, one per suit, one bit per rank.
///
/// Clubs are the lowest lane, spades the highest; within a lane the deuce is bit 0 and the ace
/// bit 12, and bits 13 to 15 are never set. A permutation of suits is a permutation of lanes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct CardSet(u64);

impl CardSet {
    /// No card.
    pub const EMPTY: CardSet = CardSet(0);
    /// All 52 cards.
    pub const DECK: CardSet = CardSet(0x1fff_1fff_1fff_1fff);

    /// The set with these bits, if none lies outside the lanes.
    pub const fn from_bits(bits: u64) -> Option<CardSet> {
        if bits & !CardSet::DECK.0 == 0 { Some(CardSet(bits)) } else { None }
    }

    /// The set whose lane for each suit (clubs first) has these rank bits.
    pub(crate) const fn from_lanes(lanes: [u16; 4]) -> CardSet {
        CardSet(
            lanes[0] as u64
                | (lanes[1] as u64) << 16
                | (lanes[2] as u64) << 32
                | (lanes[3] as u64) << 48,
        )
    }

    /// The set's bits.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The set of one card.
    #[inline]
    pub const fn of(card: Card) -> CardSet {
        /// The bit of each card; the entries above 51 are there so that an index needs no check.
        static BITS: [u64; 64] = {
            let mut bits = [0; 64];
            let mut card = 0;
            while card < 52 {
                bits[card] = 1 << (card % 4 * 16 + card / 4);
                card += 1;
            }
            bits
        };
        CardSet(BITS[card.index() & 63])
    }

    /// How many cards of the set have a lower index than this one.
    #[inline]
    pub(crate) const fn count_below(self, card: Card) -> usize {
        const EVERY_LANE: u64 = 0x0001_0001_0001_0001;
        let rank = EVERY_LANE << card.rank().index();
        let lower_ranks = rank - EVERY_LANE;
        let lower_suits = rank & ((1 << (card.suit().index() * 16)) - 1);
        (self.0 & (lower_ranks | lower_suits)).count_ones() as usize
    }

    /// The set with the card of a bit of the lanes, which it must not hold yet.
    #[inline]
    pub(crate) const fn with_bit(self, bit: u64) -> CardSet {
        debug_assert!(bit & !CardSet::DECK.0 == 0 && self.0 & bit == 0);
        CardSet(self.0 | bit)
    }

    /// The rank bits of one suit.
    #[inline]
    pub const fn lane(self, suit: Suit) -> u16 {
        (self.0 >> (suit.index() * 16)) as u16
    }

    /// The rank bits of every suit, clubs first.
    #[inline]
    pub const fn lanes(self) -> [u16; 4] {
        [self.0 as u16, (self.0 >> 16) as u16, (self.0 >> 32) as u16, (self.0 >> 48) as u16]
    }

    /// The number of cards.
    #[inline]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there is no card.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the card is in the set.
    #[inline]
    pub const fn contains(self, card: Card) -> bool {
        self.0 & CardSet::of(card).0 != 0
    }

    /// Whether the sets share a card.
    #[inline]
    pub const fn intersects(self, other: CardSet) -> bool {
        self.0 & other.0 != 0
    }

    /// Adds a card.
    #[inline]
    pub const fn insert(&mut self, card: Card) {
        self.0 |= CardSet::of(card).0;
    }

    /// The cards in the order of their index.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Card> {
        Card::all().filter(move |&card| self.contains(card))
    }

    /// The first card of the set in the order of the lanes (clubs first, then by rank).
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Card> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(Card::from_lane_bit(bit))
    }
}

impl FromIterator<Card> for CardSet {
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> CardSet {
        cards.into_iter().fold(CardSet::EMPTY, |set, card| set | CardSet::of(card))
    }
}

impl From<Card> for CardSet {
    fn from(card: Card) -> CardSet {
        CardSet::of(card)
    }
}

impl BitOr for CardSet {
    type Output = CardSet;
    #[inline]
    fn bitor(self, other: CardSet) -> CardSet {
        CardSet(self.0 | other.0)
    }
}

impl BitOrAssign for CardSet {
    #[inline]
    fn bitor_assign(&mut self, other: CardSet) {
        self.0 |= other.0;
    }
}

impl Sub for CardSet {
    type Output = CardSet;
    /// The cards of this set that are not in the other.
    #[inline]
    fn sub(self, other: CardSet) -> CardSet {
        CardSet(self.0 & !other.0)
    }
}

impl Not for CardSet {
    type Output = CardSet;
    /// The rest of the deck.
    #[inline]
    fn not(self) -> CardSet {
        CardSet::DECK - self
    }
}

impl fmt::Display for CardSet {
    /// The cards, highest first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().rev().try_for_each(|card| write!(f, "{card}"))
    }
}

impl fmt::Debug for CardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{self}}}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_hold_one_suit_each() {
        for card in Card::all() {
            let set = CardSet::of(card);
            assert_eq!(set.lane(card.suit()), 1 << card.rank().index());
            assert_eq!(set.len(), 1);
            assert_eq!(CardSet::from_lanes(set.lanes()), set);
        }
        assert_eq!(Card::all().collect::<CardSet>(), CardSet::DECK);
    }

    #[test]
    fn counting_below_agrees_with_the_order_of_indices() {
        let set: CardSet = Card::all().filter(|card| card.index() % 5 < 2).collect();
        for card in Card::all() {
            let below = set.iter().filter(|other| other.index() < card.index()).count();
            assert_eq!(set.count_below(card), below, "{card}");
        }
    }

    #[test]
    fn popping_empties_the_deck_once() {
        let mut deck = CardSet::DECK;
        let mut seen = CardSet::EMPTY;
        while let Some(card) = deck.pop() {
            assert!(!seen.contains(card));
            seen.insert(card);
        }
        assert_eq!(seen, CardSet::DECK);
    }
}
