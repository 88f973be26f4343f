//! An agent in a small game, without training.

use lethe_agent::{Agent, AgentConfig, SearchFrom};
use lethe_blueprint::{Buckets, Plan, Uniform};
use lethe_cards::{Board, Deck, Street, evaluate};
use lethe_game::{Game, HandConfig, Tree};

/// 20 big blinds, a size on each street, and all-ins.
const GAME: &str = r#"{"stack":2000,"small_blind":50,"big_blind":100,"bet_sizes":{
    "preflop":{"sb":{"raise":"2.5x, a"},"bb":{"raise":"a"}},
    "flop":{"oop":{"bet":"50%","raise":"a"},"ip":{"bet":"50%","raise":"a"}},
    "turn":{"oop":{"bet":"75%","raise":"a"},"ip":{"bet":"75%","raise":"a"}},
    "river":{"oop":{"bet":"75%","raise":"a"},"ip":{"bet":"75%","raise":"a"}}}}"#;

pub(crate) fn config() -> HandConfig {
    serde_json::from_str(GAME).unwrap()
}

/// Four buckets by the strength of the hand as it lies.
struct Strength;

impl Buckets for Strength {
    fn count(&self, _: Street) -> usize {
        4
    }

    fn fill(&self, board: &Board, row: &mut [u32]) {
        for (bucket, hole) in row.iter_mut().zip(Deck::without(board.set()).holes()) {
            *bucket = u32::from(evaluate(board.set() | hole.set()).get()) / 2000;
        }
    }

    fn is_suit_invariant(&self) -> bool {
        true
    }
}

/// Runs something with an agent whose blueprint takes all actions equally often.
pub(crate) fn with_agent<T>(from: SearchFrom, run: impl FnOnce(&Agent<'_>) -> T) -> T {
    let tree = Tree::build(Game::hand(&config()).unwrap(), Tree::NODE_LIMIT).unwrap();
    let plan = Plan::new(tree, [4; 3]);
    let config = AgentConfig { from, iterations: 10, ..AgentConfig::default() };
    run(&Agent::with_tables(&plan, &Strength, &Uniform, config))
}
