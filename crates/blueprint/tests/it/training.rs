//! Training: it improves, it is reproducible, and it goes on where it stopped.

use lethe_blueprint::{
    Averages, Discount, Exact, Flops, Opponent, Plan, Prune, Sampling, Store, Trainer, Training,
    Uniform,
};
use lethe_compute::{Job, Pool};

use crate::common::{Hashed, LIMPED, tree};

fn training((sampling, opponent): (Sampling, Opponent)) -> Training {
    let discount = Discount { interval: 7, ..Discount::default() };
    let prune = Prune { after: 10, below: -1.0, ..Prune::default() };
    Training { sampling, opponent, discount, prune, ..Training::default() }
}

const SAME: (Sampling, Opponent) = (Sampling::Public, Opponent::Same);
const ADVERSARY: (Sampling, Opponent) = (Sampling::Public, Opponent::Adversary);
const EXTERNAL: (Sampling, Opponent) = (Sampling::External, Opponent::Same);

fn cells(store: &Store) -> Vec<u8> {
    store.to_bytes()
}

#[test]
fn the_same_seed_gives_the_same_bytes_however_a_run_is_cut() {
    let plan = Plan::new(tree(LIMPED), [20; 3]);
    let cards = Hashed(20);
    for (kind, count) in [(SAME, 40), (ADVERSARY, 40), (EXTERNAL, 4000)] {
        let training = training(kind);
        let whole = Store::new(&plan, kind.1);
        Trainer::new(&plan, &cards, &whole, &training, [0, 0]).run(
            count,
            Job::new(&Pool::new(1).unwrap()),
            &|| true,
        );
        let cut = Store::new(&plan, kind.1);
        let mut at = [0, 0];
        for until in [1, count / 3, count / 2 + 1, count] {
            let mut trainer = Trainer::new(&plan, &cards, &cut, &training, at);
            trainer.run(until, Job::new(&Pool::new(1).unwrap()), &|| true);
            at = [trainer.iterations(), trainer.visits()];
        }
        assert!(cells(&whole) == cells(&cut), "{kind:?}");
    }
}

#[test]
fn training_improves_on_even_play() {
    let plan = Plan::new(tree(LIMPED), [20; 3]);
    let cards = Hashed(20);
    let flops = Flops::Sample(4, 1);
    let before = Exact { plan: &plan, buckets: &cards, weights: &Uniform };
    let before = before.exploitability(flops, Job::default()).unwrap().exploitability_mbb;
    for (kind, count) in [(SAME, 300), (ADVERSARY, 300), (EXTERNAL, 100_000)] {
        let after = exploitability(&plan, &cards, kind, count, 2);
        assert!(after < 0.9 * before, "{kind:?}: {before} {after}");
    }
}

/// Buckets that say nothing of the cards leave only frequencies to choose. Players who see no more
/// than each other cannot tell which frequencies are safe; an adversary who sees its cards shows them.
#[test]
fn an_adversary_teaches_to_be_less_exploitable() {
    let plan = Plan::new(tree(LIMPED), [1; 3]);
    let [same, adversary] =
        [SAME, ADVERSARY].map(|kind| exploitability(&plan, &Hashed(1), kind, 1000, 1));
    assert!(adversary < 0.7 * same, "{same} {adversary}");
}

/// The exploitability in real cards after so many iterations, on the same few flops.
fn exploitability(
    plan: &Plan,
    cards: &Hashed,
    kind: (Sampling, Opponent),
    iterations: u64,
    threads: usize,
) -> f64 {
    let store = Store::new(plan, kind.1);
    let mut trainer = Trainer::new(plan, cards, &store, &training(kind), [0, 0]);
    trainer.run(iterations, Job::new(&Pool::new(threads).unwrap()), &|| true);
    let exact = Exact { plan, buckets: cards, weights: &Averages(&store) };
    exact.exploitability(Flops::Sample(4, 1), Job::default()).unwrap().exploitability_mbb
}
