//! `Run`: a directory in which a strategy is trained, evaluated and stored.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use lethe_abstraction::artifact::VerifyError;
use lethe_cards::Street;
use lethe_collective::{Collective, Malformed, Mismatch, Solo, check_same};
use lethe_compute::{Cancelled, Job};
use lethe_files::FileError;
use lethe_game::{ConfigError, Game, Tree, TreeTooLarge};
use lethe_rows::Buckets;

use crate::best::Best;
use crate::blueprint::{CardModel, CheckpointKind};
use crate::changes::Changes;
use crate::checkpoint::{Checkpoint, CheckpointError, Header, write_checkpoint};
use crate::config::{TrainConfig, TrainConfigError, Training, hash};
use crate::exact::Exact;
use crate::exploitability::{Flops, Measured};
use crate::metrics::{Estimate, EstimateKind, Exchanged, MatchResult, Metrics, MetricsError};
use crate::plan::{MAX_ACTIONS, Plan};
use crate::play::{LocalBestResponse, Match, TablePolicy};
use crate::sample::FEWEST;
use crate::stages::StagesError;
use crate::store::{Averages, Regrets, Store, Weights};
use crate::train::{Opponent, Ranks, RanksError, Reached, Trainer};
use crate::values::{ValuesError, ValuesFile};

/// Deals of the match against the best strategy so far.
const MATCH_DEALS: u64 = 100_000;
/// Deals of an estimate by local best response.
const LBR_DEALS: u64 = 10_000;

/// A training run and its directory.
#[derive(Debug)]
pub struct Run {
    dir: PathBuf,
    header: Header,
    plan: Plan,
    cards: CardModel,
    store: Store,
    /// The lowest estimate of exploitability so far; read from the metrics when a run resumes.
    best: Option<Best>,
    /// Held by whoever writes to the directory.
    _lock: Option<File>,
}

/// When to stop.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Seconds of this invocation.
    pub seconds: Option<f64>,
    /// Iterations of the run, over all invocations.
    pub iterations: Option<u64>,
}

