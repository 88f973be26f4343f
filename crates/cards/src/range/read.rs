//! Reading a range's text, one character at a time.

use std::sync::LazyLock;

use super::Range;
use super::error::RangeError;
use super::run::{Kind, Ranks, Run};
use crate::card::{Card, Rank, Suit};
use crate::hole::{Hole, StartingHand};
use crate::matchups::Matchups;
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
    // Where the group of one weight that is open began, and its weight.
    let mut group: Option<(usize, u32)> = None;
    while reader.peek().is_some() {
        if reader.peek() == Some('[') {
            group = reader.bracket(group)?;
            reader.skip(is_separator);
            continue;
        }
        let entry = reader.entry()?;
        let weight_at = reader.offset();
        let ppm = match (reader.weight()?, group) {
            (Some(_), Some(_)) => return Err(problem_at(weight_at, RangeError::WeightInGroup)),
            (Some(ppm), None) | (None, Some((_, ppm))) => ppm,
            (None, None) => Range::ONE,
        };
        reader.end_of_entry()?;
        entry.each_hole(|hole| range.set(hole, ppm));
    }
    match group {
        Some((at, _)) => Err(problem_at(at, RangeError::OpenGroup)),
        None => Ok(range),
    }
}

/// The part of an entry before its weight.
enum Entry {
    Random,
    Hole(Hole),
    Run(Run),
    Classes(Vec<StartingHand>),
}

