//! Tables: opened, played at, asked for hints and reviews, closed.

use std::convert::Infallible;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream};
use lethe_agent::SearchFrom;
use lethe_game::Player;
use serde::{Deserialize, Serialize};

use super::{Answer, Shared, blocking};
use crate::error::ApiError;
use crate::extract::{Id, Input};
use crate::play::{FinishedView, PlayView, Setup, Table};

/// How often a stream of events says something, at most.
const PACE: Duration = Duration::from_millis(50);
/// The type of a file of hand histories.
const PHH: &str = "application/toml";
/// The most iterations of a solve.
const ITERATIONS: u32 = 10_000;
/// Where they are not given.
const DEFAULT_ITERATIONS: u32 = 100;

/// What a table is set up with.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewTable {
    run: String,
    #[serde(default)]
    seat: Seat,
    seed: Option<u32>,
    stack: Option<u32>,
    #[serde(default)]
    search: SearchFrom,
    iterations: Option<u32>,
}

/// Where the person sits.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Seat {
    /// In turn.
    #[default]
    Both,
    Sb,
    Bb,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Act {
    action: String,
}

/// All tables.
#[derive(Serialize)]
pub(crate) struct TableList {
    tables: Vec<PlayView>,
}

pub(crate) async fn list(State(app): Shared) -> Json<TableList> {
    Json(TableList { tables: app.tables.all().iter().map(|table| table.view()).collect() })
}

pub(crate) async fn create(
    State(app): Shared,
    Input(body): Input<NewTable>,
) -> Result<(StatusCode, Json<PlayView>), ApiError> {
    let opened = blocking(move || {
        let iterations = body.iterations.unwrap_or(DEFAULT_ITERATIONS);
        if !(1..=ITERATIONS).contains(&iterations) {
            let message = format_args!("iterations are from 1 to {ITERATIONS}");
            return Err(ApiError::unprocessable(message));
        }
        let blueprint = app.blueprint(&body.run)?;
        let mut random = [0; 4];
        getrandom::fill(&mut random).map_err(ApiError::internal)?;
        let setup = Setup {
            run: body.run,
            seat: match body.seat {
                Seat::Both => None,
                Seat::Sb => Some(Player::Ip),
                Seat::Bb => Some(Player::Oop),
            },
            seed: body.seed.unwrap_or(u32::from_le_bytes(random)).into(),
            stack: body.stack,
            search: body.search,
            iterations,
        };
        app.tables.open(setup, blueprint)
    });
    Ok((StatusCode::CREATED, Json(opened.await?.view())))
}

pub(crate) async fn get(State(app): Shared, Id(id): Id<String>) -> Answer<PlayView> {
    Ok(Json(app.tables.get(&id)?.view()))
}

pub(crate) async fn delete(State(app): Shared, Id(id): Id<String>) -> Result<StatusCode, ApiError> {
    app.tables.close(&id)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Does something at a table and returns what it looks like then.
fn at(
    app: &crate::app::App,
    id: &str,
    change: impl FnOnce(&Table) -> Result<(), ApiError>,
) -> Answer<PlayView> {
    let table = app.tables.get(id)?;
    change(&table)?;
    Ok(Json(table.view()))
}

pub(crate) async fn act(
    State(app): Shared,
    Id(id): Id<String>,
    Input(body): Input<Act>,
) -> Answer<PlayView> {
    at(&app, &id, |table| table.act(&body.action))
}

pub(crate) async fn deal(State(app): Shared, Id(id): Id<String>) -> Answer<PlayView> {
    at(&app, &id, Table::deal)
}

pub(crate) async fn hint(State(app): Shared, Id(id): Id<String>) -> Answer<PlayView> {
    at(&app, &id, Table::ask_hint)
}

pub(crate) async fn values(State(app): Shared, Id(id): Id<String>) -> Answer<PlayView> {
    at(&app, &id, Table::ask_values)
}

pub(crate) async fn resume(State(app): Shared, Id(id): Id<String>) -> Answer<PlayView> {
    at(&app, &id, Table::resume)
}

/// Stops what is computed and waits for its end, which takes at most a tenth of a second.
pub(crate) async fn stop(State(app): Shared, Id(id): Id<String>) -> Answer<PlayView> {
    let table = app.tables.get(&id)?;
    let mut changes = table.changes();
    table.stop()?;
    let ended = async { while !table.is_idle() && changes.changed().await.is_ok() {} };
    let _ = tokio::time::timeout(Duration::from_secs(2), ended).await;
    Ok(Json(table.view()))
}

pub(crate) async fn hand(
    State(app): Shared,
    Id((id, number)): Id<(String, String)>,
) -> Answer<FinishedView> {
    Ok(Json(app.tables.get(&id)?.hand(&number)?))
}

/// The hands that are over, in PHH.
pub(crate) async fn history(State(app): Shared, Id(id): Id<String>) -> Result<Response, ApiError> {
    let table = app.tables.get(&id)?;
    let name = format!("attachment; filename=\"table-{}.phhs\"", table.id);
    let headers = [(header::CONTENT_TYPE, PHH.to_owned()), (header::CONTENT_DISPOSITION, name)];
    Ok((headers, blocking(move || table.history()).await?).into_response())
}

/// The state of a table whenever it changes, until it is closed.
pub(crate) async fn events(
    State(app): Shared,
    Id(id): Id<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    let table = app.tables.get(&id)?;
    let changes = table.changes();
    let first = (app, table, changes, true);
    let events = stream::unfold(first, |(app, table, mut changes, begins)| async move {
        if !begins {
            tokio::time::sleep(PACE).await;
            changes.changed().await.ok()?;
        }
        // A closed table is not known any more.
        app.tables.get(&table.id.to_string()).ok()?;
        changes.borrow_and_update();
        let event = Event::default().event("table").json_data(table.view()).unwrap_or_default();
        Some((Ok(event), (app, table, changes, false)))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}
