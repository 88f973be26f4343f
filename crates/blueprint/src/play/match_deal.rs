//! `MatchDeal`: the cards of a deal and the numbers that its actions are drawn by.

use lethe_cards::{Board, Card, CardSet, Hole, Street};

use super::hand::draw;
use crate::random::{Domain, Random};

/// A deal of a match, the same for whoever plays it.
///
/// Every hand of the deal draws its actions by the same random numbers ([`MatchDeal::draws`]).
#[derive(Clone, Debug)]
pub struct MatchDeal {
    /// The big blind's hole and the small blind's.
    pub holes: [Hole; 2],
    /// The five cards of the board, in the order in which they are dealt.
    pub board: Board,
    random: Random,
}

impl MatchDeal {
    /// The `number`-th deal of a seed.
    pub fn new(seed: u64, number: u64) -> MatchDeal {
        let mut random = Random::new(Domain::Match, seed, number);
        let cards: [Card; 9] = random.cards(CardSet::EMPTY);
        let hole = |at: usize| Hole::new(cards[at], cards[at + 1]).expect("cards differ");
        let board = Board::new(&cards[4..]).expect("cards differ");
        MatchDeal { holes: [hole(0), hole(2)], board, random }
    }

    /// The board of a street.
    pub fn board_on(&self, street: Street) -> Board {
        Board::new(&self.board.cards()[..street.board_len()]).expect("cards differ")
    }

    /// What the actions of a hand are drawn by, from its first on.
    pub fn draws(&self) -> Draws {
        Draws(self.random.clone())
    }
}

/// The random numbers of a hand, one for each action.
#[derive(Clone, Debug)]
pub struct Draws(Random);

impl Draws {
    /// The place of the next action, given how often each is taken.
    pub fn place(&mut self, shares: &[f32]) -> usize {
        draw(shares, self.0.fraction())
    }
}
