//! The routes of the API and the document that describes them, made from one table.

use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::{MethodRouter, delete, get, post, put};
use serde_json::{Map, Value, json};

use crate::api::{abstractions, blueprints, jobs, library, nodes, play, spots, sweeps};
use crate::app::App;
use crate::error::ApiError;

/// Where the API is.
const BASE: &str = "/api/v1";

/// One operation: how it is asked, by whom it is answered, and what may come back.
struct Route {
    method: &'static str,
    path: &'static str,
    summary: &'static str,
    handler: MethodRouter<Arc<App>>,
    /// The parameters of its query: name, type and description.
    query: &'static [(&'static str, &'static str, &'static str)],
    /// The schema of its body.
    body: Option<&'static str>,
    /// The status of success and what its answer is.
    answer: (u16, &'static str),
    /// Other statuses.
    errors: &'static [u16],
}

impl Route {
    fn new(
        method: &'static str,
        path: &'static str,
        summary: &'static str,
        handler: MethodRouter<Arc<App>>,
    ) -> Route {
        let answer = (200, "application/json");
        Route { method, path, summary, handler, query: &[], body: None, answer, errors: &[] }
    }

    fn query(self, query: &'static [(&'static str, &'static str, &'static str)]) -> Route {
        Route { query, ..self }
    }

    fn body(self, schema: &'static str) -> Route {
        Route { body: Some(schema), ..self }
    }

    fn answers(self, status: u16, kind: &'static str) -> Route {
        Route { answer: (status, kind), ..self }
    }

    fn errors(self, errors: &'static [u16]) -> Route {
        Route { errors, ..self }
    }
}

const NODE: &[(&str, &str, &str)] = &[
    ("line", "string", "The betting and the dealt cards, such as `x b94 c / Th x`."),
    ("player", "string", "`oop` or `ip`; left out: the player to act."),
    ("hands", "string", "The hands to list: `all`, or a range."),
    ("grid", "boolean", "Whether to show the range as a grid of 13 by 13."),
    ("classes", "boolean", "Whether to list made hands and draws."),
    ("runouts", "boolean", "Whether to list every card that may be dealt."),
];
const EXPORT: &[(&str, &str, &str)] = &[
    ("line", "string", "Begin after this line."),
    ("to", "string", "The last street to write, with every card that may be dealt."),
    ("format", "string", "`csv` or `json`."),
];
const LINE: &[(&str, &str, &str)] = &[
    ("line", "string", "The betting with its cards, such as `r250 c / Th9h8c x`."),
    ("hands", "boolean", "Whether to list all hands."),
];
const STREET: &[(&str, &str, &str)] = &[("street", "string", "`flop`, `turn` or `river`.")];

