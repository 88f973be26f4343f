//! Requests that must not get through, and those that must not do harm.

use std::io::Write;
use std::net::{Ipv4Addr, TcpStream};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::Running;

#[test]
fn a_host_that_is_not_this_server_is_refused() {
    let server = Running::new();
    let port = server.address.port();
    for host in ["evil.example", "localhost", "localhost:1", "127.0.0.1.evil.example", "", "a:b:c"]
    {
        let answer = server.send("GET", "/api/v1/library", &format!("Host: {host}\r\n"), "");
        assert!([400, 403].contains(&answer.status), "{host}: {answer:?}");
        assert!(!answer.body.contains("solutions"), "{host}");
        let page = server.send("GET", "/", &format!("Host: {host}\r\n"), "");
        assert_eq!(page.status, answer.status, "{host}");
    }
    // A rebound page: its own name resolves to this machine.
    let rebound =
        format!("Host: rebound.example:{port}\r\nOrigin: http://rebound.example:{port}\r\n");
    assert_eq!(server.send("POST", "/api/v1/range/parse", &rebound, "{}").status, 403);
    for host in ["localhost", "LOCALHOST", "127.0.0.1", "[::1]"] {
        let answer = server.send("GET", "/api/v1/server", &format!("Host: {host}:{port}\r\n"), "");
        assert_eq!(answer.status, 200, "{host}");
    }
    let twice = format!("Host: localhost:{port}\r\nHost: evil.example\r\n");
    assert!([400, 403].contains(&server.send("GET", "/api/v1/server", &twice, "").status));
}

#[test]
fn a_request_from_another_site_is_refused_and_a_script_is_not() {
    let server = Running::new();
    let port = server.address.port();
    let body = json!({"text": "AA"}).to_string();
    let send = |headers: &str| server.send("POST", "/api/v1/range/parse", headers, &body).status;
    assert_eq!(send(""), 200);
    assert_eq!(
        send(&format!("Origin: http://localhost:{port}\r\nSec-Fetch-Site: same-origin\r\n")),
        200
    );
    for headers in [
        "Origin: http://evil.example\r\n".to_owned(),
        "Origin: null\r\n".to_owned(),
        format!("Origin: https://localhost:{port}\r\n"),
        format!("Origin: http://localhost:{}\r\n", port ^ 1),
        "Sec-Fetch-Site: cross-site\r\n".to_owned(),
        "Sec-Fetch-Site: same-site\r\n".to_owned(),
        format!("Origin: http://localhost:{port}\r\nSec-Fetch-Site: cross-site\r\n"),
    ] {
        assert_eq!(send(&headers), 403, "{headers}");
    }
    // A form of another site.
    let form = "Origin: http://evil.example\r\nContent-Type: text/plain\r\n";
    assert_eq!(server.send("POST", "/api/v1/jobs", form, "{}").status, 403);
    assert_eq!(
        server.send("DELETE", "/api/v1/spots/x", "Origin: http://evil.example\r\n", "").status,
        403
    );
    assert_eq!(
        server.send("PUT", "/api/v1/spots/x", "Origin: http://evil.example\r\n", "").status,
        403
    );
}

#[test]
fn every_answer_has_the_policy() {
    let server = Running::new();
    for path in ["/", "/app.js", "/spot", "/api/v1/library", "/api/v1/nothing", "/missing.png"] {
        let answer = server.send("GET", path, "", "");
        assert!(answer.head.contains("content-security-policy: default-src 'none';"), "{path}");
        assert!(answer.head.contains("x-content-type-options: nosniff"), "{path}");
    }
    assert_eq!(server.send("GET", "/missing.png", "", "").status, 404);
    assert_eq!(server.send("GET", "/api/v1/nothing", "", "").status, 404);
}

#[test]
fn a_body_that_is_too_large_gets_413() {
    let server = Running::new();
    let large = json!({"text": "A".repeat(300_000)}).to_string();
    for path in ["/range/parse", "/spots/check", "/jobs"] {
        assert_eq!(server.post(path, &json!({"text": "A".repeat(300_000)})).status, 413, "{path}");
    }
    let chunked = format!(
        "POST /api/v1/range/parse HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n\
         Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{large}\r\n0\r\n\r\n",
        server.address.port(),
        large.len()
    );
    assert_eq!(server.raw(chunked.as_bytes()).status, 413);
    let long_but_fine = json!({"text": format!("{}AA", " ".repeat(200_000))});
    assert_eq!(server.post("/range/parse", &long_but_fine).status, 200);
}

