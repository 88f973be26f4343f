//! Training a blueprint: what it takes, and doing it.
//!
//! ```no_run
//! use lethe_compute::Job;
//! use lethe_kit::config::training_config;
//! use lethe_kit::data::DataDir;
//! use lethe_kit::training::{CardSource, Limits, Training};
//!
//! let data = DataDir::locate(None);
//! let config = training_config(Some("quick"), None, &["training.seed=7"])?;
//! let limits = Limits { seconds: Some(60.0), iterations: None };
//! let training = Training::new(config, data.run("quick".as_ref()), limits)?;
//! if let CardSource::Build(build) = training.card_source(&data)? {
//!     build.run(Job::default())?;
//! }
//! let cards = training.open_cards(&data)?;
//! println!("{:?}", training.forecast(&cards, 2, 1));
//! let view = training.run(cards, Job::default(), &mut |metrics| println!("{metrics:?}"))?;
//! println!("{} iterations", view.iterations);
//! # Ok::<(), lethe_kit::Error>(())
//! ```

use std::path::{Path, PathBuf};

use lethe_abstraction::Abstraction;
pub use lethe_blueprint::Limits;
use lethe_blueprint::{
    Buckets, CardModel, CheckpointKind, Estimate, Metrics, Opponent, Plan, Run, RunError, Sampling,
    TrainConfig, ValuesError,
};
use lethe_cards::Street;
use lethe_collective::{Collective, Solo};
use lethe_compute::Job;
use lethe_game::{Counts, Game, Tree};
use serde::Serialize;

use crate::abstractions::{Build, Streets};
use crate::config::{AbstractionConfig, ConfigError, presets};
use crate::data::DataDir;
use crate::error::Error;
use crate::files::check_directory;
use crate::limits::free_memory;

/// A blueprint to train.
#[derive(Clone, Debug)]
pub struct Training {
    config: TrainConfig,
    counts: Counts,
    dir: PathBuf,
    limits: Limits,
    /// Resume the run in the directory, if there is one.
    pub resume: bool,
}

/// Where the buckets of a training come from.
#[derive(Debug)]
pub enum CardSource {
    /// The game ends before the flop.
    None,
    /// A preset, to be built unless it is there.
    Build(Box<Build>),
    /// An abstraction that is there.
    Stored(PathBuf),
}

/// What a training takes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrainingForecast {
    /// Decisions of the betting tree on each street.
    pub decisions: Streets<u64>,
    /// Information sets.
    pub information_sets: u64,
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes of a checkpoint.
    pub disk: u64,
    /// About how many iterations per second there will be; `None` without a flop.
    pub iterations_per_second: Option<f64>,
}

impl Training {
    /// What a configuration asks for, in the directory of a run.
    pub fn new(config: TrainConfig, dir: PathBuf, limits: Limits) -> Result<Training, Error> {
        let game = Game::hand(&config.game).map_err(ConfigError::nowhere)?;
        let counts = game.counts(Tree::NODE_LIMIT).map_err(ConfigError::nowhere)?;
        check_directory(&dir)?;
        Ok(Training { config, counts, dir, limits, resume: false })
    }

    /// The directory of the run.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// When to stop.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Where its buckets come from.
    pub fn card_source(&self, data: &DataDir) -> Result<CardSource, Error> {
        let decisions = |street| self.counts.of(street).decisions;
        if Street::POSTFLOP.into_iter().all(|street| decisions(street) == 0) {
            return Ok(CardSource::None);
        }
        let Some(name) = &self.config.abstraction else {
            return Err(ConfigError::nowhere("the key abstraction is missing").into());
        };
        if presets().iter().any(|preset| preset.name == *name) {
            let config = AbstractionConfig::preset(name)?;
            return Ok(CardSource::Build(Box::new(Build::new(config, data.abstractions())?)));
        }
        Ok(CardSource::Stored(data.find_abstraction(Path::new(name))?))
    }

    /// Opens its buckets, which must have been built.
    pub fn open_cards(&self, data: &DataDir) -> Result<CardModel, Error> {
        let path = match self.card_source(data)? {
            CardSource::None => return Ok(CardModel::Blank),
            CardSource::Build(build) => build.root().join(build.plan().name()),
            CardSource::Stored(path) => path,
        };
        Ok(CardModel::Abstraction(Box::new(Abstraction::open(path)?)))
    }

    /// What it takes on `threads` threads of each of `ranks` ranks.
    pub fn forecast(&self, cards: &CardModel, threads: usize, ranks: usize) -> TrainingForecast {
        let counts = &self.counts;
        let buckets = Street::POSTFLOP.map(|street| cards.count(street));
        let training = &self.config.training;
        let group_sizes = Street::POSTFLOP.map(|street| cards.group_sizes(street));
        let beside = training
            .count_adversary_cells(counts, buckets)
            .saturating_add(training.count_pooled_cells(counts, buckets, group_sizes));
        let disk = Plan::count_cells(counts, buckets)
            .saturating_mul(8)
            .saturating_add(beside.saturating_mul(4));
        let workers = training.worker_bytes(counts).saturating_mul(threads as u64);
        // Several ranks keep what they have not exchanged yet beside the store.
        let workers = workers.saturating_add(if ranks > 1 { disk } else { 0 });
        let [flop, turn, river] = buckets.map(|buckets| buckets as u64);
        TrainingForecast {
            decisions: Street::ALL.into_iter().map(|s| (s, counts.of(s).decisions)).collect(),
            information_sets: counts.information_sets([169, flop, turn, river]),
            memory: disk.saturating_add(counts.nodes().saturating_mul(120)).saturating_add(workers),
            disk,
            iterations_per_second: self.rate(threads).map(|rate| rate * ranks as f64),
        }
    }

