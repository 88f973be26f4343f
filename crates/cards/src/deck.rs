//! The cards left in the deck, and the row of holes they make.

use crate::board::Street;
use crate::card::Card;
use crate::card_set::CardSet;
use crate::hole::{Hole, pair_at, pair_index};

/// The cards that a board leaves in the deck, numbered from 0 in the order of their index.
///
/// A board's *row* has one entry for each pair of them. The hole of the cards numbered `i < j`
/// has the slot `j * (j - 1) / 2 + i`, so the holes with the same higher card are adjacent. See
/// [`Row`](crate::Row).
#[derive(Clone, Debug)]
pub struct Deck {
    cards: [Card; 52],
    /// The position of each card of the full deck; `NONE` if it is not in this one.
    positions: [u8; 52],
    len: u8,
}

const NONE: u8 = u8::MAX;

impl Deck {
    /// The deck without the dead cards.
    pub fn without(dead: CardSet) -> Deck {
        let mut deck = Deck {
            cards: [Card::from_index(0).expect("below 52"); 52],
            positions: [NONE; 52],
            len: 0,
        };
        for card in (!dead).iter() {
            deck.cards[deck.len as usize] = card;
            deck.positions[card.index()] = deck.len;
            deck.len += 1;
        }
        deck
    }

    /// The number of holes that a board of this street leaves: 1,326 / 1,176 / 1,128 / 1,081.
    pub const fn row_len(street: Street) -> usize {
        let cards = 52 - street.board_len();
        cards * (cards - 1) / 2
    }

    /// The cards, in the order of their index.
    #[inline]
    pub fn cards(&self) -> &[Card] {
        &self.cards[..self.len as usize]
    }

    /// The number of holes.
    pub fn holes_len(&self) -> usize {
        let cards = self.len as usize;
        cards * cards.saturating_sub(1) / 2
    }

    /// The position of a card in the deck, if it is there.
    #[inline]
    pub fn position(&self, card: Card) -> Option<usize> {
        let position = self.positions[card.index()];
        (position != NONE).then_some(position as usize)
    }

    /// The slot of a hole, if both its cards are there.
    #[inline]
    pub fn slot(&self, hole: Hole) -> Option<usize> {
        Some(pair_index(self.position(hole.low())?, self.position(hole.high())?))
    }

    /// The hole of a slot, if there is such a slot.
    pub fn hole(&self, slot: usize) -> Option<Hole> {
        let (low, high) = pair_at(slot);
        Hole::new(*self.cards().get(low)?, *self.cards().get(high)?)
    }

    /// The holes in the order of their slots.
    pub fn holes(&self) -> impl Iterator<Item = Hole> {
        let cards = self.cards();
        (1..cards.len()).flat_map(move |high| {
            cards[..high]
                .iter()
                .map(move |&low| Hole::new(low, cards[high]).expect("cards of a deck are distinct"))
        })
    }

    /// The row's length and the slot of a hole in the deck without `dead`, which it does not touch,
    /// without making the deck.
    #[inline]
    pub(crate) fn slot_without(dead: CardSet, hole: Hole) -> (usize, usize) {
        let place = |card: Card| card.index() - dead.count_below(card);
        let cards = 52 - dead.len();
        (cards * (cards - 1) / 2, pair_index(place(hole.low()), place(hole.high())))
    }
}
