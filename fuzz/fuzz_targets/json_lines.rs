//! Files of JSON lines: the metrics of a run, the results of the lab, and work in units, as they are and
//! with right checksums.
#![no_main]

use std::fs;

use lethe_blueprint::Metrics;
use lethe_files::{Replace, Units, Work, append_line, write_line};
use lethe_fuzz::{refused, scratch};
use lethe_kit::sweep::Sweep;
use lethe_lab::{Betting, Outline, RESULTS, Results};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let dir = scratch();
    let (metrics, results) = (dir.join(Metrics::FILE), dir.join(RESULTS));
    fs::write(&metrics, input).expect("scratch");
    fs::write(&results, input).expect("scratch");
    open();
    let Ok(text) = str::from_utf8(input) else { return };
    let objects = text.lines().filter(|line| line.len() > 2 && line.ends_with('}'));
    let objects: Vec<&str> = objects.filter(|line| !line.contains('\r')).take(20).collect();
    for path in [&metrics, &results] {
        fs::write(path, "").expect("scratch");
        for object in &objects {
            append_line(path, object).expect("scratch");
        }
    }
    open();
    // Work, and a unit of it.
    for path in [dir.join(Work::FILE), dir.join("units/a.json")] {
        fs::create_dir_all(dir.join("units")).expect("scratch");
        match objects.first() {
            Some(object) => write_line(&path, object).expect("scratch"),
            None => fs::write(&path, input).expect("scratch"),
        }
    }
    work();
    fs::remove_file(dir.join(Work::FILE)).expect("scratch");
});

fn work() {
    let dirs = [scratch().to_owned()];
    match Units::open(&dirs) {
        Ok(units) => {
            if let Err(error) = units.get::<f64>("a", &1) {
                refused(&error);
            }
        }
        Err(error) => refused(&error),
    }
    if let Err(error) = Results::merge(&dirs) {
        refused(&error);
    }
    match Sweep::merge(&dirs).and_then(|sweep| sweep.view()) {
        Ok(view) => assert!(view.flops.len() <= view.total),
        Err(error) => refused(&error),
    }
    if let Err(error) = Units::files(&dirs[0]) {
        refused(&error);
    }
}

fn open() {
    let dir = scratch();
    match Metrics::read(dir) {
        Ok(points) => {
            let rising = points.is_sorted_by(|a, b| a.seconds < b.seconds);
            assert!(rising, "points in the order of time");
        }
        Err(error) => refused(&error),
    }
    let (boards, cells) = (Vec::new(), Vec::new());
    let outline = Outline { boards, betting: Betting::default(), iterations: 1, seeds: 1, cells };
    match Results::open(dir, &outline, Replace::Allowed) {
        Ok(results) => assert_eq!(results.is_empty(), results.len() == 0),
        Err(error) => refused(&error),
    }
}
