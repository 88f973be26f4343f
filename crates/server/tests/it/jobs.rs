//! Solves: begun, watched, paused, stopped, saved, locked.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{RIVER, Running, TURN, encoded};

fn solve(server: &Running, body: Value) -> Value {
    let answer = server.post("/jobs", &body);
    assert_eq!(answer.status, 201, "{answer:?}");
    answer.json()["id"].clone()
}

#[test]
fn a_spot_is_solved_browsed_saved_and_opened() {
    let server = Running::new();
    let id = solve(&server, json!({"spot": RIVER, "name": "my river", "target": 0.05}));
    let job = server.wait(&id, &["done"]);
    assert!(job["exploitability_percent"].as_f64().unwrap() <= 0.05);
    assert!(!job["points"].as_array().unwrap().is_empty());
    let bracket = &job["points"][0]["bracket"];
    let last = &job["result"]["bracket"];
    assert!(bracket[0].as_f64() <= last[1].as_f64() && bracket[1].as_f64() >= last[0].as_f64());
    let node = server
        .get(&format!("/jobs/{id}/node?line={}&hands=all&grid=true&classes=true", encoded("x")))
        .ok();
    assert_eq!(node["player"], "ip");
    assert_eq!(node["grid"]["cells"].as_array().unwrap().len(), 169);
    assert_eq!(server.get(&format!("/jobs/{id}/node?line=zzz")).status, 422);
    let saved = server.post(&format!("/jobs/{id}/save"), &json!({"name": "river"}));
    assert_eq!(saved.status, 201, "{saved:?}");
    assert_eq!(server.post(&format!("/jobs/{id}/save"), &json!({"name": "river"})).status, 409);
    let again = json!({"name": "river", "replace": true});
    assert_eq!(server.post(&format!("/jobs/{id}/save"), &again).status, 201);
    let opened = server.get("/solutions/river").ok();
    assert_eq!(opened["result"]["iterations"], job["result"]["iterations"]);
    let same = server.get(&format!("/solutions/river/node?line={}&hands=all", encoded("x"))).ok();
    assert_eq!(same["board"], node["board"]);
    let csv = server.get("/solutions/river/export");
    assert!(csv.status == 200 && csv.body.contains("line,board,player,hand,weight"), "{csv:?}");
    let library = server.get("/library").ok();
    assert_eq!(library["solutions"][0]["name"], "river");
    assert_eq!(library["solutions"][0]["board"], "2s3h4d6c7c");
    assert_eq!(server.send("DELETE", &format!("/api/v1/jobs/{id}"), "", "").status, 204);
    assert_eq!(server.get(&format!("/jobs/{id}")).status, 404);
}

#[test]
fn a_damaged_solution_says_so_and_still_has_its_spot() {
    let server = Running::new();
    let id = solve(&server, json!({"spot": RIVER}));
    server.wait(&id, &["done"]);
    server.post(&format!("/jobs/{id}/save"), &json!({"name": "river"})).ok();
    let path = server.data.path().join("solutions/river.lethe");
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x40;
    std::fs::write(&path, bytes).unwrap();
    let answer = server.get("/solutions/river");
    assert_eq!(answer.status, 500);
    assert!(answer.json()["error"].as_str().unwrap().contains("river.lethe"), "{answer:?}");
    assert_eq!(server.get("/solutions/river/spot").ok()["text"], RIVER);
}

#[test]
fn a_running_solve_is_browsed_paused_resumed_and_stopped_at_once() {
    let server = Running::new();
    let id = solve(&server, json!({"spot": TURN, "iterations": 1_000_000}));
    let path = |what: &str| format!("/jobs/{id}/{what}");
    server.wait(&id, &["running"]);
    // While it runs.
    while server.get(&format!("/jobs/{id}")).ok()["iteration"].as_u64() < Some(2) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let node = server.get(&path("node?line=x&hands=all&grid=true")).ok();
    assert_eq!(node["player"], "ip");
    assert_eq!(server.post(&path("save"), &json!({"name": "x"})).status, 409);
    // Paused.
    server.post(&path("pause"), &json!({})).ok();
    let paused = server.wait(&id, &["paused"]);
    let first = server.get(&path("node?line=x&hands=all")).body;
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(server.get(&path("node?line=x&hands=all")).body, first);
    assert_eq!(server.get(&format!("/jobs/{id}")).ok()["iteration"], paused["iteration"]);
    // Another waits for its turn, and is stopped before it comes.
    let next = solve(&server, json!({"spot": RIVER}));
    assert_eq!(server.get(&format!("/jobs/{next}")).ok()["state"], "queued");
    assert_eq!(server.get(&format!("/jobs/{next}/node")).status, 409);
    assert_eq!(server.post(&format!("/jobs/{next}/stop"), &json!({})).ok()["state"], "stopped");
    server.post(&path("resume"), &json!({})).ok();
    while server.get(&format!("/jobs/{id}")).ok()["iteration"] == paused["iteration"] {
        std::thread::sleep(Duration::from_millis(10));
    }
    let begun = Instant::now();
    let stopped = server.post(&path("stop"), &json!({})).ok();
    // Some 50 ms on an idle machine; this one may be busy.
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    assert_eq!(stopped["state"], "stopped");
    // What was reached stays.
    assert_eq!(server.get(&path("node?line=x")).ok()["player"], "ip");
    assert_eq!(server.post(&path("resume"), &json!({})).status, 409);
}

