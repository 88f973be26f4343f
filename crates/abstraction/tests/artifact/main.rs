//! The artifact: what is written can be read, and what was damaged is found.

// A test that is skipped says so.
#![allow(clippy::print_stderr)]

mod compat;
mod damage;
mod flops;
mod lookup;
mod python;
mod sample;
mod signed;
mod writing;
