//! `Solver`: iterations, checks of the exploitability, and when to stop.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lethe_cards::{Deck, Street};
use lethe_compute::{Cancelled, Job};
use lethe_game::Player;
use lethe_rows::{BucketOutOfRange, Buckets};
use serde::{Deserialize, Serialize};

use crate::boards::{BoardNode, SuitClasses};
use crate::bucketed::{BucketTables, Gains};
use crate::cells::{BoardData, Precision};
use crate::engine::{Data, Engine, TraverserMode, Walk};
use crate::plan::{self, Level};
use crate::profile::{Averages, Profile, root_row};
use crate::query::Solution;
use crate::spot::Spot;
use crate::update::Rule;

/// How a spot is solved.
#[derive(Clone)]
pub struct Options {
    /// The variant of CFR.
    pub rule: Rule,
    /// How regrets and strategy sums are stored.
    pub precision: Precision,
    /// Whether runouts that differ only in the names of suits are solved once. It changes no result
    /// and is used only where both ranges and all locks allow it.
    pub symmetry: bool,
    /// The card abstraction of each player, `Oop` first; `None` plays every hand by itself.
    pub buckets: [Option<Arc<dyn Buckets>>; 2],
    /// The most bytes a solve may take; `None` for no limit.
    pub memory_limit: Option<u64>,
    /// Whether the best checked profile is kept beside the current one, so that a run that ends
    /// without reaching its target returns it. Takes a quarter more memory.
    pub keep_best: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            rule: Rule::default(),
            precision: Precision::F32,
            symmetry: true,
            buckets: [None, None],
            memory_limit: None,
            keep_best: true,
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("rule", &self.rule)
            .field("precision", &self.precision)
            .field("symmetry", &self.symmetry)
            .field("bucketed", &self.buckets.each_ref().map(Option::is_some))
            .field("memory_limit", &self.memory_limit)
            .field("keep_best", &self.keep_best)
            .finish()
    }
}

/// When a run ends: at whichever comes first. Without any, it runs until it is cancelled.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stop {
    /// The exploitability to reach, as a fraction of the pot: 0.001 is 0.1 %.
    pub target: Option<f64>,
    /// The number of iterations.
    pub iterations: Option<u32>,
    /// The time.
    pub time: Option<Duration>,
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
    /// The caller asked for it.
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

/// The value of a pair of strategies and what each player could win by deviating, in chips.
///
/// Values are shares of the pot at the start: without rake the two players' sum to it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Each player's expected value, `Oop` first.
    pub ev: [f64; 2],
    /// Each player's equity: the share of the pot if all cards were dealt and shown at once.
    pub equity: [f64; 2],
    /// What each player's best response to the other wins.
    pub best_response: [f64; 2],
    /// `((BR_oop - EV_oop) + (BR_ip - EV_ip)) / 2`.
    pub exploitability: f64,
    /// Without rake, the interval that provably holds the value of the game to `Oop`:
    /// `[pot - BR_ip, BR_oop]`.
    pub bracket: Option<[f64; 2]>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// The value of the profile that the solver now holds; `None` if the job was cancelled before
    /// it was measured.
    pub evaluation: Option<Evaluation>,
    /// The exploitability of that profile in chips. Known without an evaluation if the profile is
    /// one that was checked during the run.
    pub exploitability: Option<f64>,
    /// Iterations done.
    pub iterations: u32,
    /// The time the run took.
    pub elapsed: Duration,
    /// Why it ended.
    pub reason: StopReason,
}

/// The bytes a solve takes, known before they are allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// Regrets and strategy sums.
    pub cells: u64,
    /// The kept copy of the best profile.
    pub best: u64,
    /// Boards, hand orders and scratch memory: an estimate.
    pub boards: u64,
}

impl Memory {
    /// All of it.
    pub fn total(&self) -> u64 {
        self.cells + self.best + self.boards
    }
}

/// A spot being solved.
pub struct Solver {
    spot: Spot,
    pub(crate) engine: Arc<Engine>,
    pub(crate) data: BoardData,
    pub(crate) tables: [Option<BucketTables>; 2],
    gains: [Vec<Gains>; 2],
    options: Options,
    pub(crate) iteration: u32,
    /// The hands' weights as rows of the first board.
    pub(crate) reach: [Vec<f32>; 2],
    report: Option<Report>,
    best: Option<Best>,
}

