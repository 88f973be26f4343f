//! The table of tests of all collectives, on the ranks that `mpirun` starts:
//! `mpirun -n 4 cargo test -p lethe-mpi --features mpi`. Without `mpirun` there is one rank.

use lethe_collective::{Collective, claims};
use lethe_mpi::Mpi;

#[allow(clippy::print_stdout)]
fn main() {
    let ranks = Mpi::start().expect("MPI was not started before");
    for (name, claim) in claims::ALL {
        if let Err(lost) = claim(&ranks) {
            panic!("{name}: {lost}");
        }
    }
    if ranks.rank() == 0 {
        println!("{} claims on {} ranks", claims::ALL.len(), ranks.size());
        println!("{} passed, 0 failed", claims::ALL.len());
    }
}
