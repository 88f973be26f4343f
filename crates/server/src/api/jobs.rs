//! Jobs: begun, watched, paused, resumed, stopped, saved.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{self, Stream};
use lethe_kit::limits::{TARGET, free_memory};
use lethe_kit::spot::{self, SpotCheck, SpotFile, add_lock, lock_text};
use lethe_kit::sweep::{Flops, Sweep};
use lethe_solver::{Options, Precision, Solver, Spot, Stop};
use serde::{Deserialize, Serialize};

use super::spots::{PrecisionName, fraction};
use super::{Answer, Shared, blocking, checked_name, spots, sweeps};
use crate::app::App;
use crate::error::ApiError;
use crate::extract::{Id, Input, Params};
use crate::jobs::{JobView, Record, Source, State as JobState, SweepState, Work, unused_name};

/// How often a stream of events says something, at most.
const PACE: Duration = Duration::from_millis(100);

/// What a job is to do. The spot is a text, or that of something known.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewJob {
    #[serde(default)]
    kind: Kind,
    name: Option<String>,
    /// The text of a spot file.
    spot: Option<String>,
    /// Or the spot of a saved solution.
    solution: Option<String>,
    /// Or that of a job.
    job: Option<u64>,
    /// Or a spot of the library.
    library: Option<String>,
    /// The locks, instead of those of the spot.
    locks: Option<Vec<String>>,
    /// The exploitability to reach, in percent of the pot.
    target: Option<f64>,
    iterations: Option<u32>,
    seconds: Option<f64>,
    #[serde(default)]
    precision: PrecisionName,
    /// Of a sweep: `all`, a number, or a list of flops.
    flops: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Kind {
    #[default]
    Solve,
    Sweep,
}

impl NewJob {
    fn names_spot(&self) -> bool {
        let texts = [&self.spot, &self.library, &self.solution];
        self.job.is_some() || texts.into_iter().any(Option::is_some)
    }

    fn text(&self, app: &App) -> Result<String, ApiError> {
        let sources = [self.spot.is_some(), self.solution.is_some(), self.job.is_some()];
        let given = sources.into_iter().chain([self.library.is_some()]).filter(|&given| given);
        if given.count() != 1 {
            let message = "give one of spot, library, solution and job";
            return Err(ApiError::unprocessable(message));
        }
        if let Some(id) = &self.solution {
            return solution_text(app, id);
        }
        if let Some(id) = &self.library {
            return spots::text(app, id);
        }
        match self.job {
            Some(id) => Ok(app.jobs.get(&id.to_string())?.view().spot),
            None => Ok(self.spot.clone().unwrap_or_default()),
        }
    }

    fn stop(&self) -> Result<Stop, ApiError> {
        let time = match self.seconds {
            None => None,
            Some(seconds) => match Duration::try_from_secs_f64(seconds) {
                Ok(time) if !time.is_zero() => Some(time),
                _ => return Err(ApiError::unprocessable("seconds are above 0")),
            },
        };
        if self.iterations == Some(0) {
            return Err(ApiError::unprocessable("iterations are above 0"));
        }
        let unlimited = self.iterations.is_none() && time.is_none();
        let target = fraction(self.target)?.or(unlimited.then_some(TARGET));
        Ok(Stop { target, iterations: self.iterations, time, ..Stop::default() })
    }
}

/// The spot of a saved solution: the file beside it, or what the solution itself says.
pub(super) fn solution_text(app: &App, id: &str) -> Result<String, ApiError> {
    let item = app.solution_item(id)?;
    if let Ok(bytes) = lethe_files::read(&item.path.with_extension("yaml"), 1 << 20) {
        return String::from_utf8(bytes).map_err(ApiError::internal);
    }
    let solution = app.solution(id)?;
    spot::text(solution.spot())
        .ok_or_else(|| ApiError::internal("the betting is not that of a spot"))
}

pub(crate) async fn create(
    State(app): Shared,
    Input(body): Input<NewJob>,
) -> Result<(StatusCode, Json<JobView>), ApiError> {
    let record = blocking(move || match body.kind {
        Kind::Solve => solve(&app, &body),
        Kind::Sweep => sweep(&app, &body),
    });
    Ok((StatusCode::CREATED, Json(record.await?.view())))
}

