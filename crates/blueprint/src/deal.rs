//! A board of five cards made ready: its holes by strength, and their buckets on every street.

use lethe_abstraction::Abstraction;
use lethe_cards::{Board, Card, CardSet, Deck, Hole, River, Street, pair_index};

/// The holes on a river board.
pub(crate) const HOLES: usize = Deck::row_len(Street::River);
/// The length of a row of them, padded to whole vectors.
pub(crate) const STRIDE: usize = HOLES.next_multiple_of(16);

/// Gives every hole of a board a bucket.
pub trait Buckets: Sync {
    /// How many buckets a street after the preflop has.
    fn count(&self, street: Street) -> usize;

    /// Writes the buckets of all holes of a board, in the order of the board's own deck.
    fn fill(&self, board: &Board, row: &mut [u32]);

    /// The bucket of one hole that does not touch the board.
    fn of(&self, hole: Hole, board: &Board) -> u32;
}

impl Buckets for Abstraction {
    fn count(&self, street: Street) -> usize {
        self.buckets(street)
    }

    fn fill(&self, board: &Board, row: &mut [u32]) {
        self.row_into(board, row);
    }

    fn of(&self, hole: Hole, board: &Board) -> u32 {
        self.bucket(hole, board).expect("the hole does not touch the board")
    }
}

/// The buckets of a row of holes, numbered by the order in which they occur.
#[derive(Clone, Debug, Default)]
pub(crate) struct DenseBuckets {
    /// The buckets that occur.
    pub(crate) distinct: Vec<u32>,
    /// The place in `distinct` of every hole's bucket.
    pub(crate) local: Vec<u16>,
}

/// Room to number buckets.
#[derive(Debug)]
pub(crate) struct Numberer {
    /// By bucket: the round in which it was last seen, and its number then.
    seen: Vec<(u32, u16)>,
    round: u32,
}

impl Numberer {
    pub(crate) fn new(buckets: usize) -> Numberer {
        Numberer { seen: vec![(0, 0); buckets], round: 0 }
    }

    /// Numbers a row of buckets.
    pub(crate) fn number(&mut self, row: impl Iterator<Item = u32>, locals: &mut DenseBuckets) {
        if self.round == u32::MAX {
            self.seen.fill((0, 0));
            self.round = 0;
        }
        self.round += 1;
        locals.distinct.clear();
        locals.local.clear();
        for bucket in row {
            let seen = &mut self.seen[bucket as usize];
            if seen.0 != self.round {
                *seen = (self.round, locals.distinct.len() as u16);
                locals.distinct.push(bucket);
            }
            locals.local.push(seen.1);
        }
    }
}

/// An entry of [`Ranked`]: the deck's places of both cards, and its own place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) cards: [u8; 2],
    pub(crate) at: u16,
}

/// The holes of a river board by strength.
#[derive(Debug)]
pub(crate) struct Ranked {
    /// The deck's places of both cards of every entry.
    pub(crate) cards: Vec<[u8; 2]>,
    /// The entries in the same order, but those of equal strength backwards.
    pub(crate) back: Vec<Step>,
    /// The slot in the board's own row of every entry.
    pub(crate) slots: Vec<u16>,
    /// The cards of the board's deck.
    pub(crate) deck: Vec<Card>,
}

impl Ranked {
    pub(crate) fn new() -> Ranked {
        Ranked {
            cards: vec![[0; 2]; HOLES],
            back: vec![Step { cards: [0; 2], at: 0 }; HOLES],
            slots: vec![0; HOLES],
            deck: Vec::new(),
        }
    }

    /// Ranks the holes of a board of five cards.
    pub(crate) fn set(&mut self, board: CardSet) {
        self.deck.clear();
        self.deck.extend_from_slice(Deck::without(board).cards());
        let mut at = 0;
        for group in River::new(board).showdown().groups() {
            let start = at;
            for hole in group {
                self.cards[at] = [hole.low, hole.high];
                self.slots[at] = hole.slot;
                at += 1;
            }
            for (step, at) in self.back[start..at].iter_mut().zip((start..at).rev()) {
                *step = Step { cards: self.cards[at], at: at as u16 };
            }
        }
    }

    /// Writes the slot of every entry in the row of a larger deck.
    pub(crate) fn slots_in(&self, deck: &Deck, slots: &mut [u16]) {
        let mut places = [0; 52];
        for (place, &card) in places.iter_mut().zip(&self.deck) {
            *place = deck.position(card).expect("a larger deck has the card");
        }
        for (slot, cards) in slots.iter_mut().zip(&self.cards) {
            let [low, high] = cards.map(|card| places[card as usize]);
            *slot = pair_index(low.min(high), low.max(high)) as u16;
        }
    }
}

/// A whole board: its holes by strength, with their buckets on all four streets.
#[derive(Debug)]
pub(crate) struct Deal {
    pub(crate) ranked: Ranked,
    /// By street.
    pub(crate) locals: [DenseBuckets; 4],
    numberers: [Numberer; 4],
    row: Vec<u32>,
    slots: Vec<u16>,
}

impl Deal {
    pub(crate) fn new(buckets: &dyn Buckets) -> Deal {
        Deal {
            ranked: Ranked::new(),
            locals: Default::default(),
            numberers: Street::ALL.map(|street| match street {
                Street::Preflop => Numberer::new(lethe_cards::StartingHand::COUNT),
                _ => Numberer::new(buckets.count(street)),
            }),
            row: vec![0; Deck::row_len(Street::Flop)],
            slots: vec![0; HOLES],
        }
    }

    /// Makes a board of five cards ready, in the order they were dealt.
    pub(crate) fn set(&mut self, cards: &[Card; 5], buckets: &dyn Buckets) {
        self.ranked.set(cards.iter().copied().collect());
        let ranked = &self.ranked;
        let classes = ranked.cards.iter().map(|cards| {
            let [low, high] = cards.map(|card| ranked.deck[card as usize]);
            Hole::new(low, high).expect("two cards").class().index() as u32
        });
        self.numberers[0].number(classes, &mut self.locals[0]);
        for street in Street::POSTFLOP {
            let board = Board::new(&cards[..street.board_len()]).expect("cards differ");
            let row = &mut self.row[..Deck::row_len(street)];
            buckets.fill(&board, row);
            if street == Street::River {
                self.slots.copy_from_slice(&ranked.slots);
            } else {
                ranked.slots_in(&Deck::without(board.set()), &mut self.slots);
            }
            let row = self.slots.iter().map(|&slot| row[slot as usize]);
            self.numberers[street.index()].number(row, &mut self.locals[street.index()]);
        }
    }
}
