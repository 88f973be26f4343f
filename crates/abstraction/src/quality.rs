//! How good buckets are: sizes, equities and spreads, and whether like slots share a bucket.
//!
//! Sums are integers, so they do not depend on the order in which threads add them up; only
//! [`QualitySums::finish`] leaves the integers.

use lethe_cards::{CanonicalBoard, DeckMap};
use lethe_compute::{Cancelled, Job};

use crate::boards::BoardSet;
use crate::report::Quality;
use crate::table::TableRef;

/// Sums over the deals of each bucket: how many, and the first two moments of their equity.
///
/// Equities are integers of any one scale, such as [`equity_scale`](lethe_cards::vs_random::equity_scale)
/// of a street. The weights of a street sum to 2.8 x 10^9 deals at most, so weighted equities fit 64
/// bits and their squares 128.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QualitySums {
    buckets: Vec<Moments>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Moments {
    weight: u64,
    equity: u64,
    square: u128,
}

impl Moments {
    fn merge(&mut self, other: &Moments) {
        self.weight += other.weight;
        self.equity += other.equity;
        self.square += other.square;
    }

    /// The weighted sum of squared distances to the mean.
    fn inertia(&self) -> f64 {
        if self.weight == 0 {
            return 0.0;
        }
        // Both products are integers and their difference is never negative (Cauchy and Schwarz).
        let equity = u128::from(self.equity);
        let numerator = self.square * u128::from(self.weight) - equity * equity;
        numerator as f64 / self.weight as f64
    }

    fn mean(&self) -> f64 {
        if self.weight == 0 { 0.0 } else { self.equity as f64 / self.weight as f64 }
    }

    fn deviation(&self) -> f64 {
        if self.weight == 0 { 0.0 } else { (self.inertia() / self.weight as f64).sqrt() }
    }
}

impl QualitySums {
    /// No deals yet in any of the buckets.
    pub(crate) fn new(buckets: usize) -> QualitySums {
        QualitySums { buckets: vec![Moments::default(); buckets] }
    }

    /// Counts `weight` deals of one equity in a bucket.
    ///
    /// # Panics
    /// If there is no such bucket.
    #[inline]
    pub(crate) fn add(&mut self, bucket: u32, equity: u32, weight: u64) {
        let moments = &mut self.buckets[bucket as usize];
        moments.weight += weight;
        moments.equity += u64::from(equity) * weight;
        moments.square += u128::from(u64::from(equity) * u64::from(equity)) * u128::from(weight);
    }

    /// Adds what others counted in the same buckets.
    pub(crate) fn merge(mut self, other: &QualitySums) -> QualitySums {
        self.put(0, other);
        self
    }

    /// Adds what was counted in buckets numbered from `first` on.
    ///
    /// # Panics
    /// If there are no such buckets.
    pub(crate) fn put(&mut self, first: usize, part: &QualitySums) {
        let own = &mut self.buckets[first..first + part.buckets.len()];
        for (own, moments) in own.iter_mut().zip(&part.buckets) {
            own.merge(moments);
        }
    }

    /// The place of each bucket when they are ordered by mean equity.
    ///
    /// Equal means keep their order; buckets without deals come last.
    pub(crate) fn order(&self) -> Vec<u32> {
        let mut order: Vec<usize> = (0..self.buckets.len()).collect();
        // a / b < c / d as a * d < c * b, which is exact.
        let product = |a: &Moments, b: &Moments| u128::from(a.equity) * u128::from(b.weight);
        order.sort_by(|&a, &b| {
            let (a, b) = (&self.buckets[a], &self.buckets[b]);
            let empty = (a.weight == 0).cmp(&(b.weight == 0));
            empty.then_with(|| product(a, b).cmp(&product(b, a)))
        });
        let mut places = vec![0; order.len()];
        for (place, bucket) in order.into_iter().enumerate() {
            places[bucket] = place as u32;
        }
        places
    }

