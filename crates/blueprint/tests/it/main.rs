//! Integration tests of the crate.

mod common;
mod exactness;
mod push_fold;
mod training;
