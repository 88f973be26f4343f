//! Random deals whose every card is fixed by a seed.

use lethe_cards::{Board, Card, Hole, Street};
use rand::SeedableRng;
use rand::rand_core::Rng;
use rand::rngs::ChaCha8Rng;

/// A source of deals. It draws whole 64-bit words, so that a new version of the `rand` crate changes no
/// deal.
#[derive(Debug)]
pub struct Deals(ChaCha8Rng);

impl Deals {
    /// The deals of a seed.
    pub fn new(seed: u64) -> Deals {
        Deals(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// `N` different cards.
    pub fn cards<const N: usize>(&mut self) -> [Card; N] {
        let mut deck: [u8; 52] = std::array::from_fn(|index| index as u8);
        std::array::from_fn(|place| {
            let other = place + self.below((52 - place) as u64) as usize;
            deck.swap(place, other);
            Card::from_index(deck[place] as usize).expect("an index below 52 is a card")
        })
    }

    /// A hole and a board of a street.
    pub fn situation(&mut self, street: Street) -> (Hole, Board) {
        let cards = self.cards::<7>();
        let hole = Hole::new(cards[0], cards[1]).expect("the cards differ");
        let board = &cards[2..2 + street.board_len()];
        (hole, Board::new(board).expect("as many cards as the street has"))
    }
}
