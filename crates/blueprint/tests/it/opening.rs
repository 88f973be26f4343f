//! Runs open from anywhere, with their own abstraction only, and old runs still open.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use lethe_abstraction::Abstraction;
use lethe_blueprint::{
    Blueprint, BlueprintError, CardModel, Checkpoint, CheckpointError, CheckpointKind, Limits,
    Opponent, Run, RunError, Sampling, TrainConfig, TrainConfigError,
};
use lethe_cards::Board;
use lethe_compute::Job;
use lethe_files::ContainerWriter;
use serde_json::{Value, json};

const LATEST: CheckpointKind = CheckpointKind::Latest;

fn crate_path(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn abstraction() -> CardModel {
    let path = crate_path("../abstraction/tests/compat/v1");
    CardModel::Abstraction(Box::new(Abstraction::open(path).unwrap()))
}

/// An empty directory.
fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("opening-{name}"));
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// The configuration of the old run on an abstraction.
fn config() -> TrainConfig {
    Blueprint::describe(crate_path("tests/compat/texture"), LATEST).unwrap().config
}

fn trained(dir: &Path, cards: CardModel) -> Run {
    let mut run = Run::create(dir, &config(), cards).unwrap();
    let limits = Limits { iterations: Some(100), ..Limits::default() };
    run.train(limits, Job::default(), &mut |_| ()).unwrap();
    run
}

#[test]
fn runs_written_by_the_first_version_open_but_do_not_resume() {
    // The frequencies are those that the first version showed for these files.
    let push_fold = Blueprint::open(crate_path("tests/compat/push-fold"), LATEST).unwrap();
    push_fold.verify(Job::default()).unwrap();
    let tree = push_fold.tree();
    let folds = push_fold.frequencies(tree.root(), "7c2d".parse().unwrap(), &Board::EMPTY);
    let folds = folds.unwrap();
    assert!((folds.unwrap()[0] - 0.999_879_966_390_589_4).abs() < 1e-12);

    let old = crate_path("tests/compat/texture");
    let header = Blueprint::describe(&old, LATEST).unwrap();
    let recorded = header.abstraction.unwrap();
    assert_eq!(recorded.checksum, "0040b5598836ac96");
    assert_eq!((recorded.plan_hash, recorded.relative_path), (None, None));
    let blueprint = Blueprint::open_with(&old, LATEST, abstraction()).unwrap();
    let node = blueprint.tree().find("c x / x x / x x /").unwrap();
    let hole = "AhKd".parse().unwrap();
    let checks = blueprint.frequencies(node, hole, &"Ks7h4d2c9s".parse().unwrap());
    let checks = checks.unwrap().unwrap()[0];
    assert!((checks - 0.302_280_633_938_925_4).abs() < 1e-12);

    // Its regrets come from another way to train, so nothing is added to them.
    let dir = folder("old");
    copy(&old, &dir);
    let error = Run::resume(&dir, &config(), abstraction(), Job::default()).unwrap_err();
    assert!(matches!(error, RunError::Trainer { found: 1, .. }), "{error}");
    assert_eq!(
        Blueprint::open_with(&dir, LATEST, abstraction()).unwrap().header().reached.iterations,
        300
    );
}

#[test]
fn a_pooled_run_resumes_with_its_pools() {
    let mut config = config();
    config.training.sampling = Sampling::Public;
    config.training.opponent = Opponent::Same;
    config.training.pooling.weight = 4.0;
    let limits = |iterations| Limits { iterations: Some(iterations), ..Limits::default() };
    let [whole, cut] = ["pooled-whole", "pooled-cut"].map(folder);
    let mut run = Run::create(&whole, &config, abstraction()).unwrap();
    run.train(limits(100), Job::default(), &mut |_| ()).unwrap();
    let mut run = Run::create(&cut, &config, abstraction()).unwrap();
    run.train(limits(40), Job::default(), &mut |_| ()).unwrap();
    drop(run);
    let mut run = Run::resume(&cut, &config, abstraction(), Job::default()).unwrap();
    run.train(limits(100), Job::default(), &mut |_| ()).unwrap();
    let files = [whole, cut].map(|dir| Checkpoint::open(dir.join(LATEST.file())).unwrap());
    let [whole, cut] = [0, 1].map(|file| files[file].verify(Job::default()).unwrap());
    assert!(files[0].header().pooled_cells > 0);
    assert_eq!(whole.regrets(), cut.regrets());
    assert_eq!(whole.averages(), cut.averages());
    assert!(whole.adversary().is_none(), "pools are not taken for an adversary");

    let mut config =
        Blueprint::describe(crate_path("tests/compat/push-fold"), LATEST).unwrap().config;
    config.training.pooling.weight = 4.0;
    let error = Run::create(&folder("pooled-blank"), &config, CardModel::Blank).unwrap_err();
    assert!(error.to_string().contains("flop clusters or board textures"), "{error}");
}

