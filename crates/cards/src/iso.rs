//! Suit isomorphism: canonical boards and situations, and the suits that remain interchangeable on a board.
//!
//! Suits are only names. Two situations are the same if a permutation of the suits turns one into
//! the other, and the *canonical form* picks one of the (at most 24) images: the four pairs of
//! lanes `(board lane, hole lane)` sorted, the largest pair becoming spades, then hearts, diamonds
//! and clubs. Sorting by the board's lane first makes the canonical board the same for every
//! hole. As a number, the canonical board is the largest of its images.

use std::fmt;

use crate::board::{Board, Street};
use crate::card::{Card, Suit};
use crate::card_set::CardSet;
use crate::deck::Deck;
use crate::hole::{Hole, pair_index};
use crate::index;

/// A permutation of the suits.
///
/// Two bits for each suit, clubs lowest: a map made and used at once never leaves its register.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SuitMap(u8);

impl SuitMap {
    /// The permutation that changes nothing.
    pub const IDENTITY: SuitMap = SuitMap(0b11_10_01_00);

    /// The permutation under which clubs, diamonds, hearts and spades become these.
    fn new(suits: [Suit; 4]) -> SuitMap {
        let bits =
            |map: u8, (suit, image): (usize, Suit)| map | (image.index() as u8) << (2 * suit);
        SuitMap(suits.into_iter().enumerate().fold(0, bits))
    }

    /// What clubs, diamonds, hearts and spades become.
    fn suits(self) -> [Suit; 4] {
        [Suit::CLUBS, Suit::DIAMONDS, Suit::HEARTS, Suit::SPADES].map(|suit| self.suit(suit))
    }

    /// All 24 permutations, the identity first.
    pub fn all() -> impl Iterator<Item = SuitMap> {
        let permutation = |code: usize| {
            let mut left: Vec<Suit> = Suit::all().collect();
            SuitMap::new([code / 6, code / 2 % 3, code % 2, 0].map(|place| left.remove(place)))
        };
        (0..24).map(permutation)
    }

    /// The permutation that swaps two suits.
    pub fn swap(a: Suit, b: Suit) -> SuitMap {
        let mut suits = SuitMap::IDENTITY.suits();
        suits.swap(a.index(), b.index());
        SuitMap::new(suits)
    }

    /// The suit that a suit becomes.
    #[inline]
    pub const fn suit(self, suit: Suit) -> Suit {
        Suit::from_low_bits((self.0 >> (2 * suit.index())) as u32)
    }

    /// The card that a card becomes.
    #[inline]
    pub const fn card(self, card: Card) -> Card {
        Card::new(card.rank(), self.suit(card.suit()))
    }

    /// The hole that a hole becomes.
    #[inline]
    pub fn hole(self, hole: Hole) -> Hole {
        Hole::new(self.card(hole.high()), self.card(hole.low()))
            .expect("a permutation keeps cards distinct")
    }

    /// The set that a set becomes.
    pub fn set(self, set: CardSet) -> CardSet {
        let mut lanes = [0; 4];
        for suit in Suit::all() {
            lanes[self.suit(suit).index()] = set.lane(suit);
        }
        CardSet::from_lanes(lanes)
    }

    /// The board that a board becomes, card by card.
    pub fn board(self, board: &Board) -> Board {
        let cards: Vec<Card> = board.cards().iter().map(|&card| self.card(card)).collect();
        Board::new(&cards).expect("a permutation keeps cards distinct")
    }

    /// The permutation that undoes this one.
    pub fn inverse(self) -> SuitMap {
        let mut suits = self.suits();
        for suit in Suit::all() {
            suits[self.suit(suit).index()] = suit;
        }
        SuitMap::new(suits)
    }

    /// The permutation that does this one and then another.
    pub fn then(self, next: SuitMap) -> SuitMap {
        SuitMap::new(self.suits().map(|suit| next.suit(suit)))
    }
}

