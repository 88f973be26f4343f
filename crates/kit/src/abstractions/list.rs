//! The abstractions there are.

use std::path::{Path, PathBuf};

use lethe_abstraction::ALGORITHM_VERSION;
use lethe_abstraction::artifact::{ArtifactEntry, list};
use lethe_cards::Street;
use serde::Serialize;

use super::Streets;
use crate::config::{AbstractionConfig, presets};
use crate::error::Error;

/// The abstractions in a directory.
#[derive(Debug, Serialize)]
pub struct ListView {
    /// The directory.
    pub root: PathBuf,
    /// The abstractions.
    pub abstractions: Vec<ListItem>,
}

/// One of them.
#[derive(Debug, Serialize)]
pub struct ListItem {
    /// The name of its directory.
    pub name: String,
    /// Its directory.
    pub path: PathBuf,
    /// Its size: that of its files if it opens, of everything in the directory if not.
    pub bytes: u64,
    /// What it is.
    #[serde(flatten)]
    pub state: ListState,
}

/// Whether an abstraction opens, and what it is then.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum ListState {
    /// It opens.
    Opens {
        /// The buckets of each street, those of all board clusters together.
        buckets: Streets<usize>,
        /// The methods, each once.
        method: String,
        /// The version of the algorithms that built it.
        algorithm: u32,
        /// Whether this program has later ones, whose buckets may differ.
        outdated: bool,
        /// When it was built, in seconds since 1970.
        created: u64,
        /// How long the build took.
        seconds: f64,
        /// Whether it has equity tables of all streets.
        equity_tables: bool,
        /// The preset that makes it.
        #[serde(skip_serializing_if = "Option::is_none")]
        preset: Option<&'static str>,
    },
    /// It does not.
    Broken {
        /// Why.
        error: String,
    },
}

impl ListView {
    /// The abstractions in a directory.
    pub fn of(root: &Path) -> Result<ListView, Error> {
        let abstractions = list(root)?.into_iter().map(ListItem::of).collect();
        Ok(ListView { root: root.to_owned(), abstractions })
    }
}

impl ListItem {
    fn of(entry: ArtifactEntry) -> ListItem {
        let ArtifactEntry { name, path, mut bytes, metadata, .. } = entry;
        let state = match metadata {
            Err(error) => ListState::Broken { error: error.to_string() },
            Ok(metadata) => {
                let streets = metadata.plan.streets();
                let clusters = metadata.plan.flop_clusters();
                let clusters = |street| clusters.map_or(1, |clusters| clusters.on(street));
                let mut methods: Vec<String> =
                    streets.iter().map(|(_, street)| street.method().to_string()).collect();
                methods.dedup();
                bytes = metadata.bytes();
                ListState::Opens {
                    buckets: streets
                        .iter()
                        .map(|(s, plan)| (s, clusters(s) * plan.total_buckets()))
                        .collect(),
                    method: methods.join(", "),
                    algorithm: metadata.algorithm,
                    outdated: metadata.algorithm < ALGORITHM_VERSION,
                    created: metadata.created,
                    seconds: metadata.seconds,
                    equity_tables: Street::POSTFLOP
                        .iter()
                        .all(|street| metadata.file(&format!("{street}.pairs")).is_some()),
                    preset: preset_of(&metadata.name),
                }
            }
        };
        ListItem { name, path, bytes, state }
    }
}

/// The preset that makes an abstraction of this name.
fn preset_of(name: &str) -> Option<&'static str> {
    let plan = |preset: &str| AbstractionConfig::preset(preset).ok()?.resolve().ok();
    let makes =
        |preset: &&crate::config::Preset| plan(preset.name).is_some_and(|p| p.name() == name);
    presets().iter().find(makes).map(|preset| preset.name)
}

/// What is to be said of an abstraction that an older version of the algorithms built.
pub fn older_algorithm(version: u32) -> String {
    format!("built by version {version} of the algorithms; the current one is {ALGORITHM_VERSION}")
}
