//! A server in this process, and the plainest client there is.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use lethe_abstraction::Abstraction;
use lethe_blueprint::{CardModel, Limits, Run, TrainConfig, Training};
use lethe_compute::Job;
use lethe_kit::data::DataDir;
use lethe_server::{Config, Server};
use serde_json::Value;

/// A server with an empty data directory of its own.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) url: String,
    pub(crate) data: tempfile::TempDir,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<Vec<PathBuf>>>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }

    /// The value of a success.
    pub(crate) fn ok(&self) -> Value {
        assert!((200..300).contains(&self.status), "{self:?}");
        self.json()
    }
}

impl Running {
    pub(crate) fn new() -> Running {
        Running::on(Ipv4Addr::LOCALHOST)
    }

    pub(crate) fn on(host: Ipv4Addr) -> Running {
        let data = tempfile::tempdir().unwrap();
        let config = Config {
            host: host.into(),
            port: 0,
            data: DataDir::locate(Some(data.path())),
            threads: 2,
        };
        let server = Server::bind(config).unwrap();
        let (address, url) = (server.address(), server.url());
        let over = Arc::new(AtomicBool::new(false));
        let flag = over.clone();
        let thread = std::thread::spawn(move || server.run(|| flag.load(Ordering::Relaxed)));
        Running { address, url, data, over, thread: Some(thread) }
    }

    /// One with the abstraction and run `small`, the latter with its values.
    pub(crate) fn with_blueprint() -> Running {
        let server = Running::new();
        let data = server.data.path();
        let cards = data.join("abstractions/small");
        std::fs::create_dir_all(&cards).unwrap();
        let stored = concat!(env!("CARGO_MANIFEST_DIR"), "/../abstraction/tests/compat/v1");
        for file in std::fs::read_dir(stored).unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), cards.join(file.file_name())).unwrap();
        }
        let config = TrainConfig {
            game: serde_json::from_str(GAME).unwrap(),
            abstraction: Some("small".to_owned()),
            training: Training { evaluate_flops: 4, ..Training::default() },
        };
        let cards = CardModel::Abstraction(Box::new(Abstraction::open(&cards).unwrap()));
        let mut run = Run::create(&data.join("runs/small"), &config, cards).unwrap();
        let limits = Limits { iterations: Some(1), ..Limits::default() };
        run.train(limits, Job::default(), &mut |_| ()).unwrap();
        run.store_values(Job::default()).unwrap();
        server
    }

    fn local(&self) -> SocketAddr {
        SocketAddr::from((Ipv4Addr::LOCALHOST, self.address.port()))
    }

    /// Ends the server; what it saved, and how long that took.
    pub(crate) fn end(mut self) -> (Vec<PathBuf>, Duration) {
        let begun = Instant::now();
        self.over.store(true, Ordering::Relaxed);
        let saved = self.thread.take().unwrap().join().unwrap();
        (saved, begun.elapsed())
    }

    /// Sends bytes and reads the answer.
    pub(crate) fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.local()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        // A server that refuses a body need not read it.
        let _ = stream.write_all(request);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        Answer { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    /// The status of an answer that may not end.
    pub(crate) fn status(&self, path: &str) -> u16 {
        let mut stream = TcpStream::connect(self.local()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let port = self.address.port();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n").unwrap();
        let mut head = [0; 12];
        stream.read_exact(&mut head).unwrap();
        String::from_utf8_lossy(&head)[9..].parse().unwrap()
    }

    /// A request with these headers.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        let names_host = headers.lines().any(|line| line.to_lowercase().starts_with("host:"));
        let host = if names_host {
            String::new()
        } else {
            format!("Host: localhost:{}\r\n", self.address.port())
        };
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\n{host}{headers}Connection: close\r\nContent-Length: {length}\r\n\r\n"
        );
        self.raw(format!("{head}{body}").as_bytes())
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", &format!("/api/v1{path}"), "", "")
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", &format!("/api/v1{path}"), "", &body.to_string())
    }

    /// Waits for a job to get into one of these states.
    pub(crate) fn wait(&self, id: &Value, states: &[&str]) -> Value {
        let begun = Instant::now();
        loop {
            let job = self.get(&format!("/jobs/{id}")).ok();
            if states.contains(&job["state"].as_str().unwrap()) {
                return job;
            }
            assert!(begun.elapsed() < Duration::from_secs(120), "{job}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Ten big blinds, a size on each street, and all-ins.
const GAME: &str = r#"{"stack":1000,"small_blind":50,"big_blind":100,"bet_sizes":{
    "preflop":{"sb":{"raise":"2.5x, a"},"bb":{"raise":"a"}},
    "flop":{"oop":{"bet":"50%","raise":"a"},"ip":{"bet":"50%","raise":"a"}},
    "turn":{"oop":{"bet":"75%"},"ip":{"bet":"75%"}},
    "river":{"oop":{"bet":"75%"},"ip":{"bet":"75%"}}}}"#;

/// A line in an address.
pub(crate) fn encoded(line: &str) -> String {
    line.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// A river that is solved in a moment.
pub(crate) const RIVER: &str = "board: 2s3h4d6c7c\noop_range: AA,QQ,J9s\nip_range: KK,TT\npot: 100\nstack: 100\n\
                                bet_sizes: {river: {oop: {bet: \"50%, a\"}, ip: {bet: a}}}\n";

/// A turn that takes seconds.
pub(crate) const TURN: &str = include_str!("../../../../spots/srp-turn.yaml");
