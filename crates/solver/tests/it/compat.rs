//! Solutions saved by the first version still open.

use std::path::Path;

use lethe_compute::Job;
use lethe_solver::{Solution, StopReason};

fn open(name: &str) -> Solution {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compat").join(name);
    Solution::open(&path, Job::default()).unwrap()
}

// The numbers are those that the first version showed for these files.

#[test]
fn a_river_saved_by_the_first_version_opens() {
    let solution = open("river.lethe");
    let report = solution.report();
    assert_eq!((report.iterations, report.reason), (200, StopReason::Iterations));
    assert!((report.evaluation.unwrap().ev[0] - 75.0).abs() < 1e-3);
    assert_eq!(report.exploitability, report.evaluation.map(|found| found.exploitability));
    let frequencies = solution.root().frequencies().unwrap();
    assert!((frequencies[1] - 0.75).abs() < 1e-3, "{frequencies:?}");
}

#[test]
fn a_turn_saved_without_its_river_opens() {
    let solution = open("turn.lethe");
    let view = solution.root().view(Job::default()).unwrap();
    assert!((view.ev[0].unwrap() - 23.486_864_725_748_7).abs() < 1e-6, "{view:?}");
    assert!((view.equity[0].unwrap() - 0.388_888_875_643_412_3).abs() < 1e-9, "{view:?}");
    assert_eq!(view.frequencies, solution.root().frequencies());
    assert!(!solution.walk("x x / 2c").unwrap().is_stored());
}
