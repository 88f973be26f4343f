//! What can be wrong with a configuration.

use super::source::{Place, clip, tame};

/// What is wrong with a configuration, and where.
///
/// It prints as `file:line:column: key: what is wrong; what would be right`, then the line itself
/// with carets below the part in question.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", match place { Some(place) => place.render(message), None => message.clone() })]
pub struct ConfigError {
    place: Option<Place>,
    message: String,
}

impl ConfigError {
    /// A problem at a place.
    pub fn at(place: Place, message: impl ToString) -> ConfigError {
        ConfigError { place: Some(place), ..ConfigError::nowhere(message) }
    }

    /// A problem that no line is to blame for.
    pub fn nowhere(message: impl ToString) -> ConfigError {
        ConfigError { place: None, message: tame(&message.to_string()).into_owned() }
    }

    /// What is wrong, without its place.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The line and the column, both from 1, of the text it is about.
    pub fn position(&self) -> Option<(usize, usize)> {
        self.place.as_ref().map(Place::position)
    }
}

/// The message about a preset, key, street or value that is not one of the `known`.
pub(super) fn unknown(what: &str, name: &str, known: &[&'static str]) -> String {
    let suggestion = nearest(name, known.iter().copied());
    not_among(what, &clip(name), known, suggestion)
}

/// The same, where the caller knows which one was probably meant.
pub(super) fn not_among(what: &str, name: &str, known: &[&str], meant: Option<&str>) -> String {
    let hint = meant.map_or(String::new(), |word| format!(" (did you mean {word}?)"));
    format!("{name}: no such {what}{hint}; the {what}s are {}", known.join(", "))
}

/// The candidate that `word` was probably meant to be.
pub(super) fn nearest(
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
