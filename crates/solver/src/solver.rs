//! `Solver`: a spot being solved, its options and its iterations.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use lethe_cards::{Deck, Hole, Street};
use lethe_compute::{Cancelled, Job};
use lethe_game::Player;
use lethe_rows::{BucketOutOfRange, Buckets};
use serde::{Deserialize, Serialize};

use crate::boards::{BoardNode, SuitClasses};
use crate::bucketed::{BucketTables, Gains};
use crate::cells::{BoardData, Precision};
use crate::engine::{Data, Engine, TraverserMode, Walk};
use crate::gadget::RootGadget;
use crate::pace::Checks;
use crate::plan::{self, Level};
use crate::profile::{Averages, Profile, RootValues, root_row};
use crate::query::{Position, Solution, Strategies, WalkError};
use crate::run::{Check, Report, StopReason};
use crate::spot::Spot;
use crate::street::StreetCache;
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
    /// Whether the best checked profile may be kept beside the current one, for a run to return if
    /// it ends with a worse one. Takes a quarter more memory. An exact discounted solve that is run
    /// to a target keeps none: it ends with its best profile when it gets there.
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
    pub(crate) spot: Spot,
    pub(crate) engine: Arc<Engine>,
    pub(crate) data: BoardData,
    pub(crate) tables: [Option<BucketTables>; 2],
    gains: [Vec<Gains>; 2],
    pub(crate) options: Options,
    pub(crate) iteration: u32,
    /// The hands' weights as rows of the first board.
    pub(crate) reach: [Vec<f32>; 2],
    pub(crate) report: Option<Report>,
    pub(crate) best: Option<Best>,
    pub(crate) checks: Checks,
    /// The last check made, of the profile after its iteration.
    pub(crate) checked: Option<Check>,
    /// The values at the root that the last evaluation found, while they hold.
    pub(crate) values: Option<Arc<RootValues>>,
    pub(crate) street: StreetCache,
}

