//! Flops solved to the end of their betting: leaf values against counting, the solve against one of the
//! whole hand, and agents that play so.

use std::sync::Arc;

use lethe_agent::{
    Agent, AgentConfig, Budget, FlopLeaves, FlopSubgame, GadgetKind, LeafKind, Leaves, SearchFrom,
    Source, Subgame,
};
use lethe_blueprint::{
    Averages, Bias, Exact, FlopStrategy, HoleBuckets, Plan, Uniform, Weights, all_in_pairs,
};
use lethe_cards::equity::hole_vs_hole;
use lethe_cards::{Board, Deck, Hole, Street, Suit, SuitMap, evaluate};
use lethe_compute::{Job, Pool};
use lethe_game::{Action, Game, HandConfig, NodeId, NodeKind, Player, Tree};

use crate::agents::{Strength, config, hand, play, trained, with_agent};

#[test]
fn leaning_strategies_are_distributions_that_lean() {
    let actions = [Action::Fold, Action::Call, Action::Raise(300), Action::AllIn(900)];
    for shares in [[0.1, 0.2, 0.3, 0.4], [0.0; 4], [1.0, 0.0, 0.0, 0.0], [0.0, 0.5, 0.0, 0.5]] {
        let plain = leaned(Bias::None, &actions, shares);
        for (bias, kinds) in [(Bias::Fold, 0..1), (Bias::Call, 1..2), (Bias::Raise, 2..4)] {
            let found = leaned(bias, &actions, shares);
            assert!(
                (found.iter().sum::<f32>() - 1.0).abs() < 1e-6 && found.iter().all(|&x| x >= 0.0)
            );
            let [is, was] = [&found, &plain].map(|row| row[kinds.clone()].iter().sum::<f32>());
            // Five times as often beside the others.
            let expected = 5.0 * was / (5.0 * was + (1.0 - was));
            assert!((is - expected).abs() < 1e-5, "{bias:?} {is} {expected}");
        }
    }
    assert_eq!(leaned(Bias::None, &actions, [0.0; 4]), [0.25; 4]);
}

fn leaned(bias: Bias, actions: &[Action; 4], mut shares: [f32; 4]) -> [f32; 4] {
    bias.apply(actions, &mut shares);
    shares
}

/// The big blind's winnings from a node on, counted out.
fn counted(
    exact: &Exact<'_, Averages<'_>>,
    node: NodeId,
    board: &Board,
    holes: [Hole; 2],
    biases: [Bias; 2],
) -> f64 {
    let tree = exact.plan.tree();
    match tree.node(node).kind() {
        NodeKind::Fold(_) => {
            let outcome = tree.outcome(node).unwrap();
            outcome.payoffs(outcome.winner)[0] - outcome.ante()
        }
        NodeKind::Showdown => {
            let outcome = tree.outcome(node).unwrap();
            let [ours, theirs] = holes.map(|hole| evaluate(board.set() | hole.set()));
            let winner = match ours.cmp(&theirs) {
                std::cmp::Ordering::Greater => Some(Player::Oop),
                std::cmp::Ordering::Less => Some(Player::Ip),
                std::cmp::Ordering::Equal => None,
            };
            outcome.payoffs(winner)[0] - outcome.ante()
        }
        NodeKind::Chance => {
            let deck = Deck::without(board.set() | holes[0].set() | holes[1].set());
            let next = |&card| {
                let dealt = board.with(card).unwrap();
                counted(exact, tree.children(node)[0], &dealt, holes, biases)
            };
            deck.cards().iter().map(next).sum::<f64>() / deck.cards().len() as f64
        }
        NodeKind::Decision(player) => {
            let hole = holes[player.index()];
            let bucket = u32::from(evaluate(board.set() | hole.set()).get()) / 650;
            let cells = exact.plan.cells_of(node, bucket).unwrap();
            let mut shares: Vec<f32> = cells.map(|cell| exact.weights.weight(cell)).collect();
            biases[player.index()].apply(tree.actions(node), &mut shares);
            let children = tree.children(node).iter().zip(&shares);
            children
                .filter(|(_, share)| **share > 0.0)
                .map(|(&child, &share)| {
                    f64::from(share) * counted(exact, child, board, holes, biases)
                })
                .sum()
        }
    }
}

