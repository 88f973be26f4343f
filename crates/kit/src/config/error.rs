//! What can be wrong with a configuration.

use std::io;
use std::path::PathBuf;

use lethe_cards::ParseError;

use super::source::{Place, clip, tame};
use crate::files::FileError;

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
    #[error("{}: {source}; expected a YAML file or the name of a preset", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file could not be read as a configuration.
    #[error(transparent)]
    File(FileError),
    /// The file is not text.
    #[error("this byte is not UTF-8; save the file as UTF-8 text")]
    NotUtf8,
    /// There is no such preset, key, street or value.
    #[error("{name}: no such {what}{}; the {what}s are {}", hint(suggestion), known.join(", "))]
    Unknown {
        /// What it should be: `preset`, `key`, `street` or `value`.
        what: &'static str,
        /// What was given.
        name: String,
        /// What there is.
        known: Vec<&'static str>,
        /// The one that was probably meant.
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
    /// A value that its key does not take.
    #[error("{message}")]
    Value {
        /// What is wrong with it.
        message: String,
    },
    /// Cards or a range that cannot be read.
    #[error("{key}: {error}")]
    Cards {
        /// The key.
        key: &'static str,
        /// What is wrong with them.
        error: ParseError,
    },
    /// A game, a spot or a training that cannot be.
    #[error("{0}")]
    Invalid(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The text is YAML, but not a mapping of keys to values.
    #[error("{found}; expected a `key: value` on each line, such as `buckets: 500`")]
    NotAMapping {
        /// What it is instead.
        found: String,
    },
    /// An override that lacks a key or a value.
    #[error("{text}: expected key=value, such as seed=7")]
    NoAssignment {
        /// The override.
        text: String,
    },
    /// A key that must be given is not.
    #[error("the key {key} is missing")]
    MissingKey {
        /// The key.
        key: &'static str,
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
    #[error("{key}: {found}; expected {expected}")]
    WrongType {
        /// The key.
        key: String,
        /// What was given, and of which kind that is.
        found: String,
        /// What belongs there.
        expected: String,
    },
    /// The number is too small or too large.
    #[error("{key}: {value} is {}; expected a whole number from {low} to {high}",
            if *value < i128::from(*low) { format!("below {low}") } else { format!("above {high}, {limit}") })]
    OutOfRange {
        /// The key.
        key: String,
        /// The number.
        value: i128,
        /// The least.
        low: u64,
        /// The most.
        high: u64,
        /// Why there is a limit.
        limit: &'static str,
    },
}

impl ConfigError {
    /// A problem at a place.
    pub fn at(place: Place, problem: ConfigProblem) -> ConfigError {
        ConfigError { place: Some(place), problem: Box::new(problem) }
    }

    /// A problem that no line is to blame for.
    pub fn nowhere(problem: ConfigProblem) -> ConfigError {
        ConfigError { place: None, problem: Box::new(problem) }
    }

    /// What is wrong.
    pub fn problem(&self) -> &ConfigProblem {
        &self.problem
    }

    /// The line and the column, both from 1, of the text it is about.
    pub fn position(&self) -> Option<(usize, usize)> {
        self.place.as_ref().map(Place::position)
    }

    fn render(&self) -> String {
        let message = tame(&self.problem.to_string()).into_owned();
        self.place.as_ref().map_or(message.clone(), |place| place.render(&message))
    }
}

impl ConfigProblem {
    /// A game, a spot or a training that cannot be.
    pub fn invalid(error: impl std::error::Error + Send + Sync + 'static) -> ConfigProblem {
        ConfigProblem::Invalid(Box::new(error))
    }

    /// A preset, key, street or value that is not one of the `known`.
    pub fn unknown(
        what: &'static str,
        name: &str,
        known: impl Iterator<Item = &'static str> + Clone,
    ) -> ConfigProblem {
        let suggestion = nearest(name, known.clone());
        ConfigProblem::Unknown { what, name: clip(name), known: known.collect(), suggestion }
    }
}

fn hint(suggestion: &Option<&'static str>) -> String {
    suggestion.map_or(String::new(), |word| format!(" (did you mean {word}?)"))
}

/// The candidate that `word` was probably meant to be.
pub fn nearest(
    word: &str,
    candidates: impl Iterator<Item = &'static str> + Clone,
) -> Option<&'static str> {
    let plain = |text: &str| text.to_lowercase().replace('-', "_");
    let word: String = plain(word).chars().take(64).collect();
    let length = word.chars().count();
    let distance = |candidate: &&str| strsim::damerau_levenshtein(&word, &plain(candidate));
    let typo = candidates.clone().min_by_key(distance);
    typo.filter(|candidate| distance(candidate) <= (length / 3).max(1)).or_else(|| {
        candidates.clone().find(|candidate| length >= 4 && plain(candidate).contains(&word))
    })
}
