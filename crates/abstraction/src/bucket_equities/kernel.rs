//! All showdowns of a board's holes, counted by their buckets.
//!
//! The holes of a river board come in the order of their strength, in groups that tie. With
//! `below[b]` the holes of bucket `b` in the groups so far, each group does
//!
//! ```text
//! for each bucket a with n holes in the group:   wins[a][..] += n * below[..]
//! for each bucket a with n holes in the group:   below[a]    += n
//! ```
//!
//! which counts pairs of holes that share a card too. Those are few: the 46 holes of one card, in
//! the same order and gathered by group and bucket, are 15 to 30 items, and every two of different
//! groups are taken back from `wins`. (Two holes share at most one card, so no pair is taken back
//! twice.)
//!
//! Ties need no counting. Pairs that meet do so whatever their strength, so one count for each board
//! gives `met`, and `2 * wins + ties = met + wins - losses`.
//!
//! Buckets are renumbered for each board, in order, so that the tables are as small as the number of
//! buckets that occur there.

use lethe_cards::{CardSet, Deck, River, pair_index};

/// Rows of counters are padded to a multiple of this, so that they are added without remainders.
const LANES: usize = 16;
/// The holes that one card is in on a river board.
const HOLES_OF_CARD: usize = 46;

/// The showdowns of one board, by its own numbers of buckets.
///
/// One value serves one board after another: [`Showdowns::begin`] starts the next.
#[derive(Debug, Default)]
pub(super) struct Showdowns {
    /// The buckets that occur on the board, ascending.
    ids: Vec<u32>,
    /// The place in `ids` of each bucket; beyond them if it does not occur.
    places: Vec<u16>,
    /// How many holes each of `ids` has.
    sizes: Vec<u32>,
    /// The place in `ids` of each hole's bucket.
    row: Vec<u16>,
    /// The length of a padded row of counters.
    stride: usize,
    /// `wins[a * stride + b]`: how often a hole of `a` beats one of `b`.
    wins: Vec<u32>,
    /// `blocked[a * stride + b]` for `b <= a`: ordered pairs of holes that share a card, times the
    /// cards they share.
    blocked: Vec<u32>,
    sweep: Sweep,
}

/// What a sweep through one river board works with.
#[derive(Debug, Default)]
struct Sweep {
    /// How many holes of each bucket are weaker.
    below: Vec<u16>,
    /// How many holes of each bucket are in the group.
    group: Vec<u16>,
    /// The buckets that are in the group.
    present: Vec<u16>,
    cards: Vec<CardItems>,
}

/// Holes of one card alike in group and bucket.
#[derive(Clone, Copy, Debug, Default)]
struct Item {
    bucket: u16,
    holes: u8,
    /// How many items of the card are weaker: those before its group.
    weaker: u8,
}

/// The holes of one card, in groups of ascending strength.
#[derive(Clone, Copy, Debug)]
struct CardItems {
    items: [Item; HOLES_OF_CARD],
    len: u8,
    /// The number of the last item's group, and where that group begins.
    group: u16,
    start: u8,
}

impl CardItems {
    const NONE: CardItems = CardItems {
        items: [Item { bucket: 0, holes: 0, weaker: 0 }; HOLES_OF_CARD],
        len: 0,
        group: u16::MAX,
        start: 0,
    };

    fn clear(&mut self) {
        (self.len, self.group, self.start) = (0, u16::MAX, 0);
    }

    /// Adds a hole of a group that is not below those before it.
    #[inline]
    fn push(&mut self, group: u16, bucket: u16) {
        if self.group != group {
            (self.group, self.start) = (group, self.len);
        }
        let ties = &mut self.items[self.start as usize..self.len as usize];
        if let Some(item) = ties.iter_mut().find(|item| item.bucket == bucket) {
            item.holes += 1;
        } else {
            self.items[self.len as usize] = Item { bucket, holes: 1, weaker: self.start };
            self.len += 1;
        }
    }

    fn items(&self) -> &[Item] {
        &self.items[..self.len as usize]
    }
}

impl Showdowns {
    /// Starts a board with this deck, whose holes have these buckets.
    pub(super) fn begin(&mut self, deck: &Deck, buckets: &[u32]) {
        let top = buckets.iter().max().map_or(0, |&top| top as usize + 1);
        self.places.clear();
        self.places.resize(top, u16::MAX);
        for &bucket in buckets {
            self.places[bucket as usize] = 0;
        }
        self.ids.clear();
        for (bucket, place) in self.places.iter_mut().enumerate().filter(|(_, place)| **place == 0)
        {
            *place = self.ids.len() as u16;
            self.ids.push(bucket as u32);
        }
        self.row.clear();
        self.row.extend(buckets.iter().map(|&bucket| self.places[bucket as usize]));
        let count = self.ids.len();
        self.sizes.clear();
        self.sizes.resize(count, 0);
        for &bucket in &self.row {
            self.sizes[bucket as usize] += 1;
        }
        self.stride = count.next_multiple_of(LANES);
        self.wins.clear();
        self.wins.resize(count * self.stride, 0);
        self.blocked.clear();
        self.blocked.resize(count * self.stride, 0);
        self.sweep.below.resize(self.stride, 0);
        self.sweep.group.resize(self.stride, 0);
        self.sweep.cards.resize(52, CardItems::NONE);
        self.count_blocked(deck.cards().len());
    }

