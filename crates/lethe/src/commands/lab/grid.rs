//! The grid that the arguments ask for.

use std::path::PathBuf;

use clap::ValueEnum;
use lethe_lab::{Betting, Effort, Lab, Recipe, Root, RootError};

use lethe_kit::limits;

use crate::commands::input::count_in;
use crate::error::InputError;
use crate::output::Output;

/// What to measure.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Grid {
    /// The grid to begin with; other options override it
    #[arg(long, value_name = "NAME", default_value = "quick")]
    preset: Preset,
    /// Methods, separated by commas [default: the preset's; none with --abstraction]
    #[arg(long, value_name = "METHODS", value_delimiter = ',')]
    methods: Option<Vec<String>>,
    /// Buckets per street, separated by commas [default: the preset's]
    #[arg(
        long,
        value_name = "K",
        value_delimiter = ',',
        value_parser = count_in(1, 1_000_000)
    )]
    buckets: Option<Vec<u32>>,
    /// Flops or turns to start on, separated by commas, each with its weight after a colon if
    /// they differ [default: the preset's]
    #[arg(long, value_name = "BOARDS", value_delimiter = ',')]
    boards: Option<Vec<String>>,
    /// Seeds, separated by commas; methods without randomness are measured once
    #[arg(long, value_name = "SEEDS", value_delimiter = ',', default_value = "0")]
    seeds: Vec<u64>,
    /// Also measure this stored abstraction, restricted to the boards: its directory, a name or a
    /// preset; may be given several times
    #[arg(long, value_name = "DIR")]
    abstraction: Vec<PathBuf>,
    /// Iterations of each solve [default: the preset's]
    #[arg(long, value_name = "N", value_parser = count_in(1, u32::MAX))]
    iterations: Option<u32>,
    /// Chips in the pot
    #[arg(long, value_name = "CHIPS", default_value_t = Betting::default().pot)]
    pot: u32,
    /// Chips behind
    #[arg(long, value_name = "CHIPS", default_value_t = Betting::default().stack)]
    stack: u32,
    /// First bets on each street, such as '50%,100%,a'
    #[arg(long, value_name = "SIZES", default_value_t = Betting::default().bet)]
    bet_sizes: String,
    /// Raises on each street, such as '2.5x'
    #[arg(long, value_name = "SIZES", default_value_t = Betting::default().raise)]
    raise_sizes: String,
    /// Do not solve games with both players bucketed: a third of the time less
    #[arg(long)]
    no_symmetric: bool,
    /// The most memory of a solve, such as 8G [default: what is free]
    #[arg(long, value_name = "SIZE", value_parser = limits::memory)]
    memory: Option<u64>,
}

/// A grid to begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Preset {
    /// Five turns, ten methods, 49 and 196 buckets: some minutes
    Quick,
    /// Five flops, weighted as such flops come, five methods, 196 buckets: most of an hour
    Full,
}

impl Preset {
    /// Turns of several kinds; flops with the number of flops of their kind: unpaired of three
    /// suits, of two (halved between a high and a low one), paired or trips, and of one suit.
    fn boards(self) -> &'static [&'static str] {
        match self {
            Preset::Quick => &["Ks7h2d9s", "Th9h8c2d", "QsQh5d3c", "As8s4sJh", "7h6h5cJc"],
            Preset::Full => {
                &["Ks7h2d:6864", "AsJs6h:5148", "9s8s6h:5148", "QsQh5d:3796", "Ts7s3s:1144"]
            }
        }
    }

    fn methods(self) -> &'static [&'static str] {
        match self {
            Preset::Quick => &[
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
            Preset::Full => &[
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
            Preset::Quick => &[49, 196],
            Preset::Full => &[196],
        }
    }

    fn iterations(self) -> u32 {
        match self {
            Preset::Quick => 100,
            Preset::Full => 60,
        }
    }
}

impl Grid {
    /// The lab that was asked for; everything that can be wrong is found here.
    pub(super) fn lab(&self, out: &Output<'_>) -> anyhow::Result<Lab> {
        let own = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        let boards = self.boards.clone().unwrap_or_else(|| own(self.preset.boards()));
        let methods = match &self.methods {
            Some(methods) => methods.clone(),
            None if self.abstraction.is_empty() => own(self.preset.methods()),
            None => Vec::new(),
        };
        let roots: Vec<Root> = boards.iter().map(|text| root(text)).collect::<Result<_, _>>()?;
        let recipe = |text: &String| text.trim().parse::<Recipe>().map_err(InputError::new);
        let recipes: Vec<Recipe> = methods.iter().map(recipe).collect::<Result<_, _>>()?;
        let buckets = match &self.buckets {
            Some(buckets) => buckets.iter().map(|&count| count as usize).collect(),
            None => self.preset.buckets().to_vec(),
        };
        let betting = Betting {
            pot: self.pot,
            stack: self.stack,
            bet: self.bet_sizes.clone(),
            raise: self.raise_sizes.clone(),
        };
        for root in &roots {
            betting.spot(root).map_err(InputError::new)?;
        }
        let artifacts = self.abstraction.iter().map(|dir| out.data().open_abstraction(dir));
        let artifacts = artifacts.collect::<Result<_, _>>()?;
        Ok(Lab {
            roots,
            betting,
            effort: Effort {
                iterations: self.iterations.unwrap_or(self.preset.iterations()),
                memory_limit: self.memory.or_else(limits::free_memory),
            },
            recipes,
            buckets,
            seeds: self.seeds.clone(),
            artifacts,
            symmetric: !self.no_symmetric,
        })
    }
}

/// Reads a board with its weight.
fn root(text: &str) -> Result<Root, InputError> {
    text.trim().parse().map_err(|error| match error {
        RootError::Board { text, source } => InputError::pointing(&source, &text),
        error => InputError::new(error),
    })
}
