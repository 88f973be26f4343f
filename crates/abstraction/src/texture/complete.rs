//! The complete way: every hole of every board of a cluster, by its exact equity.

use lethe_cards::vs_random::{equity_scale, river_row};
use lethe_cards::{CanonicalBoard, Deck, Situation, Street};
use rayon::prelude::*;

use crate::equities::each_row;
use crate::error::BuildError;
use crate::quality::{QualitySums, asymmetric_slots};
use crate::table::Stored;
use crate::table::{BucketId, fits_u16};
use lethe_compute::Job;

use super::boards::BoardClusters;
use super::split::Split;
use super::{Bucketed, SlotEquities};

/// Puts every slot of a street into the bucket of its cluster and its equity.
pub(super) fn bucket(
    boards: &BoardClusters,
    buckets: usize,
    equities: SlotEquities<'_>,
    job: Job<'_>,
) -> Result<Bucketed, BuildError> {
    if fits_u16(boards.len() * buckets) {
        fill::<u16>(boards, buckets, equities, job)
    } else {
        fill::<u32>(boards, buckets, equities, job)
    }
}

/// The split of one cluster and the sums over its buckets.
struct Cut {
    split: Split,
    sums: QualitySums,
    distinct: usize,
}

fn fill<T: BucketId + Into<u32>>(
    boards: &BoardClusters,
    buckets: usize,
    equities: SlotEquities<'_>,
    job: Job<'_>,
) -> Result<Bucketed, BuildError> {
    let street = boards.street;
    let len = Deck::row_len(street);
    let mut table = vec![T::default(); Situation::slots(street)];
    let slots = |board: CanonicalBoard| board.index() * len..(board.index() + 1) * len;
    if equities.is_none() {
        // A river equity is at most 1,980: the table holds the equities until it holds the buckets.
        each_row(street, "river equities", &mut table, job, |board, row| {
            let mut equities = [0; Deck::row_len(Street::River)];
            river_row(board.set(), &mut equities);
            for (entry, equity) in row.iter_mut().zip(equities) {
                *entry = T::new(equity.into());
            }
        })?;
    }

    job.begin(&format!("{street} buckets"), boards.len() as u64);
    let cut = |members: &Vec<CanonicalBoard>| {
        if job.cancelled() {
            return Err(BuildError::Cancelled);
        }
        let mut hands = Hands::new(street);
        for &board in members {
            let weight = board.multiplicity();
            match equities {
                Some(equities) => hands.add(equities[slots(board)].iter().copied(), weight),
                None => hands.add(table[slots(board)].iter().map(|&q| q.into()), weight),
            }
        }
        let (values, weights) = hands.finish();
        let split = Split::new(&values, &weights, buckets)
            .map_err(|source| BuildError::Line { street, source })?;
        let mut sums = QualitySums::new(buckets);
        for (&value, &weight) in values.iter().zip(&weights) {
            sums.add(split.rank(value), value, weight);
        }
        job.advance(1);
        Ok(Cut { split, sums, distinct: values.len() })
    };
    let cuts: Vec<Cut> = boards.members.par_iter().map(cut).collect::<Result<_, _>>()?;

    let mut sums = QualitySums::new(boards.len() * buckets);
    for (cluster, cut) in cuts.iter().enumerate() {
        sums.put(cluster * buckets, &cut.sums);
    }
    each_row(street, &format!("{street} table"), &mut table, job, |board, row| {
        let cluster = boards.labels[board.index()];
        let (first, split) = (cluster * buckets as u32, &cuts[cluster as usize].split);
        match equities {
            Some(equities) => {
                for (entry, &equity) in row.iter_mut().zip(&equities[slots(board)]) {
                    *entry = T::new(first + split.rank(equity));
                }
            }
            None => {
                for entry in row {
                    *entry = T::new(first + split.rank((*entry).into()));
                }
            }
        }
    })?;
    let table = T::table(table);
    Ok(Bucketed {
        asymmetric_slots: asymmetric_slots(street, table.view()),
        stored: Stored::Dense(table),
        sums,
        distinct: cuts.iter().map(|cut| cut.distinct as u64).sum(),
        fallback: 0.0,
    })
}

/// The hands of a cluster: how many deals have each equity.
enum Hands {
    /// The deals of each equity that can be, where those are few.
    Counted(Vec<u64>),
    /// Equities above their weights, in no order.
    Listed(Vec<u64>),
}

impl Hands {
    /// No hands yet.
    fn new(street: Street) -> Hands {
        match equity_scale(street) as usize {
            scale if scale < 1 << 17 => Hands::Counted(vec![0; scale + 1]),
            _ => Hands::Listed(Vec::new()),
        }
    }

    /// Adds the equities of a board's row.
    fn add(&mut self, equities: impl Iterator<Item = u32>, weight: u32) {
        match self {
            Hands::Counted(counts) => {
                equities.for_each(|equity| counts[equity as usize] += u64::from(weight));
            }
            Hands::Listed(list) => {
                list.extend(equities.map(|equity| u64::from(equity) << 32 | u64::from(weight)));
            }
        }
    }

    /// The equities that occur, ascending, and the weight of each.
    fn finish(self) -> (Vec<u32>, Vec<u64>) {
        match self {
            Hands::Counted(counts) => (0..).zip(counts).filter(|&(_, weight)| weight > 0).unzip(),
            Hands::Listed(mut list) => {
                list.sort_unstable();
                list.chunk_by(|a, b| a >> 32 == b >> 32)
                    .map(|same| {
                        let weights = same.iter().map(|hand| hand & u64::from(u32::MAX));
                        ((same[0] >> 32) as u32, weights.sum::<u64>())
                    })
                    .unzip()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_and_listed_hands_are_the_same() {
        let rows = [([5u32, 7, 5, 1980], 24), ([0, 7, 7, 3], 4)];
        let finish = |mut hands: Hands| {
            rows.iter().for_each(|&(row, weight)| hands.add(row.into_iter(), weight));
            hands.finish()
        };
        let expected = (vec![0, 3, 5, 7, 1980], vec![4, 4, 48, 32, 24]);
        assert_eq!(finish(Hands::new(Street::River)), expected);
        assert_eq!(finish(Hands::new(Street::Flop)), expected);
    }
}
