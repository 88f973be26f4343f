//! A job that is cancelled stops soon and leaves a valid profile.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use lethe_compute::{Cancelled, Job, Progress};
use lethe_game::{NodeKind, Player};
use lethe_solver::{Buckets, Options, Position, Solver, Spot, Stop, StopReason};

use crate::bucketed::Coarse;
use crate::common::{config, published_flop, sizes, spot};

/// Counts the polls, and cancels after some of them.
struct CancelAfter {
    polls: AtomicU64,
    limit: u64,
}

impl CancelAfter {
    fn polls(limit: u64) -> CancelAfter {
        CancelAfter { polls: AtomicU64::new(0), limit }
    }

    fn never() -> CancelAfter {
        CancelAfter::polls(u64::MAX)
    }
}

impl Progress for CancelAfter {
    fn begin(&self, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn cancelled(&self) -> bool {
        self.polls.fetch_add(1, Ordering::Relaxed) >= self.limit
    }
}

/// Cancels some time after its creation.
struct Deadline(Instant);

impl Progress for Deadline {
    fn begin(&self, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn cancelled(&self) -> bool {
        Instant::now() >= self.0
    }
}

fn turn() -> Spot {
    spot(
        "Td9d6hQc",
        "99+,AJs+,KQs,JTs",
        "TT-66,AQs,KJs,87s,A2s",
        &config(100, 300, sizes("60%", "a")),
    )
}

fn iterations(count: u32) -> Stop {
    Stop { iterations: Some(count), ..Stop::default() }
}

/// Every hand that reaches a decision plays its actions with frequencies that sum to 1.
fn assert_valid(position: &Position<'_>, depth: u32) {
    match position.kind() {
        NodeKind::Decision(player) => {
            for hand in position.hands(player, Job::default()).unwrap() {
                if let Some(frequencies) = hand.frequencies {
                    let sum: f64 = frequencies.iter().sum();
                    assert!((sum - 1.0).abs() < 1e-4, "{}: {frequencies:?}", hand.hole);
                    assert!(frequencies.iter().all(|f| (0.0..=1.0001).contains(f)));
                }
            }
            for action in 0..position.actions().len() {
                assert_valid(&position.act(action).unwrap(), depth);
            }
        }
        NodeKind::Chance if depth > 0 => {
            for card in ["2c", "As"] {
                assert_valid(&position.deal(card.parse().unwrap()).unwrap(), depth - 1);
            }
        }
        _ => (),
    }
}

#[test]
fn a_run_cancelled_anywhere_leaves_a_valid_profile() {
    let all = CancelAfter::never();
    let mut solver = Solver::new(turn(), Options::default(), Job::default()).unwrap();
    solver.run(&iterations(24), Job::default().watched_by(&all), &mut |_| ());
    let polls = all.polls.into_inner();
    for limit in (0..polls).step_by(polls as usize / 13) {
        let progress = CancelAfter::polls(limit);
        let mut solver = Solver::new(turn(), Options::default(), Job::default()).unwrap();
        let mut checked = None;
        let job = Job::default().watched_by(&progress);
        let report = solver.run(&iterations(24), job, &mut |now| checked = now.exploitability);
        // The last polls belong to the measurement after the last iteration.
        assert!(report.reason == StopReason::Cancelled || report.iterations == 24, "{limit}");
        assert_eq!(report.evaluation, None, "{limit}");
        // What was checked is known, and is about the profile that is returned.
        assert_eq!(report.exploitability.is_some(), checked.is_some(), "{limit}: {report:?}");
        let measured = solver.evaluate(Job::default()).unwrap();
        assert!(measured.exploitability > -1e-3 && measured.exploitability < 100.0, "{limit}");
        assert!((measured.ev.iter().sum::<f64>() - 100.0).abs() < 1e-2, "{limit}: {measured:?}");
        if let Some(known) = report.exploitability {
            let off = (known - measured.exploitability).abs();
            assert!(off < 0.01, "{limit}: {known} {measured:?}");
        }
        let solution = solver.into_solution();
        assert_eq!(solution.report(), &report);
        assert_valid(&solution.root(), 1);
    }
}

#[test]
fn a_solve_that_was_cancelled_often_still_converges() {
    let mut solver = Solver::new(turn(), Options::default(), Job::default()).unwrap();
    for limit in [7, 60, 111, 300, 555, 1000] {
        let progress = CancelAfter::polls(limit);
        let job = Job::default().watched_by(&progress);
        assert_eq!(solver.run(&Stop::default(), job, &mut |_| ()).reason, StopReason::Cancelled);
    }
    let stop = Stop { target: Some(0.002), ..iterations(1000) };
    let report = solver.run(&stop, Job::default(), &mut |_| ());
    assert_eq!(report.reason, StopReason::Target, "{report:?}");
}

#[test]
fn buckets_learn_nothing_from_an_iteration_that_was_cancelled() {
    let buckets = [0, 1].map(|_| Some(Arc::new(Coarse(9)) as Arc<dyn Buckets>));
    let solver = || {
        let options = Options { buckets: buckets.clone(), ..Options::default() };
        let mut solver = Solver::new(turn(), options, Job::default()).unwrap();
        (0..5).for_each(|_| solver.iterate(Job::default()).unwrap());
        solver
    };
    let (mut whole, mut cancelled) = (solver(), solver());
    let progress = CancelAfter::polls(20);
    assert_eq!(cancelled.iterate(Job::default().watched_by(&progress)), Err(Cancelled));
    assert_eq!(cancelled.iterations(), 5);
    for solver in [&mut whole, &mut cancelled] {
        solver.iterate(Job::default()).unwrap();
    }
    assert_eq!(whole.evaluate(Job::default()), cancelled.evaluate(Job::default()));
}

#[test]
fn every_walk_polls_before_every_board() {
    // 48 rivers and the turn itself; suits of this board are not interchangeable.
    let boards = 49;
    let polls = |work: &dyn Fn(Job<'_>)| {
        let progress = CancelAfter::never();
        work(Job::default().watched_by(&progress));
        progress.polls.into_inner()
    };
    let solver = Solver::new(turn(), Options::default(), Job::default()).unwrap();
    let solver = std::sync::Mutex::new(solver);
    let locked = || solver.lock().unwrap();
    assert!(polls(&|job| locked().iterate(job).unwrap()) >= 2 * boards);
    assert!(polls(&|job| assert!(locked().exploitability(job).is_ok())) >= 2 * boards);
    assert!(polls(&|job| assert!(locked().evaluate(job).is_ok())) >= 5 * boards);
    assert!(polls(&|job| assert!(Solver::new(turn(), Options::default(), job).is_ok())) >= boards);
    let solution = solver.into_inner().unwrap().into_solution();
    assert!(polls(&|job| assert!(solution.root().hands(Player::Oop, job).is_ok())) >= 2 * boards);
}

#[test]
fn every_entry_point_can_be_cancelled() {
    let progress = CancelAfter::polls(0);
    let job = Job::default().watched_by(&progress);
    assert!(Solver::new(turn(), Options::default(), job).is_err());
    assert_eq!(Solver::evaluate_uniform(&turn(), job), Err(Cancelled));
    let mut solver = Solver::new(turn(), Options::default(), Job::default()).unwrap();
    assert_eq!(solver.iterate(job), Err(Cancelled));
    assert_eq!(solver.exploitability(job), Err(Cancelled));
    assert_eq!(solver.evaluate(job), Err(Cancelled));
    let solution = solver.into_solution();
    assert_eq!(solution.root().view(job), Err(Cancelled));
    assert!(solution.root().action_evs(job).is_err());
    assert!(
        solution.root().resolve(Options::default(), &Stop::default(), job, &mut |_| ()).is_err()
    );
}

#[test]
fn a_large_flop_stops_soon() {
    // An iteration takes about a second and every evaluation several.
    let mut solver = Solver::new(published_flop(), Options::default(), Job::default()).unwrap();
    for wait in [50, 300, 700] {
        let deadline = Deadline(Instant::now() + Duration::from_millis(wait));
        solver.run(&Stop::default(), Job::default().watched_by(&deadline), &mut |_| ());
        let late = deadline.0.elapsed();
        assert!(late < Duration::from_millis(500), "stopped {late:?} late");
    }
}