#[test]
fn continuations_are_what_counting_every_runout_says() {
    let trained = trained();
    let averages = Averages(&trained.store);
    let exact = trained.exact(&averages);
    let start = trained.tree().find("r250 c / b250 c /").unwrap();
    // A flop of one suit, where boards stand for up to six others.
    for (flop, pairs) in [
        ("Ks8s3s", [["AhKh", "8d8c"], ["5c4c", "As2h"]]),
        ("Kd8s3h", [["AhKh", "Td9d"], ["5c4c", "AsKs"]]),
    ] {
        let flop: Board = flop.parse().unwrap();
        let found = exact.continuations(&flop, start, None, Job::default()).unwrap();
        let deck = Deck::without(flop.set());
        let chance = trained.tree().parent(start).unwrap();
        for (pair, (player, bias)) in pairs.iter().zip([(0, Bias::Raise), (1, Bias::Fold)]) {
            let holes = pair.map(|hole| hole.parse::<Hole>().unwrap());
            for (player, bias) in [(player, bias), (1, Bias::None)] {
                let mut biases = [Bias::None; 2];
                biases[player] = bias;
                let expected = counted(&exact, chance, &flop, holes, biases);
                let values = found.of(player, bias);
                let [a, b] = holes.map(|hole| deck.slot(hole).unwrap());
                let found = f64::from(values.values[a * values.holes + b]);
                assert!(
                    (found - expected).abs() < 0.05,
                    "{flop} {pair:?} {bias:?} {found} {expected}"
                );
            }
        }
        // Holes that share a card never meet.
        let [a, b] = ["AhKh", "Ah2h"].map(|hole| deck.slot(hole.parse().unwrap()).unwrap());
        assert_eq!(found.of(0, Bias::None).values[a * deck.holes_len() + b], 0.0);
        // A mean of some rivers is the closer the more they are.
        let off = |rivers: u32| {
            let few = exact.continuations(&flop, start, Some(rivers), Job::default()).unwrap();
            let [all, few] = [&found, &few].map(|found| &found.of(1, Bias::Call).values);
            let off = all.iter().zip(few).map(|(a, b)| f64::from((a - b).abs()));
            off.sum::<f64>() / all.len() as f64
        };
        let [few, more] = [off(3), off(9)];
        assert!(
            more > 0.0 && 1.3 * more < few && few < 300.0,
            "all-ins are for 2,000: {few} {more}"
        );
    }
}

#[test]
fn all_ins_are_worth_the_equity() {
    for flop in ["Kd8s3h", "Ks8s3s"] {
        let flop: Board = flop.parse().unwrap();
        let found = all_in_pairs(&flop, Job::default()).unwrap();
        let deck = Deck::without(flop.set());
        for pair in [["AhKh", "8d8c"], ["5c4c", "As2h"], ["5c4c", "5d4d"]] {
            let [a, b] = pair.map(|hole| hole.parse::<Hole>().unwrap());
            let equity = hole_vs_hole(a, b, &flop).unwrap().equity().unwrap();
            let slots = [a, b].map(|hole| deck.slot(hole).unwrap());
            for (slots, expected) in [(slots, equity), ([slots[1], slots[0]], 1.0 - equity)] {
                let found = f64::from(found.values[slots[0] * found.holes + slots[1]]);
                assert!((found - (2.0 * expected - 1.0)).abs() < 1e-5, "{pair:?} {found}");
            }
        }
    }
}

/// Betting on the flop alone, after which everything is checked.
const FLOP_GAME: &str = r#"{"stack":1000,"small_blind":50,"big_blind":100,"bet_sizes":{
    "preflop":{"sb":{"raise":"2.5x"}},
    "flop":{"oop":{"bet":"75%","raise":"a"},"ip":{"bet":"75%","raise":"a"}}}}"#;

