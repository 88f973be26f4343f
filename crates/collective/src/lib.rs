//! Ranks that compute together: processes of a cluster, threads of one process, or one alone.
//!
//! A [`Collective`] is one rank's view of all of them. Every rank calls the same functions in the same
//! order. [`Solo`] is a single rank, [`Threads`] are threads of this process, and the crate `lethe-mpi`
//! has the processes that `mpirun` starts; [`claims`] is the table of tests that all three pass.
//!
//! ```
//! use lethe_collective::{Collective, Threads};
//!
//! let sums = Threads::run(3, |ranks| {
//!     let mut values = [ranks.rank() as u64, 10];
//!     ranks.sum(&mut values).map(|()| values)
//! });
//! assert!(sums.iter().all(|sum| *sum == Ok([0 + 1 + 2, 30])));
//! ```
//!
//! Bulk work is shared by a [`Share`]: the units of a numbered [`Part`], handed out to ranks.
//!
//! Only integers are summed, so a sum depends neither on the order of ranks nor on their number.

#![forbid(unsafe_code)]

pub mod claims;
mod launch;
mod part;
mod same;
mod share;
mod solo;
mod sparse;
mod threads;

pub use launch::{launched_rank, launched_ranks};
pub use part::{Part, PartError};
pub use same::{Mismatch, check_same};
pub use share::{Share, ShareError};
pub use solo::Solo;
pub use sparse::{Malformed, SparseWriter, read_sparse};
pub use threads::{ThreadRank, Threads};

/// One rank's view of all ranks.
///
/// Every call but [`Collective::rank`] and [`Collective::size`] waits for the other ranks to make the
/// same call.
pub trait Collective {
    /// The number of this rank, from 0. Rank 0 reads, writes and reports.
    fn rank(&self) -> usize;

    /// How many ranks there are.
    fn size(&self) -> usize;

    /// What every rank brings, by rank.
    fn gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Lost>;

    /// Calls `work` with each unit from 0 to `units`, on whichever rank is free; a call that returns
    /// false ends it on all ranks. Returns, on all ranks and when all of them are done, whether every
    /// call returned true.
    ///
    /// Rank 0 may call `work` from another thread, while its own answers the other ranks.
    fn hand_out(
        &self,
        units: usize,
        work: &mut (dyn FnMut(usize) -> bool + Send),
    ) -> Result<bool, Lost>;

    /// Replaces each value by its sum over all ranks, modulo 2^64.
    fn sum(&self, values: &mut [u64]) -> Result<(), Lost> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        values.fill(0);
        for part in self.gather(&bytes)? {
            for (sum, bytes) in values.iter_mut().zip(part.as_chunks().0) {
                *sum = sum.wrapping_add(u64::from_le_bytes(*bytes));
            }
        }
        Ok(())
    }

    /// The same modulo 2^32, for long arrays.
    fn sum_u32(&self, values: &mut [u32]) -> Result<(), Lost> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        values.fill(0);
        for part in self.gather(&bytes)? {
            for (sum, bytes) in values.iter_mut().zip(part.as_chunks().0) {
                *sum = sum.wrapping_add(u32::from_le_bytes(*bytes));
            }
        }
        Ok(())
    }

    /// Replaces the bytes by those of rank 0.
    fn broadcast(&self, bytes: &mut Vec<u8>) -> Result<(), Lost> {
        let own: &[u8] = if self.rank() == 0 { bytes } else { &[] };
        if let Some(first) = self.gather(own)?.into_iter().next() {
            *bytes = first;
        }
        Ok(())
    }

    /// Waits until every rank has come here.
    fn barrier(&self) -> Result<(), Lost> {
        self.gather(&[]).map(drop)
    }

    /// Whether any rank says so.
    fn any(&self, says: bool) -> Result<bool, Lost> {
        let mut count = [u64::from(says)];
        self.sum(&mut count)?;
        Ok(count[0] > 0)
    }
}

/// A rank ended while the others waited for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rank {rank} ended before the others")]
pub struct Lost {
    /// Which one.
    pub rank: usize,
}