impl Run {
    /// Starts a run in a directory that contains none.
    pub fn create(dir: &Path, config: &TrainConfig, cards: CardModel) -> Result<Run, RunError> {
        let lock = lock(dir)?;
        if dir.join(CheckpointKind::Latest.file()).exists() {
            return Err(RunError::Exists { dir: dir.to_owned() });
        }
        // Left over from a run whose checkpoint was deleted.
        for name in [
            Metrics::FILE,
            CheckpointKind::BestExploitability.file(),
            CheckpointKind::BestMatch.file(),
        ] {
            match fs::remove_file(dir.join(name)) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(RunError::Io { path: dir.join(name), source });
                }
                _ => {}
            }
        }
        Ok(Run { _lock: Some(lock), ..Run::follow(dir, config, cards)? })
    }

    /// A rank of a run that writes nothing: it only trains together with the rank that does, whose
    /// directory this is, and whose checkpoint it is given by [`Run::train_with`].
    pub fn follow(dir: &Path, config: &TrainConfig, cards: CardModel) -> Result<Run, RunError> {
        config.training.stages.check(cards.flop_clusters())?;
        let plan = plan(config, &cards)?;
        let header = Header {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            config: config.clone(),
            game_hash: config.game_hash(),
            abstraction: cards.reference(dir),
            cells: plan.cells() as u64,
            adversary_cells: config.training.adversary_cells(&plan) as u64,
            pooled_cells: config.training.pooled_cells(&plan) as u64,
            trainer: Header::TRAINER,
            reached: Reached::default(),
            seconds: 0.0,
            resumable: true,
        };
        let store = Store::new(&plan, &config.training);
        Ok(Run { dir: dir.to_owned(), header, plan, cards, store, best: None, _lock: None })
    }

    /// Resumes the run in a directory from its last checkpoint; starts one if there is none.
    ///
    /// The configuration may differ from the run's in what does not change the strategy's meaning:
    /// times, and how often to evaluate. The job is for checking the checkpoint.
    pub fn resume(
        dir: &Path,
        config: &TrainConfig,
        cards: CardModel,
        job: Job<'_>,
    ) -> Result<Run, RunError> {
        let file = dir.join(CheckpointKind::Latest.file());
        if !file.exists() {
            return Run::create(dir, config, cards);
        }
        let lock = lock(dir)?;
        let checkpoint = Checkpoint::open(&file)?;
        let cells = checkpoint.verify(job)?;
        let mut header = checkpoint.header().clone();
        let other = |what| RunError::Other { dir: dir.to_owned(), what };
        if header.abstraction.as_ref().map(|cards| &cards.checksum) != cards.checksum().as_ref() {
            return Err(other("abstraction"));
        }
        header.abstraction = cards.reference(dir);
        if header.game_hash != config.game_hash() {
            return Err(other("game"));
        }
        let (old, new) = (header.config.training, config.training);
        if let Some(what) = difference(&old, &new) {
            return Err(other(what));
        }
        if header.trainer != Header::TRAINER {
            return Err(RunError::Trainer { dir: dir.to_owned(), found: header.trainer });
        }
        header.config = config.clone();
        let plan = plan(config, &cards)?;
        let counts = [plan.cells(), new.adversary_cells(&plan), new.pooled_cells(&plan)];
        let counts = counts.map(|cells| cells as u64);
        let store = match [header.cells, header.adversary_cells, header.pooled_cells] == counts {
            true => cells.restore(),
            false => None,
        };
        let store = store.ok_or_else(|| other("number of cells"))?;
        let points = match Metrics::read(dir) {
            Err(MetricsError::File(error)) if error.is_missing() => Vec::new(),
            points => points?,
        };
        let best = Best::of_all(&points);
        Ok(Run { dir: dir.to_owned(), header, plan, cards, store, best, _lock: Some(lock) })
    }

    /// The betting and its cells.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The configuration, and how far the run is.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The buckets of all holes.
    pub fn cards(&self) -> &CardModel {
        &self.cards
    }

    /// The strategy so far.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Trains until a limit is reached or the job is cancelled.
    ///
    /// `on_metrics` is called about once per second. Checkpoints are written as often as the
    /// configuration says and at the end. A cancelled run finishes the iterations it is in and
    /// writes its checkpoint; it is neither evaluated nor measured. The bucket tables are checked
    /// first, every byte of them.
    pub fn train(
        &mut self,
        limits: Limits,
        job: Job<'_>,
        on_metrics: &mut dyn FnMut(&Metrics),
    ) -> Result<(), RunError> {
        self.train_with(&Solo, limits, job, on_metrics)
    }

    /// The same together with other ranks, which must have been started alike. Rank 0 has the
    /// directory, evaluates and decides when to stop; the others [`Run::follow`]. If one is cancelled,
    /// all of them stop.
    pub fn train_with(
        &mut self,
        collective: &dyn Collective,
        limits: Limits,
        job: Job<'_>,
        on_metrics: &mut dyn FnMut(&Metrics),
    ) -> Result<(), RunError> {
        check_same(collective, &self.identity(limits))?;
        let verified = match self.cards.verify(job) {
            Err(VerifyError::Cancelled(_)) => false,
            verified => verified.map(|()| true)?,
        };
        if collective.any(!verified).map_err(RanksError::from)? {
            return Ok(());
        }
        let (leads, ranks) = (
            collective.rank() == 0,
            Ranks::new(collective, &self.store, &self.header.config.training),
        );
        self.begin_with(collective, &ranks)?;
        let training = self.header.config.training;
        let end = limits.iterations.unwrap_or(u64::MAX);
        let most = limits.seconds.unwrap_or(f64::INFINITY);
        let (mut spent, mut saved_at, mut evaluated_at) = (0.0, 0.0, 0.0);
        let mut saved_iterations = self.header.reached.iterations;
        // Speeds count from the last report, those in the file from the last one in the file.
        let [mut reported, mut recorded] = [self.mark(); 2];
        let [mut reported_traffic, mut recorded_traffic] = [ranks.traffic(); 2];
        loop {
            let begun = Instant::now();
            let slice = (most - spent).min(training.checkpoint.clamp(0.01, 1.0));
            let (store, plan) = (&self.store, &self.plan);
            let mut trainer =
                Trainer::new(plan, &self.cards, store, &training, self.header.reached)
                    .with_ranks(&ranks);
            trainer.try_run(end, job, &|| !leads || begun.elapsed().as_secs_f64() < slice)?;
            let seconds = begun.elapsed().as_secs_f64();
            spent += seconds;
            let cancelled = collective.any(job.cancelled()).map_err(RanksError::from)?;
            let done = spent >= most || trainer.reached().iterations >= end || cancelled;
            let evaluates = training.evaluate > 0.0
                && (spent - evaluated_at >= training.evaluate || done)
                && !cancelled;
            let saves = spent - saved_at >= training.checkpoint || done;
            let [done, evaluates, saves] = decided(collective, [done, evaluates, saves])?;
            let records = saves || evaluates;
            if records {
                trainer.sum_averages(job)?;
                trainer.fill_unused();
            }
            if !leads {
                self.header.reached = trainer.reached();
                if done {
                    return Ok(());
                }
                continue;
            }
            let regret = if records { trainer.mean_regret(job).unwrap_or(None) } else { None };
            let per_iteration = [trainer.hands(), trainer.hands_per_visit()];
            self.header.reached = trainer.reached();
            self.header.seconds += seconds;
            let since = if records { recorded } else { reported };
            let traffic = if records { recorded_traffic } else { reported_traffic };
            let mut point = Metrics {
                average_regret_mbb: regret,
                exchange: Exchanged::between(ranks.size(), traffic, ranks.traffic()),
                ..self.mark().metrics(since, per_iteration)
            };
            if saves && saved_iterations != self.header.reached.iterations {
                self.save(CheckpointKind::Latest)?;
                saved_iterations = self.header.reached.iterations;
                saved_at = spent;
            }
            if evaluates {
                evaluated_at = spent;
                self.evaluate(&mut point, job)?;
            }
            if records {
                let path = self.dir.join(Metrics::FILE);
                point.append(&path)?;
                (recorded, recorded_traffic) = (self.mark(), ranks.traffic());
            }
            (reported, reported_traffic) = (self.mark(), ranks.traffic());
            on_metrics(&point);
            if done {
                return Ok(());
            }
        }
    }

    /// What must be the same on all ranks.
    fn identity(&self, limits: Limits) -> [(&'static str, String); 4] {
        let Header { config, trainer, .. } = &self.header;
        // Where the abstraction is may differ; its checksum may not.
        let config = TrainConfig { abstraction: None, ..config.clone() };
        let none = || "none".to_owned();
        [
            ("version", format!("{} with trainer {trainer}", env!("CARGO_PKG_VERSION"))),
            ("configuration", hash(&config)),
            ("abstraction", self.cards.checksum().unwrap_or_else(none)),
            ("limit of iterations", limits.iterations.map_or_else(none, |end| end.to_string())),
        ]
    }

    /// Gives all ranks the checkpoint of rank 0.
    fn begin_with(
        &mut self,
        collective: &dyn Collective,
        ranks: &Ranks<'_>,
    ) -> Result<(), RanksError> {
        let state = (self.header.reached, self.header.seconds);
        let mut bytes = serde_json::to_vec(&state).expect("plain data");
        collective.broadcast(&mut bytes)?;
        (self.header.reached, self.header.seconds) =
            serde_json::from_slice(&bytes).map_err(|_| RanksError::Malformed(Malformed))?;
        if self.header.reached.iterations > 0 && collective.size() > 1 {
            ranks.share(&self.store)?;
        }
        Ok(())
    }

    /// Computes the values of the strategy on as many flops as an estimate of exploitability evaluates,
    /// and stores them beside the latest checkpoint, which must be of this strategy: after
    /// [`Run::train`] it is. Progress is in flops and players.
    pub fn store_values(&self, job: Job<'_>) -> Result<PathBuf, RunError> {
        let (averages, training) = (Averages(&self.store), self.header.config.training);
        let exact = Exact { plan: &self.plan, buckets: &self.cards, weights: &averages };
        let flops = Flops::Sample(training.evaluate_flops.max(FEWEST), training.seed);
        let values = exact.values(flops, job).map_err(ValuesError::from)?;
        let latest = Checkpoint::open(self.dir.join(CheckpointKind::Latest.file()))?;
        Ok(values.save(&latest)?)
    }

    fn mark(&self) -> Mark {
        let Header { seconds, reached: Reached { iterations, visits, .. }, .. } = self.header;
        Mark { seconds, iterations, visits }
    }

    /// Evaluates the strategy and keeps it if it is significantly better than the best so far: on the
    /// same flops, or in a match. A cancelled evaluation leaves
    /// out what it had not measured.
    fn evaluate(&mut self, point: &mut Metrics, job: Job<'_>) -> Result<(), RunError> {
        let averages = Averages(&self.store);
        let own = TablePolicy { plan: &self.plan, buckets: &self.cards, weights: &averages };
        let (tree, seed) = (self.plan.tree(), self.header.config.training.seed);
        if self.estimate(&own, point, job.silent()).is_err() {
            return Ok(());
        }
        if let Some(best) = Best::improved(self.best.as_ref(), point) {
            self.save(CheckpointKind::BestExploitability)?;
            self.best = Some(best);
        }
        let file = self.dir.join(CheckpointKind::BestMatch.file());
        // One that is damaged is no opponent, and is replaced.
        let best = Checkpoint::open(&file).ok();
        let best = best.as_ref().filter(|best| best.header().cells == self.header.cells);
        let best = match best.map(|best| best.verify(job.silent())) {
            Some(Ok(best)) => best,
            Some(Err(CheckpointError::Cancelled(_))) => return Ok(()),
            _ => return self.save(CheckpointKind::BestMatch),
        };
        let other = TablePolicy { plan: &self.plan, buckets: &self.cards, weights: &best };
        let game = Match { tree, players: [&own, &other] };
        let Ok(won) = game.play(MATCH_DEALS, seed, job.silent()) else { return Ok(()) };
        let interval_mbb = won.overall.interval_mbb.unwrap_or(0.0);
        point.match_mbb = Some(MatchResult { mbb: won.overall.mbb, interval_mbb });
        if won.overall.mbb > interval_mbb { self.save(CheckpointKind::BestMatch) } else { Ok(()) }
    }

    /// Estimates the exploitability by best responses on a sample of flops. Where the configuration
    /// asks for no flops, local best response gives a lower bound.
    fn estimate(
        &self,
        own: &TablePolicy<'_, Averages<'_>>,
        point: &mut Metrics,
        job: Job<'_>,
    ) -> Result<(), Cancelled> {
        let (tree, training) = (self.plan.tree(), self.header.config.training);
        let (flops, seed) = (training.evaluate_flops, training.seed);
        if flops > 0 || self.plan.blocks(Street::Flop).is_empty() {
            let TablePolicy { plan, buckets, weights } = *own;
            let exact = Exact { plan, buckets, weights };
            // Always the same flops, so that what changes is the strategy.
            let flops = Flops::Sample(flops.max(FEWEST), seed);
            let adversary = Regrets::of_adversary(&self.store, 0);
            let adversary: Option<&dyn Weights> =
                (training.opponent == Opponent::Adversary).then_some(&adversary);
            let Measured { result: found, gains, .. } = exact.measure(flops, adversary, job)?;
            point.flop_gains_mbb = gains;
            point.exploitability = Some(Estimate {
                mbb: found.exploitability_mbb,
                interval_mbb: found.interval_mbb,
                optimistic_mbb: (!found.exact).then_some(found.optimistic_mbb),
                flops: Some(found.flops as u64),
                preflop: Some(found.preflop),
                kind: if found.exact { EstimateKind::Exact } else { EstimateKind::Flops },
            });
            return Ok(());
        }
        let lbr = LocalBestResponse { tree, policy: own, bets_from: Street::Preflop };
        let found = lbr.play(LBR_DEALS, seed, job)?;
        point.exploitability = Some(Estimate {
            mbb: found.overall.mbb,
            interval_mbb: found.overall.interval_mbb,
            optimistic_mbb: None,
            flops: None,
            preflop: None,
            kind: EstimateKind::Lbr,
        });
        Ok(())
    }

    /// Writes a checkpoint; only the latest can be resumed from.
    fn save(&self, kind: CheckpointKind) -> Result<(), RunError> {
        let header = Header { resumable: kind == CheckpointKind::Latest, ..self.header.clone() };
        let path = self.dir.join(kind.file());
        write_checkpoint(&path, &header, &self.store)?;
        // Values of the checkpoint before are not those of this one.
        match fs::remove_file(ValuesFile::beside(&path)) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(RunError::Io { path: ValuesFile::beside(&path), source })
            }
            _ => Ok(()),
        }
    }
}