/// Where nothing is decided after the flop, the solve to the end of its betting is a solve of the game.
#[test]
fn a_flop_whose_leaves_are_exact_is_solved_like_the_whole_hand() {
    let config: HandConfig = serde_json::from_str(FLOP_GAME).unwrap();
    let tree = Tree::build(Game::hand(&config).unwrap(), Tree::NODE_LIMIT).unwrap();
    // Equities of buckets are exact where every hole is one.
    let plan = HoleBuckets::plan(&Arc::new(tree));
    let exact = Exact { plan: &plan, buckets: &HoleBuckets, weights: &Uniform };
    let flop: Board = "Ks8s3s".parse().unwrap();
    let start = plan.tree().find("r250 c /").unwrap();
    let job = Job::default();
    for kind in [Leaves::Continuations(None), Leaves::Equity(None)] {
        let leaves = FlopLeaves::new(&exact, &flop, start, &Player::BOTH, kind, job).unwrap();
        let seats = match kind {
            Leaves::Continuations(_) => &Player::BOTH[..],
            Leaves::Equity(_) => &[Player::Ip],
        };
        for &seat in seats {
            let opponent = seat.opponent().index();
            // Ranges that differ.
            let weight = |hole: Hole, player: Player| match player {
                Player::Oop => 1.0,
                Player::Ip => f32::from(u8::from(hole.high().rank() != hole.low().rank())) + 0.2,
            };
            let range = |player: Player| -> Vec<f32> {
                let live = |hole: Hole| !hole.set().intersects(flop.set());
                Hole::all()
                    .map(|hole| if live(hole) { weight(hole, player) } else { 0.0 })
                    .collect()
            };
            let (own, theirs) = (range(seat), range(seat.opponent()));
            let limited = FlopSubgame {
                tree: plan.tree().clone(),
                start,
                flop,
                seat,
                own: own.clone(),
                opponent: theirs.clone(),
                alternative: vec![0.0; Hole::COUNT],
                leaves: &leaves,
                locks: Vec::new(),
            };
            let subgame = limited;
            let budget = Budget::iterations(120);
            let limited = subgame.solve(GadgetKind::Unsafe, budget, job).unwrap();
            // In a pot of 500 that is less than 1 %: a target of so much ends the solve when it is compared.
            let budget = Budget { target: Some(0.01), ..budget };
            let early = subgame.solve(GadgetKind::Unsafe, budget, job).unwrap();
            assert!(early.iterations == 100 && early.nash_conv <= 10.0, "{}", early.nash_conv);
            let whole = Subgame {
                tree: plan.tree().clone(),
                start,
                board: flop,
                seat,
                own: own.clone(),
                opponent: theirs.clone(),
                alternative: vec![0.0; Hole::COUNT],
                locks: Vec::new(),
            };
            let whole = whole.solve(GadgetKind::Unsafe, Budget::iterations(50), job).unwrap();
            let whole = whole.best_response(job).unwrap();
            let mut strategy = FlopStrategy::new(&exact, &flop);
            for (node, rows) in &limited.decisions {
                strategy.set(*node, rows);
            }
            let values = strategy.exact().root_values(opponent, &flop, start, &own, job).unwrap();
            let [mut found, mut expected, mut deals] = [0.0; 3];
            for hole in Deck::without(flop.set()).holes() {
                let at = hole.index();
                let weight = f64::from(theirs[at]) * f64::from(values.against[at]);
                found += weight * f64::from(values.best[at]);
                expected += weight * f64::from(whole[at]);
                deals += weight;
            }
            let [found, expected] = [found, expected].map(|sum| sum / deals);
            // In a pot of 500 both best responses get the value of the game, but for what is unsolved.
            assert!((found - expected).abs() < 1.0, "{kind:?} {seat} {found} {expected}");
            assert!(limited.nash_conv < 1.0 && limited.nash_conv > -0.01, "{}", limited.nash_conv);
            // Counted from before the blinds, and for us.
            let value = 500.0 - found - 250.0;
            assert!((limited.value - value).abs() < 1.0, "{} {value}", limited.value);
        }
    }
}

#[test]
fn a_flop_strategy_that_is_the_blueprints_has_its_values() {
    let trained = trained();
    let averages = Averages(&trained.store);
    let exact = trained.exact(&averages);
    let flop: Board = "Kd8s3h".parse().unwrap();
    let strategy = FlopStrategy::new(&exact, &flop);
    let strategy = strategy.exact();
    for (board, line) in [("Kd8s3h", "r250 c /"), ("Kd8s3hQc", "r250 c / b250 c /")] {
        let board: Board = board.parse().unwrap();
        let start = trained.tree().find(line).unwrap();
        let reach = exact.root_reach(0, &board, start);
        let same = strategy.root_reach(0, &board, start);
        assert!(reach.iter().zip(&same).all(|(a, b)| (a - b).abs() < 1e-5));
        let expected = exact.root_values(1, &board, start, &reach, Job::default()).unwrap();
        let found = strategy.root_values(1, &board, start, &reach, Job::default()).unwrap();
        let close = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 0.05);
        assert!(close(&found.best, &expected.best) && close(&found.own, &expected.own));
    }
}

