//! `Threads`: ranks that are threads of this process.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use crate::{Collective, Lost};

/// Ranks that are threads of this process.
#[derive(Clone, Copy, Debug)]
pub struct Threads;

/// One of the threads. A rank that is dropped is lost to the others.
#[derive(Debug)]
pub struct ThreadRank {
    rank: usize,
    size: usize,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    board: Mutex<Board>,
    changed: Condvar,
}

/// Where ranks meet.
#[derive(Debug, Default)]
struct Board {
    /// What the ranks brought that have arrived.
    brought: Vec<(usize, Vec<u8>)>,
    /// What all of them brought in the last round, and how many have still to take it.
    result: Arc<Vec<Vec<u8>>>,
    rounds: u64,
    /// The next unit to hand out.
    next: usize,
    lost: Option<usize>,
}

impl Threads {
    /// So many ranks that know each other.
    pub fn ranks(size: usize) -> Vec<ThreadRank> {
        let shared = Arc::new(Shared::default());
        let rank = |rank| ThreadRank { rank, size, shared: Arc::clone(&shared) };
        (0..size).map(rank).collect()
    }

    /// Runs `work` on so many ranks, each on a thread of its own; what they return, by rank.
    ///
    /// # Panics
    /// If one of them panics.
    pub fn run<T: Send>(size: usize, work: impl Fn(&ThreadRank) -> T + Sync) -> Vec<T> {
        std::thread::scope(|scope| {
            let work = &work;
            let ranks = Threads::ranks(size).into_iter();
            let threads: Vec<_> = ranks.map(|rank| scope.spawn(move || work(&rank))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no rank panics")).collect()
        })
    }
}

impl ThreadRank {
    fn board(&self) -> MutexGuard<'_, Board> {
        self.shared.board.lock().expect("no rank panics at the board")
    }
}

impl Drop for ThreadRank {
    fn drop(&mut self) {
        let mut board = self.board();
        board.lost = board.lost.or(Some(self.rank));
        self.shared.changed.notify_all();
    }
}

impl Collective for ThreadRank {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Lost> {
        let mut board = self.board();
        let round = board.rounds;
        board.brought.push((self.rank, bytes.to_vec()));
        if board.brought.len() == self.size {
            let mut all = std::mem::take(&mut board.brought);
            all.sort_by_key(|part| part.0);
            board.result = Arc::new(all.into_iter().map(|part| part.1).collect());
            board.rounds += 1;
            board.next = 0;
            self.shared.changed.notify_all();
        }
        while board.rounds == round {
            if let Some(rank) = board.lost {
                return Err(Lost { rank });
            }
            board = self.shared.changed.wait(board).expect("no rank panics at the board");
        }
        // The next round cannot end before this rank has brought its part.
        Ok(board.result.to_vec())
    }

    fn hand_out(
        &self,
        units: usize,
        work: &mut (dyn FnMut(usize) -> bool + Send),
    ) -> Result<bool, Lost> {
        self.barrier()?;
        let mut fine = true;
        loop {
            let unit = {
                let mut board = self.board();
                board.next += 1;
                board.next - 1
            };
            if unit >= units {
                break;
            }
            if !work(unit) {
                fine = false;
                self.board().next = units;
                break;
            }
        }
        Ok(!self.any(!fine)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_pass_the_table() {
        for size in [1, 2, 3, 8] {
            for (name, claim) in crate::claims::ALL {
                for found in Threads::run(size, |rank| claim(rank)) {
                    found.unwrap_or_else(|lost| panic!("{name} on {size} ranks: {lost}"));
                }
            }
        }
    }

    #[test]
    fn ranks_do_not_wait_for_one_that_ended() {
        let mut ranks = Threads::ranks(3);
        drop(ranks.remove(1));
        std::thread::scope(|scope| {
            for rank in &ranks {
                scope.spawn(|| assert_eq!(rank.barrier(), Err(Lost { rank: 1 })));
            }
        });
    }
}
