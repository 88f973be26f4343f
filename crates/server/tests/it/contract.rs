//! The document says what the server does: every status, and every field of every answer.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::client::{Answer, RIVER, Running, encoded};

/// The document of a server.
struct Contract {
    document: Value,
}

impl Contract {
    fn of(server: &Running) -> Contract {
        Contract { document: server.get("/openapi.json").ok() }
    }

    /// All operations: method, path, and what the document says about them.
    fn operations(&self) -> Vec<(&str, &str, &Value)> {
        let paths = self.document["paths"].as_object().unwrap().iter();
        paths
            .flat_map(|(path, it)| {
                let methods = it.as_object().unwrap().iter();
                methods.map(move |(method, operation)| (method.as_str(), path.as_str(), operation))
            })
            .collect()
    }

    /// What of an answer is not as the document says.
    fn violations(&self, operation: &Value, answer: &Answer) -> Vec<String> {
        let Some(response) = operation["responses"].get(answer.status.to_string()) else {
            return vec![format!("the status {} is not documented", answer.status)];
        };
        let Some(schema) = response["content"]["application/json"].get("schema") else {
            return Vec::new();
        };
        let mut found = Vec::new();
        match serde_json::from_str(&answer.body) {
            Ok(value) => self.check(schema, &value, "", &mut found),
            Err(error) => found.push(format!("no JSON: {error}")),
        }
        found
    }

    fn check(&self, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
        if let Some(name) = schema["$ref"].as_str() {
            let pointer = name.strip_prefix('#').unwrap();
            let schema = self.document.pointer(pointer).unwrap_or_else(|| panic!("no {name}"));
            return self.check(schema, value, at, found);
        }
        if let Some(parts) = schema["anyOf"].as_array() {
            let problems: Vec<Vec<String>> = parts
                .iter()
                .map(|part| {
                    let mut problems = Vec::new();
                    self.check(part, value, at, &mut problems);
                    problems
                })
                .collect();
            if problems.iter().all(|problems| !problems.is_empty()) {
                found.extend(problems.into_iter().min_by_key(Vec::len).unwrap());
            }
            return;
        }
        let fits = match schema["type"].as_str() {
            None => true,
            Some("object") => value.is_object(),
            Some("array") => value.is_array(),
            Some("string") => value.is_string(),
            Some("integer") => value.is_u64() || value.is_i64(),
            Some("number") => value.is_number(),
            Some("boolean") => value.is_boolean(),
            Some("null") => value.is_null(),
            Some(other) => panic!("the type {other}"),
        };
        if !fits {
            return found.push(format!("{at}: expected {}, found {value:.60}", schema["type"]));
        }
        let known = schema["enum"].as_array().is_none_or(|words| words.contains(value));
        if !known || schema.get("const").is_some_and(|word| word != value) {
            found.push(format!("{at}: {value} is not among the values"));
        }
        if let Some(items) = value.as_array() {
            for (place, item) in items.iter().enumerate() {
                let first = schema["prefixItems"].get(place);
                match first.or(schema.get("items")) {
                    Some(schema) => self.check(schema, item, &format!("{at}/{place}"), found),
                    None => found.push(format!("{at}: too many items")),
                }
            }
            let least = schema["minItems"].as_u64().unwrap_or(0);
            if (items.len() as u64) < least {
                found.push(format!("{at}: too few items"));
            }
        }
        if let Some(fields) = value.as_object() {
            for name in schema["required"].as_array().into_iter().flatten() {
                if !fields.contains_key(name.as_str().unwrap()) {
                    found.push(format!("{at}: {name} is missing"));
                }
            }
            for (name, field) in fields {
                let others = schema.get("additionalProperties");
                match schema["properties"].get(name).or(others) {
                    Some(Value::Bool(false)) => found.push(format!("{at}: {name} is unknown")),
                    Some(schema) => self.check(schema, field, &format!("{at}/{name}"), found),
                    None => {}
                }
            }
        }
    }
}