    /// Counts the pairs of holes that share a card.
    fn count_blocked(&mut self, cards: usize) {
        let Sweep { group: counts, present, .. } = &mut self.sweep;
        for card in 0..cards {
            for other in (0..cards).filter(|&other| other != card) {
                let bucket = self.row[pair_index(card.min(other), card.max(other))];
                if counts[bucket as usize] == 0 {
                    present.push(bucket);
                }
                counts[bucket as usize] += 1;
            }
            // Ascending, so that those up to a bucket are those before it.
            present.sort_unstable();
            for (i, &a) in present.iter().enumerate() {
                let row = &mut self.blocked[a as usize * self.stride..][..self.stride];
                let holes = u32::from(counts[a as usize]);
                for &b in &present[..=i] {
                    row[b as usize] += holes * u32::from(counts[b as usize]);
                }
            }
            for bucket in present.drain(..) {
                counts[bucket as usize] = 0;
            }
        }
    }

    /// Counts the showdowns of the board's holes on a river board that it may become, `weight`
    /// times.
    ///
    /// # Panics
    /// If the board's cards are not among the five of the river board.
    pub(super) fn add_river(&mut self, deck: &Deck, river: CardSet, weight: u16) {
        // Where the cards of the river board's deck stand in the board's own.
        let mut places = [0u8; 47];
        for (place, &card) in places.iter_mut().zip(Deck::without(river).cards()) {
            *place = deck.position(card).expect("the river board has the board's cards") as u8;
        }
        let Sweep { below, group: counts, present, cards } = &mut self.sweep;
        below.fill(0);
        cards.iter_mut().for_each(CardItems::clear);
        // No bucket at or above this one has come yet.
        let mut seen = 0;
        for (number, group) in River::new(river).showdown().groups().enumerate() {
            for hole in group {
                let [low, high] = hole.cards.map(|card| places[card as usize]);
                let bucket = self.row[pair_index(low as usize, high as usize)];
                if counts[bucket as usize] == 0 {
                    present.push(bucket);
                }
                counts[bucket as usize] += 1;
                cards[low as usize].push(number as u16, bucket);
                cards[high as usize].push(number as u16, bucket);
            }
            for &bucket in present.iter() {
                let row = &mut self.wins[bucket as usize * self.stride..][..seen];
                add_multiple(row, &below[..seen], counts[bucket as usize] * weight);
            }
            for bucket in present.drain(..) {
                below[bucket as usize] += std::mem::take(&mut counts[bucket as usize]);
                seen = seen.max((bucket as usize + 1).next_multiple_of(LANES));
            }
        }
        for card in cards {
            for stronger in card.items() {
                let row = &mut self.wins[stronger.bucket as usize * self.stride..][..self.stride];
                let holes = u32::from(stronger.holes) * u32::from(weight);
                for weaker in &card.items[..stronger.weaker as usize] {
                    row[weaker.bucket as usize] -= holes * u32::from(weaker.holes);
                }
            }
        }
    }

    /// The buckets that occur on the board, ascending: the order of the rows and columns of the sums.
    pub(super) fn buckets(&self) -> &[u32] {
        &self.ids
    }

    /// For the bucket in a place and each that is not above it: how many pairs of disjoint holes
    /// they have, and how many more showdowns the former wins than it loses.
    pub(super) fn row(&self, a: usize) -> impl Iterator<Item = (u32, i64)> {
        let row = a * self.stride..a * self.stride + a + 1;
        let (blocked, wins) = (&self.blocked[row.clone()], &self.wins[row]);
        let losses = self.wins[a..].iter().step_by(self.stride);
        let pairs =
            blocked.iter().zip(&self.sizes).enumerate().map(move |(b, (&blocked, &size))| {
                // A hole shares both its cards with itself.
                self.sizes[a] * size + u32::from(a == b) * size - blocked
            });
        pairs
            .zip(wins.iter().zip(losses))
            .map(|(pairs, (&wins, &losses))| (pairs, i64::from(wins) - i64::from(losses)))
    }
}

/// Adds `factor` times a row of counters to another.
#[inline]
fn add_multiple(sums: &mut [u32], counts: &[u16], factor: u16) {
    // Factors of 16 bits: their products are two instructions even on the oldest 64-bit machines.
    for (sum, &count) in sums.iter_mut().zip(counts) {
        *sum += u32::from(count) * u32::from(factor);
    }
}
