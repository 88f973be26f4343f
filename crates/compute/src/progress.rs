//! Progress and cancellation.

/// Receives the progress of a computation, and may cancel it.
///
/// A computation has one phase after another. Each phase announces its number of units and then
/// reports finished ones, from any thread. Computations poll [`Progress::cancelled`] at least every
/// tenth of a second, also from any thread.
pub trait Progress: Sync {
    /// A phase of `units` units begins; 0 if their number is not known.
    fn begin(&self, phase: &str, units: u64);
    /// `units` more units are done.
    fn advance(&self, units: u64);
    /// Whether the computation should stop. Once true, it stays true until the computation returns:
    /// its parts rely on seeing the same answer.
    fn cancelled(&self) -> bool;
}

/// Ignores progress and never cancels.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn begin(&self, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn cancelled(&self) -> bool {
        false
    }
}

/// The computation was cancelled by its [`Progress`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;
