//! Estimates of exploitability: how responses play before the flop, and which runs keep a best.

use std::fs;
use std::path::{Path, PathBuf};

use lethe_abstraction::Abstraction;
use lethe_blueprint::{
    Averages, Blueprint, CardModel, CheckpointKind, EstimateKind, Exact, Flops, Limits, Metrics,
    Opponent, Plan, PreflopPlay, Reached, Run, Sampling, Store, TrainConfig, Trainer, Training,
};
use lethe_compute::{Job, Pool};

use crate::common::{Hashed, SMALL, tree};

fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("measuring-{name}"));
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}

fn cards() -> CardModel {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../abstraction/tests/compat/v1");
    CardModel::Abstraction(Box::new(Abstraction::open(path).unwrap()))
}

/// A run of the small game against an adversary, measured on so many flops at its end.
fn run(dir: &Path, evaluate_flops: usize) -> Vec<Metrics> {
    let game = serde_json::from_str(SMALL).unwrap();
    let training = Training {
        sampling: Sampling::Public,
        opponent: Opponent::Adversary,
        evaluate: 1000.0,
        evaluate_flops,
        ..Training::default()
    };
    let config = TrainConfig { game, abstraction: None, training };
    let mut run = Run::create(dir, &config, cards()).unwrap();
    let limits = Limits { iterations: Some(200), ..Limits::default() };
    run.train(limits, Job::default(), &mut |_| ()).unwrap();
    Metrics::read(dir).unwrap()
}

#[test]
fn a_response_that_plays_like_the_strategy_before_the_flop_is_a_rung_of_the_ladder() {
    let plan = Plan::new(tree(SMALL), [20; 3]);
    let (cards, training) = (Hashed(20), Training::default());
    let store = Store::new(&plan, &training);
    Trainer::new(&plan, &cards, &store, &training, Reached::default()).run(
        30,
        Job::new(&Pool::new(1).unwrap()),
        &|| true,
    );
    let weights = Averages(&store);
    let exact = Exact { plan: &plan, buckets: &cards, weights: &weights };
    for count in [1, 2, 3, 5] {
        let flops = Flops::Sample(count, 7);
        let same = exact.exploitability_by(flops, &weights, Job::default()).unwrap();
        assert_eq!((same.flops, same.preflop), (count, PreflopPlay::Adversary));
        assert!((same.exploitability_mbb - same.ladder_mbb.flop).abs() < 1e-6, "{same:?}");
        assert_eq!(same.interval_mbb.is_some(), count >= 4);
        let own = exact.exploitability(flops, Job::default()).unwrap();
        let expected = if count == 1 { PreflopPlay::Strategy } else { PreflopPlay::Halves };
        assert_eq!(own.preflop, expected);
        assert_eq!(own.interval_mbb.is_some(), count >= 4);
        assert!(own.exploitability_mbb.is_finite());
        assert!(own.exploitability_mbb <= own.optimistic_mbb + 1e-6, "{own:?}");
        assert_eq!(own.optimistic_mbb, same.optimistic_mbb);
    }
}

#[test]
fn the_adversary_of_a_run_plays_before_the_flop() {
    let dir = folder("adversary");
    let points = run(&dir, 1);
    let last = points.last().unwrap();
    let estimate = last.exploitability.unwrap();
    assert_eq!((estimate.kind, estimate.flops), (EstimateKind::Flops, Some(4)));
    assert_eq!(estimate.preflop, Some(PreflopPlay::Adversary));
    assert_eq!(last.flop_gains_mbb.len(), 4);

    // The same from the file.
    let latest = Blueprint::open(&dir, CheckpointKind::Latest).unwrap();
    let verified = latest.verify(Job::default()).unwrap();
    let adversary = verified.adversary().unwrap();
    let measured = |weights: &dyn lethe_blueprint::Weights| {
        let exact = Exact { plan: latest.plan(), buckets: latest.buckets(), weights: &verified };
        exact.exploitability_by(Flops::Sample(4, 0), weights, Job::default()).unwrap()
    };
    let found = measured(&adversary);
    assert!((found.exploitability_mbb - estimate.mbb).abs() < 1e-9, "{found:?} {estimate:?}");
    assert!(found.exploitability_mbb <= found.optimistic_mbb);
    // It has learned something: the strategy's own way before the flop gains less.
    assert!(found.exploitability_mbb > measured(&verified).exploitability_mbb, "{found:?}");

    // Checkpoints that cannot be resumed do not have it.
    let best = Blueprint::open(&dir, CheckpointKind::BestExploitability).unwrap();
    assert!(best.verify(Job::default()).unwrap().adversary().is_none());
}

#[test]
fn a_lower_bound_chooses_no_checkpoint() {
    let dir = folder("lbr");
    let points = run(&dir, 0);
    let estimate = points.last().unwrap().exploitability.unwrap();
    assert_eq!((estimate.kind, estimate.flops), (EstimateKind::Lbr, None));
    assert!(!dir.join(CheckpointKind::BestExploitability.file()).exists());
    assert!(dir.join(CheckpointKind::BestMatch.file()).exists());
}
