//! A plain recursion in 64 bits, without isomorphism, rows or sweeps, that the solver must agree
//! with.

use std::collections::HashMap;

use lethe_cards::{Board, Card, Hole, evaluate};
use lethe_compute::Job;
use lethe_game::{NodeId, NodeKind, Player, Tree};
use lethe_solver::{Options, Position, Solution, Spot};
use proptest::prelude::*;

use crate::common::{config, iterated, sizes, spot};

/// The frequencies of a decision's hands, by the cards on the table in the order they were dealt.
type Strategies = HashMap<(NodeId, Vec<Card>), HashMap<Hole, Vec<f64>>>;

/// Every strategy of a solution, read through its public queries.
fn strategies(solution: &Solution) -> Strategies {
    let mut all = HashMap::new();
    visit(&solution.root(), &mut all);
    all
}

fn visit(position: &Position<'_>, all: &mut Strategies) {
    match position.kind() {
        NodeKind::Decision(player) => {
            let hands = position.hands(player, Job::default()).unwrap().into_iter();
            let rows = hands.filter_map(|hand| Some((hand.hole, hand.frequencies?))).collect();
            all.insert((position.node(), position.board().cards().to_vec()), rows);
            for action in 0..position.actions().len() {
                visit(&position.act(action).unwrap(), all);
            }
        }
        NodeKind::Chance => {
            let cards = Card::all().filter(|&card| !position.board().set().contains(card));
            cards.for_each(|card| visit(&position.deal(card).unwrap(), all));
        }
        _ => {}
    }
}

struct Oracle<'a> {
    tree: &'a Tree,
    strategies: Option<&'a Strategies>,
    player: Player,
    best: bool,
}

impl Oracle<'_> {
    fn frequency(&self, node: NodeId, board: &Board, hole: Hole, action: usize) -> f64 {
        let even = 1.0 / self.tree.actions(node).len() as f64;
        let Some(strategies) = self.strategies else { return even };
        let rows = &strategies[&(node, board.cards().to_vec())];
        rows.get(&hole).map_or(even, |row| row[action])
    }

    fn value(&self, node: NodeId, board: &Board, own: Hole, opp: &[(Hole, f64)]) -> f64 {
        let children = self.tree.children(node);
        match self.tree.node(node).kind() {
            NodeKind::Decision(player) if player == self.player => {
                let values = children.iter().map(|&child| self.value(child, board, own, opp));
                if self.best {
                    return values.fold(f64::NEG_INFINITY, f64::max);
                }
                values.enumerate().map(|(a, v)| self.frequency(node, board, own, a) * v).sum()
            }
            NodeKind::Decision(_) => {
                let after = |action: usize| -> Vec<(Hole, f64)> {
                    let reach = opp.iter().map(|&(hole, weight)| {
                        (hole, weight * self.frequency(node, board, hole, action))
                    });
                    reach.collect()
                };
                let children = children.iter().enumerate();
                children.map(|(a, &child)| self.value(child, board, own, &after(a))).sum()
            }
            NodeKind::Chance => {
                let mut sum = 0.0;
                for card in Card::all() {
                    let Some(next) = board.with(card) else { continue };
                    if own.set().contains(card) {
                        continue;
                    }
                    let left = opp.iter().filter(|(hole, _)| !hole.set().contains(card));
                    let left: Vec<(Hole, f64)> = left.copied().collect();
                    sum += self.value(children[0], &next, own, &left);
                }
                sum / (52 - board.cards().len() - 4) as f64
            }
            NodeKind::Fold(_) | NodeKind::Showdown => {
                let outcome = self.tree.outcome(node).unwrap();
                let strength = |hole: Hole| evaluate(board.set() | hole.set());
                let pay = |other: Hole| match outcome.winner {
                    Some(winner) => outcome.payoffs(Some(winner))[self.player.index()],
                    None => match strength(own).cmp(&strength(other)) {
                        std::cmp::Ordering::Greater => outcome.win(),
                        std::cmp::Ordering::Equal => outcome.tie(),
                        std::cmp::Ordering::Less => outcome.lose(),
                    },
                };
                let met = opp.iter().filter(|(hole, _)| !hole.set().intersects(own.set()));
                met.map(|&(hole, weight)| weight * pay(hole)).sum()
            }
        }
    }
}

fn hands(spot: &Spot, player: Player) -> Vec<(Hole, f64)> {
    let weights = spot.weights(player).iter().map(|&w| f64::from(w));
    Hole::all().zip(weights).filter(|&(_, w)| w > 0.0).collect()
}