fn flop_config(leaf: LeafKind) -> AgentConfig {
    AgentConfig { leaf, leaf_rivers: Some(1), ..config(SearchFrom::Flop, 8) }
}

#[test]
fn agents_that_solve_flops_play_legally_and_the_same_again() {
    let (one, two) = (Pool::new(1).unwrap(), Pool::new(2).unwrap());
    for leaf in LeafKind::ALL {
        let quick = AgentConfig { values: false, iterations: 2, ..flop_config(leaf) };
        with_agent(quick, |agent| {
            let mut flops = 0;
            for seed in 40_000..40_014 {
                for (hand, decision) in play(agent, seed, Job::new(&two)) {
                    let is_flop = hand.board.street() == Street::Flop;
                    if !is_flop || decision.source == Source::Blueprint {
                        continue;
                    }
                    flops += 1;
                    if flops > 2 {
                        continue;
                    }
                    agent.forget();
                    let again = agent.decide(&hand, Job::new(&one)).unwrap();
                    assert_eq!(again.frequencies, decision.frequencies);
                    assert_eq!(again.action, decision.action);
                }
            }
            assert!(flops > 0, "{leaf} {flops}");
        });
    }
}

/// Suits that are alike are played alike, and what is played does not depend on their names.
#[test]
fn solved_flops_do_not_depend_on_the_names_of_suits() {
    with_agent(flop_config(LeafKind::Continuations), |agent| {
        let decide = |board: &str, hole: &str| {
            let state = hand(Player::Oop, 2000, hole, board, "r250 c /");
            agent.decide(&state, Job::default()).unwrap()
        };
        let first = decide("Kd8d3h", "AdQd");
        assert_eq!(first.source, Source::Search);
        assert_eq!(first.iterations, 8);
        let map = SuitMap::swap(Suit::DIAMONDS, Suit::SPADES);
        let second = decide("Ks8s3h", "AsQs");
        assert_eq!(first.actions, second.actions);
        let flop: Board = "Kd8d3h".parse().unwrap();
        for hole in Deck::without(flop.set()).holes() {
            let (a, b) = (first.of(hole), second.of(map.hole(hole)));
            assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-6), "{hole} {a:?} {b:?}");
            let other = SuitMap::swap(Suit::CLUBS, Suit::SPADES);
            assert_eq!(a, first.of(other.hole(hole)), "clubs and spades are alike");
        }
        let values = first.values.clone().unwrap();
        assert_eq!(values.len(), first.actions.len());
        // The turn goes on from what the flop's solution brings there.
        let turn = hand(Player::Oop, 2000, "AdQd", "Kd8d3h2c", "r250 c / x x /");
        let reach = agent.reach(&turn, Job::default()).unwrap();
        let check = first.actions.iter().position(|&a| a == Action::Check).unwrap();
        let before =
            agent.reach(&hand(Player::Oop, 2000, "AdQd", "Kd8d3h", "r250 c /"), Job::default());
        let before = &before.unwrap()[0];
        let expected = |hole: Hole| before[hole.index()] * first.of(hole)[check];
        let largest = Deck::without(turn.board.set()).holes().map(expected).fold(0.0, f32::max);
        for hole in Deck::without(turn.board.set()).holes() {
            let (found, expected) = (reach[0][hole.index()], expected(hole) / largest);
            assert!((found - expected).abs() < 1e-4, "{hole} {found} {expected}");
        }
    });
}

