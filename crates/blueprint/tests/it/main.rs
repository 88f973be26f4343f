//! Integration tests of the crate.

mod all_flops;
mod cancelling;
mod common;
mod exactness;
mod measuring;
mod opening;
mod oracles;
mod pruning;
mod push_fold;
mod ranks;
mod replacing;
mod signals;
mod training;
mod values;
