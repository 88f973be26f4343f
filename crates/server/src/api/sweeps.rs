//! Sweeps: a spot solved on many flops.

use std::path::PathBuf;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use lethe_kit::export::Table;
use lethe_kit::sweep::{Sweep, SweepView};
use serde::{Deserialize, Serialize};

use super::library::modified;
use super::nodes::Format;
use super::{Shared, blocking, written};
use crate::app::App;
use crate::error::ApiError;
use crate::extract::{Id, Params};

/// A sweep of the library.
#[derive(Serialize)]
pub(crate) struct SweepItem {
    id: String,
    /// Flops in all.
    total: usize,
    /// Finished ones.
    done: usize,
    modified: Option<u64>,
}

/// The directories of sweeps, by name.
fn dirs(app: &App) -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(app.data.sweeps()).into_iter().flatten().flatten();
    let named = entries.map(|entry| (entry.file_name(), entry.path()));
    let named = named.filter(|(_, path)| Sweep::is_sweep(path));
    let mut dirs: Vec<_> =
        named.filter_map(|(name, path)| Some((name.to_str()?.to_owned(), path))).collect();
    dirs.sort();
    dirs
}

/// All sweeps that open.
pub(super) fn all(app: &App) -> Vec<SweepItem> {
    let item = |(id, path): (String, PathBuf)| {
        let sweep = Sweep::open(&path).ok()?;
        let done = std::fs::read_dir(path.join("units")).map_or(0, Iterator::count);
        Some(SweepItem { id, total: sweep.total(), done, modified: modified(&path) })
    };
    dirs(app).into_iter().filter_map(item).collect()
}

/// The sweep of this name.
pub(super) fn find(app: &App, id: &str) -> Result<Sweep, ApiError> {
    let found = dirs(app).into_iter().find(|(name, _)| name == id);
    let (_, path) = found.ok_or_else(|| ApiError::missing("sweep", id))?;
    Sweep::open(&path).map_err(ApiError::internal)
}

fn open(app: &App, id: &str) -> Result<SweepView, ApiError> {
    find(app, id)?.view().map_err(ApiError::internal)
}

pub(crate) async fn get(State(app): Shared, Id(id): Id<String>) -> Result<Response, ApiError> {
    written(move || open(&app, &id)).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Export {
    #[serde(default)]
    format: Format,
}

pub(crate) async fn export(
    State(app): Shared,
    Id(id): Id<String>,
    Params(export): Params<Export>,
) -> Result<Response, ApiError> {
    let name: String = id.chars().filter(char::is_ascii_alphanumeric).collect();
    let bytes = blocking(move || {
        let view = open(&app, &id)?;
        let mut bytes = Vec::new();
        let table = Table::stream(export.format.table(), &SweepView::SCHEMA, Box::new(&mut bytes))?;
        view.write(table)?;
        Ok(bytes)
    });
    Ok((export.format.headers(&name), bytes.await?).into_response())
}
