//! Finding the distinct ones among millions of feature vectors.

use lethe_cards::CanonicalBoard;
use lethe_compute::{Cancelled, Job};
use rayon::prelude::*;

use crate::boards::BoardSet;

/// The distinct feature vectors of a set of boards, and which of them each slot has.
pub(crate) struct Distinct {
    /// Numbers in a feature vector.
    pub(crate) dim: usize,
    /// The distinct vectors, one after another, in the order of their first slot.
    pub(crate) features: Vec<u16>,
    /// The weight of the slots that have each.
    pub(crate) weights: Vec<u64>,
    /// The vector of each slot.
    pub(crate) ids: Vec<u32>,
}

/// Boards are visited in this many pieces, whatever the number of threads, so that the order
/// of the distinct vectors never changes.
const PIECES: usize = 32;

impl Distinct {
    /// Takes the feature vectors of all slots of some boards, a board at a time: `fill` writes those
    /// of a board's row one after another.
    pub(crate) fn of(
        boards: &BoardSet,
        dim: usize,
        phase: &str,
        job: Job<'_>,
        fill: impl Fn(CanonicalBoard, &mut [u16]) + Sync,
    ) -> Result<Distinct, Cancelled> {
        job.install(|| Distinct::of_pieces(boards, dim, phase, job, &fill))
    }

    fn of_pieces(
        boards: &BoardSet,
        dim: usize,
        phase: &str,
        job: Job<'_>,
        fill: &(impl Fn(CanonicalBoard, &mut [u16]) + Sync),
    ) -> Result<Distinct, Cancelled> {
        let row_len = boards.row_len();
        job.begin(phase, boards.len() as u64);
        let mut ids = vec![0u32; boards.slots()];
        let piece = boards.len().div_ceil(PIECES);
        let pieces: Vec<Result<Interner, Cancelled>> = ids
            .par_chunks_mut(piece * row_len)
            .enumerate()
            .map(|(number, ids)| {
                let mut interner = Interner::new(dim);
                let mut features = vec![0u16; row_len * dim];
                for (offset, ids) in ids.chunks_mut(row_len).enumerate() {
                    job.check()?;
                    let position = number * piece + offset;
                    features.fill(0);
                    fill(boards.board(position), &mut features);
                    let weight = boards.weight(position);
                    for (id, feature) in ids.iter_mut().zip(features.chunks_exact(dim)) {
                        *id = interner.intern(feature, weight);
                    }
                    job.advance(1);
                }
                Ok(interner)
            })
            .collect();

        let mut all = Interner::new(dim);
        let mut renumbered = Vec::with_capacity(pieces.len());
        for interner in pieces {
            let interner = interner?;
            job.check()?;
            let features = interner.features.chunks_exact(dim).zip(&interner.weights);
            renumbered.push(features.map(|(f, &w)| all.intern(f, w)).collect::<Vec<u32>>());
        }
        ids.par_chunks_mut(piece * row_len).zip(&renumbered).for_each(|(ids, renumbered)| {
            ids.iter_mut().for_each(|id| *id = renumbered[*id as usize]);
        });
        Ok(Distinct { dim, features: all.features, weights: all.weights, ids })
    }

    /// How many distinct vectors there are.
    pub(crate) fn len(&self) -> usize {
        self.weights.len()
    }
}

/// Numbers vectors in the order of their first occurrence: an open-addressing hash table.
///
/// It keeps the vectors in one array and only their numbers in the table, and sums their weights.
pub(crate) struct Interner {
    dim: usize,
    pub(crate) features: Vec<u16>,
    weights: Vec<u64>,
    /// The number of a vector plus one; zero where free. A power of two long, at most half full.
    places: Vec<u32>,
}

impl Interner {
    pub(crate) fn new(dim: usize) -> Interner {
        Interner { dim, features: Vec::new(), weights: Vec::new(), places: vec![0; 1 << 12] }
    }

    /// The number of a vector, to whose weight this is added.
    pub(crate) fn intern(&mut self, feature: &[u16], weight: u64) -> u32 {
        let mask = self.places.len() - 1;
        let mut place = hash(feature) as usize & mask;
        loop {
            match self.places[place].checked_sub(1) {
                Some(id) if self.feature(id) == feature => {
                    self.weights[id as usize] += weight;
                    return id;
                }
                Some(_) => place = (place + 1) & mask,
                None => break,
            }
        }
        let id = self.weights.len() as u32;
        self.features.extend_from_slice(feature);
        self.weights.push(weight);
        self.places[place] = id + 1;
        if 2 * self.weights.len() > self.places.len() {
            self.grow();
        }
        id
    }

    fn feature(&self, id: u32) -> &[u16] {
        &self.features[id as usize * self.dim..][..self.dim]
    }

    fn grow(&mut self) {
        let mask = 2 * self.places.len() - 1;
        self.places = vec![0; mask + 1];
        for (id, feature) in self.features.chunks_exact(self.dim).enumerate() {
            let mut place = hash(feature) as usize & mask;
            while self.places[place] != 0 {
                place = (place + 1) & mask;
            }
            self.places[place] = id as u32 + 1;
        }
    }
}

/// A quick hash; only speed depends on it, never the result.
fn hash(feature: &[u16]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut sum = 0u64;
    for four in feature.chunks(4) {
        let word = four.iter().fold(0, |word, &n| word << 16 | u64::from(n));
        sum = (sum.rotate_left(23) ^ word).wrapping_mul(ODD);
    }
    sum ^ sum >> 32
}
