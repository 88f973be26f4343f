//! Training: it improves, it is reproducible, and it goes on where it stopped.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lethe_blueprint::{
    Adversary, Averages, Buckets, Discount, Exact, Flops, Opponent, Plan, Pooling, Prune, Ranks,
    Reached, Sampling, Stage, Store, Traffic, Trainer, Training, Uniform, Weights,
};
use lethe_collective::{Collective, Threads};
use lethe_compute::{Job, Pool, Progress};

use crate::common::{Clustered, Hashed, LIMPED, tree};

fn training((sampling, opponent): (Sampling, Opponent)) -> Training {
    let discount = Discount { interval: 7, ..Discount::default() };
    let prune = Prune { after: 10, below: -1.0, ..Prune::default() };
    Training { sampling, opponent, discount, prune, ..Training::default() }
}

/// The same against an adversary that responds to averages too.
fn to_averages(training: Training) -> Training {
    let adversary = Adversary { average_share: 0.5, ..training.adversary };
    Training { adversary, ..training }
}

/// Pools count more than cells by themselves.
const POOLED: Pooling = Pooling { weight: 5.0, iterations: 10.0 };
const SAME: (Sampling, Opponent) = (Sampling::Public, Opponent::Same);
const ADVERSARY: (Sampling, Opponent) = (Sampling::Public, Opponent::Adversary);
const EXTERNAL: (Sampling, Opponent) = (Sampling::External, Opponent::Same);

#[test]
fn the_same_seed_gives_the_same_bytes_on_any_threads_however_a_run_is_cut() {
    let plan = Plan::new(tree(LIMPED), [20; 3]).with_group_sizes([[20, 20], [5, 5], [10, 2]]);
    let cards = Hashed(20);

    let [same, adversary, external] = [SAME, ADVERSARY, EXTERNAL].map(training);
    let averaged = to_averages(adversary);
    let rivers = Training { rivers: 3, ..averaged };
    let pooled = Training { pooling: POOLED, ..rivers };
    let cases =
        [(same, 40), (adversary, 40), (averaged, 40), (rivers, 40), (pooled, 40), (external, 4000)];
    for (training, count) in cases {
        let training = Training { batch: Some(count / 10), ..training };
        let trained = |threads: usize, ends: &[u64]| {
            let store = Store::new(&plan, &training);
            let mut reached = Reached::default();
            for &end in ends {
                let mut trainer = Trainer::new(&plan, &cards, &store, &training, reached);
                trainer.run(end, Job::new(&Pool::new(threads).unwrap()), &|| true);
                reached = trainer.reached();
                assert!(
                    reached.iterations >= end && reached.iterations < end + training.batch_size()
                );
            }
            (reached, store.to_bytes())
        };
        let whole = trained(1, &[count]);
        for threads in [1, 2, 3] {
            let cut = trained(threads, &[1, count / 3, count / 2 + 1, count]);
            assert!(whole == cut, "{training:?} on {threads} threads");
        }
        assert_eq!(whole.0.iterations, count);
        assert!(whole.0.visits > 0 && whole.0.saturated == 0);
    }
}

