//! Stratified samples of flops: which flops, and how certain a mean over them is.

use std::ops::Range;
use std::sync::LazyLock;

use lethe_cards::{Board, CanonicalBoard, Card, Street};

use crate::random::{Domain, Random};

/// All flops, counting suits.
pub(crate) const FLOPS: usize = 22_100;
/// Fewer flops than this have no interval.
pub(crate) const FEWEST: usize = 4;
/// The patterns of flops, in an order in which neighbours are alike.
const PATTERNS: usize = 12;

/// All flops up to suits, each with its pattern.
static PATTERN_OF: LazyLock<Vec<(CanonicalBoard, usize)>> = LazyLock::new(|| {
    CanonicalBoard::all(Street::Flop).map(|flop| (flop, pattern(&flop.board()))).collect()
});

/// All flops, those that are alike next to each other.
static SORTED: LazyLock<Vec<[Card; 3]>> = LazyLock::new(|| {
    let cards = Card::all().collect::<Vec<_>>();
    let mut flops = Vec::with_capacity(FLOPS);
    for (i, &a) in cards.iter().enumerate() {
        for (j, &b) in cards[..i].iter().enumerate() {
            flops.extend(cards[..j].iter().map(|&c| [a, b, c]));
        }
    }
    flops.sort_by_cached_key(|flop| {
        let board = Board::new(flop).expect("cards differ");
        (pattern(&board), CanonicalBoard::of(&board).0.index())
    });
    flops
});

/// The flop of an iteration.
///
/// The numbers `start + n * golden ratio` modulo 1 are spread more evenly than random ones: in any row
/// of iterations every kind of flop is dealt nearly as often as it should be.
pub(crate) fn spread_flop(start: u64, iteration: u64) -> [Card; 3] {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    let fraction = start.wrapping_add(iteration.wrapping_mul(GOLDEN));
    SORTED[((u128::from(fraction) * FLOPS as u128) >> 64) as usize]
}

/// How a sample of some number of flops is divided. The number alone determines it.
#[derive(Clone, Debug)]
pub(crate) struct Strata(Vec<Stratum>);

/// Patterns that are drawn from together.
#[derive(Clone, Debug)]
struct Stratum {
    patterns: Range<usize>,
    /// The flops that have these patterns.
    flops: usize,
    /// How many of them are drawn.
    drawn: usize,
}

impl Stratum {
    /// The part of all flops.
    fn share(&self) -> f64 {
        self.flops as f64 / FLOPS as f64
    }
}

impl Strata {
    /// The strata of a sample of `count` flops: as fine as leaves at least two flops for each, drawn
    /// in proportion to their sizes.
    pub(crate) fn new(count: usize) -> Strata {
        let mut sizes = [0; PATTERNS];
        for &(flop, pattern) in PATTERN_OF.iter() {
            sizes[pattern] += flop.multiplicity() as usize;
        }
        // A stratum that deserves one and a half flops may have two, if there are enough.
        let mut strata = merged(&sizes, count, 1.5);
        if 2 * strata.len() > count {
            strata = merged(&sizes, count, 2.0);
        }
        let deserved: Vec<f64> =
            strata.iter().map(|stratum| stratum.share() * count as f64).collect();
        let fewest = count.min(2);
        for (stratum, &deserved) in strata.iter_mut().zip(&deserved) {
            stratum.drawn = (deserved as usize).max(fewest);
        }
        loop {
            let drawn: usize = strata.iter().map(|stratum| stratum.drawn).sum();
            let surplus = |i: usize| strata[i].drawn as f64 - deserved[i];
            let by_surplus = |a: &usize, b: &usize| surplus(*a).total_cmp(&surplus(*b));
            if drawn < count {
                let least = (0..strata.len()).min_by(by_surplus).expect("a stratum");
                strata[least].drawn += 1;
            } else if drawn > count {
                let can_lose = |&i: &usize| strata[i].drawn > fewest;
                let most = (0..strata.len()).filter(can_lose).max_by(by_surplus);
                strata[most.expect("two flops for each are not too many")].drawn -= 1;
            } else {
                return Strata(strata);
            }
        }
    }

    /// Draws the flops by a seed, without replacement, one stratum after the other; with the number
    /// of flops that each stands for.
    pub(crate) fn draw(&self, seed: u64) -> Vec<(CanonicalBoard, f64)> {
        let mut random = Random::new(Domain::Flops, seed, 0);
        let mut sample = Vec::new();
        for stratum in &self.0 {
            let mut deck: Vec<CanonicalBoard> = PATTERN_OF
                .iter()
                .filter(|(_, pattern)| stratum.patterns.contains(pattern))
                .flat_map(|&(flop, _)| std::iter::repeat_n(flop, flop.multiplicity() as usize))
                .collect();
            for i in 0..stratum.drawn {
                let other = i + random.below((deck.len() - i) as u64) as usize;
                deck.swap(i, other);
            }
            let weight = stratum.flops as f64 / stratum.drawn as f64;
            sample.extend(deck[..stratum.drawn].iter().map(|&flop| (flop, weight)));
        }
        sample
    }

