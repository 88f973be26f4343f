//! The grid that the arguments ask for.

use std::path::PathBuf;

use clap::ValueEnum;
use lethe_kit::lab::{LabPreset, LabRequest};
use lethe_kit::limits;
use lethe_lab::{Betting, Lab};

use crate::commands::input::count_in;
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

impl Grid {
    /// The lab that was asked for; everything that can be wrong is found here.
    pub(super) fn lab(&self, out: &Output<'_>) -> Result<Lab, lethe_kit::Error> {
        let buckets = |counts: &Vec<u32>| counts.iter().map(|&count| count as usize).collect();
        let request = LabRequest {
            preset: match self.preset {
                Preset::Quick => LabPreset::Quick,
                Preset::Full => LabPreset::Full,
            },
            methods: self.methods.clone(),
            buckets: self.buckets.as_ref().map(buckets),
            boards: self.boards.clone(),
            seeds: self.seeds.clone(),
            abstractions: self.abstraction.clone(),
            iterations: self.iterations,
            betting: Betting {
                pot: self.pot,
                stack: self.stack,
                bet: self.bet_sizes.clone(),
                raise: self.raise_sizes.clone(),
            },
            symmetric: !self.no_symmetric,
            memory: self.memory,
        };
        request.lab(out.data())
    }
}