/// The best profile checked so far: the strategy of every decision in 16 bits.
struct Best {
    exploitability: f64,
    data: BoardData,
    averages: [Averages; 2],
    /// Whether it is better than the profile reached last.
    in_use: bool,
}

impl fmt::Debug for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Solver")
            .field("board", &self.spot.board())
            .field("iteration", &self.iteration)
            .finish_non_exhaustive()
    }
}

/// The levels and suits of a spot, from which its size follows.
fn shape(spot: &Spot, options: &Options) -> (Vec<Level>, SuitClasses) {
    let hands = Player::BOTH.map(|p| spot.weights(p).iter().filter(|&&w| w > 0.0).count());
    let levels = plan::levels(spot.tree(), spot.start(), hands[0].max(hands[1]));
    let buckets = options.buckets.iter().flatten();
    let suits = if options.symmetry && buckets.into_iter().all(|b| b.is_suit_invariant()) {
        SuitClasses::of(spot)
    } else {
        SuitClasses::NONE
    };
    (levels, suits)
}

impl Solver {
    /// The memory a solve of this spot will take.
    pub fn memory(spot: &Spot, options: &Options) -> Memory {
        let (levels, suits) = shape(spot, options);
        let boards = suits.count_boards(spot, &levels);
        let hands = Player::BOTH.map(|p| {
            let count = spot.weights(p).iter().filter(|&&w| w > 0.0).count();
            count as u64 + 8
        });
        let first = spot.board().cards().len();
        let mut memory = Memory { cells: 0, best: 0, boards: 1 << 20 };
        for (level, &boards) in levels.iter().zip(&boards) {
            // A dealt card takes its share of the hands away.
            let dealt = (level.street.board_len() - first) as u64;
            let left = |hands: u64| {
                hands * Deck::row_len(level.street) as u64
                    / Deck::row_len(Street::from_board_len(first).unwrap_or(Street::Flop)) as u64
            };
            for (p, &hands) in hands.iter().enumerate() {
                let row = left(hands) + 4;
                let (numbers, size) = match &options.buckets[p] {
                    Some(buckets) => {
                        (level.rows[p] as u64 * buckets.count(level.street) as u64 * 40, 4)
                    }
                    None => (level.rows[p] as u64 * boards * row, options.precision.bytes()),
                };
                let tables = if options.rule.is_predictive() { 3 } else { 2 };
                memory.cells += numbers * size * tables;
                if options.keep_best {
                    memory.best += numbers * 2;
                }
                let images = if dealt > 0 { 12 } else { 8 };
                memory.boards += boards * row * images;
            }
        }
        memory
    }

    /// A solver for a spot. Errors come before anything large is allocated.
    pub fn new(spot: Spot, options: Options, job: Job<'_>) -> Result<Solver, SolveError> {
        let memory = Solver::memory(&spot, &options);
        if let Some(limit) = options.memory_limit
            && memory.total() > limit
        {
            return Err(SolveError::Memory { needed: memory.total(), limit });
        }
        let (levels, suits) = shape(&spot, &options);
        let mut root = BoardNode::build(&spot, &levels, suits, job)?;
        if !spot.locks().is_empty() {
            root.lock(&spot, &levels);
        }
        let skips = [0, 1].map(|p| options.buckets[p].is_some());
        let predictive = options.rule.is_predictive();
        let data = job.install(|| {
            for player in Player::BOTH {
                if let Some(buckets) = &options.buckets[player.index()] {
                    root.bucket(buckets.as_ref(), player.index(), spot.weights(player), job)?;
                }
            }
            Ok::<_, SolveError>(BoardData::new(
                &root,
                &levels,
                options.precision,
                predictive,
                skips,
            ))
        })?;
        job.check()?;
        let counts = |buckets: &Arc<dyn Buckets>| -> Vec<usize> {
            levels.iter().map(|level| buckets.count(level.street)).collect()
        };
        let tables = [0, 1].map(|p| {
            let buckets = options.buckets[p].as_ref()?;
            Some(BucketTables::new(&levels, &counts(buckets), p))
        });
        let gains = [0, 1].map(|p| match &options.buckets[p] {
            Some(buckets) => {
                vec![Gains::new(&levels, &counts(buckets), p); 1 + root.children.len()]
            }
            None => Vec::new(),
        });
        let reach = Player::BOTH.map(|player| root_row(&spot, &root, player));
        let engine = Arc::new(Engine::new(levels, root, suits));
        Ok(Solver {
            spot,
            engine,
            data,
            tables,
            gains,
            options,
            iteration: 0,
            reach,
            report: None,
            best: None,
        })
    }

