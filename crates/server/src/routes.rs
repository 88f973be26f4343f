//! The routes of the API: the table that the router and the document are made from.

use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::{MethodRouter, any, delete, get, post, put};

use crate::api::{abstractions, blueprints, jobs, library, nodes, play, spots, sweeps};
use crate::app::App;
use crate::error::ApiError;
use crate::openapi;

/// Where the API is.
pub(crate) const BASE: &str = "/api/v1";

/// One operation: how it is asked, by whom it is answered, and what may come back.
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) summary: &'static str,
    handler: MethodRouter<Arc<App>>,
    /// The parameters of its query: name, type and description.
    pub(crate) query: &'static [(&'static str, &'static str, &'static str)],
    /// The schema of its body.
    pub(crate) body: Option<&'static str>,
    /// The status of success and what its answer is.
    pub(crate) answer: (u16, &'static str),
    /// The type of a JSON answer in `types.ts`; `X[]` is a list of them.
    pub(crate) gives: Option<&'static str>,
    /// Other statuses.
    pub(crate) errors: &'static [u16],
}

impl Route {
    fn new(
        method: &'static str,
        path: &'static str,
        summary: &'static str,
        handler: MethodRouter<Arc<App>>,
    ) -> Route {
        let answer = (200, "application/json");
        Route {
            method,
            path,
            summary,
            handler,
            query: &[],
            body: None,
            answer,
            gives: None,
            errors: &[],
        }
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

    fn gives(self, gives: &'static str) -> Route {
        Route { gives: Some(gives), ..self }
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
    ("hands", "boolean", "Whether to list all hands, where the board is known."),
];
const STREET: &[(&str, &str, &str)] = &[("street", "string", "`flop`, `turn` or `river`.")];

/// All operations.
pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::new(
            "get",
            "/server",
            "Who answers: program, version, data directory.",
            get(library::server),
        )
        .gives("ServerView"),
        Route::new(
            "get",
            "/library",
            "Spots, solutions, runs, abstractions, sweeps and jobs of this machine.",
            get(library::library),
        )
        .gives("Library")
        .errors(&[500]),
        Route::new(
            "post",
            "/range/parse",
            "Reads a range as players write it.",
            post(spots::parse_range),
        )
        .gives("RangeView")
        .body("Text")
        .errors(&[422]),
        Route::new(
            "post",
            "/spots/check",
            "The size of a spot, the memory and time of a solve, and what to cut.",
            post(spots::check),
        )
        .gives("SpotCheck")
        .body("Check")
        .errors(&[422, 500]),
        Route::new("get", "/spots/{id}", "The text of a spot.", get(spots::get))
            .gives("SpotText")
            .errors(&[404, 500]),
        Route::new("put", "/spots/{id}", "Keeps a spot under a name.", put(spots::put))
            .gives("SpotText")
            .body("Text")
            .errors(&[404, 422, 500]),
        Route::new("delete", "/spots/{id}", "Removes a kept spot.", delete(spots::delete))
            .answers(204, "")
            .errors(&[404, 500]),
        Route::new("get", "/jobs", "All jobs, in the order they were made.", get(jobs::list))
            .gives("JobView[]"),
        Route::new(
            "post",
            "/jobs",
            "Begins a solve or a sweep, or puts it in the queue.",
            post(jobs::create),
        )
        .gives("JobView")
        .body("Job")
        .answers(201, "application/json")
        .errors(&[404, 422, 429, 500]),
        Route::new("get", "/jobs/{id}", "A job with all points measured.", get(jobs::get))
            .gives("JobView")
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
        .gives("JobView")
        .errors(&[404, 409]),
        Route::new("post", "/jobs/{id}/resume", "Resumes a paused solve.", post(jobs::resume))
            .gives("JobView")
            .errors(&[404, 409]),
        Route::new(
            "post",
            "/jobs/{id}/stop",
            "Stops a job within a tenth of a second.",
            post(jobs::stop),
        )
        .gives("JobView")
        .errors(&[404]),
        Route::new("post", "/jobs/{id}/save", "Saves what a solve found.", post(jobs::save))
            .gives("Saved")
            .body("Save")
            .answers(201, "application/json")
            .errors(&[404, 409, 422, 500]),
        Route::new(
            "get",
            "/jobs/{id}/node",
            "A position of a solve that runs, is paused or has ended.",
            get(nodes::of_job),
        )
        .gives("NodeView")
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
        .gives("SolutionView")
        .errors(&[404, 409, 422, 500]),
        Route::new(
            "get",
            "/solutions/{id}/spot",
            "The spot of a saved solution.",
            get(nodes::solution_spot),
        )
        .gives("SolutionSpot")
        .errors(&[404, 409, 422, 500]),
        Route::new(
            "get",
            "/solutions/{id}/node",
            "A position of a saved solution.",
            get(nodes::of_solution),
        )
        .gives("NodeView")
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
        .gives("BlueprintView")
        .errors(&[404, 422, 500]),
        Route::new(
            "get",
            "/blueprints/{id}/node",
            "What a blueprint does at a decision.",
            get(blueprints::node),
        )
        .gives("StrategyView")
        .query(LINE)
        .errors(&[404, 422, 500]),
        Route::new(
            "get",
            "/blueprints/{id}/spot",
            "The street of a decision as a spot, with the ranges that the blueprint brings there.",
            get(blueprints::spot),
        )
        .gives("SubgameView")
        .query(LINE)
        .errors(&[404, 422, 500]),
        Route::new(
            "get",
            "/abstractions/{id}",
            "The streets of an abstraction.",
            get(abstractions::get),
        )
        .gives("Overview")
        .query(STREET)
        .errors(&[404, 422, 500]),
        Route::new(
            "get",
            "/abstractions/{id}/buckets/{street}/{bucket}",
            "A bucket: its size, shape, typical hands and neighbours.",
            get(abstractions::bucket),
        )
        .gives("BucketView")
        .errors(&[404, 422, 500]),
        Route::new(
            "get",
            "/abstractions/{id}/boards/{board}",
            "A board: the buckets of every starting hand.",
            get(abstractions::board),
        )
        .gives("BoardView")
        .errors(&[404, 422, 500]),
        Route::new(
            "get",
            "/abstractions/{id}/diff/{other}",
            "How differently two abstractions group the hands of a street.",
            get(abstractions::diff),
        )
        .gives("DiffView")
        .query(STREET)
        .errors(&[404, 422, 500]),
        Route::new("get", "/play", "All tables, in the order they were opened.", get(play::list))
            .gives("TableList"),
        Route::new(
            "post",
            "/play",
            "Opens a table against the blueprint of a run and deals the first hand.",
            post(play::create),
        )
        .gives("PlayView")
        .body("Table")
        .answers(201, "application/json")
        .errors(&[404, 422, 429, 500]),
        Route::new("get", "/play/{id}", "A table as the person sees it.", get(play::get))
            .gives("PlayView")
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
        .gives("PlayView")
        .body("Act")
        .errors(&[404, 409, 422]),
        Route::new("post", "/play/{id}/deal", "Deals the next hand.", post(play::deal))
            .gives("PlayView")
            .errors(&[404, 409, 422]),
        Route::new(
            "post",
            "/play/{id}/hint",
            "Asks, in the background, what the agent would do in the person's place.",
            post(play::hint),
        )
        .gives("PlayView")
        .errors(&[404, 409]),
        Route::new(
            "post",
            "/play/{id}/values",
            "Computes and stores, in the background, the values by which luck is removed.",
            post(play::values),
        )
        .gives("PlayView")
        .errors(&[404, 409]),
        Route::new(
            "post",
            "/play/{id}/stop",
            "Stops what is computed at a table, within a tenth of a second.",
            post(play::stop),
        )
        .gives("PlayView")
        .errors(&[404]),
        Route::new(
            "post",
            "/play/{id}/resume",
            "Resumes what was stopped or has failed.",
            post(play::resume),
        )
        .gives("PlayView")
        .errors(&[404]),
        Route::new(
            "get",
            "/play/{id}/hands/{number}",
            "A hand that is over, with what each decision gave up.",
            get(play::hand),
        )
        .gives("FinishedView")
        .errors(&[404]),
        Route::new(
            "get",
            "/play/{id}/history",
            "The hands that are over, as hand histories in PHH.",
            get(play::history),
        )
        .answers(200, "application/toml")
        .errors(&[404, 500]),
        Route::new("get", "/sweeps/{id}", "The report of a sweep over flops.", get(sweeps::get))
            .gives("SweepView")
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
    let document = openapi::document().to_string();
    let answer = move || {
        let document = document.clone();
        async move { ([(axum::http::header::CONTENT_TYPE, "application/json")], document) }
    };
    let missing = || async { ApiError::new(StatusCode::NOT_FOUND, "no such address in the API") };
    let other = || async {
        let message = "the address does not take this method; see /api/v1/openapi.json";
        ApiError::new(StatusCode::METHOD_NOT_ALLOWED, message)
    };
    router
        .route(&format!("{BASE}/openapi.json"), get(answer))
        .route("/api/{*rest}", any(missing))
        .method_not_allowed_fallback(other)
}
