//! Reading a range's text, one character at a time.

use super::Range;
use super::error::RangeError;
use super::run::{Kind, Ranks, Run};
use crate::card::{Card, Rank, Suit};
use crate::hole::Hole;
use crate::parse::{ParseError, ParseErrorKind};

/// The word for the full range.
pub(super) const RANDOM: &str = "random";
/// The decimals a weight may have: [`Range::ONE`] is ten to this power.
pub(super) const DECIMALS: usize = 6;

/// Reads a whole range.
pub(super) fn range(text: &str) -> Result<Range, ParseError> {
    let mut reader = Reader::new(text);
    let mut range = Range::empty();
    reader.skip(is_separator);
    if reader.peek().is_none() {
        let expected = "a range such as 22+,AKs";
        return Err(ParseError::new(0, ParseErrorKind::Empty { expected }));
    }
    while reader.peek().is_some() {
        let entry = reader.entry()?;
        let ppm = reader.weight()?;
        reader.end_of_entry()?;
        entry.each_hole(|hole| range.set(hole, ppm));
    }
    Ok(range)
}

/// The part of an entry before its weight.
enum Entry {
    Random,
    Hole(Hole),
    Run(Run),
}

impl Entry {
    fn each_hole(self, act: impl FnMut(Hole)) {
        match self {
            Entry::Random => Hole::all().for_each(act),
            Entry::Hole(hole) => [hole].into_iter().for_each(act),
            Entry::Run(run) => run.classes().flat_map(|c| c.holes()).for_each(act),
        }
    }
}

/// One hand as it is written: two cards, or two ranks with or without `s` and `o`.
enum Hand {
    Hole(Hole),
    Class(Kind, Ranks),
}

/// The characters of a text with their offsets, and the position of the next one.
struct Reader {
    chars: Vec<(usize, char)>,
    next: usize,
    len: usize,
}

