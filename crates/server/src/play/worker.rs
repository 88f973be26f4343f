//! The thread of a table.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::time::Instant;

use lethe_agent::{Agent, AgentConfig};
use lethe_blueprint::{Blueprint, Flops, TablePolicy, Values, ValuesError, VerifiedBlueprint};
use lethe_compute::{Job, Pool};
use lethe_play::{Baseline, FinishedHand, JudgedView, PlayError};
use serde::Serialize;

use super::{Table, Task};

/// The most bytes of solved subgames that an agent keeps.
const CACHE: u64 = 256 << 20;
/// The flops by which values are computed where there are none.
const FLOPS: Flops = Flops::Sample(20, 0);

/// Why a task has no result.
enum Problem {
    /// It was asked to end.
    Cancelled,
    /// It failed.
    Failed(String),
}

impl From<PlayError> for Problem {
    fn from(error: PlayError) -> Problem {
        match error.is_cancelled() {
            true => Problem::Cancelled,
            false => Problem::Failed(error.to_string()),
        }
    }
}

impl From<ValuesError> for Problem {
    fn from(error: ValuesError) -> Problem {
        match error {
            ValuesError::Cancelled(_) => Problem::Cancelled,
            error => Problem::Failed(error.to_string()),
        }
    }
}

impl From<lethe_kit::Error> for Problem {
    fn from(error: lethe_kit::Error) -> Problem {
        match error.is_cancelled() {
            true => Problem::Cancelled,
            false => Problem::Failed(error.to_string()),
        }
    }
}

/// What a task of the table is called in the API.
impl Serialize for Task {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(match self {
            Task::Open => "open",
            Task::Decide => "decide",
            Task::Hint => "hint",
            Task::Values => "values",
            Task::Score => "score",
            Task::Review => "review",
        })
    }
}

/// Works for a table until it is closed.
pub(super) fn work(table: &Table, blueprint: &Blueprint, pool: &Pool) {
    // A bug at one table must not end the others.
    let worked = catch_unwind(AssertUnwindSafe(|| serve(table, blueprint, pool)));
    let problem = match worked {
        Ok(Ok(()) | Err(Problem::Cancelled)) => return,
        Ok(Err(Problem::Failed(problem))) => problem,
        Err(_) => "an internal error; please report it with the hand history".to_owned(),
    };
    table.fail(problem);
}

fn serve(table: &Table, blueprint: &Blueprint, pool: &Pool) -> Result<(), Problem> {
    let job = Job::new(pool).watched_by(table);
    let verified = loop {
        match blueprint.verify(job).map_err(lethe_kit::Error::from).map_err(Problem::from) {
            Ok(verified) => break verified,
            Err(Problem::Cancelled) => table.wait_for_resume()?,
            Err(problem) => return Err(problem),
        }
    };
    // Until the table is closed, or the blueprint has other values.
    loop {
        let closed = Dealer::new(table, blueprint, &verified)?.serve(job)?;
        if closed {
            return Ok(());
        }
    }
}

/// The agent at a table, which also says what the person could do.
struct Dealer<'a> {
    table: &'a Table,
    verified: &'a VerifiedBlueprint<'a>,
    policy: TablePolicy<'a, VerifiedBlueprint<'a>>,
    values: Option<Values>,
    agent: Agent<'a>,
}

