//! Cards: canonical forms, canonical boards and the ranking of hands.
//!
//! ```
//! use lethe_kit::cards::{BoardCounts, CanonView, RankingView};
//! use lethe_cards::Street;
//!
//! let view = CanonView::of("AhKh".parse()?, &"Th9h8c".parse()?).unwrap();
//! assert_eq!(view.orbit, 12);
//! assert_eq!(BoardCounts::of(Street::Flop).canonical, 1755);
//! let hands = ["AsAdKhKc2s", "QsQdKhKc2s"].map(|text| lethe_cards::parse_cards(text).unwrap());
//! assert_eq!(RankingView::of(&hands).unwrap().hands[0].category, "two pair");
//! # Ok::<(), lethe_cards::ParseError>(())
//! ```

use std::cmp::Reverse;
use std::collections::BTreeMap;

use lethe_cards::{
    Board, CanonicalBoard, Card, Category, Hole, Rank, Situation, StartingHand, Street, Strength,
    Suit,
};
use serde::Serialize;

/// The canonical form of a hole on a board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CanonView {
    /// The canonical hole.
    pub hole: String,
    /// The canonical board; `None` before the flop.
    pub board: Option<String>,
    /// The suit that each suit becomes.
    pub mapping: BTreeMap<char, char>,
    /// The index of the canonical board.
    pub board_index: usize,
    /// The index of the situation.
    pub situation_index: usize,
    /// How many situations share this form.
    pub orbit: u32,
    /// The starting hand, before the flop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Its index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class_index: Option<usize>,
}

impl CanonView {
    /// The canonical form of a situation; `None` if a card is in both.
    pub fn of(hole: Hole, board: &Board) -> Option<CanonView> {
        let (situation, map) = Situation::of(hole, board)?;
        let preflop = board.street() == Street::Preflop;
        let class = preflop.then(|| situation.hole().class());
        let board = situation.board();
        Some(CanonView {
            hole: situation.hole().to_string(),
            board: (!preflop).then(|| board.to_string()),
            mapping: Suit::all().map(|s| (s.letter(), map.suit(s).letter())).collect(),
            board_index: board.index(),
            situation_index: situation.index(),
            orbit: situation.orbit(),
            class: class.map(|class| class.to_string()),
            class_index: class.map(StartingHand::index),
        })
    }
}

/// A canonical board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BoardView {
    /// Its index among the canonical boards of its street.
    pub index: usize,
    /// Its cards.
    pub board: String,
    /// How many boards share this form.
    pub multiplicity: u32,
}

/// The canonical boards of a street, by index.
pub fn boards(street: Street) -> impl Iterator<Item = BoardView> {
    CanonicalBoard::all(street).enumerate().map(|(index, board)| BoardView {
        index,
        board: board.to_string(),
        multiplicity: board.multiplicity(),
    })
}

/// How many boards a street has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BoardCounts {
    /// The street.
    pub street: &'static str,
    /// Canonical boards.
    pub canonical: usize,
    /// All boards.
    pub raw: u64,
}

impl BoardCounts {
    /// The boards of a street.
    pub fn of(street: Street) -> BoardCounts {
        let raw = CanonicalBoard::all(street).map(|board| u64::from(board.multiplicity())).sum();
        BoardCounts { street: street.name(), canonical: CanonicalBoard::count(street), raw }
    }
}

/// Hands of five to seven cards, best first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RankingView {
    /// The hands.
    pub hands: Vec<RankedHand>,
}

/// A hand and its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RankedHand {
    /// 1 for the best; hands that tie share a place.
    pub place: usize,
    /// Whether it ties with another.
    pub tied: bool,
    /// Its cards, as given.
    pub cards: String,
    /// Its category, such as `two pair`.
    pub category: &'static str,
    /// The ranks that make the category, such as `["A", "K"]` of two pair.
    pub made: Vec<char>,
    /// The other ranks that count.
    pub kickers: Vec<char>,
    /// The hand in words.
    pub description: String,
    /// From 0 (7-5-4-3-2) to 7,461 (royal flush).
    pub strength: usize,
}

impl RankingView {
    /// The hands, best first, ties in the order given; `None` if one has not five to seven cards.
    pub fn of<H: AsRef<[Card]>>(hands: &[H]) -> Option<RankingView> {
        let strength = |hand: &H| Some((Strength::of(hand.as_ref())?, hand.as_ref().to_vec()));
        let mut hands: Vec<(Strength, Vec<Card>)> =
            hands.iter().map(strength).collect::<Option<_>>()?;
        hands.sort_by_key(|(strength, _)| Reverse(*strength));
        let mut ranked = Vec::with_capacity(hands.len());
        for ties in hands.chunk_by(|a, b| a.0 == b.0) {
            let (place, tied) = (ranked.len() + 1, ties.len() > 1);
            let hand = |(strength, cards): &(Strength, Vec<Card>)| RankedHand {
                place,
                tied,
                ..RankedHand::of(*strength, cards)
            };
            ranked.extend(ties.iter().map(hand));
        }
        Some(RankingView { hands: ranked })
    }
}

impl RankedHand {
    fn of(strength: Strength, cards: &[Card]) -> RankedHand {
        let category = strength.category();
        let making = match category {
            Category::TwoPair | Category::FullHouse => 2,
            _ => 1,
        };
        let ranks: Vec<char> = strength.ranks().into_iter().map(Rank::letter).collect();
        let (made, kickers) = ranks.split_at(making);
        RankedHand {
            place: 1,
            tied: false,
            cards: cards.iter().map(Card::to_string).collect(),
            category: category.name(),
            made: made.to_vec(),
            kickers: kickers.to_vec(),
            description: strength.to_string(),
            strength: strength.index(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_multiplicities_add_up_to_all_boards() {
        let raw = Street::POSTFLOP.map(|street| BoardCounts::of(street).raw);
        assert_eq!(raw, [22_100, 270_725, 2_598_960]);
    }

    #[test]
    fn ties_share_a_place_and_keep_their_order() {
        let texts = ["2c3d4h5s7c", "AsKsQsJsTs", "2h3s4c5d7h", "AcKcQcJcTc", "2d2c4h5s7c"];
        let hands = texts.map(|text| lethe_cards::parse_cards(text).unwrap());
        let ranking = RankingView::of(&hands).unwrap();
        let order: Vec<(usize, bool, &str)> =
            ranking.hands.iter().map(|hand| (hand.place, hand.tied, &hand.cards[..])).collect();
        let expected = [
            (1, true, texts[1]),
            (1, true, texts[3]),
            (3, false, texts[4]),
            (4, true, texts[0]),
            (4, true, texts[2]),
        ];
        assert_eq!(order, expected);
        assert_eq!(RankingView::of(&[lethe_cards::parse_cards("AsKs").unwrap()]), None);
    }

    #[test]
    fn every_strength_splits_into_made_ranks_and_kickers() {
        for index in 0..Strength::COUNT {
            let strength = Strength::from_index(index).unwrap();
            let ranked = RankedHand::of(strength, &[]);
            assert_eq!(ranked.made.len() + ranked.kickers.len(), strength.ranks().len());
        }
    }
}
