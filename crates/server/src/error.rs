//! `ApiError`: what a request is answered with when it cannot be done.

use std::sync::Arc;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use lethe_cards::ParseError;
use lethe_kit::config::ConfigError;
use lethe_kit::export::ExportError;
use lethe_kit::solution::SolutionError;
use serde::Serialize;

/// A status with a message for people, and where in the text that was sent the problem is.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ApiError {
    #[serde(skip)]
    status: StatusCode,
    /// What is wrong, and what would be right.
    error: String,
    /// The line of the text, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// The column of the line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
}

impl ApiError {
    /// A status and a message.
    pub(crate) fn new(status: StatusCode, message: impl ToString) -> ApiError {
        ApiError { status, error: message.to_string(), line: None, column: None }
    }

    /// Something that is not there.
    pub(crate) fn missing(what: &str, id: &str) -> ApiError {
        let id: String = id.chars().take(80).collect();
        ApiError::new(
            StatusCode::NOT_FOUND,
            format_args!("there is no {what} {}", id.escape_debug()),
        )
    }

    /// A request that is understood and cannot be done as it is.
    pub(crate) fn unprocessable(message: impl ToString) -> ApiError {
        ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, message)
    }

    /// A request that contradicts the state of what it is about.
    pub(crate) fn conflict(message: impl ToString) -> ApiError {
        ApiError::new(StatusCode::CONFLICT, message)
    }

    /// A fault of this machine or its files.
    pub(crate) fn internal(message: impl ToString) -> ApiError {
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.status, Json(self)).into_response()
    }
}

impl From<ParseError> for ApiError {
    fn from(error: ParseError) -> ApiError {
        let (line, column) = (Some(1), Some(error.at + 1));
        ApiError { line, column, ..ApiError::unprocessable(error) }
    }
}

impl From<ConfigError> for ApiError {
    fn from(error: ConfigError) -> ApiError {
        let (line, column) = error.position().unzip();
        ApiError { line, column, ..ApiError::unprocessable(error.message()) }
    }
}

impl From<SolutionError> for ApiError {
    fn from(error: SolutionError) -> ApiError {
        match error {
            SolutionError::Config(error) => error.into(),
            error if error.is_cancelled() => ApiError::conflict("stopped"),
            SolutionError::Open { .. } => ApiError::internal(error),
            error => ApiError::unprocessable(error),
        }
    }
}

impl From<lethe_kit::Error> for ApiError {
    fn from(error: lethe_kit::Error) -> ApiError {
        match error {
            lethe_kit::Error::Config(error) => error.into(),
            error if error.is_input() => ApiError::unprocessable(error),
            error => ApiError::internal(error),
        }
    }
}

impl From<ExportError> for ApiError {
    fn from(error: ExportError) -> ApiError {
        match error {
            ExportError::Solution(error) => error.into(),
            ExportError::Io(error) => ApiError::internal(error),
            ExportError::File(error) => ApiError::internal(error),
            error => ApiError::unprocessable(error),
        }
    }
}

impl From<Arc<ApiError>> for ApiError {
    fn from(error: Arc<ApiError>) -> ApiError {
        (*error).clone()
    }
}