    /// The spot.
    pub fn spot(&self) -> &Spot {
        &self.spot
    }

    /// Iterations done.
    pub fn iterations(&self) -> u32 {
        self.iteration
    }

    /// One iteration: each player in turn learns against the other.
    ///
    /// # Errors
    /// If the job is cancelled, which takes effect between any two boards. The iteration is then not
    /// counted. Regrets and strategy sums of the boards it had finished have been updated and the
    /// others have not; each stays a valid strategy of its own, so the profile is valid, and a later
    /// call repeats the iteration. The boards that were finished then count it twice.
    pub fn iterate(&mut self, job: Job<'_>) -> Result<(), Cancelled> {
        self.iteration += 1;
        let learned = Player::BOTH.into_iter().try_for_each(|player| self.learn(player, job));
        if learned.is_err() {
            self.iteration -= 1;
        }
        learned
    }

    /// A player's part of an iteration.
    pub(crate) fn learn(&mut self, player: Player, job: Job<'_>) -> Result<(), Cancelled> {
        if let Some(best) = &mut self.best {
            best.in_use = false;
        }
        self.report = None;
        let step = self.options.rule.step(self.iteration);
        let next = self.options.rule.step(self.iteration + 1);
        let p = player.index();
        let tables = self.tables.each_ref().map(|t| t.as_ref().map(|t| t.current.as_slice()));
        let mode = TraverserMode::Learn(step);
        let walk = Walk { player, mode, uniform: false, tables, captured: None, job };
        let reach = [self.reach[0].as_slice(), self.reach[1].as_slice()];
        let gains = &mut self.gains[p];
        let gains = (!gains.is_empty()).then_some(gains.as_mut_slice());
        let done = self.engine.run(&walk, Data::Learn(&mut self.data), reach, gains);
        if done.is_err() {
            self.gains[p].iter_mut().for_each(Gains::clear);
        } else if let Some(tables) = &mut self.tables[p] {
            tables.learn(step, next, &mut self.gains[p]);
        }
        done.map(|_| ())
    }

    fn profile<'a>(&'a self, job: Job<'a>) -> Profile<'a> {
        let (spot, engine) = (&self.spot, &*self.engine);
        let (data, tables) = match &self.best {
            Some(best) if best.in_use => {
                (&best.data, best.averages.each_ref().map(Option::as_deref))
            }
            _ => {
                let tables = self.tables.each_ref();
                (&self.data, tables.map(|t| t.as_ref().map(|t| t.average.as_slice())))
            }
        };
        Profile { spot, engine, data, tables, uniform: false, job }
    }

    /// The exploitability of the average strategies, in chips: two best responses and, with rake,
    /// two values.
    pub fn exploitability(&self, job: Job<'_>) -> Result<f64, Cancelled> {
        let profile = self.profile(job);
        profile.exploitability(profile.best_responses()?)
    }

    /// Values, equities and best responses of the average strategies.
    pub fn evaluate(&self, job: Job<'_>) -> Result<Evaluation, Cancelled> {
        let profile = self.profile(job);
        profile.evaluation(profile.best_responses()?)
    }

    /// Values, equities and best responses where both players play all actions with the same
    /// frequency. Nothing is solved and little memory is needed.
    pub fn evaluate_uniform(spot: &Spot, job: Job<'_>) -> Result<Evaluation, Cancelled> {
        let (levels, suits) = shape(spot, &Options::default());
        let mut root = BoardNode::build(spot, &levels, suits, job)?;
        root.lock(spot, &levels);
        let data = BoardData::new(&root, &levels, Precision::F32, false, [true, true]);
        let engine = Engine::new(levels, root, suits);
        let tables = [None, None];
        let profile = Profile { spot, engine: &engine, data: &data, tables, uniform: true, job };
        profile.evaluation(profile.best_responses()?)
    }

