//! Values beside a checkpoint: stored, read back, and refused where they are damaged or of another one.

use std::fs;
use std::path::{Path, PathBuf};

use lethe_blueprint::{
    Blueprint, CardModel, CheckpointKind, Exact, Flops, Limits, Run, TrainConfig, Training,
    ValuesError, ValuesFile,
};
use lethe_cards::{StartingHand, Street};
use lethe_compute::Job;
use lethe_game::{NodeKind, Player};

use crate::common::{PUSH_FOLD, SMALL};

fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("values-{name}"));
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}

fn cards() -> CardModel {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../abstraction/tests/compat/v1");
    CardModel::Abstraction(Box::new(lethe_abstraction::Abstraction::open(path).unwrap()))
}

fn trained(dir: &Path, game: &str, cards: CardModel) -> Run {
    let training = Training { evaluate_flops: 4, ..Training::default() };
    let game = serde_json::from_str(game).unwrap();
    let config = TrainConfig { game, abstraction: None, training };
    let mut run = Run::create(dir, &config, cards).unwrap();
    let limits = Limits { iterations: Some(40), ..Limits::default() };
    run.train(limits, Job::default(), &mut |_| ()).unwrap();
    run
}

fn open(dir: &Path) -> Blueprint {
    Blueprint::open(dir, CheckpointKind::Latest).unwrap()
}

#[test]
fn stored_values_are_those_that_were_computed() {
    let dir = folder("stored");
    let mut run = trained(&dir, SMALL, cards());
    assert!(open(&dir).values().unwrap().is_none(), "nothing was stored yet");
    let path = run.store_values(Job::default()).unwrap();
    assert_eq!(path, dir.join("latest.values"));
    ValuesFile::open(&path).unwrap().verify(Job::default()).unwrap();

    let blueprint = open(&dir);
    let stored = blueprint.values().unwrap().unwrap();
    assert_eq!((stored.header().flops, stored.header().exact), (4, false));
    let verified = blueprint.verify(Job::default()).unwrap();
    let plan = blueprint.plan();
    let exact = Exact { plan, buckets: blueprint.buckets(), weights: &verified };
    let computed = exact.values(Flops::Sample(4, 0), Job::default()).unwrap();
    let (mut hands, mut starts) = (0, 0);
    for node in plan.tree().ids() {
        for player in [Player::Oop, Player::Ip] {
            for hand in StartingHand::all() {
                let values = [&stored, &computed].map(|v| v.hand(plan, player, node, hand));
                let [stored, computed] = values.map(Result::unwrap);
                assert_eq!(stored, computed);
                hands += usize::from(stored.is_some());
            }
            for bucket in 0..100 {
                let values = [&stored, &computed].map(|v| v.start(plan, player, node, bucket));
                let [stored, computed] = values.map(Result::unwrap);
                assert_eq!(stored, computed);
                starts += usize::from(stored.is_some());
            }
        }
    }
    assert!(hands > 1000 && starts > 50, "{hands} {starts}");

    // The next checkpoint has no values yet.
    let limits = Limits { iterations: Some(60), ..Limits::default() };
    run.train(limits, Job::default(), &mut |_| ()).unwrap();
    assert!(!path.exists() && open(&dir).values().unwrap().is_none());
}

#[test]
fn values_of_a_game_without_a_flop_are_exact() {
    let dir = folder("push-fold");
    let run = trained(&dir, PUSH_FOLD, CardModel::Blank);
    run.store_values(Job::default()).unwrap();
    let blueprint = open(&dir);
    let values = blueprint.values().unwrap().unwrap();
    assert!(values.header().exact);
    let (plan, tree) = (blueprint.plan(), blueprint.tree());
    for node in tree.ids().filter(|&node| tree.node(node).street() == Street::Preflop) {
        let NodeKind::Decision(player) = tree.node(node).kind() else { continue };
        for hand in StartingHand::all() {
            let value = values.hand(plan, player, node, hand).unwrap();
            assert_eq!(value.unwrap().interval, Some(0.0), "{hand}");
        }
    }
}

#[test]
fn damaged_and_foreign_values_are_refused() {
    let dir = folder("refused");
    let path = trained(&dir, PUSH_FOLD, CardModel::Blank).store_values(Job::default()).unwrap();
    let whole = fs::read(&path).unwrap();
    let refused = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let first = match ValuesFile::open(&path) {
            Ok(file) => file.verify(Job::default()).err(),
            Err(error) => Some(error),
        };
        let error = first.expect("it is damaged").to_string();
        assert!(error.contains("latest.values") && error.contains("again"), "{error}");
        // Whoever only looks at some values finds damage too, or does not see it.
        let blueprint = open(&dir);
        if let Ok(Some(values)) = blueprint.values() {
            for node in blueprint.tree().ids() {
                for hand in StartingHand::all() {
                    let value = values.hand(blueprint.plan(), Player::Ip, node, hand);
                    // Nodes after the flop have none anyway.
                    assert!(!matches!(value, Ok(Some(_))), "{value:?}");
                }
            }
        }
    };
    for at in (0..whole.len()).step_by(whole.len() / 37) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        refused(&bytes);
    }
    refused(&whole[..whole.len() - 1]);
    refused(&[]);

    // The values of another checkpoint of the same game.
    let other = folder("refused-other");
    let training = Training { seed: 1, ..Training::default() };
    let game = serde_json::from_str(PUSH_FOLD).unwrap();
    let config = TrainConfig { game, abstraction: None, training };
    let mut run = Run::create(&other, &config, CardModel::Blank).unwrap();
    let limits = Limits { iterations: Some(30), ..Limits::default() };
    run.train(limits, Job::default(), &mut |_| ()).unwrap();
    fs::write(other.join("latest.values"), &whole).unwrap();
    let error = open(&other).values().unwrap_err();
    assert!(matches!(error, ValuesError::Foreign { .. }), "{error}");
    assert!(error.to_string().contains("another checkpoint"), "{error}");
}
