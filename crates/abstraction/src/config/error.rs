//! What can be wrong with a configuration.

use std::io;
use std::path::PathBuf;

use lethe_cards::Street;

use super::keys::{CLASSES, MOST_BUCKETS, NAMES, RIVER_EQUITIES};
use super::place::Place;
use super::preset::presets;

/// What is wrong with a configuration, and where.
///
/// It prints as `file:line:column: key: what is wrong; what would be right`, then the line itself
/// with carets below the part in question.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.render())]
pub struct ConfigError {
    place: Option<Place>,
    problem: Box<ConfigProblem>,
}

/// What is wrong with a configuration, wherever it is.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigProblem {
    /// The file could not be read.
    #[error(
        "{}: {source}; give a YAML file that exists, or a preset: {}",
        path.display(),
        preset_names()
    )]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is no text.
    #[error("this byte is not UTF-8; save the file as UTF-8 text")]
    NotUtf8,
    /// There is no such preset.
    #[error("{name}: no such preset{}; the presets are {}", hint(suggestion), preset_names())]
    UnknownPreset {
        /// The name that was given.
        name: String,
        /// A name close to it.
        suggestion: Option<&'static str>,
    },
    /// The text is not YAML.
    #[error("{message}; {remedy}")]
    Syntax {
        /// What the parser says.
        message: String,
        /// What would be right.
        remedy: &'static str,
    },
    /// The text is YAML, but no mapping of keys to values.
    #[error("{found}; write a `key: value` on each line, such as `buckets: 500`")]
    NotAMapping {
        /// What it is instead.
        found: String,
    },
    /// An override that lacks a key or a value.
    #[error("{text}: no key=value; write one, such as num_flop_buckets=200")]
    NoAssignment {
        /// The override.
        text: String,
    },
    /// There is no such key.
    #[error("{key}: no such key{}; the keys are {}", hint(suggestion), key_names())]
    UnknownKey {
        /// The key that was given.
        key: String,
        /// A key close to it.
        suggestion: Option<&'static str>,
    },
    /// There is no such street below a key.
    #[error("{key}: no such street{}; the streets are flop, turn, river{}", hint(suggestion),
            if key.ends_with(".preflop") { " (preflop always has its 169 classes)" } else { "" })]
    UnknownStreet {
        /// The key that was given.
        key: String,
        /// A street close to it.
        suggestion: Option<&'static str>,
    },
    /// A key was given twice.
    #[error("{key}: given twice; keep one of the two")]
    DuplicateKey {
        /// The key.
        key: String,
    },
    /// Bucket counts were given under both of their names.
    #[error(
        "{key}: bucket counts are already given by {other}; use either `buckets` or \
         `num_..._buckets`"
    )]
    BucketsTwice {
        /// The key.
        key: String,
        /// The other one.
        other: String,
    },
    /// The value is of another kind.
    #[error("{key}: {found}; give {expected}")]
    WrongType {
        /// The key.
        key: String,
        /// What was given, and of which kind that is.
        found: String,
        /// What belongs there.
        expected: String,
    },
    /// The value is none of the words the key knows.
    #[error("{key}: {found} is none of {}{}", words.join(", "), hint(suggestion))]
    UnknownWord {
        /// The key.
        key: String,
        /// What was given.
        found: String,
        /// The words.
        words: &'static [&'static str],
        /// A word close to it.
        suggestion: Option<&'static str>,
    },
    /// The number is too small.
    #[error("{key}: {value} is below {low}; give a whole number from {low} to {high}")]
    TooSmall {
        /// The key.
        key: String,
        /// The number.
        value: i128,
        /// The least.
        low: u64,
        /// The most.
        high: u64,
    },
    /// The number is too large.
    #[error("{key}: {value} is above {high}, {limit}; give a whole number from {low} to {high}")]
    TooLarge {
        /// The key.
        key: String,
        /// The number.
        value: i128,
        /// The least.
        low: u64,
        /// The most.
        high: u64,
        /// What the most stands for.
        limit: &'static str,
    },
    /// Lossless was asked for.
    #[error(
        "{key}: lossless is the identity, every situation its own bucket: the solver and the lab \
         use it as it is, and nothing is stored; to build something use ehs, histogram, ochs, \
         classes or texture"
    )]
    Lossless {
        /// The key.
        key: String,
    },
    /// OCHS was asked for before the river.
    #[error(
        "{key}: ochs is only for the river, not for the {street}; write `method: {{river: ochs}}` \
         and choose ehs, histogram, classes or texture for the other streets"
    )]
    OchsBeforeRiver {
        /// The key.
        key: String,
        /// The street.
        street: Street,
    },
    /// More river buckets than equities.
    #[error(
        "{key}: {wanted} is above {RIVER_EQUITIES}, the number of distinct river equities; ask for \
         at most {RIVER_EQUITIES}, or use `method: {{river: ochs}}`"
    )]
    RiverEquities {
        /// The key.
        key: String,
        /// The buckets asked for.
        wanted: u64,
    },
    /// Another number of buckets than there are preflop classes.
    #[error(
        "{key}: {wanted} buckets, but method classes has exactly {CLASSES} on the {street}; write \
         {CLASSES} or leave it out"
    )]
    NotTheClasses {
        /// The key.
        key: String,
        /// The street.
        street: Street,
        /// The buckets asked for.
        wanted: u64,
    },
    /// More buckets in all board clusters together than an information-set key can tell apart.
    #[error(
        "{key}: {buckets} buckets in each of {clusters} board clusters are {} on the {street}, \
         above {MOST_BUCKETS}, all that the 20 bits of an information-set key tell apart; ask for \
         at most {}, or for fewer clusters",
        buckets * clusters,
        MOST_BUCKETS / clusters
    )]
    TooManyInAll {
        /// The key.
        key: String,
        /// The street.
        street: Street,
        /// The buckets of a cluster.
        buckets: u64,
        /// The clusters.
        clusters: u64,
    },
    /// More buckets than distinct features, found while building.
    #[error(
        "{key}: {wanted} is above {distinct}, the number of distinct features on the {street}; ask \
         for at most {distinct}, or for more histogram bins"
    )]
    TooManyBuckets {
        /// The key.
        key: String,
        /// The street.
        street: Street,
        /// The buckets asked for.
        wanted: usize,
        /// The distinct features.
        distinct: usize,
    },
}

