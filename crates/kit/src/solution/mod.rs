//! Solutions: solving a spot, opening a saved one, walking a line, and views of any position.
//!
//! ```
//! use lethe_compute::Job;
//! use lethe_kit::solution::{self, PositionRequest, SolveOptions};
//! use lethe_kit::spot::SpotFile;
//!
//! let text = "board: 2s3h4d6c7c\noop_range: AsAh,QsQh\nip_range: KsKh\npot: 100\nstack: 100\n\
//!             bet_sizes: {river: {oop: {bet: a}}}\n";
//! let spot = SpotFile::parse("river.yaml", text)?.spot()?;
//! let (how, job) = (SolveOptions::default(), Job::default());
//! let solution = solution::solve(spot, &how, job, &mut |_| ())?;
//!
//! // Kings call a bet of the pot half the time.
//! let request = PositionRequest::default();
//! let called = solution::view(&solution, "b100", &request, &how, job, &mut |_| ())?;
//! assert!((called.node.actions[1].frequency.unwrap() - 0.5).abs() < 0.01);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod classes;
mod hands;
mod position;
mod runouts;
mod summary;

use std::path::Path;
use std::time::Instant;

use lethe_compute::{Cancelled, Job};
use lethe_game::NodeKind;
use lethe_solver::{
    Metrics, Options, Position, ResolveError, SaveError, Solution, SolveError, Solver, Spot,
    SpotError, Stop, WalkError,
};

pub use self::classes::{ClassRow, ClassesView};
pub use self::hands::{HandRow, HandsView};
pub use self::position::{NodeView, PositionRequest, PositionView, Values, view, view_solver};
pub use self::runouts::{RunoutRow, RunoutsView};
pub use self::summary::{
    EvaluationView, Limit, MemoryView, OutlineRow, SolveView, StreetSize, TreeView,
};
use crate::config::ConfigError;
use crate::files;
use crate::limits::{TARGET, free_memory};
use crate::line::{self, LineError, Step};
use crate::spot::SpotFile;

/// How to solve, and when to stop.
#[derive(Clone, Debug)]
pub struct SolveOptions {
    /// The solver's options.
    pub options: Options,
    /// When to stop.
    pub stop: Stop,
}

impl Default for SolveOptions {
    /// Exact cards, the memory that is free, to 0.1 % of the pot.
    fn default() -> SolveOptions {
        SolveOptions {
            options: Options { memory_limit: free_memory(), ..Options::default() },
            stop: Stop { target: Some(TARGET), ..Stop::default() },
        }
    }
}

/// Receives the metrics of a solve after every iteration.
pub type OnMetrics<'a> = &'a mut dyn FnMut(&Metrics);

/// Solves a spot. The preparation counts into a limit on time.
pub fn solve(
    spot: Spot,
    how: &SolveOptions,
    job: Job<'_>,
    on_metrics: OnMetrics<'_>,
) -> Result<Solution, SolutionError> {
    let begun = Instant::now();
    let mut solver = Solver::new(spot, how.options.clone(), job)?;
    let time = how.stop.time.map(|time| time.saturating_sub(begun.elapsed()));
    solver.run(&Stop { time, ..how.stop }, job, on_metrics);
    Ok(solver.into_solution())
}

/// The solution that a path names: a saved one, or that of a spot file, which is solved first.
pub fn open(
    path: &Path,
    how: &SolveOptions,
    job: Job<'_>,
    on_metrics: OnMetrics<'_>,
) -> Result<Solution, SolutionError> {
    if is_saved(path) {
        let name = || path.display().to_string();
        return Solution::open(path, job)
            .map_err(|error| SolutionError::Open { file: name(), error });
    }
    let solution = solve(SpotFile::read(path)?.spot()?, how, job, on_metrics)?;
    // Half a solution is no answer to what was asked.
    if job.cancelled() { Err(Cancelled.into()) } else { Ok(solution) }
}

/// Whether a file begins as a saved solution does.
pub fn is_saved(path: &Path) -> bool {
    files::begins_with(path, lethe_solver::MAGIC)
}

