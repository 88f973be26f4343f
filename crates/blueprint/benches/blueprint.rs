//! A flop of the exact pass, and iterations of training, in a game like that of the preset `quick`.

use criterion::{Criterion, criterion_group, criterion_main};
use lethe_blueprint::{
    Averages, Buckets, Exact, Opponent, Plan, Reached, Sampling, Store, Trainer, Training, Wanted,
};
use lethe_cards::{Board, CanonicalBoard, Deck, Hole, StartingHand, Street};
use lethe_compute::{Job, Pool};
use lethe_game::{Game, Tree};

const GAME: &str = r#"{"stack":2000,"small_blind":50,"big_blind":100,"bet_sizes":{
    "preflop":{"sb":{"raise":"2.5x, a"},"bb":{"raise":"a"}},
    "flop":{"oop":{"bet":"50%","raise":"a"},"ip":{"bet":"50%","raise":"a"}},
    "turn":{"oop":{"bet":"75%","raise":"a"},"ip":{"bet":"75%","raise":"a"}},
    "river":{"oop":{"bet":"75%","raise":"a"},"ip":{"bet":"75%","raise":"a"}}}}"#;

/// Buckets that take no time to look up: 60 on each board, and as many kinds of boards as there are
/// in `quick`.
struct Cheap;

const A_BOARD: usize = 60;
const BOARDS: usize = 200;

impl Cheap {
    fn first(board: &Board) -> u32 {
        let hash = board.cards().iter().fold(7, |hash, card| 31 * hash + card.index());
        (hash % BOARDS * A_BOARD) as u32
    }
}

impl Buckets for Cheap {
    fn count(&self, _: Street) -> usize {
        BOARDS * A_BOARD
    }

    fn fill(&self, board: &Board, row: &mut [u32]) {
        let first = Cheap::first(board);
        for (slot, bucket) in row.iter_mut().enumerate() {
            *bucket = first + (slot % A_BOARD) as u32;
        }
    }

    fn of(&self, hole: Hole, board: &Board) -> u32 {
        let slot = Deck::without(board.set()).holes().position(|other| other == hole);
        Cheap::first(board) + (slot.expect("the hole is off the board") % A_BOARD) as u32
    }

    fn is_suit_invariant(&self) -> bool {
        false
    }
}

fn plan() -> Plan {
    let game = Game::hand(&serde_json::from_str(GAME).expect("a game")).expect("a game");
    Plan::new(Tree::build(game, Tree::NODE_LIMIT).expect("a small tree"), [BOARDS * A_BOARD; 3])
}

fn exact(c: &mut Criterion) {
    let plan = plan();
    let store = Store::new(&plan, &Training::default());
    Trainer::new(&plan, &Cheap, &store, &Training::default(), Reached::default()).run(
        100,
        Job::new(&Pool::new(1).unwrap()),
        &|| true,
    );
    let exact = Exact { plan: &plan, buckets: &Cheap, weights: &Averages(&store) };
    let board: Board = "Kh8s5s".parse().expect("a flop");
    let (flop, _) = CanonicalBoard::of(&board);
    let reach = vec![[1.0; StartingHand::COUNT]; exact.lines()];
    let mut group = c.benchmark_group("exact");
    group.sample_size(10);
    for (name, ladder) in [("flop", false), ("flop, ladder", true)] {
        let wanted = Wanted { own: true, ladder };
        group.bench_function(name, |bencher| {
            bencher.iter(|| exact.flop(0, flop, &reach, wanted, Job::default()));
        });
    }
    group.finish();
}

fn iterations(c: &mut Criterion) {
    let plan = plan();
    let pool = Pool::new(1).unwrap();
    let job = Job::new(&pool);
    let mut group = c.benchmark_group("train");
    group.sample_size(10);
    for (name, sampling, opponent, count) in [
        ("public", Sampling::Public, Opponent::Same, 20),
        ("public, adversary", Sampling::Public, Opponent::Adversary, 20),
        ("external", Sampling::External, Opponent::Same, 20_000),
    ] {
        let training = Training { sampling, opponent, ..Training::default() };
        let store = Store::new(&plan, &training);
        let mut trainer = Trainer::new(&plan, &Cheap, &store, &training, Reached::default());
        // Some iterations in, regrets have both signs and memory is touched.
        trainer.run(10 * count, job, &|| true);
        group.bench_function(name, |bencher| {
            bencher.iter(|| trainer.run(trainer.reached().iterations + count, job, &|| true));
        });
    }
    group.finish();
}

criterion_group!(benches, exact, iterations);
criterion_main!(benches);
