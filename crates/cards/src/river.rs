//! A river board and its showdowns.
//!
//! On a river board most holes are alike. With fewer than three cards of a suit on the board there
//! is no flush, and a hole counts only by its two ranks: at most 91 kinds. Otherwise the cards of
//! the flush suit also differ from the others of their rank. So the cards left in the deck fall
//! into at most 26 *classes*, and whatever is to be known of a hole (its strength, its equity
//! against a uniform opponent) is known of a pair of classes.

use crate::board::Street;
use crate::card::{Card, Rank, Suit};
use crate::card_set::CardSet;
use crate::deck::Deck;
use crate::eval::{FLUSH_BIT, Strength, by_ranks, flush_strength, lane_key, rank_key};
use crate::hole::{Hole, pair_index};

/// The number of holes on a river board.
const HOLES: usize = Deck::row_len(Street::River);
/// Classes: one a rank for cards outside the flush suit, then one a rank for those in it.
const CLASSES: usize = 26;
/// Tables of pairs of classes have rows of this width: a power of two above [`CLASSES`].
const WIDTH: usize = 32;
/// Every pair of classes, the same one twice included.
const MAX_PAIRS: usize = CLASSES * (CLASSES + 1) / 2;

/// Twice the number of holes an opponent can have on the river: the equity of a hole against a
/// uniform opponent is `q / RIVER_SCALE` with `q = 2 * wins + ties`.
pub const RIVER_SCALE: u32 = 2 * 45 * 44 / 2;

/// A pair of classes and the strength of its holes, ordered by strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pair(u32);

impl Pair {
    fn new(strength: Strength, a: usize, b: usize) -> Pair {
        Pair(u32::from(strength.get()) << 16 | (a as u32) << 8 | b as u32)
    }

    fn strength(self) -> u16 {
        (self.0 >> 16) as u16
    }

    fn classes(self) -> (usize, usize) {
        ((self.0 >> 8 & 31) as usize, (self.0 & 31) as usize)
    }
}

/// The class of a card that is not in the deck.
pub const DEAD: u8 = 31;

/// A value for each pair of classes of a river board, and so for each hole.
#[derive(Clone, Debug)]
pub struct PairTable([u16; WIDTH * WIDTH]);

impl PairTable {
    fn new(dead: u16) -> PairTable {
        PairTable([dead; WIDTH * WIDTH])
    }

    #[inline]
    fn set(&mut self, (a, b): (usize, usize), value: u16) {
        self.0[a * WIDTH + b] = value;
        self.0[b * WIDTH + a] = value;
    }

    /// The value of the holes with a card of each of two classes.
    #[inline]
    pub fn get(&self, a: u8, b: u8) -> u16 {
        self.0[(a & 31) as usize * WIDTH + (b & 31) as usize]
    }

    /// Calls `visit` with each entry of a row and its hole's value, where `classes` are the classes
    /// of the deck's cards in order.
    #[inline]
    pub fn for_each_hole<T>(
        &self,
        classes: &[u8],
        row: &mut [T],
        mut visit: impl FnMut(&mut T, u16),
    ) {
        let mut rest = row;
        for (high, &class) in classes.iter().enumerate() {
            let start = (class & 31) as usize * WIDTH;
            let values: &[u16; WIDTH] =
                self.0[start..start + WIDTH].try_into().expect("a whole row");
            let entries = rest.split_off_mut(..high).expect("a row has an entry for every pair");
            for (entry, &low) in entries.iter_mut().zip(&classes[..high]) {
                visit(entry, values[(low & 31) as usize]);
            }
        }
    }
}

/// A river board made ready: the class of every card left, and the kinds of hole by strength.
#[derive(Clone, Debug)]
pub struct River {
    /// The class of each card by its index; [`DEAD`] for those on the board.
    classes: [u8; 52],
    /// How many cards each class has.
    sizes: [u16; CLASSES],
    /// The pairs of classes that a hole can be.
    pairs: [Pair; MAX_PAIRS],
    len: usize,
}

