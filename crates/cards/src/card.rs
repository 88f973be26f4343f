//! `Rank`, `Suit` and `Card`: the 52 names everything else is made of.

use std::fmt;
use std::str::FromStr;

use crate::parse::{self, ParseError};

/// One of the thirteen ranks, from the deuce (0) to the ace (12).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rank(u8);

impl Rank {
    /// The number of ranks.
    pub const COUNT: usize = 13;
    /// The highest rank (it also counts below the deuce in the straight 5-4-3-2-A).
    pub const ACE: Rank = Rank(12);

    /// The rank with this index, if it is below 13.
    pub const fn new(index: u8) -> Option<Rank> {
        if index < 13 { Some(Rank(index)) } else { None }
    }

    /// The rank's place from 0 (deuce) to 12 (ace).
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// All ranks, lowest first.
    pub fn all() -> impl DoubleEndedIterator<Item = Rank> + ExactSizeIterator {
        (0..13u8).map(Rank)
    }

    /// The rank's letter: `23456789TJQKA`.
    pub const fn letter(self) -> char {
        b"23456789TJQKA"[self.0 as usize] as char
    }

    /// The rank of a letter in either case, if it is one.
    pub const fn from_letter(letter: char) -> Option<Rank> {
        let index = match letter {
            '2'..='9' => letter as u8 - b'2',
            'T' | 't' => 8,
            'J' | 'j' => 9,
            'Q' | 'q' => 10,
            'K' | 'k' => 11,
            'A' | 'a' => 12,
            _ => return None,
        };
        Some(Rank(index))
    }

    /// The rank's name in the singular, as in "ace high".
    pub const fn name(self) -> &'static str {
        [
            "deuce", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack",
            "queen", "king", "ace",
        ][self.0 as usize]
    }

    /// The rank's name in the plural, as in "pair of sixes".
    pub const fn plural(self) -> &'static str {
        [
            "deuces", "threes", "fours", "fives", "sixes", "sevens", "eights", "nines", "tens",
            "jacks", "queens", "kings", "aces",
        ][self.0 as usize]
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

/// One of the four suits, in the order clubs, diamonds, hearts, spades.
///
/// Suits have no rank in hold'em; the order only fixes which name a canonical form uses first
/// (spades).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Suit(u8);

impl Suit {
    /// The number of suits.
    pub const COUNT: usize = 4;
    /// Clubs, index 0.
    pub const CLUBS: Suit = Suit(0);
    /// Diamonds, index 1.
    pub const DIAMONDS: Suit = Suit(1);
    /// Hearts, index 2.
    pub const HEARTS: Suit = Suit(2);
    /// Spades, index 3.
    pub const SPADES: Suit = Suit(3);

    /// The suit with this index, if it is below 4.
    pub const fn new(index: u8) -> Option<Suit> {
        if index < 4 { Some(Suit(index)) } else { None }
    }

    /// The suit in the low two bits of a number.
    #[inline]
    pub(crate) const fn from_low_bits(bits: u32) -> Suit {
        Suit((bits & 3) as u8)
    }

    /// The suit's place from 0 (clubs) to 3 (spades).
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// All suits: clubs, diamonds, hearts, spades.
    pub fn all() -> impl DoubleEndedIterator<Item = Suit> + ExactSizeIterator {
        (0..4u8).map(Suit)
    }

    /// The suit's letter: `c`, `d`, `h` or `s`.
    pub const fn letter(self) -> char {
        b"cdhs"[self.0 as usize] as char
    }

    /// The suit's symbol: `♣`, `♦`, `♥` or `♠`.
    pub const fn symbol(self) -> char {
        ['♣', '♦', '♥', '♠'][self.0 as usize]
    }

    /// The suit of a letter in either case or of a symbol, filled or outlined, if it is one.
    pub const fn from_letter(letter: char) -> Option<Suit> {
        Some(match letter {
            'c' | 'C' | '♣' | '♧' => Suit::CLUBS,
            'd' | 'D' | '♦' | '♢' => Suit::DIAMONDS,
            'h' | 'H' | '♥' | '♡' => Suit::HEARTS,
            's' | 'S' | '♠' | '♤' => Suit::SPADES,
            _ => return None,
        })
    }
}

impl fmt::Display for Suit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

/// One of the 52 cards. Its index is `4 * rank + suit`: `2c` is 0, `As` is 51.
///
/// ```
/// use lethe_cards::Card;
/// let ace: Card = "As".parse()?;
/// assert_eq!(ace.index(), 51);
/// assert_eq!("a♠".parse::<Card>()?, ace);
/// # Ok::<(), lethe_cards::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card(u8);

impl Card {
    /// The number of cards in the deck.
    pub const COUNT: usize = 52;

    /// The card of a rank and a suit.
    #[inline]
    pub const fn new(rank: Rank, suit: Suit) -> Card {
        Card(rank.0 * 4 + suit.0)
    }

    /// The card with this index, if it is below 52.
    pub const fn from_index(index: usize) -> Option<Card> {
        if index < 52 { Some(Card(index as u8)) } else { None }
    }

    /// The card whose bit in a [`CardSet`](crate::CardSet) is this one; the bit must be in a lane.
    #[inline]
    pub(crate) const fn from_lane_bit(bit: u32) -> Card {
        debug_assert!(bit < 64 && bit & 15 < 13);
        Card(((bit & 15) << 2 | bit >> 4) as u8)
    }

    /// The card's place in the deck, from 0 (`2c`) to 51 (`As`).
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The card's rank.
    #[inline]
    pub const fn rank(self) -> Rank {
        Rank(self.0 >> 2)
    }

    /// The card's suit.
    #[inline]
    pub const fn suit(self) -> Suit {
        Suit(self.0 & 3)
    }

    /// All cards in the order of their index.
    pub fn all() -> impl DoubleEndedIterator<Item = Card> + ExactSizeIterator {
        (0..52u8).map(Card)
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.rank(), self.suit())
    }
}

impl FromStr for Card {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Card, ParseError> {
        parse::exactly(text, "a card").map(|[card]| card)
    }
}
