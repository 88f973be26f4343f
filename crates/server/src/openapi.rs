//! The OpenAPI document, made from the table of routes and from the types of the page.
//!
//! Nothing derives schemas from the types that are serialized: they are views of other crates, which know
//! nothing of HTTP. Instead the page's own types are the schemas ([`schema`]), and the tests hold every answer
//! against them, field by field.

use axum::http::StatusCode;
use serde_json::{Map, Value, json};

use crate::routes::{BASE, Route, routes};
use crate::schema;

/// The OpenAPI document.
pub(crate) fn document() -> Value {
    let mut paths = Map::new();
    let mut schemas = schema::answers();
    schemas.extend(requests());
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
        "components": { "schemas": schemas },
    })
}

/// The schema of a type in `types.ts`.
fn answer(name: &str) -> Value {
    let named = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    match name.strip_suffix("[]") {
        Some(item) => json!({"type": "array", "items": named(item)}),
        None => named(name),
    }
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
        kind => {
            let schema = route.gives.map_or(json!({}), |name| json!({"schema": answer(name)}));
            json!({"description": route.summary, "content": {kind: schema}})
        }
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
fn requests() -> Map<String, Value> {
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
    let requests = json!({
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
    });
    match requests {
        Value::Object(requests) => requests,
        _ => unreachable!("an object"),
    }
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
