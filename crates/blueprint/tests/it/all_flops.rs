//! The exploitability over all flops against a sum over all 22,100 of them.
//!
//! The strategies are blind: what they do does not depend on their cards. So every hole meets all
//! others equally often, and what it wins after a flop follows from its equity there. Equities come
//! from the tables of equity against a random hand; flops are counted by renaming suits.
//!
//! A walk of all flops takes minutes, so two claims make one: the walk of a flop gives the values that
//! follow from equities, on flops of every multiplicity, and those values of all flops add up to the
//! sum over all deals. A test that takes minutes puts them together.

use std::collections::HashSet;
use std::sync::LazyLock;

use lethe_blueprint::{
    Exact, Exploitability, FlopSample, FlopValues, Flops, Plan, Wanted, Weights,
};
use lethe_cards::vs_random::{flop_row, turn_row};
use lethe_cards::{CanonicalBoard, CardSet, Deck, Hole, Matchups, StartingHand, Street, SuitMap};
use lethe_compute::Job;
use lethe_game::{Action, NodeId, NodeKind};
use rayon::prelude::*;

use crate::common::{Hashed, tree};

/// Folds, limps and raises before the flop; all-in bets of both players on the flop.
const GAME: &str = r#"{"stack":900,"small_blind":50,"big_blind":100,"bet_sizes":{
    "preflop":{"sb":{"raise":"2.5x"}}, "flop":{"oop":{"bet":"a"},"ip":{"bet":"a"}}}}"#;

const CLASSES: usize = StartingHand::COUNT;
/// The hands that an opponent can have on a flop.
const OPPONENTS: f64 = 1081.0;
/// The flops that a hole leaves.
const FLOPS_LEFT: f64 = 19_600.0;

/// How a player plays who is valued: as the strategy, with the best response after the flop, or with
/// the best response everywhere.
const WAYS: usize = 3;
const OWN: usize = 0;
const ALL: usize = 2;

/// A weight for each cell.
struct Table(Vec<f32>);

impl Weights for Table {
    fn weight(&self, cell: usize) -> f32 {
        self.0[cell]
    }
}

/// A flop, how many flops are the same up to suits, and the equity of every hole on it against a
/// random hand.
struct Flop {
    board: CanonicalBoard,
    images: Vec<CardSet>,
    equities: Vec<f64>,
}

static FLOPS: LazyLock<Vec<Flop>> = LazyLock::new(|| {
    let row = |street: Street| vec![0; Deck::row_len(street)];
    let turns: Vec<CanonicalBoard> = CanonicalBoard::all(Street::Turn).collect();
    let turns = turns.par_iter().map(|turn| {
        let mut row = row(Street::Turn);
        turn_row(turn.set(), &mut row);
        row
    });
    let turns: Vec<Vec<u32>> = turns.collect();
    let flops = CanonicalBoard::all(Street::Flop).map(|board| {
        let images: HashSet<CardSet> = SuitMap::all().map(|map| map.set(board.set())).collect();
        let mut row = row(Street::Flop);
        flop_row(board.set(), &mut row, |turn, row| row.copy_from_slice(&turns[turn.index()]));
        // Sums over 47 turns and 46 rivers, in parts of 1,980.
        let equity = |&sum: &u32| f64::from(sum) / (47.0 * 46.0 * 1980.0);
        let equities = row.iter().map(equity).collect();
        Flop { board, images: images.into_iter().collect(), equities }
    });
    flops.collect()
});

/// A blind strategy, valued by plain recursion for one player.
struct Blind<'a> {
    plan: &'a Plan,
    /// By node: how often each action is taken.
    shares: Vec<Vec<f64>>,
    p: usize,
}

