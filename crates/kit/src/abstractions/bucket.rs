//! One bucket: its shape, its typical and its extreme hands, and the buckets nearest to it.

use lethe_abstraction::method::{Distance, Horizon};
use lethe_abstraction::{Abstraction, Method, StreetReport};
use lethe_cards::vs_random::equity_scale;
use lethe_cards::{Board, CanonicalBoard, Card, Deck, Hole, Rank, Situation, Street};
use lethe_compute::Job;
use rayon::prelude::*;
use serde::Serialize;

use super::{report, rows};
use crate::error::Error;
use crate::plot::chart;
use crate::text::written;

/// How many hands of each kind are shown.
const SHOWN: usize = 6;
/// The hands they are chosen from: those that differ by suits alone come last.
const CANDIDATES: usize = 96;

/// What a bucket is like.
#[derive(Debug, Serialize)]
pub struct BucketView {
    /// The street.
    pub street: &'static str,
    /// The bucket.
    pub bucket: u32,
    /// The number of buckets.
    pub buckets: usize,
    /// Its raw deals.
    pub size: u64,
    /// Their share of all deals of the street.
    pub share: f64,
    /// Their mean equity.
    pub equity: f64,
    /// The standard deviation of their equity.
    pub spread: f64,
    /// Situations up to suits.
    pub situations: u64,
    /// The share of each bin of the centroid, where the method has one.
    pub centroid: Option<Vec<f64>>,
    /// Typical hands.
    pub typical: Vec<BucketHand>,
    /// The weakest hands.
    pub lowest: Vec<BucketHand>,
    /// The strongest hands.
    pub highest: Vec<BucketHand>,
    /// The nearest buckets.
    pub neighbours: Vec<NearBucket>,
}

/// A hand in the bucket.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct BucketHand {
    /// The hole.
    #[serde(serialize_with = "written")]
    pub hole: Hole,
    /// The board.
    #[serde(serialize_with = "written")]
    pub board: Board,
    /// Its equity.
    pub equity: f64,
    /// The distance from the centroid, as the method measures it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<f64>,
}

/// A bucket near this one.
#[derive(Debug, Serialize)]
pub struct NearBucket {
    /// The bucket.
    pub bucket: u32,
    /// Its raw deals.
    pub size: u64,
    /// Their mean equity.
    pub equity: f64,
    /// The standard deviation of their equity.
    pub spread: f64,
    /// The distance of the centroids; without them, of the mean equities.
    pub distance: f64,
    /// The equity of the bucket described against this one, where the table is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<f64>,
}

impl BucketView {
    /// Describes a bucket of a street; looks at every board of the street.
    pub fn of(
        abstraction: &Abstraction,
        street: Street,
        bucket: u32,
        job: Job<'_>,
    ) -> Result<BucketView, Error> {
        let report = report(abstraction, street)?;
        let at = bucket as usize;
        if at >= report.buckets {
            let within = match abstraction.flop_clusters() {
                Some(_) => " in each flop cluster; the base bucket of lethe lookup is one of them",
                None => "",
            };
            return Err(Error::question(format_args!(
                "the {street} has no bucket {bucket}: its buckets are 0 to {}{within}",
                report.buckets - 1
            )));
        }
        let (equity, size) = (report.equities[at], report.sizes[at]);
        let found = scan(abstraction, street, bucket, equity, job)?;
        let all: u64 = report.sizes.iter().sum();
        let shape = Shape::of(abstraction, report, street, at);
        Ok(BucketView {
            street: street.name(),
            bucket,
            buckets: report.buckets,
            size,
            share: size as f64 / all.max(1) as f64,
            equity,
            spread: report.spreads[at],
            situations: found.situations,
            centroid: report.centroids.get(at).map(|cumulative| chart::shares(cumulative)),
            typical: typical(abstraction, found.nearest.hands(street), shape.as_ref())?,
            lowest: varied(found.lowest.hands(street)),
            highest: varied(found.highest.hands(street)),
            neighbours: neighbours(abstraction, report, bucket, SHOWN)?,
        })
    }
}

/// A situation of the bucket: what it is sorted by, then its slot, then its equity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    key: u32,
    slot: usize,
    equity: u32,
}

impl Found {
    fn hand(&self, street: Street) -> BucketHand {
        let situation = Situation::from_index(street, self.slot).expect("a slot of the street");
        let (board, hole) = (situation.board().board(), situation.hole());
        BucketHand {
            hole,
            board,
            equity: f64::from(self.equity) / f64::from(equity_scale(street)),
            distance: None,
        }
    }
}

/// The first few of all that were offered, in order.
#[derive(Default)]
struct First(Vec<Found>);

impl First {
    fn offer(&mut self, found: Found) {
        if self.0.len() == CANDIDATES && self.0[CANDIDATES - 1] <= found {
            return;
        }
        let place = self.0.partition_point(|other| *other < found);
        self.0.insert(place, found);
        self.0.truncate(CANDIDATES);
    }

