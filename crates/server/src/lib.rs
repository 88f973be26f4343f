//! The explorer: Lethe in the browser.
//!
//! A [`Server`] answers an HTTP API under `/api/v1`, described at `/api/v1/openapi.json`, and the page
//! that uses it. Views are those of `lethe-kit`, so that the page shows the numbers that the command
//! prints.
//!
//! | module | what it is |
//! |---|---|
//! | `routes`, `api` | the operations, their handlers |
//! | `openapi`, `schema` | the document that describes them |
//! | `jobs` | solves and sweeps, one at a time |
//! | `play` | tables, each with a thread for its agent |
//! | `guard` | which requests are answered at all |
//! | `app`, `extract`, `error` | what handlers share, take and answer |
//! | `assets` | the page |
//! | `serve` | connections |

#![forbid(unsafe_code)]

mod api;
mod app;
mod assets;
mod error;
mod extract;
mod guard;
mod jobs;
mod openapi;
mod play;
mod routes;
mod schema;
mod serve;

pub use serve::{BindError, Config, Server};
