//! Whether this process is one of several that a launcher started.

/// The number of the rank that a launcher started this process as; `None` if none did.
pub fn launched_rank() -> Option<usize> {
    let names = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"];
    names.into_iter().find_map(number)
}

/// How many ranks a launcher such as `mpirun` started this process as one of; `None` if none did.
pub fn launched_ranks() -> Option<usize> {
    // Open MPI; MPICH and Slurm's PMI; Slurm's PMIx.
    let pmix = || std::env::var_os("PMIX_RANK").map(|_| number("SLURM_NTASKS").unwrap_or(1));
    number("OMPI_COMM_WORLD_SIZE").or_else(|| number("PMI_SIZE")).or_else(pmix)
}

fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok()?.trim().parse().ok()
}
