//! Another strategy that takes over on the turn or river: handed-out subgames, replaced values.

use lethe_blueprint::{
    Averages, Exact, FlopSample, FlopValues, Flops, HoleBuckets, HoleStrategy, Plan, Reached,
    Replaced, Root, Store, Trainer, Training, Trunk, Uniform, Weights,
};
use lethe_cards::{Board, CanonicalBoard, Card, Deck, Hole, StartingHand, Street, evaluate};
use lethe_compute::{Job, Pool};
use lethe_game::{NodeId, NodeKind};

use crate::common::{Hashed, RAISED, SMALL, tree};

fn trained(plan: &Plan, cards: &Hashed, iterations: u64) -> Store {
    let store = Store::new(plan, &Training::default());
    let job = Pool::new(1).unwrap();
    Trainer::new(plan, cards, &store, &Training::default(), Reached::default()).run(
        iterations,
        Job::new(&job),
        &|| true,
    );
    store
}

/// A flop with the subgames' values replaced.
fn replaced<W: Weights>(
    exact: &Exact<'_, W>,
    flop: CanonicalBoard,
    from: Street,
    mut by: impl FnMut(&Root) -> Replaced,
) -> [FlopValues; 2] {
    let mut trunk = Trunk::new(exact, flop, from);
    let turns = trunk.turns().len();
    for turn in 0..turns {
        let roots = trunk.roots(turn, Job::default()).unwrap();
        let values: Vec<Replaced> = roots.roots.iter().map(&mut by).collect();
        let values = roots.replace(&values);
        trunk.add(turn, &values);
    }
    trunk.finish()
}

/// Values that are put in the place of themselves change nothing, to the last bit.
#[test]
fn a_strategy_replaced_by_itself_is_worth_the_same() {
    let plan = Plan::new(tree(RAISED), [20; 3]);
    let cards = Hashed(20);
    let store = trained(&plan, &cards, 30);
    let exact = Exact { plan: &plan, buckets: &cards, weights: &Averages(&store) };
    for (seed, from) in [(0, Street::Turn), (1, Street::River)] {
        let sample = FlopSample::new(Flops::Sample(1, seed));
        let [plain] = exact.sample_values(&sample, Job::default()).unwrap().try_into().unwrap();
        let flop = sample.flops().next().unwrap();
        let found = replaced(&exact, flop, from, Replaced::by_itself);
        for (found, plain) in found.iter().zip(&plain) {
            assert!(found.best.iter().any(|&x| x != 0.0));
            assert_eq!(found.best, plain.best, "{from}");
            assert_eq!(found.versus, found.own, "{from}");
            assert_eq!(found.turn, plain.turn, "{from}");
            assert!(found.checked_down.iter().any(|&x| x != 0.0));
            assert_eq!(found.checked_down, plain.checked_down, "{from}");
            // Without rake, the big blind's own values are not computed.
            assert!(plain.own.is_empty() || found.own == plain.own, "{from}");
            assert!(from == Street::Turn || found.river == plain.river, "{from}");
        }
    }
}