#[test]
fn a_run_opens_where_its_abstraction_was_or_moved_with_it() {
    let root = folder("moved");
    copy(&crate_path("../abstraction/tests/compat/v1"), &root.join("here/abstractions/a"));
    let cards = Abstraction::open(root.join("here/abstractions/a")).unwrap();
    drop(trained(&root.join("here/runs/r"), CardModel::Abstraction(Box::new(cards))));
    Blueprint::open(root.join("here/runs/r"), LATEST).unwrap();

    // Moved together: found by the place relative to the run.
    fs::rename(root.join("here"), root.join("there")).unwrap();
    let run = root.join("there/runs/r");
    Blueprint::open(&run, LATEST).unwrap();
    Blueprint::open(run.join(LATEST.file()), LATEST).unwrap();

    // Moved apart: not found, described by what it is, and opened with what is passed.
    fs::rename(root.join("there/abstractions"), root.join("elsewhere")).unwrap();
    let header = Blueprint::describe(&run, LATEST).unwrap();
    match Blueprint::open(&run, LATEST).unwrap_err() {
        BlueprintError::AbstractionNotFound { abstraction, tried } => {
            assert_eq!(header.abstraction, Some(*abstraction));
            assert_eq!(tried.len(), 2);
        }
        error => panic!("{error}"),
    }
    let moved = Abstraction::open(root.join("elsewhere/a")).unwrap();
    let recorded = header.abstraction.unwrap();
    assert_eq!(recorded.plan_hash.as_ref(), Some(&moved.metadata().plan_hash));
    let cards = CardModel::Abstraction(Box::new(moved));
    assert_eq!(Some(&recorded.checksum), cards.checksum().as_ref());
    Blueprint::open_with(&run, LATEST, cards).unwrap();
}

#[test]
fn a_run_opens_with_no_other_abstraction() {
    let dir = folder("other");
    drop(trained(&dir, abstraction()));
    match Blueprint::open_with(&dir, LATEST, CardModel::Blank).unwrap_err() {
        BlueprintError::OtherAbstraction { expected, found } => {
            assert_eq!((expected.as_str(), found.as_str()), ("0040b5598836ac96", "none"));
        }
        error => panic!("{error}"),
    }
    let error = Run::resume(&dir, &config(), CardModel::Blank, Job::default()).unwrap_err();
    assert!(error.to_string().contains("another abstraction"), "{error}");
    let error = Blueprint::open(dir.join("nothing"), LATEST).unwrap_err();
    assert!(matches!(error, BlueprintError::NotFound { .. }), "{error}");
}

#[test]
fn damaged_checkpoints_are_errors_and_never_panics() {
    let file = crate_path("tests/compat/push-fold").join(LATEST.file());
    let bytes = fs::read(file).unwrap();
    let dir = folder("damaged");
    let open = |bytes: &[u8]| {
        fs::write(dir.join(LATEST.file()), bytes).unwrap();
        Blueprint::open(&dir, LATEST).map_err(|error| error.to_string()).and_then(|found| {
            found.verify(Job::default()).map(drop).map_err(|error| error.to_string())
        })
    };
    open(&bytes).unwrap();
    for at in (0..bytes.len()).step_by(41) {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(open(&changed).is_err(), "byte {at}");
        assert!(open(&bytes[..at]).is_err(), "{at} bytes");
    }
    // A header one byte longer, with the checksum that belongs to it: cells would not be aligned.
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap());
    let mut longer = bytes.clone();
    longer.insert(48 + length as usize, b' ');
    longer[12..16].copy_from_slice(&(length + 1).to_le_bytes());
    let hash = blake3::hash(&longer[48..49 + length as usize]);
    longer[16..48].copy_from_slice(hash.as_bytes());
    let message = open(&longer).unwrap_err();
    assert!(message.contains("header is wrong"), "{message}");
    assert!(matches!(
        lethe_blueprint::Checkpoint::open(dir.join("absent")),
        Err(CheckpointError::File(error)) if error.is_missing()
    ));
}

