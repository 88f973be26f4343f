//! `Ranks`: one store, trained by several ranks.
//!
//! Every rank holds the whole store and computes some units of each batch. What they add to regrets is
//! exchanged after each batch, as sparse vectors. Averages are never read in training, so each rank
//! keeps what it adds to them, and they are summed once per interval, or when somebody looks at them.
//! Sums of integers do not depend on their order, so all ranks have the same regrets after every batch,
//! whatever their number.

use std::cell::Cell;
use std::sync::atomic::{AtomicI32, AtomicU8, AtomicU32, Ordering};
use std::time::Instant;

use lethe_collective::{Collective, Lost, Malformed, SparseWriter, read_sparse};
use lethe_compute::Job;
use rayon::prelude::*;

use crate::changes::{Changes, GROUP};
use crate::store::{Excess, Store, add_average};

/// Sections of the regrets that are written and read by different threads.
const SECTIONS: usize = 64;
/// What comes before the sections of a message: a batch's visits and changed regrets.
const COUNTS: usize = 2;
/// Averages that are summed at a time.
const AVERAGES: usize = 1 << 20;

/// The ranks that train a store together.
pub struct Ranks<'a> {
    collective: &'a dyn Collective,
    delta: Delta,
    /// What this rank has added to averages since they were last summed; empty if there is one rank.
    pending: Vec<AtomicU32>,
    is_pending: Cell<bool>,
    traffic: Cell<Traffic>,
}

/// What this rank adds to regrets in a batch; empty if there is one rank.
struct Delta {
    cells: Vec<AtomicI32>,
    /// By group of cells: whether they may have changed.
    touched: Vec<AtomicU8>,
}

/// What ranks have sent each other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traffic {
    /// Batches exchanged.
    pub batches: u64,
    /// Bytes that all ranks together sent in them, each counted once.
    pub bytes: u64,
    /// Regrets that ranks changed, summed over ranks.
    pub cells: u64,
    /// Bytes of averages that each rank sent.
    pub average_bytes: u64,
    /// Seconds of this rank in exchanges, those it waited for others included.
    pub seconds: f64,
}

/// What all ranks computed of a batch.
pub(super) struct Merged {
    pub(super) visits: u64,
    pub(super) saturated: u64,
}