/// The strategy itself, written hole by hole, has its own values in every subgame.
#[test]
fn a_strategy_hole_by_hole_is_worth_what_its_buckets_are() {
    let plan = Plan::new(tree(RAISED), [20; 3]);
    let cards = Hashed(20);
    let store = trained(&plan, &cards, 30);
    let exact = Exact { plan: &plan, buckets: &cards, weights: &Averages(&store) };
    let holes = HoleBuckets::plan(plan.tree());
    let (flop, _) = CanonicalBoard::of(&"Ts8s4h".parse().unwrap());
    for from in [Street::Turn, Street::River] {
        let trunk = Trunk::new(&exact, flop, from);
        let roots = trunk.roots(5, Job::default()).unwrap();
        for root in roots.roots.iter().step_by(if from == Street::River { 37 } else { 1 }) {
            let strategy = hole_by_hole(&exact, &holes, root);
            let found = exact.replaced(root, &holes, &strategy, Job::default()).unwrap();
            let itself = Replaced::by_itself(root);
            for p in [0, 1] {
                let most = |row: &[f32]| row.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
                let same = |a: &[f32], b: &[f32]| {
                    let off = 1e-5 * most(b);
                    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= off)
                };
                assert!(same(&found.best[p], &itself.best[p]), "{from} {p}");
                assert!(same(&found.own[p], &itself.own[p]), "{from} {p}");
                assert!(same(&found.versus[p], &itself.own[p]), "{from} {p}");
                // The same subgame alone, in any suits, by hole.
                let deck = Deck::without(root.board.set());
                let mut reach = vec![0.0; Hole::COUNT];
                deck.holes().zip(&root.reach[1 - p]).for_each(|(h, &x)| reach[h.index()] = x);
                let alone =
                    exact.root_values(p, &root.board, root.start, &reach, Job::default()).unwrap();
                let by_line = exact.root_reach(1 - p, &root.board, root.start);
                assert!(reach.iter().zip(by_line).all(|(a, b)| (a - b).abs() < 1e-6), "{from} {p}");
                let put = exact.put_in(p, root.start) as f32;
                for (slot, hole) in deck.holes().enumerate() {
                    let (at, met) = (hole.index(), alone.against[hole.index()]);
                    let best = (alone.best[at] - put) * met;
                    let expected = itself.best[p][slot];
                    let off = 1e-5 * most(&itself.best[p]);
                    assert!((best - expected).abs() <= off, "{from} {p}: {best} {expected}");
                }
            }
        }
    }
}

/// A strategy's frequencies in a subgame, hole by hole.
fn hole_by_hole<W: Weights>(exact: &Exact<'_, W>, holes: &Plan, root: &Root) -> HoleStrategy {
    let mut strategy = HoleStrategy::new(holes, &root.board, root.start);
    for (board, node) in root.decisions(exact.plan.tree()) {
        strategy.set(holes, node, &board, &exact.frequencies(node, &board));
    }
    strategy
}

/// An agent that plays one strategy until the turn or river and another from there on, by plain
/// recursion over every card and every opponent's hole.
struct Plain<'a> {
    blueprint: &'a Exact<'a, Averages<'a>>,
    other: &'a Exact<'a, Averages<'a>>,
    from: Street,
    p: usize,
    hole: Hole,
    /// Whether the opponent is the agent, or plays the blueprint to the end.
    opponent_searches: bool,
}