impl fmt::Display for SuitMap {
    /// What clubs, diamonds, hearts and spades become, as in `c>h d>c h>s s>d`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for suit in Suit::all() {
            let blank = if suit == Suit::CLUBS { "" } else { " " };
            write!(f, "{blank}{suit}>{}", self.suit(suit))?;
        }
        Ok(())
    }
}

/// The four pairs of lanes in ascending order: the canonical form, clubs first.
///
/// Each is a number with the board's lane above the hole's and the suit it came from below both, so
/// that equal pairs keep their order and a canonical form is mapped by the identity.
struct SortedLanes([u32; 4]);

impl SortedLanes {
    #[inline]
    fn new(board: CardSet, hole: CardSet) -> SortedLanes {
        let (b, h) = (board.lanes(), hole.lanes());
        let key = |s: usize| u32::from(b[s]) << 15 | u32::from(h[s]) << 2 | s as u32;
        let mut keys = [key(0), key(1), key(2), key(3)];
        // A sorting network for four keys.
        for (i, j) in [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)] {
            (keys[i], keys[j]) = (keys[i].min(keys[j]), keys[i].max(keys[j]));
        }
        SortedLanes(keys)
    }

    #[inline]
    fn board_lanes(&self) -> [u16; 4] {
        self.0.map(|key| (key >> 15) as u16)
    }

    #[inline]
    fn board(&self) -> CardSet {
        CardSet::from_lanes(self.board_lanes())
    }

    #[inline]
    fn hole(&self) -> CardSet {
        CardSet::from_lanes(self.0.map(|key| (key >> 2) as u16 & 0x1fff))
    }

    #[inline]
    fn map(&self) -> SuitMap {
        let place = |place: u32| place << (2 * (self.0[place as usize] & 3));
        SuitMap((place(1) | place(2) | place(3)) as u8)
    }
}

/// The permutation that turns a hole on a board, or beside another hole, into canonical form.
#[inline]
pub(crate) fn sorting_map(board: CardSet, hole: CardSet) -> SuitMap {
    SortedLanes::new(board, hole).map()
}

/// In how many ways four items can be arranged: 24 divided by the arrangements of equal ones.
fn arrangements<T: Ord>(mut items: [T; 4]) -> u32 {
    items.sort_unstable();
    let runs = items.chunk_by(|a, b| a == b);
    24 / runs.map(|run| [1, 1, 2, 6, 24][run.len()]).product::<u32>()
}

/// A board in canonical form: it represents all boards with the same cards up to suit names.
///
/// ```
/// use lethe_cards::{Board, CanonicalBoard};
/// let (canonical, map) = CanonicalBoard::of(&"Th9h8c".parse::<Board>()?);
/// assert_eq!(canonical.to_string(), "Ts9s8h");
/// assert_eq!(map.to_string(), "c>h d>c h>s s>d");
/// assert_eq!(canonical.multiplicity(), 12);
/// # Ok::<(), lethe_cards::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CanonicalBoard(CardSet);

impl CanonicalBoard {
    /// The canonical form of a board, and the map that produces it.
    #[inline]
    pub fn of(board: &Board) -> (CanonicalBoard, SuitMap) {
        CanonicalBoard::of_set(board.set())
    }

    /// The canonical form of a set of 0, 3, 4 or 5 cards, and the map that produces it.
    #[inline]
    pub(crate) fn of_set(set: CardSet) -> (CanonicalBoard, SuitMap) {
        let lanes = SortedLanes::new(set, CardSet::EMPTY);
        (CanonicalBoard(lanes.board()), lanes.map())
    }

    /// How many canonical boards a street has: 1 / 1,755 / 16,432 / 134,459.
    pub const fn count(street: Street) -> usize {
        [1, 1_755, 16_432, 134_459][street.index()]
    }

    /// The canonical board with this index, if there is one.
    pub fn from_index(street: Street, index: usize) -> Option<CanonicalBoard> {
        let found = index < CanonicalBoard::count(street);
        found.then(|| CanonicalBoard(index::board_at(street, index as u32)))
    }

