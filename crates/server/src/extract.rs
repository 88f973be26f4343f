//! What handlers take from a request: bodies, queries and paths whose errors are [`ApiError`]s.

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::app::App;
use crate::error::ApiError;
use crate::guard::BODY_LIMIT;

/// A body of JSON.
pub(crate) struct Input<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<std::sync::Arc<App>> for Input<T> {
    type Rejection = ApiError;

    async fn from_request(
        request: Request<Body>,
        _: &std::sync::Arc<App>,
    ) -> Result<Input<T>, ApiError> {
        let too_large = || {
            let message = format_args!("a body has at most {} kB", BODY_LIMIT / 1024);
            ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, message)
        };
        let length = request.headers().get("content-length").and_then(|x| x.to_str().ok());
        if length.and_then(|x| x.parse::<u64>().ok()).is_some_and(|x| x > BODY_LIMIT as u64) {
            return Err(too_large());
        }
        let bytes = to_bytes(request.into_body(), BODY_LIMIT).await.map_err(|_| too_large())?;
        serde_json::from_slice(&bytes).map(Input).map_err(|error| {
            ApiError::new(
                StatusCode::BAD_REQUEST,
                format_args!("the body is not what is expected: {error}"),
            )
        })
    }
}

/// The query of an address.
pub(crate) struct Params<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<std::sync::Arc<App>> for Params<T> {
    type Rejection = ApiError;

    async fn from_request_parts(
        parts: &mut Parts,
        _: &std::sync::Arc<App>,
    ) -> Result<Params<T>, ApiError> {
        let query = Query::try_from_uri(&parts.uri);
        query.map(|Query(value)| Params(value)).map_err(|error| {
            ApiError::new(
                StatusCode::BAD_REQUEST,
                format_args!("the query is not what is expected: {error}"),
            )
        })
    }
}

/// The names in the path of an address.
pub(crate) struct Id<T>(pub(crate) T);

impl<T: DeserializeOwned + Send> FromRequestParts<std::sync::Arc<App>> for Id<T> {
    type Rejection = ApiError;

    async fn from_request_parts(
        parts: &mut Parts,
        app: &std::sync::Arc<App>,
    ) -> Result<Id<T>, ApiError> {
        let path = Path::from_request_parts(parts, app).await;
        path.map(|Path(value)| Id(value)).map_err(|error| {
            ApiError::new(
                StatusCode::BAD_REQUEST,
                format_args!("the address is not what is expected: {}", error.body_text()),
            )
        })
    }
}
