//! The commands, one per file: what can be typed after its name, and what it does.
//!
//! Each file has an `Args` as it was typed, what that resolves to once it is checked, and a `run`
//! that shows a [`Report`](crate::output::Report).

pub(crate) mod artifact;
pub(crate) mod bench;
pub(crate) mod boards;
pub(crate) mod build;
pub(crate) mod canon;
pub(crate) mod completions;
pub(crate) mod diff;
pub(crate) mod equity;
pub(crate) mod equity_tables;
pub(crate) mod evaluate;
pub(crate) mod exploitability;
pub(crate) mod export;
pub(crate) mod inspect;
pub(crate) mod lab;
pub(crate) mod lbr;
pub(crate) mod list;
pub(crate) mod lookup;
pub(crate) mod man;
pub(crate) mod match_play;
pub(crate) mod quickstart;
pub(crate) mod rank;
pub(crate) mod report;
pub(crate) mod show;
pub(crate) mod solve;
pub(crate) mod strategy;
pub(crate) mod train;
pub(crate) mod tree;
pub(crate) mod verify;

mod input;
mod solving;
mod training;
