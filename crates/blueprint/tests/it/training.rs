//! Training: it improves, it is reproducible, and it goes on where it stopped.

use lethe_abstraction::Unwatched;
use lethe_blueprint::{
    Averages, Discount, Exact, Flops, Plan, Prune, Sampling, Store, Trainer, Training, Uniform,
};

use crate::common::{Hashed, LIMPED, tree};

fn training(sampling: Sampling) -> Training {
    let discount = Discount { interval: 7, ..Discount::default() };
    let prune = Prune { after: 10, below: -1.0, ..Prune::default() };
    Training { sampling, discount, prune, ..Training::default() }
}

fn cells(store: &Store) -> Vec<u8> {
    store.to_bytes()
}

#[test]
fn the_same_seed_gives_the_same_bytes_however_a_run_is_cut() {
    let plan = Plan::new(tree(LIMPED), [20; 3]);
    let cards = Hashed(20);
    for (sampling, count) in [(Sampling::Public, 40), (Sampling::External, 4000)] {
        let training = training(sampling);
        let whole = Store::new(plan.cells());
        Trainer::new(&plan, &cards, &whole, &training, [0, 0]).run(count, 1, &|| true);
        let cut = Store::new(plan.cells());
        let mut at = [0, 0];
        for until in [1, count / 3, count / 2 + 1, count] {
            let mut trainer = Trainer::new(&plan, &cards, &cut, &training, at);
            trainer.run(until, 1, &|| true);
            at = [trainer.iterations(), trainer.visits()];
        }
        assert!(cells(&whole) == cells(&cut), "{sampling:?}");
    }
}

#[test]
fn training_improves_on_even_play() {
    let plan = Plan::new(tree(LIMPED), [20; 3]);
    let cards = Hashed(20);
    let flops = Flops::Sample(4, 1);
    let before = Exact { plan: &plan, buckets: &cards, weights: &Uniform };
    let before = before.exploitability(flops, &Unwatched).unwrap().exploitability_mbb;
    for (sampling, count) in [(Sampling::Public, 300), (Sampling::External, 100_000)] {
        let store = Store::new(plan.cells());
        Trainer::new(&plan, &cards, &store, &training(sampling), [0, 0]).run(count, 2, &|| true);
        let after = Exact { plan: &plan, buckets: &cards, weights: &Averages(&store) };
        let after = after.exploitability(flops, &Unwatched).unwrap().exploitability_mbb;
        assert!(after < 0.9 * before, "{sampling:?}: {before} {after}");
    }
}