    /// The estimate of the mean over all flops from a value for each flop drawn.
    pub(crate) fn mean(&self, values: &[f64]) -> f64 {
        self.parts(values).map(|(stratum, values)| stratum.share() * plain_mean(values)).sum()
    }

    /// Half the width of the 95 % interval around that mean; `None` with fewer flops than [`FEWEST`].
    pub(crate) fn interval(&self, values: &[f64]) -> Option<f64> {
        if values.len() < FEWEST {
            return None;
        }
        let variance = self.parts(values).map(|(stratum, values)| {
            let (mean, count) = (plain_mean(values), values.len() as f64);
            let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
            // A sample without replacement varies less.
            let left = 1.0 - count / stratum.flops as f64;
            stratum.share().powi(2) * left * squares / (count - 1.0) / count
        });
        let deviation = variance.sum::<f64>().sqrt();
        Some(student(values.len() - self.0.len()) * deviation)
    }

    /// Every stratum and its values.
    fn parts<'a>(&'a self, values: &'a [f64]) -> impl Iterator<Item = (&'a Stratum, &'a [f64])> {
        let mut rest = values;
        self.0.iter().map(move |stratum| {
            let (own, after) = rest.split_at(stratum.drawn);
            rest = after;
            (stratum, own)
        })
    }
}

fn plain_mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Joins neighbouring patterns until each stratum deserves at least so many of `count` flops.
fn merged(sizes: &[usize; PATTERNS], count: usize, least: f64) -> Vec<Stratum> {
    let is_enough = |stratum: &Stratum| stratum.share() * count as f64 >= least;
    let mut strata: Vec<Stratum> = Vec::new();
    for (pattern, &flops) in sizes.iter().enumerate() {
        match strata.last_mut() {
            Some(last) if !is_enough(last) => {
                last.patterns.end = pattern + 1;
                last.flops += flops;
            }
            _ => strata.push(Stratum { patterns: pattern..pattern + 1, flops, drawn: 0 }),
        }
    }
    if strata.len() > 1 && strata.last().is_some_and(|last| !is_enough(last)) {
        let last = strata.pop().expect("more than one");
        let before = strata.last_mut().expect("more than one");
        before.patterns.end = last.patterns.end;
        before.flops += last.flops;
    }
    strata
}

/// The pattern of a flop: its suits, its pairs and, without pairs, its highest card.
fn pattern(flop: &Board) -> usize {
    let different = |mut of: Vec<usize>| {
        of.sort_unstable();
        of.dedup();
        of.len()
    };
    let cards = flop.cards();
    let ranks = different(cards.iter().map(|card| card.rank().index()).collect());
    let suits = different(cards.iter().map(|card| card.suit().index()).collect());
    let height = match cards.iter().map(|card| card.rank().index()).max() {
        Some(12) => 0,
        Some(11) => 1,
        Some(9 | 10) => 2,
        _ => 3,
    };
    match (suits, ranks) {
        (_, 1) => 0,
        (3, 2) => 1,
        (3, _) => 2 + height,
        (2, 3) => 9 - height,
        (2, _) => 10,
        _ => 11,
    }
}

