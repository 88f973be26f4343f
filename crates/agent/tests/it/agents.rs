//! Whole agents: random hands, determinism, sizes that no tree contains, errors, and what a subgame
//! takes over from a blueprint.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use lethe_agent::{
    Agent, AgentConfig, AgentError, Budget, Decision, GadgetKind, HandState, SearchFrom, Source,
    Subgame,
};
use lethe_blueprint::{Averages, Buckets, Exact, Plan, Reached, Store, Trainer, Training};
use lethe_cards::{Board, Card, Deck, Hole, Street, evaluate};
use lethe_compute::{Job, Pool};
use lethe_game::{Action, BettingState, Game, HandConfig, NodeKind, Player, Tree};
use lethe_solver::{Lock, LockedStrategy};

/// Limped and raised pots, one bet and an all-in raise on each street.
const GAME: &str = r#"{"stack":2000,"small_blind":50,"big_blind":100,"bet_sizes":{
    "preflop":{"sb":{"raise":"2.5x, a"},"bb":{"raise":"a"}},
    "flop":{"oop":{"bet":"50%","raise":"a"},"ip":{"bet":"50%","raise":"a"}},
    "turn":{"oop":{"bet":"75%","raise":"a"},"ip":{"bet":"75%","raise":"a"}},
    "river":{"oop":{"bet":"75%","raise":"a"},"ip":{"bet":"75%"}}}}"#;

/// Twelve buckets by the strength of the hand as it lies.
pub(crate) struct Strength;

impl Buckets for Strength {
    fn count(&self, _: Street) -> usize {
        12
    }

    fn fill(&self, board: &Board, row: &mut [u32]) {
        for (bucket, hole) in row.iter_mut().zip(Deck::without(board.set()).holes()) {
            *bucket = u32::from(evaluate(board.set() | hole.set()).get()) / 650;
        }
    }

    fn is_suit_invariant(&self) -> bool {
        true
    }
}

pub(crate) struct Trained {
    pub(crate) plan: Plan,
    pub(crate) store: Store,
}

impl Trained {
    pub(crate) fn exact<'a>(&'a self, weights: &'a Averages<'a>) -> Exact<'a, Averages<'a>> {
        Exact { plan: &self.plan, buckets: &Strength, weights }
    }

    pub(crate) fn tree(&self) -> &Tree {
        self.plan.tree()
    }
}

/// A blueprint after some training.
pub(crate) fn trained() -> &'static Trained {
    static TRAINED: OnceLock<Trained> = OnceLock::new();
    TRAINED.get_or_init(|| {
        let config: HandConfig = serde_json::from_str(GAME).unwrap();
        let tree = Tree::build(Game::hand(&config).unwrap(), Tree::NODE_LIMIT).unwrap();
        let plan = Plan::new(tree, [12; 3]);
        let store = Store::new(&plan, &Training::default());
        let (pool, training) = (Pool::new(1).unwrap(), Training::default());
        Trainer::new(&plan, &Strength, &store, &training, Reached::default()).run(
            100,
            Job::new(&pool),
            &|| true,
        );
        Trained { plan, store }
    })
}

pub(crate) fn with_agent<T>(config: AgentConfig, run: impl FnOnce(&Agent<'_>) -> T) -> T {
    let trained = trained();
    let averages = Averages(&trained.store);
    run(&Agent::with_tables(&trained.plan, &Strength, &averages, config))
}

pub(crate) fn config(from: SearchFrom, iterations: u32) -> AgentConfig {
    AgentConfig { from, iterations, ..AgentConfig::default() }
}

pub(crate) fn hand(seat: Player, stack: u32, hole: &str, board: &str, history: &str) -> HandState {
    let board = if board.is_empty() { Board::EMPTY } else { board.parse().unwrap() };
    HandState::parse(seat, hole.parse().unwrap(), stack, board, history).unwrap()
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(1);
        (lethe_cluster::hash(self.0) % bound as u64) as usize
    }

    fn cards<const N: usize>(&mut self) -> [Card; N] {
        let mut left: Vec<Card> = Card::all().collect();
        [(); N].map(|()| left.swap_remove(self.below(left.len())))
    }

    /// A legal action of any size.
    fn action(&mut self, game: &Game, state: &BettingState) -> Action {
        let bet = state.put[0].max(state.put[1]);
        let owed = bet > state.put[state.to_act.index()];
        let least = game.least_bet(state);
        match self.below(10) {
            0 if owed => Action::Fold,
            kind @ 1..=5 if bet < state.stack => {
                let to = match kind {
                    1 => least,
                    2 => state.stack,
                    3 => least + self.below((state.stack - least + 1) as usize) as u32,
                    _ => (least + self.below(300) as u32).min(state.stack),
                };
                match to {
                    _ if to == state.stack => Action::AllIn(to),
                    _ if state.bets == 0 => Action::Bet(to),
                    _ => Action::Raise(to),
                }
            }
            _ if owed => Action::Call,
            _ => Action::Check,
        }
    }
}

