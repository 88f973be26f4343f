//! Train a blueprint: push or fold with ten big blinds, for two seconds.
//!
//! `cargo run --release -p lethe-examples --example train`
#![allow(clippy::print_stdout, reason = "an example prints its result")]

use lethe_compute::Job;
use lethe_kit::config::training_config;
use lethe_kit::data::DataDir;
use lethe_kit::training::{Limits, Training};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data = DataDir::locate(None);
    let config = training_config(Some("push-fold"), None, &["training.seed=7"])?;
    let limits = Limits { seconds: Some(2.0), iterations: None };
    let dir = data.run("example".as_ref());
    if dir.exists() {
        std::fs::remove_dir_all(&dir)?;
    }
    let training = Training::new(config, dir, limits)?;

    // The game ends before the flop, so no abstraction is needed.
    let cards = training.open_cards(&data)?;
    let view = training.run(cards, Job::default(), &mut |_| ())?;
    println!("{} iterations in {:.1} s", view.iterations, view.seconds);
    Ok(())
}