impl<'a> Dealer<'a> {
    fn new(
        table: &'a Table,
        blueprint: &'a Blueprint,
        verified: &'a VerifiedBlueprint<'a>,
    ) -> Result<Dealer<'a>, Problem> {
        let config = AgentConfig {
            from: table.setup.search,
            seed: table.setup.seed,
            cache_bytes: CACHE,
            ..AgentConfig::default().with_limits(Some(table.setup.iterations), None)
        };
        let (plan, buckets) = (verified.plan(), verified.buckets());
        let values = values_of(blueprint)?;
        let mut state = table.lock();
        state.has_values = values.is_some();
        state.restart_score();
        drop(state);
        Ok(Dealer {
            table,
            verified,
            policy: TablePolicy { plan, buckets, weights: verified },
            values,
            agent: Agent::new(verified, config).with_values(values_of(blueprint)?),
        })
    }

    /// Does what there is to do; `true` when the table is closed, `false` when there are new values.
    fn serve(&self, job: Job<'_>) -> Result<bool, Problem> {
        let values = self.values.as_ref();
        let baseline =
            values.map(|values| Baseline::new(self.verified.plan(), &self.policy, values));
        while let Some(task) = self.table.next_task() {
            let done = match task {
                Task::Open => Ok(()),
                Task::Decide => self.decide(job),
                Task::Hint => self.hint(job),
                Task::Values => match lethe_kit::values::store(self.verified, FLOPS, job) {
                    Ok(_) => {
                        self.table.lock().wants_values = false;
                        return Ok(false);
                    }
                    Err(error) => Err(error.into()),
                },
                Task::Score => self.score(baseline.as_ref(), job),
                Task::Review => self.review(job),
            };
            match done {
                Ok(()) | Err(Problem::Cancelled) => {}
                Err(Problem::Failed(problem)) => self.table.fail(problem),
            }
        }
        Ok(true)
    }

    /// Nothing else changes a session while its agent is to act.
    fn decide(&self, job: Job<'_>) -> Result<(), Problem> {
        let mut session = self.table.lock().session.clone();
        session.answer(&self.agent, job.silent())?;
        self.table.lock().session = session;
        Ok(())
    }

    fn hint(&self, job: Job<'_>) -> Result<(), Problem> {
        let session = self.table.lock().session.clone();
        let hint = session.hint(&self.agent, job.silent())?;
        let mut state = self.table.lock();
        // The person may have acted without it.
        if state.wants_hint {
            (state.wants_hint, state.hint) = (false, Some(hint));
        }
        Ok(())
    }

    fn score(&self, baseline: Option<&Baseline<'_>>, job: Job<'_>) -> Result<(), Problem> {
        let state = self.table.lock();
        let (mut tally, place) = (state.tally, state.settled);
        let Some(FinishedHand { hand, person, .. }) = state.session.finished().get(place).cloned()
        else {
            return Ok(());
        };
        drop(state);
        let added = tally.add(&hand, person.opponent(), &self.agent, baseline, job.silent());
        added.map_err(PlayError::from)?;
        let mut state = self.table.lock();
        (state.tally, state.settled) = (tally, place + 1);
        Ok(())
    }

    fn review(&self, job: Job<'_>) -> Result<(), Problem> {
        let state = self.table.lock();
        let finished = state.session.finished().get(state.reviews.len()).cloned();
        drop(state);
        let Some(FinishedHand { hand, person, .. }) = finished else { return Ok(()) };
        let replay = hand.replay().map_err(PlayError::from)?;
        let judged = JudgedView::all(&hand, &replay, person, &self.agent, job.silent());
        let judged = judged.map_err(PlayError::from)?;
        self.table.lock().reviews.push(judged);
        Ok(())
    }
}

/// The values of a blueprint. Those of an earlier checkpoint are none.
fn values_of(blueprint: &Blueprint) -> Result<Option<Values>, Problem> {
    match blueprint.values() {
        Err(ValuesError::Foreign { .. }) => Ok(None),
        values => Ok(values?),
    }
}

impl Table {
    /// Waits for something to do; `None` when the table is closed.
    fn next_task(&self) -> Option<Task> {
        let mut state = self.lock();
        loop {
            if state.closed {
                return None;
            }
            self.units.iter().for_each(|units| units.store(0, Ordering::Relaxed));
            let next = state.next();
            state.task = next.map(|task| (task, Instant::now()));
            if next.is_some() {
                self.interrupt.store(false, Ordering::Relaxed);
            }
            self.changed();
            match next {
                Some(task) => return Some(task),
                None => state = self.wake.wait(state).unwrap_or_else(|error| error.into_inner()),
            }
        }
    }

    /// Waits after a stop before anything could be played.
    fn wait_for_resume(&self) -> Result<(), Problem> {
        let mut state = self.lock();
        state.task = None;
        self.changed();
        while state.stopped && !state.closed {
            state = self.wake.wait(state).unwrap_or_else(|error| error.into_inner());
        }
        if state.closed {
            return Err(Problem::Cancelled);
        }
        state.task = Some((Task::Open, Instant::now()));
        self.interrupt.store(false, Ordering::Relaxed);
        self.changed();
        Ok(())
    }

    fn fail(&self, problem: String) {
        let mut state = self.lock();
        state.task = None;
        (state.wants_hint, state.wants_values) = (false, false);
        state.error = Some(problem);
        drop(state);
        self.changed();
    }
}
