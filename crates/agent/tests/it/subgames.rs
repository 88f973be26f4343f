//! Real subgames: figures against a brute-force oracle, the guarantee, and suits.

use std::collections::HashMap;
use std::sync::Arc;

use lethe_agent::{Budget, Gadget, GadgetKind, Solved, Subgame};
use lethe_cards::{Board, Hole, Range, Strength, Suit, SuitMap, evaluate};
use lethe_compute::Job;
use lethe_game::{Game, NodeId, NodeKind, Player, Sizes, SpotConfig, StreetSizes, Tree};
use lethe_solver::{Options, Position, Solver};

const POT: f32 = 60.0;

fn tree(board: Board) -> Arc<Tree> {
    let mut config = SpotConfig::new(60, 150);
    let mut sizes = StreetSizes::default();
    for player in [&mut sizes.oop, &mut sizes.ip] {
        player.bet = Sizes::parse_bets("75%").unwrap();
        player.raise = Sizes::parse_raises("a").unwrap();
    }
    config.bet_sizes.turn = sizes.clone();
    config.bet_sizes.river = sizes;
    Arc::new(Tree::build(Game::spot(&config, board.street()).unwrap(), 10_000).unwrap())
}

fn reach(range: &str) -> Vec<f32> {
    let range: Range = range.parse().unwrap();
    range.weights().iter().map(|&ppm| ppm as f32 / Range::ONE as f32).collect()
}

/// A subgame whose alternative values are those of a strategy that we could go on playing: what a
/// few iterations against the opponent's range found.
fn subgame(board: &str, seat: Player, own: &str, opponent: &str) -> Subgame {
    let board: Board = board.parse().unwrap();
    let mut subgame = Subgame {
        tree: tree(board),
        start: NodeId::new(0),
        board,
        seat,
        own: reach(own),
        opponent: reach(opponent),
        alternative: vec![0.0; Hole::COUNT],
        locks: Vec::new(),
    };
    let old = solve(&subgame, GadgetKind::Unsafe, 3);
    subgame.alternative = old.best_response(Job::default()).unwrap();
    subgame
}

fn solve(subgame: &Subgame, kind: GadgetKind, iterations: u32) -> Solved {
    subgame.solve(kind, Budget::iterations(iterations), Job::default()).unwrap()
}

const WIDE: &str = "22+,A2s+,K7s+,QTs+,J9s+,T8s+,97s+,87s,76s,A9o+,KTo+,QTo+,JTo";
const TIGHT: &str = "99+,ATs+,KQs,AQo+,T9s:0.5,87s:0.25";

/// The frequencies of every decision of a river, by hole.
type Strategies = HashMap<NodeId, HashMap<Hole, Vec<f64>>>;

fn read(position: &Position<'_>, all: &mut Strategies) {
    if let NodeKind::Decision(player) = position.kind() {
        let hands = position.hands(player, Job::default()).unwrap().into_iter();
        let rows = hands.filter_map(|hand| Some((hand.hole, hand.frequencies?))).collect();
        all.insert(position.node(), rows);
        for action in 0..position.actions().len() {
            read(&position.act(action).unwrap(), all);
        }
    }
}

/// What a hole of a player gets at a node of a river by its best response, hand by hand.
struct Brute<'a> {
    tree: &'a Tree,
    strategies: &'a Strategies,
    strength: &'a [Option<Strength>],
    player: Player,
}

impl Brute<'_> {
    fn value(&self, node: NodeId, own: Hole, opp: &[(Hole, f64)]) -> f64 {
        let children = self.tree.children(node);
        match self.tree.node(node).kind() {
            NodeKind::Decision(player) if player == self.player => {
                let values = children.iter().map(|&child| self.value(child, own, opp));
                values.fold(f64::NEG_INFINITY, f64::max)
            }
            NodeKind::Decision(_) => {
                let rows = &self.strategies[&node];
                let after = |a: usize| -> Vec<(Hole, f64)> {
                    opp.iter().map(|&(hole, weight)| (hole, weight * rows[&hole][a])).collect()
                };
                let children = children.iter().enumerate();
                children.map(|(a, &child)| self.value(child, own, &after(a))).sum()
            }
            NodeKind::Chance => unreachable!("nothing is dealt after the river"),
            NodeKind::Fold(_) | NodeKind::Showdown => {
                let outcome = self.tree.outcome(node).unwrap();
                let strength = |hole: Hole| self.strength[hole.index()];
                let pay = |other: Hole| match outcome.winner {
                    Some(winner) => outcome.payoffs(Some(winner))[self.player.index()],
                    None => match strength(own).cmp(&strength(other)) {
                        std::cmp::Ordering::Greater => outcome.win(),
                        std::cmp::Ordering::Equal => outcome.tie(),
                        std::cmp::Ordering::Less => outcome.lose(),
                    },
                };
                opp.iter().map(|&(hole, weight)| weight * pay(hole)).sum()
            }
        }
    }

    fn best(&self, own: Hole, opp: &[(Hole, f64)]) -> f64 {
        let met = opp.iter().filter(|(hole, _)| !hole.set().intersects(own.set()));
        self.value(self.tree.root(), own, &met.copied().collect::<Vec<_>>())
    }
}

