//! `lethe rank`: what hands are, and which is best.

use std::io::{self, Write};

use lethe_cards::{Card, CardCount, ParseError, ParseErrorKind, Strength, parse_cards};
use lethe_kit::cards::RankingView;

use crate::error::InputError;
use crate::output::{Output, Report};

/// The rank of hands of five to seven cards, best first
///
/// Each hand is one argument; hands may share cards, such as those of a board. Hands that tie have
/// the same place, marked with =.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe rank AsKsQsJsTs
  lethe rank AsAdKhKc2s7d3h 'Qs Qd Kh Kc 2s 7d 3h' --json")]
pub(crate) struct Args {
    /// Five to seven cards, as AsAdKhKc2s7d3h
    #[arg(value_name = "HAND", required = true)]
    hands: Vec<String>,
}

impl Args {
    /// Reads the hands, in the order they were given.
    pub(crate) fn resolve(&self) -> Result<Vec<Vec<Card>>, InputError> {
        self.hands.iter().map(|text| hand(text)).collect()
    }
}

fn hand(text: &str) -> Result<Vec<Card>, InputError> {
    const EXPECTED: &str = "a hand of 5 to 7 cards";
    let pointing = |error: ParseError| InputError::pointing(&error, text);
    let cards = parse_cards(text).map_err(pointing)?;
    if Strength::of(&cards).is_none() {
        let at = text.chars().count();
        let kind = match cards.len() {
            0 => ParseErrorKind::Empty { expected: EXPECTED },
            found => ParseErrorKind::Count { expected: EXPECTED, found: CardCount(found) },
        };
        return Err(pointing(ParseError { at, kind }));
    }
    Ok(cards)
}

impl Report for RankingView {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let widest = self.hands.iter().map(|hand| hand.cards.len()).max().unwrap_or(0);
        let places = self.hands.len().to_string().len();
        for hand in &self.hands {
            let mark = if hand.tied { '=' } else { ' ' };
            let gap = " ".repeat(widest - hand.cards.len());
            let cards = parse_cards(&hand.cards).expect("written by the library");
            let (place, cards, description) = (hand.place, out.cards(&cards), &hand.description);
            writeln!(out, "{place:>places$}{mark} {cards}{gap}  {description}")?;
        }
        Ok(())
    }
}

/// Prints the hands in their order.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let hands = args.resolve()?;
    out.show(&RankingView::of(&hands).expect("every hand was checked"))
}
