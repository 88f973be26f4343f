//! `Ranks`: one store, trained by several ranks.
//!
//! Every rank holds the whole store and computes some units of each batch. What they add to regrets is
//! exchanged after each batch, as sparse vectors. Averages are read in training only by an adversary
//! that responds to them: then they are exchanged in the same way. Otherwise each rank keeps what it
//! adds to them, and they are summed once per interval, or when somebody looks at them.
//! Sums of integers do not depend on their order, so all ranks have the same regrets after every batch,
//! whatever their number.

use std::cell::Cell;
use std::sync::atomic::{AtomicI32, AtomicU8, AtomicU32, Ordering};
use std::time::Instant;

use lethe_collective::{Collective, Lost, Malformed, SparseWriter, read_sparse};
use lethe_compute::Job;
use rayon::prelude::*;

use crate::changes::{Changes, GROUP};
use crate::config::Training;
use crate::store::{Excess, Store, add_average};

/// Sections of the regrets that are written and read by different threads.
const SECTIONS: usize = 64;
/// What comes before the sections of a message: a batch's visits and changed cells.
const COUNTS: usize = 2;
/// Averages that are summed at a time.
const AVERAGES: usize = 1 << 20;

/// The ranks that train a store together.
pub struct Ranks<'a> {
    collective: &'a dyn Collective,
    deltas: Deltas,
    /// What this rank has added to averages since they were last summed; empty if there is one rank or
    /// they are exchanged after each batch.
    pending: Vec<AtomicU32>,
    is_pending: Cell<bool>,
    traffic: Cell<Traffic>,
}

/// What this rank adds to the store in a batch; empty if there is one rank.
struct Deltas {
    regrets: Delta,
    /// Empty unless averages are exchanged after each batch.
    averages: Delta,
}

