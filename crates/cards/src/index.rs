//! The dense index of canonical boards.
//!
//! A canonical board is a descending sequence of four lanes, and as a number its bits order like
//! that sequence read from the spades down. So the index of a board, its rank among the canonical
//! boards of as many cards, is a sum with one term per lane: the number of sequences that agree up
//! to that lane and are smaller there. The term depends only on which lane it is, its value and how
//! many cards are left for it and the lanes below: one load from a table each.

use std::sync::LazyLock;

use crate::board::Street;
use crate::card::Suit;
use crate::card_set::CardSet;

/// How many lanes have at most five cards: the sum of 13 choose 0 to 5.
const LANES: usize = 1 + 13 + 78 + 286 + 715 + 1287;

struct Tables {
    /// For each lane mask its place among the masks of at most five cards, times 8, plus its
    /// number of cards.
    places: Box<[u16; 1 << 13]>,
    /// The masks by their place.
    masks: [u16; LANES],
    /// `smaller[suit][cards][place]`: how many descending sequences of lanes for this suit and
    /// those below it have that many cards and begin with a mask of a smaller place.
    smaller: Box<[[[u32; LANES]; 6]; 4]>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let mut places = Box::new([0; 1 << 13]);
    let mut masks = [0; LANES];
    let few = (0..1u16 << 13).filter(|mask| mask.count_ones() <= 5);
    for (place, mask) in few.enumerate() {
        masks[place] = mask;
        places[mask as usize] = (place as u16) << 3 | mask.count_ones() as u16;
    }
    let mut smaller = Box::new([[[0; LANES]; 6]; 4]);
    for suit in 0..4 {
        for cards in 0..6 {
            let mut sum = 0;
            for place in 0..LANES {
                smaller[suit][cards][place] = sum;
                let own = masks[place].count_ones() as usize;
                if own > cards {
                    continue;
                }
                // The sequences that begin here: any sequence below that begins no higher.
                sum += match suit {
                    0 => u32::from(own == cards),
                    _ => {
                        let below = &smaller[suit - 1][cards - own];
                        match below.get(place + 1) {
                            Some(&count) => count,
                            None => below[place] + u32::from(own == cards),
                        }
                    }
                };
            }
        }
    }
    Tables { places, masks, smaller }
});

/// The index of a canonical board of at most five cards, given its lanes.
#[inline]
pub(crate) fn board_index(lanes: [u16; 4]) -> u32 {
    let tables = &*TABLES;
    let lanes = lanes.map(|lane| tables.places[(lane & 0x1fff) as usize]);
    let mut cards = lanes.iter().map(|lane| lane & 7).sum::<u16>();
    let mut index = 0;
    for suit in (0..4).rev() {
        index += tables.smaller[suit][cards as usize][(lanes[suit] >> 3) as usize];
        cards -= lanes[suit] & 7;
    }
    index
}

/// The canonical board with this index, which the street must have.
pub(crate) fn board_at(street: Street, mut index: u32) -> CardSet {
    let tables = &*TABLES;
    let mut cards = street.board_len();
    let mut lanes = [0; 4];
    for suit in Suit::all().rev() {
        let smaller = &tables.smaller[suit.index()][cards];
        let place = smaller.partition_point(|&count| count <= index) - 1;
        index -= smaller[place];
        lanes[suit.index()] = tables.masks[place];
        cards -= tables.masks[place].count_ones() as usize;
    }
    CardSet::from_lanes(lanes)
}
