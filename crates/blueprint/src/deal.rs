//! Dealt boards: their holes, by strength on the river, and their buckets on every street.

use lethe_cards::{Board, Card, CardSet, Deck, RankedHole, River, Street, SuitMap};
use lethe_rows::{Buckets, DeckMap, Entries, Order, Seat, fill_checked};

/// The holes on a river board.
pub(crate) const HOLES: usize = Deck::row_len(Street::River);
/// The holes on a turn board.
pub(crate) const TURN_HOLES: usize = Deck::row_len(Street::Turn);

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

    /// Writes the slot of every entry in the row of a larger deck.
    pub(crate) fn slots_in(&self, deck: &Deck, slots: &mut [u16]) {
        let map = DeckMap::new(&self.deck, deck, SuitMap::IDENTITY);
        for (slot, &cards) in slots.iter_mut().zip(self.entries.cards()) {
            *slot = map.slot(cards).expect("a larger deck has all cards") as u16;
        }
    }
}

/// A turn board and one or more rivers after it: holes and their buckets on all streets.
#[derive(Debug)]
pub(crate) struct Deal {
    /// The cards of the holes that the turn leaves: the entries of rows before the river.
    pub(crate) turn: Entries,
    /// Before the river, by street: the buckets of those holes.
    pub(crate) dense: [DenseBuckets; 3],
    /// As many as were dealt last.
    pub(crate) rivers: Vec<RiverDeal>,
    /// The holes that none of the rivers leaves.
    pub(crate) blocked: Vec<u16>,
    numberers: [Numberer; 4],
    row: Vec<u32>,
    slots: Vec<u16>,
}

/// A river of a [`Deal`].
#[derive(Debug)]
pub(crate) struct RiverDeal {
    /// Its holes by strength: the entries of its rows.
    pub(crate) ranked: Ranked,
    pub(crate) dense: DenseBuckets,
    /// The slot on the turn of every entry.
    pub(crate) slots: Vec<u16>,
    /// By entry: how much the river counts among those that the hole has.
    pub(crate) weights: Vec<f32>,
}

/// How many rivers a hole can see after a turn, for each that its opponent's hole leaves.
const RIVERS: f32 = 46.0 / 44.0;

impl Deal {
    pub(crate) fn new(buckets: &dyn Buckets) -> Deal {
        Deal {
            turn: Entries::default(),
            dense: Default::default(),
            rivers: Vec::new(),
            blocked: Vec::new(),
            numberers: Street::ALL.map(|street| match street {
                Street::Preflop => Numberer::new(lethe_cards::StartingHand::COUNT),
                _ => Numberer::new(buckets.count(street)),
            }),
            row: vec![0; Deck::row_len(Street::Flop)],
            slots: Vec::new(),
        }
    }

    /// Deals a turn, whose flop comes first, and some rivers.
    pub(crate) fn set(&mut self, cards: &[Card; 4], rivers: &[Card], buckets: &dyn Buckets) {
        let flop = Board::new(&cards[..3]).expect("cards differ");
        let turn = Board::new(cards).expect("cards differ");
        let deck = Deck::without(turn.set());
        let positions = deck.cards().len() as u8;
        self.turn.set((1..positions).flat_map(|high| (0..high).map(move |low| [low, high])));
        let classes = deck.holes().map(|hole| hole.class().index() as u32);
        self.numberers[0].number(classes, &mut self.dense[0]);
        let map = DeckMap::new(&deck, &Deck::without(flop.set()), SuitMap::IDENTITY);
        self.slots = map.slots();
        let row = &mut self.row[..Deck::row_len(Street::Flop)];
        fill(buckets, &flop, row);
        let row = self.slots.iter().map(|&slot| row[slot as usize]);
        self.numberers[1].number(row, &mut self.dense[1]);
        let row = &mut self.row[..Deck::row_len(Street::Turn)];
        fill(buckets, &turn, row);
        self.numberers[2].number(row.iter().copied(), &mut self.dense[2]);
        self.deal_rivers(cards, &deck, rivers, buckets);
    }

    fn deal_rivers(
        &mut self,
        cards: &[Card; 4],
        deck: &Deck,
        rivers: &[Card],
        buckets: &dyn Buckets,
    ) {
        self.rivers.resize_with(rivers.len(), || RiverDeal {
            ranked: Ranked::new(),
            dense: DenseBuckets::default(),
            slots: vec![0; HOLES],
            weights: vec![0.0; HOLES],
        });
        let mut seen = vec![0_u16; self.turn.len()];
        for (river, &card) in self.rivers.iter_mut().zip(rivers) {
            let [a, b, c, d] = *cards;
            let board = Board::new(&[a, b, c, d, card]).expect("cards differ");
            river.ranked.set(board.set());
            river.ranked.slots_in(deck, &mut river.slots);
            let row = &mut self.row[..HOLES];
            fill(buckets, &board, row);
            let row = river.ranked.slots.iter().map(|&slot| row[slot as usize]);
            self.numberers[3].number(row, &mut river.dense);
            river.slots.iter().for_each(|&slot| seen[slot as usize] += 1);
        }
        // With a single river the opponent, too, has only holes that it leaves.
        let factor = if rivers.len() == 1 { 1.0 } else { RIVERS };
        for river in &mut self.rivers {
            for (weight, &slot) in river.weights.iter_mut().zip(&river.slots) {
                *weight = factor / f32::from(seen[slot as usize]);
            }
        }
        self.blocked.clear();
        let none = seen.iter().enumerate().filter(|&(_, &seen)| seen == 0);
        self.blocked.extend(none.map(|(slot, _)| slot as u16));
    }

    /// How many holes an opponent can have.
    pub(crate) fn opponents(&self) -> f32 {
        match self.rivers.len() {
            1 => (45 * 44 / 2) as f32,
            _ => (46 * 45 / 2) as f32,
        }
    }

    /// The turn as a walk sees it, for either player.
    pub(crate) fn seat(&self) -> Seat<'_> {
        const NO_ORDER: &Order = &Order::EMPTY;
        Seat { own: &self.turn, opponent: &self.turn, order: NO_ORDER, player: 0 }
    }
}