fn solve(app: &App, body: &NewJob) -> Result<Arc<Record>, ApiError> {
    let mut text = body.text(app)?;
    let stop = body.stop()?;
    let file = SpotFile::parse("spot", &text)?;
    // Before a tree is built that may be too large.
    let precision: Precision = body.precision.into();
    let threads = app.pool.threads();
    let check = SpotCheck::of(&file, precision, stop.target, threads, free_memory())?;
    if !check.fits {
        return Err(ApiError::unprocessable(check.remedy()));
    }
    let spot = match &body.locks {
        None => file.spot()?,
        Some(locks) => {
            let add =
                |spot: Spot, lock: &String| add_lock(spot, lock).map_err(ApiError::unprocessable);
            let spot = locks.iter().try_fold(file.unlocked()?, add)?;
            text = spot::text(&spot)
                .ok_or_else(|| ApiError::internal("the betting is not that of a spot"))?;
            spot
        }
    };
    let board = spot.board().to_string();
    let title = text.lines().next().and_then(|line| line.strip_prefix('#'));
    let name = body.name.clone().or(title.map(|title| title.trim().to_owned()));
    let options = Options { precision, ..Options::default() };
    let view = JobView {
        kind: "solve",
        name: shown(name, &board),
        locks: spot.locks().iter().map(|lock| lock_text(&spot, lock)).collect(),
        memory: Solver::memory(&spot, &options).total(),
        board,
        target_percent: stop.target.map(|target| 100.0 * target),
        ..blank(text, body.precision)
    };
    app.jobs.add(view, Work::Solve { spot: Box::new(spot), precision, stop })
}

/// Resumes the sweep of this name, of which nothing else is given.
fn resume_sweep(app: &App, id: &str, precision: PrecisionName) -> Result<Arc<Record>, ApiError> {
    let sweep = sweeps::find(app, id)?;
    let text = sweep.spot().to_owned();
    let target = sweep.target();
    add_sweep(app, id.to_owned(), text, sweep, target, precision)
}

fn sweep(app: &App, body: &NewJob) -> Result<Arc<Record>, ApiError> {
    if let (Some(id), true) = (&body.name, body.flops.is_none() && !body.names_spot()) {
        return resume_sweep(app, id, body.precision);
    }
    let text = body.text(app)?;
    let target = fraction(body.target)?.unwrap_or(0.005);
    let flops = Flops::parse(body.flops.as_deref().unwrap_or("25"));
    let flops = flops.map_err(ApiError::unprocessable)?;
    let id = match &body.name {
        Some(name) => checked_name(name)?.to_owned(),
        None => unused_name(&app.data.sweeps(), "sweep"),
    };
    let sweep = Sweep::create(&app.data.sweeps().join(&id), &text, &flops, target);
    let sweep = sweep.map_err(ApiError::unprocessable)?;
    add_sweep(app, id, text, sweep, target, body.precision)
}

fn add_sweep(
    app: &App,
    id: String,
    text: String,
    sweep: Sweep,
    target: f64,
    precision: PrecisionName,
) -> Result<Arc<Record>, ApiError> {
    let file = SpotFile::parse("spot", &text)?;
    let threads = app.pool.threads();
    let check = SpotCheck::of(&file, precision.into(), Some(target), threads, free_memory())?;
    if !check.fits {
        return Err(ApiError::unprocessable(check.remedy()));
    }
    let state = SweepState { id: id.clone(), done: 0, total: sweep.total(), flop: String::new() };
    let view = JobView {
        kind: "sweep",
        name: id,
        sweep: Some(state),
        memory: check.tree.map_or(0, |tree| tree.memory.f32),
        target_percent: Some(100.0 * target),
        ..blank(text, precision)
    };
    let work = Work::Sweep { sweep: Box::new(sweep), precision: precision.into() };
    app.jobs.add(view, work)
}

