//! Matches of players by name: with searching agents, luck removed and records in a file.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lethe_agent::{Agent, AgentConfig, AgentError};
use lethe_blueprint::{Mean, Values, VerifiedBlueprint, Winnings};
use lethe_compute::Job;
use lethe_files::{FileError, OutputFile};
use lethe_game::{Action, Tree};
use lethe_kit::measure::{MatchView, Player, Seated, seat};
use lethe_kit::{Error, config::tame};
use serde::Serialize;

use crate::aivat::Baseline;
use crate::duel::{Contestant, Duel, DuelError, DuelResult};
use crate::phh::write_hands;
use crate::record::{PlayedHand, RecordError};

/// How a match is played.
#[derive(Clone, Copy, Debug)]
pub struct ContestConfig<'a> {
    /// The hands, two for each deal.
    pub hands: u64,
    /// The seed of deals and choices.
    pub seed: u64,
    /// For each player that searches, how.
    pub search: [Option<AgentConfig>; 2],
    /// Whether luck is removed.
    pub aivat: bool,
    /// The file that hands are written to.
    pub phh: Option<&'a Path>,
}

/// How a match ended, for the first player.
#[derive(Clone, Debug, Serialize)]
pub struct ContestView {
    /// What was won.
    #[serde(flatten)]
    pub result: MatchView,
    /// How the players search; `null` for those that do not.
    pub search: [Option<SearchedView>; 2],
    /// The same with luck removed.
    pub aivat: Option<AivatView>,
    /// The file of the hands.
    pub phh: Option<PathBuf>,
}

/// How a player of a match searches.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SearchedView {
    /// From which street on.
    pub from: lethe_agent::SearchFrom,
    /// The gadget in front of each subgame.
    pub gadget: lethe_agent::GadgetKind,
    /// The most iterations of each solve.
    pub iterations: u32,
    /// The exploitability at which a solve ends before that, as a share of the pot.
    pub target: Option<f64>,
}

/// Winnings with luck removed.
#[derive(Clone, Debug, Serialize)]
pub struct AivatView {
    /// The player whose values luck is removed by.
    pub baseline: String,
    /// The winnings over both seats.
    #[serde(flatten)]
    pub overall: Mean,
    /// Those as the small blind.
    pub sb: Mean,
    /// Those as the big blind.
    pub bb: Mean,
    /// By which factor the standard deviation is smaller than without.
    pub shrink: Option<f64>,
}

/// Plays a match. The game is that of the blueprints; players without one need a `tree`.
///
/// # Errors
/// If a player that is to search is no blueprint, neither player has stored values to remove luck by, the file
/// cannot be written, or the job is cancelled. No file is left then.
pub fn contest(
    players: &[Player; 2],
    names: [&Path; 2],
    tree: Option<&Tree>,
    config: ContestConfig<'_>,
    job: Job<'_>,
) -> Result<ContestView, ContestError> {
    seat(players, names, tree, job, |seated| play(seated, config, job))
}

