//! The server, asked over real connections.

mod client;
mod hostile;
mod jobs;
mod library;
mod nodes;
