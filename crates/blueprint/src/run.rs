//! A run: a directory in which a strategy is trained, checked and kept.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use lethe_cards::Street;
use lethe_compute::Job;
use lethe_game::{ConfigError, Game, Tree, TreeTooLarge};

use crate::blueprint::{CardModel, CheckpointKind};
use crate::checkpoint::{Cards, Checkpoint, CheckpointError, Header, write_checkpoint};
use crate::config::TrainConfig;
use crate::exact::Exact;
use crate::exploitability::Flops;
use crate::metrics::{Estimate, EstimateKind, MatchResult, Metrics};
use crate::plan::{MAX_ACTIONS, Plan};
use crate::play::{LocalBestResponse, Match, TablePolicy};
use crate::store::{Averages, Store};
use crate::train::Trainer;

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
    /// The lowest estimate of exploitability so far; the metrics remember it when the run does not.
    best: Option<f64>,
    _lock: File,
}

/// When to stop.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Seconds of this invocation.
    pub seconds: Option<f64>,
    /// Iterations of the run in all.
    pub iterations: Option<u64>,
}

impl Run {
    /// Begins a run in a directory that holds none.
    pub fn create(dir: &Path, config: &TrainConfig, cards: CardModel) -> Result<Run, RunError> {
        let lock = lock(dir)?;
        if dir.join(CheckpointKind::Latest.file()).exists() {
            return Err(RunError::AlreadyThere { dir: dir.to_owned() });
        }
        // What a run that was taken away has left.
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
        let plan = plan(config, &cards)?;
        let header = Header {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            config: config.clone(),
            game_hash: config.game_hash(),
            cards: cards.cards(),
            cells: plan.cells() as u64,
            adversary_cells: config.training.opponent.cells(&plan) as u64,
            iterations: 0,
            visits: 0,
            seconds: 0.0,
            resumable: true,
        };
        let store = Store::new(&plan, config.training.opponent);
        Ok(Run { dir: dir.to_owned(), header, plan, cards, store, best: None, _lock: lock })
    }

    /// Goes on with the run in a directory from its last checkpoint; begins one if there is none.
    ///
    /// The configuration may differ from the run's in what does not change the strategy's meaning:
    /// times, and how often to look.
    pub fn resume(dir: &Path, config: &TrainConfig, cards: CardModel) -> Result<Run, RunError> {
        let file = dir.join(CheckpointKind::Latest.file());
        if !file.exists() {
            return Run::create(dir, config, cards);
        }
        let lock = lock(dir)?;
        let checkpoint = Checkpoint::open(&file)?;
        checkpoint.verify()?;
        let mut header = checkpoint.header().clone();
        let other = |what| RunError::Other { dir: dir.to_owned(), what };
        let checksum = |cards: Option<Cards>| cards.map(|cards| cards.checksum);
        if checksum(header.cards.clone()) != checksum(cards.cards()) {
            return Err(other("abstraction"));
        }
        if header.game_hash != config.game_hash() {
            return Err(other("game"));
        }
        let (old, new) = (header.config.training, config.training);
        if (old.sampling, old.opponent, old.seed, old.discount, old.prune)
            != (new.sampling, new.opponent, new.seed, new.discount, new.prune)
        {
            return Err(other("sampling, opponent, seed, discount or prune"));
        }
        header.config = config.clone();
        let plan = plan(config, &cards)?;
        let cells = [plan.cells(), new.opponent.cells(&plan)].map(|cells| cells as u64);
        let store = match checkpoint.restore() {
            Some(store) if [header.cells, header.adversary_cells] == cells => store,
            _ => return Err(other("number of cells")),
        };
        let best = Metrics::read(dir)
            .unwrap_or_default()
            .iter()
            .filter_map(|point| Some(point.exploitability?.mbb))
            .min_by(f64::total_cmp);
        Ok(Run { dir: dir.to_owned(), header, plan, cards, store, best, _lock: lock })
    }

    /// The betting and its cells.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// How far it is.
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

    /// Trains until a limit is reached or `job` wants no more.
    ///
    /// `tell` hears of every point that is measured, about once a second. Checkpoints are written
    /// as often as the configuration says and at the end.
    pub fn train(
        &mut self,
        limits: Limits,
        job: Job<'_>,
        tell: &mut dyn FnMut(&Metrics),
    ) -> Result<(), RunError> {
        let training = self.header.config.training;
        let end = limits.iterations.unwrap_or(u64::MAX);
        let most = limits.seconds.unwrap_or(f64::INFINITY);
        let (mut spent, mut saved, mut looked) = (0.0, 0.0, 0.0);
        let mut written = self.header.iterations;
        loop {
            let begun = Instant::now();
            let slice = (most - spent).min(training.checkpoint.clamp(0.01, 1.0));
            let at = [self.header.iterations, self.header.visits];
            let (store, plan) = (&self.store, &self.plan);
            let mut trainer = Trainer::new(plan, &self.cards, store, &training, at);
            trainer.run(end, job, &|| begun.elapsed().as_secs_f64() < slice && !job.cancelled());
            let seconds = begun.elapsed().as_secs_f64();
            let [iterations, visits] = [trainer.iterations() - at[0], trainer.visits() - at[1]];
            let hands = trainer.hands();
            spent += seconds;
            let done = spent >= most || trainer.iterations() >= end || job.cancelled();
            let looks = training.evaluate > 0.0
                && (spent - looked >= training.evaluate || done)
                && !job.cancelled();
            let saves = spent - saved >= training.checkpoint || done;
            let regret = (saves || looks).then(|| trainer.mean_regret());
            self.header.iterations = trainer.iterations();
            self.header.visits = trainer.visits();
            self.header.seconds += seconds;
            let mut point = Metrics {
                seconds: self.header.seconds,
                iterations: self.header.iterations,
                visits: self.header.visits,
                iterations_per_second: Some(iterations as f64 / seconds),
                visits_per_second: Some(visits as f64 / seconds),
                hands_per_second: Some((iterations * hands) as f64 / seconds),
                average_regret_mbb: regret,
                ..Metrics::default()
            };
            if saves && written != self.header.iterations {
                self.save(CheckpointKind::Latest)?;
                written = self.header.iterations;
                saved = spent;
            }
            if looks {
                looked = spent;
                self.look(&mut point, job)?;
                let found = point.exploitability.map(|estimate| estimate.mbb);
                self.best = self.best.into_iter().chain(found).min_by(f64::total_cmp);
            }
            if saves || looks {
                let path = self.dir.join(Metrics::FILE);
                point.append(&path).map_err(|source| RunError::Io { path, source })?;
            }
            tell(&point);
            if done {
                return Ok(());
            }
        }
    }

