//! Opponent cluster hand strength: the river by equities against kinds of opponents.
//!
//! The 169 starting hands are clustered by the distribution of their equity over all river boards
//! (by earth mover's distance). A hole's feature on a river board is its exact equity against the
//! holes of each cluster, card removal included, and k-means puts the features into buckets.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use lethe_cards::{CanonicalBoard, Hole, RIVER_SCALE, River, Showdown, StartingHand, Street};
use lethe_cluster::{Clustering, Distance, KMeans, Points, assign};
use lethe_compute::Job;
use lethe_rows::{CardSums, Lanes, Summand};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use rayon::prelude::*;

use super::cluster::{FIT_LIMIT, cluster};
use super::{Context, Fit, number_by_equity};
use crate::boards::BoardSet;
use crate::distinct::{Distinct, Interner};
use crate::error::BuildError;
use crate::features::bin;
use crate::method::MAX_OPPONENT_CLUSTERS as MAX_CLUSTERS;
use crate::quality::QualitySums;
use crate::report::BuiltStreet;
use crate::table::{BucketId, fits_u16};

/// Bins of the equity distributions by which starting hands are clustered.
const BINS: usize = 50;
/// Holes of each canonical board that the centroids are fitted on.
const SAMPLES: usize = 3;
/// Boards whose features are assigned together.
const BATCH: usize = 64;

/// A counter for each cluster.
type Counts = Lanes<u16, MAX_CLUSTERS>;

/// Clusters of opponents by number and seed: they are the same for every set of boards.
#[derive(Debug, Default)]
pub(crate) struct OpponentCache(Mutex<HashMap<(usize, u64), Arc<Opponents>>>);

impl OpponentCache {
    fn get(&self, clusters: usize, seed: u64, job: Job<'_>) -> Result<Arc<Opponents>, BuildError> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(&(clusters, seed)) {
            return Ok(found.clone());
        }
        // Not under the lock: a thread that waits for parallel work may be given another build,
        // which would wait for the lock for ever.
        let made = Arc::new(Opponents::cluster(clusters, seed, job)?);
        Ok(known().entry((clusters, seed)).or_insert(made).clone())
    }
}

/// The features of a river board: the distinct ones, and which of them each slot has.
struct Features {
    /// The equity against each cluster, feature after feature.
    points: Vec<f32>,
    /// The feature of each slot of the board's row.
    ids: Vec<u32>,
}

/// Kinds of opponents: clusters of the 169 starting hands, weakest first.
#[derive(Debug)]
pub(crate) struct Opponents {
    clusters: usize,
    /// The cluster of each starting hand.
    of_class: Vec<u8>,
}

impl Opponents {
    /// Clusters the starting hands by the distribution of their equity over all river boards.
    fn cluster(clusters: usize, seed: u64, job: Job<'_>) -> Result<Opponents, BuildError> {
        let boards = BoardSet::all(Street::River);
        let add = |histograms: &mut Vec<u64>, position: usize| {
            let board = boards.board(position);
            let river = River::new(board.set());
            let bins = river.equities(0, |q| bin(q.into(), RIVER_SCALE, BINS) as u16);
            for hole in board.deck().holes() {
                let bin = bins.get(hole);
                histograms[hole.class().index() * BINS + bin as usize] += boards.weight(position);
            }
        };
        let merge = |mut a: Vec<u64>, b: Vec<u64>| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
            a
        };
        let zero = || vec![0u64; StartingHand::COUNT * BINS];
        let histograms = boards.sum("opponent equities", job, zero, add, merge)?;
        let mut points = Vec::with_capacity(histograms.len());
        for histogram in histograms.chunks_exact(BINS) {
            let total: u64 = histogram.iter().sum();
            let mut sum = 0;
            points.extend(histogram.iter().map(|&n| {
                sum += n;
                (sum as f64 / total as f64) as f32
            }));
        }
        let weights: Vec<u64> = StartingHand::all().map(|c| c.combos() as u64).collect();
        let kmeans = KMeans { distance: Distance::L1, restarts: 20, seed, ..KMeans::new(clusters) };
        let points = Points::new(&points, BINS).expect("shares are finite");
        let fit = kmeans.fit(points, &weights, job.silent());
        let fit = fit.map_err(|error| BuildError::cluster(Street::River, error))?;
        // A cumulative sum that is larger everywhere belongs to weaker hands.
        let strength = |label: usize| -fit.centroid(label).iter().sum::<f32>();
        let mut order: Vec<usize> = (0..clusters).collect();
        order.sort_by(|&a, &b| strength(a).total_cmp(&strength(b)));
        let place = |&label: &u32| order.iter().position(|&l| l == label as usize);
        let of_class = fit.labels.iter().map(|l| place(l).expect("every label") as u8).collect();
        Ok(Opponents { clusters, of_class })
    }

    /// The features of all holes of a river board: their equity against each cluster, card removal
    /// included, and one half against a cluster of which no hole is left.
    fn features(&self, board: CanonicalBoard) -> Features {
        let deck = board.deck();
        let cluster = |hole: Hole| self.of_class[hole.class().index()];
        let clusters: Vec<u8> = deck.holes().map(cluster).collect();
        let mut counts = vec![[0u16; 2 * MAX_CLUSTERS]; clusters.len()];
        sweep(&River::new(board.set()).showdown(), &clusters, &mut counts);
        let mut interner = Interner::new(2 * MAX_CLUSTERS);
        let ids = counts.iter().map(|counts| interner.intern(counts, 1)).collect();
        let points = interner.features.chunks_exact(2 * MAX_CLUSTERS).flat_map(|counts| {
            let (won, met) = counts.split_at(MAX_CLUSTERS);
            let ratio = |(&won, &met): (&u16, &u16)| match met {
                0 => 0.5,
                _ => f32::from(won) / (2.0 * f32::from(met)),
            };
            won.iter().zip(met).take(self.clusters).map(ratio).collect::<Vec<f32>>()
        });
        Features { points: points.collect(), ids }
    }
}