/// All operations.
fn routes() -> Vec<Route> {
    vec![
        Route::new(
            "get",
            "/server",
            "Who answers: program, version, data directory.",
            get(library::server),
        ),
        Route::new(
            "get",
            "/library",
            "Spots, solutions, runs, abstractions, sweeps and jobs of this machine.",
            get(library::library),
        )
        .errors(&[500]),
        Route::new(
            "post",
            "/range/parse",
            "Reads a range as players write it.",
            post(spots::parse_range),
        )
        .body("Text")
        .errors(&[422]),
        Route::new(
            "post",
            "/spots/check",
            "The size of a spot, the memory and time of a solve, and what to cut.",
            post(spots::check),
        )
        .body("Check")
        .errors(&[422, 500]),
        Route::new("get", "/spots/{id}", "The text of a spot.", get(spots::get))
            .errors(&[404, 500]),
        Route::new("put", "/spots/{id}", "Keeps a spot under a name.", put(spots::put))
            .body("Text")
            .errors(&[422, 500]),
        Route::new("delete", "/spots/{id}", "Removes a kept spot.", delete(spots::delete))
            .answers(204, "")
            .errors(&[404, 500]),
        Route::new("get", "/jobs", "All jobs, in the order they were made.", get(jobs::list)),
        Route::new(
            "post",
            "/jobs",
            "Begins a solve or a sweep, or puts it in the queue.",
            post(jobs::create),
        )
        .body("Job")
        .answers(201, "application/json")
        .errors(&[404, 422, 429, 500]),
        Route::new("get", "/jobs/{id}", "A job with all points measured.", get(jobs::get))
            .errors(&[404]),
        Route::new(
            "delete",
            "/jobs/{id}",
            "Removes a job that is over, and frees its memory.",
            delete(jobs::delete),
        )
        .answers(204, "")
        .errors(&[404, 409]),
        Route::new(
            "get",
            "/jobs/{id}/events",
            "The job as server-sent events, at most ten per second, until it is over.",
            get(jobs::events),
        )
        .query(&[("points", "integer", "The number of points that the client has.")])
        .answers(200, "text/event-stream")
        .errors(&[404]),
        Route::new(
            "post",
            "/jobs/{id}/pause",
            "Pauses a solve between two iterations.",
            post(jobs::pause),
        )
        .errors(&[404, 409]),
        Route::new("post", "/jobs/{id}/resume", "Resumes a paused solve.", post(jobs::resume))
            .errors(&[404, 409]),
        Route::new(
            "post",
            "/jobs/{id}/stop",
            "Stops a job within a tenth of a second.",
            post(jobs::stop),
        )
        .errors(&[404]),
        Route::new("post", "/jobs/{id}/save", "Saves what a solve found.", post(jobs::save))
            .body("Save")
            .answers(201, "application/json")
            .errors(&[404, 409, 422, 500]),
        Route::new(
            "get",
            "/jobs/{id}/node",
            "A position of a solve that runs, is paused or has ended.",
            get(nodes::of_job),
        )
        .query(NODE)
        .errors(&[404, 409, 422, 500]),
        Route::new(
            "get",
            "/jobs/{id}/export",
            "The strategies of a solve that has ended, row by row.",
            get(nodes::export_job),
        )
        .query(EXPORT)
        .answers(200, "text/csv")
        .errors(&[404, 409, 422, 500]),
        Route::new(
            "get",
            "/solutions/{id}",
            "A saved solution: its spot, locks and how the solve ended.",
            get(nodes::solution),
        )
        .errors(&[404, 409, 422, 500]),
        Route::new(
            "get",
            "/solutions/{id}/spot",
            "The spot of a saved solution.",
            get(nodes::solution_spot),
        )
        .errors(&[404, 409, 422, 500]),
        Route::new(
            "get",
            "/solutions/{id}/node",
            "A position of a saved solution.",
            get(nodes::of_solution),
        )
        .query(NODE)
        .errors(&[404, 409, 422, 500]),
        Route::new(
            "get",
            "/solutions/{id}/export",
            "The strategies of a saved solution, row by row.",
            get(nodes::export_solution),
        )
        .query(EXPORT)
        .answers(200, "text/csv")
        .errors(&[404, 409, 422, 500]),
        Route::new(
            "get",
            "/blueprints/{id}",
            "A training run: its configuration, measurements and curves.",
            get(blueprints::get),
        )
        .errors(&[404, 422, 500]),
        Route::new(
            "get",
            "/blueprints/{id}/node",
            "What a blueprint does at a decision.",
            get(blueprints::node),
        )
        .query(LINE)
        .errors(&[404, 422, 500]),
        Route::new(
            "get",
            "/blueprints/{id}/spot",
            "The street of a decision as a spot, with the ranges that the blueprint brings there.",
            get(blueprints::spot),
        )
        .query(LINE)
        .errors(&[404, 422, 500]),
        Route::new(
            "get",
            "/abstractions/{id}",
            "The streets of an abstraction.",
            get(abstractions::get),
        )
        .query(STREET)
        .errors(&[404, 422, 500]),
        Route::new(
            "get",
            "/abstractions/{id}/buckets/{street}/{bucket}",
            "A bucket: its size, shape, typical hands and neighbours.",
            get(abstractions::bucket),
        )
        .errors(&[404, 422, 500]),
        Route::new(
            "get",
            "/abstractions/{id}/boards/{board}",
            "A board: the buckets of every starting hand.",
            get(abstractions::board),
        )
        .errors(&[404, 422, 500]),
        Route::new(
            "get",
            "/abstractions/{id}/diff/{other}",
            "How differently two abstractions group the hands of a street.",
            get(abstractions::diff),
        )
        .query(STREET)
        .errors(&[404, 422, 500]),
        Route::new("get", "/play", "All tables, in the order they were opened.", get(play::list)),
        Route::new(
            "post",
            "/play",
            "Opens a table against the blueprint of a run and deals the first hand.",
            post(play::create),
        )
        .body("Table")
        .answers(201, "application/json")
        .errors(&[404, 422, 429, 500]),
        Route::new("get", "/play/{id}", "A table as the person sees it.", get(play::get))
            .errors(&[404]),
        Route::new("delete", "/play/{id}", "Closes a table.", delete(play::delete))
            .answers(204, "")
            .errors(&[404]),
        Route::new(
            "get",
            "/play/{id}/events",
            "The table as server-sent events whenever it changes, until it is closed.",
            get(play::events),
        )
        .answers(200, "text/event-stream")
        .errors(&[404]),
        Route::new(
            "post",
            "/play/{id}/act",
            "The person acts; the agent then decides in the background.",
            post(play::act),
        )
        .body("Act")
        .errors(&[404, 409, 422]),
        Route::new("post", "/play/{id}/deal", "Deals the next hand.", post(play::deal))
            .errors(&[404, 409, 422]),
        Route::new(
            "post",
            "/play/{id}/hint",
            "Asks, in the background, what the agent would do in the person's place.",
            post(play::hint),
        )
        .errors(&[404, 409]),
        Route::new(
            "post",
            "/play/{id}/values",
            "Computes and stores, in the background, the values by which luck is removed.",
            post(play::values),
        )
        .errors(&[404, 409]),
        Route::new(
            "post",
            "/play/{id}/stop",
            "Stops what is computed at a table, within a tenth of a second.",
            post(play::stop),
        )
        .errors(&[404]),
        Route::new(
            "post",
            "/play/{id}/resume",
            "Resumes what was stopped or has failed.",
            post(play::resume),
        )
        .errors(&[404]),
        Route::new(
            "get",
            "/play/{id}/hands/{number}",
            "A hand that is over, with what each decision gave up.",
            get(play::hand),
        )
        .errors(&[404]),
        Route::new("get", "/sweeps/{id}", "The report of a sweep over flops.", get(sweeps::get))
            .errors(&[404, 500]),
        Route::new(
            "get",
            "/sweeps/{id}/export",
            "The report of a sweep, row by row.",
            get(sweeps::export),
        )
        .query(&[("format", "string", "`csv` or `json`.")])
        .answers(200, "text/csv")
        .errors(&[404, 422, 500]),
    ]
}