#[test]
fn measures_of_all_gadgets_agree_with_brute_force() {
    for (kind, seat) in GadgetKind::ALL.into_iter().zip([0, 1, 0, 1]) {
        let seat = Player::BOTH[seat];
        let subgame = subgame("Kh9s4d3c2s", seat, "AA,KJs+,87s,65s", "KK:0.5,QQ,A4s,JTs");
        let solved = solve(&subgame, kind, 12);
        let measured = solved.measure(Job::default()).unwrap();

        let mut strategies = Strategies::new();
        read(&solved.solver().root(), &mut strategies);
        let board = subgame.board.set();
        let live: Vec<Hole> = Hole::all().filter(|h| !board.intersects(h.set())).collect();
        let mut strength = vec![None; Hole::COUNT];
        for hole in &live {
            strength[hole.index()] = Some(evaluate(board | hole.set()));
        }
        let brute = |player: Player| Brute {
            tree: &subgame.tree,
            strategies: &strategies,
            strength: &strength,
            player,
        };
        let rows = |weights: &[f32]| -> Vec<(Hole, f64)> {
            live.iter().map(|&h| (h, f64::from(weights[h.index()]))).collect()
        };
        let own = rows(solved.solver().spot().weights(seat));
        let met = |h: Hole| -> f64 {
            let ours = own.iter().filter(|(o, _)| !o.set().intersects(h.set()));
            ours.map(|(_, weight)| weight).sum()
        };
        let best: Vec<f64> = live.iter().map(|&h| brute(seat.opponent()).best(h, &own)).collect();
        for (&h, value) in live.iter().zip(&best) {
            let found = f64::from(measured.best_response[h.index()]);
            assert!((found - value / met(h)).abs() < 2e-3, "{kind} {h} {found} {}", value / met(h));
        }

        // The game with the gadget in front, written out: the opponent's choice is part of its
        // strategy, and whatever enters meets our best response.
        let gadget: &Gadget = solved.gadget();
        let (choice, reach) = (gadget.average_choice(), gadget.average_reach());
        let entering: Vec<(Hole, f64)> =
            live.iter().zip(&reach).map(|(&h, &r)| (h, f64::from(r))).collect();
        let pairs: f64 = entering.iter().map(|&(h, r)| r * met(h)).sum();
        let ours: f64 = own.iter().map(|&(o, w)| w * brute(seat).best(o, &entering)).sum();
        let inside = f64::from(POT) * pairs - ours;
        let t = |h: Hole| f64::from(subgame.alternative[h.index()]);
        let holes = || live.iter().copied().zip(&best).zip(&choice);
        let all: f64 = live.iter().map(|&h| met(h)).sum();
        let conv = match kind {
            GadgetKind::Resolve => {
                let most: f64 = holes().map(|((h, &b), _)| b.max(met(h) * t(h))).sum();
                let out = holes().map(|((h, _), &p)| (1.0 - f64::from(p)) * met(h) * t(h));
                (most - out.sum::<f64>() - inside) / all
            }
            GadgetKind::MaxMargin => {
                let margin = |((h, &b), _): ((Hole, &f64), &f32)| b / met(h) - t(h);
                let most = holes().map(margin).fold(f64::NEG_INFINITY, f64::max);
                assert!((choice.iter().sum::<f32>() - 1.0).abs() < 1e-4);
                most - (inside - holes().map(|((h, _), &q)| f64::from(q) * t(h)).sum::<f64>())
            }
            GadgetKind::Unsafe | GadgetKind::Combined => {
                let most: f64 = entering.iter().zip(&best).map(|((_, r), b)| r * b).sum();
                (most - inside) / pairs
            }
        };
        let found = measured.measure.nash_conv;
        assert!(conv > 0.0 && (found - conv).abs() < 5e-3, "{kind} {found} {conv}");
        let excess: f64 = holes().map(|((h, &b), _)| (b - met(h) * t(h)).max(0.0)).sum();
        assert!((measured.measure.excess - excess / all).abs() < 2e-3, "{kind}");
    }
}

