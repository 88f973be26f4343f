//! Short programs for the six things people do first. Run one with
//! `cargo run --release -p lethe-examples --example equity`.
