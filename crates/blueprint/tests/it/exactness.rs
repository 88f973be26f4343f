//! Exact values against the postflop solver, which shares no code with them.

use std::sync::Arc;

use lethe_blueprint::{Exact, Plan, Uniform};
use lethe_cards::{Board, CanonicalBoard, PreflopClass, Range};
use lethe_game::{BetSizes, Game, HandConfig, Tree, TreeConfig};
use lethe_solver::{Solver, Spot};

use crate::common::{Hashed, LIMPED, tree};

/// The best responses and values of a limped pot on one flop, when both play evenly.
#[test]
fn a_flop_is_worth_what_the_solver_says() {
    let plan = Plan::new(tree(LIMPED), [3, 4, 5]);
    let exact = Exact { plan: &plan, buckets: &Hashed(3), weights: &Uniform };
    let hand: HandConfig = serde_json::from_str(LIMPED).unwrap();
    let spot_config = TreeConfig {
        bet_sizes: BetSizes {
            flop: hand.bet_sizes.flop.clone(),
            turn: hand.bet_sizes.turn.clone(),
            river: hand.bet_sizes.river.clone(),
        },
        ..TreeConfig::new(200, 800)
    };
    for flop in ["Th9h8c", "7s7d7c"] {
        let board: Board = flop.parse().unwrap();
        let (canonical, _) = CanonicalBoard::of(&board);
        let board = canonical.board();
        let game = Game::spot(&spot_config, board.street()).unwrap();
        let tree = Tree::build(game, Tree::NODE_LIMIT).unwrap();
        let spot = Spot::new(board, [Range::full(), Range::full()], Arc::new(tree)).unwrap();
        let expected = Solver::evaluate_uniform(&spot);
        // All opponent's holes on the flop, each reached with certainty.
        let reach = [[1.0; PreflopClass::COUNT]];
        let pairs = 1176.0 * 1081.0;
        for p in [0, 1] {
            let values = exact.flop(p, canonical, &reach, true);
            let best: f64 = values.best.iter().sum::<f64>() / pairs;
            let own: f64 = values.own.iter().sum::<f64>() / pairs;
            // The solver counts from the pot, this from the chips before the blinds.
            let (best, own) = (best + 100.0, own + 100.0);
            assert!((own - expected.ev[p]).abs() < 2e-3, "{flop} {p}: {own} {expected:?}");
            let wanted = expected.best_response[p];
            assert!((best - wanted).abs() < 2e-3, "{flop} {p}: {best} {expected:?}");
        }
    }
}
