//! `lethe list`: the abstractions there are.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lethe_abstraction::artifact::{ArtifactEntry, list};
use lethe_cards::Street;
use lethe_kit::config::presets;
use serde::Serialize;

use super::artifact::ROOT;
use crate::output::{Output, Report, bytes};

/// The abstractions in a directory, with their buckets and sizes
///
/// Those that do not open are listed with the reason.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe list
  lethe list --root /mnt/abstractions --json")]
pub(crate) struct Args {
    /// The directory in which to look
    #[arg(long, value_name = "DIR", default_value = ROOT)]
    root: PathBuf,
}

/// What was found.
#[derive(Debug, Serialize)]
struct Listing {
    root: PathBuf,
    abstractions: Vec<Item>,
}

/// An abstraction, or what stands where one might.
#[derive(Debug, Serialize)]
struct Item {
    name: String,
    path: PathBuf,
    bytes: u64,
    #[serde(flatten)]
    state: State,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum State {
    Opens {
        buckets: [usize; 3],
        method: String,
        created: u64,
        seconds: f64,
        equity_tables: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        preset: Option<&'static str>,
    },
    Broken {
        error: String,
    },
}

impl Item {
    fn of(entry: ArtifactEntry) -> Item {
        let state = match entry.metadata {
            Err(error) => State::Broken { error: error.to_string() },
            Ok(metadata) => {
                let streets = metadata.plan.streets();
                let mut methods: Vec<String> = Vec::new();
                for (_, street) in streets.iter() {
                    let method = street.method().to_string();
                    if !methods.contains(&method) {
                        methods.push(method);
                    }
                }
                State::Opens {
                    buckets: [&streets.flop, &streets.turn, &streets.river].map(|s| s.buckets()),
                    method: methods.join(", "),
                    created: metadata.created,
                    seconds: metadata.seconds,
                    equity_tables: Street::POSTFLOP
                        .iter()
                        .all(|street| metadata.file(&format!("{street}.pairs")).is_some()),
                    preset: preset_of(&metadata.name),
                }
            }
        };
        Item { name: entry.name, path: entry.path, bytes: entry.bytes, state }
    }
}

/// The preset that makes an abstraction of this name.
fn preset_of(name: &str) -> Option<&'static str> {
    let plan =
        |preset: &str| lethe_kit::config::AbstractionConfig::preset(preset).ok()?.resolve().ok();
    let preset =
        presets().iter().find(|preset| plan(preset.name).is_some_and(|p| p.name() == name));
    preset.map(|preset| preset.name)
}

impl Report for Listing {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let root = self.root.display();
        if self.abstractions.is_empty() {
            return writeln!(out, "no abstraction in {root}; `lethe build` makes one");
        }
        let mut rows = Vec::new();
        for Item { name, bytes: size, state, .. } in &self.abstractions {
            let mut row = vec![name.clone(), bytes(*size)];
            match state {
                State::Opens { seconds, equity_tables, preset, .. } => {
                    row.push(format!("{seconds:.1} s"));
                    row.push(if *equity_tables { "yes" } else { "no" }.to_owned());
                    row.push(preset.unwrap_or("-").to_owned());
                }
                State::Broken { .. } => row.extend(["-", "-", "damaged"].map(str::to_owned)),
            }
            rows.push(row);
        }
        out.table(&["name", "size", "built in", "equity tables", "preset"], &rows)?;
        for Item { state, .. } in &self.abstractions {
            if let State::Broken { error } = state {
                writeln!(out, "\n{error}")?;
            }
        }
        Ok(())
    }
}

/// Lists the abstractions.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let abstractions = list(Path::new(&args.root))?.into_iter().map(Item::of).collect();
    out.show(&Listing { root: args.root.clone(), abstractions })
}