/// What rank 0 decides.
fn decided(collective: &dyn Collective, own: [bool; 3]) -> Result<[bool; 3], RanksError> {
    let mut bytes = own.map(u8::from).to_vec();
    collective.broadcast(&mut bytes)?;
    match bytes[..] {
        [a, b, c] => Ok([a, b, c].map(|byte| byte != 0)),
        _ => Err(RanksError::Malformed(Malformed)),
    }
}

/// The first setting in which two ways to train differ, times and evaluations aside: those do not
/// change the strategy.
fn difference(old: &Training, new: &Training) -> Option<&'static str> {
    let differences = [
        (old.sampling != new.sampling, "sampling"),
        (old.opponent != new.opponent, "opponent"),
        (old.adversary != new.adversary, "adversary"),
        (old.rivers != new.rivers, "rivers"),
        (old.batch_size() != new.batch_size(), "batch"),
        (old.pooling != new.pooling, "pooling"),
        (old.stages != new.stages, "stages"),
        (old.seed != new.seed, "seed"),
        (old.discount != new.discount, "discount"),
        (old.prune != new.prune, "prune"),
    ];
    differences.into_iter().find(|&(differs, _)| differs).map(|(_, what)| what)
}

/// How far a run was at one time.
#[derive(Clone, Copy)]
struct Mark {
    seconds: f64,
    iterations: u64,
    visits: u64,
}

