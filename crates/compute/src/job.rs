//! `Job`: the threads and the progress that a computation is given.

use std::fmt;
use std::num::NonZero;
use std::sync::OnceLock;
use std::thread::available_parallelism;

use crate::progress::{Cancelled, NoProgress, Progress};

/// A pool of worker threads.
///
/// Results never depend on the number of threads.
pub struct Pool(rayon::ThreadPool);

impl Pool {
    /// A pool of `threads` threads, at least one.
    pub fn new(threads: usize) -> Result<Pool, PoolError> {
        let threads = threads.max(1);
        match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
            Ok(pool) => Ok(Pool(pool)),
            Err(source) => Err(PoolError { threads, source }),
        }
    }

    /// The process-wide pool, one thread per core, started on first use.
    ///
    /// # Panics
    /// If the system refuses to start a thread.
    pub fn global() -> &'static Pool {
        static GLOBAL: OnceLock<Pool> = OnceLock::new();
        GLOBAL.get_or_init(|| Pool::new(cores()).expect("the system can start threads"))
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.0.current_num_threads()
    }

    /// Runs `work` inside the pool, where rayon's parallel iterators use its threads.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.0.install(work)
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pool({} threads)", self.threads())
    }
}

/// The cores this process may use.
fn cores() -> usize {
    available_parallelism().map_or(1, NonZero::get)
}

/// The system would not start the threads.
#[derive(Debug, thiserror::Error)]
#[error("cannot start {threads} threads; ask for fewer")]
pub struct PoolError {
    threads: usize,
    source: rayon::ThreadPoolBuildError,
}

/// What a long computation is given: the threads to run on, and whom to report progress to.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    pool: &'a Pool,
    progress: &'a dyn Progress,
    reports: bool,
}

impl<'a> Job<'a> {
    /// A job on `pool` that reports no progress and is never cancelled.
    pub fn new(pool: &'a Pool) -> Job<'a> {
        Job { pool, progress: &NoProgress, reports: true }
    }

    /// The same job, reporting to `progress`.
    pub fn watched_by(self, progress: &'a dyn Progress) -> Job<'a> {
        Job { progress, ..self }
    }

    /// The same job, cancelled with this one but without reporting progress: for work inside a
    /// phase of its own.
    pub fn silent(self) -> Job<'a> {
        Job { reports: false, ..self }
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.pool.threads()
    }

    /// Runs `work` on the job's threads.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.pool.install(work)
    }

    /// Runs `work` once on each of the job's threads.
    pub fn broadcast<T: Send>(&self, work: impl Fn() -> T + Sync) -> Vec<T> {
        self.pool.0.broadcast(|_| work())
    }

    /// A phase of `units` units begins.
    pub fn begin(&self, phase: &str, units: u64) {
        if self.reports {
            self.progress.begin(phase, units);
        }
    }

    /// `units` more units are done.
    pub fn advance(&self, units: u64) {
        if self.reports {
            self.progress.advance(units);
        }
    }

    /// Whether the computation should stop.
    pub fn cancelled(&self) -> bool {
        self.progress.cancelled()
    }

    /// An error if the computation should stop.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.cancelled() { Err(Cancelled) } else { Ok(()) }
    }
}

impl Default for Job<'static> {
    /// A job on the process-wide pool that reports no progress.
    fn default() -> Job<'static> {
        Job::new(Pool::global())
    }
}

impl fmt::Debug for Job<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Job({} threads)", self.threads())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    struct Flag(AtomicBool);

    impl Progress for Flag {
        fn begin(&self, _: &str, _: u64) {}
        fn advance(&self, _: u64) {}
        fn cancelled(&self) -> bool {
            self.0.load(Ordering::Relaxed)
        }
    }

    #[test]
    fn a_job_runs_on_the_threads_it_was_given() {
        let pool = Pool::new(3).unwrap();
        let job = Job::new(&pool);
        assert_eq!(job.install(rayon::current_num_threads), 3);
        assert_eq!(Pool::new(0).unwrap().threads(), 1);
    }

    #[test]
    fn a_cancelled_job_fails_its_checks() {
        let flag = Flag(AtomicBool::new(false));
        let job = Job::default().watched_by(&flag);
        assert_eq!(job.check(), Ok(()));
        flag.0.store(true, Ordering::Relaxed);
        assert_eq!(job.check(), Err(Cancelled));
    }
}
