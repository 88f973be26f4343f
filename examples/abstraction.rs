//! Build a small abstraction: 20 flop, 20 turn and 20 river buckets, into the data directory.
//!
//! `cargo run --release -p lethe-examples --example abstraction`
#![allow(clippy::print_stdout, reason = "an example prints its result")]

use lethe_compute::Job;
use lethe_kit::abstractions::Build;
use lethe_kit::config::AbstractionConfig;
use lethe_kit::data::DataDir;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let text = "name: tiny\nbuckets: {flop: 20, turn: 20, river: 20}\n";
    let config = AbstractionConfig::from_yaml(text, "tiny.yaml")?;
    let build = Build::new(config, DataDir::locate(None).abstractions())?;

    let job = Job::default();
    let forecast = build.forecast(job.threads());
    println!("about {:.0} s and {} MB on disk", forecast.seconds, forecast.disk / 1_000_000);
    let built = build.run(job)?;
    println!("{} is in {}", build.plan().name(), built.path.display());
    Ok(())
}