    /// Refuses what does not fit into the memory that is free.
    pub fn check_memory(&self, forecast: &TrainingForecast) -> Result<(), Error> {
        match free_memory() {
            Some(free) if forecast.memory > free => Err(Error::OutOfMemory {
                what: "training",
                needed: forecast.memory,
                free,
                remedy: "lower the buckets of the abstraction, game.bet_sizes or max_raises, or \
                         raise game.force_allin_threshold",
            }),
            _ => Ok(()),
        }
    }

    /// Iterations per second, from figures of a 3 GHz core.
    fn rate(&self, threads: usize) -> Option<f64> {
        let decisions = |street| self.counts.of(street).decisions;
        if Street::POSTFLOP.into_iter().all(|street| decisions(street) == 0) {
            return None;
        }
        let all = Street::ALL.into_iter().map(decisions).sum::<u64>() as f64;
        let cores = std::thread::available_parallelism().map_or(1, usize::from).min(threads);
        let training = &self.config.training;
        let walks = if training.opponent == Opponent::Adversary { 4.0 } else { 2.0 };
        let seconds = match training.sampling {
            Sampling::Public => all * walks * 1081.0 / 125e6,
            // An iteration visits about the square root of the tree for each player.
            Sampling::External => 2e-6 + all.sqrt() * 2.5e-7,
        };
        Some(cores as f64 / seconds)
    }

    /// Trains until a limit is reached or the job is cancelled; either way the run is kept.
    pub fn run(
        &self,
        cards: CardModel,
        job: Job<'_>,
        on_metrics: &mut dyn FnMut(&Metrics),
    ) -> Result<TrainView, Error> {
        self.run_with(&Solo, cards, job, on_metrics)
    }

    /// The same together with other ranks, of which rank 0 writes and evaluates.
    pub fn run_with(
        &self,
        ranks: &dyn Collective,
        cards: CardModel,
        job: Job<'_>,
        on_metrics: &mut dyn FnMut(&Metrics),
    ) -> Result<TrainView, Error> {
        let leads = ranks.rank() == 0;
        let mut run = match (leads, self.resume) {
            (false, _) => Run::follow(&self.dir, &self.config, cards)?,
            (true, true) => Run::resume(&self.dir, &self.config, cards, job)?,
            (true, false) => Run::create(&self.dir, &self.config, cards)?,
        };
        let begun = run.header().seconds;
        let mut last = Metrics::default();
        run.train_with(ranks, self.limits, job, &mut |point| {
            on_metrics(point);
            let (estimate, regret) = (last.exploitability, last.average_regret_mbb);
            last = point.clone();
            last.exploitability = last.exploitability.or(estimate);
            last.average_regret_mbb = last.average_regret_mbb.or(regret);
        })?;
        let values = if leads { self.values(&run, job)? } else { None };
        let header = run.header();
        let per_second = |count: u64| (header.seconds > 0.0).then(|| count as f64 / header.seconds);
        Ok(TrainView {
            run: self.dir.clone(),
            game_hash: header.game_hash.clone(),
            iterations: header.reached.iterations,
            visits: header.reached.visits,
            seconds: header.seconds,
            seconds_now: header.seconds - begun,
            iterations_per_second: per_second(header.reached.iterations),
            visits_per_second: per_second(header.reached.visits),
            average_regret_mbb: last.average_regret_mbb.filter(|_| header.reached.iterations > 0),
            exploitability: last.exploitability,
            fallback: run.cards().abstraction().and_then(fallback),
            values,
            stopped: job.cancelled(),
        })
    }

    /// Stores the values of a run that is evaluated and has come to its end.
    fn values(&self, run: &Run, job: Job<'_>) -> Result<Option<PathBuf>, Error> {
        let has_checkpoint = self.dir.join(CheckpointKind::Latest.file()).is_file();
        if self.config.training.evaluate <= 0.0 || job.cancelled() || !has_checkpoint {
            return Ok(None);
        }
        match run.store_values(job) {
            Err(RunError::Values(ValuesError::Cancelled(_))) => Ok(None),
            stored => Ok(Some(stored?)),
        }
    }
}

/// How often a sampled abstraction has no entry for a hand.
fn fallback(abstraction: &Abstraction) -> Option<Streets<f64>> {
    let share = |street| Some((street, abstraction.report(street)?.quality.fallback));
    let shares: Streets<f64> = Street::POSTFLOP.into_iter().filter_map(share).collect();
    let any = shares.values().any(|&share| share > 0.0);
    any.then_some(shares)
}

/// What was trained.
#[derive(Clone, Debug, Serialize)]
pub struct TrainView {
    /// The directory of the run.
    pub run: PathBuf,
    /// The hash of the game.
    pub game_hash: String,
    /// Iterations of the run in all.
    pub iterations: u64,
    /// Hand-node visits of the run in all.
    pub visits: u64,
    /// Seconds of training, over all invocations.
    pub seconds: f64,
    /// Seconds of this one.
    pub seconds_now: f64,
    /// Iterations per second.
    pub iterations_per_second: Option<f64>,
    /// Hand-node visits per second.
    pub visits_per_second: Option<f64>,
    /// The average regret in the game that was trained.
    pub average_regret_mbb: Option<f64>,
    /// The last estimate of exploitability in real cards.
    pub exploitability: Option<Estimate>,
    /// Of a sampled abstraction: the share of hands without an entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<Streets<f64>>,
    /// The values of the latest checkpoint, if they were computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<PathBuf>,
    /// Whether it was stopped before its limit.
    pub stopped: bool,
}
