//! Long work: one job at a time, the others in a bounded queue.
//!
//! One thread does the work. Whoever wants to know how far it is reads a [`JobView`] and waits for
//! [`Record::changes`]; whoever wants to look into a running solve asks its [`Viewer`].

use std::collections::VecDeque;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use lethe_collective::Share;
use lethe_compute::{Job, Pool, Progress};
use lethe_kit::limits::free_memory;
use lethe_kit::solution::{SolveOptions, SolveView};
use lethe_kit::spot::time_left;
use lethe_kit::sweep::{Sweep, SweepProgress};
use lethe_solver::{
    Keep, Metrics, Options, Precision, Solution, Solver, Spot, Stop, StopReason, Viewer, viewer,
};
use serde::Serialize;
use tokio::sync::watch;

use crate::error::ApiError;

/// The most jobs that wait.
const QUEUE: usize = 16;
/// The most finished jobs that are kept.
const FINISHED: usize = 32;
/// How often a waiting thread looks whether it should go on.
const PATIENCE: Duration = Duration::from_millis(20);

/// What a job does.
#[derive(Debug)]
pub(crate) enum Work {
    /// Solves a spot.
    Solve { spot: Box<Spot>, precision: Precision, stop: Stop },
    /// Solves a spot on many flops.
    Sweep { sweep: Box<Sweep>, precision: Precision },
}

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// It waits for those before it.
    Queued,
    /// It runs.
    Running,
    /// It will pause when its iteration ends.
    Pausing,
    /// It waits to be resumed.
    Paused,
    /// It ended by itself.
    Done,
    /// It was stopped; what was reached can be looked at.
    Stopped,
    /// It failed.
    Failed,
}

impl State {
    /// Whether it has ended.
    pub(crate) fn is_over(self) -> bool {
        matches!(self, State::Done | State::Stopped | State::Failed)
    }
}

/// A measurement on the way.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Point {
    seconds: f64,
    iteration: u32,
    exploitability_percent: f64,
    /// Where the value of the game to oop provably lies, in chips; without rake.
    bracket: Option<[f64; 2]>,
}

/// A job as the API shows it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct JobView {
    pub(crate) id: u64,
    pub(crate) kind: &'static str,
    pub(crate) name: String,
    pub(crate) state: State,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    /// The spot file, with its locks.
    pub(crate) spot: String,
    pub(crate) locks: Vec<String>,
    pub(crate) board: String,
    pub(crate) precision: &'static str,
    pub(crate) target_percent: Option<f64>,
    /// The bytes a solve takes.
    pub(crate) memory: u64,
    pub(crate) iteration: u32,
    pub(crate) exploitability_percent: Option<f64>,
    pub(crate) seconds: f64,
    pub(crate) seconds_left: Option<f64>,
    /// Of a sweep: finished flops, all flops, and the one being solved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sweep: Option<SweepState>,
    /// The name it was saved under.
    pub(crate) saved: Option<String>,
    pub(crate) result: Option<SolveView>,
    pub(crate) points: Vec<Point>,
}

/// How far a sweep is.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SweepState {
    pub(crate) id: String,
    pub(crate) done: usize,
    pub(crate) total: usize,
    pub(crate) flop: String,
}

/// Where the strategies of a job are.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// Nowhere yet.
    None,
    /// In a solver that another thread runs.
    Running(Viewer),
    /// In a solution.
    Solved(Arc<Solution>),
}

/// A job: what it does, how far it is, and what it found.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) id: u64,
    view: Mutex<JobView>,
    source: Mutex<Source>,
    work: Mutex<Option<Work>>,
    changes: watch::Sender<u64>,
    cancel: AtomicBool,
    pause: AtomicBool,
}

impl Progress for Record {
    fn begin(&self, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }
}

impl Record {
    /// The job as it is.
    pub(crate) fn view(&self) -> JobView {
        self.lock().clone()
    }

    /// The job without what clients know already: its first points and its spot.
    pub(crate) fn news(&self, points: usize) -> JobView {
        let view = self.lock();
        let points = view.points.get(points..).unwrap_or_default().to_vec();
        JobView { points, spot: String::new(), ..view.clone() }
    }

