//! `lethe rank`: what hands are, and which is best.

use std::cmp::Reverse;
use std::io::{self, Write};

use lethe_cards::{
    Card, CardCount, Category, ParseError, ParseErrorKind, Rank, Strength, parse_cards,
};
use serde::Serialize;

use crate::error::InputError;
use crate::output::{Output, Report};

/// The rank of hands of five to seven cards, best first
///
/// Each hand is one argument; hands may share cards, as they do those of a board. Hands that tie
/// have the same place, marked with =.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe rank AsKsQsJsTs
  lethe rank AsAdKhKc2s7d3h 'Qs Qd Kh Kc 2s 7d 3h' --json")]
pub(crate) struct Args {
    /// Five to seven cards, as AsAdKhKc2s7d3h
    #[arg(value_name = "HAND", required = true)]
    hands: Vec<String>,
}

/// A hand that was read.
#[derive(Clone, Debug)]
pub(crate) struct Hand {
    cards: Vec<Card>,
    strength: Strength,
}

impl Args {
    /// Reads the hands, in the order they were given.
    pub(crate) fn resolve(&self) -> Result<Vec<Hand>, InputError> {
        self.hands.iter().map(|text| hand(text)).collect()
    }
}

fn hand(text: &str) -> Result<Hand, InputError> {
    const EXPECTED: &str = "a hand of 5 to 7 cards";
    let pointing = |error: ParseError| InputError::pointing(&error, text);
    let cards = parse_cards(text).map_err(pointing)?;
    let Some(strength) = Strength::of(&cards) else {
        let at = text.chars().count();
        let kind = match cards.len() {
            0 => ParseErrorKind::Empty { expected: EXPECTED },
            found => ParseErrorKind::Count { expected: EXPECTED, found: CardCount(found) },
        };
        return Err(pointing(ParseError { at, kind }));
    };
    Ok(Hand { cards, strength })
}

/// Hands in their order.
#[derive(Debug, Serialize)]
struct Ranking {
    hands: Vec<Ranked>,
}

/// A hand and its place.
#[derive(Debug, Serialize)]
struct Ranked {
    /// 1 for the best; hands that tie share a place.
    place: usize,
    tied: bool,
    cards: String,
    category: &'static str,
    /// The ranks that make the category, as `["A", "K"]` of two pair.
    made: Vec<char>,
    kickers: Vec<char>,
    description: String,
    /// From 0 (7-5-4-3-2) to 7,461 (royal flush).
    strength: usize,
    #[serde(skip)]
    hand: Hand,
}

impl Ranking {
    /// The hands, best first; those that tie in the order they were given.
    fn of(mut hands: Vec<Hand>) -> Ranking {
        hands.sort_by_key(|hand| Reverse(hand.strength));
        let mut ranked = Vec::with_capacity(hands.len());
        for ties in hands.chunk_by(|a, b| a.strength == b.strength) {
            let place = ranked.len() + 1;
            ranked.extend(ties.iter().map(|hand| Ranked::new(hand, place, ties.len() > 1)));
        }
        Ranking { hands: ranked }
    }
}

impl Ranked {
    fn new(hand: &Hand, place: usize, tied: bool) -> Ranked {
        let category = hand.strength.category();
        let making = match category {
            Category::TwoPair | Category::FullHouse => 2,
            _ => 1,
        };
        let ranks: Vec<char> = hand.strength.ranks().into_iter().map(Rank::letter).collect();
        let (made, kickers) = ranks.split_at(making);
        Ranked {
            place,
            tied,
            cards: hand.cards.iter().map(Card::to_string).collect(),
            category: category.name(),
            made: made.to_vec(),
            kickers: kickers.to_vec(),
            description: hand.strength.to_string(),
            strength: hand.strength.index(),
            hand: hand.clone(),
        }
    }
}

impl Report for Ranking {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let widest = self.hands.iter().map(|hand| hand.cards.len()).max().unwrap_or(0);
        let places = self.hands.len().to_string().len();
        for ranked in &self.hands {
            let Ranked { place, tied, cards, description, .. } = ranked;
            let mark = if *tied { '=' } else { ' ' };
            let gap = " ".repeat(widest - cards.len());
            let cards = out.cards(&ranked.hand.cards);
            writeln!(out, "{place:>places$}{mark} {cards}{gap}  {description}")?;
        }
        Ok(())
    }
}

/// Prints the hands in their order.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    out.show(&Ranking::of(args.resolve()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share_a_place_and_keep_their_order() {
        let texts = ["2c3d4h5s7c", "AsKsQsJsTs", "2h3s4c5d7h", "AcKcQcJcTc", "2d2c4h5s7c"];
        let hands = texts.iter().map(|text| hand(text).unwrap()).collect();
        let ranking = Ranking::of(hands);
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
    }

    #[test]
    fn every_strength_splits_into_made_ranks_and_kickers() {
        for index in 0..Strength::COUNT {
            let strength = Strength::from_index(index).unwrap();
            let ranked = Ranked::new(&Hand { cards: Vec::new(), strength }, 1, false);
            assert_eq!(ranked.made.len() + ranked.kickers.len(), strength.ranks().len());
        }
    }
}