/// The best profile checked so far: the strategy of every decision in 16 bits.
pub(crate) struct Best {
    pub(crate) exploitability: f64,
    pub(crate) data: BoardData,
    pub(crate) averages: [Averages; 2],
    /// Whether it is better than the profile reached last.
    pub(crate) in_use: bool,
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
            checks: Checks::default(),
            checked: None,
            values: None,
            street: StreetCache::default(),
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
        self.iterate_as(None, job)
    }

    /// One iteration in which a player comes to the root as a gadget decides.
    ///
    /// In place of the player's weights, the gadget's reach is used. The average strategy weighs each
    /// iteration by that reach too, so that it is the average of the game with the gadget in front.
    /// Hands that the spot gives no weight have no row and do not take part.
    ///
    /// # Errors
    /// As [`Solver::iterate`].
    pub fn iterate_with(
        &mut self,
        player: Player,
        gadget: &mut dyn RootGadget,
        job: Job<'_>,
    ) -> Result<(), Cancelled> {
        self.iterate_as(Some((player, gadget)), job)
    }

    fn iterate_as(
        &mut self,
        mut gadget: Option<(Player, &mut dyn RootGadget)>,
        job: Job<'_>,
    ) -> Result<(), Cancelled> {
        self.iteration += 1;
        let learned = Player::BOTH.into_iter().try_for_each(|player| {
            let Some((chooser, gadget)) = &mut gadget else {
                return self.learn(player, job).map(|_| ());
            };
            let hands = self.engine.root.hands[chooser.index()].len();
            gadget.reach(&mut self.reach[chooser.index()][..hands]);
            let values = self.learn(player, job)?;
            if player == *chooser {
                gadget.learn(self.options.rule.step(self.iteration), &values[..hands]);
            }
            Ok(())
        });
        if learned.is_err() {
            self.iteration -= 1;
            // Part of the profile that was checked has changed.
            self.checked = None;
        }
        learned
    }

    /// A player's part of an iteration: the values of its hands at the root.
    pub(crate) fn learn(&mut self, player: Player, job: Job<'_>) -> Result<Vec<f32>, Cancelled> {
        if let Some(best) = &mut self.best {
            best.in_use = false;
        }
        (self.report, self.values) = (None, None);
        self.street.clear();
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
        done
    }

    /// The hands of a player at the root, in the order of [`lethe_cards::Hole::index`]: those of
    /// non-zero weight.
    pub fn root_holes(&self, player: Player) -> &[Hole] {
        &self.engine.root.hands[player.index()].holes
    }

    /// The counterfactual values of a player's hands at the root against the other's average
    /// strategy, if the other comes there with the reach `opponent`: a row for
    /// [`Solver::root_holes`] of each.
    ///
    /// The player plays a best response, or its own average strategy.
    ///
    /// # Panics
    /// If `opponent` has not as many entries as the opponent has hands.
    pub fn root_values(
        &self,
        player: Player,
        best_response: bool,
        opponent: &[f32],
        job: Job<'_>,
    ) -> Result<Vec<f32>, Cancelled> {
        let o = player.opponent().index();
        let mode = if best_response { TraverserMode::Best } else { TraverserMode::Average };
        let hands = self.engine.root.hands.each_ref();
        assert_eq!(opponent.len(), hands[o].len(), "a row of the opponent's hands");
        // Nobody reads the traverser's own reach.
        let mut rows = hands.map(|hands| vec![0.0; hands.stride()]);
        rows[o][..opponent.len()].copy_from_slice(opponent);
        let profile = self.profile(job);
        let walk = profile.walk(player, mode);
        let reach = [rows[0].as_slice(), rows[1].as_slice()];
        let mut values = self.engine.run(&walk, Data::Read(profile.data), reach, None)?;
        values.truncate(hands[1 - o].len());
        Ok(values)
    }

    /// The profile that the solver holds: the current one or, after a run that found it better, the
    /// best one checked.
    fn strategies(&self) -> Strategies<'_> {
        let (data, tables) = match &self.best {
            Some(best) if best.in_use => {
                (&best.data, best.averages.each_ref().map(Option::as_deref))
            }
            _ => {
                let tables = self.tables.each_ref();
                (&self.data, tables.map(|t| t.as_ref().map(|t| t.average.as_slice())))
            }
        };
        Strategies { spot: &self.spot, engine: &self.engine, data, tables, street: &self.street }
    }

    pub(crate) fn profile<'a>(&'a self, job: Job<'a>) -> Profile<'a> {
        self.strategies().profile(job)
    }

    /// The first decision, with the average strategies as they are: nothing is copied.
    pub fn root(&self) -> Position<'_> {
        self.strategies().root()
    }

    /// The position after a line, as [`Solution::walk`] finds it, with the average strategies as they
    /// are.
    pub fn walk(&self, line: &str) -> Result<Position<'_>, WalkError> {
        self.strategies().walk(line)
    }

    /// A copy of the average strategies as they are, in numbers of 16 bits. The solver can go on.
    ///
    /// The copy takes up to a quarter of the solver's memory. To look at some positions,
    /// [`Solver::walk`] needs none.
    pub fn snapshot(&self, job: Job<'_>) -> Solution {
        let Strategies { data, tables, .. } = self.strategies();
        let engine = &self.engine;
        let data = job.install(|| data.snapshot(&engine.root, &engine.levels, None));
        let averages = tables.map(|tables| tables.map(<[Vec<f32>]>::to_vec));
        let (spot, engine) = (self.spot.clone(), self.engine.clone());
        Solution::new(spot, engine, data, averages, self.report(), None)
    }

    /// The exploitability of the average strategies, in chips: two best responses and, with rake,
    /// two values.
    pub fn exploitability(&self, job: Job<'_>) -> Result<f64, Cancelled> {
        let profile = self.profile(job);
        profile.exploitability(&profile.best_responses()?)
    }

    /// Values, equities and best responses of the average strategies.
    pub fn evaluate(&self, job: Job<'_>) -> Result<Evaluation, Cancelled> {
        let profile = self.profile(job);
        Ok(profile.evaluation(profile.best_responses()?)?.evaluation)
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
        Ok(profile.evaluation(profile.best_responses()?)?.evaluation)
    }

    /// How the last run ended; of a solver that has iterated since, only how far it is.
    fn report(&self) -> Report {
        self.report.unwrap_or(Report {
            evaluation: None,
            exploitability: self.check_now().map(|check| check.exploitability),
            iterations: self.iteration,
            elapsed: Duration::ZERO,
            reason: StopReason::Paused,
        })
    }

    /// The solution reached: the best profile that was checked, or the current one without a check.
    /// Nothing is computed: a solver that was never run returns a report without an evaluation.
    pub fn into_solution(mut self) -> Solution {
        let report = self.report();
        let averages = self.tables.map(|tables| tables.map(|tables| tables.average));
        let (data, averages) = match self.best.take() {
            Some(best) if best.in_use => (best.data, best.averages),
            _ => {
                self.data.keep_sums();
                (self.data, averages)
            }
        };
        Solution::new(self.spot, self.engine, data, averages, report, self.values)
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