fn play(
    seated: Seated<'_>,
    config: ContestConfig<'_>,
    job: Job<'_>,
) -> Result<ContestView, ContestError> {
    let Seated { tree, names, policies, blueprints } = seated;
    let agent = |place: usize| match (config.search[place], blueprints[place]) {
        (None, _) => Ok(None),
        (Some(config), Some(blueprint)) => Ok(Some(Agent::new(blueprint, config))),
        (Some(_), None) => Err(ContestError::NoSearch(names[place].clone())),
    };
    let agents = [agent(0)?, agent(1)?];
    let contestant = |place: usize| match &agents[place] {
        Some(agent) => Contestant::Agent(agent),
        None => Contestant::Policy(policies[place]),
    };
    let stored = match config.aivat {
        true => Some(stored(&names, blueprints)?),
        false => None,
    };
    let baseline = stored
        .as_ref()
        .map(|(_, blueprint, values)| Baseline::new(blueprint.plan(), *blueprint, values));
    let duel = Duel {
        tree,
        players: [contestant(0), contestant(1)],
        names: [&names[0], &names[1]],
        baseline: baseline.as_ref(),
    };
    let deals = config.hands.div_ceil(2);
    let DuelResult { raw, luck_removed, shrink } = match config.phh {
        None => duel.play(deals, config.seed, job, None::<&mut Record<'_>>)?,
        Some(path) => recorded(&duel, deals, config.seed, path, job)?,
    };
    let searched = |config: AgentConfig| SearchedView {
        from: config.from,
        gadget: config.gadget,
        iterations: config.iterations,
        target: config.target,
    };
    let aivat = luck_removed.zip(stored).map(|(won, (place, ..))| {
        let Winnings { overall, seats: [bb, sb], .. } = won;
        AivatView { baseline: names[place].clone(), overall, sb, bb, shrink }
    });
    Ok(ContestView {
        result: MatchView::new(names, config.seed, raw),
        search: config.search.map(|search| search.map(searched)),
        aivat,
        phh: config.phh.map(Path::to_owned),
    })
}

type Record<'a> = dyn FnMut(PlayedHand) -> Result<(), ContestError> + 'a;

/// Plays a duel whose hands are written to a file.
fn recorded(
    duel: &Duel<'_>,
    deals: u64,
    seed: u64,
    path: &Path,
    job: Job<'_>,
) -> Result<DuelResult, ContestError> {
    let file = OutputFile::create(path).map_err(Error::from)?;
    let mut out = io::BufWriter::new(file.file());
    let failed = |why: io::Error| {
        ContestError::from(Error::from(FileError::Write { path: path.to_owned(), why }))
    };
    let mut number = 0;
    let mut record = |hand: PlayedHand| {
        number += 1;
        let text = write_hands(&[hand], number).map_err(ContestError::Record)?;
        out.write_all(text.as_bytes()).map_err(failed)
    };
    let result = duel.play(deals, seed, job, Some(&mut record as &mut Record<'_>))?;
    out.flush().map_err(failed)?;
    drop(out);
    file.finish().map_err(Error::from)?;
    Ok(result)
}

/// The first player with stored values.
fn stored<'a>(
    names: &[String; 2],
    blueprints: [Option<&'a VerifiedBlueprint<'a>>; 2],
) -> Result<(usize, &'a VerifiedBlueprint<'a>, Values), ContestError> {
    for (place, blueprint) in blueprints.into_iter().enumerate() {
        if let Some(blueprint) = blueprint
            && let Some(values) = blueprint.values().map_err(Error::from)?
        {
            return Ok((place, blueprint, values));
        }
    }
    let place = blueprints.iter().position(Option::is_some);
    Err(match place {
        Some(place) => ContestError::NoValues(tame(&names[place]).into_owned()),
        None => ContestError::NoBlueprint,
    })
}

/// A match without a result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContestError {
    /// What the kit could not do.
    #[error(transparent)]
    Kit(#[from] Error),
    /// A player without a blueprint that is to search.
    #[error("{0} cannot search: only a blueprint can")]
    NoSearch(String),
    /// No values.
    #[error("{0} has no stored values, by which luck is removed")]
    NoValues(String),
    /// No blueprint.
    #[error("luck is removed by the values of a blueprint, and neither player is one")]
    NoBlueprint,
    /// An agent has no answer.
    #[error(transparent)]
    Agent(AgentError),
    /// An agent's action is not in the game.
    #[error("an agent's action '{0}' is not in the tree of the game")]
    OffTree(Action),
    /// A hand cannot be written.
    #[error(transparent)]
    Record(RecordError),
}

impl ContestError {
    /// Whether the job was cancelled.
    pub fn is_cancelled(&self) -> bool {
        match self {
            ContestError::Kit(error) => error.is_cancelled(),
            ContestError::Agent(error) => error.is_cancelled(),
            _ => false,
        }
    }
}

impl From<DuelError<ContestError>> for ContestError {
    fn from(error: DuelError<ContestError>) -> ContestError {
        match error {
            DuelError::Cancelled(cancelled) => ContestError::Kit(cancelled.into()),
            DuelError::Agent(error) => ContestError::Agent(error),
            DuelError::OffTree(action) => ContestError::OffTree(action),
            DuelError::Values(error) => ContestError::Kit(error.into()),
            DuelError::Record(error) => error,
        }
    }
}
