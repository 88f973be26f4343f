//! Saved solutions.

use std::io::Write;
use std::path::PathBuf;

use lethe_compute::Job;
use lethe_files::ContainerWriter;
use lethe_game::{Player, SpotConfig};
use lethe_solver::{Keep, Options, SaveError, Solution, Stop};

use serde_json::json;

use crate::common::{self, config, iterated, sizes, spot};

fn tree() -> SpotConfig {
    config(100, 200, sizes("75%", "a"))
}

fn solved() -> Solution {
    let spot = spot("2s3h4d6c", "AA,QQ,T9s:0.5", "KK,88,AKs", &tree());
    iterated(spot, Options::default(), 60).0.into_solution()
}

fn file(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("lethe-solver-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    dir.join(name)
}

#[test]
fn a_saved_solution_reopens_as_it_was() {
    let solution = solved();
    let path = file("whole.solution");
    solution.save(&path, &tree(), Keep::Everything, Job::default()).unwrap();
    let opened = Solution::open(&path, Job::default()).unwrap();
    assert_eq!(opened.report(), solution.report());
    for line in ["", "x", "b75 c / Th", "x x / 9s b75"] {
        let (a, b) = (solution.walk(line).unwrap(), opened.walk(line).unwrap());
        for player in Player::BOTH {
            for (a, b) in a
                .hands(player, Job::default())
                .unwrap()
                .into_iter()
                .zip(b.hands(player, Job::default()).unwrap())
            {
                assert_eq!(a.hole, b.hole);
                assert!((a.ev.unwrap_or(0.0) - b.ev.unwrap_or(0.0)).abs() < 0.05, "{a:?} {b:?}");
                assert_eq!(a.equity.is_some(), b.equity.is_some());
            }
        }
    }
    let left: Vec<_> = std::fs::read_dir(path.parent().unwrap()).unwrap().collect();
    let parts = left
        .iter()
        .filter(|f| f.as_ref().unwrap().file_name().to_string_lossy().contains("whole.solution."));
    assert_eq!(parts.count(), 0);
}

#[test]
fn a_river_left_out_is_solved_again() {
    let solution = solved();
    let (whole, small) = (file("a.solution"), file("b.solution"));
    solution.save(&whole, &tree(), Keep::Everything, Job::default()).unwrap();
    solution.save(&small, &tree(), Keep::ThroughTurn, Job::default()).unwrap();
    let size = |path: &PathBuf| std::fs::metadata(path).unwrap().len();
    assert!(size(&small) * 3 < size(&whole), "{} {}", size(&small), size(&whole));
    let opened = Solution::open(&small, Job::default()).unwrap();
    // The turn has its values still.
    for line in ["", "x", "b75", "x b75"] {
        let (a, b) = (
            solution.walk(line).unwrap().view(Job::default()).unwrap(),
            opened.walk(line).unwrap().view(Job::default()).unwrap(),
        );
        assert!((a.ev[0].unwrap() - b.ev[0].unwrap()).abs() < 0.05, "{line} {a:?} {b:?}");
    }
    let river = opened.walk("x x / Th").unwrap();
    assert!(!river.is_stored());
    assert!(
        river
            .hands(Player::Oop, Job::default())
            .unwrap()
            .iter()
            .all(|h| h.ev.is_none() && h.frequencies.is_none())
    );
    let stop = Stop { iterations: Some(300), ..Stop::default() };
    let again = river.resolve(Options::default(), &stop, Job::default(), &mut |_| ()).unwrap();
    let before = solution.walk("x x / Th").unwrap().view(Job::default()).unwrap();
    let after = again.root().view(Job::default()).unwrap();
    // Of a pot of 100; they differ by 0.012.
    assert!((before.ev[0].unwrap() - after.ev[0].unwrap()).abs() < 0.05, "{before:?} {after:?}");
    // After an all-in there is nothing to solve.
    let run_out = opened.walk("b75 r200 c / Th").unwrap();
    assert!(run_out.is_stored());
    let there = solution.walk("b75 r200 c / Th").unwrap().view(Job::default()).unwrap();
    assert!(
        (run_out.view(Job::default()).unwrap().ev[0].unwrap() - there.ev[0].unwrap()).abs() < 0.2
    );
}

#[test]
fn damaged_files_are_errors_and_never_panics() {
    let path = file("damaged.solution");
    solved().save(&path, &tree(), Keep::ThroughTurn, Job::default()).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let open = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        Solution::open(&path, Job::default())
    };
    assert!(open(&bytes).is_ok());
    for length in [0, 7, 8, 11, 12, 15, 16, 100, bytes.len() / 2, bytes.len() - 1] {
        assert!(open(&bytes[..length]).is_err(), "{length}");
    }
    for at in (0..bytes.len()).step_by(bytes.len() / 97) {
        let mut bad = bytes.clone();
        bad[at] ^= 0x5a;
        assert!(open(&bad).is_err(), "{at}");
    }
    let mut other = bytes.clone();
    other[8] = 9;
    let error = open(&other).unwrap_err();
    assert!(matches!(error, SaveError::Version { expected: 2, got: 9 }), "{error}");
    assert!(matches!(open(b"something else"), Err(SaveError::NoSolution)));
    assert!(matches!(Solution::open(&file("absent"), Job::default()), Err(SaveError::File(_))));
}