/// A player's value at the root, by brute force.
fn brute(spot: &Spot, strategies: Option<&Strategies>, player: Player, best: bool) -> f64 {
    let oracle = Oracle { tree: spot.tree(), strategies, player, best };
    let opp = hands(spot, player.opponent());
    let (mut sum, mut pairs) = (0.0, 0.0);
    for (hole, weight) in hands(spot, player) {
        sum += weight * oracle.value(spot.start(), &spot.board(), hole, &opp);
        let met = opp.iter().filter(|(other, _)| !other.set().intersects(hole.set()));
        pairs += weight * met.map(|(_, w)| w).sum::<f64>();
    }
    sum / pairs
}

fn check(spot: Spot, iterations: u32) {
    let uniform = lethe_solver::Solver::evaluate_uniform(&spot, Job::default()).unwrap();
    let text = spot.board().to_string();
    for player in Player::BOTH {
        let p = player.index();
        let ev = brute(&spot, None, player, false);
        assert!((uniform.ev[p] - ev).abs() < 1e-3, "{text} uniform ev {ev} {uniform:?}");
        let best = brute(&spot, None, player, true);
        assert!((uniform.best_response[p] - best).abs() < 1e-3, "{text} br {best} {uniform:?}");
    }
    let (solver, report) = iterated(spot.clone(), Options::default(), iterations);
    let solution = solver.into_solution();
    let strategies = strategies(&solution);
    let evaluation = report.evaluation.unwrap();
    for player in Player::BOTH {
        let p = player.index();
        let ev = brute(&spot, Some(&strategies), player, false);
        assert!((evaluation.ev[p] - ev).abs() < 1e-3, "{text} ev {ev} {evaluation:?}");
        let best = brute(&spot, Some(&strategies), player, true);
        assert!((evaluation.best_response[p] - best).abs() < 1e-3, "{text} {best} {evaluation:?}");
    }
    // What a position says of the whole range is what the solve reported.
    let view = solution.root().view(Job::default()).unwrap();
    assert!((view.ev[0].unwrap() - evaluation.ev[0]).abs() < 1e-3, "{view:?} {evaluation:?}");
    assert!((view.equity[0].unwrap() - evaluation.equity[0]).abs() < 1e-5);
}

#[test]
fn turn_games_agree_with_brute_force() {
    let tree = config(100, 150, sizes("50%", ""));
    // Symmetric ranges (clubs and hearts are alike on this board), then asymmetric ones.
    check(spot("Td9d6sQd", "AA,T9s", "KQ:0.5,66,J8s", &tree), 12);
    check(spot("Td9d6sQd", "AcAh,Tc9c,7c7h", "KsQh:0.5,6c6h,JhTh,AhKs", &tree), 12);
    // Ranges that share holes.
    check(spot("Kh7h2c2d", "77,AhQh,Ah3c", "77,AhQh,Ac3h,KcQc:0.25", &tree), 9);
}

#[test]
fn flop_games_agree_with_brute_force() {
    let mut tree = config(40, 60, Default::default());
    tree.bet_sizes.flop = crate::common::street("a", "");
    check(spot("Kh7h2c", "AhQh,7c7d", "KsKc,AcQc:0.5", &tree), 6);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn random_river_games_agree_with_brute_force(
        cards in proptest::sample::subsequence((0..52usize).collect::<Vec<_>>(), 5),
        oop in proptest::collection::vec((0..1326usize, 1..=1_000_000u32), 1..12),
        ip in proptest::collection::vec((0..1326usize, 1..=1_000_000u32), 1..12),
        stack in 20u32..400,
        bets in prop_oneof![Just("50%, a"), Just("33%, 120%"), Just("a")],
        percent in prop_oneof![Just(0.0), Just(5.0)],
    ) {
        let cards: Vec<Card> = cards.into_iter().map(|c| Card::from_index(c).unwrap()).collect();
        let board = Board::new(&cards).unwrap();
        let range = |holes: &[(usize, u32)]| {
            let mut range = lethe_cards::Range::empty();
            holes.iter().for_each(|&(i, ppm)| range.set(Hole::from_index(i).unwrap(), ppm));
            range
        };
        let mut config = config(100, stack, sizes(bets, "60%"));
        config.rake.percent = percent;
        let game = lethe_game::Game::spot(&config, board.street()).unwrap();
        let tree = std::sync::Arc::new(Tree::build(game, 100_000).unwrap());
        // Ranges that leave no pair of hands are no game.
        if let Ok(spot) = Spot::new(board, [range(&oop), range(&ip)], tree) {
            check(spot, 8);
        }
    }
}

/// What a player's best response to a solution wins, by brute force.
pub(crate) fn best_response(spot: &Spot, solution: &Solution, player: Player) -> f64 {
    brute(spot, Some(&strategies(solution)), player, true)
}
