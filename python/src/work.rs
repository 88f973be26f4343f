//! Long work: on threads of its own, with the interpreter free, progress reported and Ctrl-C obeyed.
//!
//! Each call has its own threads, so that nothing is shared with a process that was forked.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use lethe_compute::{Job, Pool, Progress};
use pyo3::prelude::*;
use serde_json::Value;

use crate::errors::Failure;
use crate::json;

/// How often signals are looked at and progress is reported.
const POLL: Duration = Duration::from_millis(20);

/// How long vectorized calls work between two looks at signals, in items.
const ITEMS: usize = 1 << 18;

/// How a call is to be done.
#[derive(Debug, Default)]
pub(crate) struct How {
    /// The number of threads; `None` for one per core.
    pub(crate) threads: Option<usize>,
    /// Called with the phase, the units done and in all, and figures, from the calling thread.
    pub(crate) progress: Option<Py<PyAny>>,
}

/// What is known of the work as it goes on.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    phase: Mutex<(String, u64)>,
    done: AtomicU64,
    figures: Mutex<Option<Value>>,
    cancelled: AtomicBool,
}

impl Watch {
    /// Reports a phase whose units are counted from outside, and some figures.
    pub(crate) fn set(&self, phase: &str, done: u64, units: u64, figures: Value) {
        *lock(&self.phase) = (phase.to_owned(), units);
        self.done.store(done, Ordering::Relaxed);
        *lock(&self.figures) = Some(figures);
    }

    /// Asks the work to stop.
    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

impl Progress for Watch {
    fn begin(&self, phase: &str, units: u64) {
        *lock(&self.phase) = (phase.to_owned(), units);
        self.done.store(0, Ordering::Relaxed);
        *lock(&self.figures) = None;
    }

    fn advance(&self, units: u64) {
        self.done.fetch_add(units, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reports progress where something changed.
struct Reporter {
    progress: Option<Py<PyAny>>,
    last: (String, u64),
}

impl Reporter {
    fn report(&mut self, py: Python<'_>, watch: &Watch) -> PyResult<()> {
        let Some(progress) = &self.progress else { return Ok(()) };
        let (phase, units) = lock(&watch.phase).clone();
        let done = watch.done.load(Ordering::Relaxed);
        let now = (phase, done);
        if now.0.is_empty() || now == self.last {
            return Ok(());
        }
        let figures =
            lock(&watch.figures).clone().unwrap_or_else(|| Value::Object(Default::default()));
        progress.call1(py, (&now.0, done, units, json::to_python(py, &figures)?))?;
        self.last = now;
        Ok(())
    }
}

/// Does long work.
///
/// An exception from a signal or from the progress function cancels the work and is what is raised.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    how: How,
    work: impl FnOnce(Job<'_>, &Watch) -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    let How { threads, progress } = how;
    let mut reporter = Reporter { progress, last: Default::default() };
    py.detach(|| {
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        let pool = Pool::new(threads.unwrap_or_else(cores))?;
        let watch = Watch::default();
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel::<()>();
            let (pool, watch) = (&pool, &watch);
            let worker =
                thread::Builder::new().name("lethe".to_owned()).spawn_scoped(scope, move || {
                    let job = Job::new(pool).watched_by(watch);
                    let result = catch_unwind(AssertUnwindSafe(|| work(job, watch)));
                    drop(sender);
                    result
                });
            let worker = worker.map_err(|error| Failure::Failed(error.to_string()))?;
            let mut raised = None;
            while let Err(mpsc::RecvTimeoutError::Timeout) = receiver.recv_timeout(POLL) {
                if raised.is_none() {
                    raised = Python::attach(|py| {
                        py.check_signals().and_then(|()| reporter.report(py, watch))
                    })
                    .err();
                    if raised.is_some() {
                        watch.cancel();
                    }
                }
            }
            let result =
                worker.join().unwrap_or_else(Err).unwrap_or_else(|panic| Err(panicked(&*panic)));
            if let Some(raised) = raised {
                return Err(raised.into());
            }
            if result.is_ok() {
                Python::attach(|py| reporter.report(py, watch))?;
            }
            result
        })
    })
}

/// What is said of a bug.
pub(crate) fn panicked(panic: &(dyn std::any::Any + Send)) -> Failure {
    let message = panic.downcast_ref::<String>().map(String::as_str);
    let message = message.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown");
    Failure::Failed(format!("internal error, please report it: {message}"))
}

/// Does vectorized work on the calling thread, `items` at a time with the interpreter free.
pub(crate) fn each_part(
    py: Python<'_>,
    items: usize,
    mut work: impl FnMut(std::ops::Range<usize>) -> Result<(), Failure> + Send,
) -> Result<(), Failure> {
    let mut first = 0;
    while first < items {
        let part = first..items.min(first + ITEMS);
        let done = py.detach(|| catch_unwind(AssertUnwindSafe(|| work(part.clone()))));
        done.unwrap_or_else(|panic| Err(panicked(&*panic)))?;
        py.check_signals()?;
        first = part.end;
    }
    Ok(())
}

/// Does something short with the interpreter free; a panic is an error.
pub(crate) fn short<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    let done = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    done.unwrap_or_else(|panic| Err(panicked(&*panic)))
}
