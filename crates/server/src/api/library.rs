//! What is on this machine.

use std::path::Path;
use std::time::UNIX_EPOCH;

use axum::Json;
use axum::extract::State;
use lethe_kit::abstractions::ListItem;
use lethe_kit::inventory::{Inventory, RunItem, SolutionItem};
use lethe_kit::limits::free_memory;
use lethe_kit::spot::SpotFile;
use serde::Serialize;

use super::{Answer, Shared, blocking, spots, sweeps};
use crate::app::App;
use crate::error::ApiError;
use crate::jobs::JobView;

/// Who answers: a second server on the same port reads this.
#[derive(Serialize)]
pub(crate) struct ServerView {
    pub(crate) program: &'static str,
    pub(crate) version: &'static str,
    pub(crate) process: u32,
    pub(crate) data: String,
}

impl ServerView {
    fn of(app: &App) -> ServerView {
        ServerView {
            program: "lethe",
            version: env!("CARGO_PKG_VERSION"),
            process: std::process::id(),
            data: app.data.root().display().to_string(),
        }
    }
}

/// Everything on this machine.
#[derive(Serialize)]
pub(crate) struct Library {
    server: ServerView,
    threads: usize,
    free_memory: Option<u64>,
    spots: Vec<spots::SpotItem>,
    solutions: Vec<Dated<SolutionItem>>,
    runs: Vec<Dated<RunItem>>,
    abstractions: Vec<ListItem>,
    sweeps: Vec<sweeps::SweepItem>,
    jobs: Vec<JobView>,
}

/// An item with its date and, of a solution, its board.
#[derive(Serialize)]
struct Dated<T> {
    #[serde(flatten)]
    item: T,
    /// Seconds since 1970.
    modified: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    board: Option<String>,
}

/// When a file was written, in seconds since 1970.
pub(super) fn modified(path: &Path) -> Option<u64> {
    let time = std::fs::metadata(path).ok()?.modified().ok()?;
    Some(time.duration_since(UNIX_EPOCH).ok()?.as_secs())
}

pub(crate) async fn server(State(app): Shared) -> Json<ServerView> {
    Json(ServerView::of(&app))
}

pub(crate) async fn library(State(app): Shared) -> Answer<Library> {
    blocking(move || list(&app)).await.map(Json)
}

fn list(app: &App) -> Result<Library, ApiError> {
    let Inventory { abstractions, runs, solutions } = app.inventory()?;
    let solution = |item: SolutionItem| {
        let beside = SpotFile::read(&item.path.with_extension("yaml")).ok();
        let board = beside.map(|file| file.board().to_string());
        Dated { modified: modified(&item.path), board, item }
    };
    let run = |item: RunItem| Dated { modified: modified(&item.path), board: None, item };
    Ok(Library {
        server: ServerView::of(app),
        threads: app.pool.threads(),
        free_memory: free_memory(),
        spots: spots::all(app),
        solutions: solutions.into_iter().map(solution).collect(),
        runs: runs.into_iter().map(run).collect(),
        abstractions: abstractions.abstractions,
        sweeps: sweeps::all(app),
        jobs: app.jobs.all().iter().map(|record| record.news(usize::MAX)).collect(),
    })
}
