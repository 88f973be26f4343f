//! `RootGadget`: a choice that one player has before a spot begins.

use crate::update::Step;

/// A choice that one player has for each of its hands before a spot begins, such as entering it or
/// taking a fixed value instead.
///
/// The solver needs to know of it only with what reach the player's hands come to the root, and
/// tells it in turn what they are worth there: all else, regrets of the choice included, is the
/// gadget's own. Rows have an entry for each hand of [`crate::Solver::root_holes`], in that order.
///
/// See [`crate::Solver::iterate_with`].
pub trait RootGadget {
    /// Writes the reach of each hand in the traversals to come.
    fn reach(&self, row: &mut [f32]);

    /// Learns from a traversal of the player's: the counterfactual value of each hand at the root
    /// against the opponent's reach and current strategy. `step` has the weights of the iteration.
    fn learn(&mut self, step: Step, values: &[f32]);
}
