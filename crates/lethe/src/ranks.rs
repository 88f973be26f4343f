//! The ranks that `mpirun` started this process as one of, or this process alone.

use std::io::Write;

use lethe_blueprint::RunError;
#[cfg(feature = "mpi")]
use lethe_collective::check_same;
use lethe_collective::{
    Collective, Mismatch, Part, Share, ShareError, Solo, launched_rank, launched_ranks,
};

use crate::error::{self, InputError, Outcome, Stopped};
use crate::output::Output;

/// Who computes.
pub(crate) enum Ranks {
    /// This process.
    Alone(Solo),
    /// The processes of `mpirun`.
    #[cfg(feature = "mpi")]
    Mpi(Box<lethe_mpi::Mpi>),
}

impl Ranks {
    /// The ranks of a command, which may be `shared` by several; MPI is started only under `mpirun`.
    pub(crate) fn start(shared: bool) -> Result<Ranks, InputError> {
        match launched_ranks() {
            Some(count) if count > 1 && !shared => Err(InputError::new(format_args!(
                "this command runs in one process, and {count} were started; start it without mpirun"
            ))),
            Some(count) if shared => Ranks::join(count),
            _ => Ok(Ranks::Alone(Solo)),
        }
    }

    #[cfg(feature = "mpi")]
    fn join(_: usize) -> Result<Ranks, InputError> {
        let ranks = lethe_mpi::Mpi::start();
        let ranks = ranks.ok_or_else(|| InputError::new("MPI was started before"))?;
        let version = [("version", env!("CARGO_PKG_VERSION").to_owned())];
        check_same(&ranks, &version).map_err(InputError::new)?;
        Ok(Ranks::Mpi(Box::new(ranks)))
    }

    #[cfg(not(feature = "mpi"))]
    fn join(count: usize) -> Result<Ranks, InputError> {
        if count > 1 {
            return Err(InputError::new(format_args!(
                "{count} ranks were started, and this program was built without MPI; build it with \
                 --features mpi"
            )));
        }
        Ok(Ranks::Alone(Solo))
    }

    /// Them as a collective.
    pub(crate) fn collective(&self) -> &dyn Collective {
        match self {
            Ranks::Alone(solo) => solo,
            #[cfg(feature = "mpi")]
            Ranks::Mpi(ranks) => ranks.as_ref(),
        }
    }

    /// Reports an error: one that all ranks have in common once, others with the number of the rank,
    /// which then ends all of them.
    pub(crate) fn report(&self, error: &anyhow::Error, stderr: &mut dyn Write) -> Outcome {
        let (rank, size) = (self.collective().rank(), self.collective().size());
        if size == 1 {
            return error::report(error, stderr);
        }
        let mut ignored = Vec::new();
        let kit = error.downcast_ref::<lethe_kit::Error>();
        let elsewhere = error.downcast_ref::<ShareError>().is_some()
            || matches!(kit, Some(lethe_kit::Error::Share(_)));
        let common = error.downcast_ref::<Mismatch>().is_some()
            || matches!(kit, Some(lethe_kit::Error::Run(RunError::Mismatch(_))))
            || error.downcast_ref::<Stopped>().is_some()
            || kit.is_some_and(lethe_kit::Error::is_cancelled);
        if elsewhere || (common && rank > 0) {
            return error::report(error, &mut ignored);
        }
        if common {
            return error::report(error, stderr);
        }
        let _ = write!(stderr, "rank {rank}: ");
        let outcome = error::report(error, stderr);
        self.abort(outcome)
    }

    fn abort(&self, outcome: Outcome) -> Outcome {
        match self {
            #[cfg(feature = "mpi")]
            Ranks::Mpi(ranks) => ranks.abort(outcome.code()),
            Ranks::Alone(_) => outcome,
        }
    }
}

/// Writes an error that came before ranks could speak to each other: once.
pub(crate) fn report_early(error: &anyhow::Error, stderr: &mut dyn Write) -> Outcome {
    let mut ignored = Vec::new();
    match launched_rank() {
        Some(rank) if rank > 0 => error::report(error, &mut ignored),
        _ => error::report(error, stderr),
    }
}

/// Which units of bulk work to compute.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct PartArgs {
    /// Compute only part K of N, from 0, such as 0/8; auto/8 takes the number from a Slurm array or a
    /// Kubernetes indexed job; lethe merge joins the parts
    #[arg(long, value_name = "K/N", requires = "out")]
    part: Option<Part>,
}

impl PartArgs {
    /// The part, if there is one.
    pub(crate) fn part(&self) -> Option<Part> {
        self.part
    }

    /// The share of this process.
    pub(crate) fn share<'a>(&self, out: &Output<'a>) -> Share<'a> {
        Share { part: self.part.unwrap_or(Part::ALL), ranks: out.ranks() }
    }
}

/// Does on rank 0 what only one rank may do, while the others wait.
pub(crate) fn on_first(
    out: &mut Output<'_>,
    work: impl FnOnce(&mut Output<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let ranks = out.ranks();
    let done = if ranks.rank() == 0 { work(out) } else { Ok(()) };
    match (ranks.any(done.is_err())?, done) {
        (_, Err(error)) => Err(error),
        (true, Ok(())) => Err(ShareError::Elsewhere.into()),
        (false, Ok(())) => Ok(()),
    }
}