#[test]
fn any_number_of_ranks_gives_the_same_bytes() {
    let plan = Plan::new(tree(LIMPED), [20; 3]).with_group_sizes([[20, 20], [5, 5], [10, 2]]);
    let (hashed, clustered) = (Hashed(20), Clustered::new(5));
    let plain = |kind, count: u64| Training { batch: Some(count / 10), ..training(kind) };
    let averaged = to_averages(plain(ADVERSARY, 40));
    let cases: [(&dyn Buckets, Training, u64); 8] = [
        (&hashed, plain(SAME, 40), 40),
        (&hashed, plain(ADVERSARY, 40), 40),
        (&hashed, averaged, 40),
        (&hashed, Training { rivers: 2, ..averaged }, 40),
        (&hashed, Training { pooling: POOLED, ..averaged }, 40),
        (&hashed, plain(EXTERNAL, 4000), 4000),
        (&clustered, staged(ADVERSARY, 10), 36),
        (&clustered, staged(EXTERNAL, 10), 36),
    ];
    for (cards, training, count) in cases {
        let alone = Store::new(&plan, &training);
        let mut trainer = Trainer::new(&plan, cards, &alone, &training, Reached::default());
        trainer.run(count, Job::default(), &|| true);
        trainer.fill_unused();
        let alone = (trainer.reached(), alone.to_bytes());
        // On so many ranks and threads up to such iterations, one run after the other.
        let together = |runs: &[(usize, usize, u64)]| {
            let (mut bytes, mut reached) =
                (Store::new(&plan, &training).to_bytes(), Reached::default());
            for &(ranks, threads, end) in runs {
                let mut found = Threads::run(ranks, |rank| {
                    let store = Store::new(&plan, &training);
                    let regrets = store.to_bytes().len() / 4 - store.len();
                    let words: Vec<i32> =
                        bytes.as_chunks().0.iter().map(|word| i32::from_le_bytes(*word)).collect();
                    let (regrets, averages) = words.split_at(regrets);
                    let averages: Vec<u32> = averages.iter().map(|&word| word as u32).collect();
                    // Only rank 0 has what was trained so far.
                    let store = match rank.rank() {
                        0 => Store::from_parts(regrets, &averages),
                        _ => store,
                    };
                    let pool = Pool::new(threads).unwrap();
                    let ranks = Ranks::new(rank, &store, &training);
                    ranks.share(&store).unwrap();
                    let trainer = Trainer::new(&plan, cards, &store, &training, reached);
                    let mut trainer = trainer.with_ranks(&ranks);
                    trainer.try_run(end, Job::new(&pool), &|| true).unwrap();
                    trainer.sum_averages(Job::new(&pool)).unwrap();
                    trainer.fill_unused();
                    let Traffic { batches, bytes, cells, .. } = ranks.traffic();
                    assert!(ranks.size() == 1 || batches > 0);
                    assert!(bytes <= 6 * cells + batches * ranks.size() as u64 * 528);
                    (trainer.reached(), store.to_bytes())
                });
                assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "ranks agree");
                (reached, bytes) = found.swap_remove(0);
            }
            (reached, bytes)
        };
        for ranks in [1, 2, 4, 8] {
            for threads in [1, 2] {
                let found = together(&[(ranks, threads, count)]);
                assert!(found == alone, "{training:?} on {ranks} ranks with {threads} threads");
            }
        }
        let third = count / 3;
        let found = together(&[(4, 1, 1), (1, 2, third), (8, 1, 2 * third), (2, 2, count)]);
        assert!(found == alone, "{training:?} on changing numbers of ranks");
    }
}

#[test]
fn a_rank_that_is_cancelled_stops_all_of_them_between_batches() {
    struct Stop(AtomicBool);
    impl Progress for Stop {
        fn begin(&self, _: &str, _: u64) {}
        fn advance(&self, _: u64) {}
        fn cancelled(&self) -> bool {
            self.0.load(Ordering::Relaxed)
        }
    }
    let plan = Plan::new(tree(LIMPED), [20; 3]);
    let (cards, training) = (Hashed(20), Training { batch: Some(4), ..training(ADVERSARY) });
    let found = Threads::run(3, |rank| {
        let store = Store::new(&plan, &training);
        let (ranks, pool) = (Ranks::new(rank, &store, &training), Pool::new(1).unwrap());
        let stop = Stop(AtomicBool::new(false));
        let stops = rank.rank() == 1;
        std::thread::scope(|scope| {
            if stops {
                scope.spawn(|| {
                    std::thread::sleep(Duration::from_millis(150));
                    stop.0.store(true, Ordering::Relaxed);
                });
            }
            let trainer = Trainer::new(&plan, &cards, &store, &training, Reached::default());
            let mut trainer = trainer.with_ranks(&ranks);
            let job = Job::new(&pool).watched_by(&stop);
            trainer.try_run(u64::MAX, job, &|| true).unwrap();
            trainer.sum_averages(job).unwrap();
            (trainer.reached(), store.to_bytes())
        })
    });
    assert!(found.windows(2).all(|pair| pair[0] == pair[1]));
    let (reached, bytes) = &found[0];
    let alone = Store::new(&plan, &training);
    let mut trainer = Trainer::new(&plan, &cards, &alone, &training, Reached::default());
    trainer.run(reached.iterations, Job::default(), &|| true);
    assert!((trainer.reached(), alone.to_bytes()) == (*reached, bytes.clone()));
}