/// For each hole and cluster of opponents: `2 * wins + ties`, and how many holes it meets.
///
/// All clusters go up the order of strength together, one in each lane.
fn sweep(showdown: &Showdown, clusters: &[u8], counts: &mut [[u16; 2 * MAX_CLUSTERS]]) {
    let one = |slot: usize| {
        let mut one = Counts::ZERO;
        one.0[clusters[slot] as usize] = 1;
        one
    };
    let add = |to: &mut [u16], counts: Counts| {
        to.iter_mut().zip(counts.0).for_each(|(to, count)| *to = to.plus(count));
    };
    let mut sums = CardSums::default();
    let groups = showdown.groups().map(|group| [group, group]);
    sums.sweep(groups, one, |slot, sum, has_ties| {
        // The hole itself is not an opponent.
        let sum = if has_ties { sum.plus(one(slot)) } else { sum };
        add(&mut counts[slot][..MAX_CLUSTERS], sum);
    });
    for hole in showdown.groups().flatten() {
        let slot = hole.slot as usize;
        add(&mut counts[slot][MAX_CLUSTERS..], sums.against(hole.cards).plus(one(slot)));
    }
}

/// Builds the river.
pub(super) fn build(
    clusters: usize,
    buckets: usize,
    cx: &Context<'_>,
) -> Result<BuiltStreet, BuildError> {
    let opponents = cx.opponents.get(clusters, cx.kmeans.seed, cx.job)?;
    if cx.boards.slots() <= FIT_LIMIT {
        fit_all(&opponents, buckets, cx)
    } else if fits_u16(buckets) {
        fit_sample::<u16>(&opponents, buckets, cx)
    } else {
        fit_sample::<u32>(&opponents, buckets, cx)
    }
}

/// Clusters the features of all slots: for boards that are few.
fn fit_all(
    opponents: &Opponents,
    buckets: usize,
    cx: &Context<'_>,
) -> Result<BuiltStreet, BuildError> {
    // Vectors are distinguished by their bits, which are two halves for each number.
    let dim = opponents.clusters;
    let distinct = Distinct::of(cx.boards, 2 * dim, "river opponents", cx.job, |board, halves| {
        let features = opponents.features(board);
        let points: &[u16] = bytemuck::cast_slice(&features.points);
        for (slot, &id) in halves.chunks_exact_mut(2 * dim).zip(&features.ids) {
            slot.copy_from_slice(&points[id as usize * 2 * dim..][..2 * dim]);
        }
    })?;
    let buckets = cx.buckets(buckets, distinct.len())?;
    let bits = |half: &[u16]| u32::from(half[0]) | u32::from(half[1]) << 16;
    let halves = distinct.features.chunks_exact(2);
    let values: Vec<f32> = halves.map(|half| f32::from_bits(bits(half))).collect();
    let points = Points::new(&values, dim).expect("equities are finite");
    let (labels, fit) = cluster(points, &distinct.weights, buckets, Distance::SquaredL2, cx)?;
    let fit = Fit { centroids: Vec::new(), ..fit };
    number_by_equity(&distinct.ids, &labels, buckets, fit, cx)
}

