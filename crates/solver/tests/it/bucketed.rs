//! Bucketed players.

use std::sync::Arc;

use lethe_cards::{Board, Deck, Hole, Street, evaluate};
use lethe_compute::{Job, Pool};
use lethe_game::Player;
use lethe_solver::{Buckets, Options, Rule, Solver, Stop, StopReason};

use crate::common::{config, iterated, iterated_on, sizes, spot};

/// One bucket for every hole on every board: an abstraction that forgets nothing. Boards are told
/// apart by their dealt card.
struct Identity;

impl Buckets for Identity {
    fn count(&self, street: Street) -> usize {
        if street == Street::River { 52 * Hole::COUNT } else { Hole::COUNT }
    }

    fn fill(&self, board: &Board, row: &mut [u32]) {
        let dealt = if board.street() == Street::River { board.cards()[4].index() } else { 0 };
        for (bucket, hole) in row.iter_mut().zip(Deck::without(board.set()).holes()) {
            *bucket = (dealt * Hole::COUNT + hole.index()) as u32;
        }
    }

    fn is_suit_invariant(&self) -> bool {
        false
    }
}

/// Hands by their strength on the board as it lies, in a few equal parts.
pub(crate) struct Coarse(pub(crate) usize);

impl Buckets for Coarse {
    fn count(&self, _: Street) -> usize {
        self.0
    }

    fn fill(&self, board: &Board, row: &mut [u32]) {
        let strength = |hole: Hole| evaluate(board.set() | hole.set()).get() as usize;
        for (bucket, hole) in row.iter_mut().zip(Deck::without(board.set()).holes()) {
            *bucket = (strength(hole) * self.0 / 7500).min(self.0 - 1) as u32;
        }
    }

    fn is_suit_invariant(&self) -> bool {
        true
    }
}

fn solve(buckets: [Option<Arc<dyn Buckets>>; 2], iterations: u32) -> lethe_solver::Evaluation {
    let tree = config(100, 100, sizes("100%", ""));
    let spot = spot("Td9d6sQh", "AA,T9s,JTo:0.5,87s,KJs", "KQo,66,J8s,A5s:0.5,QTs", &tree);
    let options = Options { buckets, rule: Rule::DCFR, symmetry: false, ..Options::default() };
    iterated(spot, options, iterations).1.evaluation.unwrap()
}

#[test]
fn one_bucket_a_hand_and_board_is_the_lossless_solution() {
    let lossless = solve([None, None], 300);
    for buckets in [
        [Some(Arc::new(Identity) as Arc<dyn Buckets>), None],
        [None, Some(Arc::new(Identity) as Arc<dyn Buckets>)],
        [Some(Arc::new(Identity) as Arc<dyn Buckets>), Some(Arc::new(Identity))],
    ] {
        let identity = solve(buckets, 300);
        assert!((identity.ev[0] - lossless.ev[0]).abs() < 0.05, "{identity:?} {lossless:?}");
        assert!(identity.exploitability < 0.2, "{identity:?}");
    }
}

#[test]
fn a_coarse_player_loses_in_real_cards_and_its_opponent_gains() {
    let lossless = solve([None, None], 400);
    let coarse = || Some(Arc::new(Coarse(6)) as Arc<dyn Buckets>);
    let one = solve([coarse(), None], 400);
    // The best response in real cards wins at least what the value of the game allows.
    assert!(one.best_response[1] > lossless.best_response[1] + 0.5, "{one:?} {lossless:?}");
    assert!(one.best_response[0] >= one.ev[0] - 1e-3, "{one:?}");
    // Finer buckets lose less.
    let finer = solve([Some(Arc::new(Coarse(200)) as Arc<dyn Buckets>), None], 400);
    assert!(finer.best_response[1] < one.best_response[1], "{finer:?} {one:?}");
}

/// The exploitability of a bucketed profile agrees with the brute-force oracle's, which plays the
/// strategies read from the solution hand by hand.
#[test]
fn a_bucketed_profile_is_valued_as_by_brute_force() {
    let tree = config(100, 100, sizes("100%", ""));
    let spot = spot("Td9d6sQh", "AcAh,Tc9c,8c7c", "KsQc,6c6h,Jh8h", &tree);
    let buckets = [Some(Arc::new(Coarse(5)) as Arc<dyn Buckets>), None];
    let options = Options { buckets, ..Options::default() };
    let (solver, report) = iterated(spot.clone(), options, 20);
    let solution = solver.into_solution();
    for player in Player::BOTH {
        let best = crate::oracle::best_response(&spot, &solution, player);
        let found = report.evaluation.unwrap().best_response[player.index()];
        assert!((best - found).abs() < 1e-3, "{player} {best} {found}");
    }
    // Hands of one bucket play alike.
    let hands = solution.root().hands(Player::Oop, Job::default()).unwrap();
    for a in &hands {
        for b in &hands {
            let bucket = |hole: Hole| Coarse(5).of(hole, &spot.board());
            if bucket(a.hole) == bucket(b.hole) {
                assert_eq!(a.frequencies, b.frequencies);
            }
        }
    }
}

#[test]
fn bucketed_players_are_solved_from_every_street() {
    for board in ["Td9d6s", "Td9d6sQh", "Td9d6sQh2c"] {
        let spot = spot(board, "AA,T9s", "KQo,66", &config(100, 100, sizes("a", "")));
        let buckets = [0, 1].map(|_| Some(Arc::new(Coarse(9)) as Arc<dyn Buckets>));
        let values = |threads: usize| {
            let options = Options { buckets: buckets.clone(), ..Options::default() };
            let pool = Pool::new(threads).unwrap();
            iterated_on(Job::new(&pool), spot.clone(), options, 15).1.evaluation.unwrap()
        };
        let one = values(1);
        assert!((one.ev.iter().sum::<f64>() - 100.0).abs() < 1e-2, "{board} {one:?}");
        assert!(one.exploitability >= 0.0, "{board} {one:?}");
        assert_eq!(values(3), one, "{board}");
    }
}

/// A target below what the buckets cost cannot be reached: the solve ends all the same.
#[test]
fn a_solve_that_no_longer_improves_stops() {
    let tree = config(100, 100, sizes("100%", ""));
    let spot = spot("Td9d6sQh", "AA,T9s,JTo:0.5,87s,KJs", "KQo,66,J8s,A5s:0.5,QTs", &tree);
    let coarse = || Some(Arc::new(Coarse(3)) as Arc<dyn Buckets>);
    let stop = Stop { target: Some(1e-4), ..Stop::default() };
    let solve = |buckets| {
        let options = Options { buckets, ..Options::default() };
        let mut solver = Solver::new(spot.clone(), options, Job::default()).unwrap();
        solver.run(&stop, Job::default(), &mut |_| ())
    };
    let bucketed = solve([coarse(), coarse()]);
    assert_eq!(bucketed.reason, StopReason::Plateau);
    assert!(bucketed.exploitability.unwrap() > 0.01, "{bucketed:?}");
    assert_eq!(solve([None, None]).reason, StopReason::Target);
}