impl<'a> Blind<'a> {
    fn new(plan: &'a Plan, weights: &Table, p: usize) -> Blind<'a> {
        let shares = plan.tree().ids().map(|node| {
            let cells = plan.cells_of(node, 0).unwrap_or(0..0);
            let weights: Vec<f64> = cells.map(|cell| weights.weight(cell).into()).collect();
            let total: f64 = weights.iter().sum();
            weights.iter().map(|weight| weight / total).collect()
        });
        Blind { plan, shares: shares.collect(), p }
    }

    /// The lines that reach the flop below a node, and how often the opponent takes them.
    fn lines(&self, node: NodeId, reach: f64) -> Vec<(NodeId, f64)> {
        let tree = self.plan.tree();
        let children = tree.children(node);
        match tree.node(node).kind() {
            NodeKind::Chance => vec![(children[0], reach)],
            NodeKind::Decision(player) => {
                let share = |a: usize| match player.index() == self.p {
                    true => 1.0,
                    false => self.shares[node.index()][a],
                };
                let below = children.iter().enumerate();
                below.flat_map(|(a, &child)| self.lines(child, reach * share(a))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// What is won from a node on with an equity at showdowns. On streets from `best` on the actions
    /// are the best ones. Where a flop is dealt `dealt` is asked, if there is one.
    fn value(
        &self,
        node: NodeId,
        equity: f64,
        best: Option<Street>,
        dealt: Option<&dyn Fn(NodeId) -> f64>,
    ) -> f64 {
        let tree = self.plan.tree();
        let children = tree.children(node);
        let street = tree.node(node).street();
        match (tree.node(node).kind(), dealt) {
            (NodeKind::Chance, Some(dealt)) => dealt(children[0]),
            (NodeKind::Chance, None) => self.value(children[0], equity, best, dealt),
            (NodeKind::Decision(player), _) => {
                let values = children.iter().map(|&child| self.value(child, equity, best, dealt));
                if player.index() == self.p && best.is_some_and(|best| street >= best) {
                    return values.fold(f64::NEG_INFINITY, f64::max);
                }
                values.zip(&self.shares[node.index()]).map(|(value, share)| value * share).sum()
            }
            (NodeKind::Fold(_) | NodeKind::Showdown, _) => {
                let outcome = tree.outcome(node).unwrap();
                let pays = match outcome.winner {
                    Some(_) => outcome.payoffs(outcome.winner)[self.p],
                    None => outcome.lose() + equity * (outcome.win() - outcome.lose()),
                };
                pays - outcome.ante()
            }
        }
    }

    /// The values of a flop as they follow from equities, summed by line and class: with the strategy,
    /// and with the best response.
    fn flop(&self, flop: &Flop) -> [Vec<f64>; 2] {
        let lines = self.lines(self.plan.tree().root(), 1.0);
        let mut sums = [(); 2].map(|()| vec![0.0; lines.len() * CLASSES]);
        for (line, &(node, reach)) in lines.iter().enumerate() {
            for (hole, &equity) in flop.board.deck().holes().zip(&flop.equities) {
                for (sums, best) in sums.iter_mut().zip([None, Some(Street::Flop)]) {
                    let value = self.value(node, equity, best, None);
                    sums[line * CLASSES + hole.class().index()] += OPPONENTS * reach * value;
                }
            }
        }
        sums
    }

    /// What is won with each way of playing in mbb/hand, where `sums` has the values of every flop.
    fn total(&self, sums: &[[Vec<f64>; 2]]) -> [f64; WAYS] {
        let lines = self.lines(self.plan.tree().root(), 1.0);
        let mut means = [(); 2].map(|()| vec![0.0; lines.len() * CLASSES]);
        for (flop, sums) in FLOPS.iter().zip(sums) {
            for (means, sums) in means.iter_mut().zip(sums) {
                for (mean, sum) in means.iter_mut().zip(sums) {
                    *mean += flop.images.len() as f64 * sum;
                }
            }
        }
        let mut totals = [0.0; WAYS];
        for class in StartingHand::all() {
            let combos = class.combos() as f64;
            for (way, total) in totals.iter_mut().enumerate() {
                // The flop's values are weighted by the line; here the walk comes from the blinds.
                let dealt = |node: NodeId| {
                    let line = lines.iter().position(|line| line.0 == node).unwrap();
                    let mean = means[usize::from(way != OWN)][line * CLASSES + class.index()];
                    let reach = lines[line].1;
                    if reach == 0.0 {
                        0.0
                    } else {
                        mean / (reach * combos * FLOPS_LEFT * OPPONENTS)
                    }
                };
                let best = (way == ALL).then_some(Street::Preflop);
                let value = self.value(self.plan.tree().root(), 0.0, best, Some(&dealt));
                *total += combos / 1326.0 * value * 10.0;
            }
        }
        totals
    }
}

/// A strategy that takes the actions of a decision with these weights, whatever the cards.
fn blind(plan: &Plan, weight: impl Fn(NodeId, usize) -> f32) -> Table {
    let mut weights = vec![0.0; plan.cells()];
    let tree = plan.tree();
    for node in tree.ids().filter(|&node| tree.node(node).player().is_some()) {
        for bucket in 0..plan.buckets(tree.node(node).street()) as u32 {
            for (a, cell) in plan.cells_of(node, bucket).unwrap().enumerate() {
                weights[cell] = weight(node, a);
            }
        }
    }
    Table(weights)
}

/// Actions with weights that look random.
fn scattered(plan: &Plan) -> Table {
    blind(plan, |node, a| ((node.index() * 7 + a * 5) % 11 + 1) as f32)
}

/// Folds wherever it can, and checks or calls elsewhere.
fn folding(plan: &Plan) -> Table {
    blind(plan, |node, a| {
        let actions = plan.tree().actions(node);
        let fold = actions.iter().position(|action| *action == Action::Fold);
        f32::from(u8::from(a == fold.unwrap_or(0)))
    })
}

/// The strategy's own value and what the best responses win, for the big blind and the small blind, by
/// the sum over all deals; and what `measured` makes of the same values.
fn both(plan: &Plan, weights: &Table) -> ([[f64; WAYS]; 2], Exploitability) {
    let players = [0, 1].map(|p| Blind::new(plan, weights, p));
    let sums = players.each_ref().map(|player| -> Vec<[Vec<f64>; 2]> {
        FLOPS.par_iter().map(|flop| player.flop(flop)).collect()
    });
    let expected = [0, 1].map(|p| players[p].total(&sums[p]));
    let sample = FlopSample::of(plan, Flops::All);
    let values = |p: usize, board: CanonicalBoard| {
        let flop = FLOPS.iter().position(|flop| flop.board == board).unwrap();
        let [own, best] = sums[p][flop].clone();
        // Nobody decides anything on turn and river.
        let (river, turn) = (own.clone(), own.clone());
        FlopValues { best, own, river, turn, versus: Vec::new(), checked_down: Vec::new() }
    };
    let values: Vec<[FlopValues; 2]> =
        sample.flops().map(|board| [0, 1].map(|p| values(p, board))).collect();
    let exact = Exact { plan, buckets: &Hashed(1), weights };
    (expected, exact.measured(&sample, &values, None).result)
}

/// Compares figures with those of the sum over all deals, in mbb/hand.
fn check(found: &Exploitability, [big, small]: [[f64; WAYS]; 2], most: f64) {
    let gain = |way: usize| (big[way] - big[OWN] + small[way] - small[OWN]) / 2.0;
    assert!(found.exact && found.flops == 1755, "{found:?}");
    for (found, expected) in [
        (found.value_mbb.bb, big[OWN]),
        (found.value_mbb.sb, small[OWN]),
        (found.best_response_mbb.bb, big[ALL]),
        (found.best_response_mbb.sb, small[ALL]),
        (found.ladder_mbb.river, 0.0),
        (found.ladder_mbb.turn, 0.0),
        (found.ladder_mbb.flop, gain(1)),
        (found.ladder_mbb.all, gain(ALL)),
        (found.exploitability_mbb, gain(ALL)),
    ] {
        assert!((found - expected).abs() < most, "{found} {expected}");
    }
}

#[test]
fn all_flops_are_known_once() {
    let all: HashSet<CardSet> = FLOPS.iter().flat_map(|flop| flop.images.clone()).collect();
    assert_eq!(all.len(), 22_100);
    // Their equities lead back to those before the flop, which another table has.
    let mut sums = [0.0; CLASSES];
    for flop in FLOPS.iter() {
        for (hole, equity) in flop.board.deck().holes().zip(&flop.equities) {
            sums[hole.class().index()] += flop.images.len() as f64 * equity;
        }
    }
    for class in StartingHand::all() {
        let hole: Hole = class.holes().next().unwrap();
        let expected = Matchups::shipped().against(hole, &[1; Hole::COUNT]).equity().unwrap();
        let mean = sums[class.index()] / (class.combos() as f64 * FLOPS_LEFT);
        assert!((mean - expected).abs() < 1e-9, "{class}: {mean} {expected}");
    }
}

#[test]
fn a_flop_against_a_blind_strategy_is_worth_what_equities_say() {
    let plan = Plan::new(tree(GAME), [1; 3]);
    let weights = scattered(&plan);
    let exact = Exact { plan: &plan, buckets: &Hashed(1), weights: &weights };
    let wanted = Wanted { own: true, ladder: true };
    // Three of a kind, a pair of two suits, one suit, and three suits.
    for (text, count) in [("7s7d7c", 4), ("QsQd5s", 12), ("Ts8s3s", 4), ("AsJd6c", 24)] {
        let (board, _) = CanonicalBoard::of(&text.parse().unwrap());
        let flop = FLOPS.iter().find(|flop| flop.board == board).unwrap();
        assert_eq!(flop.images.len(), count, "{text}");
        for p in [0, 1] {
            let player = Blind::new(&plan, &weights, p);
            let lines = player.lines(plan.tree().root(), 1.0);
            let reach: Vec<[f64; CLASSES]> = lines.iter().map(|line| [line.1; CLASSES]).collect();
            let found = exact.flop(p, board, &reach, wanted, Job::default()).unwrap();
            let [own, best] = player.flop(flop);
            for (found, expected) in [
                (&found.own, &own),
                (&found.best, &best),
                (&found.river, &own),
                (&found.turn, &own),
            ] {
                for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
                    let class = StartingHand::from_index(i % CLASSES).unwrap();
                    // Walks are in single precision: 0.01 is about 1e-5 of the stacks.
                    let error = (found - expected).abs() / (OPPONENTS * class.combos() as f64);
                    assert!(error < 0.01, "{text} {p} {class}: {found} {expected}");
                }
            }
        }
    }
}

#[test]
fn the_exploitability_over_all_flops_is_a_sum_over_all_deals() {
    let plan = Plan::new(tree(GAME), [1; 3]);
    let (expected, found) = both(&plan, &scattered(&plan));
    check(&found, expected, 1e-3);
    let [big, small] = expected;
    assert!((big[OWN] + small[OWN]).abs() < 1e-6, "what one wins the other loses: {expected:?}");
    let [big, small] = [big, small].map(|ways| [ways[1] - ways[OWN], ways[ALL] - ways[1]]);
    assert!(big[0] > 50.0 && small.iter().all(|&gain| gain > 50.0), "{expected:?}");
}

/// The small blind is given up, and the big blind to any raise: 500 and 1,000 mbb for the responses,
/// where the strategy itself wins 500 and loses 500.
#[test]
fn a_strategy_that_folds_everything_has_an_exploitability_of_750() {
    let plan = Plan::new(tree(GAME), [1; 3]);
    let (expected, found) = both(&plan, &folding(&plan));
    check(&found, expected, 1e-3);
    assert!((found.exploitability_mbb - 750.0).abs() < 1e-3, "{found:?}");
    assert!((found.best_response_mbb.bb - 500.0).abs() < 1e-3, "{found:?}");
    assert!((found.best_response_mbb.sb - 1000.0).abs() < 1e-3, "{found:?}");
}

#[test]
#[ignore = "walks all flops, which takes minutes"]
fn walking_all_flops_gives_the_sum_over_all_deals() {
    let plan = Plan::new(tree(GAME), [1; 3]);
    let weights = scattered(&plan);
    let (expected, _) = both(&plan, &weights);
    let exact = Exact { plan: &plan, buckets: &Hashed(1), weights: &weights };
    // Walks are in single precision.
    check(&exact.exploitability(Flops::All, Job::default()).unwrap(), expected, 0.02);
}