/// Plays a hand of the agent against random legal actions; returns the decisions it made.
pub(crate) fn play(agent: &Agent<'_>, seed: u64, job: Job<'_>) -> Vec<(HandState, Decision)> {
    let mut random = Random(lethe_cluster::hash(seed));
    let game = trained().tree().game();
    let stack = match random.below(3) {
        0 => 2000,
        1 => 101 + random.below(1900) as u32,
        _ => 101 + random.below(500) as u32,
    };
    let cards: [Card; 7] = random.cards();
    let seat = Player::BOTH[random.below(2)];
    let mut hand = HandState {
        seat,
        hole: Hole::new(cards[0], cards[1]).unwrap(),
        stack,
        board: Board::EMPTY,
        actions: Vec::new(),
        number: seed,
    };
    let mut state = BettingState { stack, ..game.state() };
    let mut decisions = Vec::new();
    // All chips, wherever they are, are those that the players started with.
    loop {
        hand.board = Board::new(&cards[2..2 + state.street.board_len()]).unwrap();
        let put: u32 = state.put.iter().sum();
        let behind: u32 = state.put.iter().map(|put| state.stack - put).sum();
        assert_eq!(state.pot + put + behind, 2 * stack, "{hand:?}");
        let action = if state.to_act == seat {
            let decision = agent.decide(&hand, job).unwrap_or_else(|e| panic!("{e} {hand:?}"));
            assert!(decision.actions.contains(&decision.action), "{hand:?}");
            for (place, &action) in decision.actions.iter().enumerate() {
                assert!(!decision.actions[..place].contains(&action), "{hand:?} {action}");
                let legal = game.after(&state, action);
                assert!(legal.is_ok(), "{hand:?} {action} {legal:?}");
                let fold_is_free = state.put[0] == state.put[1];
                assert!(action != Action::Fold || !fold_is_free, "{hand:?}");
            }
            for hole in Deck::without(hand.board.set()).holes() {
                let sum: f32 = decision.of(hole).iter().sum();
                assert!((sum - 1.0).abs() < 1e-3, "{hand:?} {hole} {sum}");
            }
            decisions.push((hand.clone(), decision.clone()));
            decision.action
        } else {
            random.action(game, &state)
        };
        let next = game.after(&state, action).unwrap();
        hand.actions.push(action);
        match next {
            Some(next) => state = next,
            None => return decisions,
        }
    }
}

fn play_many(config: AgentConfig, hands: std::ops::Range<u64>) -> [usize; 2] {
    with_agent(config, |agent| {
        let mut made = [0, 0];
        for seed in hands {
            for (_, decision) in play(agent, seed, Job::default()) {
                made[usize::from(decision.source == Source::Search)] += 1;
            }
        }
        made
    })
}

#[test]
fn random_hands_of_any_size_and_stack_are_played_legally() {
    let rivers = AgentConfig { values: false, ..config(SearchFrom::River, 2) };
    let [blueprint, searched] = play_many(rivers, 0..9_000);
    assert!(blueprint > 9_000 && searched > 900, "{blueprint} {searched}");
    let [blueprint, searched] = play_many(config(SearchFrom::None, 1), 9_000..9_700);
    assert!(blueprint > 700 && searched == 0, "{blueprint} {searched}");
    let turns = AgentConfig { values: false, ..config(SearchFrom::Turn, 2) };
    let [_, searched] = play_many(turns, 9_700..9_900);
    assert!(searched > 30, "{searched}");
    let again = AgentConfig { resolve_river: true, ..config(SearchFrom::Turn, 2) };
    let [_, searched] = play_many(again, 9_900..10_000);
    assert!(searched > 8, "{searched}");
}

