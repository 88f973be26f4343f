//! Exact equity: hole against hole, against a range, range against range, on any board.
//!
//! After the flop every board that can follow is gone through, and on each river one sweep over
//! the holes in the order of their strength counts what each of them beats, ties and meets. Before
//! the flop the answers come from the [table of matchups](crate::Matchups). All sums are integers.

use crate::board::{Board, Street};
use crate::card::Card;
use crate::card_set::CardSet;
use crate::card_sums::CardSums;
use crate::deck::Deck;
use crate::eval::{HandBuilder, evaluate};
use crate::hole::Hole;
use crate::matchups::Matchups;
use crate::range::Range;
use crate::river::{River, Showdown};
use crate::vs_random;

/// How often a hand wins, ties and meets an opponent, over all boards that can follow.
///
/// Opponents count by their weight in units of the greatest common divisor of the weights
/// involved: one each where they all have the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// The pairs of opponent and board that the hand beats.
    pub wins: u128,
    /// Those it ties.
    pub ties: u128,
    /// All of them.
    pub total: u128,
}

impl Tally {
    /// The share of the pot: wins and half the ties out of the total; none if nothing was met.
    pub fn equity(&self) -> Option<f64> {
        let won = (2 * self.wins + self.ties) as f64;
        (self.total > 0).then(|| won / (2 * self.total) as f64)
    }

    /// The pairs of opponent and board that the hand loses to.
    pub fn losses(&self) -> u128 {
        self.total - self.wins - self.ties
    }

    /// Adds `weight` times another tally.
    pub(crate) fn add(&mut self, weight: u128, other: Tally) {
        self.wins += weight * other.wins;
        self.ties += weight * other.ties;
        self.total += weight * other.total;
    }
}

/// Two hands or ranges cannot be compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EquityError {
    /// A hole holds a card of the board.
    #[error("{0} holds a card of the board")]
    OnBoard(Hole),
    /// Two holes share a card.
    #[error("{0} and {1} share a card")]
    Shared(Hole, Hole),
    /// Every pair of hands shares a card with the board or with one another.
    #[error("no two hands of these ranges can be dealt together on this board")]
    NoPossibleDeal,
}

/// The equity of a hole against another.
///
/// ```
/// use lethe_cards::{Board, equity};
/// let tally = equity::hole_vs_hole("AsAh".parse()?, "KsKh".parse()?, &Board::EMPTY)?;
/// assert_eq!((tally.wins, tally.ties, tally.losses()), (1_410_336, 9_308, 292_660));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn hole_vs_hole(hole: Hole, other: Hole, board: &Board) -> Result<Tally, EquityError> {
    if hole.set().intersects(other.set()) {
        return Err(EquityError::Shared(hole, other));
    }
    if other.set().intersects(board.set()) {
        return Err(EquityError::OnBoard(other));
    }
    if hole.set().intersects(board.set()) {
        return Err(EquityError::OnBoard(hole));
    }
    if board.street() == Street::Preflop {
        return Ok(Matchups::shipped().get(hole, other).expect("the holes share no card"));
    }
    let dealt: HandBuilder = board.cards().iter().copied().collect();
    let [own, theirs] = [hole, other].map(|hole| dealt.with(hole.low()).with(hole.high()));
    // Wins, ties and losses.
    let mut counts = [0u32; 3];
    let mut compare = |own: HandBuilder, theirs: HandBuilder| {
        counts[(theirs.strength().cmp(&own.strength()) as i8 + 1) as usize] += 1;
    };
    let deck = Deck::without(board.set() | hole.set() | other.set());
    match board.street() {
        Street::River => compare(own, theirs),
        Street::Turn => {
            deck.cards().iter().for_each(|&river| compare(own.with(river), theirs.with(river)));
        }
        _ => {
            for (place, &turn) in deck.cards().iter().enumerate() {
                let (own, theirs) = (own.with(turn), theirs.with(turn));
                for &river in &deck.cards()[..place] {
                    compare(own.with(river), theirs.with(river));
                }
            }
        }
    }
    let [wins, ties, losses] = counts.map(u128::from);
    Ok(Tally { wins, ties, total: wins + ties + losses })
}

/// The equity of a hole against a range.
pub fn hole_vs_range(hole: Hole, range: &Range, board: &Board) -> Result<Tally, EquityError> {
    Ok(hole_by_next_card(hole, range, board)?.whole)
}

/// The equity of a hole against a range, and what each next card makes of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ByNextCard {
    /// The tally over all boards that can follow.
    pub whole: Tally,
    /// The tally after each card that can come on a flop or a turn, against the same opponents less
    /// those that hold it; empty before the flop and on the river.
    pub next: Vec<(Card, Tally)>,
}

