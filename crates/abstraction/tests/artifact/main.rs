//! The artifact: what is written can be read, and what was damaged is found.

mod compat;
mod damage;
mod lookup;
mod python;
mod sample;
mod writing;