#[test]
fn decisions_depend_on_neither_threads_nor_what_was_solved_before() {
    let config = AgentConfig { resolve_river: true, ..config(SearchFrom::Turn, 3) };
    with_agent(config, |agent| {
        let (one, two) = (Pool::new(1).unwrap(), Pool::new(2).unwrap());
        let mut rivers = 0;
        for seed in 20_000..20_150 {
            for (hand, decision) in play(agent, seed, Job::new(&two)) {
                if decision.source == Source::Blueprint {
                    continue;
                }
                rivers += usize::from(hand.board.street() == Street::River);
                agent.forget();
                let again = agent.decide(&hand, Job::new(&one)).unwrap();
                assert_eq!(again.actions, decision.actions);
                assert_eq!(again.frequencies, decision.frequencies);
                assert_eq!(again.action, decision.action);
                assert_eq!(again.values, decision.values);
            }
        }
        assert!(rivers > 2, "{rivers}");
    });
}

#[test]
fn the_range_plays_the_same_whatever_we_hold() {
    // A raise, a flop bet and a turn bet that the tree does not contain.
    let line = "r310 c / b170 c / b222";
    let board = "Kd8s3hQc";
    with_agent(config(SearchFrom::Turn, 30), |agent| {
        let decide = |hole: &str| {
            agent.forget();
            agent.decide(&hand(Player::Ip, 1700, hole, board, line), Job::default()).unwrap()
        };
        let (first, second) = (decide("AhKh"), decide("5c2s"));
        assert_eq!(first.frequencies, second.frequencies);
        assert_eq!(first.actions, second.actions);
        assert_eq!(first.actions[..2], [Action::Fold, Action::Call]);
        assert_eq!(first.actions.last(), Some(&Action::AllIn(1700 - 310 - 170)));
        let folds = |hole: &str| first.of(hole.parse().unwrap())[0];
        assert!(folds("KsKc") < 0.05 && folds("5c2s") > 0.1, "{} {}", folds("KsKc"), folds("5c2s"));
    });
}

#[test]
fn a_size_added_on_a_street_leaves_what_we_did_before_as_it_was() {
    with_agent(config(SearchFrom::Turn, 6), |agent| {
        let board = "Kd8s3hQc";
        let at = |history: &str| {
            let state = hand(Player::Oop, 2000, "AhKh", board, history);
            agent.decide(&state, Job::default()).unwrap()
        };
        let first = at("r250 c / x x /");
        assert_eq!(first.source, Source::Search);
        // After our check the opponent bets 111 into 500, and after our call the river comes: what our
        // range has there follows from the first decision and from the answer to the bet.
        let second = at("r250 c / x x / x b111");
        assert_eq!(second.actions[..2], [Action::Fold, Action::Call]);
        let check = first.actions.iter().position(|&a| a == Action::Check).unwrap();
        let river = hand(Player::Oop, 2000, "AhKh", "Kd8s3hQc2d", "r250 c / x x / x b111 c /");
        let reached = agent.decide(&river, Job::default()).unwrap();
        assert_eq!(reached.source, Source::Search);
        let own = agent.reach(&river, Job::default()).unwrap()[Player::Oop.index()].clone();
        let root = hand(Player::Oop, 2000, "AhKh", board, "r250 c / x x /");
        let before = agent.reach(&root, Job::default()).unwrap()[Player::Oop.index()].clone();
        let largest = before.iter().copied().fold(0.0, f32::max);
        for hole in Deck::without(river.board.set()).holes() {
            let expected =
                before[hole.index()] / largest * first.of(hole)[check] * second.of(hole)[1];
            let found = own[hole.index()];
            assert!((found - expected).abs() < 1e-4, "{hole} {found} {expected}");
        }
    });
}

#[test]
fn bad_hands_are_refused_with_a_reason() {
    with_agent(config(SearchFrom::River, 1), |agent| {
        let error = |hand: HandState| agent.decide(&hand, Job::default()).unwrap_err();
        let sb =
            |stack, board: &str, history: &str| hand(Player::Ip, stack, "AhKh", board, history);
        assert_eq!(error(sb(2001, "", "")), AgentError::TooDeep { stack: 2001, most: 2000 });
        assert_eq!(error(sb(100, "", "")), AgentError::TooShort { stack: 100, least: 101 });
        assert!(matches!(error(sb(2000, "", "r120 c")), AgentError::Illegal { number: 1, .. }));
        assert_eq!(error(sb(2000, "", "f")), AgentError::Finished);
        assert_eq!(error(sb(2000, "", "a c x")), AgentError::AfterTheEnd { number: 3 });
        let flop = AgentError::Board { street: Street::Flop, found: 0 };
        assert_eq!(error(sb(2000, "", "r250 c / x")), flop);
        assert_eq!(error(sb(2000, "2s3h4d", "r250 c /")), AgentError::NotOurTurn(Player::Ip));
        let shared = error(sb(2000, "2sAh4d", "r250 c / x"));
        assert_eq!(shared.to_string(), "the hand AhKh shares a card with the board 2sAh4d");
    });
    let board = Board::EMPTY;
    let word = HandState::parse(Player::Ip, "AhKh".parse().unwrap(), 2000, board, "r250 call");
    assert_eq!(word, Err(AgentError::Word("call".to_owned())));
}

