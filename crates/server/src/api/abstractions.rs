//! Abstractions: their streets, a bucket, a board, two of them compared.

use axum::extract::State;
use axum::response::Response;
use lethe_cards::{Board, Street};
use lethe_kit::abstractions::{BoardView, BucketView, DiffView, Overview};
use serde::Deserialize;

use super::{Shared, blocking, json, written};
use crate::error::ApiError;
use crate::extract::{Id, Params};

fn street(text: &str) -> Result<Street, ApiError> {
    let street: Street = text.parse().map_err(ApiError::unprocessable)?;
    match street {
        Street::Preflop => Err(ApiError::unprocessable("the street is flop, turn or river")),
        street => Ok(street),
    }
}

/// The streets to describe; all if none is named.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Which {
    street: Option<String>,
}

impl Which {
    fn streets(&self) -> Result<Vec<Street>, ApiError> {
        match &self.street {
            Some(text) => Ok(vec![street(text)?]),
            None => Ok(Street::POSTFLOP.to_vec()),
        }
    }
}

pub(crate) async fn get(
    State(app): Shared,
    Id(id): Id<String>,
    Params(which): Params<Which>,
) -> Result<Response, ApiError> {
    let text = blocking(move || {
        let abstraction = app.abstraction(&id)?;
        let view = Overview::of(&abstraction, &which.streets()?)?;
        serde_json::to_string(&view).map_err(ApiError::internal)
    });
    Ok(json(text.await?))
}

pub(crate) async fn bucket(
    State(app): Shared,
    Id((id, on, number)): Id<(String, String, String)>,
) -> Result<Response, ApiError> {
    written(move || {
        let abstraction = app.abstraction(&id)?;
        let missing = || ApiError::missing("bucket", &number);
        let number = number.parse().map_err(|_| missing())?;
        Ok(BucketView::of(&abstraction, street(&on)?, number, app.job())?)
    })
    .await
}

pub(crate) async fn board(
    State(app): Shared,
    Id((id, cards)): Id<(String, String)>,
) -> Result<Response, ApiError> {
    written(move || {
        let abstraction = app.abstraction(&id)?;
        let board: Board = cards.parse()?;
        if board.street() == Street::Preflop {
            return Err(ApiError::unprocessable("a board has three, four or five cards"));
        }
        Ok(BoardView::of(&abstraction, board)?)
    })
    .await
}

pub(crate) async fn diff(
    State(app): Shared,
    Id((a, b)): Id<(String, String)>,
    Params(which): Params<Which>,
) -> Result<Response, ApiError> {
    written(move || {
        let streets = match which.street {
            None => vec![Street::Flop],
            Some(_) => which.streets()?,
        };
        Ok(DiffView::of(&*app.abstraction(&a)?, &*app.abstraction(&b)?, &streets, app.job())?)
    })
    .await
}
