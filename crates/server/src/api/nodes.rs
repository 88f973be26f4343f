//! Positions of solutions, saved or in memory, and of solves that run.

use std::io::{self, Write};
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use lethe_cards::{Range, Street};
use lethe_compute::Job;
use lethe_game::Player;
use lethe_kit::export::{SolutionRows, Table, TableFormat};
use lethe_kit::solution::{self, PositionRequest, PositionView, SolveOptions, SolveView};
use lethe_solver::Solution;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use super::{Shared, blocking, jobs, written};
use crate::app::App;
use crate::error::ApiError;
use crate::extract::{Id, Params};
use crate::jobs::Source;

/// What to show of a position.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Node {
    /// The betting and the dealt cards.
    #[serde(default)]
    line: String,
    /// Whose hands.
    player: Option<Side>,
    /// `all`, or a range.
    hands: Option<String>,
    #[serde(default)]
    grid: bool,
    #[serde(default)]
    classes: bool,
    #[serde(default)]
    runouts: bool,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Side {
    Oop,
    Ip,
}

impl Node {
    fn request(&self) -> Result<PositionRequest, ApiError> {
        let hands = match self.hands.as_deref() {
            None => None,
            Some("all") => Some(Range::full()),
            Some(text) => Some(text.parse()?),
        };
        Ok(PositionRequest {
            player: self.player.map(|side| match side {
                Side::Oop => Player::Oop,
                Side::Ip => Player::Ip,
            }),
            hands,
            grid: self.grid,
            classes: self.classes,
            runouts: self.runouts,
        })
    }

    fn of_solution(&self, app: &App, solution: &Solution) -> Result<PositionView, ApiError> {
        let (request, how) = (self.request()?, SolveOptions::default());
        let job = app.job();
        Ok(solution::view(solution, &self.line, &request, &how, job, &mut |_| ())?)
    }
}

pub(crate) async fn of_job(
    State(app): Shared,
    Id(id): Id<String>,
    Params(node): Params<Node>,
) -> Result<Response, ApiError> {
    written(move || {
        let mut source = jobs::source(&app, &id)?;
        if let Source::Running(viewer) = &source {
            let (asked, pool) = (node.clone(), app.pool.clone());
            let request = node.request()?;
            let answer = viewer.ask(move |solver| {
                let how = SolveOptions::default();
                solution::view_solver(solver, &asked.line, &request, &how, Job::new(&pool))
            });
            match answer {
                Some(view) => return Ok(view?),
                // The solve has just ended.
                None => source = jobs::source(&app, &id)?,
            }
        }
        match source {
            Source::Solved(solution) => node.of_solution(&app, &solution),
            _ => Err(ApiError::conflict("the solve is ending; ask again")),
        }
    })
    .await
}

pub(crate) async fn of_solution(
    State(app): Shared,
    Id(id): Id<String>,
    Params(node): Params<Node>,
) -> Result<Response, ApiError> {
    written(move || node.of_solution(&app, &*app.solution(&id)?)).await
}

/// A saved solution: how its solve ended, its spot and its locks.
#[derive(Serialize)]
struct SolutionView {
    name: String,
    spot: String,
    locks: Vec<String>,
    result: SolveView,
}

pub(crate) async fn solution(State(app): Shared, Id(id): Id<String>) -> Result<Response, ApiError> {
    written(move || {
        let solution = app.solution(&id)?;
        let spot = solution.spot();
        let lock = |lock| lethe_kit::spot::lock_text(spot, lock);
        Ok(SolutionView {
            spot: jobs::solution_text(&app, &id)?,
            locks: spot.locks().iter().map(lock).collect(),
            result: SolveView::of(&solution),
            name: id,
        })
    })
    .await
}

/// The spot of a saved solution, even of one that does not open.
pub(crate) async fn solution_spot(
    State(app): Shared,
    Id(id): Id<String>,
) -> Result<Response, ApiError> {
    #[derive(Serialize)]
    struct Spot {
        text: String,
    }
    written(move || Ok(Spot { text: jobs::solution_text(&app, &id)? })).await
}

/// What to export.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Export {
    /// Begin after this line.
    #[serde(default)]
    line: String,
    /// The last street, with every card that may be dealt.
    to: Option<String>,
    #[serde(default)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    #[default]
    Csv,
    Json,
}

impl Format {
    pub(crate) fn table(self) -> TableFormat {
        match self {
            Format::Csv => TableFormat::Csv,
            Format::Json => TableFormat::Json,
        }
    }

    /// The headers of a file of this format.
    pub(crate) fn headers(self, name: &str) -> [(header::HeaderName, String); 2] {
        let (kind, end) = match self {
            Format::Csv => ("text/csv; charset=utf-8", "csv"),
            Format::Json => ("application/x-ndjson", "jsonl"),
        };
        [
            (header::CONTENT_TYPE, kind.to_owned()),
            (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}.{end}\"")),
        ]
    }
}

pub(crate) async fn export_job(
    State(app): Shared,
    Id(id): Id<String>,
    Params(export): Params<Export>,
) -> Result<Response, ApiError> {
    let solution = match jobs::source(&app, &id)? {
        Source::Solved(solution) => solution,
        _ => return Err(ApiError::conflict("a solve is exported when it has ended")),
    };
    stream(app, solution, export, format!("solve-{id}")).await
}

pub(crate) async fn export_solution(
    State(app): Shared,
    Id(id): Id<String>,
    Params(export): Params<Export>,
) -> Result<Response, ApiError> {
    let of = app.clone();
    let name: String = id.chars().filter(char::is_ascii_alphanumeric).collect();
    let solution = blocking(move || of.solution(&id)).await?;
    stream(app, solution, export, name).await
}

/// Writes rows as they are computed; memory does not grow with their number.
async fn stream(
    app: Arc<App>,
    solution: Arc<Solution>,
    export: Export,
    name: String,
) -> Result<Response, ApiError> {
    let last = export.to.as_deref().map(str::parse::<Street>).transpose();
    let last = last.map_err(ApiError::unprocessable)?;
    // What cannot be exported is an error, not a file.
    let (checked, line) = (solution.clone(), export.line.clone());
    blocking(move || Ok(SolutionRows::new(&checked, &line, last).map(|_| ())?)).await?;
    let (sender, receiver) = mpsc::channel(8);
    tokio::task::spawn_blocking(move || {
        let written = (|| {
            let rows = SolutionRows::new(&solution, &export.line, last)?;
            let out = Box::new(io::BufWriter::with_capacity(1 << 16, Chunks(sender.clone())));
            let table = Table::stream(export.format.table(), &SolutionRows::SCHEMA, out)?;
            rows.write(table, app.job())
        })();
        if let Err(error) = written {
            // Breaks the transfer, so that nobody takes a part for the whole.
            let _ = sender.blocking_send(Err(io::Error::other(error.to_string())));
        }
    });
    let chunks = futures_util::stream::unfold(receiver, |mut receiver| async move {
        receiver.recv().await.map(|chunk| (chunk, receiver))
    });
    Ok((export.format.headers(&name), Body::from_stream(chunks)).into_response())
}

/// A writer to a stream.
struct Chunks(mpsc::Sender<io::Result<Bytes>>);

impl Write for Chunks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let chunk = Bytes::copy_from_slice(bytes);
        let sent = self.0.blocking_send(Ok(chunk));
        sent.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
