//! Integration tests of the crate.

mod cancelling;
mod common;
mod exactness;
mod measuring;
mod opening;
mod push_fold;
mod replacing;
mod training;
