//! Saved solutions.

use std::path::PathBuf;

use lethe_compute::Job;
use lethe_game::{Player, SpotConfig};
use lethe_solver::{Keep, Options, SaveError, Solution, Stop};

use crate::common::{config, iterated, sizes, spot};

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
    assert!((before.ev[0].unwrap() - after.ev[0].unwrap()).abs() < 4.0, "{before:?} {after:?}");
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
    assert!(Solution::from_bytes(&bytes, Job::default()).is_ok());
    for length in [0, 7, 8, 11, 12, 15, 16, 100, bytes.len() / 2, bytes.len() - 1] {
        assert!(Solution::from_bytes(&bytes[..length], Job::default()).is_err(), "{length}");
    }
    for at in (0..bytes.len()).step_by(bytes.len() / 97) {
        let mut bad = bytes.clone();
        bad[at] ^= 0x5a;
        assert!(Solution::from_bytes(&bad, Job::default()).is_err(), "{at}");
    }
    let mut other = bytes.clone();
    other[8] = 9;
    let error = Solution::from_bytes(&other, Job::default()).unwrap_err();
    assert!(matches!(error, SaveError::Version { expected: 1, got: 9 }), "{error}");
    assert!(matches!(
        Solution::from_bytes(b"something else", Job::default()),
        Err(SaveError::NoSolution)
    ));
    assert!(matches!(Solution::open(&file("absent"), Job::default()), Err(SaveError::Io { .. })));
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
