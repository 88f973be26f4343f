//! The server, asked over real connections.

mod client;
mod contract;
mod hostile;
mod jobs;
mod library;
mod play;
