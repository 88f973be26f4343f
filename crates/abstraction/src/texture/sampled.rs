//! The sampled variant, as in the older design: a few boards of each cluster, Monte Carlo equities,
//! and the median bucket for every hole that was not seen.

use lethe_cards::{CanonicalBoard, Card, CardSet, Hole, Situation, Street, evaluate};
use lethe_compute::Job;
use rand::SeedableRng;
use rand::rand_core::Rng;
use rand::rngs::ChaCha8Rng;
use rayon::prelude::*;

use crate::error::BuildError;
use crate::method::Sampling;
use crate::methods::Context;
use crate::quality::{QualitySums, asymmetric_in_row};
use crate::table::{SparseRef, SparseTable, Stored};

use super::Bucketed;
use super::boards::BoardClusters;
use super::split::Split;

/// Buckets the holes seen on the representative boards of each cluster, and measures over all deals
/// what that comes to.
///
/// The representatives are the boards nearest the centroid. A hole seen on several of them has the
/// mean of its equities there, weighted by the deals it stands for on each board, and so have the
/// intervals that the equities are cut into. The fallback is the bucket of the median deal seen.
pub(super) fn bucket(
    clusters: &BoardClusters,
    buckets: usize,
    sampling: Sampling,
    cx: &Context<'_>,
) -> Result<Bucketed, BuildError> {
    let (street, job) = (cx.street(), cx.job);
    let samples = sampling.equity_samples as u32;
    let sampler = Sampler { street, samples, seed: cx.kmeans.seed };
    let chosen: Vec<(usize, usize)> = clusters
        .members
        .iter()
        .enumerate()
        .flat_map(|(cluster, members)| {
            members.iter().take(sampling.representatives).map(move |&position| (cluster, position))
        })
        .collect();
    job.begin(&format!("{street} samples"), chosen.len() as u64);
    let sampled: Vec<Vec<Seen>> = chosen
        .par_iter()
        .map(|&(_, position)| {
            let seen = sampler.holes(cx.boards.board(position), cx.boards.weight(position), job)?;
            job.advance(1);
            Ok(seen)
        })
        .collect::<Result<_, BuildError>>()?;

    let mut of_cluster: Vec<Vec<Seen>> = vec![Vec::new(); clusters.len()];
    for ((cluster, _), seen) in chosen.iter().zip(sampled) {
        of_cluster[*cluster].extend(seen);
    }
    let mut table = SparseTable {
        clusters: clusters.labels.clone(),
        medians: Vec::with_capacity(clusters.len()),
        starts: vec![0],
        holes: Vec::new(),
        buckets: Vec::new(),
    };
    let mut distinct = 0;
    for (cluster, seen) in of_cluster.into_iter().enumerate() {
        let seen = merge(seen);
        let (values, weights) = distribution(&seen);
        distinct += values.len();
        let split = Split::new(&values, &weights, buckets, job)
            .map_err(|error| BuildError::cluster(street, error))?;
        let first = (cluster * buckets) as u32;
        table.medians.push(first + split.rank(median(&values, &weights)));
        table.holes.extend(seen.iter().map(|hole| hole.hole));
        table.buckets.extend(seen.iter().map(|hole| first + split.rank(hole.equity)));
        table.starts.push(table.holes.len() as u32);
    }
    let measured = measure(clusters, buckets, table.view(), cx)?;
    let deals = cx.boards.total_weight() * cx.boards.row_len() as u64;
    Ok(Bucketed {
        stored: Stored::Sparse(table),
        sums: measured.sums,
        distinct,
        asymmetric_slots: measured.asymmetric_slots,
        fallback: measured.missed as f64 / deals as f64,
    })
}

/// A hole seen on a representative board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    /// By [`Hole::index`].
    hole: u32,
    /// Twice the samples won, and those tied.
    equity: u32,
    /// The raw deals it stands for.
    weight: u64,
}

/// Monte Carlo equities against a uniform opponent over uniform runouts.
struct Sampler {
    street: Street,
    samples: u32,
    seed: u64,
}

impl Sampler {
    /// The canonical holes of a board of some weight with their equities.
    fn holes(
        &self,
        board: CanonicalBoard,
        weight: u64,
        job: Job<'_>,
    ) -> Result<Vec<Seen>, BuildError> {
        let public = board.board();
        let mut seen = Vec::new();
        for hole in board.deck().holes() {
            let (situation, _) = Situation::of(hole, &public).expect("a hole of the deck");
            if situation.hole() != hole {
                continue;
            }
            job.check()?;
            let equity = self.equity(board, hole);
            // The holes of this board that are the same situation.
            let alike = u64::from(situation.orbit() / board.multiplicity());
            let weight = weight * alike;
            seen.push(Seen { hole: hole.index() as u32, equity, weight });
        }
        Ok(seen)
    }