    /// Measures the strategy and keeps it if it is the best so far.
    fn look(&self, point: &mut Metrics, job: Job<'_>) -> Result<(), RunError> {
        let averages = Averages(&self.store);
        let own = TablePolicy { plan: &self.plan, buckets: &self.cards, weights: &averages };
        let (tree, seed) = (self.plan.tree(), self.header.config.training.seed);
        let flops = self.header.config.training.evaluate_flops;
        if flops > 0 || self.plan.blocks(Street::Flop).is_empty() {
            let exact = Exact { plan: &self.plan, buckets: &self.cards, weights: &averages };
            // Always the same flops, so that what changes is the strategy.
            let Some(found) = exact.exploitability(Flops::Sample(flops, seed), job.silent()) else {
                return Ok(());
            };
            point.exploitability = Some(Estimate {
                mbb: found.exploitability_mbb,
                interval_mbb: found.interval_mbb,
                optimistic_mbb: (!found.exact).then_some(found.optimistic_mbb),
                flops: Some(found.flops as u64),
                kind: if found.exact { EstimateKind::Exact } else { EstimateKind::Flops },
            });
        } else {
            let lbr = LocalBestResponse { tree, policy: &own, bets_from: Street::Preflop };
            let Some(found) = lbr.play(LBR_DEALS, seed, job.silent()) else {
                return Ok(());
            };
            point.exploitability = Some(Estimate {
                mbb: found.overall.mbb,
                interval_mbb: found.overall.interval_mbb.unwrap_or(0.0),
                optimistic_mbb: None,
                flops: None,
                kind: EstimateKind::Lbr,
            });
        }
        let found = point.exploitability.map_or(f64::INFINITY, |estimate| estimate.mbb);
        if self.best.is_none_or(|best| found < best) {
            self.save(CheckpointKind::BestExploitability)?;
        }
        let file = self.dir.join(CheckpointKind::BestMatch.file());
        let Ok(best) = Checkpoint::open(&file) else { return self.save(CheckpointKind::BestMatch) };
        let other = TablePolicy { plan: &self.plan, buckets: &self.cards, weights: &best };
        let game = Match { tree, players: [&own, &other] };
        let Some(won) = game.play(MATCH_DEALS, seed, job.silent()) else {
            return Ok(());
        };
        let interval_mbb = won.overall.interval_mbb.unwrap_or(0.0);
        point.match_mbb = Some(MatchResult { mbb: won.overall.mbb, interval_mbb });
        if won.overall.mbb > 0.0 { self.save(CheckpointKind::BestMatch) } else { Ok(()) }
    }

    /// Writes a checkpoint; only the latest is one to go on from.
    fn save(&self, which: CheckpointKind) -> Result<(), RunError> {
        let header = Header { resumable: which == CheckpointKind::Latest, ..self.header.clone() };
        Ok(write_checkpoint(&self.dir.join(which.file()), &header, &self.store)?)
    }
}

fn plan(config: &TrainConfig, cards: &CardModel) -> Result<Plan, RunError> {
    let tree = Tree::build(Game::hand(&config.game)?, Tree::NODE_LIMIT)?;
    if let Some(node) = tree.ids().find(|&node| tree.actions(node).len() > MAX_ACTIONS) {
        let (history, actions) = (tree.history(node), tree.actions(node).len());
        return Err(RunError::Actions { history, actions });
    }
    Ok(Plan::new(tree, cards.counts()))
}

/// Takes the right to write in a directory, which is made if it is not there.
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

/// A run that cannot begin or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// There is one already.
    #[error(
        "{}: holds a run already; --resume goes on with it, another --out begins a new one",
        dir.display()
    )]
    AlreadyThere {
        /// The directory.
        dir: PathBuf,
    },
    /// Another process trains there.
    #[error("{}: another process is training there", dir.display())]
    Locked {
        /// The directory.
        dir: PathBuf,
    },
    /// The run was made with something else.
    #[error(
        "{}: the run there was trained with another {what}; go on with the configuration it was begun with, or begin anew with another --out",
        dir.display()
    )]
    Other {
        /// The directory.
        dir: PathBuf,
        /// What differs.
        what: &'static str,
    },
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
    /// The game is none.
    #[error(transparent)]
    Game(#[from] ConfigError),
    /// The tree is too large.
    #[error(transparent)]
    Tree(#[from] TreeTooLarge),
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