impl Mark {
    /// The metrics at this mark, with the speeds since an earlier one. An iteration deals `hands`
    /// hands to each player, and a visit of a public node counts as `hands_per_visit` visits.
    fn metrics(self, since: Mark, [hands, hands_per_visit]: [u64; 2]) -> Metrics {
        let seconds = self.seconds - since.seconds;
        let rate = |count: u64| (seconds > 0.0).then(|| count as f64 / seconds);
        let [iterations, visits] = [self.iterations - since.iterations, self.visits - since.visits];
        Metrics {
            seconds: self.seconds,
            iterations: self.iterations,
            visits: self.visits,
            iterations_per_second: rate(iterations),
            visits_per_second: rate(visits),
            nodes_per_second: rate(visits / hands_per_visit),
            hands_per_second: rate(iterations * hands),
            ..Metrics::default()
        }
    }
}

fn plan(config: &TrainConfig, cards: &CardModel) -> Result<Plan, RunError> {
    config.check()?;
    let tree = Tree::build(Game::hand(&config.game)?, Tree::NODE_LIMIT)?;
    if let Some(node) = tree.ids().find(|&node| tree.actions(node).len() > MAX_ACTIONS) {
        let (history, actions) = (tree.history(node), tree.actions(node).len());
        return Err(RunError::Actions { history, actions });
    }
    let group_sizes = Street::POSTFLOP.map(|street| cards.group_sizes(street));
    let plan = Plan::new(tree, cards.counts()).with_group_sizes(group_sizes);
    let training = &config.training;
    if !training.pooling.is_off() && plan.pools() == 0 {
        return Err(RunError::Pooling);
    }
    let beside = training.adversary_cells(&plan) + training.pooled_cells(&plan);
    let cells = plan.cells() as u64 + beside as u64;
    if cells > Changes::MAX_CELLS {
        return Err(RunError::Cells { cells });
    }
    Ok(plan)
}

