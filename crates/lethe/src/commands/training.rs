//! What the commands about blueprints share.

use std::path::Path;

use clap::ValueEnum;
use lethe_blueprint::{Blueprint, CheckpointKind};
use lethe_kit::runs;

use crate::output::Output;

/// What is accepted wherever a blueprint is asked for.
pub(super) const BLUEPRINT_HELP: &str =
    "The blueprint: a run's directory, its name in the data directory, or a checkpoint file";

/// A checkpoint of a run, as it is typed.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum Checkpoint {
    /// The last one written
    #[default]
    Latest,
    /// The one with the lowest estimate of exploitability
    BestExploitability,
    /// The one that beat all before it
    BestMatch,
}

impl From<Checkpoint> for CheckpointKind {
    fn from(checkpoint: Checkpoint) -> CheckpointKind {
        match checkpoint {
            Checkpoint::Latest => CheckpointKind::Latest,
            Checkpoint::BestExploitability => CheckpointKind::BestExploitability,
            Checkpoint::BestMatch => CheckpointKind::BestMatch,
        }
    }
}

/// Opens a blueprint.
pub(super) fn open(
    name: &Path,
    checkpoint: Checkpoint,
    out: &Output<'_>,
) -> Result<Blueprint, lethe_kit::Error> {
    runs::open(out.data(), name, checkpoint.into())
}

/// Reads a number such as `50000`, `100k` or `1.5M`.
pub(super) fn count(text: &str) -> Result<u64, &'static str> {
    const MOST: f64 = 1e12;
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "" => Some(1.0),
        "k" | "K" => Some(1e3),
        "m" | "M" => Some(1e6),
        "g" | "G" => Some(1e9),
        _ => None,
    };
    let plain = digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    let number = digits.parse::<f64>().ok().filter(|_| plain).zip(factor);
    match number.map(|(number, factor)| (number * factor).round()) {
        Some(count) if (0.0..=MOST).contains(&count) => Ok(count as u64),
        _ => Err("expected a number such as 50000, 100k or 1M"),
    }
}

/// Reads a number of hands, at least two.
pub(super) fn hands(text: &str) -> Result<u64, &'static str> {
    count(text).and_then(|hands| match hands {
        0 | 1 => Err("expected at least 2 hands, such as 50000, 100k or 1M"),
        hands => Ok(hands),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_with_their_unit() {
        for (text, hands) in [("2", 2), ("1M", 1_000_000), ("1.5k", 1500), ("20G", 20_000_000_000)]
        {
            assert_eq!(count(text), Ok(hands), "{text}");
        }
        for text in ["", "-5", "1e6", "M", "1kk", "nan", "inf", "9999999G", "1 T"] {
            assert!(count(text).is_err(), "{text}");
        }
        assert!(hands("1").is_err() && hands("0").is_err());
    }
}