impl Reader {
    /// A reader at the start. It skips the variation selector that follows a coloured suit symbol.
    fn new(text: &str) -> Reader {
        let chars = text.chars().enumerate();
        Reader {
            chars: chars.filter(|&(_, c)| c != '\u{fe0f}').collect(),
            next: 0,
            len: text.chars().count(),
        }
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.next).map(|&(_, c)| c)
    }

    /// The next character, unless the entry ends here.
    fn peek_in_entry(&self) -> Option<char> {
        self.peek().filter(|&c| !is_separator(c))
    }

    /// The offset of the next character.
    fn offset(&self) -> usize {
        self.chars.get(self.next).map_or(self.len, |&(at, _)| at)
    }

    fn skip(&mut self, unwanted: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&unwanted) {
            self.next += 1;
        }
    }

    /// Consumes a sign if it comes next, perhaps after blanks.
    fn sign(&mut self, is_sign: impl Fn(char) -> bool) -> bool {
        let start = self.next;
        self.skip(char::is_whitespace);
        let found = self.peek().is_some_and(is_sign);
        self.next = if found { self.next + 1 } else { start };
        found
    }

    /// An error at the next character.
    fn problem(&self, error: RangeError) -> ParseError {
        problem_at(self.offset(), error)
    }

    fn entry(&mut self) -> Result<Entry, ParseError> {
        if self.peek().is_some_and(|c| c.eq_ignore_ascii_case(&'r')) {
            return self.random();
        }
        let hand = self.hand()?;
        let sign_at = self.next;
        let (plus, dash) = (self.sign(|c| c == '+'), self.sign(is_dash));
        match hand {
            Hand::Hole(hole) if plus || dash => {
                self.next = sign_at;
                self.skip(char::is_whitespace);
                Err(self.problem(RangeError::SignAfterHole(hole)))
            }
            Hand::Hole(hole) => Ok(Entry::Hole(hole)),
            Hand::Class(..) if plus && dash => {
                self.next -= 1;
                Err(self.problem(RangeError::PlusAndDash))
            }
            Hand::Class(kind, ranks) if plus => Ok(Entry::Run(Run::up_from(kind, ranks))),
            Hand::Class(kind, ranks) if dash => self.dash(kind, ranks).map(Entry::Run),
            Hand::Class(kind, ranks) => Ok(Entry::Run(Run::single(kind, ranks))),
        }
    }

    /// The word `random`; its first letter comes next.
    fn random(&mut self) -> Result<Entry, ParseError> {
        let rest = self.chars[self.next..].iter().map(|&(_, c)| c);
        let word: String = rest.take_while(|c| c.is_alphabetic()).take(20).collect();
        if !word.eq_ignore_ascii_case(RANDOM) {
            return Err(self.problem(RangeError::UnknownWord(word)));
        }
        self.next += RANDOM.len();
        Ok(Entry::Random)
    }

    /// The rest of a run after its dash.
    fn dash(&mut self, kind: Kind, from: Ranks) -> Result<Run, ParseError> {
        self.skip(char::is_whitespace);
        let at = self.offset();
        let run = match self.hand()? {
            Hand::Class(other, to) if other == kind => Run::between(kind, from, to),
            _ => None,
        };
        run.ok_or_else(|| problem_at(at, RangeError::NotARun(Run::single(kind, from).to_string())))
    }

    fn hand(&mut self) -> Result<Hand, ParseError> {
        let Some(first) = self.rank() else {
            return Err(self.no_rank());
        };
        if let Some(suit) = self.suit() {
            return self.second_card(Card::new(first, suit)).map(Hand::Hole);
        }
        let Some(second) = self.rank() else {
            return Err(self.problem(match self.peek_in_entry() {
                Some(found) => RangeError::ExpectedRankOrSuit { first, found },
                None => RangeError::LoneRank(first),
            }));
        };
        self.class(Ranks::new(first, second))
    }

    /// The error for an entry that does not begin with a rank.
    fn no_rank(&self) -> ParseError {
        match self.peek_in_entry() {
            None => self.problem(RangeError::ExpectedHand),
            Some(c) if c == '+' || c == ':' || is_dash(c) => {
                self.problem(RangeError::SignWithoutHand(c))
            }
            Some(found) => ParseError::new(self.offset(), ParseErrorKind::UnknownRank { found }),
        }
    }

    /// The second card of a hole.
    fn second_card(&mut self, first: Card) -> Result<Hole, ParseError> {
        let at = self.offset();
        let Some(rank) = self.rank() else {
            return Err(match self.peek_in_entry() {
                Some(found) => ParseError::new(at, ParseErrorKind::UnknownRank { found }),
                None => self.problem(RangeError::OneCard(first)),
            });
        };
        let Some(suit) = self.suit() else {
            let kind = match self.peek_in_entry() {
                Some(found) => ParseErrorKind::UnknownSuit { found },
                None => ParseErrorKind::MissingSuit,
            };
            return Err(ParseError::new(self.offset(), kind));
        };
        let card = Card::new(rank, suit);
        Hole::new(first, card)
            .ok_or_else(|| ParseError::new(at, ParseErrorKind::Duplicate { card }))
    }

    /// The class of the two ranks just read.
    fn class(&mut self, ranks: Ranks) -> Result<Hand, ParseError> {
        let pair = ranks.gap() == 0;
        let kind = match self.peek() {
            Some('s' | 'S') => Kind::Suited,
            Some('o' | 'O') => Kind::Offsuit,
            Some(c) if Suit::from_letter(c).is_some() => {
                let ranks = ranks.to_string();
                return Err(self.problem(RangeError::SuitAfterRanks { suit: c, ranks }));
            }
            _ if pair => Kind::Pair,
            _ => Kind::Both,
        };
        if matches!(kind, Kind::Suited | Kind::Offsuit) {
            if pair {
                return Err(self.problem(RangeError::SuitedPair(ranks.to_string())));
            }
            self.next += 1;
        }
        Ok(Hand::Class(kind, ranks))
    }

    /// The next character as a rank; a ten may be written `10`.
    fn rank(&mut self) -> Option<Rank> {
        let c = self.peek()?;
        let ten = c == '1' && matches!(self.chars.get(self.next + 1), Some((_, '0')));
        let rank = Rank::from_letter(if ten { 'T' } else { c })?;
        self.next += 1 + usize::from(ten);
        Some(rank)
    }

    /// The next character as a suit.
    fn suit(&mut self) -> Option<Suit> {
        let suit = Suit::from_letter(self.peek()?)?;
        self.next += 1;
        Some(suit)
    }

    /// The weight in millionths; 1 if none is written.
    fn weight(&mut self) -> Result<u32, ParseError> {
        if !self.sign(|c| c == ':') {
            return Ok(Range::ONE);
        }
        self.skip(char::is_whitespace);
        let at = self.offset();
        let whole = self.digits();
        let point = self.peek() == Some('.');
        self.next += usize::from(point);
        let decimals_at = self.next;
        let decimals = if point { self.digits() } else { Vec::new() };

        let missing = whole.is_empty() && decimals.is_empty();
        match self.peek_in_entry() {
            Some('%') => return Err(self.problem(RangeError::PercentWeight)),
            Some(c) if missing => return Err(self.problem(RangeError::ExpectedWeight(c))),
            None if missing => return Err(self.problem(RangeError::MissingWeight)),
            _ => {}
        }
        if decimals.len() > DECIMALS {
            self.next = decimals_at + DECIMALS;
            return Err(self.problem(RangeError::TooManyDecimals));
        }
        millionths(&whole, &decimals).ok_or_else(|| problem_at(at, RangeError::WeightAboveOne))
    }

    fn digits(&mut self) -> Vec<u32> {
        let mut digits = Vec::new();
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            digits.push(digit);
            self.next += 1;
        }
        digits
    }

    /// Skips the separators after an entry; at least one unless the text ends.
    fn end_of_entry(&mut self) -> Result<(), ParseError> {
        if let Some(c) = self.peek_in_entry() {
            return Err(self.problem(RangeError::ExpectedComma(c)));
        }
        self.skip(is_separator);
        Ok(())
    }
}

/// The number of these digits in millionths, if it is at most 1.
fn millionths(whole: &[u32], decimals: &[u32]) -> Option<u32> {
    let number = |sum: u32, digit: &u32| sum.checked_mul(10)?.checked_add(*digit);
    let padding = std::iter::repeat_n(&0, DECIMALS.checked_sub(decimals.len())?);
    let mut digits = whole.iter().chain(decimals).chain(padding);
    let ppm = digits.try_fold(0, number)?;
    (ppm <= Range::ONE).then_some(ppm)
}

fn problem_at(at: usize, error: RangeError) -> ParseError {
    ParseError::new(at, ParseErrorKind::Range(error))
}

fn is_separator(c: char) -> bool {
    c == ',' || c.is_whitespace()
}

fn is_dash(c: char) -> bool {
    matches!(c, '-' | '–')
}
