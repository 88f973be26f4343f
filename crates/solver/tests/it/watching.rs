//! A solver that is looked at while it runs, and what is known by hole at the end.

use std::ops::ControlFlow;
use std::sync::Arc;

use lethe_cards::Hole;
use lethe_compute::Job;
use lethe_game::{Action, Game, Player, Tree};
use lethe_solver::{
    Buckets, Keep, Options, Precision, Solution, Solver, Spot, Stop, StopReason, viewer,
};

use crate::bucketed::Coarse;
use crate::common::{config, iterated, sizes, spot};

fn turn() -> Spot {
    spot(
        "Td9d6hQc",
        "99+,AJs+,KQs,JTs:0.5",
        "TT-66,AQs,KJs,87s,A2s",
        &config(100, 300, sizes("60%", "a")),
    )
}

fn iterations(count: u32) -> Stop {
    Stop { iterations: Some(count), ..Stop::default() }
}

#[test]
fn a_snapshot_shows_what_the_solver_had_while_it_goes_on() {
    let mut solver = Solver::new(turn(), Options::default(), Job::default()).unwrap();
    let mut seen = Vec::new();
    solver.watch(&iterations(30), Job::default(), &mut |solver, now| {
        if [5, 30].contains(&now.iteration) {
            let snapshot = solver.snapshot(Job::default());
            assert_eq!(snapshot.report().iterations, now.iteration);
            for line in ["", "x b60", "x x / 7c"] {
                let live = solver.walk(line).unwrap().view(Job::default()).unwrap();
                let copy = snapshot.walk(line).unwrap().view(Job::default()).unwrap();
                // The copy has 16 bits.
                for (a, b) in live.ev.into_iter().zip(copy.ev) {
                    assert!((a.unwrap() - b.unwrap()).abs() < 0.05, "{line}: {live:?} {copy:?}");
                }
                seen.push(live);
            }
        }
        ControlFlow::Continue(())
    });
    // Watching changes nothing, and the strategies change under the watcher.
    let (unwatched, _) = iterated(turn(), Options::default(), 30);
    assert_eq!(unwatched.evaluate(Job::default()), solver.evaluate(Job::default()));
    assert_ne!(seen[0], seen[3]);
    let last = solver.into_solution().root().view(Job::default()).unwrap();
    assert_eq!(seen[3], last);
}

