//! Short programs for the six things people do first.
//!
//! | example | what it does |
//! |---|---|
//! | `equity` | exact equity of a hand against a range and against a hand |
//! | `abstraction`, `lookup` | build a small abstraction, look up buckets in it |
//! | `solve` | solve a spot file and read one hand's strategy |
//! | `train`, `query` | train a push-or-fold blueprint, read its strategy |
//!
//! Run one with `cargo run --release -p lethe-examples --example equity`.