impl Plain<'_> {
    fn frequencies(&self, node: NodeId, hole: Hole, board: &Board, searches: bool) -> Vec<f64> {
        let exact = match searches && board.street() >= self.from {
            true => self.other,
            false => self.blueprint,
        };
        let cells = exact.plan.cells_of(node, exact.buckets.of(hole, board)).unwrap();
        let weights: Vec<f64> = cells.map(|cell| exact.weights.weight(cell).into()).collect();
        let total: f64 = weights.iter().sum();
        let even = 1.0 / weights.len() as f64;
        weights.iter().map(|w| if total > 0.0 { w / total } else { even }).collect()
    }

    /// The values of the best response from the river, turn and flop on, and of the agent.
    fn values(&self, node: NodeId, board: &Board, reach: &[(Hole, f64)]) -> [f64; 4] {
        let tree = self.blueprint.plan.tree();
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
                [reach.iter().map(|&(other, x)| x * pay(other)).sum(); 4]
            }
            NodeKind::Chance => {
                let left = if board.street() == Street::Flop { 45.0 } else { 44.0 };
                let mut sums = [0.0; 4];
                for card in Card::all().filter(|&c| !(board.set() | self.hole.set()).contains(c)) {
                    let board = board.with(card).unwrap();
                    let kept = reach.iter().filter(|(other, _)| !other.set().contains(card));
                    let kept: Vec<(Hole, f64)> = kept.copied().collect();
                    let values = self.values(children[0], &board, &kept);
                    sums = std::array::from_fn(|i| sums[i] + values[i] / left);
                }
                sums
            }
            NodeKind::Decision(player) if player.index() == self.p => {
                let shares = self.frequencies(node, self.hole, board, true);
                let values: Vec<[f64; 4]> =
                    children.iter().map(|&child| self.values(child, board, reach)).collect();
                let from = [Street::River, Street::Turn, Street::Flop];
                std::array::from_fn(|i| {
                    let values = values.iter().map(|value| value[i]);
                    match from.get(i).is_some_and(|&from| board.street() >= from) {
                        true => values.fold(f64::NEG_INFINITY, f64::max),
                        false => values.zip(&shares).map(|(value, share)| value * share).sum(),
                    }
                })
            }
            NodeKind::Decision(_) => {
                let shares: Vec<Vec<f64>> = reach
                    .iter()
                    .map(|&(other, _)| self.frequencies(node, other, board, self.opponent_searches))
                    .collect();
                let mut sums = [0.0; 4];
                for (action, &child) in children.iter().enumerate() {
                    let after: Vec<(Hole, f64)> = reach
                        .iter()
                        .zip(&shares)
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

#[test]
fn an_agent_is_worth_what_plain_recursion_says() {
    let plan = Plan::new(tree(SMALL), [20; 3]);
    let (cards, other_cards) = (Hashed(20), Hashed(13));
    let store = trained(&plan, &cards, 30);
    let other_plan = Plan::new(tree(SMALL), [13; 3]);
    let other_store = trained(&other_plan, &other_cards, 20);
    let exact = Exact { plan: &plan, buckets: &cards, weights: &Averages(&store) };
    let other =
        Exact { plan: &other_plan, buckets: &other_cards, weights: &Averages(&other_store) };
    let holes = HoleBuckets::plan(plan.tree());
    // With two aces on the board there is one pair of aces left.
    let (flop, _) = CanonicalBoard::of(&"AsAh2c".parse().unwrap());
    let is_aces = |class: &StartingHand| class.is_pair() && class.high().letter() == 'A';
    let aces = StartingHand::all().find(is_aces).unwrap();
    let hole = flop.deck().holes().find(|hole| hole.class() == aces).unwrap();
    let start = plan.tree().find("c x /").unwrap();
    let mut differs = false;
    for from in [Street::Turn, Street::River] {
        let found = replaced(&exact, flop, from, |root| {
            let strategy = hole_by_hole(&other, &holes, root);
            exact.replaced(root, &holes, &strategy, Job::default()).unwrap()
        });
        for p in [0, 1] {
            let reach = exact.root_reach(1 - p, &flop.board(), start);
            let others: Vec<(Hole, f64)> = flop
                .deck()
                .holes()
                .filter(|other| !other.set().intersects(hole.set()))
                .map(|other| (other, f64::from(reach[other.index()])))
                .filter(|&(_, x)| x > 0.0)
                .collect();
            let plain = |opponent_searches: bool| {
                let (blueprint, other) = (&exact, &other);
                Plain { blueprint, other, from, p, hole, opponent_searches }.values(
                    start,
                    &flop.board(),
                    &others,
                )
            };
            let ([river, turn, best, own], [.., versus]) = (plain(true), plain(false));
            let values = &found[p];
            let close = |a: f64, b: f64| (a - b).abs() < 1e-5 * b.abs().max(1000.0);
            for (name, found, wanted) in [
                ("best", &values.best, best),
                ("own", &values.own, own),
                ("versus", &values.versus, versus),
                ("river", &values.river, river),
                ("turn", &values.turn, turn),
            ] {
                let found = found[aces.index()];
                assert!(close(found, wanted), "{from} {p} {name}: {found} {wanted}");
            }
            differs |= (own - versus).abs() > 1.0;
        }
    }
    assert!(differs, "it matters which of the strategies the opponent plays");
}

/// Where the agent never gets, its opponent wins nothing.
#[test]
fn dead_lines_have_no_value() {
    let plan = Plan::new(tree(SMALL), [5; 3]);
    let cards = Hashed(5);
    let exact = Exact { plan: &plan, buckets: &cards, weights: &Uniform };
    let (flop, _) = CanonicalBoard::of(&"AsAh2c".parse().unwrap());
    let trunk = Trunk::new(&exact, flop, Street::Turn);
    let roots = trunk.roots(0, Job::default()).unwrap();
    let holes = HoleBuckets::plan(plan.tree());
    let mut root = roots.roots[0].clone();
    root.reach[0].fill(0.0);
    let strategy = hole_by_hole(&exact, &holes, &root);
    let found = exact.replaced(&root, &holes, &strategy, Job::default()).unwrap();
    assert!(found.best[1].iter().all(|&x| x == 0.0));
    assert!(found.best[0].iter().any(|&x| x != 0.0));
}
