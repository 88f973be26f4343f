//! `Solver`: iterations, checks and when to stop.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lethe_cards::{Deck, Street};
use lethe_game::Player;
use serde::{Deserialize, Serialize};

use crate::boards::{Alike, BoardNode};
use crate::bucketed::{BucketTables, Buckets, Gains};
use crate::cells::{BoardData, Precision};
use crate::engine::{Data, Engine, Job, Own};
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
    /// The card abstraction of each player, `Oop` first; none plays every hand by itself.
    pub buckets: [Option<Arc<dyn Buckets>>; 2],
    /// The most bytes a solve may take; none for no limit.
    pub memory_limit: Option<u64>,
    /// The threads to use; none for all cores. Results do not depend on it.
    pub threads: Option<usize>,
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
            threads: None,
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
            .field("threads", &self.threads)
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
    /// The caller asked for it.
    Cancelled,
}

/// How far a run is, given after every iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Iterations done.
    pub iteration: u32,
    /// The exploitability in chips at the last check, if there was one.
    pub exploitability: Option<f64>,
    /// Whether that check was made after this iteration.
    pub checked: bool,
    /// The time since the run began.
    pub elapsed: Duration,
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
    /// The value of the profile that the solver now holds: the best one checked.
    pub evaluation: Evaluation,
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
    /// Boards, hand orders and room to work in, about.
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
    pool: Option<rayon::ThreadPool>,
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
fn shape(spot: &Spot, options: &Options) -> (Vec<Level>, Alike) {
    let hands = Player::BOTH.map(|p| spot.weights(p).iter().filter(|&&w| w > 0.0).count());
    let levels = plan::levels(spot.tree(), spot.start(), hands[0].max(hands[1]));
    let buckets = options.buckets.iter().flatten();
    let alike = if options.symmetry && buckets.into_iter().all(|b| b.ignores_suit_names()) {
        Alike::of(spot)
    } else {
        Alike::NONE
    };
    (levels, alike)
}

impl Solver {
    /// The memory a solve of this spot will take.
    pub fn memory(spot: &Spot, options: &Options) -> Memory {
        let (levels, alike) = shape(spot, options);
        let boards = alike.count_boards(spot, &levels);
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
    pub fn new(spot: Spot, options: Options) -> Result<Solver, SolveError> {
        let memory = Solver::memory(&spot, &options);
        if let Some(limit) = options.memory_limit
            && memory.total() > limit
        {
            return Err(SolveError::Memory { needed: memory.total(), limit });
        }
        let pool = match options.threads {
            None => None,
            Some(threads) => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                Some(pool.map_err(|error| SolveError::Threads(error.to_string()))?)
            }
        };
        let (levels, alike) = shape(&spot, &options);
        let build = || {
            let mut root = BoardNode::build(&spot, &levels, alike);
            if !spot.locks().is_empty() {
                root.lock(&spot, &levels);
            }
            for player in Player::BOTH {
                if let Some(buckets) = &options.buckets[player.index()] {
                    root.bucket(buckets.as_ref(), player.index(), spot.weights(player));
                }
            }
            let skips = [0, 1].map(|p| options.buckets[p].is_some());
            let predictive = options.rule.is_predictive();
            let data = BoardData::new(&root, &levels, options.precision, predictive, skips);
            (root, data)
        };
        let (root, data) = match &pool {
            Some(pool) => pool.install(build),
            None => build(),
        };
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
        let engine = Arc::new(Engine::new(levels, root, alike));
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
            pool,
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
    pub fn iterate(&mut self) {
        self.iteration += 1;
        Player::BOTH.into_iter().for_each(|player| self.learn(player));
    }

    /// A player's part of an iteration.
    pub(crate) fn learn(&mut self, player: Player) {
        if let Some(best) = &mut self.best {
            best.in_use = false;
        }
        self.report = None;
        let step = self.options.rule.step(self.iteration);
        let next = self.options.rule.step(self.iteration + 1);
        let p = player.index();
        let tables = self.tables.each_ref().map(|t| t.as_ref().map(|t| t.current.as_slice()));
        let job = Job { player, own: Own::Learn(step), uniform: false, tables, captured: None };
        let (engine, data) = (&self.engine, &mut self.data);
        let reach = [self.reach[0].as_slice(), self.reach[1].as_slice()];
        let gains = &mut self.gains[p];
        let gains = (!gains.is_empty()).then_some(gains.as_mut_slice());
        let run = || engine.run(&job, Data::Learn(data), reach, gains);
        match &self.pool {
            Some(pool) => pool.install(run),
            None => run(),
        };
        if let Some(tables) = &mut self.tables[p] {
            tables.learn(step, next, &mut self.gains[p]);
        }
    }

    fn profile(&self, uniform: bool) -> Profile<'_> {
        let (spot, engine) = (&self.spot, &*self.engine);
        match &self.best {
            Some(best) if best.in_use => {
                let tables = best.averages.each_ref().map(Option::as_deref);
                Profile { spot, engine, data: &best.data, tables, uniform }
            }
            _ => {
                let tables = self.tables.each_ref();
                let tables = tables.map(|t| t.as_ref().map(|t| t.average.as_slice()));
                Profile { spot, engine, data: &self.data, tables, uniform }
            }
        }
    }

