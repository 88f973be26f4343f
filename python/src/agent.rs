//! `Agent`: decisions in hands as they are played.
//!
//! An agent borrows from its blueprint, so it lives on a thread that owns both and answers questions.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use lethe_agent::{Agent as Player, AgentConfig, Decision, HandState, Source};
use lethe_blueprint::Blueprint as Open;
use lethe_cards::{Board, Hole};
use lethe_compute::{Job, Pool};
use lethe_game::{Action, Player as Seat};
use numpy::{IntoPyArray, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::blueprint::Blueprint;
use crate::errors::Failure;
use crate::json;
use crate::work::{How, Watch, panicked, run};

/// How often a waiting caller looks whether it was cancelled.
const POLL: Duration = Duration::from_millis(10);

/// A question and where its answer goes.
struct Question {
    hand: HandState,
    watch: Arc<Watch>,
    answer: mpsc::Sender<Result<Decision, Failure>>,
}

/// An agent that plays by a blueprint and solves the end of the hand it is in.
#[pyclass(frozen, module = "lethe._lethe", name = "Agent")]
#[derive(Debug)]
pub(crate) struct Agent {
    questions: Mutex<Option<mpsc::Sender<Question>>>,
    /// The process that the thread is in.
    process: u32,
    /// The chips of the blueprint's stacks.
    stack: u32,
    config: Value,
}

/// Answers questions until nobody can ask any more.
fn serve(
    blueprint: &Open,
    config: AgentConfig,
    pool: &Pool,
    ready: &mpsc::Sender<Result<(), Failure>>,
    questions: mpsc::Receiver<Question>,
) {
    let verified = match blueprint.verify(Job::new(pool)) {
        Ok(verified) => verified,
        Err(error) => {
            let _ = ready.send(Err(error.into()));
            return;
        }
    };
    let values = match blueprint.values() {
        Ok(values) => values,
        Err(error) => {
            let _ = ready.send(Err(lethe_kit::Error::from(error).into()));
            return;
        }
    };
    let agent = Player::new(&verified, config).with_values(values);
    if ready.send(Ok(())).is_err() {
        return;
    }
    for Question { hand, watch, answer } in questions {
        let job = Job::new(pool).watched_by(&*watch);
        let decided = catch_unwind(AssertUnwindSafe(|| agent.decide(&hand, job)));
        let decided = match decided {
            Ok(decided) => decided.map_err(Failure::from),
            Err(panic) => Err(panicked(&*panic)),
        };
        // Whoever asked may have gone.
        let _ = answer.send(decided);
    }
}

/// An action as a word of a line.
fn word(action: Action) -> String {
    match action {
        Action::Fold => "f".to_owned(),
        Action::Check => "x".to_owned(),
        Action::Call => "c".to_owned(),
        Action::Bet(chips) => format!("b{chips}"),
        Action::Raise(chips) => format!("r{chips}"),
        Action::AllIn(_) => "a".to_owned(),
    }
}

fn view(action: Action) -> Value {
    let kind = match action {
        Action::Fold => "fold",
        Action::Check => "check",
        Action::Call => "call",
        Action::Bet(_) => "bet",
        Action::Raise(_) => "raise",
        Action::AllIn(_) => "allin",
    };
    json!({ "action": kind, "chips": action.amount(), "text": action.to_string(), "word": word(action) })
}

fn seat(name: &str) -> Result<Seat, Failure> {
    match name {
        "bb" => Ok(Seat::Oop),
        "sb" => Ok(Seat::Ip),
        other => Err(Failure::Input(format!("seat is {other:?}; expected sb or bb"))),
    }
}

#[pymethods]
impl Agent {
    #[new]
    #[pyo3(signature = (blueprint, config, threads, progress))]
    fn new(
        py: Python<'_>,
        blueprint: &Bound<'_, Blueprint>,
        config: &str,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> Result<Agent, Failure> {
        let open = blueprint.get().get()?;
        let config: AgentConfig = serde_json::from_str(config).map_err(Failure::input)?;
        let stack = open.header().config.game.stack;
        let (questions, receiver) = mpsc::channel();
        let (ready, started) = mpsc::channel();
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        let pool = Pool::new(threads.unwrap_or_else(cores))?;
        let begun = thread::Builder::new().name("lethe agent".to_owned()).spawn(move || {
            serve(&open, config, &pool, &ready, receiver);
        });
        begun.map_err(|error| Failure::Failed(error.to_string()))?;
        run(py, How { threads: Some(1), progress }, move |job, _| {
            loop {
                match started.recv_timeout(POLL) {
                    Ok(ready) => return ready,
                    Err(mpsc::RecvTimeoutError::Timeout) => job.check()?,
                    Err(mpsc::RecvTimeoutError::Disconnected) => {
                        return Err(Failure::Failed("the agent did not start".to_owned()));
                    }
                }
            }
        })?;
        let process = std::process::id();
        Ok(Agent {
            questions: Mutex::new(Some(questions)),
            process,
            stack,
            config: json::view(&config)?,
        })
    }

    /// How it plays.
    #[getter]
    fn config(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(json::to_python(py, &self.config)?.unbind())
    }

    /// Ends its thread.
    fn close(&self) {
        *self.questions.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Decides a hand: what is said of the decision, and the frequency of every action of every hole.
    #[pyo3(signature = (seat, hole, line, board, stack, number, progress))]
    #[allow(clippy::too_many_arguments)]
    fn answer<'py>(
        &self,
        py: Python<'py>,
        seat: &str,
        hole: &str,
        line: &str,
        board: &str,
        stack: Option<u32>,
        number: u64,
        progress: Option<Py<PyAny>>,
    ) -> Result<(Bound<'py, PyAny>, Bound<'py, PyArray2<f32>>), Failure> {
        if std::process::id() != self.process {
            return Err(Failure::input(
                "this agent was made before the process forked; make it in the new process",
            ));
        }
        let questions = self.questions.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let questions = questions.ok_or(Failure::Closed("agent"))?;
        let seat = self::seat(seat)?;
        let hole: Hole = hole.parse().map_err(|error| Failure::pointing(&error, hole))?;
        let board: Board = match board.trim() {
            "" => Board::EMPTY,
            text => text.parse().map_err(|error| Failure::pointing(&error, text))?,
        };
        let mut hand = HandState::parse(seat, hole, stack.unwrap_or(self.stack), board, line)?;
        hand.number = number;
        let decision = run(py, How { threads: Some(1), progress }, |job, _| {
            let watch = Arc::new(Watch::default());
            let (answer, answered) = mpsc::channel();
            let asked = Question { hand, watch: watch.clone(), answer };
            let gone = || Failure::Failed("the agent has stopped".to_owned());
            questions.send(asked).map_err(|_| gone())?;
            loop {
                match answered.recv_timeout(POLL) {
                    Ok(decision) => return decision,
                    Err(mpsc::RecvTimeoutError::Disconnected) => return Err(gone()),
                    Err(mpsc::RecvTimeoutError::Timeout) if job.cancelled() => watch.cancel(),
                    Err(mpsc::RecvTimeoutError::Timeout) => {}
                }
            }
        })?;
        let own = decision.of(hole);
        let place = decision.actions.iter().position(|&action| action == decision.action);
        let summary = json!({
            "action": view(decision.action),
            "place": place,
            "actions": decision.actions.iter().map(|&action| view(action)).collect::<Vec<_>>(),
            "frequencies": own,
            "values": decision.values,
            "source": match decision.source { Source::Blueprint => "blueprint", Source::Search => "search" },
            "iterations": decision.iterations,
            "measure": json::view(&decision.measure)?,
            "seconds": decision.elapsed.as_secs_f64(),
        });
        let count = decision.actions.len();
        let rows = decision.frequencies.into_pyarray(py).reshape([count, Hole::COUNT])?;
        Ok((json::to_python(py, &summary)?, rows))
    }
}