/// A file of the current format with another header, and the checksum that belongs to it.
fn signed(dir: &Path, change: &dyn Fn(&mut Value)) -> Result<Blueprint, BlueprintError> {
    let file = dir.join(LATEST.file());
    let bytes = fs::read(dir.join("sound")).unwrap();
    let header = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let length = u64::from_le_bytes(bytes[16..24].try_into().unwrap()) as usize;
    let mut text = serde_json::from_slice(&bytes[64..64 + header]).unwrap();
    change(&mut text);
    let text = serde_json::to_vec(&text).unwrap();
    let mut out = ContainerWriter::create(&file, lethe_blueprint::MAGIC, 2, text).unwrap();
    out.write_all(&bytes[64 + header..64 + header + length]).unwrap();
    out.finish().unwrap();
    Blueprint::open(dir, LATEST)
}

#[test]
fn impossible_headers_are_refused_whatever_their_checksum() {
    let dir = folder("signed");
    drop(trained(&dir, abstraction()));
    fs::copy(dir.join(LATEST.file()), dir.join("sound")).unwrap();
    signed(&dir, &|_| ()).unwrap();
    for (key, value) in [
        ("cells", json!(0)),
        ("cells", json!(u64::MAX)),
        ("cells", json!(u64::MAX / 4)),
        ("adversary_cells", json!(u64::MAX)),
        ("adversary_cells", json!(1)),
        ("pooled_cells", json!(u64::MAX)),
        ("pooled_cells", json!(1)),
        ("iterations", json!(u64::MAX)),
        ("visits", json!(u64::MAX)),
        ("seconds", json!(-1.0)),
        ("seconds", json!(1e300)),
        ("resumable", json!(false)),
        ("program", json!("\u{1b}[2J")),
        ("cards", json!(null)),
    ] {
        let opened = signed(&dir, &|header| header[key] = value.clone());
        assert!(opened.is_err(), "{key} {value}");
    }
    for buckets in [[0, 0, 0], [usize::MAX; 3], [12, 12, 1 << 40]] {
        assert!(signed(&dir, &|header| header["cards"]["buckets"] = json!(buckets)).is_err());
    }
    // A game whose tree has many more cells than the file, or none at all.
    for stack in [0u64, 1, 1_000_000_000, u64::from(u32::MAX)] {
        let opened = signed(&dir, &|header| header["config"]["game"]["stack"] = json!(stack));
        assert!(opened.is_err(), "{stack}");
    }
}

#[test]
fn every_flipped_bit_is_found_before_a_cell_is_used() {
    let dir = folder("flipped");
    drop(trained(&dir, abstraction()));
    let file = dir.join(LATEST.file());
    let bytes = fs::read(&file).unwrap();
    let node = |blueprint: &Blueprint| blueprint.tree().find("c x / x x / x x /").unwrap();
    let (hole, board) = ("AhKd".parse().unwrap(), "Ks7h4d2c9s".parse().unwrap());
    let sound = Blueprint::open(&dir, LATEST).unwrap();
    let expected = sound.frequencies(node(&sound), hole, &board).unwrap();
    for bit in (0..8 * bytes.len()).step_by(1 + bytes.len() / 64) {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        fs::write(&file, flipped).unwrap();
        let Ok(found) = Blueprint::open(&dir, LATEST) else { continue };
        assert!(found.verify(Job::default()).is_err(), "bit {bit}");
        if let Ok(frequencies) = found.frequencies(node(&found), hole, &board) {
            assert_eq!(frequencies, expected, "bit {bit}");
        }
    }
}

#[test]
fn values_out_of_range_are_named() {
    let message = |change: &dyn Fn(&mut TrainConfig)| {
        let mut config = config();
        change(&mut config);
        config.check().unwrap_err()
    };
    let error = message(&|config| config.training.prune.share = 1.5);
    let expected = "from 0 to 1";
    assert_eq!(
        error,
        TrainConfigError::OutOfRange { key: "training.prune.share", value: 1.5, expected }
    );
    assert_eq!(error.to_string(), "training.prune.share is 1.5; it must be from 0 to 1");
    for change in [
        (|config: &mut TrainConfig| config.training.discount.interval = 0) as fn(&mut TrainConfig),
        |config| config.training.discount.alpha = f64::NAN,
        |config| config.training.discount.gamma = 101.0,
        |config| config.training.prune.below = 1.0,
        |config| config.training.time = f64::INFINITY,
        |config| config.training.evaluate = -1.0,
    ] {
        assert!(matches!(message(&change), TrainConfigError::OutOfRange { .. }));
    }
    assert_eq!(config().check(), Ok(()));
}
