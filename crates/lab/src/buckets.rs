//! The buckets of the boards of one game.

use std::collections::HashMap;

use lethe_abstraction::{Abstraction, PerStreet};
use lethe_cards::{Board, CanonicalBoard, Deck, Street};
use lethe_rows::{Buckets, DeckMap};

use crate::root::Root;

/// An abstraction restricted to the boards of one game: the buckets that occur there, numbered
/// from 0 without gaps.
#[derive(Clone, Debug, Default)]
pub struct GameBuckets {
    streets: PerStreet<StreetBuckets>,
}

/// The buckets of a street: a row for each canonical board that can lie there.
#[derive(Clone, Debug, Default)]
pub(crate) struct StreetBuckets {
    rows: HashMap<usize, Vec<u32>>,
    count: usize,
}

impl StreetBuckets {
    /// Rows of any numbers, by board.
    pub(crate) fn new(boards: &[(CanonicalBoard, u64)], mut rows: Vec<Vec<u32>>) -> StreetBuckets {
        let mut numbers = HashMap::new();
        for bucket in rows.iter_mut().flatten() {
            let next = numbers.len() as u32;
            *bucket = *numbers.entry(*bucket).or_insert(next);
        }
        let indices = boards.iter().map(|(board, _)| board.index());
        StreetBuckets { rows: indices.zip(rows).collect(), count: numbers.len() }
    }
}

impl GameBuckets {
    /// The buckets of the streets of a game, each made by `street`.
    pub(crate) fn build<E>(
        root: &Root,
        mut street: impl FnMut(Street) -> Result<StreetBuckets, E>,
    ) -> Result<GameBuckets, E> {
        let mut streets = PerStreet::default();
        for played in root.streets() {
            let place = match played {
                Street::Flop => &mut streets.flop,
                Street::Turn => &mut streets.turn,
                _ => &mut streets.river,
            };
            *place = street(played)?;
        }
        Ok(GameBuckets { streets })
    }

    /// A stored abstraction restricted to a game.
    pub fn of_artifact(root: &Root, abstraction: &Abstraction) -> GameBuckets {
        let street = |street| -> Result<_, std::convert::Infallible> {
            let boards = root.boards(street);
            let rows =
                boards.iter().map(|(board, _)| abstraction.row(&board.board()).to_vec()).collect();
            Ok(StreetBuckets::new(&boards, rows))
        };
        let Ok(buckets) = GameBuckets::build(root, street);
        buckets
    }

    /// How many buckets occur on each street; 0 on streets before the game starts.
    pub fn occurring(&self) -> PerStreet<usize> {
        let PerStreet { flop, turn, river } = &self.streets;
        PerStreet { flop: flop.count, turn: turn.count, river: river.count }
    }

    fn street(&self, street: Street) -> &StreetBuckets {
        self.streets.get(street).expect("a game has a board")
    }
}

impl Buckets for GameBuckets {
    fn count(&self, street: Street) -> usize {
        self.street(street).count
    }

    fn fill(&self, board: &Board, row: &mut [u32]) {
        let (canonical, suits) = CanonicalBoard::of(board);
        let stored = &self.street(board.street()).rows[&canonical.index()];
        let map = DeckMap::new(&Deck::without(board.set()), &canonical.deck(), suits);
        map.for_each_hole(row, |bucket, slot| *bucket = stored[slot]);
    }

    fn is_suit_invariant(&self) -> bool {
        true
    }
}
