//! Abstraction configurations and their overrides.
//!
//! The input is a file; what follows a line `===` are overrides, one per line.
#![no_main]

use lethe_fuzz::{check_json, refused};
use lethe_kit::config::AbstractionConfig;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (file, overrides) = text.split_once("===\n").unwrap_or((text, ""));
    let mut config = match AbstractionConfig::from_yaml(file, "abstraction.yaml") {
        Ok(config) => config,
        Err(error) => return refused(&error),
    };
    for assignment in overrides.lines() {
        if let Err(error) = config.set(assignment) {
            refused(&error);
        }
    }
    match config.resolve() {
        Ok(plan) => {
            check_json(&plan);
            assert!(!plan.name().contains(['/', '\0']));
            config.unused(&plan);
        }
        Err(error) => refused(&error),
    }
});
