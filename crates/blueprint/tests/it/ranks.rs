//! Runs that several ranks train: one directory, one checkpoint format.

use std::fs;
use std::path::{Path, PathBuf};

use lethe_abstraction::Abstraction;
use lethe_blueprint::{
    CardModel, Checkpoint, CheckpointKind, Limits, Metrics, Run, RunError, TrainConfig,
};
use lethe_collective::{Collective, Lost, Mismatch, Threads};
use lethe_compute::{Job, Pool};

const CONFIG: &str = r#"{
    "game": {"stack": 1000, "small_blind": 50, "big_blind": 100, "bet_sizes": {
        "preflop": {"sb": {"raise": "a"}}, "flop": {"ip": {"bet": "100%"}},
        "river": {"oop": {"bet": "a"}}}},
    "training": {"sampling": "external", "batch": 100, "checkpoint": 0.05,
        "discount": {"interval": 350}}}"#;

fn config() -> TrainConfig {
    serde_json::from_str(CONFIG).unwrap()
}

fn cards() -> CardModel {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../abstraction/tests/compat/v1");
    CardModel::Abstraction(Box::new(Abstraction::open(path).unwrap()))
}

fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("ranks-{name}"));
    let _ = fs::remove_dir_all(&dir);
    dir
}

/// Trains a run on one rank of several.
fn train(
    rank: &dyn Collective,
    dir: &Path,
    config: &TrainConfig,
    iterations: u64,
) -> Result<(), RunError> {
    let pool = Pool::new(1 + rank.rank() % 2).unwrap();
    let job = Job::new(&pool);
    let mut run = match rank.rank() {
        0 => Run::resume(dir, config, cards(), job)?,
        _ => Run::follow(dir, config, cards())?,
    };
    let limits = Limits { seconds: None, iterations: Some(iterations) };
    run.train_with(rank, limits, job, &mut |_| ())
}

fn cells(dir: &Path) -> (Vec<u32>, Vec<i32>, String) {
    let checkpoint = Checkpoint::open(dir.join(CheckpointKind::Latest.file())).unwrap();
    let cells = checkpoint.verify(Job::default()).unwrap();
    let reached = format!("{:?}", checkpoint.header().reached);
    (cells.averages().to_vec(), cells.regrets().unwrap().to_vec(), reached)
}

#[test]
fn a_run_on_changing_numbers_of_ranks_is_the_run_of_one() {
    let (alone, together) = (folder("alone"), folder("together"));
    train(&lethe_collective::Solo, &alone, &config(), 2000).unwrap();
    for (ranks, end) in [(4, 400), (1, 900), (3, 1500), (8, 2000)] {
        let ended = Threads::run(ranks, |rank| train(rank, &together, &config(), end));
        ended.into_iter().for_each(|ended| ended.unwrap());
    }
    assert!(cells(&alone) == cells(&together));
    let points = Metrics::read(&together).unwrap();
    let exchanges: Vec<_> = points.iter().filter_map(|point| point.exchange).collect();
    assert!(exchanges.iter().any(|found| found.ranks == 8 && found.batches > 0));
    assert!(exchanges.iter().all(|found| found.bytes_per_batch > 0.0));
    assert!(Metrics::read(&alone).unwrap().iter().all(|point| point.exchange.is_none()));
}

#[test]
fn ranks_that_were_not_started_alike_are_refused() {
    let dir = folder("refused");
    let mut other = config();
    other.training.seed = 7;
    for (what, config_of) in [("configuration", other), ("limit of iterations", config())] {
        let ended = Threads::run(3, |rank| match rank.rank() {
            2 => train(rank, &dir, &config_of, 200),
            _ => train(rank, &dir, &config(), 100),
        });
        for ended in ended {
            let text = ended.unwrap_err().to_string();
            assert!(text.starts_with(&format!("rank 2 has another {what}: expected")), "{text}");
        }
    }
    assert!(!dir.join(CheckpointKind::Latest.file()).exists(), "nothing was trained");
}

#[test]
fn a_rank_that_ends_costs_the_work_since_the_last_checkpoint() {
    let (alone, together) = (folder("whole"), folder("lost"));
    train(&lethe_collective::Solo, &alone, &config(), 1500).unwrap();
    Threads::run(2, |rank| train(rank, &together, &config(), 500).unwrap());
    let before = cells(&together);
    // The other rank ends before the first batch.
    let ended = Threads::run(2, |rank| match rank.rank() {
        0 => Some(train(rank, &together, &config(), 1500)),
        _ => None,
    });
    match ended.into_iter().next().flatten() {
        Some(Err(RunError::Mismatch(Mismatch::Lost(Lost { rank: 1 })))) => {}
        ended => panic!("{ended:?}"),
    }
    assert!(before == cells(&together));
    Threads::run(3, |rank| train(rank, &together, &config(), 1500).unwrap());
    assert!(cells(&alone) == cells(&together));
}