/// A river of the blueprint as a subgame.
fn river(seat: Player) -> Subgame {
    let trained = trained();
    let averages = Averages(&trained.store);
    let exact = trained.exact(&averages);
    let board: Board = "Kd8s3hQc7d".parse().unwrap();
    let start = trained.tree().find("r250 c / b250 c / x x /").unwrap();
    let [oop, ip] = [0, 1].map(|player| exact.root_reach(player, &board, start));
    let (own, opponent) = if seat == Player::Oop { (oop, ip) } else { (ip, oop) };
    let values =
        exact.root_values(seat.opponent().index(), &board, start, &own, Job::default()).unwrap();
    Subgame {
        tree: trained.plan.tree().clone(),
        start,
        board,
        seat,
        own,
        opponent,
        alternative: values.best,
        locks: Vec::new(),
    }
}

#[test]
fn alternative_values_are_what_the_blueprint_concedes_in_the_subgame() {
    let trained = trained();
    let averages = Averages(&trained.store);
    let exact = trained.exact(&averages);
    for seat in Player::BOTH {
        let mut subgame = river(seat);
        // Our part of the subgame is locked to the blueprint's.
        for number in subgame.tree.subtree(subgame.start) {
            let node = lethe_game::NodeId::new(number as u32);
            if subgame.tree.node(node).kind() != NodeKind::Decision(seat) {
                continue;
            }
            let deck = Deck::without(subgame.board.set());
            let shares = exact.frequencies(node, &subgame.board);
            let hands: BTreeMap<Hole, Vec<f64>> = deck
                .holes()
                .enumerate()
                .map(|(slot, hole)| {
                    let row = shares.iter().skip(slot).step_by(deck.holes_len());
                    (hole, row.map(|&x| f64::from(x)).collect())
                })
                .collect();
            let strategy = LockedStrategy::Hands(hands);
            subgame.locks.push(Lock { node, dealt: Vec::new(), strategy });
        }
        assert!(!subgame.locks.is_empty());
        let solved =
            subgame.solve(GadgetKind::Resolve, Budget::iterations(1), Job::default()).unwrap();
        let found = solved.best_response(Job::default()).unwrap();
        for hole in Deck::without(subgame.board.set()).holes() {
            let (found, given) = (found[hole.index()], subgame.alternative[hole.index()]);
            assert!((found - given).abs() < 0.05, "{seat} {hole} {found} {given}");
        }
    }
}

#[test]
fn a_solve_ends_at_its_target_or_after_its_iterations() {
    let subgame = river(Player::Oop);
    let solve = |iterations, target| {
        let budget = Budget { target, ..Budget::iterations(iterations) };
        let solved = subgame.solve(GadgetKind::Combined, budget, Job::default()).unwrap();
        (solved.iterations(), solved.measure(Job::default()).unwrap().exploitability)
    };
    // Between what 100 and what 300 iterations reach.
    let target = (solve(100, None).1 * solve(300, None).1).sqrt();
    let (early, reached) = solve(1000, Some(target));
    assert!((200..=300).contains(&early) && reached <= target, "{early} {reached} {target}");
    // It is the solve of so many iterations, and the first of those compared that is good enough.
    assert_eq!(solve(early, None), (early, reached));
    assert!(early.is_multiple_of(100) && solve(early - 100, None).1 > target);
    assert_eq!(solve(260, Some(1e-12)).0, 260);
}

#[test]
fn resolving_under_a_blueprint_concedes_no_more_than_it_is_unsolved() {
    for seat in Player::BOTH {
        let subgame = river(seat);
        for iterations in [3, 30, 300] {
            let budget = Budget::iterations(iterations);
            let solved = subgame.solve(GadgetKind::Resolve, budget, Job::default()).unwrap();
            let m = solved.measure(Job::default()).unwrap().measure;
            assert!(m.excess <= m.nash_conv + 0.01, "{seat} {iterations} {m:?}");
        }
    }
}
