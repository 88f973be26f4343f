//! Artifacts of every format version there was must open, and say what they said.

use std::path::{Path, PathBuf};

use lethe_abstraction::Abstraction;
use lethe_abstraction::artifact::verify;
use lethe_cards::{Board, Hole, Street};
use lethe_compute::Job;

use crate::sample::{BUCKETS, SMALL};

fn version_1() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compat/v1")
}

#[test]
fn a_version_1_artifact_opens() {
    let abstraction = Abstraction::open(version_1()).unwrap();
    verify(&version_1(), Job::default()).unwrap();
    assert_eq!(abstraction.metadata().format, 1);
    assert_eq!(abstraction.metadata().plan_hash, "ba44972b");
    assert_eq!(abstraction.plan(), &SMALL.plan);
    // Built by older algorithms, and so not taken for what the plan would give today.
    assert_eq!(abstraction.metadata().algorithm, 1);
    assert_eq!(SMALL.plan.hash_by(1), "ba44972b");
    assert_ne!(SMALL.plan.hash(), "ba44972b");
    assert_eq!(SMALL.plan.name(), format!("F4T4R4-C3C3C3-s100-texture-{}", SMALL.plan.hash()));
    for street in Street::POSTFLOP {
        assert_eq!(abstraction.buckets(street), BUCKETS);
        assert_eq!(abstraction.report(street).unwrap().sizes.len(), BUCKETS);
    }
    let found = QUESTIONS.map(|(hole, board, _)| {
        let (hole, board) = (hole.parse::<Hole>().unwrap(), board.parse::<Board>().unwrap());
        abstraction.lookup(hole, &board).unwrap().map(|found| (found.bucket, found.fallback))
    });
    assert_eq!(found, QUESTIONS.map(|(_, _, answer)| Some(answer)));
}

/// Situations with the bucket and the fallback that were stored for them, as a reader in Python that
/// follows `docs/artifact.md` finds them.
const QUESTIONS: [(&str, &str, (u32, bool)); 16] = [
    ("2d2c", "Th9h8c", (1, true)),
    ("9d2c", "Th9h8c", (3, false)),
    ("2d2c", "AhKhQs", (9, true)),
    ("As2c", "AhKhQs", (11, false)),
    ("2h2d", "2c3d4h", (1, true)),
    ("9c2d", "2c3d4h", (3, false)),
    ("2h2c", "Th9h8c2d", (1, true)),
    ("9d2c", "Th9h8c2d", (3, false)),
    ("2d2c", "AsAdKc3c", (9, true)),
    ("9c3h", "AsAdKc3c", (11, false)),
    ("2h2c", "Th9h8c2d3s", (1, true)),
    ("9s2c", "Th9h8c2d3s", (3, false)),
    ("2s2h", "2c2d7h7s9c", (1, true)),
    ("5h4c", "2c2d7h7s9c", (0, false)),
    ("2d2c", "AcKcQcJc9d", (9, true)),
    ("Ad2h", "AcKcQcJc9d", (11, false)),
];

/// Wrote the artifact once; to be run only for a new format version.
#[test]
#[ignore = "writes the artifact that the other test reads"]
fn write_the_artifact_to_keep() {
    let root = tempfile::tempdir().unwrap();
    let dir = SMALL.write(root.path(), false);
    std::fs::create_dir_all(version_1()).unwrap();
    for entry in std::fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), version_1().join(entry.file_name())).unwrap();
    }
}
