//! Tables: hands of a person against an agent.
//!
//! Each table has a thread of its own, which does whatever takes time: the agent's decisions, hints, the
//! score, and the review of finished hands. Requests change the session at once, wake that thread, and
//! return; what it finds is in the next [`PlayView`], and [`Table::changes`] says when to look.

mod view;
mod worker;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use lethe_agent::SearchFrom;
use lethe_blueprint::Blueprint;
use lethe_compute::{Pool, Progress};
use lethe_game::Player;
use lethe_play::{
    AdviceView, JudgedView, PlayError, PlayedHand, ScoreTally, Session, SessionConfig, View,
};
use tokio::sync::watch;

pub(crate) use self::view::{FinishedView, PlayView};
use crate::error::ApiError;

/// The most tables at a time. Each keeps what its agents have solved.
const TABLES: usize = 4;

/// How a table was set up.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    /// The run whose blueprint plays.
    pub(crate) run: String,
    /// The person's seat; alternating if `None`.
    pub(crate) seat: Option<Player>,
    /// What the cards are dealt by.
    pub(crate) seed: u64,
    /// The chips of both players.
    pub(crate) stack: Option<u32>,
    /// The first street that the agent solves.
    pub(crate) search: SearchFrom,
    /// The iterations of its solves.
    pub(crate) iterations: u32,
}

/// What the thread of a table does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    /// Checks the blueprint.
    Open,
    /// The agent decides.
    Decide,
    /// The agent is asked about the person's decision.
    Hint,
    /// Values of the blueprint are computed.
    Values,
    /// A finished hand is added to the score.
    Score,
    /// The decisions of a finished hand are judged.
    Review,
}

impl Task {
    /// Whether it may wait until the person thinks.
    fn can_wait(self) -> bool {
        matches!(self, Task::Score | Task::Review)
    }
}

/// A table.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) id: u64,
    setup: Setup,
    state: Mutex<State>,
    wake: Condvar,
    changes: watch::Sender<u64>,
    /// Asks the thread to end its task.
    interrupt: AtomicBool,
    /// Units of a task, done and in all.
    units: [AtomicU64; 2],
}

#[derive(Debug)]
struct State {
    session: Session,
    /// What is being done, and since when.
    task: Option<(Task, Instant)>,
    /// The person has asked for a stop.
    stopped: bool,
    /// The table is no more.
    closed: bool,
    /// What went wrong with the last task.
    error: Option<String>,
    wants_hint: bool,
    hint: Option<AdviceView>,
    wants_values: bool,
    /// Whether the blueprint has values, without which luck stays in the score.
    has_values: bool,
    tally: ScoreTally,
    /// The hands in the tally.
    settled: usize,
    /// Of each finished hand, in order.
    reviews: Vec<Vec<JudgedView>>,
}

impl State {
    /// What to do next.
    fn next(&self) -> Option<Task> {
        let finished = self.session.finished().len();
        match () {
            () if self.stopped || self.error.is_some() => None,
            () if self.session.is_agents_turn() => Some(Task::Decide),
            () if self.wants_hint => Some(Task::Hint),
            () if self.wants_values => Some(Task::Values),
            () if self.settled < finished => Some(Task::Score),
            () if self.reviews.len() < finished => Some(Task::Review),
            () => None,
        }
    }

    /// Begins the score again: either all of its hands have values or none.
    fn restart_score(&mut self) {
        (self.tally, self.settled) = (ScoreTally::new(View::Both), 0);
    }
}

impl Progress for Table {
    fn begin(&self, _: &str, units: u64) {
        self.units[0].store(0, Ordering::Relaxed);
        self.units[1].store(units, Ordering::Relaxed);
        self.changed();
    }

    fn advance(&self, units: u64) {
        self.units[0].fetch_add(units, Ordering::Relaxed);
        self.changed();
    }

    fn cancelled(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }
}

impl Table {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changed(&self) {
        self.changes.send_modify(|number| *number += 1);
    }

    /// A number that grows with every change.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// The table as the person sees it.
    pub(crate) fn view(&self) -> PlayView {
        PlayView::of(self, &self.lock())
    }

    /// A hand that is over.
    pub(crate) fn hand(&self, number: &str) -> Result<FinishedView, ApiError> {
        let state = self.lock();
        let place = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let view = place.and_then(|place| FinishedView::of(&state, place));
        view.ok_or_else(|| ApiError::missing("finished hand", number))
    }

    /// Changes the state, and has the thread look at it now.
    fn change<T>(
        &self,
        change: impl FnOnce(&mut State) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let mut state = self.lock();
        let changed = change(&mut state)?;
        let urgent = state.next().is_some_and(|next| !next.can_wait());
        if state.stopped
            || state.closed
            || urgent && state.task.is_some_and(|(task, _)| task.can_wait())
        {
            self.interrupt.store(true, Ordering::Relaxed);
        }
        drop(state);
        self.wake.notify_all();
        self.changed();
        Ok(changed)
    }

    /// The person acts.
    pub(crate) fn act(&self, words: &str) -> Result<(), ApiError> {
        self.change(|state| {
            state.session.act(words)?;
            (state.wants_hint, state.hint) = (false, None);
            Ok(())
        })
    }

    /// Deals the next hand.
    pub(crate) fn deal(&self) -> Result<(), ApiError> {
        self.change(|state| {
            state.session.deal()?;
            (state.wants_hint, state.hint) = (false, None);
            Ok(())
        })
    }

