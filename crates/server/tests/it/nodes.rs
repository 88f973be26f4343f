//! The numbers of the API are those of the library.

use lethe_compute::Job;
use lethe_kit::solution::{self, PositionRequest, SolveOptions};
use lethe_solver::Solution;
use serde_json::{Value, json};

use crate::client::{Running, TURN, encoded};

/// Lines to random nodes: actions and cards chosen by a small generator.
fn lines(server: &Running, base: &str, count: usize) -> Vec<String> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let mut lines = vec![String::new()];
    while lines.len() < count {
        let from = lines[next(lines.len())].clone();
        let node = server.get(&format!("{base}/node?line={}", encoded(&from)));
        if node.status != 200 {
            continue;
        }
        let node: Value = node.json();
        let word = match node["actions"].as_array().unwrap() {
            actions if actions.is_empty() => {
                let card = format!(
                    "{}{}",
                    ["3", "8", "T", "J", "A"][next(5)],
                    ["s", "h", "d", "c"][next(4)]
                );
                format!("/ {card}")
            }
            actions => actions[next(actions.len())]["text"].as_str().unwrap().replace(' ', ""),
        };
        let line = format!("{from} {word}").trim().to_owned();
        if server.get(&format!("{base}/node?line={}", encoded(&line))).status == 200 {
            lines.push(line);
        }
    }
    lines
}

/// The spot with the most lines in few boards.
const RIVER: &str = include_str!("../../../../spots/river-srp.yaml");

#[test]
fn a_thousand_nodes_are_those_of_the_library_to_the_last_digit() {
    let server = Running::new();
    for (name, spot, count) in [("river", RIVER, 900), ("turn", TURN, 100)] {
        let job = server.post("/jobs", &json!({"spot": spot, "iterations": 20})).ok()["id"].clone();
        server.wait(&job, &["done"]);
        server.post(&format!("/jobs/{job}/save"), &json!({"name": name})).ok();
        let path = server.data.path().join("solutions").join(name).with_extension("lethe");
        let solution = Solution::open(&path, Job::default()).unwrap();
        let hands = Some("random".parse().unwrap());
        let request = PositionRequest { hands, grid: true, ..Default::default() };
        let (how, job) = (SolveOptions::default(), Job::default());
        let base = format!("/solutions/{name}");
        for line in lines(&server, &base, count) {
            let path = format!("{base}/node?hands=all&grid=true&line={}", encoded(&line));
            let view = solution::view(&solution, &line, &request, &how, job, &mut |_| ());
            let wanted = serde_json::to_string(&view.unwrap()).unwrap();
            assert_eq!(server.get(&path).body, wanted, "{line}");
        }
    }
}