/// The equity of a hole against a range, and after each card that can come next.
///
/// After the flop every opponent is evaluated on every river: for a single hole that is several
/// times less work than the sweep over all holes. Against a random hand it is ten times less again:
/// see [`river_hole`](vs_random::river_hole).
pub fn hole_by_next_card(
    hole: Hole,
    range: &Range,
    board: &Board,
) -> Result<ByNextCard, EquityError> {
    if hole.set().intersects(board.set()) {
        return Err(EquityError::OnBoard(hole));
    }
    let weights = units(range);
    let (own, dealt) = (hole.set(), board.set());
    let opponents: Vec<(CardSet, u32)> = range
        .without(own | dealt)
        .iter()
        .map(|(opponent, _)| (opponent.set(), weights[opponent.index()]))
        .collect();
    let is_random = weights.iter().all(|&weight| weight == 1);
    let river = |board: CardSet| match is_random {
        true => vs_random::river_hole(board, hole).expect("the hole is not on the board"),
        false => on_river(own, &opponents, board),
    };
    let deck = Deck::without(own | dealt);
    let after = |cards: &[Card]| cards.iter().map(|&card| (card, Tally::default())).collect();
    let mut found = ByNextCard { whole: Tally::default(), next: Vec::new() };
    match board.street() {
        Street::Preflop => found.whole = Matchups::shipped().against(hole, &weights),
        Street::River => found.whole = river(dealt),
        Street::Turn => {
            found.next = after(deck.cards());
            for (card, tally) in &mut found.next {
                *tally = river(dealt | (*card).into());
                found.whole.add(1, *tally);
            }
        }
        Street::Flop => {
            found.next = after(deck.cards());
            for second in 1..found.next.len() {
                for first in 0..second {
                    let (a, b) = (found.next[first].0, found.next[second].0);
                    let tally = river(dealt | a.into() | b.into());
                    found.whole.add(1, tally);
                    // The two cards may come in either order.
                    found.next[first].1.add(1, tally);
                    found.next[second].1.add(1, tally);
                }
            }
        }
    }
    if found.whole.total == 0 { Err(EquityError::NoPossibleDeal) } else { Ok(found) }
}

/// The tally of a hole on a river board against weighted opponents, of which it blocks none.
fn on_river(hole: CardSet, opponents: &[(CardSet, u32)], board: CardSet) -> Tally {
    let own = evaluate(hole | board);
    let (mut wins, mut ties, mut total) = (0u64, 0u64, 0u64);
    for &(opponent, weight) in opponents.iter().filter(|(cards, _)| !cards.intersects(board)) {
        let theirs = evaluate(opponent | board);
        let weight = u64::from(weight);
        wins += if theirs < own { weight } else { 0 };
        ties += if theirs == own { weight } else { 0 };
        total += weight;
    }
    Tally { wins: wins.into(), ties: ties.into(), total: total.into() }
}

/// The equity of a range against another, each pair of hands weighted by both their weights.
pub fn range_vs_range(range: &Range, other: &Range, board: &Board) -> Result<Tally, EquityError> {
    let tallies = all_vs_range(other, board);
    let mut sum = Tally::default();
    for (hole, &weight) in Hole::all().zip(units(range).iter()) {
        sum.add(u128::from(weight), tallies[hole.index()]);
    }
    if sum.total == 0 { Err(EquityError::NoPossibleDeal) } else { Ok(sum) }
}

/// The equity of every hole against a range, by [`Hole::index`]; nothing met where a hole touches
/// the board.
pub fn all_vs_range(range: &Range, board: &Board) -> Vec<Tally> {
    let weights = units(range);
    if board.street() == Street::Preflop {
        return Hole::all().map(|hole| Matchups::shipped().against(hole, &weights)).collect();
    }
    let mut tallies = vec![Tally::default(); Hole::COUNT];
    let mut counts = vec![Tally::default(); Deck::row_len(Street::River)];
    each_completion(board, |river| {
        let deck = Deck::without(river);
        let holes: Vec<Hole> = deck.holes().collect();
        let row: Vec<u64> = holes.iter().map(|hole| u64::from(weights[hole.index()])).collect();
        count(&River::new(river).showdown(), &row, &mut counts);
        for (hole, tally) in holes.iter().zip(&counts) {
            tallies[hole.index()].add(1, *tally);
        }
    });
    tallies
}

/// A range's weights divided by their greatest common divisor.
fn units(range: &Range) -> [u32; Hole::COUNT] {
    fn gcd(a: u32, b: u32) -> u32 {
        if b == 0 { a } else { gcd(b, a % b) }
    }
    let divisor = range.weights().iter().fold(0, |divisor, &weight| gcd(divisor, weight)).max(1);
    range.weights().map(|weight| weight / divisor)
}

/// Calls `visit` with every river board that can follow a flop, a turn or a river.
fn each_completion(board: &Board, mut visit: impl FnMut(CardSet)) {
    let set = board.set();
    let deck = Deck::without(set);
    match board.street() {
        Street::Preflop => unreachable!("before the flop there is a table"),
        Street::Flop => deck.holes().for_each(|runout| visit(set | runout.set())),
        Street::Turn => deck.cards().iter().for_each(|&card| visit(set | card.into())),
        Street::River => visit(set),
    }
}

/// What each hole beats, ties and meets on a river board, where `weights` is a row.
fn count(showdown: &Showdown, weights: &[u64], counts: &mut [Tally]) {
    let mut sums = CardSums::default();
    let groups = showdown.groups().map(|group| [group, group]);
    sums.sweep(
        groups,
        |slot| weights[slot],
        |slot, sum, has_ties| {
            let count = &mut counts[slot];
            if has_ties {
                // The hole's own weight was subtracted twice.
                count.ties = u128::from(sum.wrapping_add(weights[slot])) - count.wins;
            } else {
                count.wins = sum.into();
            }
        },
    );
    for hole in showdown.groups().flatten() {
        let slot = hole.slot as usize;
        counts[slot].total = sums.against(hole.cards).wrapping_add(weights[slot]).into();
    }
}
