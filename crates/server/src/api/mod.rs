//! The handlers of the API, one module for each noun.

pub(crate) mod abstractions;
pub(crate) mod blueprints;
pub(crate) mod jobs;
pub(crate) mod library;
pub(crate) mod nodes;
pub(crate) mod play;
pub(crate) mod spots;
pub(crate) mod sweeps;

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use crate::app::App;
use crate::error::ApiError;

type Shared = State<Arc<App>>;
type Answer<T> = Result<Json<T>, ApiError>;

/// Does work that takes longer than a moment on a thread for such work.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err(ApiError::internal("an internal error; please report it")))
}

/// A view as JSON, made and written on such a thread.
async fn written<T: serde::Serialize>(
    make: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<axum::response::Response, ApiError> {
    let text = blocking(move || serde_json::to_string(&make()?).map_err(ApiError::internal));
    Ok(json(text.await?))
}

/// A text of JSON as an answer.
fn json(text: String) -> axum::response::Response {
    use axum::response::IntoResponse;
    ([(axum::http::header::CONTENT_TYPE, "application/json")], text).into_response()
}

/// A name that a client gives to something new.
fn checked_name(name: &str) -> Result<&str, ApiError> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    match (1..=64).contains(&name.len()) && name.chars().all(fits) {
        true => Ok(name),
        false => Err(ApiError::unprocessable(
            "a name has 1 to 64 letters, digits, hyphens and underscores",
        )),
    }
}