    fn installed<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// The exploitability of the average strategies, in chips: two best responses and, with rake,
    /// two values.
    pub fn exploitability(&self) -> f64 {
        self.installed(|| self.profile(false).exploitability())
    }

    /// Values, equities and best responses of the average strategies.
    pub fn evaluate(&self) -> Evaluation {
        self.installed(|| self.profile(false).evaluation())
    }

    /// Values, equities and best responses where both players play all actions alike. Nothing is
    /// solved and little memory is taken.
    pub fn evaluate_uniform(spot: &Spot) -> Evaluation {
        let (levels, alike) = shape(spot, &Options::default());
        let mut root = BoardNode::build(spot, &levels, alike);
        root.lock(spot, &levels);
        let data = BoardData::new(&root, &levels, Precision::F32, false, [true, true]);
        let engine = Engine::new(levels, root, alike);
        Profile { spot, engine: &engine, data: &data, tables: [None, None], uniform: true }
            .evaluation()
    }

    /// The solution reached: the best profile that was checked, or the current one if none was.
    pub fn into_solution(mut self) -> Solution {
        let report = match self.report {
            Some(report) => report,
            None => Report {
                evaluation: self.evaluate(),
                iterations: self.iteration,
                elapsed: Duration::ZERO,
                reason: StopReason::Cancelled,
            },
        };
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

    /// Iterates until one of the limits is reached or `progress`, called after every iteration,
    /// returns false.
    pub fn run(&mut self, stop: &Stop, progress: &mut dyn FnMut(&Progress) -> bool) -> Report {
        let began = Instant::now();
        let target = stop.target.map(|target| target * self.spot.pot());
        let mut checks = Checks::new(self.iteration);
        let mut exploitability = None;
        let reason = loop {
            let due = stop.iterations.is_some_and(|n| self.iteration >= n);
            if due {
                break StopReason::Iterations;
            }
            if stop.time.is_some_and(|time| began.elapsed() >= time) {
                break StopReason::Time;
            }
            self.iterate();
            let last = stop.iterations.is_some_and(|n| self.iteration >= n);
            let checked = checks.is_due(self.iteration) || last;
            if checked {
                let now = self.exploitability();
                exploitability = Some(now);
                checks.note(self.iteration, now, target);
                let reached = target.is_some_and(|target| now <= target);
                if self.options.keep_best && !reached && !last {
                    self.keep(now);
                }
            }
            let elapsed = began.elapsed();
            let iteration = self.iteration;
            let go_on = progress(&Progress { iteration, exploitability, checked, elapsed });
            if checked && target.zip(exploitability).is_some_and(|(t, e)| e <= t) {
                break StopReason::Target;
            }
            if !go_on {
                break StopReason::Cancelled;
            }
        };
        let elapsed = began.elapsed();
        if let Some(mut best) = self.best.take() {
            // Where the last iterations were not checked, they are now.
            let checked = exploitability.filter(|_| checks.is_last(self.iteration));
            let now = checked.unwrap_or_else(|| self.exploitability());
            best.in_use = best.exploitability < now;
            self.best = Some(best);
        }
        let evaluation = self.evaluate();
        let report = Report { evaluation, iterations: self.iteration, elapsed, reason };
        self.report = Some(report);
        report
    }

    /// Keeps the current profile if it is the best so far.
    fn keep(&mut self, exploitability: f64) {
        if self.best.as_ref().is_some_and(|best| best.exploitability <= exploitability) {
            return;
        }
        let old = self.best.take().map(|best| best.data);
        let snapshot = || self.data.snapshot(&self.engine.root, &self.engine.levels, old);
        let data = match &self.pool {
            Some(pool) => pool.install(snapshot),
            None => snapshot(),
        };
        let averages = self.tables.each_ref().map(|t| t.as_ref().map(|t| t.average.clone()));
        self.best = Some(Best { exploitability, data, averages, in_use: false });
    }
}

/// When to look at the exploitability: seldom, since a look costs about an iteration, and soon
/// after the target should have been reached.
struct Checks {
    next: u32,
    last: Option<(u32, f64)>,
}

impl Checks {
    fn new(iteration: u32) -> Checks {
        Checks { next: iteration + 10, last: None }
    }

    fn is_due(&self, iteration: u32) -> bool {
        iteration >= self.next
    }

    /// Whether the last check was made after this iteration.
    fn is_last(&self, iteration: u32) -> bool {
        self.last.is_some_and(|(last, _)| last == iteration)
    }

    fn note(&mut self, iteration: u32, exploitability: f64, target: Option<f64>) {
        let t = f64::from(iteration);
        // Exploitability falls about like a power of the iteration.
        let power = match self.last {
            Some((before, e)) if e > exploitability && exploitability > 0.0 => {
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
        self.last = Some((iteration, exploitability));
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
    /// Threads that could not be started.
    #[error("the threads could not be started: {0}")]
    Threads(String),
}