    /// Asks what the agent would do in the person's place.
    pub(crate) fn ask_hint(&self) -> Result<(), ApiError> {
        self.change(|state| {
            if !state.session.is_persons_turn() {
                return Err(ApiError::conflict("a hint is for the person's turn"));
            }
            (state.stopped, state.error) = (false, None);
            state.wants_hint = state.hint.is_none();
            Ok(())
        })
    }

    /// Asks for the values of the blueprint, by which luck is removed.
    pub(crate) fn ask_values(&self) -> Result<(), ApiError> {
        self.change(|state| {
            if state.has_values {
                return Err(ApiError::conflict("the blueprint has values"));
            }
            (state.stopped, state.error) = (false, None);
            state.wants_values = true;
            Ok(())
        })
    }

    /// Stops what is computed, within a tenth of a second.
    pub(crate) fn stop(&self) -> Result<(), ApiError> {
        self.change(|state| {
            (state.stopped, state.wants_hint, state.wants_values) = (true, false, false);
            Ok(())
        })
    }

    /// Resumes after a stop or an error.
    pub(crate) fn resume(&self) -> Result<(), ApiError> {
        self.change(|state| {
            (state.stopped, state.error) = (false, None);
            Ok(())
        })
    }

    /// Whether nothing is computed.
    pub(crate) fn is_idle(&self) -> bool {
        self.lock().task.is_none()
    }

    /// The hands that are over, as a file of hand histories.
    pub(crate) fn history(&self) -> Result<String, ApiError> {
        let hands: Vec<PlayedHand> =
            self.lock().session.finished().iter().map(|done| done.hand.clone()).collect();
        lethe_play::write_hands(&hands, 1).map_err(ApiError::internal)
    }

    fn close(&self) {
        let _ = self.change(|state| {
            state.closed = true;
            Ok(())
        });
    }
}

/// All tables of a server.
#[derive(Debug)]
pub(crate) struct Tables {
    /// The threads that searches run on.
    pool: Arc<Pool>,
    all: Mutex<Seats>,
}

#[derive(Debug, Default)]
struct Seats {
    last: u64,
    tables: Vec<(Arc<Table>, JoinHandle<()>)>,
}

impl Tables {
    /// No tables yet; their agents will compute on `pool`.
    pub(crate) fn new(pool: Arc<Pool>) -> Tables {
        Tables { pool, all: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Seats> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a table and deals its first hand.
    pub(crate) fn open(
        &self,
        setup: Setup,
        blueprint: Arc<Blueprint>,
    ) -> Result<Arc<Table>, ApiError> {
        let config = SessionConfig {
            seed: setup.seed,
            stack: setup.stack,
            seat: setup.seat,
            ..SessionConfig::default()
        };
        let mut session = Session::new(&blueprint.header().config.game, config)?;
        session.deal()?;
        let mut all = self.lock();
        if all.tables.len() >= TABLES {
            let message = format_args!("{TABLES} tables are open; close one first");
            return Err(ApiError::new(axum::http::StatusCode::TOO_MANY_REQUESTS, message));
        }
        all.last += 1;
        let state = State {
            session,
            task: Some((Task::Open, Instant::now())),
            stopped: false,
            closed: false,
            error: None,
            wants_hint: false,
            hint: None,
            wants_values: false,
            has_values: false,
            tally: ScoreTally::new(View::Both),
            settled: 0,
            reviews: Vec::new(),
        };
        let table = Arc::new(Table {
            id: all.last,
            setup,
            state: Mutex::new(state),
            wake: Condvar::new(),
            changes: watch::Sender::new(0),
            interrupt: AtomicBool::new(false),
            units: Default::default(),
        });
        let (of_thread, pool) = (table.clone(), self.pool.clone());
        let thread = std::thread::Builder::new().name("table".to_owned());
        let thread = thread.spawn(move || worker::work(&of_thread, &blueprint, &pool));
        all.tables.push((table.clone(), thread.map_err(ApiError::internal)?));
        Ok(table)
    }

    /// All tables, in the order they were opened.
    pub(crate) fn all(&self) -> Vec<Arc<Table>> {
        self.lock().tables.iter().map(|(table, _)| table.clone()).collect()
    }

    /// The table with this number.
    pub(crate) fn get(&self, id: &str) -> Result<Arc<Table>, ApiError> {
        let number: Option<u64> = id.parse().ok();
        let found = self.all().into_iter().find(|table| Some(table.id) == number);
        found.ok_or_else(|| ApiError::missing("table", id))
    }

    /// Closes a table.
    pub(crate) fn close(&self, id: &str) -> Result<(), ApiError> {
        let table = self.get(id)?;
        table.close();
        self.lock().tables.retain(|(other, _)| other.id != table.id);
        Ok(())
    }

    /// Closes all tables, and waits for their threads for as long as `patience`.
    pub(crate) fn shut_down(&self, patience: Duration) {
        let tables = std::mem::take(&mut self.lock().tables);
        tables.iter().for_each(|(table, _)| table.close());
        let begun = Instant::now();
        while begun.elapsed() < patience && tables.iter().any(|(_, thread)| !thread.is_finished()) {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl From<PlayError> for ApiError {
    fn from(error: PlayError) -> ApiError {
        match error {
            PlayError::NoHand | PlayError::Over | PlayError::NotOver | PlayError::NotYourTurn => {
                ApiError::conflict(error)
            }
            PlayError::NotFinished => ApiError::new(axum::http::StatusCode::NOT_FOUND, error),
            error => ApiError::unprocessable(error),
        }
    }
}
