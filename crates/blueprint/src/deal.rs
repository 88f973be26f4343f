//! A dealt board: its holes by strength, and their buckets on every street.

use lethe_cards::{Board, Card, CardSet, Deck, Hole, RankedHole, River, Street, SuitMap};
use lethe_rows::{Buckets, DeckMap, Entries, Order, Seat, fill_checked};

/// The holes on a river board.
pub(crate) const HOLES: usize = Deck::row_len(Street::River);
/// The length of a row of them, padded to whole squares.
pub(crate) const STRIDE: usize = (HOLES + 1).next_multiple_of(8);

/// The buckets of a row of holes, numbered by the order in which they occur.
#[derive(Clone, Debug, Default)]
pub(crate) struct DenseBuckets {
    /// The buckets that occur.
    pub(crate) distinct: Vec<u32>,
    /// The position in `distinct` of every hole's bucket.
    pub(crate) local: Vec<u16>,
}

/// Numbers the buckets of rows.
#[derive(Debug)]
pub(crate) struct Numberer {
    /// By bucket: the round in which it was last seen, and its number in that round.
    seen: Vec<(u32, u16)>,
    round: u32,
}

impl Numberer {
    pub(crate) fn new(buckets: usize) -> Numberer {
        Numberer { seen: vec![(0, 0); buckets], round: 0 }
    }

    /// Numbers a row of buckets.
    pub(crate) fn number(&mut self, row: impl Iterator<Item = u32>, dense: &mut DenseBuckets) {
        if self.round == u32::MAX {
            self.seen.fill((0, 0));
            self.round = 0;
        }
        self.round += 1;
        dense.distinct.clear();
        dense.local.clear();
        for bucket in row {
            let seen = &mut self.seen[bucket as usize];
            if seen.0 != self.round {
                *seen = (self.round, dense.distinct.len() as u16);
                dense.distinct.push(bucket);
            }
            dense.local.push(seen.1);
        }
    }
}

/// Fills a row of buckets.
///
/// # Panics
/// If a bucket is out of range: the abstraction is damaged.
pub(crate) fn fill(buckets: &dyn Buckets, board: &Board, row: &mut [u32]) {
    fill_checked(buckets, board, row).unwrap_or_else(|error| panic!("{error}"));
}

/// The holes of a river board by strength: the entries of rows, for both players the same.
#[derive(Debug)]
pub(crate) struct Ranked {
    entries: Entries,
    order: Order,
    /// The slot in the board's own row of every entry.
    pub(crate) slots: Vec<u16>,
    deck: Deck,
}

impl Ranked {
    pub(crate) fn new() -> Ranked {
        Ranked {
            entries: Entries::default(),
            order: Order::default(),
            slots: Vec::new(),
            deck: Deck::without(CardSet::EMPTY),
        }
    }

    /// Ranks the holes of a board of five cards.
    pub(crate) fn set(&mut self, board: CardSet) {
        self.deck = Deck::without(board);
        self.order.clear();
        self.slots.clear();
        let showdown = River::new(board).showdown();
        for group in showdown.groups() {
            for hole in group {
                let entry = RankedHole { slot: self.slots.len() as u16, cards: hole.cards };
                self.order.push(0, entry);
                self.order.push(1, entry);
                self.slots.push(hole.slot);
            }
            self.order.close_group();
        }
        self.entries.set(showdown.groups().flatten().map(|hole| hole.cards));
    }

    /// Where each group of holes of equal strength ends, weakest first.
    pub(crate) fn ends(&self) -> impl Iterator<Item = usize> {
        self.order.ends(0)
    }

    /// The board as a walk sees it, for either player.
    pub(crate) fn seat(&self) -> Seat<'_> {
        Seat { own: &self.entries, opponent: &self.entries, order: &self.order, player: 0 }
    }

    /// The hole of every entry.
    fn holes(&self) -> impl Iterator<Item = Hole> {
        let cards = self.deck.cards();
        self.entries.cards().iter().map(|hole| {
            let [low, high] = hole.map(|card| cards[card as usize]);
            Hole::new(low, high).expect("two cards")
        })
    }

    /// Writes the slot of every entry in the row of a larger deck.
    pub(crate) fn slots_in(&self, deck: &Deck, slots: &mut [u16]) {
        let map = DeckMap::new(&self.deck, deck, SuitMap::IDENTITY);
        for (slot, &cards) in slots.iter_mut().zip(self.entries.cards()) {
            *slot = map.slot(cards).expect("a larger deck has all cards") as u16;
        }
    }
}

/// A board of five cards: its holes by strength, with their buckets on all four streets.
#[derive(Debug)]
pub(crate) struct Deal {
    pub(crate) ranked: Ranked,
    /// By street.
    pub(crate) dense: [DenseBuckets; 4],
    numberers: [Numberer; 4],
    row: Vec<u32>,
    slots: Vec<u16>,
}

impl Deal {
    pub(crate) fn new(buckets: &dyn Buckets) -> Deal {
        Deal {
            ranked: Ranked::new(),
            dense: Default::default(),
            numberers: Street::ALL.map(|street| match street {
                Street::Preflop => Numberer::new(lethe_cards::StartingHand::COUNT),
                _ => Numberer::new(buckets.count(street)),
            }),
            row: vec![0; Deck::row_len(Street::Flop)],
            slots: vec![0; HOLES],
        }
    }

    /// Deals five cards, in this order.
    pub(crate) fn set(&mut self, cards: &[Card; 5], buckets: &dyn Buckets) {
        self.ranked.set(cards.iter().copied().collect());
        let ranked = &self.ranked;
        let classes = ranked.holes().map(|hole| hole.class().index() as u32);
        self.numberers[0].number(classes, &mut self.dense[0]);
        for street in Street::POSTFLOP {
            let board = Board::new(&cards[..street.board_len()]).expect("cards differ");
            let row = &mut self.row[..Deck::row_len(street)];
            fill(buckets, &board, row);
            if street == Street::River {
                self.slots.copy_from_slice(&ranked.slots);
            } else {
                ranked.slots_in(&Deck::without(board.set()), &mut self.slots);
            }
            let row = self.slots.iter().map(|&slot| row[slot as usize]);
            self.numberers[street.index()].number(row, &mut self.dense[street.index()]);
        }
    }
}
