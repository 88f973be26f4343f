//! `Viewer` and `Requests`: looking at a solver that another thread runs.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use crate::solver::Solver;

type Request = Box<dyn FnOnce(&Solver) + Send>;

/// Looks at a solver that another thread runs, between two of its iterations.
///
/// A viewer can be cloned and sent to any thread. What it asks is computed by the thread that solves,
/// when that thread [answers](Requests::answer): within an iteration, while a run is watched.
///
/// ```
/// use std::ops::ControlFlow;
/// use lethe_compute::Job;
/// use lethe_solver::{Options, Solver, Stop, viewer};
/// # use std::sync::Arc;
/// # use lethe_game::{Game, Sizes, SpotConfig, Tree};
/// # let mut config = SpotConfig::new(100, 100);
/// # config.bet_sizes.river.oop.bet = Sizes::parse_bets("a")?;
/// # let board: lethe_cards::Board = "2s3h4d6c7c".parse()?;
/// # let tree = Tree::build(Game::spot(&config, board.street())?, Tree::NODE_LIMIT)?;
/// # let ranges = ["AsAh,QsQh".parse()?, "KsKh".parse()?];
/// # let spot = lethe_solver::Spot::new(board, ranges, Arc::new(tree))?;
/// let (viewer, requests) = viewer();
/// let mut solver = Solver::new(spot, Options::default(), Job::default())?;
/// let solving = std::thread::spawn(move || {
///     // Runs until nobody looks any more, and answers after every iteration.
///     solver.watch(&Stop::default(), Job::default(), &mut |solver, _| {
///         match requests.answer(solver) {
///             true => ControlFlow::Continue(()),
///             false => ControlFlow::Break(()),
///         }
///     })
/// });
///
/// // How often kings call a bet of the pot, as far as it is known by now.
/// let calls = viewer.ask(|solver| solver.walk("b100").map(|at| at.frequencies()));
/// assert!(calls.expect("the solver answers")?.is_some());
/// drop(viewer);
/// assert!(solving.join().expect("no panic").iterations > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Viewer(Sender<Request>);

/// What viewers ask of a solver, in the hands of the thread that runs it.
#[derive(Debug)]
pub struct Requests(Receiver<Request>);

/// A viewer, and the requests that it and its clones make.
pub fn viewer() -> (Viewer, Requests) {
    let (sender, receiver) = channel();
    (Viewer(sender), Requests(receiver))
}

impl Viewer {
    /// What `look` sees in the solver; waits for the answer. `None` if nobody answers any more.
    pub fn ask<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Solver) -> T + Send + 'static,
    ) -> Option<T> {
        let (sender, receiver) = channel();
        // Whoever asked may have gone away in the meantime.
        let request = move |solver: &Solver| drop(sender.send(look(solver)));
        self.0.send(Box::new(request)).ok()?;
        receiver.recv().ok()
    }
}

impl Requests {
    /// Answers what was asked so far, without waiting; whether more may be asked.
    pub fn answer(&self, solver: &Solver) -> bool {
        loop {
            match self.0.try_recv() {
                Ok(request) => request(solver),
                Err(error) => return error == std::sync::mpsc::TryRecvError::Empty,
            }
        }
    }

    /// Waits for the next request and answers it, as a paused solver does; whether more may be
    /// asked. Returns after `patience` without a request.
    pub fn answer_next(&self, solver: &Solver, patience: Duration) -> bool {
        match self.0.recv_timeout(patience) {
            Ok(request) => {
                request(solver);
                true
            }
            Err(error) => error == std::sync::mpsc::RecvTimeoutError::Timeout,
        }
    }
}
