//! Ranges and spots: read, checked, kept.

use std::io::Write;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use lethe_kit::limits::free_memory;
use lethe_kit::range::RangeView;
use lethe_kit::spot::{SpotCheck, SpotFile};
use lethe_solver::Precision;
use serde::{Deserialize, Serialize};

use super::{Answer, Shared, blocking, checked_name, library::modified};
use crate::app::App;
use crate::error::ApiError;
use crate::extract::{Id, Input};

/// The spots that come with the program.
const EXAMPLES: &[(&str, &str)] = &[
    ("srp-turn", include_str!("../../../../spots/srp-turn.yaml")),
    ("river-srp", include_str!("../../../../spots/river-srp.yaml")),
    ("paired-turn", include_str!("../../../../spots/paired-turn.yaml")),
    ("monotone-turn", include_str!("../../../../spots/monotone-turn.yaml")),
    ("geometric-turn", include_str!("../../../../spots/geometric-turn.yaml")),
    ("bluff-catch-river", include_str!("../../../../spots/bluff-catch-river.yaml")),
    ("raked-river", include_str!("../../../../spots/raked-river.yaml")),
    ("toy-river", include_str!("../../../../spots/toy-river.yaml")),
    ("4bet-flop", include_str!("../../../../spots/4bet-flop.yaml")),
    ("3bet-QsJh2h", include_str!("../../../../spots/3bet-QsJh2h.yaml")),
    ("donk-flop", include_str!("../../../../spots/donk-flop.yaml")),
    ("srp-flop", include_str!("../../../../spots/srp-flop.yaml")),
];

/// A spot of the library.
#[derive(Serialize)]
pub(crate) struct SpotItem {
    id: String,
    /// The first line of the file, where it is a comment.
    title: String,
    board: Option<String>,
    /// Whether it comes with the program.
    example: bool,
    modified: Option<u64>,
}

/// A spot and its text.
#[derive(Serialize)]
pub(crate) struct SpotText {
    id: String,
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Text {
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Check {
    text: String,
    #[serde(default)]
    precision: PrecisionName,
    /// In percent of the pot.
    target: Option<f64>,
}

/// How numbers are stored.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PrecisionName {
    #[default]
    F32,
    I16,
}

impl From<PrecisionName> for Precision {
    fn from(name: PrecisionName) -> Precision {
        match name {
            PrecisionName::F32 => Precision::F32,
            PrecisionName::I16 => Precision::I16,
        }
    }
}

impl PrecisionName {
    pub(crate) fn name(self) -> &'static str {
        match self {
            PrecisionName::F32 => "f32",
            PrecisionName::I16 => "i16",
        }
    }
}

/// A target as a fraction.
pub(crate) fn fraction(percent: Option<f64>) -> Result<Option<f64>, ApiError> {
    let fits = |percent: &f64| *percent > 0.0 && *percent <= 100.0;
    match percent {
        None => Ok(None),
        Some(percent) if fits(&percent) => Ok(Some(percent / 100.0)),
        Some(_) => Err(ApiError::unprocessable("a target is above 0 and at most 100 % of the pot")),
    }
}

pub(crate) async fn parse_range(Input(body): Input<Text>) -> Answer<RangeView> {
    Ok(Json(RangeView::parse(&body.text)?))
}

pub(crate) async fn check(State(app): Shared, Input(body): Input<Check>) -> Answer<SpotCheck> {
    let target = fraction(body.target)?;
    let check = blocking(move || {
        let file = SpotFile::parse("spot", &body.text)?;
        let threads = app.pool.threads();
        Ok(SpotCheck::of(&file, body.precision.into(), target, threads, free_memory())?)
    });
    check.await.map(Json)
}

/// The files of kept spots, by name.
fn kept(app: &App) -> Vec<(String, std::path::PathBuf)> {
    let entries = std::fs::read_dir(app.data.spots()).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let paths = paths.filter(|path| path.extension().is_some_and(|end| end == "yaml"));
    let named = paths.filter_map(|path| Some((path.file_stem()?.to_str()?.to_owned(), path)));
    let mut kept: Vec<_> = named.collect();
    kept.sort();
    kept
}

fn item(id: &str, text: &str, example: bool, modified: Option<u64>) -> SpotItem {
    let title = text.lines().next().and_then(|line| line.strip_prefix('#'));
    SpotItem {
        id: id.to_owned(),
        title: title.unwrap_or_default().trim().to_owned(),
        board: SpotFile::parse(id, text).ok().map(|file| file.board().to_string()),
        example,
        modified,
    }
}

/// All spots: those that were kept, then the examples.
pub(super) fn all(app: &App) -> Vec<SpotItem> {
    let read = |(id, path): (String, std::path::PathBuf)| {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        item(&id, &text, false, modified(&path))
    };
    let examples = EXAMPLES.iter().map(|(id, text)| item(&format!("@{id}"), text, true, None));
    kept(app).into_iter().map(read).chain(examples).collect()
}

/// The text of the spot with this name.
pub(super) fn text(app: &App, id: &str) -> Result<String, ApiError> {
    let missing = || ApiError::missing("spot", id);
    if let Some(name) = id.strip_prefix('@') {
        let found = EXAMPLES.iter().find(|example| example.0 == name);
        return found.map(|example| example.1.to_owned()).ok_or_else(missing);
    }
    let (_, path) = kept(app).into_iter().find(|(name, _)| name == id).ok_or_else(missing)?;
    let bytes = lethe_files::read(&path, 1 << 20).map_err(ApiError::internal)?;
    String::from_utf8(bytes).map_err(ApiError::internal)
}

pub(crate) async fn get(State(app): Shared, Id(id): Id<String>) -> Answer<SpotText> {
    blocking(move || Ok(SpotText { text: text(&app, &id)?, id })).await.map(Json)
}

pub(crate) async fn put(
    State(app): Shared,
    Id(id): Id<String>,
    Input(body): Input<Text>,
) -> Answer<SpotText> {
    let put = blocking(move || {
        checked_name(&id)?;
        SpotFile::parse("spot", &body.text)?;
        std::fs::create_dir_all(app.data.spots()).map_err(ApiError::internal)?;
        let path = app.data.spots().join(&id).with_extension("yaml");
        lethe_files::write(&path, |out| out.write_all(body.text.as_bytes()))
            .map_err(ApiError::internal)?;
        Ok(SpotText { id, text: body.text })
    });
    put.await.map(Json)
}

pub(crate) async fn delete(State(app): Shared, Id(id): Id<String>) -> Result<StatusCode, ApiError> {
    blocking(move || {
        let found = kept(&app).into_iter().find(|(name, _)| *name == id);
        let (_, path) = found.ok_or_else(|| ApiError::missing("spot", &id))?;
        std::fs::remove_file(path).map_err(ApiError::internal)?;
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}
