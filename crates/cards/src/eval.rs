//! The evaluator: the strength of the best five of 5, 6 or 7 cards.
//!
//! Either five cards share a suit, or only the ranks matter.
//!
//! * Each lane of a [`CardSet`] has a *key*: the sum of `5^rank` over its cards. The four keys of
//!   a hand add up to a number in base 5 whose digits are how often each rank occurs, so the sum
//!   names the hand's ranks and nothing else. Its highest bit says that the lane has five cards or
//!   more, which at most one lane of a seven-card hand can.
//! * Without a flush, a perfect hash of that sum gives the strength: a multiplication yields a
//!   bucket and a base, the bucket's shift is added to the base, and that is the slot.
//! * With a flush, the lane itself is the index. (Five suited cards leave two others, too few for
//!   quads or a full house, so nothing else can beat the flush.)
//!
//! `build.rs` makes the tables by plain case analysis of all 73,775 rank multisets.

use std::fmt;

use crate::card::{Card, Rank};
use crate::card_set::CardSet;

include!(concat!(env!("OUT_DIR"), "/eval_tables.rs"));

pub(crate) const FLUSH_BIT: u32 = 1 << 31;

/// How strong a hand is: one of the 7,462 classes of five cards, the weakest 0.
///
/// Strengths order as hands do, and equal strengths split the pot.
///
/// ```
/// use lethe_cards::{Category, Strength, parse_cards};
/// let strength = Strength::of(&parse_cards("Ks Kd Kh Ts Tc 4d 2h")?).unwrap();
/// assert_eq!(strength.category(), Category::FullHouse);
/// assert_eq!(strength.to_string(), "full house, kings full of tens");
/// # Ok::<(), lethe_cards::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Strength(u16);

impl Strength {
    /// The number of strengths.
    pub const COUNT: usize = 7462;

    /// The strength of 5, 6 or 7 distinct cards; none for any other hand.
    pub fn of(cards: &[Card]) -> Option<Strength> {
        let set: CardSet = cards.iter().copied().collect();
        ((5..=7).contains(&cards.len()) && set.len() == cards.len()).then(|| evaluate(set))
    }

    /// The strength with this index, if it is below 7,462.
    pub const fn from_index(index: usize) -> Option<Strength> {
        if index < Strength::COUNT { Some(Strength(index as u16)) } else { None }
    }

    /// The strength's place from 0 (7-5-4-3-2) to 7,461 (royal flush).
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The strength as a bare number, for tables.
    #[inline]
    pub const fn get(self) -> u16 {
        self.0
    }

    /// The category of the hand.
    pub fn category(self) -> Category {
        Category::ALL[(CLASSES[self.index()] >> 20) as usize]
    }

    /// The ranks that make the hand, the most significant first: `[K, T]` for kings full of tens.
    ///
    /// A straight has only its top card, a full house two ranks, a pair its rank and three kickers.
    pub fn ranks(self) -> Vec<Rank> {
        let packed = CLASSES[self.index()];
        let nibbles = (0..self.category().significant_ranks()).map(|i| packed >> (16 - 4 * i) & 15);
        nibbles.map(|n| Rank::new(n as u8).expect("a class holds ranks")).collect()
    }
}

impl fmt::Display for Strength {
    /// The hand in words, as in "two pair, aces and eights, queen kicker".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ranks = self.ranks();
        let category = self.category();
        let kickers = |f: &mut fmt::Formatter<'_>, made: usize| {
            let names: Vec<_> = ranks[made..].iter().map(|r| r.name()).collect();
            let plural = if names.len() == 1 { "" } else { "s" };
            write!(f, ", {} kicker{plural}", names.join(" "))
        };
        match (category, &ranks[..]) {
            (Category::StraightFlush, [Rank::ACE]) => f.write_str("royal flush"),
            (Category::Straight | Category::StraightFlush, [top, ..]) => {
                write!(f, "{category}, {} high", top.name())
            }
            (Category::FullHouse, [trip, pair, ..]) => {
                write!(f, "{category}, {} full of {}", trip.plural(), pair.plural())
            }
            (Category::TwoPair, [high, low, ..]) => {
                write!(f, "{category}, {} and {}", high.plural(), low.plural())?;
                kickers(f, 2)
            }
            (Category::HighCard | Category::Flush, [high, ..]) => {
                write!(f, "{category}, {} high", high.name())?;
                kickers(f, 1)
            }
            (_, [made, ..]) => {
                write!(f, "{category}, {}", made.plural())?;
                kickers(f, 1)
            }
            (_, []) => unreachable!("every class has a rank"),
        }
    }
}

impl fmt::Debug for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({self})", self.0)
    }
}

/// What kind of hand it is, from the weakest to the strongest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// Nothing but high cards.
    HighCard,
    /// Two of a rank.
    Pair,
    /// Two pairs.
    TwoPair,
    /// Three of a rank.
    Trips,
    /// Five ranks in a row.
    Straight,
    /// Five of a suit.
    Flush,
    /// Three of a rank and two of another.
    FullHouse,
    /// Four of a rank.
    Quads,
    /// Five in a row of one suit.
    StraightFlush,
}

impl Category {
    /// All categories, weakest first.
    pub const ALL: [Category; 9] = [
        Category::HighCard,
        Category::Pair,
        Category::TwoPair,
        Category::Trips,
        Category::Straight,
        Category::Flush,
        Category::FullHouse,
        Category::Quads,
        Category::StraightFlush,
    ];