/// Ranks that cannot train together any longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RanksError {
    /// One of them ended.
    #[error(transparent)]
    Lost(#[from] Lost),
    /// One of them sent something else than changes.
    #[error(transparent)]
    Malformed(#[from] Malformed),
}

impl<'a> Ranks<'a> {
    /// These ranks, which train such a store.
    pub fn new(collective: &'a dyn Collective, store: &Store) -> Ranks<'a> {
        let several = collective.size() > 1;
        let [regrets, averages] = match several {
            true => [store.regrets.len(), store.len()],
            false => [0, 0],
        };
        Ranks {
            collective,
            delta: Delta {
                cells: (0..regrets).into_par_iter().map(|_| AtomicI32::new(0)).collect(),
                touched: (0..regrets.div_ceil(GROUP)).map(|_| AtomicU8::new(0)).collect(),
            },
            pending: (0..averages).into_par_iter().map(|_| AtomicU32::new(0)).collect(),
            is_pending: Cell::new(false),
            traffic: Cell::default(),
        }
    }

    /// The number of this rank.
    pub fn rank(&self) -> usize {
        self.collective.rank()
    }

    /// How many there are.
    pub fn size(&self) -> usize {
        self.collective.size()
    }

    /// What has been sent so far.
    pub fn traffic(&self) -> Traffic {
        self.traffic.get()
    }

    /// Whether any rank says so.
    pub(super) fn any(&self, says: bool) -> Result<bool, Lost> {
        self.collective.any(says)
    }

    /// Adds what all ranks computed of a batch to the store; `None` if a rank has nothing, because it
    /// was cancelled.
    pub(super) fn exchange(
        &self,
        parts: Option<&[&Changes]>,
        store: &Store,
        job: Job<'_>,
    ) -> Result<Option<Merged>, RanksError> {
        let begun = Instant::now();
        let delta = &self.delta;
        let message = parts.map_or_else(Vec::new, |parts| job.install(|| delta.message(parts)));
        let messages = self.collective.gather(&message)?;
        let (Some(parts), false) = (parts, messages.iter().any(Vec::is_empty)) else {
            return Ok(None);
        };
        let parsed: Vec<Message<'_>> =
            messages.iter().map(|bytes| Message::parse(bytes)).collect::<Result<_, _>>()?;
        let saturated = job.install(|| add(&parsed, store))?;
        let pending = &self.pending;
        job.install(|| Changes::add_averages(parts, pending));
        let sum = |count: usize| parsed.iter().map(|message| message.counts[count]).sum::<u64>();
        self.is_pending.set(true);
        let mut traffic = self.traffic.get();
        traffic.batches += 1;
        traffic.bytes += messages.iter().map(|message| message.len() as u64).sum::<u64>();
        traffic.cells += sum(1);
        traffic.seconds += begun.elapsed().as_secs_f64();
        self.traffic.set(traffic);
        Ok(Some(Merged { visits: sum(0), saturated }))
    }

    /// Adds what all ranks have added to averages to the store; every rank calls it.
    pub(super) fn sum_averages(&self, store: &Store, job: Job<'_>) -> Result<(), Lost> {
        if !self.is_pending.replace(false) {
            return Ok(());
        }
        let begun = Instant::now();
        for (pending, averages) in
            self.pending.chunks(AVERAGES).zip(store.averages.chunks(AVERAGES))
        {
            let own = pending.par_iter().with_min_len(1 << 14);
            let mut sums: Vec<u32> =
                job.install(|| own.map(|weight| weight.swap(0, Ordering::Relaxed)).collect());
            self.collective.sum_u32(&mut sums)?;
            let cells = averages.par_iter().with_min_len(1 << 14).zip(&sums);
            job.install(|| {
                cells.for_each(|(average, &sum)| {
                    // Intervals are short enough for all they add to fit.
                    add_average(average, sum);
                })
            });
        }
        let mut traffic = self.traffic.get();
        traffic.average_bytes += 4 * self.pending.len() as u64;
        traffic.seconds += begun.elapsed().as_secs_f64();
        self.traffic.set(traffic);
        Ok(())
    }

    /// Gives all ranks what rank 0 has: its store. Those of the others have the same size.
    pub fn share(&self, store: &Store) -> Result<(), RanksError> {
        let mut bytes = Vec::new();
        for cells in store.regrets.chunks(AVERAGES) {
            let values = cells.iter().flat_map(|cell| cell.load(Ordering::Relaxed).to_le_bytes());
            bytes.clear();
            bytes.extend(values);
            self.collective.broadcast(&mut bytes)?;
            for (cell, bytes) in cells.iter().zip(sized(&bytes, cells.len())?) {
                cell.store(i32::from_le_bytes(*bytes), Ordering::Relaxed);
            }
        }
        for cells in store.averages.chunks(AVERAGES) {
            let values = cells.iter().flat_map(|cell| cell.load(Ordering::Relaxed).to_le_bytes());
            bytes.clear();
            bytes.extend(values);
            self.collective.broadcast(&mut bytes)?;
            for (cell, bytes) in cells.iter().zip(sized(&bytes, cells.len())?) {
                cell.store(u32::from_le_bytes(*bytes), Ordering::Relaxed);
            }
        }
        Ok(())
    }
}

impl Delta {
    /// What this rank computed of a batch, in bytes; afterwards all cells are zero again.
    fn message(&self, parts: &[&Changes]) -> Vec<u8> {
        let excess = Changes::collect(parts, &self.cells, &self.touched);
        let length = section(self.cells.len());
        let deltas = self.cells.par_chunks(length.max(1));
        let touched = self.touched.par_chunks((length / GROUP).max(1));
        let sections: Vec<(Vec<u8>, u64)> = deltas
            .zip(touched)
            .enumerate()
            .map(|(i, (deltas, touched))| {
                let mut writer = SparseWriter::default();
                for (group, (deltas, touched)) in deltas.chunks(GROUP).zip(touched).enumerate() {
                    if touched.swap(0, Ordering::Relaxed) == 0 {
                        continue;
                    }
                    for (cell, delta) in (group * GROUP..).zip(deltas) {
                        let value = i64::from(delta.swap(0, Ordering::Relaxed));
                        writer.push(cell, value + excess.of(i * length + cell));
                    }
                }
                let changed = writer.changed();
                (writer.finish(), changed)
            })
            .collect();
        let visits = parts.iter().map(|part| part.visits).sum::<u64>();
        let changed = sections.iter().map(|section| section.1).sum::<u64>();
        let bytes = sections.iter().map(|section| section.0.len()).sum::<usize>();
        let mut message = Vec::with_capacity(8 * COUNTS + 4 * SECTIONS + bytes);
        for count in [visits, changed] {
            message.extend(count.to_le_bytes());
        }
        for i in 0..SECTIONS {
            let bytes = sections.get(i).map_or(0, |section| section.0.len());
            message.extend((bytes as u32).to_le_bytes());
        }
        sections.iter().for_each(|section| message.extend(&section.0));
        message
    }
}

/// Words of four bytes, so many of them.
fn sized(bytes: &[u8], count: usize) -> Result<&[[u8; 4]], Malformed> {
    match bytes.as_chunks() {
        (words, []) if words.len() == count => Ok(words),
        _ => Err(Malformed),
    }
}

/// The regrets of a section.
fn section(cells: usize) -> usize {
    cells.div_ceil(SECTIONS).next_multiple_of(GROUP)
}

/// What a rank sent.
struct Message<'a> {
    counts: [u64; COUNTS],
    sections: [&'a [u8]; SECTIONS],
}

impl Message<'_> {
    fn parse(bytes: &[u8]) -> Result<Message<'_>, Malformed> {
        let (counts, rest) = bytes.split_first_chunk::<{ 8 * COUNTS }>().ok_or(Malformed)?;
        let (lengths, mut rest) = rest.split_first_chunk::<{ 4 * SECTIONS }>().ok_or(Malformed)?;
        let counts = std::array::from_fn(|i| u64::from_le_bytes(counts.as_chunks().0[i]));
        let mut sections = [&[][..]; SECTIONS];
        for (section, length) in sections.iter_mut().zip(lengths.as_chunks().0) {
            let length = u32::from_le_bytes(*length) as usize;
            (*section, rest) = rest.split_at_checked(length).ok_or(Malformed)?;
        }
        if rest.is_empty() { Ok(Message { counts, sections }) } else { Err(Malformed) }
    }
}