    fn hands(&self, street: Street) -> Vec<BucketHand> {
        self.0.iter().map(|found| found.hand(street)).collect()
    }
}

/// What a scan of the street's table finds of a bucket.
#[derive(Default)]
struct Scan {
    situations: u64,
    nearest: First,
    lowest: First,
    highest: First,
}

impl Scan {
    fn offer(&mut self, slot: usize, equity: u32, mean: u32) {
        self.situations += 1;
        self.nearest.offer(Found { key: equity.abs_diff(mean), slot, equity });
        self.lowest.offer(Found { key: equity, slot, equity });
        self.highest.offer(Found { key: u32::MAX - equity, slot, equity });
    }

    fn merge(mut self, other: Scan) -> Scan {
        self.situations += other.situations;
        other.nearest.0.into_iter().for_each(|found| self.nearest.offer(found));
        other.lowest.0.into_iter().for_each(|found| self.lowest.offer(found));
        other.highest.0.into_iter().for_each(|found| self.highest.offer(found));
        self
    }
}

/// Looks through all boards of a street for the situations of a bucket.
fn scan(
    abstraction: &Abstraction,
    street: Street,
    bucket: u32,
    equity: f64,
    job: Job<'_>,
) -> Result<Scan, Error> {
    let boards = CanonicalBoard::count(street);
    let len = Deck::row_len(street);
    let mean = (equity * f64::from(equity_scale(street))).round() as u32;
    job.begin(&format!("{street} boards"), boards as u64);
    let pieces = 8 * job.threads();
    let piece = boards.div_ceil(pieces);
    let scanned = (0..pieces).into_par_iter().map(|number| {
        let (mut buckets, mut equities) = (vec![0; len], vec![0; len]);
        let mut scan = Scan::default();
        for index in number * piece..((number + 1) * piece).min(boards) {
            let board = CanonicalBoard::from_index(street, index).expect("below their number");
            rows::bucket_row(abstraction, board, &mut buckets)?;
            if buckets.contains(&bucket) {
                rows::equity_row(abstraction, board, &mut equities)?;
                let (cards, deck) = (board.board(), board.deck());
                let inside = buckets.iter().enumerate().filter(|&(_, &other)| other == bucket);
                for (slot, _) in inside {
                    let hole = deck.hole(slot).expect("a slot of the row");
                    let (situation, _) = Situation::of(hole, &cards).expect("a hole of the deck");
                    // Of slots that the board's own symmetry makes alike one is shown.
                    if situation.index() == index * len + slot {
                        scan.offer(situation.index(), equities[slot], mean);
                    }
                }
            }
            job.advance(1);
            job.check()?;
        }
        Ok(scan)
    });
    job.install(|| scanned.try_reduce(Scan::default, |a, b| Ok(a.merge(b))))
}

/// The centroid of a bucket and how hands are compared with it.
struct Shape<'a> {
    centroid: &'a [f32],
    distance: Distance,
    /// Cards to come until the equities of the histogram.
    cards: usize,
}

impl<'a> Shape<'a> {
    fn of(
        abstraction: &Abstraction,
        report: &'a StreetReport,
        street: Street,
        bucket: usize,
    ) -> Option<Shape<'a>> {
        let method = abstraction.plan().streets().get(street)?.method();
        let &Method::Histogram { distance, horizon, .. } = method else { return None };
        let cards = match (street, horizon) {
            (Street::Flop, Horizon::River) => 2,
            _ => 1,
        };
        let centroid = report.centroids.get(bucket)?;
        Some(Shape { centroid, distance, cards })
    }

    /// How far a hand's own histogram is from the centroid.
    fn distance(&self, abstraction: &Abstraction, hole: Hole, board: &Board) -> Result<f64, Error> {
        let bins = self.centroid.len();
        let mut counts = vec![0u32; bins];
        let deck = Deck::without(board.set() | hole.set());
        let mut count = |board: Board| -> Result<(), Error> {
            let scale = u64::from(equity_scale(board.street()));
            let equity = abstraction.equity(hole, &board)?.expect("the cards are distinct");
            // Back to the integer, so that an equity on a border falls as it did in the build.
            let equity = (equity * scale as f64).round() as u64;
            counts[((equity * bins as u64 / scale) as usize).min(bins - 1)] += 1;
            Ok(())
        };
        let with = |board: &Board, card: Card| board.with(card).expect("a card of the deck");
        if self.cards == 1 {
            deck.cards().iter().try_for_each(|&card| count(with(board, card)))?;
        } else {
            deck.holes().try_for_each(|next| count(with(&with(board, next.low()), next.high())))?;
        }
        let total = f64::from(counts.iter().sum::<u32>().max(1));
        let sums = counts.iter().scan(0, |sum, n| {
            *sum += n;
            Some((f64::from(*sum) / total) as f32)
        });
        Ok(between(self.distance, &sums.collect::<Vec<f32>>(), self.centroid))
    }
}