/// A job that has not begun.
fn blank(spot: String, precision: PrecisionName) -> JobView {
    JobView {
        id: 0,
        kind: "",
        name: String::new(),
        state: JobState::Queued,
        error: None,
        spot,
        locks: Vec::new(),
        board: String::new(),
        precision: precision.name(),
        target_percent: None,
        memory: 0,
        iteration: 0,
        exploitability_percent: None,
        seconds: 0.0,
        seconds_left: None,
        sweep: None,
        saved: None,
        result: None,
        points: Vec::new(),
    }
}

fn shown(name: Option<String>, board: &str) -> String {
    let name = name.unwrap_or_default();
    let name: String = name.chars().filter(|c| !c.is_control()).take(80).collect();
    if name.is_empty() { board.to_owned() } else { name }
}

pub(crate) async fn list(State(app): Shared) -> Json<Vec<JobView>> {
    Json(app.jobs.all().iter().map(|record| record.news(usize::MAX)).collect())
}

pub(crate) async fn get(State(app): Shared, Id(id): Id<String>) -> Answer<JobView> {
    Ok(Json(app.jobs.get(&id)?.view()))
}

pub(crate) async fn delete(State(app): Shared, Id(id): Id<String>) -> Result<StatusCode, ApiError> {
    app.jobs.forget(&id)?;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) async fn pause(State(app): Shared, Id(id): Id<String>) -> Answer<JobView> {
    let record = app.jobs.get(&id)?;
    record.pause()?;
    Ok(Json(record.view()))
}

pub(crate) async fn resume(State(app): Shared, Id(id): Id<String>) -> Answer<JobView> {
    let record = app.jobs.get(&id)?;
    record.resume()?;
    Ok(Json(record.view()))
}

/// Stops a job and waits for it to end, which takes at most a tenth of a second.
pub(crate) async fn stop(State(app): Shared, Id(id): Id<String>) -> Answer<JobView> {
    let record = app.jobs.get(&id)?;
    let mut changes = record.changes();
    record.stop();
    let ended = async {
        while !record.news(usize::MAX).state.is_over() && changes.changed().await.is_ok() {}
    };
    let _ = tokio::time::timeout(Duration::from_secs(2), ended).await;
    Ok(Json(record.view()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Save {
    name: String,
    /// Whether a solution of this name may be replaced.
    #[serde(default)]
    replace: bool,
}

#[derive(Serialize)]
pub(crate) struct Saved {
    solution: String,
}

pub(crate) async fn save(
    State(app): Shared,
    Id(id): Id<String>,
    Input(body): Input<Save>,
) -> Result<(StatusCode, Json<Saved>), ApiError> {
    let saved = blocking(move || {
        let name = checked_name(&body.name)?;
        let record = app.jobs.get(&id)?;
        let dir = app.data.solutions();
        if !body.replace && dir.join(name).with_extension("lethe").exists() {
            let message = format_args!("there is a solution {name}; choose another name");
            return Err(ApiError::conflict(message));
        }
        record.save(&dir, name, app.job())?;
        Ok(Saved { solution: body.name })
    });
    Ok((StatusCode::CREATED, Json(saved.await?)))
}

#[derive(Deserialize)]
pub(crate) struct Since {
    /// The points that the client has.
    #[serde(default)]
    points: usize,
}

/// The state of a job whenever it changes, at most ten times a second, until it is over.
pub(crate) async fn events(
    State(app): Shared,
    Id(id): Id<String>,
    Params(since): Params<Since>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    let record = app.jobs.get(&id)?;
    let changes = record.changes();
    let first = (record, changes, since.points, false, true);
    let events = stream::unfold(first, |(record, mut changes, points, over, begins)| async move {
        if over {
            return None;
        }
        if !begins {
            tokio::time::sleep(PACE).await;
            changes.changed().await.ok()?;
        }
        changes.borrow_and_update();
        let news = record.news(points);
        let (points, over) = (points + news.points.len(), news.state.is_over());
        let event = Event::default().event("job").json_data(&news).unwrap_or_default();
        Some((Ok(event), (record, changes, points, over, false)))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

/// Where the strategies of a job are.
pub(super) fn source(app: &App, id: &str) -> Result<Source, ApiError> {
    match app.jobs.get(id)?.source() {
        Source::None => Err(ApiError::conflict("the solve has not begun yet")),
        source => Ok(source),
    }
}