    /// The same sums with each bucket at its new place.
    pub(crate) fn renumbered(&self, places: &[u32]) -> QualitySums {
        let mut sums = QualitySums::new(self.buckets.len());
        for (moments, &place) in self.buckets.iter().zip(places) {
            sums.buckets[place as usize] = *moments;
        }
        sums
    }

    /// The figures, where `scale` stands for an equity of one.
    pub(crate) fn finish(&self, scale: u32) -> Figures {
        let scale = f64::from(scale);
        let mut total = Moments::default();
        self.buckets.iter().for_each(|moments| total.merge(moments));
        let within: f64 = self.buckets.iter().map(Moments::inertia).sum();
        let spreads: Vec<f64> = self.buckets.iter().map(|m| m.deviation() / scale).collect();
        let weighted = self.buckets.iter().zip(&spreads).map(|(m, &s)| m.weight as f64 * s);
        let all = total.inertia();
        Figures {
            sizes: self.buckets.iter().map(|m| m.weight).collect(),
            equities: self.buckets.iter().map(|m| m.mean() / scale).collect(),
            quality: Quality {
                variance_explained: if all > 0.0 { 1.0 - within / all } else { 1.0 },
                mean_spread: weighted.sum::<f64>() / total.weight.max(1) as f64,
                empty_buckets: self.buckets.iter().filter(|m| m.weight == 0).count() as u64,
                ..Quality::default()
            },
            spreads,
        }
    }
}

/// What [`QualitySums`] come to, as in a [`StreetReport`](crate::report::StreetReport). A bucket
/// without deals has equity and spread 0.
pub(crate) struct Figures {
    pub(crate) sizes: Vec<u64>,
    pub(crate) equities: Vec<f64>,
    pub(crate) spreads: Vec<f64>,
    /// Of equity alone.
    pub(crate) quality: Quality,
}

/// How many slots of a table hold another bucket than a slot of the same situation.
pub(crate) fn asymmetric_slots(
    boards: &BoardSet,
    table: TableRef<'_>,
    job: Job<'_>,
) -> Result<u64, Cancelled> {
    fn count<T: PartialEq + Sync>(
        boards: &BoardSet,
        table: &[T],
        job: Job<'_>,
    ) -> Result<u64, Cancelled> {
        let add = |sum: &mut u64, position: usize| {
            *sum += asymmetric_in_row(boards.board(position), boards.row(table, position));
        };
        boards.sum("", job.silent(), || 0, add, |a, b| a + b)
    }
    match table {
        TableRef::U16(values) => count(boards, values, job),
        TableRef::U32(values) => count(boards, values, job),
    }
}

/// How many slots of a board's row hold another value than a slot of the same situation: one that
/// a permutation of suits which leaves the board as it is leads to.
pub(crate) fn asymmetric_in_row<T: PartialEq>(board: CanonicalBoard, row: &[T]) -> u64 {
    let deck = board.deck();
    // The identity comes first, and is all there is on most boards.
    let maps = board.symmetry().maps().skip(1);
    let images: Vec<Vec<u16>> = maps.map(|map| DeckMap::new(&deck, &deck, map).slots()).collect();
    let differs = |&slot: &usize| images.iter().any(|image| row[image[slot] as usize] != row[slot]);
    (0..row.len()).filter(differs).count() as u64
}