    /// Where its strategies are.
    pub(crate) fn source(&self) -> Source {
        self.source.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A number that grows with every change.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Asks for a pause at the end of the iteration.
    pub(crate) fn pause(&self) -> Result<(), ApiError> {
        let mut view = self.lock();
        match view.state {
            State::Running if view.kind == "solve" => view.state = State::Pausing,
            State::Pausing | State::Paused => return Ok(()),
            _ => return Err(ApiError::conflict("only a running solve can be paused")),
        }
        self.pause.store(true, Ordering::Relaxed);
        drop(view);
        self.changed();
        Ok(())
    }

    /// Goes on after a pause.
    pub(crate) fn resume(&self) -> Result<(), ApiError> {
        let mut view = self.lock();
        match view.state {
            State::Paused | State::Pausing => view.state = State::Running,
            State::Running => return Ok(()),
            _ => return Err(ApiError::conflict("only a paused solve can be resumed")),
        }
        self.pause.store(false, Ordering::Relaxed);
        drop(view);
        self.changed();
        Ok(())
    }

    /// Stops it, within a tenth of a second; one that waits never begins.
    pub(crate) fn stop(&self) {
        self.cancel.store(true, Ordering::Relaxed);
        let mut view = self.lock();
        if view.state == State::Queued {
            view.state = State::Stopped;
        }
        drop(view);
        self.changed();
    }

    /// Saves what was found, and its spot beside it.
    pub(crate) fn save(&self, dir: &Path, name: &str, job: Job<'_>) -> Result<PathBuf, ApiError> {
        let Source::Solved(solution) = self.source() else {
            return Err(ApiError::conflict("a solve is saved when it has ended; stop it first"));
        };
        let config = solution.spot().tree().game().spot_config();
        let config =
            config.ok_or_else(|| ApiError::internal("the betting is not that of a spot"))?;
        std::fs::create_dir_all(dir).map_err(ApiError::internal)?;
        let path = dir.join(name).with_extension("lethe");
        solution.save(&path, &config, Keep::Everything, job).map_err(ApiError::internal)?;
        let text = self.lock().spot.clone();
        lethe_files::write(&path.with_extension("yaml"), |out| out.write_all(text.as_bytes()))
            .map_err(ApiError::internal)?;
        self.lock().saved = Some(name.to_owned());
        self.changed();
        Ok(path)
    }

    fn lock(&self) -> MutexGuard<'_, JobView> {
        self.view.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_source(&self, source: Source) {
        *self.source.lock().unwrap_or_else(PoisonError::into_inner) = source;
    }

    fn changed(&self) {
        self.changes.send_modify(|number| *number += 1);
    }

    fn set_state(&self, state: State) {
        self.lock().state = state;
        self.changed();
    }

    fn fail(&self, message: impl ToString) {
        let mut view = self.lock();
        (view.state, view.error) = (State::Failed, Some(message.to_string()));
        drop(view);
        self.changed();
    }

    /// Notes how far a solve is; `before` is the time of earlier runs.
    fn note(&self, solver: &Solver, metrics: &Metrics, before: Duration, stop: &Stop) {
        let mut view = self.lock();
        let percent = |chips: f64| 100.0 * chips.max(0.0) / metrics.pot;
        view.iteration = metrics.iteration;
        view.exploitability_percent = metrics.exploitability.map(percent);
        view.seconds = (before + metrics.elapsed).as_secs_f64();
        view.seconds_left = time_left(metrics, stop).map(|left| left.as_secs_f64());
        if let (true, Some(chips)) = (metrics.checked, metrics.exploitability) {
            let point = Point {
                seconds: view.seconds,
                iteration: metrics.iteration,
                exploitability_percent: percent(chips),
                bracket: solver.bracket(),
            };
            view.points.push(point);
        }
        drop(view);
        self.changed();
    }

    fn run(&self, work: Work, pool: &Pool) {
        match work {
            Work::Solve { spot, precision, stop } => self.solve(*spot, precision, stop, pool),
            Work::Sweep { sweep, precision } => self.sweep(&sweep, precision, pool),
        }
    }

    fn solve(&self, spot: Spot, precision: Precision, stop: Stop, pool: &Pool) {
        let job = Job::new(pool).watched_by(self).silent();
        let begun = Instant::now();
        let mut solver = match Solver::new(spot, options(precision), job) {
            Ok(solver) => solver,
            Err(_) if self.cancelled() => return self.set_state(State::Stopped),
            Err(error) => return self.fail(error),
        };
        let (viewer, requests) = viewer();
        self.set_source(Source::Running(viewer));
        let mut spent = begun.elapsed();
        let reason = loop {
            let left = stop.time.map(|time| time.saturating_sub(spent));
            let stop = Stop { time: left, ..stop };
            let report = solver.watch(&stop, job, &mut |solver, metrics| {
                self.note(solver, metrics, spent, &stop);
                requests.answer(solver);
                match self.pause.load(Ordering::Relaxed) {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            });
            spent += report.elapsed;
            if report.reason != StopReason::Paused {
                break report.reason;
            }
            if self.pause.load(Ordering::Relaxed) {
                self.set_state(State::Paused);
            }
            while self.pause.load(Ordering::Relaxed) && !self.cancelled() {
                requests.answer_next(&solver, PATIENCE);
            }
            if self.cancelled() {
                break StopReason::Cancelled;
            }
        };
        let solution = Arc::new(solver.into_solution());
        let result = SolveView::of(&solution);
        self.set_source(Source::Solved(solution));
        // Those who asked a solver that is gone ask the solution.
        drop(requests);
        let mut view = self.lock();
        view.state = match reason {
            StopReason::Cancelled | StopReason::Paused => State::Stopped,
            _ => State::Done,
        };
        view.iteration = result.iterations;
        view.seconds = spent.as_secs_f64();
        view.seconds_left = None;
        if let Some(percent) = result.values.exploitability_percent {
            view.exploitability_percent = Some(percent);
        }
        view.result = Some(SolveView { seconds: spent.as_secs_f64(), ..result });
        drop(view);
        self.changed();
    }

    fn sweep(&self, sweep: &Sweep, precision: Precision, pool: &Pool) {
        let job = Job::new(pool).watched_by(self).silent();
        let how = SolveOptions { options: options(precision), ..SolveOptions::default() };
        let begun = Instant::now();
        let mut first = None;
        let ended = sweep.run(&how, Share::alone(), job, &mut |now: SweepProgress| {
            let first = *first.get_or_insert(now.done);
            let mut view = self.lock();
            view.seconds = begun.elapsed().as_secs_f64();
            view.iteration = now.metrics.map_or(0, |metrics| metrics.iteration);
            view.seconds_left = (now.done > first)
                .then(|| view.seconds * (now.total - now.done) as f64 / (now.done - first) as f64);
            if let Some(state) = &mut view.sweep {
                (state.done, state.total) = (now.done, now.total);
                state.flop = now.flop.to_string();
            }
            drop(view);
            self.changed();
        });
        match ended {
            Ok(()) => {
                let mut view = self.lock();
                view.state = State::Done;
                view.seconds_left = None;
                if let Some(state) = &mut view.sweep {
                    (state.done, state.flop) = (state.total, String::new());
                }
                drop(view);
                self.changed();
            }
            Err(error) if error.is_cancelled() => self.set_state(State::Stopped),
            Err(error) => self.fail(error),
        }
    }
}

/// The options of a solve in the memory that is free now.
pub(crate) fn options(precision: Precision) -> Options {
    Options { precision, memory_limit: free_memory(), ..Options::default() }
}

/// All jobs of a server, and the thread that does them.
#[derive(Debug)]
pub(crate) struct Jobs {
    shared: Arc<Shared>,
    worker: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<Queue>,
    wake: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    last: u64,
    /// All jobs that are known, in the order they were made.
    all: Vec<Arc<Record>>,
    /// Those that wait.
    waiting: VecDeque<Arc<Record>>,
    over: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, pool: &Pool) {
        loop {
            let mut queue = self.lock();
            while queue.waiting.is_empty() && !queue.over {
                queue = self.wake.wait(queue).unwrap_or_else(PoisonError::into_inner);
            }
            let Some(record) = queue.waiting.pop_front().filter(|_| !queue.over) else { return };
            drop(queue);
            let work = record.work.lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some(work) = work.filter(|_| !record.cancelled()) else { continue };
            record.set_state(State::Running);
            // A bug in one job must not end all others.
            let run = std::panic::AssertUnwindSafe(|| record.run(work, pool));
            if std::panic::catch_unwind(run).is_err() {
                record.fail("an internal error; please report it with the spot");
            }
        }
    }
}

impl Jobs {
    /// No jobs yet; they will run on `pool`.
    pub(crate) fn new(pool: Arc<Pool>) -> std::io::Result<Jobs> {
        let shared = Arc::new(Shared::default());
        let of_worker = shared.clone();
        let worker = std::thread::Builder::new().name("jobs".to_owned());
        let worker = worker.spawn(move || of_worker.work(&pool))?;
        Ok(Jobs { shared, worker: Mutex::new(Some(worker)) })
    }