/// The router of the API.
pub(crate) fn api() -> Router<Arc<App>> {
    let mut router = Router::new();
    for route in routes() {
        router = router.route(&format!("{BASE}{}", route.path), route.handler);
    }
    let document = document().to_string();
    let answer = move || {
        let document = document.clone();
        async move { ([(axum::http::header::CONTENT_TYPE, "application/json")], document) }
    };
    let missing = || async { ApiError::new(StatusCode::NOT_FOUND, "no such address in the API") };
    router.route(&format!("{BASE}/openapi.json"), get(answer)).route("/api/{*rest}", get(missing))
}

/// The OpenAPI document.
pub(crate) fn document() -> Value {
    let mut paths = Map::new();
    for route in routes() {
        let path = paths.entry(format!("{BASE}{}", route.path)).or_insert_with(|| json!({}));
        path[route.method] = operation(&route);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Lethe",
            "version": "1",
            "description": "The explorer's API. Views are those that the command prints with --json. \
                            Every answer other than a success is an Error.",
        },
        "paths": paths,
        "components": { "schemas": schemas() },
    })
}

fn operation(route: &Route) -> Value {
    let in_path =
        route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let in_path = in_path.map(
        |name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}),
    );
    let in_query = route.query.iter().map(|(name, kind, text)| {
        json!({"name": name, "in": "query", "description": text, "schema": {"type": kind}})
    });
    let parameters: Vec<Value> = in_path.chain(in_query).collect();
    let mut responses = Map::new();
    let (status, kind) = route.answer;
    let success = match kind {
        "" => json!({"description": "Done."}),
        kind => json!({"description": route.summary, "content": {kind: {}}}),
    };
    responses.insert(status.to_string(), success);
    let error = json!({"$ref": "#/components/schemas/Error"});
    let body = [413].iter().filter(|_| route.body.is_some());
    // A foreign Host or Origin, and a query, path or body that cannot be read.
    for status in [400, 401, 403].iter().chain(body).chain(route.errors) {
        let description = StatusCode::from_u16(*status).ok().and_then(|s| s.canonical_reason());
        responses.insert(
            status.to_string(),
            json!({
                "description": description,
                "content": {"application/json": {"schema": error}},
            }),
        );
    }
    let mut operation = json!({
        "summary": route.summary,
        "parameters": parameters,
        "responses": responses,
    });
    if let Some(schema) = route.body {
        let schema = json!({"$ref": format!("#/components/schemas/{schema}")});
        operation["requestBody"] =
            json!({"required": true, "content": {"application/json": {"schema": schema}}});
    }
    operation
}

