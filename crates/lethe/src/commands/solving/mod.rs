//! What the commands about postflop spots share: reading spot files, limits and locks, running a
//! solver under a progress bar, and walking what came out.

pub(super) mod buckets;
pub(super) mod limits;
pub(super) mod line;
pub(super) mod locks;
pub(super) mod place;
pub(super) mod run;
pub(super) mod saved;
pub(super) mod spot_file;

use lethe_game::Action;
use serde::Serialize;

/// A number for each player, as JSON names them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Both<T> {
    /// Out of position.
    pub(super) oop: T,
    /// In position.
    pub(super) ip: T,
}

impl<T> From<[T; 2]> for Both<T> {
    fn from([oop, ip]: [T; 2]) -> Both<T> {
        Both { oop, ip }
    }
}

/// An action and how often it is taken.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Share {
    /// `check`, `bet 120`, ...
    pub(super) action: String,
    /// From 0 to 1; none where no hand comes.
    pub(super) frequency: Option<f64>,
}

/// A fraction as a percentage for people.
pub(super) fn percent(fraction: f64) -> String {
    format!("{:.2} %", 100.0 * fraction)
}

/// Chips for people, to a hundredth.
pub(super) fn chips(amount: f64) -> String {
    // No negative zero.
    format!("{:.2}", amount + 0.0)
}

/// A value that may be missing.
pub(super) fn or_dash(value: Option<f64>, text: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), text)
}

/// Actions with their frequencies.
pub(super) fn shares(actions: &[Action], frequencies: Option<&[f64]>) -> Vec<Share> {
    let share = |(place, action): (usize, &Action)| Share {
        action: action.to_string(),
        frequency: frequencies.map(|frequencies| frequencies[place]),
    };
    actions.iter().enumerate().map(share).collect()
}