#[cfg(test)]
mod tests {
    use lethe_cards::{Board, Deck, Hole, Situation, Street};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn figures_are_those_of_the_textbook(
            deals in prop::collection::vec((0u32..4, 0u32..=1980, 1u64..20), 1..60),
        ) {
            let mut sums = QualitySums::new(5);
            deals.iter().for_each(|&(bucket, equity, weight)| sums.add(bucket, equity, weight));
            let figures = sums.finish(1980);

            let part = |wanted: Option<u32>| {
                let of = deals.iter().filter(|d| wanted.is_none_or(|bucket| d.0 == bucket));
                let of: Vec<(f64, f64)> =
                    of.map(|d| (f64::from(d.1) / 1980.0, d.2 as f64)).collect();
                let weight: f64 = of.iter().map(|d| d.1).sum();
                let mean = of.iter().map(|d| d.0 * d.1).sum::<f64>() / weight;
                let inertia: f64 = of.iter().map(|d| (d.0 - mean).powi(2) * d.1).sum();
                (weight, mean, inertia)
            };
            let (all, _, total) = part(None);
            let (mut within, mut spread) = (0.0, 0.0);
            let mut empty = 0;
            for bucket in 0..5u32 {
                let (weight, mean, inertia) = part(Some(bucket));
                let at = bucket as usize;
                prop_assert_eq!(figures.sizes[at] as f64, weight);
                if weight == 0.0 {
                    empty += 1;
                    prop_assert_eq!((figures.equities[at], figures.spreads[at]), (0.0, 0.0));
                    continue;
                }
                prop_assert!((figures.equities[at] - mean).abs() < 1e-12);
                prop_assert!((figures.spreads[at] - (inertia / weight).sqrt()).abs() < 1e-7);
                within += inertia;
                spread += weight * (inertia / weight).sqrt();
            }
            let explained = if total > 1e-9 { 1.0 - within / total } else { 1.0 };
            let quality = &figures.quality;
            prop_assert!((quality.variance_explained - explained).abs() < 1e-6);
            prop_assert!((quality.mean_spread - spread / all).abs() < 1e-7);
            prop_assert_eq!(quality.empty_buckets, empty);
        }

        #[test]
        fn sums_merge_in_any_order(
            deals in prop::collection::vec((0u32..4, 0u32..=4_280_760, 1u64..25), 0..60),
            cut in 0usize..60,
        ) {
            let sums = |deals: &[(u32, u32, u64)]| {
                let mut sums = QualitySums::new(4);
                deals.iter().for_each(|&(bucket, equity, weight)| sums.add(bucket, equity, weight));
                sums
            };
            let (left, right) = deals.split_at(cut.min(deals.len()));
            prop_assert_eq!(sums(left).merge(&sums(right)), sums(&deals));
            prop_assert_eq!(sums(right).merge(&sums(left)), sums(&deals));
        }
    }

    /// The slot of every flop situation's canonical representative, in every slot.
    fn representatives() -> Vec<u32> {
        let mut table = Vec::with_capacity(Situation::slots(Street::Flop));
        for board in CanonicalBoard::all(Street::Flop) {
            let flop = board.board();
            table.extend(board.deck().holes().map(|hole| {
                let (situation, _) = Situation::of(hole, &flop).expect("a hole of the deck");
                situation.index() as u32
            }));
        }
        table
    }

    #[test]
    fn every_slot_that_differs_from_a_like_situation_is_counted() {
        let flops = BoardSet::all(Street::Flop);
        let asymmetric =
            |table: &[u32]| asymmetric_slots(&flops, TableRef::U32(table), Job::default()).unwrap();
        let mut table = representatives();
        assert_eq!(asymmetric(&table), 0);

        // Three suits are alike on a monotone flop: 3 x 2 holes are like this one.
        let slot = |board: &str, hole: &str| {
            let (board, map) = CanonicalBoard::of(&board.parse::<Board>().unwrap());
            let hole = map.hole(hole.parse::<Hole>().unwrap());
            board.index() * Deck::row_len(Street::Flop) + board.deck().slot(hole).unwrap()
        };
        table[slot("Ts9s8s", "AhKd")] += 1;
        assert_eq!(asymmetric(&table), 6);
        // No two suits are alike here.
        table[slot("Ts9h8d", "AhKd")] += 1;
        assert_eq!(asymmetric(&table), 6);
        // Two are here.
        table[slot("Ts9s8h", "AcKs")] += 1;
        assert_eq!(asymmetric(&table), 8);

        // One bucket for each slot: every slot that shares its situation is counted.
        let each: Vec<u32> = (0..table.len() as u32).collect();
        let table = representatives();
        let mut alone = vec![0u32; table.len()];
        table.iter().for_each(|&slot| alone[slot as usize] += 1);
        let shared = table.iter().filter(|&&slot| alone[slot as usize] > 1).count() as u64;
        assert_eq!(asymmetric(&each), shared);
    }
}