impl River {
    /// The river board of a set of five cards.
    ///
    /// # Panics
    /// If the set has not five cards.
    pub fn new(board: CardSet) -> River {
        assert_eq!(board.len(), 5, "a river board has five cards");
        let lanes = board.lanes();
        let flush = Suit::all().find(|s| lanes[s.index()].count_ones() >= 3);
        let mut river =
            River { classes: [DEAD; 52], sizes: [0; CLASSES], pairs: [Pair(0); MAX_PAIRS], len: 0 };
        for rank in 0..13 {
            for (suit, lane) in lanes.into_iter().enumerate() {
                if lane >> rank & 1 == 0 {
                    let in_flush = flush.is_some_and(|flush| flush.index() == suit);
                    let class = rank + if in_flush { 13 } else { 0 };
                    river.classes[4 * rank + suit] = class as u8;
                    river.sizes[class] += 1;
                }
            }
        }
        river.rank_pairs(lanes, flush);
        river
    }

    /// Lists the pairs of classes that a hole can be, with their strength.
    fn rank_pairs(&mut self, lanes: [u16; 4], flush: Option<Suit>) {
        let board_key = lanes.iter().fold(0u32, |key, &lane| key.wrapping_add(lane_key(lane)));
        let lane = flush.map_or(0, |suit| lanes[suit.index()]);
        let on_board = lane.count_ones();
        let suited = |class: usize| u16::from(class >= 13) << (class % 13);
        for b in 0..flush.map_or(13, |_| CLASSES) {
            let key = (board_key & !FLUSH_BIT) + class_key(b);
            for a in 0..=b {
                if self.holes((a, b)) > 0 {
                    let cards = on_board + u32::from(a >= 13) + u32::from(b >= 13);
                    let strength = match cards {
                        5.. => flush_strength(lane | suited(a) | suited(b)),
                        _ => by_ranks(key + class_key(a)),
                    };
                    self.pairs[self.len] = Pair::new(strength, a, b);
                    self.len += 1;
                }
            }
        }
    }

    /// How many holes a pair of classes has.
    #[inline]
    fn holes(&self, (a, b): (usize, usize)) -> u16 {
        let (n, m) = (self.sizes[a], self.sizes[b]);
        if a == b { n * n.saturating_sub(1) / 2 } else { n * m }
    }

    /// Calls `visit` with the kinds of hole of equal strength, weakest first.
    fn each_group(&self, visit: impl FnMut(&[Pair])) {
        let mut sorted = self.pairs;
        let sorted = &mut sorted[..self.len];
        radix_sort(sorted);
        sorted.chunk_by(|a, b| a.strength() == b.strength()).for_each(visit);
    }

    /// The class of a card; [`DEAD`] if it is on the board.
    #[inline]
    pub fn class(&self, card: Card) -> u8 {
        self.classes[card.index()]
    }

    /// Calls `visit` with each pair of classes, the number of its holes and their equity against a
    /// uniform opponent, as `q = 2 * wins + ties` of [`RIVER_SCALE`].
    #[inline]
    fn each_equity(&self, mut visit: impl FnMut((usize, usize), u16, u16)) {
        // `2 * weaker + equal` of all holes, and of those that hold one given card of a class. A
        // hole's own cards block `with(a) + with(b)` of them, itself counted once too often as equal.
        let mut weaker = 0u16;
        let mut weaker_with = [0u16; WIDTH];
        self.each_group(|group| {
            let mut equal = 0;
            let mut equal_with = [0u16; WIDTH];
            for pair in group {
                let (a, b) = pair.classes();
                equal += self.holes((a, b));
                if a == b {
                    equal_with[a] += self.sizes[a] - 1;
                } else {
                    equal_with[a] += self.sizes[b];
                    equal_with[b] += self.sizes[a];
                }
            }
            for pair in group {
                let (a, b) = pair.classes();
                let with = |class: usize| 2 * weaker_with[class] + equal_with[class];
                let q = 2 * weaker + equal + 1 - with(a) - with(b);
                visit((a, b), self.holes((a, b)), q);
            }
            weaker += equal;
            for (weaker, equal) in weaker_with.iter_mut().zip(equal_with) {
                *weaker += equal;
            }
        });
    }

    /// What `value` makes of the equity `q` of every hole against a uniform opponent, of
    /// [`RIVER_SCALE`]; `dead` for pairs of classes that are no hole.
    pub fn equities(&self, dead: u16, value: impl Fn(u16) -> u16) -> PairTable {
        let mut table = PairTable::new(dead);
        self.each_equity(|pair, _, q| table.set(pair, value(q)));
        table
    }

