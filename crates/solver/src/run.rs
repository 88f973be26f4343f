//! A run of a solver: iterations, checks of the exploitability, and when to stop.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lethe_compute::{Cancelled, Job};
use serde::{Deserialize, Serialize};

use crate::cells::Precision;
use crate::pace::Pace;
use crate::profile::Measured;
use crate::solver::{Best, Evaluation, Solver};
use crate::update::Rule;

/// When a run ends: at whichever comes first. Without any, it runs until it is paused or cancelled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// The exploitability to reach, as a fraction of the pot: 0.001 is 0.1 %.
    pub target: Option<f64>,
    /// The number of iterations, those of earlier runs included.
    pub iterations: Option<u32>,
    /// The time of the run, to within an iteration. One is begun only if it and the evaluation should
    /// end in time, as far as their durations can be foreseen; the first one of a solver always is.
    /// The evaluation is left out where it would end more than an iteration late.
    pub time: Option<Duration>,
    /// Whether strategies are measured: on the way, and at the end for the report. If not, only the
    /// checks are made that a target needs, and all time goes to iterations.
    pub evaluate: bool,
}

impl Default for Stop {
    /// No limit, with an evaluation.
    fn default() -> Stop {
        Stop { target: None, iterations: None, time: None, evaluate: true }
    }
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StopReason {
    /// The exploitability is at most the target.
    Target,
    /// All iterations are done.
    Iterations,
    /// The time is up.
    Time,
    /// The exploitability no longer falls, so the target is out of reach: bucketed players cannot
    /// get below what their buckets cost, nor rounded numbers below their rounding.
    Plateau,
    /// The watcher of the run asked for it, between two iterations.
    Paused,
    /// The job was cancelled.
    Cancelled,
}

/// How far a run is, reported after every iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metrics {
    /// Iterations done.
    pub iteration: u32,
    /// The exploitability in chips at the last check, if there was one.
    pub exploitability: Option<f64>,
    /// Whether that check was made after this iteration.
    pub checked: bool,
    /// The time since the run began.
    pub elapsed: Duration,
    /// The pot at the start in chips, which targets are fractions of.
    pub pot: f64,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// The value of the profile that the solver now holds; `None` if the run was not to evaluate it,
    /// had no time for it, or was paused or cancelled before.
    pub evaluation: Option<Evaluation>,
    /// The exploitability of that profile in chips. Known without an evaluation if the profile is
    /// one that was checked during the run.
    pub exploitability: Option<f64>,
    /// Iterations done.
    pub iterations: u32,
    /// The time the run took, the evaluation included.
    pub elapsed: Duration,
    /// Why it ended.
    pub reason: StopReason,
}

impl Solver {
    /// Iterates until one of the limits is reached or the job is cancelled, and then measures the
    /// best profile found. `on_metrics` is called after every iteration.
    ///
    /// A solver can be run again, and continues where it was: the strategies after two runs are those
    /// of a single one, to the bit, unless the first was cancelled.
    ///
    /// Cancelling takes effect inside an iteration, whose partial updates are described at
    /// [`Solver::iterate`], and inside a measurement. Nothing is measured after it: the solver then
    /// holds the best profile checked during the run, or the last one if there was no check, and the
    /// report contains what was known about it.
    pub fn run(
        &mut self,
        stop: &Stop,
        job: Job<'_>,
        on_metrics: &mut dyn FnMut(&Metrics),
    ) -> Report {
        self.watch(stop, job, &mut |_, metrics| {
            on_metrics(metrics);
            ControlFlow::Continue(())
        })
    }