    /// Adds a job to the queue.
    pub(crate) fn add(&self, mut view: JobView, work: Work) -> Result<Arc<Record>, ApiError> {
        let mut queue = self.shared.lock();
        if queue.waiting.len() >= QUEUE || queue.over {
            let message = format_args!("{QUEUE} jobs are waiting; stop one or try later");
            return Err(ApiError::new(axum::http::StatusCode::TOO_MANY_REQUESTS, message));
        }
        queue.last += 1;
        view.id = queue.last;
        let record = Arc::new(Record {
            id: queue.last,
            view: Mutex::new(view),
            source: Mutex::new(Source::None),
            work: Mutex::new(Some(work)),
            changes: watch::Sender::new(0),
            cancel: AtomicBool::new(false),
            pause: AtomicBool::new(false),
        });
        let over = |record: &Arc<Record>| record.lock().state.is_over();
        if queue.all.iter().filter(|record| over(record)).count() > FINISHED
            && let Some(place) = queue.all.iter().position(over)
        {
            queue.all.remove(place);
        }
        queue.all.push(record.clone());
        queue.waiting.push_back(record.clone());
        self.shared.wake.notify_one();
        Ok(record)
    }

    /// All jobs, in the order they were made.
    pub(crate) fn all(&self) -> Vec<Arc<Record>> {
        self.shared.lock().all.clone()
    }

