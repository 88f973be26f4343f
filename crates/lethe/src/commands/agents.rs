//! What the commands with an agent share.

use std::time::Duration;

use lethe_agent::{Agent, AgentConfig, AgentError, GadgetKind, SearchFrom};
use lethe_blueprint::Blueprint;
use lethe_compute::Job;
use lethe_kit::text::{counted, percent};
use lethe_kit::{Error, limits};
use lethe_play::Baseline;

use super::exploitability::verified;
use super::input::count_in;
use super::training::Checkpoint;
use crate::error::{InputError, Stopped};
use crate::output::Output;
use crate::progress::Bars;

/// How subgames are solved, as it is typed.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(super) struct SolveArgs {
    /// The gadget in front of each subgame: unsafe, resolve, maxmargin or combined
    #[arg(long, value_name = "NAME", default_value_t)]
    gadget: GadgetKind,
    /// Iterations of each solve; with --target at most [default: 400, to 1% of the pot]
    #[arg(long, value_name = "N", value_parser = count_in(1, 1_000_000))]
    iterations: Option<u32>,
    /// End a solve at this exploitability, such as 1% of the pot
    #[arg(long, value_name = "PERCENT", value_parser = limits::percent)]
    target: Option<f64>,
}

impl SolveArgs {
    /// The configuration of an agent that searches from a street on.
    pub(super) fn config(self, from: SearchFrom, seed: u64) -> AgentConfig {
        let SolveArgs { gadget, iterations, target } = self;
        let config = AgentConfig { from, gadget, seed, ..AgentConfig::default() };
        config.with_limits(iterations, target)
    }
}

/// How an agent plays, as it is typed.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Agent")]
pub(super) struct AgentArgs {
    /// Which checkpoint of the run
    #[arg(long, value_name = "NAME", default_value = "latest")]
    pub(super) checkpoint: Checkpoint,
    /// Solve the rest of the hand from this street on: flop, turn, river or none
    #[arg(long, value_name = "STREET", default_value_t)]
    search: SearchFrom,
    #[command(flatten)]
    solve: SolveArgs,
    /// The most time for each solve, such as 2s; what is played then depends on the machine
    #[arg(long, value_name = "TIME", value_parser = limits::time)]
    think: Option<Duration>,
}

impl AgentArgs {
    /// The configuration with a seed.
    pub(super) fn config(&self, seed: u64) -> AgentConfig {
        AgentConfig { think: self.think, ..self.solve.config(self.search, seed) }
    }
}

/// How long each solve lasts, in words.
pub(super) fn budget(iterations: u32, target: Option<f64>) -> String {
    let iterations = counted(iterations as usize, "iteration");
    match target {
        None => iterations,
        Some(target) => format!("at most {iterations}, to {} of the pot", percent(target, 2)),
    }
}

/// Does something with the agent of a blueprint, and with what luck is removed by if there are values.
pub(super) fn with_agent<T>(
    blueprint: &Blueprint,
    config: AgentConfig,
    out: &mut Output<'_>,
    work: impl FnOnce(&Agent<'_>, Option<&Baseline<'_>>, Job<'_>, &mut Output<'_>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let verified = verified(blueprint, out)?;
    let stored = || blueprint.values().map_err(Error::from);
    let values = stored()?;
    let baseline = values.as_ref().map(|v| Baseline::new(verified.plan(), &verified, v));
    let agent = Agent::new(&verified, config).with_values(stored()?);
    let (bars, pool) = (Bars::new(), out.pool()?);
    work(&agent, baseline.as_ref(), bars.job_on(&pool), out)
}

/// What became of a question that an agent did not answer.
pub(super) fn unanswered(error: AgentError) -> anyhow::Error {
    match error {
        error if error.is_cancelled() => Stopped("there is no answer").into(),
        AgentError::Values(_) | AgentError::Subgame(_) => error.into(),
        error => InputError::new(error).into(),
    }
}