/// What this rank adds to regrets or averages.
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
    /// Regrets, and averages if they are exchanged with them, that ranks changed, summed over ranks.
    pub cells: u64,
    /// Bytes of averages that each rank sent apart from them.
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
    /// These ranks, which train such a store in this way.
    pub fn new(collective: &'a dyn Collective, store: &Store, training: &Training) -> Ranks<'a> {
        let [regrets, averages, pending] = match (collective.size(), training.reads_averages()) {
            (1, _) => [0; 3],
            (_, true) => [store.regrets.len(), store.len(), 0],
            (_, false) => [store.regrets.len(), 0, store.len()],
        };
        Ranks {
            collective,
            deltas: Deltas { regrets: Delta::new(regrets), averages: Delta::new(averages) },
            pending: (0..pending).into_par_iter().map(|_| AtomicU32::new(0)).collect(),
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
        let (deltas, pending) = (&self.deltas, &self.pending);
        let message = parts.map_or_else(Vec::new, |parts| job.install(|| deltas.message(parts)));
        let messages = self.collective.gather(&message)?;
        let (Some(parts), false) = (parts, messages.iter().any(Vec::is_empty)) else {
            return Ok(None);
        };
        let parsed: Vec<Message<'_>> =
            messages.iter().map(|bytes| Message::parse(bytes)).collect::<Result<_, _>>()?;
        let saturated = job.install(|| add(&parsed, store))?;
        if !pending.is_empty() {
            job.install(|| Changes::add_averages(parts, pending));
        }
        let sum = |count: usize| parsed.iter().map(|message| message.counts[count]).sum::<u64>();
        self.is_pending.set(!pending.is_empty());
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

impl Deltas {
    /// What this rank computed of a batch, in bytes.
    fn message(&self, parts: &[&Changes]) -> Vec<u8> {
        let Delta { cells, touched } = &self.regrets;
        let excess = Changes::collect(parts, cells, touched);
        let mut sections = self.regrets.take(&excess);
        sections.resize_with(SECTIONS, Default::default);
        if !self.averages.cells.is_empty() {
            let Delta { cells, touched } = &self.averages;
            sections.extend(self.averages.take(&Changes::collect_averages(parts, cells, touched)));
        }
        sections.resize_with(2 * SECTIONS, Default::default);
        let visits = parts.iter().map(|part| part.visits).sum::<u64>();
        let changed = sections.iter().map(|section| section.1).sum::<u64>();
        let bytes = sections.iter().map(|section| section.0.len()).sum::<usize>();
        let mut message = Vec::with_capacity(8 * COUNTS + 4 * sections.len() + bytes);
        for count in [visits, changed] {
            message.extend(count.to_le_bytes());
        }
        for (bytes, _) in &sections {
            message.extend((bytes.len() as u32).to_le_bytes());
        }
        sections.iter().for_each(|section| message.extend(&section.0));
        message
    }
}

impl Delta {
    fn new(cells: usize) -> Delta {
        Delta {
            cells: (0..cells).into_par_iter().map(|_| AtomicI32::new(0)).collect(),
            touched: (0..cells.div_ceil(GROUP)).map(|_| AtomicU8::new(0)).collect(),
        }
    }

    /// The changes by section, as bytes, and how many there are; afterwards all cells are zero again.
    fn take(&self, excess: &Excess) -> Vec<(Vec<u8>, u64)> {
        let length = section(self.cells.len());
        let deltas = self.cells.par_chunks(length.max(1));
        let touched = self.touched.par_chunks((length / GROUP).max(1));
        deltas
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
            .collect()
    }
}

/// Words of four bytes, so many of them.
fn sized(bytes: &[u8], count: usize) -> Result<&[[u8; 4]], Malformed> {
    match bytes.as_chunks() {
        (words, []) if words.len() == count => Ok(words),
        _ => Err(Malformed),
    }
}

/// The cells of a section.
fn section(cells: usize) -> usize {
    cells.div_ceil(SECTIONS).next_multiple_of(GROUP)
}

/// Section `i` of some cells.
fn part<T>(cells: &[T], i: usize) -> &[T] {
    let length = section(cells.len());
    let first = (i * length).min(cells.len());
    &cells[first..(first + length).min(cells.len())]
}

/// What a rank sent.
struct Message<'a> {
    counts: [u64; COUNTS],
    regrets: [&'a [u8]; SECTIONS],
    averages: [&'a [u8]; SECTIONS],
}

impl Message<'_> {
    fn parse(bytes: &[u8]) -> Result<Message<'_>, Malformed> {
        let (counts, rest) = bytes.split_first_chunk::<{ 8 * COUNTS }>().ok_or(Malformed)?;
        let (lengths, mut rest) = rest.split_first_chunk::<{ 8 * SECTIONS }>().ok_or(Malformed)?;
        let counts = std::array::from_fn(|i| u64::from_le_bytes(counts.as_chunks().0[i]));
        let [mut regrets, mut averages] = [[&[][..]; SECTIONS]; 2];
        for (section, length) in regrets.iter_mut().chain(&mut averages).zip(lengths.as_chunks().0)
        {
            let length = u32::from_le_bytes(*length) as usize;
            (*section, rest) = rest.split_at_checked(length).ok_or(Malformed)?;
        }
        if rest.is_empty() { Ok(Message { counts, regrets, averages }) } else { Err(Malformed) }
    }
}

/// Adds the changes of all ranks to the store; how many cells were too small for them.
fn add(messages: &[Message<'_>], store: &Store) -> Result<u64, Malformed> {
    let add = |i: usize| -> Result<u64, Malformed> {
        let regrets = part(&store.regrets, i);
        let averages = part(&store.averages, i);
        let (mut excess, mut full, mut outside) = (Excess::default(), 0, false);
        for message in messages {
            read_sparse(message.regrets[i], |cell, amount| match regrets.get(cell) {
                Some(regret) => excess.add_i64(cell, regret, amount),
                None => outside = true,
            })?;
            read_sparse(message.averages[i], |cell, amount| {
                match (averages.get(cell), u32::try_from(amount)) {
                    (Some(average), Ok(amount)) => full += u64::from(add_average(average, amount)),
                    _ => outside = true,
                }
            })?;
        }
        if outside { Err(Malformed) } else { Ok(full + excess.settle(regrets)) }
    };
    (0..SECTIONS).into_par_iter().map(add).sum()
}

#[cfg(test)]
mod tests {
    use lethe_collective::Threads;
    use lethe_compute::Pool;

    use super::*;
    use crate::changes::{Amounts, Target};
    use crate::train::{Adversary, Opponent};

    /// The regrets and averages after a batch of which each rank computed its part.
    fn exchanged(
        ranks: usize,
        training: &Training,
        amounts: &[(usize, i32)],
    ) -> Vec<(Vec<u8>, Traffic)> {
        Threads::run(ranks, |rank| {
            let store = Store::from_parts(&[100; 20_000], &[0; 20_000]);
            let trained = Ranks::new(rank, &store, training);
            let own = amounts.iter().skip(rank.rank()).step_by(ranks);
            let parts: Vec<Changes> = own
                .map(|&(first, amount)| {
                    let mut changes = Changes::default();
                    changes.visits = 1;
                    let target =
                        Target { block: first, first, width: 1, pools: Default::default() };
                    changes.of_one(Amounts::Regrets, target)[0] = amount;
                    changes.of_one(Amounts::Averages, target)[0] = amount.rem_euclid(1000);
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
        let plain = Training::default();
        let adversary = Adversary { average_share: 0.5, ..Adversary::default() };
        let averaged = Training { opponent: Opponent::Adversary, adversary, ..plain };
        let alone = &exchanged(1, &plain, &amounts)[0].0;
        for (training, cells, average_bytes) in [(plain, 2500, 80_000), (averaged, 5000, 0)] {
            for ranks in [2, 3, 8] {
                for (store, traffic) in exchanged(ranks, &training, &amounts) {
                    assert!(store == *alone, "{ranks} ranks");
                    assert_eq!((traffic.batches, traffic.average_bytes), (1, average_bytes));
                    assert!(traffic.cells > cells, "{traffic:?}");
                }
            }
        }
    }

    #[test]
    fn a_cancelled_rank_discards_the_batch_of_all() {
        let found = Threads::run(3, |rank| {
            let store = Store::from_parts(&[0; 100], &[0; 100]);
            let ranks = Ranks::new(rank, &store, &Training::default());
            let mut changes = Changes::default();
            let target = Target { block: 0, first: 0, width: 1, pools: Default::default() };
            changes.of_one(Amounts::Regrets, target)[0] = 7;
            let parts = [&changes];
            let parts = (rank.rank() != 1).then_some(&parts[..]);
            ranks.exchange(parts, &store, Job::default()).unwrap().is_none() && store.regret(0) == 0
        });
        assert_eq!(found, [true; 3]);
    }
}