/// What is sent, and what an error is.
fn schemas() -> Value {
    let object = |required: &[&str], properties: Value| {
        json!({
            "type": "object",
            "required": required,
            "properties": properties,
            "additionalProperties": false,
        })
    };
    let text = |description: &str| json!({"type": "string", "description": description});
    let number = |description: &str| json!({"type": "number", "description": description});
    let precision = json!({"type": "string", "enum": ["f32", "i16"], "default": "f32"});
    json!({
        "Error": object(&["error"], json!({
            "error": text("What is wrong, and what would be right."),
            "line": {"type": "integer", "description": "The line of the text that was sent, from 1."},
            "column": {"type": "integer", "description": "The column of that line, from 1."},
        })),
        "Text": object(&["text"], json!({"text": text("A range or a spot file.")})),
        "Check": object(&["text"], json!({
            "text": text("A spot file."),
            "precision": precision,
            "target": number("The exploitability to reach, in percent of the pot."),
        })),
        "Save": object(&["name"], json!({
            "name": text("Letters, digits, hyphens and underscores."),
            "replace": {"type": "boolean", "default": false},
        })),
        "Table": object(&["run"], json!({
            "run": text("The run whose blueprint plays."),
            "seat": {"type": "string", "enum": ["both", "sb", "bb"], "default": "both"},
            "seed": {"type": "integer", "minimum": 0, "description": "What the cards are dealt by."},
            "stack": {"type": "integer", "description": "The chips of both players; those of the run."},
            "search": {"type": "string", "enum": ["none", "river", "turn"], "default": "turn"},
            "iterations": {"type": "integer", "minimum": 1, "maximum": 10_000, "default": 100},
        })),
        "Act": object(&["action"], json!({
            "action": text("f, x, c, b 300, r 750, r 2.5x, 50%, pot or allin."),
        })),
        "Job": object(&[], json!({
            "kind": {"type": "string", "enum": ["solve", "sweep"], "default": "solve"},
            "name": text("What it is called; of a sweep, the name it is kept under."),
            "spot": text("A spot file. One of spot, library, solution and job is given."),
            "library": text("A spot of the library."),
            "solution": text("The spot of a saved solution."),
            "job": {"type": "integer", "description": "The spot of a job."},
            "locks": {"type": "array", "items": text("LINE=STRATEGY"),
                      "description": "Instead of the locks of the spot."},
            "target": number("The exploitability to reach, in percent of the pot."),
            "iterations": {"type": "integer", "minimum": 1},
            "seconds": number("The most time."),
            "precision": precision,
            "flops": text("Of a sweep: all, a number, or a list of flops."),
        })),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_in_the_repository_is_that_of_the_routes() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");
        let document = format!("{:#}\n", document());
        if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
            std::fs::write(path, &document).unwrap();
        }
        let stored = std::fs::read_to_string(path).unwrap_or_default();
        assert!(stored == document, "openapi.json is out of date; run with UPDATE_SNAPSHOTS=1");
    }
}
