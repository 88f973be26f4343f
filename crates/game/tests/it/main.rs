//! The tests of the crate's public surface, one module a subject.

mod actions;
mod common;
mod config;
mod key;
mod preflop;
mod sizes;
mod state;
mod tree;
mod units;
