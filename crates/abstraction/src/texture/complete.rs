//! The complete variant: every hole of every board of a cluster, by its exact equity.

use lethe_cards::vs_random::{equity_scale, river_row};
use lethe_cards::{Deck, Street};
use rayon::prelude::*;

use crate::error::BuildError;
use crate::methods::Context;
use crate::quality::{QualitySums, asymmetric_slots};
use crate::table::{BucketId, Stored, fits_u16};

use super::Bucketed;
use super::boards::BoardClusters;
use super::split::Split;

/// Puts every slot into the bucket of its cluster and its equity.
pub(super) fn bucket(
    clusters: &BoardClusters,
    buckets: usize,
    cx: &Context<'_>,
) -> Result<Bucketed, BuildError> {
    if fits_u16(clusters.len() * buckets) {
        fill::<u16>(clusters, buckets, cx)
    } else {
        fill::<u32>(clusters, buckets, cx)
    }
}

/// The split of one cluster and the sums over its buckets.
struct Cut {
    split: Split,
    sums: QualitySums,
    distinct: usize,
}

fn fill<T: BucketId + Into<u32>>(
    clusters: &BoardClusters,
    buckets: usize,
    cx: &Context<'_>,
) -> Result<Bucketed, BuildError> {
    let (street, boards, job) = (cx.street(), cx.boards, cx.job);
    let equities = cx.domain.equities().of(street);
    let mut table = vec![T::default(); boards.slots()];
    if equities.is_none() {
        // A river equity is at most 1,980: the table holds the equities until it holds the buckets.
        boards.fill("river equities", &mut table, job, |_, board, row| {
            let mut equities = [0; Deck::row_len(Street::River)];
            river_row(board.set(), &mut equities);
            for (entry, equity) in row.iter_mut().zip(equities) {
                *entry = T::new(equity.into());
            }
        })?;
    }

    job.begin(&format!("{street} buckets"), clusters.len() as u64);
    let cut = |members: &Vec<usize>| {
        let mut hands = Hands::new(street);
        for &position in members {
            job.check()?;
            let weight = boards.weight(position);
            match equities {
                Some(equities) => {
                    hands.add(boards.row(equities, position).iter().copied(), weight);
                }
                None => hands.add(boards.row(&table, position).iter().map(|&q| q.into()), weight),
            }
        }
        let (values, weights) = hands.finish();
        let split = Split::new(&values, &weights, buckets, job)
            .map_err(|error| BuildError::cluster(street, error))?;
        let mut sums = QualitySums::new(buckets);
        for (&value, &weight) in values.iter().zip(&weights) {
            sums.add(split.rank(value), value, weight);
        }
        job.advance(1);
        Ok::<_, BuildError>(Cut { split, sums, distinct: values.len() })
    };
    let cuts: Vec<Cut> = clusters.members.par_iter().map(cut).collect::<Result<_, _>>()?;

    let mut sums = QualitySums::new(clusters.len() * buckets);
    for (cluster, cut) in cuts.iter().enumerate() {
        sums.put(cluster * buckets, &cut.sums);
    }
    boards.fill(&format!("{street} table"), &mut table, job, |position, _, row| {
        let cluster = clusters.labels[position];
        let (first, split) = (cluster * buckets as u32, &cuts[cluster as usize].split);
        match equities {
            Some(equities) => {
                for (entry, &equity) in row.iter_mut().zip(boards.row(equities, position)) {
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
        asymmetric_slots: asymmetric_slots(boards, table.view(), job)?,
        stored: Stored::Dense(table),
        sums,
        distinct: cuts.iter().map(|cut| cut.distinct).sum(),
        fallback: 0.0,
    })
}

/// The hands of a cluster: how many deals have each equity.
enum Hands {
    /// The deals of each equity that can be, where those are few.
    Counted(Vec<u64>),
    /// Equities above their weights, which fit 32 bits, in no order.
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
    fn add(&mut self, equities: impl Iterator<Item = u32>, weight: u64) {
        match self {
            Hands::Counted(counts) => {
                equities.for_each(|equity| counts[equity as usize] += weight);
            }
            Hands::Listed(list) => {
                list.extend(equities.map(|equity| u64::from(equity) << 32 | weight));
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