    /// Runs as [`Solver::run`], under a watcher that is called after every iteration: it may look at
    /// the strategies as they are ([`Solver::root`], [`Solver::walk`], [`Solver::snapshot`]), and
    /// pauses the run by `Break`.
    ///
    /// A paused run ends between two iterations and measures nothing. To let other threads look, see
    /// [`crate::Viewer`].
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use lethe_compute::Job;
    /// use lethe_solver::{Options, Solver, Stop, StopReason};
    /// # use std::sync::Arc;
    /// # use lethe_game::{Game, Sizes, SpotConfig, Tree};
    /// # let mut config = SpotConfig::new(100, 100);
    /// # config.bet_sizes.river.oop.bet = Sizes::parse_bets("a")?;
    /// # let board: lethe_cards::Board = "2s3h4d6c7c".parse()?;
    /// # let tree = Tree::build(Game::spot(&config, board.street())?, Tree::NODE_LIMIT)?;
    /// # let ranges = ["AsAh,QsQh".parse()?, "KsKh".parse()?];
    /// # let spot = lethe_solver::Spot::new(board, ranges, Arc::new(tree))?;
    /// let job = Job::default();
    /// let mut solver = Solver::new(spot, Options::default(), job)?;
    /// let stop = Stop { target: Some(1e-4), ..Stop::default() };
    ///
    /// // How often the bet is called, iteration by iteration; a pause after the fifth.
    /// let mut calls = Vec::new();
    /// let report = solver.watch(&stop, job, &mut |solver, metrics| {
    ///     let called = solver.walk("b100").expect("a line of the tree");
    ///     calls.push(called.frequencies().expect("a decision")[1]);
    ///     if metrics.iteration < 5 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    /// });
    /// assert_eq!((report.reason, calls.len()), (StopReason::Paused, 5));
    ///
    /// // The second run continues.
    /// let report = solver.run(&stop, job, &mut |_| ());
    /// assert_eq!(report.reason, StopReason::Target);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn watch(
        &mut self,
        stop: &Stop,
        job: Job<'_>,
        watcher: &mut dyn FnMut(&Solver, &Metrics) -> ControlFlow<()>,
    ) -> Report {
        let began = Instant::now();
        self.watch_by(&|| began.elapsed(), stop, job, watcher)
    }

    /// Runs by a clock that says how much time has passed.
    pub(crate) fn watch_by(
        &mut self,
        clock: &dyn Fn() -> Duration,
        stop: &Stop,
        job: Job<'_>,
        watcher: &mut dyn FnMut(&Solver, &Metrics) -> ControlFlow<()>,
    ) -> Report {
        job.begin("solve", stop.iterations.map_or(0, u64::from));
        let mut pace = Pace::new(stop);
        let reason = self.iterate_until(clock, &mut pace, stop, job, watcher);
        let measures = stop.evaluate && pace.allows_evaluation(clock());
        let measured = match reason {
            Ok(reason) if measures && reason != StopReason::Paused => self.measure(job).map(Some),
            Ok(_) => Ok(None),
            Err(Cancelled) => Err(Cancelled),
        };
        let (evaluation, exploitability) = match measured {
            Ok(Some(Measured { evaluation, values })) => {
                self.values = Some(Arc::new(values));
                (Some(evaluation), Some(evaluation.exploitability))
            }
            Ok(None) => (None, self.check_now().map(|check| check.exploitability)),
            Err(Cancelled) => (None, self.fall_back()),
        };
        // The profile in use may be another now.
        self.street.clear();
        let reason = reason.unwrap_or(StopReason::Cancelled);
        let (iterations, elapsed) = (self.iteration, clock());
        let report = Report { evaluation, exploitability, iterations, elapsed, reason };
        self.report = Some(report);
        report
    }

    fn iterate_until(
        &mut self,
        clock: &dyn Fn() -> Duration,
        pace: &mut Pace,
        stop: &Stop,
        job: Job<'_>,
        watcher: &mut dyn FnMut(&Solver, &Metrics) -> ControlFlow<()>,
    ) -> Result<StopReason, Cancelled> {
        let pot = self.spot.pot();
        let target = stop.target.map(|target| target * pot);
        let checks = stop.evaluate || target.is_some();
        let is_exact =
            self.tables.iter().all(Option::is_none) && self.options.precision == Precision::F32;
        // A solve that falls steadily ends with its best profile when it reaches its target: a copy
        // would be memory for nothing. One that swings, or ends at some iteration or time, may not.
        let is_steady = is_exact && matches!(self.options.rule, Rule::Discounted { .. });
        let keeps = self.options.keep_best && !(is_steady && target.is_some());
        loop {
            let iteration = self.iteration;
            if let Some(check) = self.check_now() {
                if target.is_some_and(|target| check.exploitability <= target) {
                    return Ok(StopReason::Target);
                }
                if target.is_some() && self.checks.is_plateau(iteration, is_exact) {
                    return Ok(StopReason::Plateau);
                }
            }
            if stop.iterations.is_some_and(|n| iteration >= n) {
                return Ok(StopReason::Iterations);
            }
            if iteration > 0 && !pace.allows_iteration(clock()) {
                return Ok(StopReason::Time);
            }
            let began = clock();
            // The profile that was checked last is kept before it changes.
            if keeps {
                self.keep(job);
            }
            pace.kept = self.best.is_some();
            pace.add_to_check(clock().saturating_sub(began));
            let began = clock();
            self.iterate(job)?;
            pace.note_iteration(clock().saturating_sub(began));
            job.advance(1);
            let iteration = self.iteration;
            let is_last = stop.iterations.is_some_and(|n| iteration >= n);
            let due = self.checks.is_due(iteration);
            let checked = checks && (due || is_last) && pace.allows_check(clock());
            if checked {
                let began = clock();
                let profile = self.profile(job);
                let best = profile.best_responses()?;
                let exploitability = profile.exploitability(&best)?;
                pace.note_check(clock().saturating_sub(began));
                if due {
                    self.checks.note(iteration, exploitability, target);
                }
                self.checked = Some(Check { iteration, exploitability, best, due });
            }
            let exploitability = self.checked.as_ref().map(|check| check.exploitability);
            let metrics = Metrics { iteration, exploitability, checked, elapsed: clock(), pot };
            if watcher(self, &metrics).is_break() {
                return Ok(StopReason::Paused);
            }
        }
    }

    /// The interval that provably holds the value of the game to `Oop`, as the last check of a run
    /// found it; `None` without a check, or with rake.
    pub fn bracket(&self) -> Option<[f64; 2]> {
        let check = self.checked.as_ref().filter(|_| self.spot.is_rake_free())?;
        let [oop, ip] = self.profile(Job::default()).means(&check.best);
        Some([self.spot.pot() - ip, oop])
    }

    /// The check of the profile as it is, if there was one.
    pub(crate) fn check_now(&self) -> Option<&Check> {
        self.checked.as_ref().filter(|check| check.iteration == self.iteration)
    }

    /// Takes the better of the profile kept and the current one, and evaluates it.
    fn measure(&mut self, job: Job<'_>) -> Result<Measured, Cancelled> {
        if let Some(best) = &mut self.best {
            best.in_use = false;
        }
        // The last iterations are checked now if they were not.
        let best_responses = match self.check_now() {
            Some(check) => check.best.clone(),
            None => self.profile(job).best_responses()?,
        };
        if let Some(kept) = self.best.as_ref().map(|best| best.exploitability) {
            let now = match self.check_now() {
                Some(check) => check.exploitability,
                None => self.profile(job).exploitability(&best_responses)?,
            };
            if kept < now {
                self.use_best();
                let profile = self.profile(job);
                return profile.evaluation(profile.best_responses()?);
            }
        }
        self.profile(job).evaluation(best_responses)
    }

    /// After a cancelled run: takes the profile kept, if there is one, and returns what is known
    /// about the exploitability.
    fn fall_back(&mut self) -> Option<f64> {
        let current = self.check_now().map(|check| check.exploitability);
        let kept = self.best.as_ref().map(|best| best.exploitability);
        match (kept, current) {
            (Some(kept), Some(current)) if current <= kept => Some(current),
            (Some(kept), _) => {
                self.use_best();
                Some(kept)
            }
            (None, current) => current,
        }
    }

    fn use_best(&mut self) {
        if let Some(best) = &mut self.best {
            best.in_use = true;
        }
    }

    /// Keeps the current profile if it was checked in its turn and is the best so far.
    ///
    /// A check that was made only because a run ended decides nothing, so that a solve takes the same
    /// course in one run or several.
    fn keep(&mut self, job: Job<'_>) {
        let Some(check) = self.check_now().filter(|check| check.due) else { return };
        let exploitability = check.exploitability;
        let better = |best: &Best| best.exploitability <= exploitability;
        if self.best.as_ref().is_some_and(better) {
            return;
        }
        let old = self.best.take().map(|best| best.data);
        let (engine, data) = (&self.engine, &self.data);
        let data = job.install(|| data.snapshot(&engine.root, &engine.levels, old));
        let averages = self.tables.each_ref().map(|t| t.as_ref().map(|t| t.average.clone()));
        self.best = Some(Best { exploitability, data, averages, in_use: false });
    }
}

/// A measurement of the profile after an iteration.
pub(crate) struct Check {
    pub(crate) iteration: u32,
    pub(crate) exploitability: f64,
    /// The values at the root of the best responses.
    pub(crate) best: [Vec<f32>; 2],
    /// Whether it was made because it was due, not because the run ended.
    pub(crate) due: bool,
}
