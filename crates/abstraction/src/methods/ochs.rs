//! Opponent cluster hand strength: the river by equities against kinds of opponents.
//!
//! The 169 preflop classes are clustered by the distribution of their equity over all river boards
//! (by earth mover's distance). A hole's feature on a river board is its exact equity against the
//! holes of each cluster, card removal included, and k-means puts the features into buckets.

use std::ops::ControlFlow;

use lethe_cards::{
    CanonicalBoard, Deck, RIVER_SCALE, River, Showdown, Situation, StartingHand, Street,
};
use lethe_cluster::{self as cluster, Clustering, KMeans, Points, assign};
use lethe_rows::{CardSums, Lanes, Summand};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use rayon::prelude::*;

use super::{Context, Fit, StreetMethod};
use crate::distinct::Interner;
use crate::error::BuildError;
use crate::method::MAX_OPPONENT_CLUSTERS as MAX_CLUSTERS;
use crate::quality::{QualitySums, asymmetric_slots};
use crate::report::BuiltStreet;
use crate::table::Stored;
use crate::table::{BucketId, fits_u16};
use lethe_compute::Job;

/// Bins of the equity distributions by which preflop classes are clustered.
const BINS: usize = 50;
/// Holes of each canonical board that the centroids are fitted on.
const SAMPLES: usize = 3;
/// Boards whose features are assigned together.
const BATCH: usize = 64;

/// Buckets of the river by equity against clusters of opponents.
pub(crate) struct Ochs {
    pub(crate) clusters: usize,
}

/// A counter for each cluster.
type Counts = Lanes<u16, MAX_CLUSTERS>;

/// The features of a river board: the distinct ones, and which of them each slot has.
#[derive(Clone, Debug)]
pub struct OpponentFeatures {
    /// The equity against each cluster, feature after feature.
    pub points: Vec<f32>,
    /// The feature of each slot of the board's row.
    pub ids: Vec<u32>,
}

/// Kinds of opponents: clusters of the 169 preflop classes, weakest first.
#[derive(Clone, Debug)]
pub struct Opponents {
    clusters: usize,
    /// The cluster of each class.
    of_class: Vec<u8>,
}

impl Opponents {
    /// Clusters the starting hands by the distribution of their equity over all river boards.
    pub fn cluster(clusters: usize, seed: u64, job: Job<'_>) -> Result<Opponents, BuildError> {
        let street = Street::River;
        let boards = CanonicalBoard::count(street);
        job.begin("opponent equities", boards as u64);
        let zero = || vec![0u64; StartingHand::COUNT * BINS];
        let histograms = (0..boards)
            .into_par_iter()
            .fold(zero, |mut histograms, index| {
                let board = CanonicalBoard::from_index(street, index).expect("in range");
                let river = River::new(board.set());
                let bins = river.equities(0, |q| {
                    (u32::from(q) as usize * BINS / RIVER_SCALE as usize).min(BINS - 1) as u16
                });
                for hole in board.deck().holes() {
                    let bin = bins.get(hole);
                    histograms[hole.class().index() * BINS + bin as usize] +=
                        u64::from(board.multiplicity());
                }
                job.advance(1);
                histograms
            })
            .reduce(zero, |mut a, b| {
                a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
                a
            });
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
        let kmeans =
            KMeans { distance: cluster::Distance::L1, restarts: 20, seed, ..KMeans::new(clusters) };
        let points = Points::new(&points, BINS).expect("shares are finite");
        let fit = kmeans.fit(points, &weights).map_err(|e| BuildError::kmeans(street, e))?;
        // A cumulative sum that is larger everywhere belongs to weaker hands.
        let strength = |label: usize| -fit.centroid(label).iter().sum::<f32>();
        let mut order: Vec<usize> = (0..clusters).collect();
        order.sort_by(|&a, &b| strength(a).total_cmp(&strength(b)));
        let place = |&label: &u32| order.iter().position(|&l| l == label as usize);
        let of_class = fit.labels.iter().map(|l| place(l).expect("every label") as u8).collect();
        Ok(Opponents { clusters, of_class })
    }

    /// How many clusters there are.
    pub fn clusters(&self) -> usize {
        self.clusters
    }

    /// The features of all holes of a river board: their equity against each cluster, card removal
    /// included, and one half against a cluster of which no hole is left.
    pub fn features(&self, board: CanonicalBoard) -> OpponentFeatures {
        let deck = board.deck();
        let cluster = |hole: lethe_cards::Hole| self.of_class[hole.class().index()];
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
        OpponentFeatures { points: points.collect(), ids }
    }
}