/// Stages of 1, 2, 3 and then all 4 clusters.
fn staged(kind: (Sampling, Opponent), every: u64) -> Training {
    let stage = |clusters: u64| Stage { from: (clusters - 1) * every, clusters: clusters as usize };
    let stages: Vec<Stage> = (1..=4).map(stage).collect();
    Training { batch: Some(4), stages: stages.try_into().unwrap(), ..training(kind) }
}

#[test]
fn stages_give_the_same_bytes_on_any_threads_however_a_run_is_cut() {
    let plan = Plan::new(tree(LIMPED), [20; 3]);
    let cards = Clustered::new(5);
    for kind in [SAME, ADVERSARY, EXTERNAL] {
        let training = staged(kind, 10);
        let trained = |threads: usize, ends: &[u64]| {
            let store = Store::new(&plan, &training);
            let mut reached = Reached::default();
            for &end in ends {
                let mut trainer = Trainer::new(&plan, &cards, &store, &training, reached);
                trainer.run(end, Job::new(&Pool::new(threads).unwrap()), &|| true);
                trainer.fill_unused();
                reached = trainer.reached();
            }
            (reached, store.to_bytes())
        };
        for end in [9, 10, 17, 36] {
            let whole = trained(1, &[end]);
            for ends in [&[1, 5, end][..], &[8, 10, 20, 21, 30, 36][..]] {
                let ends: Vec<u64> = ends.iter().copied().filter(|&e| e <= end).collect();
                let cut = trained(2, &[&ends[..], &[end]].concat());
                assert!(whole == cut, "{kind:?} to {end} by {ends:?}");
            }
        }
    }
}

#[test]
fn a_stage_begins_with_each_clusters_share_of_what_was_learned() {
    let plan = Plan::new(tree(LIMPED), [20; 3]);
    let cards = Clustered::new(5);
    // Discounts never happen here, so that sums can be compared.
    let discount = Discount { interval: 1000, ..Discount::default() };
    let training = Training { discount, ..staged(ADVERSARY, 400) };
    let store = Store::new(&plan, &training);
    let mut trainer = Trainer::new(&plan, &cards, &store, &training, Reached::default());
    let node = plan.tree().find("c x /").unwrap();
    let weights = |cluster: u32| -> Vec<f64> {
        let cells = (0..5).flat_map(|b| plan.cells_of(node, cluster * 5 + b).unwrap());
        cells.map(|cell| f64::from(Averages(&store).weight(cell))).collect()
    };
    trainer.run(396, Job::default(), &|| true);
    assert!(weights(1).iter().all(|&w| w == 0.0), "only one cluster is used");
    trainer.fill_unused();
    let shared = weights(0);
    assert!(shared.iter().sum::<f64>() > 1000.0);
    assert!((1..4).all(|cluster| weights(cluster) == shared));
    // The first split takes the flops of two suits or one from those of three.
    trainer.run(400, Job::default(), &|| true);
    let deals = |cluster: usize| -> f64 {
        let flops = &cards.clusters.flops(2)[cluster];
        flops.iter().map(|flop| f64::from(flop.multiplicity()) / 22_100.0).sum()
    };
    for cluster in [0, 1] {
        let found = weights(cluster as u32);
        for (found, shared) in found.iter().zip(&shared) {
            // Four more iterations have been added since.
            let expected = shared * deals(cluster);
            assert!((found - expected).abs() < 0.03 * expected + 300.0, "{found} {expected}");
        }
    }
    trainer.fill_unused();
    assert!(weights(2) == weights(0) && weights(3) == weights(0));
}

