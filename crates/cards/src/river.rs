//! A river board and its showdowns.
//!
//! On a river board many holes are equivalent. With fewer than three cards of a suit on the board
//! there is no flush, and only the two ranks of a hole matter: at most 91 pairs. Otherwise the cards
//! of the flush suit also differ from the others of their rank. So the cards left in the deck are of
//! at most 26 *kinds*, and the strength of a hole, like its equity against a random opponent,
//! depends only on the kinds of its cards.

use crate::board::Street;
use crate::card::{Rank, Suit};
use crate::card_set::CardSet;
use crate::card_sums::RankedHole;
use crate::deck::Deck;
use crate::eval::{FLUSH_BIT, Strength, by_ranks, flush_strength, lane_key, rank_key};
use crate::hole::{Hole, pair_index};
use crate::iso::SuitMap;
use crate::row::by_high_card;

/// The number of holes on a river board.
const HOLES: usize = Deck::row_len(Street::River);
/// Kinds of cards: one per rank for cards outside the flush suit, then one per rank for those in it.
const KINDS: usize = 26;
/// Tables of pairs of kinds have rows of this width: a power of two above [`KINDS`].
const WIDTH: usize = 32;
/// Every pair of kinds, the same one twice included.
const MAX_PAIRS: usize = KINDS * (KINDS + 1) / 2;

/// Twice the number of holes an opponent can have on the river: the equity of a hole against a
/// random opponent is `q / RIVER_SCALE` with `q = 2 * wins + ties`.
pub const RIVER_SCALE: u32 = 2 * 45 * 44 / 2;

/// A pair of kinds and the strength of its holes, ordered by strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pair(u32);

impl Pair {
    fn new(strength: Strength, a: usize, b: usize) -> Pair {
        Pair(u32::from(strength.get()) << 16 | (a as u32) << 8 | b as u32)
    }

    fn strength(self) -> u16 {
        (self.0 >> 16) as u16
    }

    fn kinds(self) -> (usize, usize) {
        ((self.0 >> 8 & 31) as usize, (self.0 & 31) as usize)
    }
}

/// What a card is on a river board: its rank, and whether it is of the flush suit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CardKind(u8);

impl CardKind {
    /// The kind of a card on the board.
    const DEAD: CardKind = CardKind(31);

    #[inline]
    fn index(self) -> usize {
        (self.0 & 31) as usize
    }
}

/// A value for each hole of a river board.
#[derive(Clone, Debug)]
pub struct RiverTable {
    /// By pair of kinds.
    values: [u16; WIDTH * WIDTH],
    /// By card.
    kinds: [CardKind; 52],
}

impl RiverTable {
    #[inline]
    fn set(&mut self, (a, b): (usize, usize), value: u16) {
        self.values[a * WIDTH + b] = value;
        self.values[b * WIDTH + a] = value;
    }

    /// The value of a hole; that of dead holes if it holds a card of the board.
    #[inline]
    pub fn get(&self, hole: Hole) -> u16 {
        let [low, high] = [hole.low(), hole.high()].map(|card| self.kinds[card.index()].index());
        self.values[low * WIDTH + high]
    }

    /// The table as a deck sees it, which may have cards of the board, after renaming its suits.
    #[inline]
    pub fn on(&self, deck: &Deck, suits: SuitMap) -> DeckTable<'_> {
        let mut kinds = [CardKind::DEAD; 52];
        for (kind, &card) in kinds.iter_mut().zip(deck.cards()) {
            *kind = self.kinds[suits.card(card).index()];
        }
        DeckTable { values: &self.values, kinds, len: deck.cards().len() }
    }

    /// Calls `visit` with each entry of a deck's row and its hole's value.
    #[inline]
    pub fn for_each_hole<T>(&self, deck: &Deck, row: &mut [T], visit: impl FnMut(&mut T, u16)) {
        self.on(deck, SuitMap::IDENTITY).for_each_hole(row, visit);
    }
}