#[test]
fn another_thread_gets_views_of_a_solver_that_runs() {
    let (first, requests) = viewer();
    let mut solver = Solver::new(turn(), Options::default(), Job::default()).unwrap();
    let solving = std::thread::spawn(move || {
        solver.watch(&Stop::default(), Job::default(), &mut |solver, _| {
            let go_on = requests.answer(solver);
            if go_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        (solver, requests)
    });
    let second = first.clone();
    let views = |viewer: lethe_solver::Viewer| {
        let mut last = 0;
        for line in ["", "x", "b60 c / 7c", "x x / As x"] {
            let (iteration, view) = viewer
                .ask(move |solver| {
                    let view = solver.walk(line).unwrap().view(Job::default()).unwrap();
                    (solver.iterations(), view)
                })
                .unwrap();
            assert!(iteration >= last.max(1));
            last = iteration;
            assert!((view.frequencies.unwrap().iter().sum::<f64>() - 1.0).abs() < 1e-4);
        }
    };
    let other = std::thread::spawn(move || views(second));
    views(first);
    other.join().unwrap();
    // Once nobody can ask any more the run pauses.
    let (solver, requests) = solving.join().unwrap();
    assert!(!requests.answer(&solver));
    assert!(!requests.answer_next(&solver, std::time::Duration::from_secs(60)));
}

#[test]
fn a_viewer_of_a_solver_that_is_gone_gets_nothing() {
    let (viewer, requests) = viewer();
    drop(requests);
    assert_eq!(viewer.ask(|solver| solver.iterations()), None);
}

/// The values by hole are those of the evaluation, one by one.
fn assert_values(solution: &Solution, spot: &Spot) {
    let job = Job::default();
    let evaluation = solution.report().evaluation.unwrap();
    for player in Player::BOTH {
        let p = player.index();
        let average = solution.root_values(player, job).unwrap().unwrap();
        let best = solution.root_best_responses(player, job).unwrap().unwrap();
        let mean = |values: &[f64]| {
            let own = spot.weights(player).iter().zip(values);
            own.map(|(&w, v)| f64::from(w) * v).sum::<f64>() / spot.pairs()
        };
        assert!((mean(&average.counterfactual) - evaluation.ev[p]).abs() < 1e-9);
        assert!((mean(&best.counterfactual) - evaluation.best_response[p]).abs() < 1e-9);
        let hands = solution.root().hands(player, job).unwrap();
        assert_eq!(hands.len(), average.against.iter().filter(|&&met| met > 0.0).count());
        for hand in hands {
            let value = average.value(hand.hole).unwrap();
            assert!((value - hand.ev.unwrap()).abs() < 1e-3, "{}", hand.hole);
            assert!(best.value(hand.hole).unwrap() > value - 1e-3, "{}", hand.hole);
        }
        let blocked: Hole = "TdTs".parse().unwrap();
        assert_eq!((average.value(blocked), best.value(blocked)), (None, None));
    }
}

#[test]
fn values_by_hole_are_those_of_the_evaluation() {
    let (solver, _) = iterated(turn(), Options::default(), 25);
    assert_values(&solver.into_solution(), &turn());
    let coarse = || Some(Arc::new(Coarse(9)) as Arc<dyn Buckets>);
    let options = Options { buckets: [coarse(), None], ..Options::default() };
    let (solver, _) = iterated(turn(), options, 25);
    assert_values(&solver.into_solution(), &turn());
}

#[test]
fn values_by_hole_are_found_where_nothing_was_evaluated() {
    let job = Job::default();
    let solve = |evaluate: bool| {
        let mut solver = Solver::new(turn(), Options::default(), job).unwrap();
        solver.run(&Stop { evaluate, ..iterations(9) }, job, &mut |_| ());
        solver.into_solution()
    };
    let (kept, found) = (solve(true), solve(false));
    assert_eq!(found.report().evaluation, None);
    for player in Player::BOTH {
        assert_eq!(kept.root_values(player, job), found.root_values(player, job));
        let best = [&kept, &found].map(|solution| solution.root_best_responses(player, job));
        assert_eq!(best[0], best[1]);
    }
}

/// Saved values at the river are those of the strategies, not of best responses to them.
#[test]
fn a_solution_without_its_rivers_has_no_best_responses() {
    let job = Job::default();
    let betting = config(100, 300, sizes("60%", "a"));
    let (solver, _) = iterated(turn(), Options::default(), 25);
    let whole = solver.into_solution();
    let path = std::env::temp_dir().join(format!("lethe-watching-{}", std::process::id()));
    whole.save(&path, &betting, Keep::ThroughTurn, job).unwrap();
    let part = Solution::open(&path, job).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(part.root_best_responses(Player::Oop, job), Ok(None));
    let [a, b] = [&whole, &part].map(|s| s.root_values(Player::Oop, job).unwrap().unwrap());
    let kings: Hole = "KsKh".parse().unwrap();
    assert!((a.value(kings).unwrap() - b.value(kings).unwrap()).abs() < 0.05);
}

/// A tree from within the street is solved as the whole tree is from there.
#[test]
fn a_state_within_a_street_is_solved_as_the_subgame() {
    let whole = turn();
    for line in ["x", "b60", "x b60", "x b60 r300"] {
        let node = whole.tree().find(line).unwrap();
        let state = whole.tree().state(node).unwrap();
        let game = whole.tree().game().starting_at(&state).unwrap();
        let tree = Arc::new(Tree::build(game, Tree::NODE_LIMIT).unwrap());
        let weights = Player::BOTH.map(|player| whole.weights(player).to_vec());
        let root = tree.root();
        let part = Spot::with_weights(whole.board(), weights, tree, root).unwrap();
        assert_eq!(part.pot(), whole.clone().starting_at(node).unwrap().pot());
        let (_, a) = iterated(part, Options::default(), 20);
        let (_, b) = iterated(whole.clone().starting_at(node).unwrap(), Options::default(), 20);
        assert_eq!(a.evaluation, b.evaluation, "{line}");
    }
}

/// A bet of 7 into 12 that no size of the tree has.
#[test]
fn a_bet_beside_the_tree_is_answered() {
    let config = config(12, 30, sizes("50%", "a"));
    let whole = spot("2s3h4d6c7c", "AsAh,QsQh,JsJh", "KsKh,TsTh", &config);
    let game: &Game = whole.tree().game();
    let checked = game.after(&game.state(), Action::Check).unwrap().unwrap();
    let facing = game.after(&checked, Action::Bet(7)).unwrap().unwrap();
    let tree = Tree::build(game.starting_at(&facing).unwrap(), Tree::NODE_LIMIT).unwrap();
    let weights = Player::BOTH.map(|player| whole.weights(player).to_vec());
    let root = tree.root();
    let spot = Spot::with_weights(whole.board(), weights, Arc::new(tree), root).unwrap();
    let (solver, report) = iterated(spot, Options::default(), 300);
    let evaluation = report.evaluation.unwrap();
    assert!((evaluation.ev.iter().sum::<f64>() - 19.0).abs() < 1e-3, "{evaluation:?}");
    assert!(evaluation.exploitability < 0.05, "{evaluation:?}");
    // Aces win the pot and the bet at least; folding is worth nothing to anyone.
    let values = solver.into_solution().root_values(Player::Oop, Job::default());
    let values = values.unwrap().unwrap();
    assert!(values.value("AsAh".parse().unwrap()).unwrap() > 18.9);
    assert!(values.value("JsJh".parse().unwrap()).unwrap() >= -1e-3);
}

/// Exact solves reach low targets: they are not taken to stand still on the way.
#[test]
fn an_exact_solve_does_not_stop_before_its_target() {
    for (board, oop, ip, bet) in [
        ("Td9d6hQc", "99+,AJs+,KQs,JTs", "TT-66,AQs,KJs,87s,A2s", "60%"),
        ("2s3h4d6c", "AA,QQ,T9s", "KK,88,AKs", "33%, 150%"),
        ("2s3h4d6c7c", "AA,QQ,JJ,T9s", "KK,88,55,AKs", "50%, a"),
        ("AsAh2d2c9h", "KK,QQ,T9s,93s", "JJ,98s,A2s,K9s", "75%"),
    ] {
        let spot = spot(board, oop, ip, &config(100, 300, sizes(bet, "a")));
        for rule in [lethe_solver::Rule::default(), lethe_solver::Rule::DCFR] {
            let options = Options { rule, ..Options::default() };
            let mut solver = Solver::new(spot.clone(), options, Job::default()).unwrap();
            let stop = Stop { target: Some(5e-5), ..iterations(20_000) };
            let report = solver.run(&stop, Job::default(), &mut |_| ());
            assert_eq!(report.reason, StopReason::Target, "{board} {rule:?} {report:?}");
        }
    }
}

/// Solves that cannot reach their target end by themselves, wherever they start.
#[test]
fn bucketed_and_rounded_solves_end_where_they_stand_still() {
    let coarse = || Some(Arc::new(Coarse(6)) as Arc<dyn Buckets>);
    let bucketed = Options { buckets: [coarse(), coarse()], ..Options::default() };
    let one = Options { buckets: [None, coarse()], ..Options::default() };
    let rounded = Options { precision: Precision::I16, ..Options::default() };
    for (board, options) in [
        ("Td9d6hQc", bucketed.clone()),
        ("Td9d6hQc", one),
        ("Td9d6hQc2s", bucketed),
        ("Td9d6hQc", rounded),
    ] {
        let config = config(100, 300, sizes("60%", "a"));
        let spot = spot(board, "99+,AJs+,KQs,JTs", "TT-66,AQs,KJs,87s,A2s", &config);
        let mut solver = Solver::new(spot, options, Job::default()).unwrap();
        let stop = Stop { target: Some(1e-9), ..iterations(100_000) };
        let report = solver.run(&stop, Job::default(), &mut |_| ());
        assert_eq!(report.reason, StopReason::Plateau, "{board} {report:?}");
        // What was reached is measured and returned.
        let reached = report.evaluation.unwrap().exploitability;
        assert!((solver.evaluate(Job::default()).unwrap().exploitability - reached).abs() < 1e-9);
    }
}