    /// The category's name.
    pub const fn name(self) -> &'static str {
        [
            "high card",
            "pair",
            "two pair",
            "three of a kind",
            "straight",
            "flush",
            "full house",
            "four of a kind",
            "straight flush",
        ][self as usize]
    }

    /// How many ranks tell two hands of the category apart.
    const fn significant_ranks(self) -> u32 {
        [5, 4, 3, 3, 1, 5, 2, 2, 1][self as usize]
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The strength of a set of 5, 6 or 7 cards.
///
/// The number of cards is not checked: any other set gives some strength of no meaning
/// ([`Strength::of`] is the checked way).
#[inline]
pub fn evaluate(cards: CardSet) -> Strength {
    let lanes = cards.lanes();
    let key = lanes.iter().fold(0u32, |key, &lane| key.wrapping_add(lane_key(lane)));
    if key & FLUSH_BIT == 0 {
        return by_ranks(key);
    }
    flush_strength(lanes.into_iter().find(|&l| lane_key(l) & FLUSH_BIT != 0).unwrap_or(0))
}

/// A hand as its cards are dealt, with what the evaluator needs kept up to date.
///
/// Adding a card takes two additions, and the strength of a finished hand two loads: where hands
/// are built card by card, or many share a board, this is the fastest way.
///
/// ```
/// use lethe_cards::{HandBuilder, evaluate, parse_cards};
/// let board: HandBuilder = parse_cards("Th 9h 8c 2d 2s")?.into_iter().collect();
/// let [a, b] = parse_cards("As Ks")?[..] else { unreachable!() };
/// let hand = board.with(a).with(b);
/// assert_eq!(hand.strength(), evaluate(hand.cards()));
/// # Ok::<(), lethe_cards::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct HandBuilder {
    cards: CardSet,
    /// In the upper half the hash of the ranks, a sum over the cards as it is linear; below, four
    /// counters of four bits, one per suit, that start at three, so that a suit's fifth card sets
    /// its counter's highest bit.
    key: u64,
}

/// What a card adds to a [`HandBuilder`]: its bit and its key, side by side so that both are one load. The
/// entries above 51 are there so that an index needs no check.
static STEPS: [[u64; 2]; 64] = {
    let mut steps = [[0; 2]; 64];
    let mut card = 0;
    while card < 52 {
        let hash = 5u32.pow(card as u32 / 4).wrapping_mul(MULTIPLIER);
        let bit = 1 << (card % 4 * 16 + card / 4);
        steps[card] = [bit, (hash as u64) << 32 | 1 << (4 * (card % 4))];
        card += 1;
    }
    steps
};

impl HandBuilder {
    const FLUSHES: u64 = 0x8888;

    /// The hand without a card.
    pub const EMPTY: HandBuilder = HandBuilder { cards: CardSet::EMPTY, key: 0x3333 };

    /// The hand with one card more, which it must not hold yet; at most seven in all.
    #[inline]
    #[must_use]
    pub fn with(self, card: Card) -> HandBuilder {
        debug_assert!(!self.cards.contains(card) && self.cards.len() < 7);
        let [bit, key] = STEPS[card.index() & 63];
        HandBuilder { cards: self.cards.with_bit(bit), key: self.key.wrapping_add(key) }
    }

    /// The cards.
    #[inline]
    pub fn cards(self) -> CardSet {
        self.cards
    }

    /// The strength of a hand of 5, 6 or 7 cards; of any other, some strength of no meaning.
    #[inline]
    pub fn strength(self) -> Strength {
        if self.key & HandBuilder::FLUSHES == 0 {
            return by_hash((self.key >> 32) as u32);
        }
        let suit = (self.key & HandBuilder::FLUSHES).trailing_zeros() / 4;
        flush_strength((self.cards.bits() >> (16 * suit)) as u16)
    }
}

impl FromIterator<Card> for HandBuilder {
    /// The hand of at most seven cards; repeated ones count once.
    #[inline]
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> HandBuilder {
        cards.into_iter().fold(HandBuilder::EMPTY, |hand, card| {
            if hand.cards.contains(card) { hand } else { hand.with(card) }
        })
    }
}

/// The key of a lane: its ranks in base 5, and [`FLUSH_BIT`] if it has five cards or more.
#[inline]
pub(crate) fn lane_key(lane: u16) -> u32 {
    LANE_KEYS[(lane & 0x1fff) as usize]
}

/// The key of one more card of a rank.
#[inline]
pub(crate) const fn rank_key(rank: Rank) -> u32 {
    const KEYS: [u32; 13] = {
        let mut keys = [1; 13];
        let mut rank = 1;
        while rank < 13 {
            keys[rank] = 5 * keys[rank - 1];
            rank += 1;
        }
        keys
    };
    KEYS[rank.index()]
}

/// The strength by ranks alone, given the sum of their keys.
#[inline]
pub(crate) fn by_ranks(key: u32) -> Strength {
    by_hash(key.wrapping_mul(MULTIPLIER))
}

/// The strength by the hash of the sum of rank keys.
#[inline]
fn by_hash(hash: u32) -> Strength {
    let shift = SHIFTS[(hash >> (32 - BUCKET_BITS)) as usize];
    let base = hash >> (32 - BUCKET_BITS - SLOT_BITS);
    Strength(SLOTS[((base + u32::from(shift)) & ((1 << SLOT_BITS) - 1)) as usize])
}

/// The strength of the best five cards of a lane of at least five.
#[inline]
pub(crate) fn flush_strength(lane: u16) -> Strength {
    Strength(FLUSHES[(lane & 0x1fff) as usize])
}
