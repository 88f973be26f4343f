//! Ranks that `mpirun` starts, by MPI.
//!
//! The crate is empty without its feature `mpi`, which needs an MPI library and libclang.

#[cfg(feature = "mpi")]
mod ranks;

#[cfg(feature = "mpi")]
pub use ranks::Mpi;
