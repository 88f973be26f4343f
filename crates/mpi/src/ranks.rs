//! `Mpi`: the processes of `mpirun` as ranks.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use lethe_collective::{Collective, Lost};
use mpi::collective::SystemOperation;
use mpi::datatype::PartitionMut;
use mpi::environment::Universe;
use mpi::point_to_point::Status;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Root, Source};
use mpi::{Count, Rank, Tag, Threading};

/// A free rank asks rank 0 for a unit, and says whether its last one succeeded.
const ASK: Tag = 1;
/// What rank 0 answers: the number of a unit, or [`NONE_LEFT`].
const ANSWER: Tag = 2;
const NONE_LEFT: u64 = u64::MAX;
/// The most bytes that one call receives: counts are 32-bit.
const CALL_BYTES: usize = 1 << 30;
/// Elements of one sum: long messages are faster in pieces.
const SUM_ELEMENTS: usize = 1 << 20;

/// The processes that `mpirun` started, as ranks.
///
/// A rank that fails must [`Mpi::abort`]: the others cannot go on without it. One that is killed ends
/// the whole job; `mpirun` says so.
pub struct Mpi {
    world: SimpleCommunicator,
    // Dropped last: ends MPI.
    _universe: Universe,
}

impl Mpi {
    /// Joins the other processes. Only the thread that calls this may use the result. `None` if MPI
    /// was started before.
    pub fn start() -> Option<Mpi> {
        let (universe, _) = mpi::initialize_with_threading(Threading::Funneled)?;
        Some(Mpi { world: universe.world(), _universe: universe })
    }

    /// Ends all ranks at once.
    pub fn abort(&self, code: u8) -> ! {
        self.world.abort(code.into())
    }

    /// Waits until all ranks have arrived, without keeping a core busy: what is waited for may be an
    /// evaluation that takes minutes.
    fn meet(&self) {
        if self.size() == 1 {
            return;
        }
        let mut request = self.world.immediate_barrier();
        let mut pause = Pause::new();
        loop {
            match request.test() {
                Ok(_) => return,
                Err(waiting) => request = waiting,
            }
            pause.wait();
        }
    }

    /// Answers ranks that ask for units, and works on them as well.
    fn serve(&self, units: usize, work: &mut (dyn FnMut(usize) -> bool + Send)) -> bool {
        let (ask, asked) = mpsc::channel::<bool>();
        let (answer, answered) = mpsc::channel::<u64>();
        let (mut next, mut fine) = (0, true);
        let mut take = |succeeded: bool| {
            fine &= succeeded;
            let unit = if fine && next < units { next as u64 } else { NONE_LEFT };
            next += 1;
            unit
        };
        thread::scope(|scope| {
            scope.spawn(move || {
                let mut succeeded = true;
                while ask.send(succeeded).is_ok() {
                    match answered.recv() {
                        Ok(NONE_LEFT) | Err(_) => return,
                        Ok(unit) => succeeded = work(unit as usize),
                    }
                }
            });
            let mut busy = self.size();
            let mut pause = Pause::new();
            while busy > 0 {
                let unit = if let Ok(succeeded) = asked.try_recv() {
                    let unit = take(succeeded);
                    // The thread waits for it.
                    let _ = answer.send(unit);
                    unit
                } else if let Some(status) = self.world.any_process().immediate_probe_with_tag(ASK)
                {
                    let rank = self.world.process_at_rank(status.source_rank());
                    let (succeeded, _): (u8, Status) = rank.receive_with_tag(ASK);
                    let unit = take(succeeded != 0);
                    rank.send_with_tag(&unit, ANSWER);
                    unit
                } else {
                    pause.wait();
                    continue;
                };
                pause = Pause::new();
                busy -= usize::from(unit == NONE_LEFT);
            }
        });
        fine
    }

