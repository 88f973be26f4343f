//! Exact values against the postflop solver, which walks boards and betting by code of its own,
//! and against plain recursion.

use std::sync::Arc;

use lethe_blueprint::{
    Averages, Buckets, Exact, Flops, Ladder, Plan, Reached, Store, Trainer, Training, Uniform,
    Wanted, Weights,
};
use lethe_cards::{Board, CanonicalBoard, Card, Hole, Range, StartingHand, Street, evaluate};
use lethe_compute::{Job, Pool};
use lethe_game::{BetSizes, Game, HandConfig, NodeId, NodeKind, SpotConfig, Tree};
use lethe_solver::{Solver, Spot};

use crate::common::{Hashed, LIMPED, RAISED, SMALL, tree};

const OWN: Wanted = Wanted { own: true, ladder: false };
const LADDER: Wanted = Wanted { own: true, ladder: true };

/// The best responses and values of a limped pot on one flop, when both play evenly.
#[test]
fn a_flop_is_worth_what_the_solver_says() {
    let plan = Plan::new(tree(LIMPED), [3, 4, 5]);
    let exact = Exact { plan: &plan, buckets: &Hashed(3), weights: &Uniform };
    let hand: HandConfig = serde_json::from_str(LIMPED).unwrap();
    let spot_config = SpotConfig {
        bet_sizes: BetSizes {
            flop: hand.bet_sizes.flop.clone(),
            turn: hand.bet_sizes.turn.clone(),
            river: hand.bet_sizes.river.clone(),
        },
        ..SpotConfig::new(200, 800)
    };
    for flop in ["Th9h8c", "7s7d7c"] {
        let board: Board = flop.parse().unwrap();
        let (canonical, _) = CanonicalBoard::of(&board);
        let board = canonical.board();
        let game = Game::spot(&spot_config, board.street()).unwrap();
        let tree = Tree::build(game, Tree::NODE_LIMIT).unwrap();
        let spot = Spot::new(board, [Range::full(), Range::full()], Arc::new(tree)).unwrap();
        let expected = Solver::evaluate_uniform(&spot, Job::default()).unwrap();
        // All opponent's holes on the flop, each reached with certainty.
        let reach = [[1.0; StartingHand::COUNT]];
        let pairs = 1176.0 * 1081.0;
        for p in [0, 1] {
            let values = exact.flop(p, canonical, &reach, OWN, Job::default()).unwrap();
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

/// Where responses may begin to deviate from the strategy.
const FROM: [Street; 3] = [Street::River, Street::Turn, Street::Flop];

/// The values of one hole by plain recursion over every card and every opponent's hole.
struct Plain<'a, W> {
    plan: &'a Plan,
    cards: &'a Hashed,
    weights: &'a W,
    p: usize,
    hole: Hole,
}

impl<W: Weights> Plain<'_, W> {
    fn frequencies(&self, node: NodeId, hole: Hole, board: &Board) -> Vec<f64> {
        let bucket = self.cards.of(hole, board);
        let cells = self.plan.cells_of(node, bucket).unwrap();
        let weights: Vec<f64> = cells.map(|cell| self.weights.weight(cell).into()).collect();
        let total: f64 = weights.iter().sum();
        let even = 1.0 / weights.len() as f64;
        weights.iter().map(|w| if total > 0.0 { w / total } else { even }).collect()
    }

    /// The values against a reach of holes: of the best response from each of [`FROM`] on, and of the
    /// strategy itself.
    fn values(&self, node: NodeId, board: &Board, reach: &[(Hole, f64)]) -> [f64; 4] {
        let tree = self.plan.tree();
        let children = tree.children(node);
        match tree.node(node).kind() {
            NodeKind::Fold(_) | NodeKind::Showdown => {
                let outcome = tree.outcome(node).unwrap();
                let mine = evaluate(self.hole.set() | board.set());
                let pay = |other: Hole| {
                    let theirs = evaluate(other.set() | board.set());
                    let payoff = match (outcome.winner, mine.cmp(&theirs)) {
                        (Some(_), _) => outcome.payoffs(outcome.winner)[self.p],
                        (None, std::cmp::Ordering::Greater) => outcome.win(),
                        (None, std::cmp::Ordering::Equal) => outcome.tie(),
                        (None, std::cmp::Ordering::Less) => outcome.lose(),
                    };
                    payoff - outcome.ante()
                };
                let sum = reach.iter().map(|&(other, x)| x * pay(other)).sum();
                [sum; 4]
            }
            NodeKind::Chance => {
                let left = if board.street() == Street::Flop { 45.0 } else { 44.0 };
                let mut sums = [0.0; 4];
                for card in Card::all() {
                    if (board.set() | self.hole.set()).contains(card) {
                        continue;
                    }
                    let board = board.with(card).unwrap();
                    let kept = reach.iter().filter(|(other, _)| !other.set().contains(card));
                    let kept: Vec<(Hole, f64)> = kept.copied().collect();
                    let values = self.values(children[0], &board, &kept);
                    sums = std::array::from_fn(|i| sums[i] + values[i] / left);
                }
                sums
            }
            NodeKind::Decision(player) if player.index() == self.p => {
                let shares = self.frequencies(node, self.hole, board);
                let values: Vec<[f64; 4]> =
                    children.iter().map(|&child| self.values(child, board, reach)).collect();
                std::array::from_fn(|i| {
                    let values = values.iter().map(|value| value[i]);
                    match FROM.get(i).is_some_and(|&from| board.street() >= from) {
                        true => values.fold(f64::NEG_INFINITY, f64::max),
                        false => values.zip(&shares).map(|(value, share)| value * share).sum(),
                    }
                })
            }
            NodeKind::Decision(_) => {
                let shares: Vec<Vec<f64>> =
                    reach.iter().map(|&(other, _)| self.frequencies(node, other, board)).collect();
                let mut sums = [0.0; 4];
                for (action, &child) in children.iter().enumerate() {
                    let after = reach.iter().zip(&shares);
                    let after: Vec<(Hole, f64)> = after
                        .map(|(&(other, x), shares)| (other, x * shares[action]))
                        .filter(|&(_, x)| x > 0.0)
                        .collect();
                    let values = self.values(child, board, &after);
                    sums = std::array::from_fn(|i| sums[i] + values[i]);
                }
                sums
            }
        }
    }
}

/// A strategy that differs from bucket to bucket, so that no bucket may be taken for another.
#[test]
fn a_hole_is_worth_what_plain_recursion_says_of_a_trained_strategy() {
    let plan = Plan::new(tree(SMALL), [20; 3]);
    let cards = Hashed(20);
    let store = Store::new(&plan, &Training::default());
    Trainer::new(&plan, &cards, &store, &Training::default(), Reached::default()).run(
        30,
        Job::new(&Pool::new(1).unwrap()),
        &|| true,
    );
    let weights = Averages(&store);
    // With two aces on the board there is one pair of aces left.
    let (flop, _) = CanonicalBoard::of(&"AsAh2c".parse().unwrap());
    let is_aces = |class: &StartingHand| class.is_pair() && class.high().letter() == 'A';
    let aces = StartingHand::all().find(is_aces).unwrap();
    let hole = flop.deck().holes().find(|hole| hole.class() == aces).unwrap();
    let reach: [f64; StartingHand::COUNT] = std::array::from_fn(|class| (class % 7) as f64 / 7.0);
    let others: Vec<(Hole, f64)> = flop
        .deck()
        .holes()
        .filter(|other| !other.set().intersects(hole.set()))
        .map(|other| (other, reach[other.class().index()]))
        .filter(|&(_, x)| x > 0.0)
        .collect();
    let root = plan.tree().find("c x /").unwrap();
    let exact = Exact { plan: &plan, buckets: &cards, weights: &weights };
    let mut gained = [false; 3];
    for p in [0, 1] {
        let plain = Plain { plan: &plan, cards: &cards, weights: &weights, p, hole };
        let [river, turn, best, own] = plain.values(root, &flop.board(), &others);
        let found = exact.flop(p, flop, &[reach], LADDER, Job::default()).unwrap();
        let close = |a: f64, b: f64| (a - b).abs() < 1e-5 * b.abs().max(1000.0);
        let all = [&found.river, &found.turn, &found.best, &found.own];
        for (found, wanted) in
            all.map(|values| values[aces.index()]).into_iter().zip([river, turn, best, own])
        {
            assert!(close(found, wanted), "{p}: {found} {wanted}");
        }
        assert!(best > own + 1.0, "{p}: a best response gains: {best} {own}");
        assert!(river <= turn && turn <= best, "{p}: {river} {turn} {best}");
        gained[0] |= river > own + 1.0;
        gained[1] |= turn > river + 1.0;
        gained[2] |= best > turn + 1.0;
    }
    assert_eq!(gained, [true; 3], "every rung of the ladder is a step up for one of the seats");
}

/// The later a response may begin to deviate, the less it gains, whatever the flops.
#[test]
fn the_ladder_never_goes_down() {
    let plan = Plan::new(tree(SMALL), [20; 3]);
    let cards = Hashed(20);
    let store = Store::new(&plan, &Training::default());
    Trainer::new(&plan, &cards, &store, &Training::default(), Reached::default()).run(
        30,
        Job::new(&Pool::new(1).unwrap()),
        &|| true,
    );
    let exact = Exact { plan: &plan, buckets: &cards, weights: &Averages(&store) };
    let found = exact.exploitability(Flops::Sample(5, 2), Job::default()).unwrap();
    let Ladder { river, turn, flop, all } = found.ladder_mbb;
    assert!(0.0 < river && river < turn && turn < flop, "{found:?}");
    assert!(flop < found.optimistic_mbb, "{found:?}");
    assert_eq!(all, found.exploitability_mbb);
}

/// Lines of the river with betting of the same shape are valued side by side: in this game more than
/// eight, of several lines of the flop. What stands beside a line must not matter.
#[test]
fn a_line_is_worth_the_same_alone_and_beside_others() {
    let plan = Plan::new(tree(RAISED), [20; 3]);
    let cards = Hashed(20);
    let store = Store::new(&plan, &Training::default());
    Trainer::new(&plan, &cards, &store, &Training::default(), Reached::default()).run(
        30,
        Job::new(&Pool::new(1).unwrap()),
        &|| true,
    );
    let exact = Exact { plan: &plan, buckets: &cards, weights: &Averages(&store) };
    let (flop, _) = CanonicalBoard::of(&"7s7h7d".parse().unwrap());
    let lines = exact.lines();
    assert!(lines >= 2);
    let reach: Vec<[f64; StartingHand::COUNT]> = (0..lines)
        .map(|line| std::array::from_fn(|class| ((class + line) % 5 + 1) as f64 / 5.0))
        .collect();
    for p in [0, 1] {
        let together = exact.flop(p, flop, &reach, LADDER, Job::default()).unwrap();
        for line in 0..lines {
            let mut alone = vec![[0.0; StartingHand::COUNT]; lines];
            alone[line] = reach[line];
            let alone = exact.flop(p, flop, &alone, LADDER, Job::default()).unwrap();
            let at = line * StartingHand::COUNT..(line + 1) * StartingHand::COUNT;
            assert!(alone.best[at.clone()] == together.best[at.clone()], "{p} {line}");
            assert!(alone.own[at.clone()] == together.own[at.clone()], "{p} {line}");
            assert!(alone.river[at.clone()] == together.river[at.clone()], "{p} {line}");
            assert!(alone.turn[at.clone()] == together.turn[at.clone()], "{p} {line}");
            assert!(alone.best[at].iter().any(|&x| x != 0.0), "{p} {line}");
        }
    }
}
