//! Spots and buckets for the tests inside the crate.

use std::sync::Arc;

use lethe_cards::{Board, Deck, Range, Street, evaluate};
use lethe_game::{BetSizes, Game, PlayerSizes, Sizes, SpotConfig, StreetSizes, Tree};
use lethe_rows::Buckets;

use crate::spot::Spot;

pub(crate) const POT: u32 = 100;
pub(crate) const STACK: u32 = 250;

pub(crate) fn spot(board: &str, oop: &str, ip: &str) -> Spot {
    let sizes = PlayerSizes {
        bet: Sizes::parse_bets("50%").unwrap(),
        raise: Sizes::parse_raises("a").unwrap(),
        donk: None,
    };
    let street = StreetSizes { oop: sizes.clone(), ip: sizes, max_raises: None };
    let bet_sizes = BetSizes { flop: street.clone(), turn: street.clone(), river: street };
    let config = SpotConfig { bet_sizes, ..SpotConfig::new(POT, STACK) };
    let board: Board = board.parse().unwrap();
    let ranges = [oop, ip].map(|text| text.parse::<Range>().unwrap());
    let tree = Tree::build(Game::spot(&config, board.street()).unwrap(), Tree::NODE_LIMIT).unwrap();
    Spot::new(board, ranges, Arc::new(tree)).unwrap()
}

/// Ten buckets by the strength of the hand as it lies.
pub(crate) struct Strength;

impl Buckets for Strength {
    fn count(&self, _: Street) -> usize {
        10
    }

    fn fill(&self, board: &Board, row: &mut [u32]) {
        for (bucket, hole) in row.iter_mut().zip(Deck::without(board.set()).holes()) {
            *bucket = u32::from(evaluate(board.set() | hole.set()).get()) / 750;
        }
    }

    fn is_suit_invariant(&self) -> bool {
        true
    }
}
