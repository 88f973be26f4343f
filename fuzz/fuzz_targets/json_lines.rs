//! Files of JSON lines: the metrics of a run and the results of the lab, as they are and with right
//! checksums.
#![no_main]

use std::fs;

use lethe_blueprint::Metrics;
use lethe_files::append_line;
use lethe_fuzz::{refused, scratch};
use lethe_lab::{RESULTS, Results};
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
});

fn open() {
    let dir = scratch();
    match Metrics::read(dir) {
        Ok(points) => {
            let rising = points.is_sorted_by(|a, b| a.seconds < b.seconds);
            assert!(rising, "points in the order of time");
        }
        Err(error) => refused(&error),
    }
    match Results::open(dir) {
        Ok(results) => assert_eq!(results.is_empty(), results.len() == 0),
        Err(error) => refused(&error),
    }
}
