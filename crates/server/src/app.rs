//! `App`: what all requests share.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use lethe_abstraction::Abstraction;
use lethe_blueprint::{Blueprint, CheckpointKind};
use lethe_compute::{Job, Pool};
use lethe_kit::data::DataDir;
use lethe_kit::inventory::{Inventory, RunItem, SolutionItem};
use lethe_kit::runs;
use lethe_kit::solution::SolutionError;
use lethe_solver::Solution;

use crate::error::ApiError;
use crate::guard::Guard;
use crate::jobs::Jobs;
use crate::play::Tables;

/// What all requests share.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) data: DataDir,
    pub(crate) guard: Guard,
    pub(crate) jobs: Jobs,
    pub(crate) tables: Tables,
    /// The threads of views; a running solve has its own.
    pub(crate) pool: Arc<Pool>,
    solutions: Opened<Solution>,
    blueprints: Opened<Blueprint>,
    abstractions: Opened<Abstraction>,
}

impl App {
    pub(crate) fn new(
        data: DataDir,
        guard: Guard,
        jobs: Jobs,
        tables: Tables,
        pool: Arc<Pool>,
    ) -> App {
        App {
            data,
            guard,
            jobs,
            tables,
            pool,
            solutions: Opened::new(4),
            blueprints: Opened::new(2),
            abstractions: Opened::new(4),
        }
    }

    /// A job on the threads of views.
    pub(crate) fn job(&self) -> Job<'_> {
        Job::new(&self.pool)
    }

    /// Everything in the data directory.
    pub(crate) fn inventory(&self) -> Result<Inventory, ApiError> {
        Ok(Inventory::of(&self.data)?)
    }

    /// The saved solution of this name. Names are looked up in the directory, never joined to it.
    pub(crate) fn solution_item(&self, id: &str) -> Result<SolutionItem, ApiError> {
        let mut all = self.inventory()?.solutions.into_iter();
        all.find(|item| item.name == id).ok_or_else(|| ApiError::missing("solution", id))
    }

    /// Opens a saved solution.
    pub(crate) fn solution(&self, id: &str) -> Result<Arc<Solution>, ApiError> {
        let item = self.solution_item(id)?;
        self.solutions.get(&item.path, || {
            let file = item.path.display().to_string();
            Solution::open(&item.path, self.job())
                .map_err(|error| SolutionError::Open { file, error }.into())
        })
    }

    /// The run of this name.
    pub(crate) fn run_item(&self, id: &str) -> Result<RunItem, ApiError> {
        let mut all = self.inventory()?.runs.into_iter();
        all.find(|item| item.name == id).ok_or_else(|| ApiError::missing("run", id))
    }

    /// Opens the latest checkpoint of a run.
    pub(crate) fn blueprint(&self, id: &str) -> Result<Arc<Blueprint>, ApiError> {
        let item = self.run_item(id)?;
        let kinds = runs::KINDS.into_iter();
        let kind = kinds.clone().find(|kind| item.path.join(kind.file()).exists());
        let kind = kind.unwrap_or(CheckpointKind::Latest);
        let file = item.path.join(kind.file());
        self.blueprints.get(&file, || Ok(runs::open(&self.data, &item.path, kind)?))
    }

    /// Opens an abstraction.
    pub(crate) fn abstraction(&self, id: &str) -> Result<Arc<Abstraction>, ApiError> {
        let mut all = self.inventory()?.abstractions.abstractions.into_iter();
        let item = all.find(|item| item.name == id);
        let item = item.ok_or_else(|| ApiError::missing("abstraction", id))?;
        let open = || Abstraction::open(&item.path).map_err(|e| lethe_kit::Error::from(e).into());
        self.abstractions.get(&item.path, open)
    }
}

/// The files opened last, so that a walk through one opens it once.
#[derive(Debug)]
struct Opened<T> {
    most: usize,
    items: Mutex<Vec<(Version, Arc<T>)>>,
}

/// A file as it was when it was opened.
type Version = (std::path::PathBuf, Option<SystemTime>, u64);

impl<T> Opened<T> {
    fn new(most: usize) -> Opened<T> {
        Opened { most, items: Mutex::default() }
    }

    fn get(
        &self,
        path: &Path,
        open: impl FnOnce() -> Result<T, ApiError>,
    ) -> Result<Arc<T>, ApiError> {
        let found = std::fs::metadata(path).ok();
        let modified = found.as_ref().and_then(|found| found.modified().ok());
        let version = (path.to_owned(), modified, found.map_or(0, |found| found.len()));
        // Held while a file is opened: a second request for it waits and finds it.
        let mut items = self.items.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = items.iter().position(|item| item.0 == version) {
            let item = items.remove(place);
            items.push(item);
        } else {
            items.retain(|item| item.0.0 != version.0);
            items.push((version, Arc::new(open()?)));
            if items.len() > self.most {
                items.remove(0);
            }
        }
        Ok(items.last().expect("one was just added").1.clone())
    }
}
