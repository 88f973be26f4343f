//! The exact result of every hole against every other before the flop.

use std::sync::LazyLock;

use crate::board::Street;
use crate::card_set::CardSet;
use crate::equity::Tally;
use crate::hole::{Hole, StartingHand};
use crate::iso::{CanonicalBoard, sorting_map};
use crate::river::River;

/// How many boards two given holes leave: 48 choose 5.
const BOARDS: u32 = 1_712_304;

/// Wins and ties of one hole against another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Counts {
    wins: u32,
    ties: u32,
}

/// The exact result of every hole against every other over all 1,712,304 boards.
///
/// Up to the names of the suits there are 47,008 ways to set two holes against each other, of which
/// the table keeps 78 in both orders (offsuit holes of one class that share one suit). It ships
/// with the crate, eight bytes per entry, and
/// `cargo run --release -p lethe-cards --example matchups -- FILE` computes it again.
pub struct Matchups {
    /// By class of the first hole and index of the second, in canonical form; zero elsewhere.
    results: Vec<Counts>,
}

/// Every pair of disjoint holes in canonical form, the first of a class no higher in the grid than
/// that of the second, in the order of both indices.
fn matchups() -> impl Iterator<Item = (Hole, Hole)> {
    let first = StartingHand::all().map(|class| {
        let hole = class.holes().next().expect("a class has holes");
        sorting_map(hole.set(), CardSet::EMPTY).hole(hole)
    });
    first.flat_map(|a| Hole::all().map(move |b| (a, b))).filter(|&(a, b)| {
        let map = sorting_map(a.set(), b.set());
        !a.set().intersects(b.set())
            && (map.hole(a), map.hole(b)) == (a, b)
            && a.class().index() <= b.class().index()
    })
}

impl Matchups {
    /// How many entries the table keeps.
    pub const COUNT: usize = 47_008 + 78;

    /// The table that ships with the crate.
    pub fn shipped() -> &'static Matchups {
        static SHIPPED: LazyLock<Matchups> =
            LazyLock::new(|| Matchups::from_bytes(include_bytes!("../data/matchups.bin")));
        &SHIPPED
    }

    fn from_bytes(bytes: &[u8]) -> Matchups {
        let mut results = vec![Counts::default(); StartingHand::COUNT * Hole::COUNT];
        let number = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four bytes"));
        for ((a, b), entry) in matchups().zip(bytes.chunks_exact(8)) {
            let (wins, ties) = (number(&entry[..4]), number(&entry[4..]));
            results[place(a, b)] = Counts { wins, ties };
            results[place(b, a)] = Counts { wins: BOARDS - wins - ties, ties };
        }
        Matchups { results }
    }

    /// The table as it is shipped.
    pub fn to_bytes(&self) -> Vec<u8> {
        let results = matchups().map(|(a, b)| self.results[place(a, b)]);
        results.flat_map(|r| [r.wins.to_le_bytes(), r.ties.to_le_bytes()].concat()).collect()
    }

    /// Makes the table from one pass over all canonical river boards.
    ///
    /// It takes the boards whose index leaves the remainder `part` on division by `parts`, so that
    /// several threads can share the work; the sums of all parts add up to the table.
    pub fn compute(part: usize, parts: usize) -> MatchupSums {
        let mut sums = MatchupSums::new();
        let boards: Vec<CanonicalBoard> =
            CanonicalBoard::all(Street::River).skip(part).step_by(parts).collect();
        for batch in boards.chunks(BATCH) {
            sums.add(batch);
        }
        sums
    }

    /// The result of a hole against another; none if they share a card.
    pub fn get(&self, hole: Hole, other: Hole) -> Option<Tally> {
        if hole.set().intersects(other.set()) {
            return None;
        }
        let result = self.results[place(hole, other)];
        Some(Tally { wins: result.wins.into(), ties: result.ties.into(), total: BOARDS.into() })
    }

    /// The result of a hole against opponents of these weights, by [`Hole::index`].
    pub fn against(&self, hole: Hole, weights: &[u32; Hole::COUNT]) -> Tally {
        let mut sum = Tally::default();
        for (other, &weight) in Hole::all().zip(weights) {
            if weight > 0
                && let Some(tally) = self.get(hole, other)
            {
                sum.add(weight.into(), tally);
            }
        }
        sum
    }

    /// The result of a class against another: all their holes that do not share a card.
    pub fn classes(&self, class: StartingHand, other: StartingHand) -> Tally {
        let mut sum = Tally::default();
        for hole in class.holes() {
            for tally in other.holes().filter_map(|other| self.get(hole, other)) {
                sum.add(1, tally);
            }
        }
        sum
    }
}

