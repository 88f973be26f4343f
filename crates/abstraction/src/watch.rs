//! Watching a build: progress and cancellation.

/// Someone who watches a build, and may stop it.
///
/// A build goes through phases one after another; each says how many units of work it has, and then
/// how many more of them are done, from any thread.
pub trait Watch: Sync {
    /// A phase of so many units begins.
    fn begin(&self, phase: &str, units: u64);
    /// So many more units are done.
    fn advance(&self, units: u64);
    /// Whether the build should stop.
    fn cancelled(&self) -> bool;
}

/// Nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn begin(&self, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn cancelled(&self) -> bool {
        false
    }
}