/// Adds the changes of all ranks to the regrets; how many were too large to be stored.
fn add(messages: &[Message<'_>], store: &Store) -> Result<u64, Malformed> {
    let length = section(store.regrets.len());
    let add = |i: usize| -> Result<u64, Malformed> {
        let first = (i * length).min(store.regrets.len());
        let regrets = &store.regrets[first..(first + length).min(store.regrets.len())];
        let (mut excess, mut outside) = (Excess::default(), false);
        for message in messages {
            read_sparse(message.sections[i], |cell, amount| match regrets.get(cell) {
                Some(regret) => excess.add_i64(cell, regret, amount),
                None => outside = true,
            })?;
        }
        if outside { Err(Malformed) } else { Ok(excess.settle(regrets)) }
    };
    (0..SECTIONS).into_par_iter().map(add).sum()
}

#[cfg(test)]
mod tests {
    use lethe_collective::Threads;
    use lethe_compute::Pool;

    use super::*;
    use crate::changes::Target;

    /// The regrets and averages after a batch of which each rank computed its part.
    fn exchanged(ranks: usize, amounts: &[(usize, i32)]) -> Vec<(Vec<u8>, Traffic)> {
        Threads::run(ranks, |rank| {
            let store = Store::from_parts(&[100; 20_000], &[0; 20_000]);
            let trained = Ranks::new(rank, &store);
            let own = amounts.iter().skip(rank.rank()).step_by(ranks);
            let parts: Vec<Changes> = own
                .map(|&(first, amount)| {
                    let mut changes = Changes::default();
                    changes.visits = 1;
                    let target = Target { block: first, first, width: 1, actions: 1 };
                    changes.regrets_of_one(target)[0] = amount;
                    changes.averages_of_one(target)[0] = amount.rem_euclid(1000);
                    changes
                })
                .collect();
            let parts: Vec<&Changes> = parts.iter().collect();
            let (pool, mut saturated) = (Pool::new(2).unwrap(), 0);
            let job = Job::new(&pool);
            match ranks {
                1 => saturated = Changes::merge(&parts, &store),
                _ => {
                    let merged = trained.exchange(Some(&parts), &store, job).unwrap().unwrap();
                    assert_eq!(merged.visits, amounts.len() as u64);
                    saturated += merged.saturated;
                    trained.sum_averages(&store, job).unwrap();
                }
            }
            assert_eq!(saturated, 2);
            (store.to_bytes(), trained.traffic())
        })
    }

    #[test]
    fn ranks_add_up_to_one_rank() {
        let mut amounts: Vec<(usize, i32)> =
            (0..3000).map(|i| (i * 7919 % 19_990, (i * i) as i32 % 90_000 - 45_000)).collect();
        // Too large in between, and at the end.
        amounts.extend([(3, i32::MAX), (3, i32::MAX), (3, -i32::MAX), (3, -i32::MAX)]);
        amounts.extend([(19_999, i32::MAX), (19_999, i32::MAX), (19_999, i32::MIN), (4, i32::MAX)]);
        let alone = &exchanged(1, &amounts)[0].0;
        for ranks in [2, 3, 8] {
            for (store, traffic) in exchanged(ranks, &amounts) {
                assert!(store == *alone, "{ranks} ranks");
                assert_eq!(traffic.batches, 1);
                assert!(traffic.cells > 2500 && traffic.average_bytes == 80_000, "{traffic:?}");
            }
        }
    }

    #[test]
    fn a_cancelled_rank_discards_the_batch_of_all() {
        let found = Threads::run(3, |rank| {
            let store = Store::from_parts(&[0; 100], &[0; 100]);
            let ranks = Ranks::new(rank, &store);
            let mut changes = Changes::default();
            let target = Target { block: 0, first: 0, width: 1, actions: 1 };
            changes.regrets_of_one(target)[0] = 7;
            let parts = [&changes];
            let parts = (rank.rank() != 1).then_some(&parts[..]);
            ranks.exchange(parts, &store, Job::default()).unwrap().is_none() && store.regret(0) == 0
        });
        assert_eq!(found, [true; 3]);
    }
}