/// A [`RiverTable`] as a deck sees it.
#[derive(Clone, Debug)]
pub struct DeckTable<'a> {
    values: &'a [u16; WIDTH * WIDTH],
    /// By position in the deck.
    kinds: [CardKind; 52],
    len: usize,
}

impl DeckTable<'_> {
    /// Calls `visit` with each entry of the deck's row and its hole's value.
    ///
    /// # Panics
    /// If the row does not have an entry for each hole of the deck.
    #[inline]
    pub fn for_each_hole<T>(&self, row: &mut [T], mut visit: impl FnMut(&mut T, u16)) {
        for (high, entries) in by_high_card(row, self.len).enumerate() {
            let start = self.kinds[high].index() * WIDTH;
            let values: &[u16; WIDTH] =
                self.values[start..start + WIDTH].try_into().expect("a whole row");
            for (entry, low) in entries.iter_mut().zip(&self.kinds[..high]) {
                visit(entry, values[low.index()]);
            }
        }
    }
}

/// A river board: the kind of every card left, and the kinds of hole by strength.
#[derive(Clone, Debug)]
pub struct River {
    /// The kind of each card by its index.
    kinds: [CardKind; 52],
    /// How many cards each kind has.
    sizes: [u16; KINDS],
    /// The pairs of kinds that a hole can be.
    pairs: [Pair; MAX_PAIRS],
    len: usize,
}

impl River {
    /// The river board of a set of five cards.
    ///
    /// # Panics
    /// If the set does not have five cards.
    pub fn new(board: CardSet) -> River {
        assert_eq!(board.len(), 5, "a river board has five cards");
        let lanes = board.lanes();
        let flush = Suit::all().find(|s| lanes[s.index()].count_ones() >= 3);
        let mut river = River {
            kinds: [CardKind::DEAD; 52],
            sizes: [0; KINDS],
            pairs: [Pair(0); MAX_PAIRS],
            len: 0,
        };
        for rank in 0..13 {
            for (suit, lane) in lanes.into_iter().enumerate() {
                if lane >> rank & 1 == 0 {
                    let in_flush = flush.is_some_and(|flush| flush.index() == suit);
                    let kind = rank + if in_flush { 13 } else { 0 };
                    river.kinds[4 * rank + suit] = CardKind(kind as u8);
                    river.sizes[kind] += 1;
                }
            }
        }
        river.rank_pairs(lanes, flush);
        river
    }

    /// Lists the pairs of kinds that a hole can be, with their strength.
    fn rank_pairs(&mut self, lanes: [u16; 4], flush: Option<Suit>) {
        let board_key = lanes.iter().fold(0u32, |key, &lane| key.wrapping_add(lane_key(lane)));
        let lane = flush.map_or(0, |suit| lanes[suit.index()]);
        let on_board = lane.count_ones();
        let suited = |kind: usize| u16::from(kind >= 13) << (kind % 13);
        for b in 0..flush.map_or(13, |_| KINDS) {
            let key = (board_key & !FLUSH_BIT) + kind_key(b);
            for a in 0..=b {
                if self.holes((a, b)) > 0 {
                    let cards = on_board + u32::from(a >= 13) + u32::from(b >= 13);
                    let strength = match cards {
                        5.. => flush_strength(lane | suited(a) | suited(b)),
                        _ => by_ranks(key + kind_key(a)),
                    };
                    self.pairs[self.len] = Pair::new(strength, a, b);
                    self.len += 1;
                }
            }
        }
    }

    /// How many holes a pair of kinds has.
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