    /// The board's place among the canonical boards of its street, ordered by their bits.
    #[inline]
    pub fn index(self) -> usize {
        index::board_index(self.0.lanes()) as usize
    }

    /// All canonical boards of a street, in the order of their index.
    pub fn all(
        street: Street,
    ) -> impl DoubleEndedIterator<Item = CanonicalBoard> + ExactSizeIterator {
        (0..CanonicalBoard::count(street))
            .map(move |index| CanonicalBoard(index::board_at(street, index as u32)))
    }

    /// How many raw boards it represents.
    pub fn multiplicity(self) -> u32 {
        arrangements(self.0.lanes())
    }

    /// The cards.
    #[inline]
    pub fn set(self) -> CardSet {
        self.0
    }

    /// The cards as a board, highest first.
    pub fn board(self) -> Board {
        Board::from_set(self.0).expect("a canonical board is a board")
    }

    /// The board's street.
    pub fn street(self) -> Street {
        self.board().street()
    }

    /// The cards left in the deck: the layout of the board's row of holes.
    pub fn deck(self) -> Deck {
        Deck::without(self.0)
    }

    /// The suits that are interchangeable on the board.
    pub fn symmetry(self) -> Symmetry {
        Symmetry::of(self.0)
    }
}

impl fmt::Display for CanonicalBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// A hole on a board, up to the names of the suits, in canonical form.
///
/// ```
/// use lethe_cards::{Board, Hole, Situation};
/// let of = |hole: &str, board: &str| {
///     Situation::of(hole.parse::<Hole>().unwrap(), &board.parse::<Board>().unwrap()).unwrap().0
/// };
/// assert_eq!(of("AsKs", "Ts9s8c"), of("AhKh", "Th9h8c"));
/// assert_ne!(of("AsKs", "Ts9s8c"), of("AhKh", "Ts9s8c"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Situation {
    board: CanonicalBoard,
    hole: Hole,
}

impl Situation {
    /// The canonical form of a hole on a board, and the map that produces it; none if they share a
    /// card.
    #[inline]
    pub fn of(hole: Hole, board: &Board) -> Option<(Situation, SuitMap)> {
        let (board, cards) = (board.set(), hole.set());
        if board.intersects(cards) {
            return None;
        }
        let lanes = SortedLanes::new(board, cards);
        let hole = Hole::from_set(lanes.hole()).expect("a permutation keeps cards distinct");
        Some((Situation { board: CanonicalBoard(lanes.board()), hole }, lanes.map()))
    }

    /// How many situations a street has: 169 / 1,286,792 / 13,960,050 / 123,156,254.
    pub const fn count(street: Street) -> usize {
        [169, 1_286_792, 13_960_050, 123_156_254][street.index()]
    }

    /// How many slots a street's table has: one for every hole of every canonical board.
    pub const fn slots(street: Street) -> usize {
        CanonicalBoard::count(street) * Deck::row_len(street)
    }

    /// The situation in this slot; none if the slot's hole is not the canonical one on its board,
    /// or there is no such slot.
    pub fn from_index(street: Street, index: usize) -> Option<Situation> {
        let row_len = Deck::row_len(street);
        let board = CanonicalBoard::from_index(street, index / row_len)?;
        let hole = board.deck().hole(index % row_len)?;
        let canonical = sorting_map(board.0, hole.set()).hole(hole) == hole;
        canonical.then_some(Situation { board, hole })
    }

    /// The slot of the situation in its street's table: the row of the board, the place of the hole.
    #[inline]
    pub fn index(self) -> usize {
        let (row_len, slot) = Deck::slot_without(self.board.0, self.hole);
        self.board.index() * row_len + slot
    }