#[test]
fn events_tell_everything_until_the_end() {
    let server = Running::new();
    let id = solve(&server, json!({"spot": TURN, "iterations": 30}));
    let mut stream = TcpStream::connect(server.address).unwrap();
    let port = server.address.port();
    let ask = format!(
        "GET /api/v1/jobs/{id}/events HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(ask.as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(text.to_lowercase().contains("content-type: text/event-stream"));
    let events: Vec<Value> = text
        .lines()
        .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
        .collect();
    let last = events.last().expect("an event");
    assert_eq!((last["state"].as_str(), last["iteration"].as_u64()), (Some("done"), Some(30)));
    let points: usize = events.iter().map(|event| event["points"].as_array().unwrap().len()).sum();
    let all = server.get(&format!("/jobs/{id}")).ok()["points"].as_array().unwrap().len();
    assert_eq!(points, all);
}

#[test]
fn locks_are_kept_and_change_the_solution() {
    let server = Running::new();
    let id = solve(&server, json!({"spot": RIVER}));
    server.wait(&id, &["done"]);
    let lock = "=AA: check; QQ: bet 50 25%, check";
    let locked = solve(&server, json!({"job": id, "locks": [lock]}));
    let job = server.wait(&locked, &["done"]);
    assert_eq!(job["locks"].as_array().unwrap().len(), 1);
    assert!(job["spot"].as_str().unwrap().contains("locks:"));
    let node = server.get(&format!("/jobs/{locked}/node?hands=QQ")).ok();
    for hand in node["hands"]["hands"].as_array().unwrap() {
        let played: Vec<f64> = hand["actions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|a| a["frequency"].as_f64().unwrap())
            .collect();
        assert!((played[0] - 0.75).abs() < 1e-3 && (played[1] - 0.25).abs() < 1e-3, "{played:?}");
    }
    // Solved again from its own text, the lock is still there; and can be taken away.
    let again = solve(&server, json!({"spot": job["spot"]}));
    assert_eq!(server.wait(&again, &["done"])["locks"], job["locks"]);
    let free = solve(&server, json!({"job": locked, "locks": []}));
    assert_eq!(server.wait(&free, &["done"])["locks"], json!([]));
    assert_eq!(server.post("/jobs", &json!({"job": id, "locks": ["nonsense"]})).status, 422);
}

#[test]
fn the_queue_is_bounded() {
    let server = Running::new();
    let long = solve(&server, json!({"spot": TURN, "iterations": 1_000_000}));
    server.wait(&long, &["running"]);
    for _ in 0..16 {
        solve(&server, json!({"spot": RIVER}));
    }
    assert_eq!(server.post("/jobs", &json!({"spot": RIVER})).status, 429);
    assert_eq!(server.send("DELETE", &format!("/api/v1/jobs/{long}"), "", "").status, 409);
}

#[test]
fn the_end_comes_within_a_second_and_saves_what_was_reached() {
    let server = Running::new();
    let done = solve(&server, json!({"spot": RIVER, "name": "quick one"}));
    server.wait(&done, &["done"]);
    let long = solve(&server, json!({"spot": TURN, "iterations": 1_000_000}));
    server.wait(&long, &["running"]);
    let (saved, time) = server.end();
    assert!(time < Duration::from_secs(1), "{time:?}");
    assert!(saved.iter().any(|path| path.ends_with("quick-one.lethe")), "{saved:?}");
}

#[test]
fn flops_are_swept_stopped_and_resumed() {
    let server = Running::new();
    let spot = "board: Ks7h2d\noop_range: AA,QQ\nip_range: KK,AKs\npot: 100\nstack: 50\n\
                bet_sizes: {flop: {oop: {bet: a}, ip: {bet: a}}}\n";
    let body = json!({"kind": "sweep", "spot": spot, "flops": "Ks7h2d, AhKhQh:2, 2s2h2d", "name": "three", "target": 1.0});
    let id = solve(&server, body);
    server.wait(&id, &["done"]);
    let report = server.get("/sweeps/three").ok();
    assert_eq!((report["total"].as_u64(), report["flops"].as_array().unwrap().len()), (Some(3), 3));
    let rows = report["flops"].as_array().unwrap();
    let mean = rows
        .iter()
        .map(|row| row["weight"].as_f64().unwrap() * row["ev"][0].as_f64().unwrap())
        .sum::<f64>()
        / 4.0;
    assert!((report["mean"]["ev"][0].as_f64().unwrap() - mean).abs() < 1e-9);
    assert!(server.get("/sweeps/three/export").body.contains("flop,weight,"));
    // A damaged flop is solved again, the others are not.
    let dir = server.data.path().join("sweeps/three/units");
    let file = std::fs::read_dir(&dir).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(&file).unwrap().replace("\"weight\"", "\"Weight\"");
    std::fs::write(&file, text).unwrap();
    assert_eq!(server.get("/sweeps/three").ok()["flops"].as_array().unwrap().len(), 2);
    let again = solve(&server, json!({"kind": "sweep", "name": "three"}));
    server.wait(&again, &["done"]);
    let found = server.get("/sweeps/three").ok();
    assert_eq!(found["flops"].as_array().unwrap().len(), 3);
    assert_eq!(server.get("/sweeps/none").status, 404);
}
