//! What is accepted wherever an abstraction is asked for.

use lethe_cards::Street;

use super::boards::BoardStreet;

/// The help of an argument that names an abstraction.
pub(crate) const DIR_HELP: &str =
    "The abstraction: its directory; or in the data directory a name, its beginning or a preset";

/// The streets that a command is about.
pub(crate) fn streets(only: Option<BoardStreet>) -> Vec<Street> {
    only.map_or_else(|| Street::POSTFLOP.to_vec(), |street| vec![street.into()])
}
