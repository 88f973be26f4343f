//! The commands, one a file: what can be typed after its name, and what it does then.
//!
//! Each file has an `Args` as it was typed, what that resolves to once it is checked, and a `run`
//! that shows a [`Report`](crate::output::Report).

pub(crate) mod boards;
pub(crate) mod canon;
pub(crate) mod completions;
pub(crate) mod equity;
pub(crate) mod man;
pub(crate) mod rank;

mod input;
mod runouts;