    /// The equity of a hole, from a stream of random numbers that belongs to it and its board alone.
    fn equity(&self, board: CanonicalBoard, hole: Hole) -> u32 {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let boards = (self.street.index() as u64) << 32 | board.index() as u64;
        rng.set_stream(boards * Hole::COUNT as u64 + hole.index() as u64);
        let public = board.set();
        let mut deck: Vec<Card> = (!(public | hole.set())).iter().collect();
        let drawn = 2 + 5 - public.len();
        let mut equity = 0;
        for _ in 0..self.samples {
            // The first places of a shuffle, which may begin in any order.
            for place in 0..drawn {
                let left = (deck.len() - place) as u64;
                // Multiplied instead of divided: biased by less than one in 2^26.
                let other = place + ((u64::from(rng.next_u32()) * left) >> 32) as usize;
                deck.swap(place, other);
            }
            let (opponent, runout) = deck[..drawn].split_at(2);
            let full = public | runout.iter().copied().collect::<CardSet>();
            let own = evaluate(full | hole.set());
            let other = evaluate(full | opponent.iter().copied().collect::<CardSet>());
            equity += u32::from(own > other) + u32::from(own >= other);
        }
        equity
    }
}

/// The holes of several boards, ascending, each once with its mean equity, rounded.
fn merge(mut seen: Vec<Seen>) -> Vec<Seen> {
    seen.sort_by_key(|hole| hole.hole);
    let one = |same: &[Seen]| {
        let weight: u64 = same.iter().map(|hole| hole.weight).sum();
        let sum: u64 = same.iter().map(|hole| u64::from(hole.equity) * hole.weight).sum();
        Seen { hole: same[0].hole, equity: ((sum + weight / 2) / weight) as u32, weight }
    };
    seen.chunk_by(|a, b| a.hole == b.hole).map(one).collect()
}

/// The equities that occur, ascending, and the weight of each.
fn distribution(seen: &[Seen]) -> (Vec<u32>, Vec<u64>) {
    let mut hands: Vec<(u32, u64)> = seen.iter().map(|hole| (hole.equity, hole.weight)).collect();
    hands.sort_unstable();
    let one = |same: &[(u32, u64)]| (same[0].0, same.iter().map(|hand| hand.1).sum::<u64>());
    hands.chunk_by(|a, b| a.0 == b.0).map(one).unzip()
}

/// The value that the middle of the weight lies at.
fn median(values: &[u32], weights: &[u64]) -> u32 {
    let half = weights.iter().sum::<u64>().div_ceil(2);
    let mut below = 0;
    let reached = weights.iter().position(|weight| {
        below += weight;
        below >= half
    });
    values[reached.expect("half of a weight is reached")]
}

/// What a sparse table comes to over all deals.
struct Measured {
    sums: QualitySums,
    /// Deals that fall back.
    missed: u64,
    asymmetric_slots: u64,
}

/// Looks up every slot of every board.
fn measure(
    clusters: &BoardClusters,
    buckets: usize,
    table: SparseRef<'_>,
    cx: &Context<'_>,
) -> Result<Measured, BuildError> {
    let (boards, job) = (cx.boards, cx.job);
    job.begin(&format!("{} coverage", cx.street()), boards.len() as u64);
    let cluster = |(cluster, members): (usize, &Vec<usize>)| {
        let first = (cluster * buckets) as u32;
        // All holes at once: faster than a search for each.
        let known: Vec<(u32, bool)> = Hole::all().map(|hole| table.get(members[0], hole)).collect();
        let none = || Measured { sums: QualitySums::new(buckets), missed: 0, asymmetric_slots: 0 };
        let add = |mut measured: Measured, &position: &usize| {
            job.check()?;
            let board = boards.board(position);
            let row = lookups(board, &known);
            let weight = boards.weight(position);
            cx.domain.with_equities(boards, position, |equities| {
                for (&(bucket, fell), &equity) in row.iter().zip(equities) {
                    measured.sums.add(bucket - first, equity, weight);
                    measured.missed += if fell { weight } else { 0 };
                }
            });
            measured.asymmetric_slots += asymmetric_in_row(board, &row);
            job.advance(1);
            Ok(measured)
        };
        let merge = |a: Measured, b: Measured| {
            Ok(Measured {
                sums: a.sums.merge(&b.sums),
                missed: a.missed + b.missed,
                asymmetric_slots: a.asymmetric_slots + b.asymmetric_slots,
            })
        };
        members.par_iter().try_fold(none, add).try_reduce(none, merge)
    };
    let parts: Vec<Measured> =
        clusters.members.par_iter().enumerate().map(cluster).collect::<Result<_, BuildError>>()?;
    let sums = QualitySums::new(clusters.len() * buckets);
    let mut all = Measured { sums, missed: 0, asymmetric_slots: 0 };
    for (cluster, part) in parts.iter().enumerate() {
        all.sums.put(cluster * buckets, &part.sums);
        all.missed += part.missed;
        all.asymmetric_slots += part.asymmetric_slots;
    }
    Ok(all)
}

/// What each hole of a board's row finds, given what each canonical hole finds.
fn lookups(board: CanonicalBoard, known: &[(u32, bool)]) -> Vec<(u32, bool)> {
    let deck = board.deck();
    // With no two suits alike, every hole is its own canonical form.
    if board.multiplicity() == 24 {
        return deck.holes().map(|hole| known[hole.index()]).collect();
    }
    let public = board.board();
    let canonical =
        |hole| Situation::of(hole, &public).expect("a hole of the deck").0.hole().index();
    deck.holes().map(|hole| known[canonical(hole)]).collect()
}
