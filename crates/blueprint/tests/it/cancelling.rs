//! A job that is cancelled stops soon: how soon is counted in polls, not in seconds.

use std::sync::atomic::{AtomicU64, Ordering};

use lethe_blueprint::{
    Averages, Baseline, Exact, Flops, LocalBestResponse, Match, Plan, Reached, Store, Trainer,
    Training, Uniform, Wanted,
};
use lethe_cards::{CanonicalBoard, StartingHand, Street};
use lethe_compute::{Cancelled, Job, Pool, Progress};

use crate::common::{Hashed, LIMPED, SMALL, tree};

/// Counts the polls, and cancels after some of them.
struct CancelAfter {
    polls: AtomicU64,
    limit: u64,
}

impl CancelAfter {
    fn polls(limit: u64) -> CancelAfter {
        CancelAfter { polls: AtomicU64::new(0), limit }
    }

    fn count(&self) -> u64 {
        self.polls.load(Ordering::Relaxed)
    }
}

impl Progress for CancelAfter {
    fn begin(&self, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn cancelled(&self) -> bool {
        self.polls.fetch_add(1, Ordering::Relaxed) >= self.limit
    }
}

#[test]
fn a_flop_of_the_exact_pass_polls_before_every_river() {
    let plan = Plan::new(tree(SMALL), [3; 3]);
    let exact = Exact { plan: &plan, buckets: &Hashed(3), weights: &Uniform };
    // After a flop of three suits no two are alike.
    let flop = CanonicalBoard::of(&"Ts8h4d".parse().unwrap()).0;
    assert_eq!(flop.board().street(), Street::Flop);
    let reach = vec![[1.0; StartingHand::COUNT]; exact.lines()];
    let never = CancelAfter::polls(u64::MAX);
    exact.flop(0, flop, &reach, Wanted::default(), Job::default().watched_by(&never)).unwrap();
    assert!(never.count() >= 49 * 48, "{}", never.count());

    for limit in [0, 1, 500] {
        let progress = CancelAfter::polls(limit);
        let job = Job::default().watched_by(&progress);
        assert_eq!(exact.exploitability(Flops::Sample(4, 1), job), Err(Cancelled));
        // Each thread polls at most once more for the flop it is in and once for every flop left.
        assert!(progress.count() <= limit + 1 + 8, "{limit}: {}", progress.count());
    }
}

#[test]
fn matches_and_local_best_response_poll_before_every_deal() {
    let tree = tree(LIMPED);
    let game = Match { tree: &tree, players: [&Baseline::Call, &Baseline::Uniform] };
    let lbr =
        LocalBestResponse { tree: &tree, policy: &Baseline::Uniform, bets_from: Street::Preflop };
    let never = CancelAfter::polls(u64::MAX);
    let job = Job::default().watched_by(&never);
    game.play(3000, 1, job).unwrap();
    assert!(never.count() >= 3000);
    let before = never.count();
    lbr.play(20, 1, job).unwrap();
    assert!(never.count() >= before + 20);
    for limit in [0, 7, 19] {
        let progress = CancelAfter::polls(limit);
        let job = Job::default().watched_by(&progress);
        assert_eq!(game.play(3000, 1, job), Err(Cancelled));
        let progress = CancelAfter::polls(limit);
        assert_eq!(lbr.play(20, 1, Job::default().watched_by(&progress)), Err(Cancelled));
    }
}

#[test]
fn a_cancelled_batch_is_discarded_and_training_resumes_as_if_it_had_not_been() {
    let plan = Plan::new(tree(LIMPED), [20; 3]);
    let (cards, training) = (Hashed(20), Training { batch: Some(3), ..Training::default() });
    let pool = Pool::new(1).unwrap();
    let whole = Store::new(&plan, &training);
    let mut trainer = Trainer::new(&plan, &cards, &whole, &training, Reached::default());
    trainer.run(12, Job::new(&pool), &|| true);
    assert_eq!(trainer.reached().iterations, 12);

    let cut = Store::new(&plan, &training);
    let mut trainer = Trainer::new(&plan, &cards, &cut, &training, Reached::default());
    // Cancelled wherever it is, it has done whole batches and no part of another.
    let mut polls = 1;
    while trainer.reached().iterations < 12 {
        polls += polls / 2 + 1;
        let progress = CancelAfter::polls(polls);
        trainer.run(12, Job::new(&pool).watched_by(&progress), &|| true);
        assert!(trainer.reached().iterations % 3 == 0, "{:?}", trainer.reached());
    }
    assert!(whole.to_bytes() == cut.to_bytes());
    assert!(polls > 10, "it was cancelled before, several times");

    let progress = CancelAfter::polls(0);

    assert_eq!(trainer.mean_regret(Job::default().watched_by(&progress)), Err(Cancelled));
    assert!(trainer.mean_regret(Job::default()).unwrap().unwrap() > 0.0);
    let untrained = Store::new(&plan, &training);
    let trainer = Trainer::new(&plan, &cards, &untrained, &training, Reached::default());
    assert_eq!(trainer.mean_regret(Job::default()), Ok(None));
    let exact = Exact { plan: &plan, buckets: &cards, weights: &Averages(&untrained) };
    assert!(exact.lines() > 0);
}
