//! What a solution says about every node, and what it refuses to.

use std::sync::Arc;

use lethe_cards::{Board, Range};
use lethe_compute::Job;
use lethe_game::{Game, Player, SpotConfig, Tree};
use lethe_solver::{Options, SolveError, Solver, Spot, SpotError, WalkError};

use crate::common::{config, iterated, sizes, spot};

#[test]
fn hands_that_never_come_have_no_frequencies_and_blocked_ones_are_absent() {
    let tree = config(100, 200, sizes("75%", "a"));
    let spot = spot("2s3h4d6c7c", "AsAh,QsQh,7s7h:0.25", "KsKh,8c8d", &tree);
    let (solver, _) = iterated(spot, Options::default(), 100);
    let solution = solver.into_solution();
    let position = solution.walk("b75").unwrap();
    for player in Player::BOTH {
        for hand in position.hands(player, Job::default()).unwrap() {
            assert!(hand.ev.is_some_and(f64::is_finite), "{hand:?}");
            assert!(hand.equity.is_some_and(|e| (0.0..=1.0).contains(&e)), "{hand:?}");
            assert_eq!(hand.frequencies.is_some(), player == Player::Ip && hand.reach > 0.0);
            assert!(!hand.hole.set().intersects(position.board().set()));
        }
    }
    let root = solution.root().hands(Player::Oop, Job::default()).unwrap();
    assert_eq!(root.iter().map(|hand| hand.weight).sum::<f64>(), 2.25);
}

#[test]
fn one_hand_ranges_have_no_nan() {
    let tree = config(100, 200, sizes("75%", "a"));
    for (oop, ip) in [("AsAh", "KsKh"), ("AsAh", "AsKh,QcQd"), ("AsKs,2c2d", "AsKs,9c9d")] {
        let spot = spot("2s3h4d6c", oop, ip, &tree);
        let (solver, report) = iterated(spot, Options::default(), 30);
        assert!(report.evaluation.unwrap().exploitability.is_finite(), "{report:?}");
        let solution = solver.into_solution();
        for line in ["", "x", "b75", "b75 c", "b75 c / Th", "x x / Th x b75"] {
            let Ok(position) = solution.walk(line) else { panic!("{line}") };
            let view = position.view(Job::default()).unwrap();
            let numbers = view.ev.iter().chain(&view.equity).flatten();
            assert!(numbers.copied().all(f64::is_finite), "{line} {view:?}");
            for player in Player::BOTH {
                for hand in position.hands(player, Job::default()).unwrap() {
                    assert!(hand.ev.is_none_or(f64::is_finite), "{line} {hand:?}");
                }
            }
        }
    }
}

#[test]
fn values_at_a_node_follow_from_those_after_its_actions() {
    let tree = config(100, 200, sizes("75%", "a"));
    let spot = spot("2s3h4d6c", "AA,QQ,T9s", "KK,88,AKs", &tree);
    let (solver, _) = iterated(spot, Options::default(), 50);
    let solution = solver.into_solution();
    for line in ["", "x", "b75", "b75 c / Th", "x x / Th b75"] {
        let position = solution.walk(line).unwrap();
        let player = position.player().unwrap();
        let evs = position.action_evs(Job::default()).unwrap();
        for (hand, evs) in position.hands(player, Job::default()).unwrap().into_iter().zip(evs) {
            let Some(frequencies) = hand.frequencies else { continue };
            let mixed: f64 = frequencies.iter().zip(&evs).map(|(f, ev)| f * ev.unwrap()).sum();
            assert!((mixed - hand.ev.unwrap()).abs() < 1e-2, "{line} {:?} {mixed}", hand.hole);
        }
        let view = position.view(Job::default()).unwrap();
        let sum = view.ev[0].unwrap() + view.ev[1].unwrap();
        assert!((sum - position.pot()).abs() < 1e-2, "{line} {sum}");
        let equity = view.equity[0].unwrap() + view.equity[1].unwrap();
        assert!((equity - 1.0).abs() < 1e-6, "{line} {equity}");
    }
}

#[test]
fn a_line_that_leads_nowhere_says_what_is_possible() {
    let spot = spot("2s3h4d6c", "AA,QQ", "KK", &config(100, 200, sizes("75%", "a")));
    let (solver, _) = iterated(spot, Options::default(), 2);
    let solution = solver.into_solution();
    let error = solution.walk("b10").unwrap_err();
    assert_eq!(error.to_string(), "'b10' cannot be played here; possible: check, bet 75");
    let card = "2s".parse().unwrap();
    assert_eq!(solution.walk("x x / 2s").unwrap_err(), WalkError::Dealt(card));
    assert_eq!(solution.root().deal(card).unwrap_err(), WalkError::NoDeal(card));
}

#[test]
fn impossible_spots_are_refused_before_any_work() {
    let tree = |board: &Board| {
        let game = Game::spot(&SpotConfig::new(100, 100), board.street()).unwrap();
        Arc::new(Tree::build(game, 100).unwrap())
    };
    let river: Board = "2s3h4d6c7c".parse().unwrap();
    let new = |board: Board, oop: &str, ip: &str, tree| {
        Spot::new(board, [oop, ip].map(|text| text.parse::<Range>().unwrap()), tree).unwrap_err()
    };
    assert_eq!(new(river, "AsAh", "AsKs", tree(&river)), SpotError::NoPair);
    assert_eq!(new(river, "2s2h", "AsKs", tree(&river)), SpotError::EmptyRange(Player::Oop));
    let turn: Board = "2s3h4d6c".parse().unwrap();
    assert!(matches!(new(turn, "AA", "KK", tree(&river)), SpotError::Street { .. }));
}

#[test]
fn a_solve_above_the_memory_limit_is_refused() {
    let spot = crate::common::published_flop();
    let options = Options { keep_best: false, ..Options::default() };
    let memory = Solver::memory(&spot, &options);
    // The same spot takes 1.35 GB in a solver that stores every hand on every board.
    assert!((1_000_000_000..1_350_000_000).contains(&memory.total()), "{memory:?}");
    let options = Options { memory_limit: Some(1 << 30), ..options };
    let error = Solver::new(spot, options, Job::default()).unwrap_err();
    assert!(matches!(error, SolveError::Memory { .. }), "{error}");
}

#[test]
fn a_position_is_solved_anew_with_the_ranges_that_reach_it() {
    let spot = spot("2s3h4d6c", "AA,QQ,T9s", "KK,88,AKs", &config(100, 200, sizes("75%", "a")));
    let (solver, _) = iterated(spot, Options::default(), 400);
    let solution = solver.into_solution();
    let position = solution.walk("x x / Th").unwrap();
    let stop = lethe_solver::Stop { iterations: Some(400), ..Default::default() };
    let again = position.resolve(Options::default(), &stop, Job::default(), &mut |_| ()).unwrap();
    let (before, after) =
        (position.view(Job::default()).unwrap(), again.root().view(Job::default()).unwrap());
    let difference = before.ev[0].unwrap() - after.ev[0].unwrap();
    assert!(difference.abs() < 0.5, "{before:?} {after:?}");
}
