//! Runs that are watched, paused, continued and timed; views that are kept against views that are
//! walked.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lethe_cards::Street;
use lethe_compute::{Job, Progress};
use lethe_game::{NodeKind, Player};
use lethe_rows::Buckets;

use crate::cells::{BoardData, Table};
use crate::profile::equities;
use crate::query::Position;
use crate::run::{Stop, StopReason};
use crate::solver::{Options, Solver};
use crate::test_spots::{Strength, spot};

fn bucketed() -> Options {
    let buckets = || Some(Arc::new(Strength) as Arc<dyn Buckets>);
    Options { buckets: [buckets(), buckets()], ..Options::default() }
}

fn solver(board: &str, options: Options) -> Solver {
    let spot = spot(board, "AA,T9s,KJs:0.5,87s", "KQo,66,J8s,A5s:0.5");
    Solver::new(spot, options, Job::default()).unwrap()
}

fn iterations(count: u32) -> Stop {
    Stop { iterations: Some(count), ..Stop::default() }
}

/// All that a solver has learned, to the bit.
fn state(solver: &Solver) -> Vec<u32> {
    fn add(data: &BoardData, out: &mut Vec<u32>) {
        for cells in &data.cells {
            for table in [&cells.regret, &cells.sum, &cells.last] {
                match table {
                    Table::F32(numbers) => out.extend(numbers.iter().map(|x| x.to_bits())),
                    Table::I16(numbers, scales) => {
                        out.extend(numbers.iter().map(|&x| x as u32));
                        out.extend(scales.iter().map(|x| x.to_bits()));
                    }
                }
            }
        }
        data.children.iter().for_each(|child| add(child, out));
    }
    let mut out = Vec::new();
    add(&solver.data, &mut out);
    for tables in solver.tables.iter().flatten() {
        for row in tables.regret.iter().chain(&tables.sum).chain(&tables.average) {
            out.extend(row.iter().map(|x| x.to_bits()));
        }
    }
    out
}

/// Every frequency at the decisions of a few boards, to the bit.
fn played(position: &Position<'_>, out: &mut Vec<u64>) {
    match position.kind() {
        NodeKind::Decision(_) => {
            let frequencies = position.frequencies().unwrap_or_default();
            out.extend(frequencies.iter().map(|f| f.to_bits()));
            for action in 0..position.actions().len() {
                played(&position.act(action).unwrap(), out);
            }
        }
        NodeKind::Chance => {
            for card in ["2c", "As"] {
                played(&position.deal(card.parse().unwrap()).unwrap(), out);
            }
        }
        NodeKind::Fold(_) | NodeKind::Showdown => (),
    }
}

/// Runs that end at their iterations or are paused, between checks or at them, change nothing about
/// what a single run computes or returns.
#[test]
fn several_runs_are_one() {
    for (board, options) in [
        ("Td9d6sQh", Options::default()),
        ("Td9d6sQd", Options { rule: crate::Rule::PDCFR_PLUS, ..Options::default() }),
        ("Td9d6sQh", bucketed()),
        ("Td9d6sQh2c", Options::default()),
    ] {
        let mut whole = solver(board, options.clone());
        let report = whole.run(&iterations(40), Job::default(), &mut |_| ());
        let mut parts = solver(board, options);
        // Checks are due at 10, 20 and 38.
        for count in [1, 7, 10, 12] {
            parts.run(&iterations(count), Job::default(), &mut |_| ());
        }
        for pause in [14, 20, 30] {
            let paused = parts.watch(&iterations(40), Job::default(), &mut |_, now| match now
                .iteration
                < pause
            {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            });
            assert_eq!((paused.reason, paused.iterations), (StopReason::Paused, pause));
            assert_eq!(paused.evaluation, None);
        }
        let again = parts.run(&iterations(40), Job::default(), &mut |_| ());
        assert_eq!(again.evaluation, report.evaluation, "{board}");
        assert_eq!(state(&parts), state(&whole), "{board}");
        let [mut one, mut other] = [Vec::new(), Vec::new()];
        played(&whole.into_solution().root(), &mut one);
        played(&parts.into_solution().root(), &mut other);
        assert!(one == other && one.len() > 10, "{board}");
    }
}

#[test]
fn a_target_that_is_reached_stays_reached() {
    let mut solver = solver("Td9d6sQh", Options::default());
    let stop = Stop { target: Some(0.01), ..Stop::default() };
    let first = solver.run(&stop, Job::default(), &mut |_| ());
    let second = solver.run(&stop, Job::default(), &mut |_| ());
    assert_eq!((first.reason, second.reason), (StopReason::Target, StopReason::Target));
    assert_eq!(first.iterations, second.iterations);
    let lower = Stop { target: Some(0.003), ..stop };
    let third = solver.run(&lower, Job::default(), &mut |_| ());
    assert_eq!(third.reason, StopReason::Target);
    assert!(third.iterations > second.iterations);
}