impl ConfigError {
    /// A problem at a place.
    pub(super) fn at(place: Place, problem: ConfigProblem) -> ConfigError {
        ConfigError { place: Some(place), problem: Box::new(problem) }
    }

    /// A problem that is about no line.
    pub(super) fn nowhere(problem: ConfigProblem) -> ConfigError {
        ConfigError { place: None, problem: Box::new(problem) }
    }

    /// What is wrong.
    pub fn problem(&self) -> &ConfigProblem {
        &self.problem
    }

    /// The line and the column, both from 1, of the text it is about.
    pub fn position(&self) -> Option<(usize, usize)> {
        self.place.as_ref().map(|place| (place.line(), place.column()))
    }

    fn render(&self) -> String {
        let message = self.problem.to_string();
        self.place.as_ref().map_or(message.clone(), |place| place.render(&message))
    }
}

fn hint(suggestion: &Option<&'static str>) -> String {
    suggestion.map_or(String::new(), |word| format!(" (did you mean {word}?)"))
}

fn key_names() -> String {
    NAMES.map(|name| name.text).join(", ")
}

fn preset_names() -> String {
    let names: Vec<&str> = presets().iter().map(|preset| preset.name).collect();
    names.join(", ")
}

/// The candidate that `word` was probably meant to be.
pub(super) fn nearest(
    word: &str,
    candidates: impl Iterator<Item = &'static str> + Clone,
) -> Option<&'static str> {
    let word: Vec<char> = word.to_lowercase().replace('-', "_").chars().take(64).collect();
    let typo = candidates
        .clone()
        .map(|candidate| (distance(&word, candidate), candidate))
        .min_by_key(|&(distance, _)| distance)
        .filter(|&(distance, _)| distance <= (word.len() / 3).max(1));
    let text: String = word.iter().collect();
    let part = || candidates.clone().find(|candidate| word.len() >= 4 && candidate.contains(&text));
    typo.map(|(_, candidate)| candidate).or_else(part)
}

/// The letters to insert, delete, replace or swap with a neighbour to get from one to the other.
fn distance(word: &[char], other: &str) -> usize {
    let other: Vec<char> = other.replace('-', "_").chars().collect();
    let mut rows: Vec<Vec<usize>> = vec![(0..=other.len()).collect()];
    for (i, &a) in word.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &b) in other.iter().enumerate() {
            let mut least =
                (rows[i][j + 1] + 1).min(row[j] + 1).min(rows[i][j] + usize::from(a != b));
            if i > 0 && j > 0 && a == other[j - 1] && word[i - 1] == b {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[word.len()][other.len()]
}