impl Entry {
    fn each_hole(self, act: impl FnMut(Hole)) {
        match self {
            Entry::Random => Hole::all().for_each(act),
            Entry::Hole(hole) => [hole].into_iter().for_each(act),
            Entry::Run(run) => run.classes().flat_map(|c| c.holes()).for_each(act),
            Entry::Classes(classes) => classes.into_iter().flat_map(|c| c.holes()).for_each(act),
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
        self.peek().filter(|&c| !is_separator(c) && c != '[')
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
        if let Some(top) = self.top()? {
            return Ok(Entry::Classes(top));
        }
        if let Some(classes) = self.any_kicker()? {
            return Ok(Entry::Classes(classes));
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

    /// The strongest hands, if a percentage comes next.
    fn top(&mut self) -> Result<Option<Vec<StartingHand>>, ParseError> {
        let (start, at) = (self.next, self.offset());
        let number = self.number();
        if self.peek() != Some('%') || number.is_missing() {
            self.next = start;
            return Ok(None);
        }
        let ppm = self.percent(number)?;
        self.next += 1;
        let classes = strongest(ppm);
        if classes.is_empty() {
            return Err(problem_at(at, RangeError::TooFewHands));
        }
        Ok(Some(classes))
    }

    /// The hands with a rank, if it comes next with a star for the other card.
    fn any_kicker(&mut self) -> Result<Option<Vec<StartingHand>>, ParseError> {
        let start = self.next;
        let rank = self.rank().filter(|_| self.peek() == Some('*'));
        let Some(rank) = rank else {
            self.next = start;
            return Ok(None);
        };
        self.next += 1;
        let suited = match self.peek() {
            Some('s' | 'S') => Some(true),
            Some('o' | 'O') => Some(false),
            _ => None,
        };
        self.next += usize::from(suited.is_some());
        if matches!(self.peek_in_entry(), Some(c) if c == '+' || is_dash(c)) {
            return Err(self.problem(RangeError::SignAfterStar));
        }
        let has_rank = |class: &StartingHand| class.high() == rank || class.low() == rank;
        let is_kind = |class: &StartingHand| match suited {
            Some(suited) => !class.is_pair() && class.is_suited() == suited,
            None => true,
        };
        Ok(Some(StartingHand::all().filter(|c| has_rank(c) && is_kind(c)).collect()))
    }

    /// The bracket that opens or closes a group of one weight, given the group that is open.
    fn bracket(&mut self, group: Option<(usize, u32)>) -> Result<Option<(usize, u32)>, ParseError> {
        let at = self.offset();
        self.next += 1;
        let closes = self.peek() == Some('/');
        self.next += usize::from(closes);
        let number = self.number();
        if number.is_missing() {
            return Err(self.problem(RangeError::BadBracket));
        }
        let ppm = self.percent(number)?;
        self.next += usize::from(self.peek() == Some('%'));
        if self.peek() != Some(']') {
            return Err(self.problem(RangeError::BadBracket));
        }
        self.next += 1;
        match (closes, group) {
            (false, None) => Ok(Some((at, ppm))),
            (true, Some((_, open))) if open == ppm => Ok(None),
            (false, Some(_)) => Err(problem_at(at, RangeError::GroupInGroup)),
            (true, _) => Err(problem_at(at, RangeError::NoGroupToClose)),
        }
    }

    /// A number of percent in millionths of the whole.
    fn percent(&self, number: Number) -> Result<u32, ParseError> {
        let Number { at, whole, decimals } = number;
        if decimals.len() > DECIMALS - 2 {
            return Err(problem_at(at, RangeError::TooManyDecimals));
        }
        millionths(&whole, &decimals, DECIMALS - 2)
            .ok_or_else(|| problem_at(at, RangeError::PercentAboveHundred))
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

    /// The weight in millionths, if one is written.
    fn weight(&mut self) -> Result<Option<u32>, ParseError> {
        if !self.sign(|c| c == ':') {
            return Ok(None);
        }
        self.skip(char::is_whitespace);
        let number = self.number();
        match self.peek_in_entry() {
            Some('%') => return Err(self.problem(RangeError::PercentWeight)),
            Some(c) if number.is_missing() => {
                return Err(self.problem(RangeError::ExpectedWeight(c)));
            }
            None if number.is_missing() => return Err(self.problem(RangeError::MissingWeight)),
            _ => {}
        }
        let excess = number.decimals.len().saturating_sub(DECIMALS);
        if excess > 0 {
            self.next -= excess;
            return Err(self.problem(RangeError::TooManyDecimals));
        }
        let ppm = millionths(&number.whole, &number.decimals, DECIMALS);
        ppm.map(Some).ok_or_else(|| problem_at(number.at, RangeError::WeightAboveOne))
    }

    /// The digits that come next, those after a point too.
    fn number(&mut self) -> Number {
        let at = self.offset();
        let whole = self.digits();
        let point = self.peek() == Some('.');
        self.next += usize::from(point);
        let decimals = if point { self.digits() } else { Vec::new() };
        Number { at, whole, decimals }
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

/// The digits of a number, and where it begins.
struct Number {
    at: usize,
    whole: Vec<u32>,
    decimals: Vec<u32>,
}

impl Number {
    fn is_missing(&self) -> bool {
        self.whole.is_empty() && self.decimals.is_empty()
    }
}

/// The number of these digits in units of ten to the power of minus `places`, if it is at most
/// [`Range::ONE`] of them.
fn millionths(whole: &[u32], decimals: &[u32], places: usize) -> Option<u32> {
    let number = |sum: u32, digit: &u32| sum.checked_mul(10)?.checked_add(*digit);
    let padding = std::iter::repeat_n(&0, places.checked_sub(decimals.len())?);
    let mut digits = whole.iter().chain(decimals).chain(padding);
    let ppm = digits.try_fold(0, number)?;
    (ppm <= Range::ONE).then_some(ppm)
}

/// The starting hands of the highest equity against a random hand, as many as together are at most
/// this part of all holes.
fn strongest(ppm: u32) -> Vec<StartingHand> {
    static ORDER: LazyLock<Vec<StartingHand>> = LazyLock::new(|| {
        let matchups = Matchups::shipped();
        let won = |class: StartingHand| {
            let hole = class.holes().next().expect("every starting hand has holes");
            let tally = matchups.against(hole, &[1; Hole::COUNT]);
            2 * tally.wins + tally.ties
        };
        let mut hands: Vec<_> = StartingHand::all().map(|class| (won(class), class)).collect();
        // A stable sort, so that equal ones stay in the order of the grid.
        hands.sort_by_key(|&(won, _)| std::cmp::Reverse(won));
        hands.into_iter().map(|(_, class)| class).collect()
    });
    let most = u64::from(ppm) * Hole::COUNT as u64 / u64::from(Range::ONE);
    let mut holes = 0;
    let fits = |class: &&StartingHand| {
        holes += class.combos() as u64;
        holes <= most
    };
    ORDER.iter().take_while(fits).copied().collect()
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
