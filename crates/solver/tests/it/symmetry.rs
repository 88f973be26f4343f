//! Suits that are alike are used to save work, and only where everything allows it.

use lethe_compute::Job;
use lethe_game::Player;
use lethe_solver::{Options, Solver};

use crate::common::{config, iterated, sizes, spot};

fn values(oop: &str, ip: &str, symmetry: bool, iterations: u32) -> (f64, u64) {
    let tree = config(100, 150, sizes("50%", "a"));
    let spot = spot("Td9d6sQd", oop, ip, &tree);
    let options = Options { symmetry, ..Options::default() };
    let memory = Solver::memory(&spot, &options).cells;
    (iterated(spot, options, iterations).1.evaluation.unwrap().ev[0], memory)
}

#[test]
fn symmetric_ranges_are_solved_with_fewer_boards_and_the_same_value() {
    // The first iterations are the same to the bit. In the third, hands that win the pot by a check
    // win as much by a bet that is always folded to; rounding breaks the tie, the runs part, and
    // meet again at the equilibrium. That each step is the same is tested inside the crate.
    for (iterations, most) in [(1, 1e-9), (2, 1e-9), (300, 0.02)] {
        let (with, small) = values("AA,T9s,JTo", "KQ,66,J8s", true, iterations);
        let (without, large) = values("AA,T9s,JTo", "KQ,66,J8s", false, iterations);
        assert!((with - without).abs() < most, "{iterations}: {with} {without}");
        assert!(small < large * 4 / 5, "{small} {large}");
    }
}

#[test]
fn one_asymmetric_range_is_enough_to_solve_all_boards() {
    let (with, small) = values("AA,T9s,JTo,AcKc", "KQ,66,J8s", true, 20);
    let (without, large) = values("AA,T9s,JTo,AcKc", "KQ,66,J8s", false, 20);
    assert_eq!(with, without);
    assert_eq!(small, large);
}

#[test]
fn a_runout_reads_the_same_as_the_one_it_stands_for() {
    let tree = config(100, 150, sizes("50%", "a"));
    let spot = spot("Td9d6sQd", "AA,T9s,JTo", "KQ,66,J8s", &tree);
    let (solver, _) = iterated(spot, Options::default(), 20);
    let solution = solver.into_solution();
    let at = |card: &str| solution.walk(&format!("x x / {card}")).unwrap();
    let (clubs, hearts) = (at("5c"), at("5h"));
    assert_eq!(clubs.board().to_string(), "Td9d6sQd5c");
    let swap = lethe_cards::SuitMap::swap(lethe_cards::Suit::CLUBS, lethe_cards::Suit::HEARTS);
    let theirs = hearts.hands(Player::Ip, Job::default()).unwrap();
    for hand in clubs.hands(Player::Ip, Job::default()).unwrap() {
        let other = theirs.iter().find(|other| other.hole == swap.hole(hand.hole)).unwrap();
        // The turn is one board whose hands are summed in an order, so its reaches are symmetric only
        // up to rounding.
        assert!((hand.reach - other.reach).abs() < 1e-5, "{hand:?} {other:?}");
        assert_eq!((hand.ev.is_some(), hand.equity.is_some()), (other.ev.is_some(), true));
        assert!((hand.ev.unwrap() - other.ev.unwrap()).abs() < 1e-3, "{hand:?} {other:?}");
        assert!((hand.equity.unwrap() - other.equity.unwrap()).abs() < 1e-6);
        assert!(!hand.hole.set().intersects(clubs.board().set()));
    }
}