/// Walks a line in a solution and returns what `look` sees there.
///
/// Where a street was left out of the solution, what follows is solved again.
pub fn visit<T>(
    solution: &Solution,
    line: &str,
    how: &SolveOptions,
    job: Job<'_>,
    on_metrics: OnMetrics<'_>,
    look: &mut dyn FnMut(&Position<'_>, OnMetrics<'_>) -> Result<T, SolutionError>,
) -> Result<T, SolutionError> {
    // A line may end before its card.
    let steps = line::steps(line.trim_end_matches(['/', ' ']));
    visit_steps(solution, &steps, line, how, job, on_metrics, look)
}

fn visit_steps<T>(
    solution: &Solution,
    steps: &[Step<'_>],
    line: &str,
    how: &SolveOptions,
    job: Job<'_>,
    on_metrics: OnMetrics<'_>,
    look: &mut dyn FnMut(&Position<'_>, OnMetrics<'_>) -> Result<T, SolutionError>,
) -> Result<T, SolutionError> {
    let mut position = solution.root();
    for done in 0..=steps.len() {
        if is_missing(&position) {
            let below = resolve(&position, how, job, on_metrics)?;
            return visit_steps(&below, &steps[done..], line, how, job, on_metrics, look);
        }
        if let Some(step) = steps.get(done) {
            position = take(position, step, line)?;
        }
    }
    look(&position, on_metrics)
}

/// The position after a step of a line.
pub(crate) fn take<'a>(
    position: Position<'a>,
    step: &Step<'_>,
    line: &str,
) -> Result<Position<'a>, SolutionError> {
    let place = line::index(position.tree(), position.node(), step, line)?;
    Ok(match step {
        Step::Action(_) => position.act(place)?,
        Step::Deal(cards) => match cards.first() {
            Some(&card) => position.deal(card)?,
            None => return Err(SolutionError::NoCard { line: line.to_owned() }),
        },
    })
}

/// Whether the strategies at a position were left out of the solution.
fn is_missing(position: &Position<'_>) -> bool {
    matches!(position.kind(), NodeKind::Decision(_)) && !position.is_stored()
}

fn resolve(
    position: &Position<'_>,
    how: &SolveOptions,
    job: Job<'_>,
    on_metrics: OnMetrics<'_>,
) -> Result<Solution, SolutionError> {
    let solution = position.resolve(how.options.clone(), &how.stop, job, on_metrics);
    let solution = solution.map_err(|error| match error {
        ResolveError::Spot(SpotError::EmptyRange(_) | SpotError::NoPair) => {
            SolutionError::NeverReached
        }
        error => error.into(),
    })?;
    if job.cancelled() { Err(Cancelled.into()) } else { Ok(solution) }
}

/// A solution that cannot be had, or a position that is not in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolutionError {
    /// A spot file that describes no spot.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A saved solution that does not open.
    #[error("{}{error}", match error { SaveError::File(_) => String::new(), _ => format!("{file}: ") })]
    Open {
        /// The file.
        file: String,
        /// What is wrong with it.
        error: SaveError,
    },
    /// A solve that cannot be done as asked.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// A line that is not in the tree.
    #[error(transparent)]
    Line(#[from] LineError),
    /// A deal without its card.
    #[error("the line '{}' needs the card of the next street after each /, such as 'x x / Th'",
            line.escape_debug())]
    NoCard {
        /// The line.
        line: String,
    },
    /// A line that cannot be walked.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// A line that the players never reach together.
    #[error("the players never both reach this line, so there is nothing to solve after it")]
    NeverReached,
    /// A position that cannot be solved again.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    /// A line at whose end the hand is over.
    #[error("the hand is over after this line, by a {0}; leave out its last action")]
    Over(&'static str),
    /// Runouts where no card is dealt.
    #[error(
        "runouts are shown where a card is dealt: end the line with the last action of a street, \
         such as 'x x'"
    )]
    NoDeal,
    /// Hands that the player cannot have.
    #[error("none of these hands is in the range of {0} on this board")]
    NoSuchHands(lethe_game::Player),
    /// The job was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl SolutionError {
    /// Whether the job was cancelled.
    pub fn is_cancelled(&self) -> bool {
        matches!(
            self,
            SolutionError::Cancelled(_)
                | SolutionError::Solve(SolveError::Cancelled(_))
                | SolutionError::Walk(WalkError::Cancelled(_))
                | SolutionError::Resolve(ResolveError::Solve(SolveError::Cancelled(_)))
                | SolutionError::Open { error: SaveError::Cancelled(_), .. }
        )
    }
}
