//! Blueprints: how they were trained, what they do, and the spots they play into.

use axum::extract::State;
use axum::response::Response;
use lethe_kit::inventory::RunItem;
use lethe_kit::report::TrainingHistory;
use lethe_kit::{strategy, subgame};
use serde::{Deserialize, Serialize};

use super::{Shared, written};
use crate::error::ApiError;
use crate::extract::{Id, Params};

/// A run and how it went.
#[derive(Serialize)]
struct BlueprintView {
    #[serde(flatten)]
    item: RunItem,
    /// The configuration of its training, with the game.
    config: Option<serde_json::Value>,
    /// How it went; `None` where no point was written.
    history: Option<TrainingHistory>,
    curves: Vec<CurveView>,
}

/// A curve over training time.
#[derive(Serialize)]
struct CurveView {
    name: &'static str,
    unit: &'static str,
    /// Seconds, value, and half the width of its interval.
    points: Vec<[f64; 3]>,
}

pub(crate) async fn get(State(app): Shared, Id(id): Id<String>) -> Result<Response, ApiError> {
    written(move || {
        let item = app.run_item(&id)?;
        let history = TrainingHistory::read(&item.path).ok();
        let curves = history.iter().flat_map(TrainingHistory::curves);
        let curves = curves.map(|curve| CurveView {
            name: curve.name,
            unit: curve.unit,
            points: curve.points,
        });
        let curves = curves.collect();
        let blueprint = app.blueprint(&id).ok();
        let config = blueprint.and_then(|it| serde_json::to_value(&it.header().config).ok());
        Ok(BlueprintView { config, history, curves, item })
    })
    .await
}

/// A line, with its cards after each `/` where hands are to be shown.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Line {
    #[serde(default)]
    line: String,
    /// Whether to list all hands, where the board is known.
    #[serde(default)]
    hands: bool,
}

pub(crate) async fn node(
    State(app): Shared,
    Id(id): Id<String>,
    Params(at): Params<Line>,
) -> Result<Response, ApiError> {
    written(move || {
        let blueprint = app.blueprint(&id)?;
        let ask = |hands| {
            let question = strategy::Question { line: &at.line, hands, ..Default::default() };
            strategy::ask(&blueprint, &question)
        };
        match ask(at.hands) {
            Err(lethe_kit::Error::BoardNeeded(_)) => Ok(ask(false)?),
            answer => Ok(answer?),
        }
    })
    .await
}

pub(crate) async fn spot(
    State(app): Shared,
    Id(id): Id<String>,
    Params(at): Params<Line>,
) -> Result<Response, ApiError> {
    written(move || Ok(subgame::street_spot(&*app.blueprint(&id)?, &at.line)?)).await
}