    /// The solution reached: the best profile that was checked, or the current one without a check.
    /// Nothing is computed: a solver that was never run returns a report without an evaluation.
    pub fn into_solution(mut self) -> Solution {
        let report = self.report.unwrap_or(Report {
            evaluation: None,
            exploitability: None,
            iterations: self.iteration,
            elapsed: Duration::ZERO,
            reason: StopReason::Cancelled,
        });
        let averages = self.tables.map(|tables| tables.map(|tables| tables.average));
        let (data, averages) = match self.best.take() {
            Some(best) if best.in_use => (best.data, best.averages),
            _ => {
                self.data.keep_sums();
                (self.data, averages)
            }
        };
        Solution { spot: self.spot, engine: self.engine, data, averages, report }
    }

    /// Iterates until one of the limits is reached or the job is cancelled, and then measures the
    /// best profile found. `on_metrics` is called after every iteration.
    ///
    /// Cancelling takes effect inside an iteration, whose partial updates are described at
    /// [`Solver::iterate`], and inside a measurement. Nothing is measured after it: the solver then
    /// holds the best profile checked during the run, or the last one if there was no check, and the
    /// report contains what was known about it.
    ///
    /// Checks and the final measurement are part of the time limit as far as they can be foreseen.
    pub fn run(
        &mut self,
        stop: &Stop,
        job: Job<'_>,
        on_metrics: &mut dyn FnMut(&Metrics),
    ) -> Report {
        let began = Instant::now();
        job.begin("solve", stop.iterations.map_or(0, u64::from));
        let mut checks = Checks::new(self.iteration);
        let reason = self.iterate_until(stop, began, &mut checks, job, on_metrics);
        let elapsed = began.elapsed();
        let measured = match reason {
            Ok(_) => self.measure(&checks, job),
            Err(Cancelled) => Err(Cancelled),
        };
        let (evaluation, exploitability) = match measured {
            Ok(evaluation) => (Some(evaluation), Some(evaluation.exploitability)),
            Err(Cancelled) => (None, self.fall_back(&checks)),
        };
        let reason = reason.unwrap_or(StopReason::Cancelled);
        let iterations = self.iteration;
        let report = Report { evaluation, exploitability, iterations, elapsed, reason };
        self.report = Some(report);
        report
    }

    fn iterate_until(
        &mut self,
        stop: &Stop,
        began: Instant,
        checks: &mut Checks,
        job: Job<'_>,
        on_metrics: &mut dyn FnMut(&Metrics),
    ) -> Result<StopReason, Cancelled> {
        let target = stop.target.map(|target| target * self.spot.pot());
        let is_last = |iteration: u32| stop.iterations.is_some_and(|n| iteration >= n);
        // The final measurement takes about two checks.
        let mut reserved = Duration::ZERO;
        loop {
            if is_last(self.iteration) {
                return Ok(StopReason::Iterations);
            }
            if stop.time.is_some_and(|time| began.elapsed() + reserved >= time) {
                return Ok(StopReason::Time);
            }
            // A partial iteration changes the profile that was checked last.
            self.iterate(job).inspect_err(|_| checks.last = None)?;
            job.advance(1);
            let iteration = self.iteration;
            let checked = checks.is_due(iteration) || is_last(iteration);
            let mut reached = false;
            if checked {
                let check_began = Instant::now();
                let profile = self.profile(job);
                let best_responses = profile.best_responses()?;
                let exploitability = profile.exploitability(best_responses)?;
                reserved = 2 * check_began.elapsed();
                checks.note(Check { iteration, exploitability, best_responses }, target);
                reached = target.is_some_and(|target| exploitability <= target);
                if self.options.keep_best && !reached && !is_last(iteration) {
                    self.keep(exploitability, job);
                }
            }
            let exploitability = checks.last.map(|check| check.exploitability);
            let elapsed = began.elapsed();
            let pot = self.spot.pot();
            on_metrics(&Metrics { iteration, exploitability, checked, elapsed, pot });
            if reached {
                return Ok(StopReason::Target);
            }
            if checked && target.is_some() && checks.is_plateau(iteration) {
                return Ok(StopReason::Plateau);
            }
        }
    }