/// Where the result of a hole against another stands.
fn place(hole: Hole, other: Hole) -> usize {
    let map = sorting_map(hole.set(), other.set());
    hole.class().index() * Hole::COUNT + map.hole(other).index()
}

/// How many boards are taken together, so that a row of sums stays in cache meanwhile; their
/// weights, 24 at most, must not overflow 16 bits.
const BATCH: usize = 128;
/// The strength of a hole that the board blocks: above all others, equal to none.
const BLOCKED: i16 = i16::MAX;

/// Sums of wins and ties of holes against holes over some of the boards.
///
/// Holes are numbered by class here, so that those a hole is compared with (the ones of its own
/// class and of later ones) are the numbers from some point on.
pub struct MatchupSums {
    holes: Vec<Hole>,
    wins: Vec<u32>,
    ties: Vec<u32>,
}

impl MatchupSums {
    fn new() -> MatchupSums {
        let zeros = vec![0; Hole::COUNT * Hole::COUNT];
        let holes = StartingHand::all().flat_map(StartingHand::holes).collect();
        MatchupSums { holes, wins: zeros.clone(), ties: zeros }
    }

    /// The number of the first hole in the class of a hole.
    fn first_like(&self, number: usize) -> usize {
        let class = self.holes[number].class();
        self.holes.iter().position(|hole| hole.class() == class).expect("the hole itself")
    }

    fn add(&mut self, boards: &[CanonicalBoard]) {
        let mut strengths = vec![[BLOCKED; Hole::COUNT]; boards.len()];
        for (row, board) in strengths.iter_mut().zip(boards) {
            let table = River::new(board.set()).strengths();
            for (entry, hole) in row.iter_mut().zip(&self.holes) {
                if !hole.set().intersects(board.set()) {
                    *entry = table.get(*hole) as i16;
                }
            }
        }
        let weights: Vec<i16> = boards.iter().map(|b| b.multiplicity() as i16).collect();
        for number in 0..Hole::COUNT {
            let from = self.first_like(number);
            let (mut wins, mut ties) = ([0i16; Hole::COUNT], [0i16; Hole::COUNT]);
            let (wins, ties) = (&mut wins[from..], &mut ties[from..]);
            for (row, &weight) in strengths.iter().zip(&weights) {
                let own = row[number];
                if own != BLOCKED {
                    let others = &row[from..];
                    for ((wins, ties), &other) in wins.iter_mut().zip(ties.iter_mut()).zip(others) {
                        *wins += if other < own { weight } else { 0 };
                        *ties += if other == own { weight } else { 0 };
                    }
                }
            }
            let places = number * Hole::COUNT + from..(number + 1) * Hole::COUNT;
            let add = |sums: &mut [u32], row: &[i16]| {
                sums.iter_mut().zip(row).for_each(|(sum, &n)| *sum += n as u32);
            };
            add(&mut self.wins[places.clone()], wins);
            add(&mut self.ties[places], ties);
        }
    }

    /// Adds the sums of another part of the boards.
    pub fn merge(&mut self, other: &MatchupSums) {
        self.wins.iter_mut().zip(&other.wins).for_each(|(sum, n)| *sum += n);
        self.ties.iter_mut().zip(&other.ties).for_each(|(sum, n)| *sum += n);
    }

    /// The table, once all boards are in.
    ///
    /// Canonical boards with their weights give the right sum over all images of a pair of holes
    /// under the suit permutations together. The images share one result: their mean.
    pub fn finish(&self) -> Matchups {
        let mut sums = vec![(0u64, 0u64, 0u64); StartingHand::COUNT * Hole::COUNT];
        for (number, &hole) in self.holes.iter().enumerate() {
            let from = self.first_like(number);
            for (&other, place_of) in self.holes[from..].iter().zip(number * Hole::COUNT + from..) {
                if !hole.set().intersects(other.set()) {
                    let sum = &mut sums[place(hole, other)];
                    sum.0 += u64::from(self.wins[place_of]);
                    sum.1 += u64::from(self.ties[place_of]);
                    sum.2 += 1;
                }
            }
        }
        let mut results = vec![Counts::default(); sums.len()];
        for (result, &(wins, ties, images)) in results.iter_mut().zip(&sums) {
            let mean = |sum: u64| sum.checked_div(images).unwrap_or(0) as u32;
            *result = Counts { wins: mean(wins), ties: mean(ties) };
        }
        Matchups { results }
    }
}