/// Compares every node of the streets before the river, behind a few cards, and counts them.
fn assert_kept_is_walked(position: &Position<'_>) -> usize {
    let job = Job::default();
    let pot = position.pot() as f32;
    let Some((street, node)) = position.kept(job).unwrap() else {
        assert_eq!(position.board().street(), Street::River);
        return 0;
    };
    for player in Player::BOTH {
        let walked = position.values(player, job).unwrap();
        let opp = &position.reach[1 - player.index()];
        let shown = equities(position.boards, player, opp, job).unwrap();
        let all: f32 = opp.iter().sum();
        for (kept, walked, scale) in [
            (street.values(player, node), walked, all * pot),
            (street.equities(player, node), shown, all),
        ] {
            assert_eq!(kept.len(), walked.len());
            for (a, b) in kept.iter().zip(&walked) {
                assert!((a - b).abs() <= 1e-5 * scale, "{a} {b} of {scale}");
            }
        }
    }
    let below: usize = match position.kind() {
        NodeKind::Chance => {
            // Two of these cards are alike where suits are.
            let cards = ["2c", "2h", "As"].into_iter().map(|card| card.parse().unwrap());
            let left = cards.filter(|&card| !position.board().set().contains(card));
            left.map(|card| assert_kept_is_walked(&position.deal(card).unwrap())).sum()
        }
        _ => {
            let actions = 0..position.actions().len();
            actions.map(|action| assert_kept_is_walked(&position.act(action).unwrap())).sum()
        }
    };
    1 + below
}

#[test]
fn kept_values_of_a_street_are_the_walked_ones() {
    for (board, options) in [
        ("Td9d6s", Options::default()),
        ("TdTs6h", Options { symmetry: false, ..Options::default() }),
        ("Td9d6sQd", bucketed()),
    ] {
        let mut solver = solver(board, options);
        solver.run(&iterations(12), Job::default(), &mut |_| ());
        let nodes = assert_kept_is_walked(&solver.root());
        assert!(nodes >= solver.engine.levels[0].nodes.len(), "{board} {nodes}");
        // Kept values are those of the strategies as they are now.
        solver.iterate(Job::default()).unwrap();
        assert_eq!(assert_kept_is_walked(&solver.root()), nodes);
        assert_eq!(assert_kept_is_walked(&solver.into_solution().root()), nodes);
    }
}

/// A clock that runs with the work: every poll of the job is a millisecond.
#[derive(Default)]
struct Work(AtomicU64);

impl Progress for Work {
    fn begin(&self, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn cancelled(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed);
        false
    }
}

/// Whatever the limit, a run ends by it or at most an iteration later, with its evaluation or
/// without; and it does not end long before.
#[test]
fn a_time_limit_holds_to_within_an_iteration() {
    let run = |limit: u64, evaluate: bool| {
        let mut solver = solver("Td9d6sQh", Options::default());
        let work = Work::default();
        let clock = || Duration::from_millis(work.0.load(Ordering::Relaxed));
        let stop = Stop { time: Some(Duration::from_millis(limit)), evaluate, ..Stop::default() };
        let job = Job::default().watched_by(&work);
        let report = solver.watch_by(&clock, &stop, job, &mut |_, _| ControlFlow::Continue(()));
        assert_eq!(report.reason, StopReason::Time);
        report
    };
    let iteration = run(1, false).elapsed.as_millis() as u64;
    assert!(iteration > 2 * 48, "every river is polled for both players");
    for limit in (0..60).map(|step| step * iteration * 2 / 3) {
        for evaluate in [false, true] {
            let report = run(limit, evaluate);
            let took = report.elapsed.as_millis() as u64;
            // The first iteration is always made. The evaluation is about as long as two, or as three
            // where the profile kept is better than the last.
            assert!(took <= limit.max(iteration) + iteration, "{took} of {limit}, {evaluate}");
            assert!(report.evaluation.is_none() || evaluate);
            assert!(report.evaluation.is_some() || !evaluate || limit < 3 * iteration);
            let early = if evaluate { 3 } else { 1 } * iteration;
            assert!(took + early >= limit, "{took} of {limit}, {evaluate}");
        }
    }
}

#[test]
fn a_run_that_measures_nothing_spends_nothing_on_it() {
    let polls = |stop: &Stop| {
        let work = Work::default();
        let mut solver = solver("Td9d6sQh", Options::default());
        let job = Job::default().watched_by(&work);
        let report = solver.run(stop, job, &mut |_| ());
        (work.0.into_inner(), report)
    };
    let (one, _) = polls(&Stop { evaluate: false, ..iterations(1) });
    let (thirty, report) = polls(&Stop { evaluate: false, ..iterations(30) });
    assert_eq!(thirty, 30 * one);
    assert_eq!((report.evaluation, report.exploitability), (None, None));
    // A target needs its checks.
    let stop = Stop { target: Some(0.01), evaluate: false, ..Stop::default() };
    let (_, report) = polls(&stop);
    assert_eq!(report.reason, StopReason::Target);
    assert!(report.evaluation.is_none() && report.exploitability.unwrap() <= 1.0, "{report:?}");
}
