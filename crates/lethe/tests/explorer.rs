//! The explorer and the command show the same numbers.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The command with these arguments.
fn lethe(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lethe"));
    command.args(args);
    command
}

/// `lethe serve` with a data directory.
struct Serving {
    child: Child,
    host: String,
}

impl Serving {
    fn start(data: &Path) -> Serving {
        let mut command = lethe(&["serve", "--port", "0", "--no-open", "--data"]);
        let mut child = command.arg(data).stdout(Stdio::piped()).spawn().unwrap();
        let mut first = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut first).unwrap();
        let (_, host) = first.split_once("http://").expect("the address is printed");
        let host = host.trim().trim_end_matches('/').to_owned();
        Serving { child, host }
    }

    /// The status and body of an answer.
    fn send(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let (host, length) = (&self.host, body.len());
        let head = format!(
            "{method} /api/v1{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    fn json(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, answer) = self.send(method, path, &body.to_string());
        assert!((200..300).contains(&status), "{method} {path}: {answer}");
        serde_json::from_str(&answer).unwrap()
    }

    /// A node, if there is one.
    fn node(&self, name: &str, line: &str) -> Option<String> {
        let line: String = line.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let path = format!("/solutions/{name}/node?hands=all&grid=true&line={line}");
        let (status, body) = self.send("GET", &path, "");
        (status == 200).then_some(body)
    }

    /// Solves an example and saves it.
    fn solve(&self, example: &str, name: &str) {
        let job = self.json("POST", "/jobs", &json!({"library": example, "iterations": 20}));
        let id = &job["id"];
        let begun = Instant::now();
        while self.json("GET", &format!("/jobs/{id}"), &json!(null))["state"] != "done" {
            assert!(begun.elapsed() < Duration::from_secs(300), "{example} takes too long");
            std::thread::sleep(Duration::from_millis(20));
        }
        self.json("POST", &format!("/jobs/{id}/save"), &json!({"name": name}));
    }

    /// Lines to random nodes and what the API says there: actions and cards chosen by a small generator.
    fn walk(&self, name: &str, count: usize) -> Vec<(String, String)> {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = move |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % below as u64) as usize
        };
        let mut found = vec![(String::new(), self.node(name, "").unwrap())];
        while found.len() < count {
            let (from, node) = &found[next(found.len())];
            let node: Value = serde_json::from_str(node).unwrap();
            let word = match node["actions"].as_array().unwrap() {
                actions if actions.is_empty() => {
                    let ranks = ["3", "8", "T", "J", "A"];
                    format!("/ {}{}", ranks[next(5)], ["s", "h", "d", "c"][next(4)])
                }
                actions => actions[next(actions.len())]["text"].as_str().unwrap().replace(' ', ""),
            };
            let line = format!("{from} {word}").trim().to_owned();
            if let Some(node) = self.node(name, &line) {
                found.push((line, node));
            }
        }
        found
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_thousand_nodes_of_the_api_are_what_the_command_prints() {
    let data = tempfile::tempdir().unwrap();
    let server = Serving::start(data.path());
    for (example, name, count) in [("@river-srp", "river", 900), ("@srp-turn", "turn", 100)] {
        server.solve(example, name);
        let nodes = server.walk(name, count);
        let mut command = lethe(&["show", name, "-", "--json", "--hand", "random", "--grid"]);
        let command = command.arg("--data").arg(data.path());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = child.stdin.take().unwrap();
        let input: String = nodes.iter().map(|(line, _)| format!("{line}\n")).collect();
        let writer = std::thread::spawn(move || lines.write_all(input.as_bytes()).unwrap());
        let mut printed = BufReader::new(child.stdout.take().unwrap()).lines();
        for (line, node) in &nodes {
            assert_eq!(&printed.next().expect("a line for each").unwrap(), node, "{name}: {line}");
        }
        writer.join().unwrap();
        assert!(printed.next().is_none() && child.wait().unwrap().success());
    }
}