/// The 97.5 % quantile of Student's distribution.
fn student(freedom: usize) -> f64 {
    const FIRST: [f64; 10] =
        [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
    let normal = 1.959_964_f64;
    match FIRST.get(freedom.wrapping_sub(1)) {
        Some(&quantile) => quantile,
        None => {
            // The first terms of its expansion in 1 / freedom.
            let n = freedom as f64;
            let [z, z3, z5, z7] = [1, 3, 5, 7].map(|power| normal.powi(power));
            z + (z3 + z) / (4.0 * n)
                + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * n.powi(2))
                + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * n.powi(3))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Something that differs from flop to flop, and between patterns.
    fn value(flop: CanonicalBoard) -> f64 {
        let board = flop.board();
        let ranks: f64 = board.cards().iter().map(|card| card.rank().index() as f64).sum();
        let noise = (flop.index() * 7919 % 101) as f64;
        3.0 * ranks + 40.0 * pattern(&board) as f64 + noise
    }

    fn truth() -> f64 {
        let all = CanonicalBoard::all(Street::Flop);
        all.map(|flop| value(flop) * f64::from(flop.multiplicity())).sum::<f64>() / FLOPS as f64
    }

    #[test]
    fn dealt_flops_are_spread_evenly() {
        let mut counts = std::collections::HashMap::new();
        let mut patterns = [0_usize; PATTERNS];
        let mut sizes = [0; PATTERNS];
        PATTERN_OF
            .iter()
            .for_each(|&(flop, pattern)| sizes[pattern] += flop.multiplicity() as usize);
        let (short, start) = (1000, 0x1234_5678_9abc_def0);
        for iteration in 0..4 * FLOPS as u64 {
            let flop = spread_flop(start, iteration);
            *counts.entry(flop).or_insert(0) += 1;
            patterns[pattern(&Board::new(&flop).unwrap())] += 1;
            if iteration + 1 == short {
                for (pattern, &size) in sizes.iter().enumerate() {
                    let expected = short as f64 * size as f64 / FLOPS as f64;
                    let found = patterns[pattern] as f64;
                    assert!((found - expected).abs() < 4.0, "{pattern}: {found} for {expected}");
                }
            }
        }
        assert_eq!(counts.len(), FLOPS);
        assert!(counts.values().all(|&count| (3..=5).contains(&count)));
    }

    #[test]
    fn every_number_of_flops_is_divided_into_strata_of_two_or_more() {
        for count in (1..300).chain([1000, 5000, FLOPS - 1]) {
            let Strata(strata) = Strata::new(count);
            assert_eq!(strata.iter().map(|stratum| stratum.drawn).sum::<usize>(), count);
            assert_eq!(strata.iter().map(|stratum| stratum.flops).sum::<usize>(), FLOPS);
            assert_eq!(
                (strata[0].patterns.start, strata[strata.len() - 1].patterns.end),
                (0, PATTERNS)
            );
            assert!(strata.windows(2).all(|two| two[0].patterns.end == two[1].patterns.start));
            for stratum in &strata {
                assert!(stratum.drawn >= count.min(2) && stratum.drawn <= stratum.flops);
                let deserved = stratum.share() * count as f64;
                assert!((stratum.drawn as f64 - deserved).abs() < 2.0, "{count}: {stratum:?}");
            }
        }
        let divided = [1, 3, 4, 8, 20, 1000].map(|count| Strata::new(count).0.len());
        assert_eq!(divided, [1, 1, 2, 4, 9, 12]);
    }

    #[test]
    fn a_sample_has_no_flop_twice_and_weighs_as_much_as_all() {
        let sample = Strata::new(5000).draw(3);
        let mut times = vec![0; CanonicalBoard::count(Street::Flop)];
        sample.iter().for_each(|(flop, _)| times[flop.index()] += 1);
        for flop in CanonicalBoard::all(Street::Flop) {
            assert!(times[flop.index()] <= flop.multiplicity());
        }
        let weight: f64 = sample.iter().map(|&(_, weight)| weight).sum();
        assert!((weight - FLOPS as f64).abs() < 1e-6);
        assert_eq!(Strata::new(20).draw(1), Strata::new(20).draw(1));
        assert_ne!(Strata::new(20).draw(1), Strata::new(20).draw(2));
    }

    #[test]
    fn means_are_right_on_average_and_intervals_cover_them() {
        let truth = truth();
        let values: Vec<f64> = CanonicalBoard::all(Street::Flop).map(value).collect();
        for count in [1, 4, 8, 20, 60] {
            let strata = Strata::new(count);
            let (seeds, mut sum, mut squares, mut covered) = (600, 0.0, 0.0, 0);
            for seed in 0..seeds {
                let values: Vec<f64> =
                    strata.draw(seed).into_iter().map(|(flop, _)| values[flop.index()]).collect();
                let error = strata.mean(&values) - truth;
                sum += error;
                squares += error * error;
                match strata.interval(&values) {
                    Some(interval) => covered += u32::from(error.abs() <= interval),
                    None => assert!(count < FEWEST),
                }
            }
            let deviation = (squares / seeds as f64).sqrt();
            let bias = sum / seeds as f64;
            assert!(bias.abs() < 4.0 * deviation / (seeds as f64).sqrt(), "{count}: {bias}");
            let share = f64::from(covered) / seeds as f64;
            assert!(count < FEWEST || (0.92..0.98).contains(&share), "{count}: {share}");
        }
    }

    #[test]
    fn strata_make_means_more_certain() {
        let strata = Strata::new(40);
        let whole = Strata(vec![Stratum { patterns: 0..PATTERNS, flops: FLOPS, drawn: 40 }]);
        let width = |strata: &Strata| {
            let of = |seed| {
                let values: Vec<f64> =
                    strata.draw(seed).into_iter().map(|(flop, _)| value(flop)).collect();
                strata.interval(&values).unwrap()
            };
            (0..50).map(of).sum::<f64>()
        };
        assert!(width(&strata) < 0.7 * width(&whole), "{} {}", width(&strata), width(&whole));
    }

    #[test]
    fn quantiles_are_those_of_tables() {
        for (freedom, known) in
            [(1, 12.706), (2, 4.303), (10, 2.228), (11, 2.201), (20, 2.086), (60, 2.000)]
        {
            assert!((student(freedom) - known).abs() < 1e-3, "{freedom}: {}", student(freedom));
        }
    }
}