/// A run whose averages were halved plays as one whose were not: what it adds is halved as well.
#[test]
fn halved_averages_weigh_what_they_did() {
    let plan = Plan::new(tree(LIMPED), [20; 3]);
    let cards = Hashed(20);
    let training = Training {
        discount: Discount { gamma: 0.0, interval: 1000, ..Discount::default() },
        ..training(SAME)
    };
    let [plain, halved] = [0, 1].map(|halvings| {
        let store = Store::new(&plan, &training);
        let reached = Reached { halvings: [halvings; 4], ..Reached::default() };
        let mut trainer = Trainer::new(&plan, &cards, &store, &training, reached);
        trainer.run(60, Job::default(), &|| true);
        (0..plan.cells()).map(|cell| f64::from(Averages(&store).weight(cell))).collect::<Vec<_>>()
    });
    let sum = |weights: &[f64]| weights.iter().sum::<f64>();
    assert!((sum(&halved) / sum(&plain) - 0.5).abs() < 1e-3);
}

#[test]
fn averages_that_are_nearly_full_are_halved() {
    let plan = Plan::new(tree(LIMPED), [20; 3]);
    let training = Training { batch: Some(7), ..training(SAME) };
    let cells = plan.cells();
    let store = Store::from_parts(&vec![0; cells], &vec![3 << 29; cells]);
    let mut trainer = Trainer::new(&plan, &Hashed(20), &store, &training, Reached::default());
    trainer.run(7, Job::default(), &|| true);
    // The second interval weighs four times as much as the first, and one halving makes room for it;
    // another is needed because they are nearly full.
    assert_eq!(trainer.reached().halvings, [2; 4]);
    let weight = f64::from(Averages(&store).weight(0));
    let expected = f64::from(3_u32 << 29) / 4.0;
    assert!((weight / expected - 1.0).abs() < 1e-3, "{weight} {expected}");
}

#[test]
fn training_improves_on_even_play() {
    let plan = Plan::new(tree(LIMPED), [20; 3]);
    let cards = Hashed(20);
    let flops = Flops::Sample(4, 1);
    let before = Exact { plan: &plan, buckets: &cards, weights: &Uniform };
    let before = before.exploitability(flops, Job::default()).unwrap().exploitability_mbb;
    // They reach 0.59, 0.62 and 0.64 of it.
    for (kind, count, share) in
        [(SAME, 300, 0.65), (ADVERSARY, 300, 0.68), (EXTERNAL, 100_000, 0.7)]
    {
        let after = exploitability(&plan, &cards, kind, count, 2);
        assert!(after < share * before, "{kind:?}: {before} {after}");
    }
}

/// Buckets that say nothing of the cards leave only frequencies to choose. An adversary who sees its
/// cards shows which of them are safe.
#[test]
fn an_adversary_teaches_even_a_player_who_sees_nothing() {
    let plan = Plan::new(tree(LIMPED), [1; 3]);
    let cards = Hashed(1);
    let even = Exact { plan: &plan, buckets: &cards, weights: &Uniform };
    let even = even.exploitability(Flops::Sample(4, 1), Job::default()).unwrap().exploitability_mbb;
    let taught = exploitability(&plan, &cards, ADVERSARY, 1000, 2);
    assert!(taught < 0.75 * even, "{even} {taught}");
}

/// The exploitability in real cards after so many iterations, on the same few flops.
fn exploitability(
    plan: &Plan,
    cards: &Hashed,
    kind: (Sampling, Opponent),
    iterations: u64,
    threads: usize,
) -> f64 {
    let training = training(kind);
    let store = Store::new(plan, &training);
    let mut trainer = Trainer::new(plan, cards, &store, &training, Reached::default());
    trainer.run(iterations, Job::new(&Pool::new(threads).unwrap()), &|| true);
    let exact = Exact { plan, buckets: cards, weights: &Averages(&store) };
    exact.exploitability(Flops::Sample(4, 1), Job::default()).unwrap().exploitability_mbb
}