    /// The slot of a hole on a board, as [`of`](Situation::of) and [`index`](Situation::index) give
    /// it, with half of their work; none if they share a card.
    #[inline]
    pub fn slot_of(hole: Hole, board: &Board) -> Option<usize> {
        let (dealt, cards) = (board.set(), hole.set());
        if dealt.intersects(cards) {
            return None;
        }
        let lanes = SortedLanes::new(dealt, cards);
        let (dead, map) = (lanes.board(), lanes.map());
        let place = |card: Card| card.index() - dead.count_below(card);
        let [a, b] = [hole.low(), hole.high()].map(|card| place(map.card(card)));
        let left = 52 - board.cards().len();
        let row = index::board_index(lanes.board_lanes()) as usize * (left * (left - 1) / 2);
        Some(row + pair_index(a.min(b), a.max(b)))
    }

    /// The canonical board.
    pub fn board(self) -> CanonicalBoard {
        self.board
    }

    /// The canonical hole.
    pub fn hole(self) -> Hole {
        self.hole
    }

    /// How many raw situations it represents: its images under the 24 permutations.
    pub fn orbit(self) -> u32 {
        let (b, h) = (self.board.0.lanes(), self.hole.set().lanes());
        arrangements([0, 1, 2, 3].map(|s| (b[s], h[s])))
    }
}

/// Which suits are still interchangeable: a partition of the four.
///
/// Two suits are interchangeable if swapping them leaves everything dealt so far unchanged. Dealing
/// a card sets its suit apart from the others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Symmetry([u8; 4]);

impl Symmetry {
    /// The suits that are interchangeable given these cards, in any order.
    pub fn of(cards: CardSet) -> Symmetry {
        let lanes = cards.lanes();
        let first = |suit: usize| (0..4).find(|&s| lanes[s] == lanes[suit]).expect("itself") as u8;
        Symmetry([0, 1, 2, 3].map(first))
    }

    /// The suits that stay interchangeable once this card is dealt as well.
    pub fn after(self, card: Card) -> Symmetry {
        let mut classes = self.0;
        let suit = card.suit().index();
        // A class that no other suit uses: 4 + suit never collides with an older one.
        classes[suit] = 4 + suit as u8;
        Symmetry(classes)
    }

    /// Whether two suits are interchangeable.
    pub fn alike(self, a: Suit, b: Suit) -> bool {
        self.0[a.index()] == self.0[b.index()]
    }

    /// The permutations that leave everything dealt so far unchanged.
    pub fn maps(self) -> impl Iterator<Item = SuitMap> {
        SuitMap::all().filter(move |map| Suit::all().all(|s| self.alike(s, map.suit(s))))
    }

    /// The next cards that differ, given the cards dealt so far, highest first.
    ///
    /// Each represents the cards of its rank in the suits interchangeable with its own, and is the
    /// one of the highest suit among them.
    pub fn next_cards(self, dealt: CardSet) -> impl Iterator<Item = NextCard> {
        (!dealt).iter().rev().filter_map(move |card| {
            let alike = Suit::all().filter(|&s| self.alike(s, card.suit()));
            let highest = Suit::all().rfind(|&s| self.alike(s, card.suit())) == Some(card.suit());
            highest.then(|| NextCard { card, multiplicity: alike.count() as u32, symmetry: self })
        })
    }
}

/// A next card up to interchangeable suits, and the cards it represents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NextCard {
    /// The card.
    pub card: Card,
    /// How many cards it represents, itself included.
    pub multiplicity: u32,
    symmetry: Symmetry,
}

impl NextCard {
    /// The cards it represents, each with the permutation that turns this card into it and leaves
    /// the cards dealt before unchanged; itself, with the identity, first.
    pub fn images(self) -> impl Iterator<Item = (Card, SuitMap)> {
        let suit = self.card.suit();
        let alike = Suit::all().rev().filter(move |&s| self.symmetry.alike(s, suit));
        alike.map(move |s| (Card::new(self.card.rank(), s), SuitMap::swap(suit, s)))
    }
}
