//! The grid of a lab that was asked for: a preset and what overrides it.

use std::path::PathBuf;

use lethe_lab::{Betting, Effort, Lab, Recipe, Root, RootError};

use crate::data::DataDir;
use crate::error::Error;
use crate::limits::free_memory;

/// A grid to begin with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LabPreset {
    /// Five turns, ten methods, 49 and 196 buckets: some minutes.
    #[default]
    Quick,
    /// Five flops, weighted as such flops come, five methods, 196 buckets: most of an hour.
    Full,
}

impl LabPreset {
    /// Turns of several kinds; flops with the number of flops of their kind: unpaired of three
    /// suits, of two (halved between a high and a low one), paired or trips, and of one suit.
    fn boards(self) -> &'static [&'static str] {
        match self {
            LabPreset::Quick => &["Ks7h2d9s", "Th9h8c2d", "QsQh5d3c", "As8s4sJh", "7h6h5cJc"],
            LabPreset::Full => {
                &["Ks7h2d:6864", "AsJs6h:5148", "9s8s6h:5148", "QsQh5d:3796", "Ts7s3s:1144"]
            }
        }
    }

    fn methods(self) -> &'static [&'static str] {
        match self {
            LabPreset::Quick => &[
                "percentile",
                "ehs",
                "ehs2-percentile",
                "histogram10",
                "histogram10-emd",
                "histogram10+percentile",
                "histogram10+ochs8",
                "percentile+ochs8",
                "texture",
                "random",
            ],
            LabPreset::Full => &[
                "percentile",
                "percentile+ochs8",
                "histogram10+percentile",
                "histogram10+ochs8",
                "texture",
            ],
        }
    }

    fn buckets(self) -> &'static [usize] {
        match self {
            LabPreset::Quick => &[49, 196],
            LabPreset::Full => &[196],
        }
    }

    fn iterations(self) -> u32 {
        match self {
            LabPreset::Quick => 100,
            LabPreset::Full => 60,
        }
    }
}

/// What to measure; where something is `None`, the preset's.
#[derive(Clone, Debug)]
pub struct LabRequest {
    /// The grid to begin with.
    pub preset: LabPreset,
    /// Methods; of the preset only where there are no abstractions.
    pub methods: Option<Vec<String>>,
    /// Buckets per street.
    pub buckets: Option<Vec<usize>>,
    /// Flops or turns to start on, with their weights.
    pub boards: Option<Vec<String>>,
    /// Seeds.
    pub seeds: Vec<u64>,
    /// Stored abstractions: directories, names or presets.
    pub abstractions: Vec<PathBuf>,
    /// Iterations of each solve.
    pub iterations: Option<u32>,
    /// The betting of all games.
    pub betting: Betting,
    /// Whether games with both players bucketed are solved as well.
    pub symmetric: bool,
    /// The most memory of a solve; `None` for what is free.
    pub memory: Option<u64>,
}

impl Default for LabRequest {
    fn default() -> LabRequest {
        LabRequest {
            preset: LabPreset::default(),
            methods: None,
            buckets: None,
            boards: None,
            seeds: vec![0],
            abstractions: Vec::new(),
            iterations: None,
            betting: Betting::default(),
            symmetric: true,
            memory: None,
        }
    }
}

impl LabRequest {
    /// The lab that was asked for; everything that can be wrong is found here.
    pub fn lab(&self, data: &DataDir) -> Result<Lab, Error> {
        let own = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        let boards = self.boards.clone().unwrap_or_else(|| own(self.preset.boards()));
        let methods = match &self.methods {
            Some(methods) => methods.clone(),
            None if self.abstractions.is_empty() => own(self.preset.methods()),
            None => Vec::new(),
        };
        let roots: Vec<Root> = boards.iter().map(|text| root(text)).collect::<Result<_, _>>()?;
        let recipe = |text: &String| text.trim().parse::<Recipe>().map_err(Error::question);
        let recipes: Vec<Recipe> = methods.iter().map(recipe).collect::<Result<_, _>>()?;
        for root in &roots {
            self.betting.spot(root).map_err(Error::question)?;
        }
        let artifacts = self.abstractions.iter().map(|dir| data.open_abstraction(dir));
        Ok(Lab {
            roots,
            betting: self.betting.clone(),
            effort: Effort {
                iterations: self.iterations.unwrap_or(self.preset.iterations()),
                memory_limit: self.memory.or_else(free_memory),
            },
            recipes,
            buckets: self.buckets.clone().unwrap_or_else(|| self.preset.buckets().to_vec()),
            seeds: self.seeds.clone(),
            artifacts: artifacts.collect::<Result<_, _>>()?,
            symmetric: self.symmetric,
        })
    }
}

/// Reads a board with its weight.
fn root(text: &str) -> Result<Root, Error> {
    text.trim().parse().map_err(|error| match error {
        RootError::Board { text, source } => Error::question(source.pointing_at(&text)),
        error => Error::question(error),
    })
}
