//! `Share`: who computes which units of bulk work.

use std::fmt;

use crate::{Collective, Lost, Part, Solo};

/// The units of a part, handed out to ranks as they become free.
///
/// ```
/// use lethe_collective::{Share, ShareError};
///
/// let mut done = Vec::new();
/// Share::alone().each(3, &mut |unit| {
///     done.push(unit);
///     Ok::<(), ShareError>(())
/// })?;
/// assert_eq!(done, [0, 1, 2]);
/// # Ok::<(), ShareError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Share<'a> {
    /// Which units.
    pub part: Part,
    /// The ranks that compute them.
    pub ranks: &'a dyn Collective,
}

impl Share<'_> {
    /// All units, computed by one process.
    pub fn alone() -> Share<'static> {
        Share { part: Part::ALL, ranks: &Solo }
    }

    /// Whether this process computes all units, so that nobody else has results.
    pub fn is_alone(&self) -> bool {
        self.part == Part::ALL && self.ranks.size() == 1
    }

    /// Whether this process reports results.
    pub fn leads(&self) -> bool {
        self.ranks.rank() == 0
    }

    /// The units of its part.
    pub fn units(&self, count: usize) -> Vec<usize> {
        (0..count).filter(|&unit| self.part.has(unit)).collect()
    }

    /// Calls `work` with groups of its units: all of them at once if there is one rank, else about
    /// `size` on each, as rank 0 has it.
    pub fn groups<E: From<ShareError> + Send>(
        &self,
        count: usize,
        size: usize,
        work: &mut (dyn FnMut(&[usize]) -> Result<(), E> + Send),
    ) -> Result<(), E> {
        let units = self.units(count);
        if self.ranks.size() == 1 {
            return work(&units);
        }
        let mut bytes = (size as u64).to_le_bytes().to_vec();
        self.ranks.broadcast(&mut bytes).map_err(ShareError::Lost)?;
        let size = bytes.first_chunk().map_or(1, |bytes| u64::from_le_bytes(*bytes)).max(1);
        let groups: Vec<&[usize]> = units.chunks(size as usize).collect();
        let all = Share { part: Part::ALL, ranks: self.ranks };
        all.each(groups.len(), &mut |group| work(groups[group]))
    }

    /// Calls `work` with the units of its part, of `count` in all, that this rank is handed. The first
    /// error ends it on all ranks.
    pub fn each<E: From<ShareError> + Send>(
        &self,
        count: usize,
        work: &mut (dyn FnMut(usize) -> Result<(), E> + Send),
    ) -> Result<(), E> {
        let units = self.units(count);
        let mut failure = None;
        let all = self.ranks.hand_out(units.len(), &mut |i| match work(units[i]) {
            Ok(()) => true,
            Err(error) => {
                failure = Some(error);
                false
            }
        });
        match (failure, all) {
            (Some(error), _) => Err(error),
            (None, Ok(true)) => Ok(()),
            (None, Ok(false)) => Err(ShareError::Elsewhere.into()),
            (None, Err(lost)) => Err(ShareError::Lost(lost).into()),
        }
    }
}

impl fmt::Debug for Share<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rank, size) = (self.ranks.rank(), self.ranks.size());
        write!(f, "Share({:?}, rank {rank} of {size})", self.part)
    }
}

/// Ranks that did not finish their units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShareError {
    /// Another rank failed, and says why.
    #[error("another rank failed")]
    Elsewhere,
    /// A rank ended.
    #[error(transparent)]
    Lost(#[from] Lost),
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::Threads;

    #[test]
    fn parts_and_ranks_do_each_unit_once() {
        let done = Mutex::new(Vec::new());
        for part in ["0/3", "1/3", "2/3"] {
            Threads::run(4, |ranks| {
                let share = Share { part: part.parse().unwrap(), ranks };
                let ended: Result<(), ShareError> = share.each(50, &mut |unit| {
                    done.lock().unwrap().push(unit);
                    Ok(())
                });
                ended.unwrap();
            });
        }
        let mut done = done.into_inner().unwrap();
        done.sort_unstable();
        assert!(done.into_iter().eq(0..50));
    }

    #[test]
    fn the_rank_that_fails_says_why() {
        #[derive(Debug, PartialEq)]
        enum Error {
            Disk(usize),
            Share(ShareError),
        }
        impl From<ShareError> for Error {
            fn from(error: ShareError) -> Error {
                Error::Share(error)
            }
        }
        let ended = Threads::run(3, |ranks| {
            let share = Share { part: Part::ALL, ranks };
            share.each(30, &mut |unit| if unit == 7 { Err(Error::Disk(7)) } else { Ok(()) })
        });
        let failed = ended.iter().filter(|ended| **ended == Err(Error::Disk(7))).count();
        let told = ended.iter().filter(|e| **e == Err(Error::Share(ShareError::Elsewhere))).count();
        assert_eq!((failed, told), (1, 2));
    }
}