#[test]
fn no_opponent_gains_more_than_the_gadget_game_is_unsolved() {
    for (board, seat) in [("Kh9s4d3c", Player::Oop), ("Kh9s4d3c2s", Player::Ip)] {
        let subgame = subgame(board, seat, TIGHT, WIDE);
        let mut last = f64::INFINITY;
        for iterations in [4, 16, 64] {
            let solved = solve(&subgame, GadgetKind::Resolve, iterations);
            let m = solved.measure(Job::default()).unwrap().measure;
            assert!(m.excess <= m.nash_conv + 1e-3, "{board} {iterations} {m:?}");
            assert!(m.nash_conv < last, "{board} {iterations} {m:?}");
            last = m.nash_conv;
            let solved = solve(&subgame, GadgetKind::MaxMargin, iterations);
            let m = solved.measure(Job::default()).unwrap().measure;
            assert!(m.largest_excess <= m.nash_conv + 1e-3, "{board} {iterations} {m:?}");
        }
        assert!(last < 0.01 * f64::from(POT), "{board} {last}");
        // Alternative values that no strategy can hold.
        let mut harder = subgame.clone();
        harder.alternative.iter_mut().for_each(|value| *value -= 0.2 * POT);
        let solved = solve(&harder, GadgetKind::Resolve, 64);
        let m = solved.measure(Job::default()).unwrap().measure;
        assert!(m.excess > 2.0 * m.nash_conv, "{board} {m:?}");
    }
}

#[test]
fn holes_outside_the_opponents_range_are_in_the_gadget() {
    let subgame = subgame("Kh9s4d3c2s", Player::Oop, TIGHT, "22");
    let solved = solve(&subgame, GadgetKind::Resolve, 30);
    // A straight that the blueprint never brings here would enter if it were not guarded against.
    let hole: Hole = "6h5h".parse().unwrap();
    let best = solved.best_response(Job::default()).unwrap()[hole.index()];
    assert!(subgame.alternative[hole.index()] > POT, "it wins more than the pot");
    assert!(best < subgame.alternative[hole.index()] + 0.02 * POT, "{best}");
    let place = solved.solver().root_holes(Player::Ip).iter().position(|&h| h == hole);
    assert!(place.is_some());
    assert_eq!(solved.solver().root_holes(Player::Ip).len(), 1081);
}

#[test]
fn suits_are_interchangeable_only_where_alternative_values_are() {
    let subgame = subgame("Ah9h5h2h", Player::Ip, TIGHT, WIDE);
    let cells = |subgame: &Subgame| {
        let solved = solve(subgame, GadgetKind::Resolve, 1);
        Solver::memory(solved.solver().spot(), &Options::default()).cells
    };
    let symmetric = cells(&subgame);
    // Rounding does not count.
    let mut rounded = subgame.clone();
    let noise = |i: usize| 1e-6 * (i % 7) as f32;
    rounded.alternative.iter_mut().enumerate().for_each(|(i, value)| *value += noise(i));
    assert_eq!(cells(&rounded), symmetric);
    // A hole whose value differs from that of its image does.
    let mut broken = subgame.clone();
    let hole: Hole = "KcQc".parse().unwrap();
    broken.alternative[hole.index()] -= 100.0;
    assert!(cells(&broken) > symmetric);

    // The subgame with two suits renamed has the solution with these suits renamed.
    let map = SuitMap::swap(Suit::CLUBS, Suit::DIAMONDS);
    let set = broken.board.set();
    assert_eq!(map.set(set), set, "the board stays");
    let mut renamed = broken.clone();
    for h in Hole::all() {
        renamed.alternative[map.hole(h).index()] = broken.alternative[h.index()];
    }
    let values = |subgame: &Subgame| {
        let solved = solve(subgame, GadgetKind::Resolve, 6);
        solved.best_response(Job::default()).unwrap()
    };
    let (a, b) = (values(&broken), values(&renamed));
    for h in Hole::all() {
        let (a, b) = (a[h.index()], b[map.hole(h).index()]);
        // Rounding decides between equal actions, so that runs part a little.
        assert!((a - b).abs() < 0.02 * POT, "{h} {a} {b}");
    }
    let solved = solve(&broken, GadgetKind::Resolve, 6);
    let choice = solved.gadget().average_choice();
    let enters = |hole: Hole| {
        let holes = solved.solver().root_holes(Player::Oop);
        choice[holes.iter().position(|&h| h == hole).unwrap()]
    };
    assert!(enters(hole) > enters(map.hole(hole)), "it is offered less");
}