/// A flop that is solved in a moment.
const FLOP: &str =
    "board: Ks7h2d\noop_range: AA,76s\nip_range: KK,QJs\npot: 100\nstack: 40\nbet_sizes: {}\n";

/// Fills a server with one of everything.
fn fill(server: &Running) {
    let solve = server.post("/jobs", &json!({"spot": RIVER, "iterations": 20})).ok();
    server.wait(&solve["id"], &["done"]);
    server.post(&format!("/jobs/{}/save", solve["id"]), &json!({"name": "kept"})).ok();
    let sweep = json!({"kind": "sweep", "name": "two", "spot": FLOP, "flops": "2", "target": 50});
    let sweep = server.post("/jobs", &sweep).ok();
    server.wait(&sweep["id"], &["done"]);
    let body = json!({"text": RIVER}).to_string();
    server.send("PUT", "/api/v1/spots/mine", "", &body).ok();
}

#[test]
fn every_success_has_the_fields_that_the_document_names() {
    let server = Running::with_blueprint();
    fill(&server);
    let contract = Contract::of(&server);
    let long = server.post("/jobs", &json!({"library": "@srp-turn", "iterations": 100_000})).ok();
    let long = long["id"].clone();
    let table = json!({"run": "small", "seat": "sb", "seed": 1, "search": "none"});
    let table = server.post("/play", &table).ok();
    crate::play::finish(&server, &table["id"]);
    let spot = json!({"text": RIVER});
    let requests: Vec<(&str, &str, String, Value)> = vec![
        ("get", "/server", "/server".to_owned(), json!(null)),
        ("get", "/library", "/library".to_owned(), json!(null)),
        ("post", "/range/parse", "/range/parse".to_owned(), json!({"text": "AA,AKs:0.5"})),
        ("post", "/spots/check", "/spots/check".to_owned(), spot.clone()),
        ("post", "/spots/check", "/spots/check".to_owned(), json!({"text": FLOP, "target": 1})),
        ("get", "/spots/{id}", "/spots/@srp-turn".to_owned(), json!(null)),
        ("put", "/spots/{id}", "/spots/other".to_owned(), spot.clone()),
        ("delete", "/spots/{id}", "/spots/other".to_owned(), json!(null)),
        ("get", "/jobs", "/jobs".to_owned(), json!(null)),
        ("post", "/jobs", "/jobs".to_owned(), json!({"spot": RIVER, "iterations": 5})),
        ("get", "/jobs/{id}", "/jobs/1".to_owned(), json!(null)),
        ("post", "/jobs/{id}/pause", format!("/jobs/{long}/pause"), json!(null)),
        ("get", "/jobs/{id}", format!("/jobs/{long}"), json!(null)),
        ("post", "/jobs/{id}/resume", format!("/jobs/{long}/resume"), json!(null)),
        ("post", "/jobs/{id}/stop", format!("/jobs/{long}/stop"), json!(null)),
        ("get", "/jobs/{id}", "/jobs/2".to_owned(), json!(null)),
        ("post", "/jobs/{id}/save", "/jobs/1/save".to_owned(), json!({"name": "again"})),
        (
            "get",
            "/jobs/{id}/node",
            "/jobs/1/node?hands=all&grid=true&classes=true".to_owned(),
            json!(null),
        ),
        (
            "get",
            "/jobs/{id}/node",
            format!("/jobs/{long}/node?line=x%20x&runouts=true"),
            json!(null),
        ),
        ("get", "/jobs/{id}/export", "/jobs/1/export".to_owned(), json!(null)),
        ("get", "/solutions/{id}", "/solutions/kept".to_owned(), json!(null)),
        ("get", "/solutions/{id}/spot", "/solutions/kept/spot".to_owned(), json!(null)),
        (
            "get",
            "/solutions/{id}/node",
            "/solutions/kept/node?line=x&hands=AA".to_owned(),
            json!(null),
        ),
        ("get", "/solutions/{id}/export", "/solutions/kept/export".to_owned(), json!(null)),
        ("get", "/blueprints/{id}", "/blueprints/small".to_owned(), json!(null)),
        (
            "get",
            "/blueprints/{id}/node",
            "/blueprints/small/node?hands=true".to_owned(),
            json!(null),
        ),
        (
            "get",
            "/blueprints/{id}/node",
            format!("/blueprints/small/node?line={}", encoded("c x /")),
            json!(null),
        ),
        (
            "get",
            "/blueprints/{id}/node",
            format!("/blueprints/small/node?hands=true&line={}", encoded("c x / Th9h8c")),
            json!(null),
        ),
        (
            "get",
            "/blueprints/{id}/spot",
            format!("/blueprints/small/spot?line={}", encoded("c x / Th9h8c")),
            json!(null),
        ),
        ("get", "/abstractions/{id}", "/abstractions/small".to_owned(), json!(null)),
        (
            "get",
            "/abstractions/{id}/buckets/{street}/{bucket}",
            "/abstractions/small/buckets/flop/3".to_owned(),
            json!(null),
        ),
        (
            "get",
            "/abstractions/{id}/boards/{board}",
            "/abstractions/small/boards/Ks7h2d".to_owned(),
            json!(null),
        ),
        (
            "get",
            "/abstractions/{id}/diff/{other}",
            "/abstractions/small/diff/small".to_owned(),
            json!(null),
        ),
        ("get", "/play", "/play".to_owned(), json!(null)),
        ("get", "/play/{id}", "/play/1".to_owned(), json!(null)),
        ("get", "/play/{id}/hands/{number}", "/play/1/hands/1".to_owned(), json!(null)),
        ("get", "/play/{id}/history", "/play/1/history".to_owned(), json!(null)),
        ("post", "/play/{id}/deal", "/play/1/deal".to_owned(), json!(null)),
        ("post", "/play/{id}/hint", "/play/1/hint".to_owned(), json!(null)),
        ("get", "/play/{id}", "/play/1".to_owned(), json!(null)),
        ("post", "/play/{id}/act", "/play/1/act".to_owned(), json!({"action": "c"})),
        ("post", "/play/{id}/stop", "/play/1/stop".to_owned(), json!(null)),
        ("post", "/play/{id}/resume", "/play/1/resume".to_owned(), json!(null)),
        ("post", "/play", "/play".to_owned(), json!({"run": "small"})),
        ("delete", "/play/{id}", "/play/2".to_owned(), json!(null)),
        ("get", "/sweeps/{id}", "/sweeps/two".to_owned(), json!(null)),
        ("get", "/sweeps/{id}/export", "/sweeps/two/export?format=json".to_owned(), json!(null)),
        ("delete", "/jobs/{id}", "/jobs/1".to_owned(), json!(null)),
    ];
    let mut problems = Vec::new();
    let mut seen = BTreeSet::new();
    for (method, template, path, body) in &requests {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let address = format!("/api/v1{path}");
        let answer = server.send(&method.to_uppercase(), &address, "", &body);
        let template = format!("/api/v1{template}");
        let operation = &contract.document["paths"][&template][*method];
        if !(200..300).contains(&answer.status) {
            problems.push(format!("{method} {path}: {} {}", answer.status, answer.body));
        }
        let found = contract.violations(operation, &answer);
        problems.extend(found.iter().map(|it| format!("{method} {path}: {it}")));
        seen.insert((*method, template));
    }
    for (method, path, operation) in contract.operations() {
        let success = operation["responses"].as_object().unwrap().iter().next().unwrap();
        let content = success.1["content"].as_object().and_then(|content| content.keys().next());
        match content.map(String::as_str) {
            Some("text/event-stream") => continue,
            Some("application/json") => {
                let schema = &success.1["content"]["application/json"]["schema"];
                assert!(schema.is_object(), "{method} {path} has no schema");
            }
            _ => {}
        }
        // Values are those of a run that has none.
        if !seen.contains(&(method, path.to_owned())) && !path.ends_with("/values") {
            problems.push(format!("{method} {path} was not asked"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// A value for a part of a path or a query: what is there, what could be, and what could never.
fn words() -> impl Strategy<Value = String> {
    let known = [
        "1",
        "2",
        "small",
        "kept",
        "two",
        "mine",
        "@srp-turn",
        "flop",
        "river",
        "Ks7h2d",
        "all",
        "true",
        "oop",
        "csv",
        "json",
        "x",
        "c x / Th9h8c",
        "AA",
        "3",
    ];
    prop_oneof![
        4 => proptest::sample::select(known.to_vec()).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => any::<i64>().prop_map(|number| number.to_string()),
        1 => Just("../secret".to_owned()),
        1 => Just("\u{0}".to_owned()),
    ]
}

/// A body: fields that some operation takes, with values that may or may not fit.
fn bodies() -> impl Strategy<Value = String> {
    let names = [
        "text",
        "spot",
        "library",
        "solution",
        "job",
        "locks",
        "target",
        "iterations",
        "seconds",
        "precision",
        "flops",
        "kind",
        "name",
        "replace",
        "run",
        "seat",
        "seed",
        "stack",
        "search",
        "action",
        "more",
    ];
    let values = prop_oneof![
        2 => proptest::sample::select(&[RIVER, FLOP, "kept", "small", "@toy-river", "i16", "sb", "river", "c", "1"][..])
            .prop_map(|text| json!(text)),
        1 => words().prop_map(|word| json!(word)),
        1 => (-5..200i64).prop_map(|number| json!(number)),
        1 => any::<f64>().prop_map(|number| json!(number)),
        1 => any::<bool>().prop_map(|truth| json!(truth)),
        1 => Just(json!(null)),
        1 => Just(json!(["x=50"])),
    ];
    let field = (proptest::sample::select(names.to_vec()), values);
    let fields = proptest::collection::vec(field, 0..4).prop_map(|fields| {
        let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value));
        Value::Object(fields.collect()).to_string()
    });
    prop_oneof![6 => fields, 1 => any::<String>(), 1 => Just("[1]".to_owned()), 1 => Just(String::new())]
}

#[test]
fn no_request_gets_an_undocumented_answer() {
    let server = Running::with_blueprint();
    fill(&server);
    let contract = Contract::of(&server);
    let operations = contract.operations();
    let asked = (
        0..operations.len(),
        proptest::collection::vec(words(), 3),
        proptest::collection::vec((words(), any::<bool>()), 6),
        bodies(),
    );
    let config = Config { cases: 1500, failure_persistence: None, ..Config::default() };
    let run = TestRunner::new(config).run(&asked, |(place, ids, values, body)| {
        let (method, path, operation) = operations[place];
        let mut ids = ids.iter();
        let parts = path.split('/').skip(1).map(|part| match part.starts_with('{') {
            true => format!("/{}", encoded(ids.next().unwrap())),
            false => format!("/{part}"),
        });
        let mut address: String = parts.collect();
        let names = operation["parameters"].as_array().unwrap().iter();
        let names = names.filter(|it| it["in"] == "query").map(|it| it["name"].as_str().unwrap());
        for (name, (value, _)) in names.zip(&values).filter(|(_, (_, given))| *given) {
            address += if address.contains('?') { "&" } else { "?" };
            address += &format!("{name}={}", encoded(value));
        }
        let is_stream = path.ends_with("/events");
        let status = is_stream.then(|| server.status(&address));
        let answer = match status {
            Some(200) => return Ok(()),
            _ => server.send(&method.to_uppercase(), &address, "", &body),
        };
        let found = contract.violations(operation, &answer);
        prop_assert!(found.is_empty(), "{method} {address} {body}: {found:?}");
        Ok(())
    });
    if let Err(error) = run {
        panic!("{error}");
    }
    assert_eq!(server.get("/server").status, 200);
}