/// Where nothing is decided after the flop, a tree to which a size was added is solved like one that has it.
#[test]
fn a_size_added_to_a_solved_flop_is_played_like_one_of_the_tree() {
    let with_bets = |sizes: &str| {
        let text =
            FLOP_GAME.replace(r#""oop":{"bet":"75%""#, &format!(r#""oop":{{"bet":"{sizes}""#));
        let config: HandConfig = serde_json::from_str(&text).unwrap();
        Tree::build(Game::hand(&config).unwrap(), Tree::NODE_LIMIT).unwrap()
    };
    let trees = [with_bets("75%"), with_bets("50%, 75%")];
    let [added, native] = trees.map(|tree| {
        let plan = HoleBuckets::plan(&Arc::new(tree));
        let config = AgentConfig {
            gadget: GadgetKind::Unsafe,
            iterations: 30,
            values: false,
            ..flop_config(LeafKind::Equity)
        };
        let agent = Agent::with_tables(&plan, &HoleBuckets, &Uniform, config);
        let facing = (Player::Ip, "Ks8s3s", "r250 c / b250");
        let called = (Player::Oop, "Ks8s3s2d", "r250 c / b250 c /");
        [facing, called].map(|(seat, board, history)| {
            let state = hand(seat, 1000, "AdQd", board, history);
            let reach = agent.reach(&state, Job::default()).unwrap();
            (agent.decide(&state, Job::default()).unwrap(), reach)
        })
    });
    for ((added, reach), (native, expected)) in added.iter().zip(&native) {
        assert_eq!(added.source, Source::Search);
        assert_eq!(added.actions, native.actions);
        let close = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 2e-3);
        assert!(close(&added.frequencies, &native.frequencies));
        assert!(close(&reach[0], &expected[0]) && close(&reach[1], &expected[1]));
    }
}

/// What our range did before an added size stays as it was, and the size is met in its own chips.
#[test]
fn a_solved_flop_keeps_what_we_did_before_a_size_that_was_added() {
    with_agent(flop_config(LeafKind::Continuations), |agent| {
        let at = |history: &str| hand(Player::Oop, 2000, "AdQd", "Kd8d3h", history);
        let first = agent.decide(&at("r250 c /"), Job::default()).unwrap();
        let check = first.actions.iter().position(|&a| a == Action::Check).unwrap();
        // The tree has a bet of 250 and all-in.
        let met = at("r250 c / x b410");
        let second = agent.decide(&met, Job::default()).unwrap();
        assert_eq!(second.source, Source::Search);
        assert_eq!(second.values, None);
        assert_eq!(second.actions[..2], [Action::Fold, Action::Call]);
        let mapped = agent.decide(&at("r250 c / x b250"), Job::default()).unwrap();
        assert_ne!(second.frequencies, mapped.frequencies);
        let before = agent.reach(&at("r250 c /"), Job::default()).unwrap();
        let after = agent.reach(&met, Job::default()).unwrap();
        for hole in Deck::without(met.board.set()).holes() {
            let expected = before[0][hole.index()] * first.of(hole)[check];
            assert!((after[0][hole.index()] - expected).abs() < 1e-6, "{hole}");
            let total: f32 = second.of(hole).iter().sum();
            assert!((total - 1.0).abs() < 1e-4, "{hole} {total}");
        }
        // The opponent's range is the one that the solution bets this size with.
        assert!(after[1].iter().zip(&before[1]).any(|(after, before)| after < before));
        let turn = hand(Player::Oop, 2000, "AdQd", "Kd8d3h2c", "r250 c / x b410 c /");
        let turn = agent.decide(&turn, Job::default()).unwrap();
        assert_eq!(turn.source, Source::Search);
        assert!(turn.actions.iter().filter_map(|a| a.amount()).all(|to| to <= 2000 - 250 - 410));
    });
}

#[test]
fn a_game_with_rake_has_no_flop_search() {
    let text = FLOP_GAME.replace("\"small_blind\"", "\"rake\":{\"percent\":5},\"small_blind\"");
    let config: HandConfig = serde_json::from_str(&text).unwrap();
    let tree = Tree::build(Game::hand(&config).unwrap(), Tree::NODE_LIMIT).unwrap();
    let plan = Plan::new(tree, [12; 3]);
    let agent = Agent::with_tables(&plan, &Strength, &Uniform, flop_config(LeafKind::Equity));
    let state = hand(Player::Oop, 1000, "AdQd", "Kd8d3h", "r250 c /");
    let error = agent.decide(&state, Job::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a flop cannot be solved in a game with rake: search from the turn"
    );
}