#[test]
fn files_of_the_first_version_are_checked_too() {
    let kept = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compat/river.lethe");
    let bytes = std::fs::read(kept).unwrap();
    let path = file("first.solution");
    for at in (0..bytes.len()).step_by(bytes.len() / 97) {
        let mut bad = bytes.clone();
        bad[at] ^= 1;
        std::fs::write(&path, bad).unwrap();
        assert!(Solution::open(&path, Job::default()).is_err(), "{at}");
    }
}

/// A solution file with another header or other data, and the checksums that belong to them.
fn signed(bytes: &[u8], change: impl Fn(&mut serde_json::Value, &mut Vec<u8>)) -> PathBuf {
    let header = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let length = u64::from_le_bytes(bytes[16..24].try_into().unwrap()) as usize;
    let mut text = serde_json::from_slice(&bytes[64..64 + header]).unwrap();
    let mut data = bytes[64 + header..64 + header + length].to_vec();
    change(&mut text, &mut data);
    let path = file("signed.solution");
    let text = serde_json::to_vec(&text).unwrap();
    let mut out = ContainerWriter::create(&path, lethe_solver::MAGIC, 2, text).unwrap();
    out.write_all(&data).unwrap();
    out.finish().unwrap();
    path
}

#[test]
fn impossible_contents_are_refused_whatever_their_checksum() {
    let path = file("sound.solution");
    solved().save(&path, &tree(), Keep::ThroughTurn, Job::default()).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let open = |change: &dyn Fn(&mut serde_json::Value, &mut Vec<u8>)| {
        Solution::open(&signed(&bytes, change), Job::default())
    };
    assert!(open(&|_, _| ()).is_ok());
    let header = |key: &'static str, value: serde_json::Value| {
        let message = open(&|header, _| header[key] = value.clone()).map(drop);
        assert!(message.is_err(), "{key} {value}");
    };
    for (key, value) in [
        ("nodes", json!(u32::MAX)),
        ("nodes", json!(0)),
        ("start", json!(u32::MAX)),
        ("board", json!("2s3h4d6c7c8c")),
        ("board", json!("2s3h4d")),
        ("street", json!("preflop")),
        ("symmetry", json!([9, 9, 9, 9])),
        ("symmetry", json!([0, 0, 0, 0])),
        ("seconds", json!(-1)),
        ("seconds", json!(1e300)),
        ("iterations", json!(u64::MAX)),
        ("keep", json!("everything")),
        ("locks", json!([{"node": 4_000_000_000u32, "dealt": [], "range": [1.0], "hands": null}])),
    ] {
        header(key, value);
    }
    // A tree of many millions of nodes in a file of a few kilobytes.
    let huge = open(&|header, _| {
        let sizes: Vec<String> = (1..60).map(|size| format!("{size}%")).collect();
        let betting = config(100, 100_000, common::sizes(&sizes.join(", "), "50%, 100%, 200%"));
        header["betting"] = serde_json::to_value(betting).unwrap();
    });
    assert!(huge.is_err());
    let data = |change: &dyn Fn(&mut Vec<u8>)| {
        assert!(open(&|_, data| change(data)).is_err());
    };
    let ranges = 2 * 1326 * 4;
    data(&|data| data.truncate(ranges));
    data(&|data| data.push(0));
    data(&|data| data[..4].copy_from_slice(&f32::NAN.to_le_bytes()));
    data(&|data| data[..ranges].fill(0));
    for scale in [f32::NAN, f32::INFINITY, -1.0, 1e30] {
        data(&|data| data[ranges..ranges + 4].copy_from_slice(&scale.to_le_bytes()));
    }
    data(&|data| {
        let last = data.len() - 4;
        data[last..].copy_from_slice(&f32::NAN.to_le_bytes());
    });
}

#[test]
fn a_solution_is_not_saved_with_another_betting() {
    let error = solved().save(
        &file("x"),
        &config(100, 200, sizes("50%", "a")),
        Keep::Everything,
        Job::default(),
    );
    assert!(matches!(error, Err(SaveError::OtherBetting)));
}