/// Fits centroids on a few holes of every board and puts every slot into the bucket of its nearest
/// one: for all boards, whose features would take too much memory.
fn fit_sample<T: BucketId>(
    opponents: &Opponents,
    buckets: usize,
    cx: &Context<'_>,
) -> Result<BuiltStreet, BuildError> {
    let (fit, fitted_on) = sample(opponents, buckets, cx)?;
    let centroids = Points::new(&fit.centroids, fit.dim).expect("centroids are points");
    let row_len = cx.boards.row_len();
    cx.job.begin("river buckets", cx.boards.len() as u64);
    let mut table = vec![T::default(); cx.boards.slots()];
    let parts: Vec<Result<(QualitySums, usize, f64), BuildError>> = table
        .par_chunks_mut(BATCH * row_len)
        .enumerate()
        .map(|(batch, rows)| {
            let mut sums = QualitySums::new(buckets);
            let (mut distinct, mut inertia) = (0, 0.0);
            for (offset, row) in rows.chunks_mut(row_len).enumerate() {
                let position = batch * BATCH + offset;
                let (board, weight) = (cx.boards.board(position), cx.boards.weight(position));
                let features = opponents.features(board);
                let points = Points::new(&features.points, fit.dim).expect("equities are finite");
                let labels = assign(points, centroids, Distance::SquaredL2, cx.job)
                    .map_err(|error| BuildError::cluster(Street::River, error))?;
                let equities = River::new(board.set()).equities(0, |q| q);
                let near: Vec<f64> = labels
                    .iter()
                    .enumerate()
                    .map(|(i, &label)| {
                        let centroid = fit.centroid(label as usize);
                        Distance::SquaredL2.between(points.row(i), centroid).into()
                    })
                    .collect();
                for ((entry, &id), hole) in
                    row.iter_mut().zip(&features.ids).zip(board.deck().holes())
                {
                    let label = labels[id as usize];
                    *entry = T::new(label);
                    let q = equities.get(hole);
                    sums.add(label, q.into(), weight);
                    inertia += weight as f64 * near[id as usize];
                }
                distinct += points.len();
                cx.job.advance(1);
            }
            Ok((sums, distinct, inertia))
        })
        .collect();
    let mut sums = QualitySums::new(buckets);
    let (mut distinct, mut inertia) = (0, 0.0);
    for part in parts {
        let part = part?;
        sums = sums.merge(&part.0);
        distinct += part.1;
        inertia += part.2;
    }
    let places = sums.order();
    table.par_iter_mut().for_each(|entry| *entry = T::new(places[entry.bucket() as usize]));
    let fit = Fit { inertia, fitted_on: Some(fitted_on), ..Fit::of(&fit, distinct) };
    fit.finish(T::table(table), &sums.renumbered(&places), cx)
}

/// Centroids fitted on a few holes of every board, and how many there were.
fn sample(
    opponents: &Opponents,
    buckets: usize,
    cx: &Context<'_>,
) -> Result<(Clustering, u64), BuildError> {
    let dim = opponents.clusters;
    let mut points = vec![0.0f32; cx.boards.len() * SAMPLES * dim];
    cx.job.begin("river opponents (sample)", cx.boards.len() as u64);
    points.par_chunks_mut(SAMPLES * dim).enumerate().try_for_each(|(position, chosen)| {
        cx.job.check()?;
        let board = cx.boards.board(position);
        let features = opponents.features(board);
        let mut rng = ChaCha8Rng::seed_from_u64(cx.kmeans.seed);
        rng.set_stream(board.index() as u64);
        for point in chosen.chunks_exact_mut(dim) {
            let id = features.ids[rng.random_range(0..features.ids.len())] as usize;
            point.copy_from_slice(&features.points[id * dim..][..dim]);
        }
        cx.job.advance(1);
        Ok::<(), BuildError>(())
    })?;
    let weights: Vec<u64> = cx.boards.iter().flat_map(|(_, weight)| [weight; SAMPLES]).collect();
    cx.job.begin("river clustering", cx.kmeans.iterations());
    let points = Points::new(&points, dim).expect("equities are finite");
    let kmeans = cx.kmeans.kmeans(buckets, Distance::SquaredL2);
    let fit = kmeans.fit(points, &weights, cx.job);
    let fit = fit.map_err(|error| BuildError::cluster(Street::River, error))?;
    Ok((fit, weights.len() as u64))
}

#[cfg(test)]
mod tests {
    use lethe_cards::{Board, Deck, evaluate};

    use super::*;

    #[test]
    fn features_are_those_of_every_showdown() {
        // Every class in one of five clusters; the last has only pocket aces.
        let aces = "AsAh".parse::<Hole>().unwrap().class().index();
        let of_class =
            (0..StartingHand::COUNT).map(|class| if class == aces { 4 } else { class as u8 % 4 });
        let opponents = Opponents { clusters: 5, of_class: of_class.collect() };
        for board in ["Ks7h2d9s3c", "Ts7s3s2sAs", "QsQhQdQc2s", "AsAhAd5c5d", "TsJsQsKsAs"] {
            let (board, _) = CanonicalBoard::of(&board.parse::<Board>().unwrap());
            let features = opponents.features(board);
            for (slot, hole) in board.deck().holes().enumerate().step_by(13) {
                let own = evaluate(board.set() | hole.set());
                let (mut won, mut met) = ([0u32; 5], [0u32; 5]);
                for opponent in Deck::without(board.set() | hole.set()).holes() {
                    let cluster = opponents.of_class[opponent.class().index()] as usize;
                    let other = evaluate(board.set() | opponent.set());
                    won[cluster] += u32::from(own > other) + u32::from(own >= other);
                    met[cluster] += 1;
                }
                let expected = [0, 1, 2, 3, 4].map(|c| match met[c] {
                    0 => 0.5,
                    met => won[c] as f32 / (2.0 * met as f32),
                });
                let id = features.ids[slot] as usize;
                assert_eq!(features.points[id * 5..][..5], expected, "{hole} on {board}");
            }
        }
    }
}