    /// Takes the better of the profile kept and the current one, and evaluates it.
    fn measure(&mut self, checks: &Checks, job: Job<'_>) -> Result<Evaluation, Cancelled> {
        let check = checks.at(self.iteration);
        if let Some(best) = &mut self.best {
            best.in_use = false;
            let kept = best.exploitability;
            // The last iterations are checked now if they were not.
            let now = match check {
                Some(check) => check.exploitability,
                None => self.exploitability(job)?,
            };
            if kept < now {
                self.use_best();
                return self.evaluate(job);
            }
        }
        let profile = self.profile(job);
        let best_responses = match check {
            Some(check) => check.best_responses,
            None => profile.best_responses()?,
        };
        profile.evaluation(best_responses)
    }

    /// After a cancelled run: takes the profile kept, if there is one, and returns what is known
    /// about the exploitability.
    fn fall_back(&mut self, checks: &Checks) -> Option<f64> {
        let current = checks.at(self.iteration).map(|check| check.exploitability);
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

    /// Keeps the current profile if it is the best so far.
    fn keep(&mut self, exploitability: f64, job: Job<'_>) {
        if self.best.as_ref().is_some_and(|best| best.exploitability <= exploitability) {
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
#[derive(Clone, Copy)]
struct Check {
    iteration: u32,
    exploitability: f64,
    best_responses: [f64; 2],
}

/// When to check the exploitability: seldom, since a check costs about an iteration, and soon
/// after the target should have been reached.
struct Checks {
    next: u32,
    last: Option<Check>,
    /// The iteration and the exploitability of the last check that improved on those before.
    improved: (u32, f64),
}

impl Checks {
    fn new(iteration: u32) -> Checks {
        Checks { next: iteration + 10, last: None, improved: (iteration, f64::INFINITY) }
    }

    fn is_due(&self, iteration: u32) -> bool {
        iteration >= self.next
    }

    /// The check that was made after this iteration, if it is the last one made.
    fn at(&self, iteration: u32) -> Option<Check> {
        self.last.filter(|check| check.iteration == iteration)
    }

    /// Whether the iterations doubled since the exploitability last fell by a twentieth.
    fn is_plateau(&self, iteration: u32) -> bool {
        iteration >= 100 && iteration >= self.improved.0.saturating_mul(2)
    }

    fn note(&mut self, check: Check, target: Option<f64>) {
        if check.exploitability < 0.95 * self.improved.1 {
            self.improved = (check.iteration, check.exploitability);
        }
        let (t, exploitability) = (f64::from(check.iteration), check.exploitability);
        // Exploitability falls about like a power of the iteration.
        let power = match self.last {
            Some(Check { iteration: before, exploitability: e, .. })
                if e > exploitability && exploitability > 0.0 =>
            {
                (e / exploitability).ln() / (t / f64::from(before)).ln()
            }
            Some(_) => 1.0,
            None => 1.3,
        };
        let wanted = match target {
            Some(target) if target > 0.0 && exploitability > 0.0 => {
                t * (exploitability / target).powf(1.0 / power.clamp(0.8, 2.5))
            }
            _ => t * 2.0,
        };
        self.next = wanted.clamp(t * 1.05 + 2.0, t * 1.7 + 4.0).ceil() as u32;
        self.last = Some(check);
    }
}

/// A spot that cannot be solved as asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// A solve too large for the limit.
    #[error(
        "the solve needs about {} MiB and the limit is {} MiB; use fewer bet sizes, 16-bit \
         precision or a higher limit",
        needed >> 20,
        limit >> 20
    )]
    Memory {
        /// The bytes needed.
        needed: u64,
        /// The bytes allowed.
        limit: u64,
    },
    /// A card abstraction that gives a bucket that it does not have.
    #[error(transparent)]
    Buckets(#[from] BucketOutOfRange),
    /// The job was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}