impl Ochs {
    /// Centroids fitted on a few holes of every board.
    fn fit(
        &self,
        buckets: usize,
        opponents: &Opponents,
        cx: &Context<'_>,
    ) -> Result<(Clustering, u64), BuildError> {
        let street = Street::River;
        let boards = CanonicalBoard::count(street);
        cx.job.begin("river opponents (sample)", boards as u64);
        let points: Vec<f32> = (0..boards)
            .into_par_iter()
            .flat_map_iter(|index| {
                let board = CanonicalBoard::from_index(street, index).expect("in range");
                let features = opponents.features(board);
                let mut rng = ChaCha8Rng::seed_from_u64(cx.plan.kmeans().seed);
                rng.set_stream(index as u64);
                cx.job.advance(1);
                let chosen = (0..SAMPLES).map(|_| rng.random_range(0..features.ids.len()));
                let row = |slot: usize| {
                    let id = features.ids[slot] as usize;
                    features.points[id * self.clusters..][..self.clusters].to_vec()
                };
                chosen.flat_map(row).collect::<Vec<f32>>()
            })
            .collect();
        let weights: Vec<u64> = CanonicalBoard::all(street)
            .flat_map(|board| [u64::from(board.multiplicity()); SAMPLES])
            .collect();
        let kmeans = cx.plan.kmeans().kmeans(buckets, cluster::Distance::SquaredL2);
        cx.job.begin("river clustering", cx.plan.kmeans().iterations());
        let job = |_: cluster::Progress| {
            cx.job.advance(1);
            if cx.job.cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let points = Points::new(&points, self.clusters).expect("equities are finite");
        let fit = kmeans
            .fit_watched(points, &weights, &job)
            .map_err(|error| BuildError::kmeans(street, error))?;
        Ok((fit, weights.len() as u64))
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

impl StreetMethod for Ochs {
    fn build(
        &self,
        _: Street,
        buckets: usize,
        cx: &Context<'_>,
    ) -> Result<BuiltStreet, BuildError> {
        if fits_u16(buckets) {
            self.table::<u16>(buckets, cx)
        } else {
            self.table::<u32>(buckets, cx)
        }
    }
}

impl Ochs {
    /// Fits the centroids and puts every slot into the bucket of its nearest one.
    fn table<T: BucketId>(
        &self,
        buckets: usize,
        cx: &Context<'_>,
    ) -> Result<BuiltStreet, BuildError> {
        let street = Street::River;
        let opponents = Opponents::cluster(self.clusters, cx.plan.kmeans().seed, cx.job)?;
        let (fit, fitted_on) = self.fit(buckets, &opponents, cx)?;
        let centroids = Points::new(&fit.centroids, self.clusters).expect("centroids are points");
        let boards = CanonicalBoard::count(street);
        let row_len = Deck::row_len(street);
        cx.job.begin("river buckets", boards as u64);
        let mut table = vec![T::default(); Situation::slots(street)];
        let parts: Vec<Result<(QualitySums, u64, f64), BuildError>> = table
            .par_chunks_mut(BATCH * row_len)
            .enumerate()
            .map(|(batch, rows)| {
                if cx.job.cancelled() {
                    return Err(BuildError::Cancelled);
                }
                let mut sums = QualitySums::new(buckets);
                let (mut distinct, mut inertia) = (0, 0.0);
                for (offset, row) in rows.chunks_mut(row_len).enumerate() {
                    let board = CanonicalBoard::from_index(street, batch * BATCH + offset)
                        .expect("a row for every board");
                    let features = opponents.features(board);
                    let points = Points::new(&features.points, self.clusters).expect("finite");
                    let labels = assign(points, centroids, cluster::Distance::SquaredL2)
                        .expect("of the same dimension");
                    let river = River::new(board.set());
                    let equities = river.equities(0, |q| q);
                    let weight = u64::from(board.multiplicity());
                    let near: Vec<f64> = labels
                        .iter()
                        .enumerate()
                        .map(|(i, &label)| {
                            let centroid = fit.centroid(label as usize);
                            cluster::Distance::SquaredL2.between(points.row(i), centroid).into()
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
                    distinct += points.len() as u64;
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
        let table = T::table(table);
        let asymmetric = asymmetric_slots(street, table.view());
        let summary = Fit {
            distinct: distinct as usize,
            iterations: fit.iterations,
            converged: fit.converged,
            inertia,
            fitted_on: Some(fitted_on),
            centroids: Vec::new(),
            histogram_mass: None,
        };
        let report = summary.report(street, &sums.renumbered(&places), asymmetric);
        Ok(BuiltStreet { stored: Stored::Dense(table), report })
    }
}
