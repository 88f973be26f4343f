//! Tests of the solver against worked examples, published numbers and a brute-force oracle.

mod bucketed;
mod cancelling;
mod common;
mod compat;
mod golden;
mod leduc;
mod locks;
mod oracle;
mod queries;
mod saving;
mod small_games;
mod symmetry;
mod watching;