    /// The equity of one hole against a uniform opponent, as `q = 2 * wins + ties` of
    /// [`RIVER_SCALE`]; none if it holds a card of the board.
    ///
    /// It compares with every pair of classes once, by the cards that the hole leaves: no order is
    /// needed.
    pub fn equity(&self, hole: Hole) -> Option<u16> {
        let (a, b) = (self.class(hole.low()) as usize, self.class(hole.high()) as usize);
        let own_classes = (a.min(b), a.max(b));
        let pairs = &self.pairs[..self.len];
        let own = pairs.iter().find(|pair| pair.classes() == own_classes)?.strength();
        let mut left = self.sizes;
        left[a] -= 1;
        left[b] -= 1;
        let score = |pair: &Pair| {
            let (x, y) = pair.classes();
            let holes =
                if x == y { left[x] * left[x].saturating_sub(1) / 2 } else { left[x] * left[y] };
            holes * (u16::from(pair.strength() < own) + u16::from(pair.strength() <= own))
        };
        Some(pairs.iter().map(score).sum())
    }

    /// Calls `visit` with each equity `q` of [`RIVER_SCALE`] and how many holes have it; an equity
    /// may come several times.
    pub fn count_equities(&self, mut visit: impl FnMut(u16, u32)) {
        self.each_equity(|_, holes, q| visit(q, holes.into()));
    }

    /// The strength of every hole, as [`Strength::get`].
    pub fn strengths(&self) -> PairTable {
        let mut table = PairTable::new(0);
        for pair in &self.pairs[..self.len] {
            table.set(pair.classes(), pair.strength());
        }
        table
    }

    /// The holes in the order of their strength.
    pub fn showdown(&self) -> Showdown {
        // The deck's positions by class, so that a pair of classes lists its holes at once.
        let mut members = [[0u8; 4]; CLASSES];
        let mut counts = [0usize; CLASSES];
        for (position, &class) in self.classes.iter().filter(|&&c| c != DEAD).enumerate() {
            members[class as usize][counts[class as usize]] = position as u8;
            counts[class as usize] += 1;
        }
        let mut holes = Vec::with_capacity(HOLES);
        let mut bounds = Vec::with_capacity(self.len + 1);
        bounds.push(0);
        self.each_group(|group| {
            for pair in group {
                let (a, b) = pair.classes();
                for (i, &x) in members[a][..counts[a]].iter().enumerate() {
                    let later = if a == b { i + 1 } else { 0 };
                    for &y in &members[b][later..counts[b]] {
                        let (low, high) = (x.min(y), x.max(y));
                        let slot = pair_index(low as usize, high as usize) as u16;
                        holes.push(RankedHole { slot, low, high });
                    }
                }
            }
            bounds.push(holes.len() as u16);
        });
        Showdown { holes, bounds }
    }
}

/// A hole of a river board: its slot in the row and the places of its cards in the deck.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RankedHole {
    /// The hole's slot in the board's row.
    pub slot: u16,
    /// The lower card's place among the 47 cards left.
    pub low: u8,
    /// The higher card's place among the 47 cards left.
    pub high: u8,
}

/// The 1,081 holes of a river board in the order of their strength, in groups that tie.
#[derive(Clone, Debug)]
pub struct Showdown {
    holes: Vec<RankedHole>,
    /// Where the groups begin, and the end of the last.
    bounds: Vec<u16>,
}

impl Showdown {
    /// The groups of holes that tie, weakest first.
    pub fn groups(&self) -> impl DoubleEndedIterator<Item = &[RankedHole]> + ExactSizeIterator {
        self.bounds.windows(2).map(|b| &self.holes[b[0] as usize..b[1] as usize])
    }
}

/// The key that one more card of a class adds.
#[inline]
fn class_key(class: usize) -> u32 {
    rank_key(Rank::new((class % 13) as u8).expect("below 13"))
}

/// Sorts pairs by strength: two passes of seven bits each, which is less work than comparing.
fn radix_sort(pairs: &mut [Pair]) {
    const DIGIT: usize = 1 << 7;
    let mut other = [Pair(0); MAX_PAIRS];
    let other = &mut other[..pairs.len()];
    let pass = |from: &[Pair], to: &mut [Pair], shift: u32| {
        let digit = |pair: &Pair| (pair.0 >> shift) as usize & (DIGIT - 1);
        let mut starts = [0u16; DIGIT];
        for pair in from {
            starts[digit(pair)] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += std::mem::replace(start, sum);
        }
        for pair in from {
            let start = &mut starts[digit(pair)];
            to[*start as usize] = *pair;
            *start += 1;
        }
    };
    pass(pairs, other, 16);
    pass(other, pairs, 23);
}