    /// Works on units that rank 0 hands out.
    fn request(&self, work: &mut (dyn FnMut(usize) -> bool + Send)) {
        let first = self.world.process_at_rank(0);
        let mut succeeded = true;
        loop {
            first.send_with_tag(&u8::from(succeeded), ASK);
            let mut pause = Pause::new();
            while first.immediate_probe_with_tag(ANSWER).is_none() {
                pause.wait();
            }
            let (unit, _): (u64, Status) = first.receive_with_tag(ANSWER);
            if unit == NONE_LEFT {
                return;
            }
            succeeded = work(unit as usize);
        }
    }
}

/// Waiting that is short at first, and never much longer than what was waited already.
struct Pause(Instant);

impl Pause {
    fn new() -> Pause {
        Pause(Instant::now())
    }

    fn wait(&mut self) {
        let share = self.0.elapsed() / 20;
        if share < Duration::from_micros(50) {
            thread::yield_now();
        } else {
            thread::sleep(share.min(Duration::from_millis(5)));
        }
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        if thread::panicking() {
            self.abort(101);
        }
        self.meet();
    }
}

impl Collective for Mpi {
    fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    fn size(&self) -> usize {
        self.world.size() as usize
    }

    fn gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Lost> {
        if self.size() == 1 {
            return Ok(vec![bytes.to_vec()]);
        }
        self.meet();
        let mut lengths = vec![0_u64; self.size()];
        self.world.all_gather_into(&(bytes.len() as u64), &mut lengths[..]);
        let longest = lengths.iter().copied().max().unwrap_or(0) as usize;
        let step = (CALL_BYTES / self.size()).max(1);
        let mut all: Vec<Vec<u8>> =
            lengths.iter().map(|&length| Vec::with_capacity(length as usize)).collect();
        let mut received = Vec::new();
        for start in (0..longest).step_by(step) {
            let of = |length: usize| length.saturating_sub(start).min(step);
            let counts: Vec<Count> =
                lengths.iter().map(|&length| of(length as usize) as Count).collect();
            let starts = counts.iter().scan(0, |sum: &mut Count, &count| {
                *sum += count;
                Some(*sum - count)
            });
            let starts: Vec<Count> = starts.collect();
            received.resize(counts.iter().map(|&count| count as usize).sum(), 0_u8);
            let own = &bytes[start.min(bytes.len())..][..of(bytes.len())];
            let mut parts = PartitionMut::new(&mut received[..], &counts[..], &starts[..]);
            self.world.all_gather_varcount_into(own, &mut parts);
            for ((part, &start), &count) in all.iter_mut().zip(&starts).zip(&counts) {
                part.extend(&received[start as usize..][..count as usize]);
            }
        }
        Ok(all)
    }

    fn hand_out(
        &self,
        units: usize,
        work: &mut (dyn FnMut(usize) -> bool + Send),
    ) -> Result<bool, Lost> {
        if self.size() == 1 {
            return Ok((0..units).all(work));
        }
        let mut fine = true;
        match self.rank() {
            0 => fine = self.serve(units, work),
            _ => self.request(work),
        }
        Ok(!self.any(!fine)?)
    }

    fn sum(&self, values: &mut [u64]) -> Result<(), Lost> {
        self.meet();
        let own = values.to_vec();
        self.world.all_reduce_into(&own[..], values, SystemOperation::sum());
        Ok(())
    }

    fn sum_u32(&self, values: &mut [u32]) -> Result<(), Lost> {
        self.meet();
        for values in values.chunks_mut(SUM_ELEMENTS) {
            let own = values.to_vec();
            self.world.all_reduce_into(&own[..], values, SystemOperation::sum());
        }
        Ok(())
    }

    fn broadcast(&self, bytes: &mut Vec<u8>) -> Result<(), Lost> {
        self.meet();
        let first = self.world.process_at_rank(0 as Rank);
        let mut length = bytes.len() as u64;
        first.broadcast_into(&mut length);
        bytes.resize(length as usize, 0);
        for bytes in bytes.chunks_mut(CALL_BYTES) {
            first.broadcast_into(bytes);
        }
        Ok(())
    }

    fn barrier(&self) -> Result<(), Lost> {
        self.meet();
        Ok(())
    }
}