/// The distance of two histograms by their cumulative shares.
fn between(distance: Distance, a: &[f32], b: &[f32]) -> f64 {
    let differences = a.iter().zip(b).map(|(a, b)| f64::from(a - b));
    match distance {
        Distance::Emd => differences.map(f64::abs).sum(),
        Distance::CdfL2 => differences.map(|d| d * d).sum::<f64>().sqrt(),
    }
}

/// The most typical of the hands nearest the mean equity: by shape, if there is one.
fn typical(
    abstraction: &Abstraction,
    mut hands: Vec<BucketHand>,
    shape: Option<&Shape<'_>>,
) -> Result<Vec<BucketHand>, Error> {
    if let Some(shape) = shape {
        hands.par_iter_mut().try_for_each(|hand| -> Result<(), Error> {
            hand.distance = Some(shape.distance(abstraction, hand.hole, &hand.board)?);
            Ok(())
        })?;
        let key = |hand: &BucketHand| hand.distance.unwrap_or(0.0);
        hands.sort_by(|a, b| key(a).total_cmp(&key(b)));
    }
    Ok(varied(hands))
}

/// The first few hands, those first that differ by the ranks on their boards.
fn varied(hands: Vec<BucketHand>) -> Vec<BucketHand> {
    let ranks = |hand: &BucketHand| {
        let mut ranks: Vec<Rank> = hand.board.cards().iter().map(|card| card.rank()).collect();
        ranks.sort_unstable();
        ranks
    };
    let (mut shown, mut rest): (Vec<BucketHand>, Vec<BucketHand>) = (Vec::new(), Vec::new());
    for hand in hands {
        let seen = shown.iter().any(|other| ranks(other) == ranks(&hand));
        if seen { rest.push(hand) } else { shown.push(hand) }
    }
    shown.extend(rest);
    shown.truncate(SHOWN);
    shown
}

/// The buckets nearest to one, by their centroids or else by mean equity; with texture those of
/// the same board cluster.
pub(super) fn neighbours(
    abstraction: &Abstraction,
    report: &StreetReport,
    bucket: u32,
    most: usize,
) -> Result<Vec<NearBucket>, Error> {
    let street = report.street;
    let equities = abstraction.bucket_equities(street)?;
    let at = bucket as usize;
    let plan = abstraction.plan().streets().get(street);
    let distance = match plan.map(|plan| plan.method()) {
        Some(Method::Histogram { distance, .. }) => *distance,
        _ => Distance::CdfL2,
    };
    let from = |other: usize| match (report.centroids.get(at), report.centroids.get(other)) {
        (Some(own), Some(other)) => between(distance, own, other),
        _ => (report.equities[at] - report.equities[other]).abs(),
    };
    // Buckets of other board clusters hold other boards.
    let among = match plan {
        Some(plan) if matches!(plan.method(), Method::Texture { .. }) => {
            let first = at / plan.buckets() * plan.buckets();
            first..(first + plan.buckets()).min(report.buckets)
        }
        _ => 0..report.buckets,
    };
    let mut others: Vec<(f64, usize)> = among
        .filter(|&other| other != at && report.sizes[other] > 0)
        .map(|other| (from(other), other))
        .collect();
    others.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let neighbour = |(distance, other): (f64, usize)| NearBucket {
        bucket: other as u32,
        size: report.sizes[other],
        equity: report.equities[other],
        spread: report.spreads[other],
        distance,
        against: equities.and_then(|equities| equities.equity(bucket, other as u32)),
    };
    Ok(others.into_iter().take(most).map(neighbour).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_are_kept_whatever_the_order() {
        let found = |key| Found { key, slot: key as usize, equity: key };
        let most = 2 * CANDIDATES as u32;
        // 7 has no common factor with 192: every key comes once.
        let orders: [fn(u32, u32) -> u32; 3] =
            [|key, _| key, |key, most| most - 1 - key, |key, most| key * 7 % most];
        for order in orders {
            let mut first = First::default();
            (0..most).for_each(|key| first.offer(found(order(key, most))));
            let expected: Vec<Found> = (0..CANDIDATES as u32).map(found).collect();
            assert_eq!(first.0, expected);
        }
    }

    #[test]
    fn hands_that_differ_by_suits_alone_come_last() {
        let hand = |hole: &str, board: &str| BucketHand {
            hole: hole.parse().unwrap(),
            board: board.parse().unwrap(),
            equity: 0.5,
            distance: None,
        };
        let hands = [("AsKs", "Th9h8c"), ("AsKs", "Tc9h8h"), ("AsKs", "7h9h8c")];
        let shown = varied(hands.map(|(hole, board)| hand(hole, board)).into());
        let boards: Vec<String> = shown.iter().map(|hand| hand.board.to_string()).collect();
        assert_eq!(boards, ["Th9h8c", "7h9h8c", "Tc9h8h"]);
    }

    #[test]
    fn distances_are_those_of_the_sums() {
        let (a, b) = ([0.0, 0.5, 1.0], [0.0, 0.0, 1.0]);
        assert_eq!(between(Distance::Emd, &a, &b), 0.5);
        assert_eq!(between(Distance::CdfL2, &a, &b), 0.5);
    }
}