    /// The job with this number.
    pub(crate) fn get(&self, id: &str) -> Result<Arc<Record>, ApiError> {
        let number: Option<u64> = id.parse().ok();
        let queue = self.shared.lock();
        let found = queue.all.iter().find(|record| Some(record.id) == number);
        found.cloned().ok_or_else(|| ApiError::missing("job", id))
    }

    /// Forgets a job that is over, and with it the memory of what it found.
    pub(crate) fn forget(&self, id: &str) -> Result<(), ApiError> {
        let record = self.get(id)?;
        if !record.lock().state.is_over() {
            return Err(ApiError::conflict("stop the job before it is removed"));
        }
        self.shared.lock().all.retain(|other| other.id != record.id);
        Ok(())
    }

    /// Stops everything and saves what was reached and not saved, as far as that takes less than
    /// `patience`. A file that is not finished by then is not there.
    pub(crate) fn shut_down(&self, dir: &Path, patience: Duration) -> Vec<PathBuf> {
        let begun = Instant::now();
        let mut queue = self.shared.lock();
        queue.over = true;
        queue.waiting.clear();
        let all = queue.all.clone();
        drop(queue);
        all.iter().for_each(|record| record.stop());
        self.shared.wake.notify_all();
        let worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner).take();
        while worker.as_ref().is_some_and(|worker| !worker.is_finished()) {
            if begun.elapsed() > patience {
                return Vec::new();
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let dir = dir.to_owned();
        let (sender, saved) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for record in all {
                let view = record.view();
                if view.saved.is_none() && view.exploitability_percent.is_some() {
                    let name = unused_name(&dir, &view.name);
                    if let Ok(path) = record.save(&dir, &name, Job::default()) {
                        let _ = sender.send(path);
                    }
                }
            }
        });
        let mut paths = Vec::new();
        while let Some(left) = patience.checked_sub(begun.elapsed()) {
            match saved.recv_timeout(left) {
                Ok(path) => paths.push(path),
                Err(_) => break,
            }
        }
        paths
    }
}

/// A name for a solution that is not taken: letters, digits, `-` and `_` of a wish, and a number.
pub(crate) fn unused_name(dir: &Path, wish: &str) -> String {
    let kept = wish.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
    let name: String = kept.collect::<String>().trim_matches('-').chars().take(40).collect();
    let name = if name.is_empty() { "solve".to_owned() } else { name };
    let free = |name: &String| !dir.join(name).with_extension("lethe").exists();
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    std::iter::once(name.clone()).chain(numbered).find(free).unwrap_or(name)
}
