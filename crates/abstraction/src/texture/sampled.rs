//! The sampled way, as in the older design: a few boards of each cluster, Monte Carlo equities, and
//! the median bucket for every hole that was not seen.

use lethe_cards::vs_random::river_row;
use lethe_cards::{CanonicalBoard, Card, CardSet, Deck, Hole, Situation, Street, evaluate};
use rand::SeedableRng;
use rand::rand_core::Rng;
use rand::rngs::ChaCha8Rng;
use rayon::prelude::*;

use crate::error::BuildError;
use crate::method::Sampling;
use crate::quality::{QualitySums, asymmetric_in_row};
use crate::table::Stored;
use crate::table::{SparseRef, SparseTable};
use lethe_compute::Job;

use super::boards::BoardClusters;
use super::split::Split;
use super::{Bucketed, SlotEquities};

/// Buckets the holes seen on the representative boards of each cluster, and measures over all deals
/// what that comes to.
///
/// The representatives are the boards nearest the centroid. A hole seen on several of them has the
/// mean of its equities there, weighted by the deals it stands for on each board, and so have the
/// intervals that the equities are cut into. The fallback is the bucket of the median deal seen.
pub(super) fn bucket(
    boards: &BoardClusters,
    buckets: usize,
    sampling: Sampling,
    seed: u64,
    equities: SlotEquities<'_>,
    job: Job<'_>,
) -> Result<Bucketed, BuildError> {
    let street = boards.street;
    let sampler = Sampler { street, samples: sampling.equity_samples.max(1) as u32, seed };
    let chosen: Vec<(usize, CanonicalBoard)> = boards
        .members
        .iter()
        .enumerate()
        .flat_map(|(cluster, members)| {
            members.iter().take(sampling.representatives.max(1)).map(move |&board| (cluster, board))
        })
        .collect();
    job.begin(&format!("{street} samples"), chosen.len() as u64);
    let sampled: Vec<Vec<Seen>> = chosen
        .par_iter()
        .map(|&(_, board)| {
            let seen = sampler.holes(board, job)?;
            job.advance(1);
            Ok(seen)
        })
        .collect::<Result<_, BuildError>>()?;

    let mut of_cluster: Vec<Vec<Seen>> = vec![Vec::new(); boards.len()];
    for ((cluster, _), seen) in chosen.iter().zip(sampled) {
        of_cluster[*cluster].extend(seen);
    }
    let mut table = SparseTable {
        clusters: boards.labels.clone(),
        medians: Vec::with_capacity(boards.len()),
        starts: vec![0],
        holes: Vec::new(),
        buckets: Vec::new(),
    };
    let mut distinct = 0;
    for (cluster, seen) in of_cluster.into_iter().enumerate() {
        let seen = merge(seen);
        let (values, weights) = distribution(&seen);
        distinct += values.len() as u64;
        let split = Split::new(&values, &weights, buckets)
            .map_err(|source| BuildError::Line { street, source })?;
        let first = (cluster * buckets) as u32;
        table.medians.push(first + split.rank(median(&values, &weights)));
        table.holes.extend(seen.iter().map(|hole| hole.hole));
        table.buckets.extend(seen.iter().map(|hole| first + split.rank(hole.equity)));
        table.starts.push(table.holes.len() as u32);
    }
    let measured = measure(boards, buckets, table.view(), equities, job)?;
    let total: u64 =
        boards.members.iter().flatten().map(|board| u64::from(board.multiplicity())).sum();
    let deals = total * Deck::row_len(street) as u64;
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
    /// The canonical holes of a board with their equities.
    fn holes(&self, board: CanonicalBoard, job: Job<'_>) -> Result<Vec<Seen>, BuildError> {
        let public = board.board();
        let mut seen = Vec::new();
        for hole in board.deck().holes() {
            let (situation, _) = Situation::of(hole, &public).expect("a hole of the deck");
            if situation.hole() != hole {
                continue;
            }
            if job.cancelled() {
                return Err(BuildError::Cancelled);
            }
            let equity = self.equity(board, hole);
            let weight = u64::from(situation.orbit());
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
    boards: &BoardClusters,
    buckets: usize,
    table: SparseRef<'_>,
    equities: SlotEquities<'_>,
    job: Job<'_>,
) -> Result<Measured, BuildError> {
    let street = boards.street;
    let len = Deck::row_len(street);
    job.begin(&format!("{street} coverage"), boards.labels.len() as u64);
    let cluster = |(cluster, members): (usize, &Vec<CanonicalBoard>)| {
        let first = (cluster * buckets) as u32;
        // All holes at once: faster than a search for each.
        let board = members[0].index();
        let known: Vec<(u32, bool)> = Hole::all().map(|hole| table.get(board, hole)).collect();
        let none = || Measured { sums: QualitySums::new(buckets), missed: 0, asymmetric_slots: 0 };
        let add = |mut measured: Measured, &board: &CanonicalBoard| {
            if job.cancelled() {
                return Err(BuildError::Cancelled);
            }
            let row = lookups(board, &known);
            let weight = u64::from(board.multiplicity());
            let mut add = |(&(bucket, fell), equity): (&(u32, bool), u32)| {
                measured.sums.add(bucket - first, equity, weight);
                measured.missed += if fell { weight } else { 0 };
            };
            match equities {
                Some(equities) => {
                    let equities = &equities[board.index() * len..][..len];
                    row.iter().zip(equities.iter().copied()).for_each(&mut add);
                }
                None => {
                    let mut equities = [0; Deck::row_len(Street::River)];
                    river_row(board.set(), &mut equities);
                    row.iter().zip(equities.map(u32::from)).for_each(&mut add);
                }
            }
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
        boards.members.par_iter().enumerate().map(cluster).collect::<Result<_, _>>()?;
    let mut all =
        Measured { sums: QualitySums::new(boards.len() * buckets), missed: 0, asymmetric_slots: 0 };
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