/// Locks a directory for writing; creates it if it does not exist.
fn lock(dir: &Path) -> Result<File, RunError> {
    fs::create_dir_all(dir).map_err(|source| RunError::Io { path: dir.to_owned(), source })?;
    let path = dir.join(".lock");
    let file = File::options().write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(|source| RunError::Io { path: path.clone(), source })?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(RunError::Locked { dir: dir.to_owned() }),
        Err(TryLockError::Error(source)) => Err(RunError::Io { path, source }),
    }
}

/// A run that cannot start or resume.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The directory contains a run.
    #[error("{}: contains a run already; resume it, or use another directory", dir.display())]
    Exists {
        /// The directory.
        dir: PathBuf,
    },
    /// There is nothing to pool.
    #[error(
        "training.pooling needs an abstraction that distinguishes boards: one with flop clusters or board \
         textures; set training.pooling.weight to 0, or use another abstraction"
    )]
    Pooling,
    /// Another process trains there.
    #[error("{}: another process is training there", dir.display())]
    Locked {
        /// The directory.
        dir: PathBuf,
    },
    /// The run was made with something else.
    #[error(
        "{}: the run there was trained with another {what}; resume it with the configuration it was \
         started with, or use another directory",
        dir.display()
    )]
    Other {
        /// The directory.
        dir: PathBuf,
        /// What differs.
        what: &'static str,
    },
    /// The run was trained by another algorithm.
    #[error(
        "{}: trained by version {found} of the trainer, and this program has version {}: it opens, but \
         cannot be trained further; start a new run",
        dir.display(), Header::TRAINER
    )]
    Trainer {
        /// The directory.
        dir: PathBuf,
        /// The version.
        found: u32,
    },
    /// A setting is out of range.
    #[error(transparent)]
    Config(#[from] TrainConfigError),
    /// The stages do not fit the abstraction.
    #[error(transparent)]
    Stages(#[from] StagesError),
    /// The ranks were not started alike, or one ended at once.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// The ranks cannot train together any longer.
    #[error(
        "{0}; its work since the last checkpoint is lost: resume the run, on any number of ranks"
    )]
    Ranks(#[from] RanksError),
    /// The values cannot be computed or written.
    #[error(transparent)]
    Values(#[from] ValuesError),
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The checkpoint cannot be read or written.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The metrics cannot be read.
    #[error(transparent)]
    Metrics(#[from] MetricsError),
    /// The metrics cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The abstraction is damaged.
    #[error(transparent)]
    Abstraction(#[from] VerifyError),
    /// The game is invalid.
    #[error(transparent)]
    Game(#[from] ConfigError),
    /// The tree is too large.
    #[error(transparent)]
    Tree(#[from] TreeTooLarge),
    /// There are too many cells.
    #[error(
        "the game and its buckets have {cells} cells and at most 2^32 can be trained; use fewer buckets or bet sizes"
    )]
    Cells {
        /// How many.
        cells: u64,
    },
    /// A decision has too many actions.
    #[error(
        "the decision after '{history}' has {actions} actions and at most {MAX_ACTIONS} can be trained; list fewer sizes in game.bet_sizes"
    )]
    Actions {
        /// The betting before the decision.
        history: String,
        /// Its actions.
        actions: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::{Adversary, Discount, Opponent, Pooling, Sampling};
    use crate::{Prune, Stage, Stages};

    #[test]
    fn a_run_resumes_only_with_the_training_it_began_with() {
        let old = Training::default();
        assert_eq!(difference(&old, &Training { time: 1.0, evaluate_flops: 9, ..old }), None);
        let stages = vec![Stage { from: 0, clusters: 1 }, Stage { from: 9, clusters: 2 }];
        let stages = Stages::try_from(stages).expect("stages");
        for (new, name) in [
            (Training { sampling: Sampling::External, ..old }, "sampling"),
            (Training { opponent: Opponent::Adversary, ..old }, "opponent"),
            (Training { adversary: Adversary { slack: 0.2, ..old.adversary }, ..old }, "adversary"),
            (Training { rivers: 2, ..old }, "rivers"),
            (Training { batch: Some(3), ..old }, "batch"),
            (Training { pooling: Pooling { weight: 1.0, ..old.pooling }, ..old }, "pooling"),
            (Training { pooling: Pooling { iterations: 9.0, ..old.pooling }, ..old }, "pooling"),
            (Training { stages, ..old }, "stages"),
            (Training { seed: 1, ..old }, "seed"),
            (Training { discount: Discount { alpha: 1.0, ..old.discount }, ..old }, "discount"),
            (Training { prune: Prune { share: 0.1, ..old.prune }, ..old }, "prune"),
        ] {
            assert_eq!(difference(&old, &new), Some(name));
            assert_eq!(difference(&new, &new), None);
        }
    }
}