#[test]
fn names_are_never_paths() {
    let server = Running::new();
    let secret = server.data.path().join("secret.yaml");
    std::fs::write(&secret, "hidden words").unwrap();
    std::fs::create_dir_all(server.data.path().join("spots")).unwrap();
    for id in [
        "../secret",
        "..%2Fsecret",
        "..%2fsecret",
        "%2e%2e%2fsecret",
        "..%252Fsecret",
        "..%5Csecret",
        "%2Fetc%2Fpasswd",
        "....%2F%2Fsecret",
        "secret%00",
        "..",
        ".",
        "%ff",
    ] {
        for noun in ["spots", "solutions", "blueprints", "abstractions", "sweeps", "jobs", "play"] {
            let answer = server.get(&format!("/{noun}/{id}"));
            assert!([400, 404].contains(&answer.status), "{noun}/{id}: {answer:?}");
            assert!(answer.json()["error"].is_string(), "{noun}/{id}: {answer:?}");
            assert!(!answer.body.contains("hidden words"), "{noun}/{id}");
        }
        let put = server.send(
            "PUT",
            &format!("/api/v1/spots/{id}"),
            "",
            &json!({"text": crate::client::RIVER}).to_string(),
        );
        assert!([400, 404, 405, 422].contains(&put.status), "{id}: {put:?}");
    }
    for name in ["../x", "/tmp/x", "a/b", "", "a b", "é", &"x".repeat(65)] {
        let job = json!({"kind": "sweep", "name": name, "spot": "x", "flops": "1"});
        assert!([400, 422].contains(&server.post("/jobs", &job).status), "{name}");
    }
    assert_eq!(std::fs::read_to_string(secret).unwrap(), "hidden words");
}

#[test]
fn a_thousand_slow_connections_keep_nobody_else_waiting() {
    let server = Running::new();
    let mut slow = Vec::new();
    for _ in 0..1000 {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.write_all(b"POST /api/v1/jobs HTTP/1.1\r\nHost: loc").unwrap();
        slow.push(stream);
    }
    let begun = Instant::now();
    assert_eq!(server.get("/server").status, 200);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    drop(slow);
    assert_eq!(server.get("/library").status, 200);
}

#[test]
fn malformed_requests_are_answered_and_the_server_goes_on() {
    let server = Running::new();
    let bodies = [
        "",
        "{",
        "[]",
        "null",
        "{\"text\": 5}",
        "{\"text\": \"AA\", \"more\": 1}",
        "\u{0}",
        "{\"text\":\"\\ud800\"}",
    ];
    for body in bodies {
        for path in ["/range/parse", "/spots/check", "/jobs"] {
            let answer = server.send("POST", &format!("/api/v1{path}"), "", body);
            assert!([400, 422].contains(&answer.status), "{path} {body:?}: {answer:?}");
            assert!(answer.json()["error"].is_string());
        }
    }
    for request in [
        &b"GARBAGE\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"GET /api/v1/server HTTP/9.9\r\n\r\n",
        b"POST /api/v1/range/parse HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n",
    ] {
        let answer = server.raw(request);
        assert!(answer.status == 0 || answer.status >= 400, "{answer:?}");
    }
    assert_eq!(server.get("/jobs/1/node?grid=perhaps").status, 400);
    let other = server.send("PATCH", "/api/v1/library", "", "");
    assert!(other.status == 405 && other.json()["error"].is_string(), "{other:?}");
    assert_eq!(server.send("POST", "/api/v1/nothing", "", "{}").status, 404);
    assert_eq!(server.get("/server").status, 200);
}

#[test]
fn other_addresses_need_the_token() {
    let server = Running::on(Ipv4Addr::UNSPECIFIED);
    let token = server.url.split("token=").nth(1).expect("a token").to_owned();
    assert_eq!(token.len(), 32);
    for path in ["/", "/app.js", "/api/v1/library"] {
        assert_eq!(server.send("GET", path, "", "").status, 401, "{path}");
        let wrong = format!("{path}?token={}", "0".repeat(32));
        assert_eq!(server.send("GET", &wrong, "", "").status, 401);
    }
    let first = server.send("GET", &format!("/?token={token}"), "", "");
    assert!(first.status == 200 && first.head.contains("set-cookie: lethe_token="), "{first:?}");
    assert!(first.head.contains("samesite=strict") && first.head.contains("httponly"));
    let cookie = format!("Cookie: a=b; lethe_token={token}\r\n");
    assert_eq!(server.send("GET", "/api/v1/library", &cookie, "").status, 200);
    let bearer = format!("Authorization: Bearer {token}\r\n");
    assert_eq!(server.send("GET", "/api/v1/library", &bearer, "").status, 200);
    assert_eq!(
        server
            .send("GET", "/api/v1/library", &format!("{bearer}Host: evil.example\r\n"), "")
            .status,
        403
    );
}

#[test]
fn a_second_server_on_the_port_says_which_one_is_there() {
    let server = Running::new();
    let config = lethe_server::Config {
        host: Ipv4Addr::LOCALHOST.into(),
        port: server.address.port(),
        data: lethe_kit::data::DataDir::locate(Some(server.data.path())),
        threads: 1,
    };
    let message = lethe_server::Server::bind(config.clone()).unwrap_err().to_string();
    let data = server.data.path().display().to_string();
    assert!(message.contains("taken by lethe") && message.contains(&data), "{message}");
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().port();
    let config = lethe_server::Config { port, ..config };
    let message = lethe_server::Server::bind(config).unwrap_err().to_string();
    assert!(message.contains("another program"), "{message}");
}