    /// Calls `visit` with each pair of kinds, the number of its holes and their equity against a
    /// random opponent, as `q = 2 * wins + ties` of [`RIVER_SCALE`].
    #[inline]
    fn each_equity(&self, mut visit: impl FnMut((usize, usize), u16, u16)) {
        // `2 * weaker + equal` of all holes, and of those that hold one given card of a kind. A
        // hole's own cards block `with(a) + with(b)` of them, itself counted once too often as equal.
        let mut weaker = 0u16;
        let mut weaker_with = [0u16; WIDTH];
        self.each_group(|group| {
            let mut equal = 0;
            let mut equal_with = [0u16; WIDTH];
            for pair in group {
                let (a, b) = pair.kinds();
                equal += self.holes((a, b));
                if a == b {
                    equal_with[a] += self.sizes[a] - 1;
                } else {
                    equal_with[a] += self.sizes[b];
                    equal_with[b] += self.sizes[a];
                }
            }
            for pair in group {
                let (a, b) = pair.kinds();
                let with = |kind: usize| 2 * weaker_with[kind] + equal_with[kind];
                let q = 2 * weaker + equal + 1 - with(a) - with(b);
                visit((a, b), self.holes((a, b)), q);
            }
            weaker += equal;
            for (weaker, equal) in weaker_with.iter_mut().zip(equal_with) {
                *weaker += equal;
            }
        });
    }

    fn table(&self, dead: u16) -> RiverTable {
        RiverTable { values: [dead; WIDTH * WIDTH], kinds: self.kinds }
    }

    /// A table of `value(q)` for the equity `q` of every hole against a random opponent, in units of
    /// 1 / [`RIVER_SCALE`]; `dead` for holes with a card of the board.
    pub fn equities(&self, dead: u16, value: impl Fn(u16) -> u16) -> RiverTable {
        let mut table = self.table(dead);
        self.each_equity(|pair, _, q| table.set(pair, value(q)));
        table
    }

    /// Calls `visit` with each equity `q` of [`RIVER_SCALE`] and how many holes have it; an equity
    /// may be visited several times.
    pub fn count_equities(&self, mut visit: impl FnMut(u16, u32)) {
        self.each_equity(|_, holes, q| visit(q, holes.into()));
    }

    /// The strength of every hole, as [`Strength::get`]; 0 for those with a card of the board.
    pub fn strengths(&self) -> RiverTable {
        let mut table = self.table(0);
        for pair in &self.pairs[..self.len] {
            table.set(pair.kinds(), pair.strength());
        }
        table
    }

    /// The holes in the order of their strength.
    pub fn showdown(&self) -> Showdown {
        // The deck's positions by kind, so that a pair of kinds lists its holes at once.
        let mut members = [[0u8; 4]; KINDS];
        let mut counts = [0usize; KINDS];
        let live = self.kinds.iter().filter(|&&kind| kind != CardKind::DEAD);
        for (position, kind) in live.map(|kind| kind.index()).enumerate() {
            members[kind][counts[kind]] = position as u8;
            counts[kind] += 1;
        }
        let mut holes = Vec::with_capacity(HOLES);
        let mut bounds = Vec::with_capacity(self.len + 1);
        bounds.push(0);
        self.each_group(|group| {
            for pair in group {
                let (a, b) = pair.kinds();
                for (i, &x) in members[a][..counts[a]].iter().enumerate() {
                    let later = if a == b { i + 1 } else { 0 };
                    for &y in &members[b][later..counts[b]] {
                        let cards = [x.min(y), x.max(y)];
                        let slot = pair_index(cards[0] as usize, cards[1] as usize) as u16;
                        holes.push(RankedHole { slot, cards });
                    }
                }
            }
            bounds.push(holes.len() as u16);
        });
        Showdown { holes, bounds }
    }
}

/// The 1,081 holes of a river board in the order of their strength, in groups that tie.
///
/// The numbers of a hole's cards are their positions among the 47 cards left.
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

/// The key that one more card of a kind adds.
#[inline]
fn kind_key(kind: usize) -> u32 {
    rank_key(Rank::new((kind % 13) as u8).expect("below 13"))
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
