//! `lethe build`: an abstraction of every street, from a preset or a configuration file.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lethe_cards::Street;
use lethe_kit::abstractions::{Build, BuildView, Overview};
use lethe_kit::config::AbstractionConfig;
use lethe_kit::text::counted;

use super::inspect::write_table;
use crate::error::stopped;
use crate::output::{Output, Report, bytes, seconds};
use crate::progress::Bars;

/// Builds an abstraction: a bucket for every hole on every flop, turn and river
///
/// First says how much time, memory and disk it takes. The directory is named after the
/// configuration and its hash; if it exists already, nothing is done. A build that is stopped leaves
/// nothing behind.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(after_help = "Examples:
  lethe build
  lethe build --preset blueprint --set seed=7
  lethe build --config my.yaml --set buckets.river=1000 --threads 4
  lethe build --preset texture-fast-test --json

Presets: default, blueprint, blueprint-clusters, quick, quick-clusters, slumbot-mb1b1, fine,
texture-fast-test, texture-default, texture-production. They are the commented files in
crates/kit/configs, a good start for your own.")]
pub(crate) struct Args {
    /// A configuration that comes with lethe [default: default]
    #[arg(long, value_name = "NAME", conflicts_with = "config")]
    pub(crate) preset: Option<String>,
    /// Your own configuration, in YAML
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Overrides a key of the configuration, such as num_flop_buckets=200 or method.river=ochs
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// The directory to put the abstraction's own into [default: abstractions in the data directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Build it even if it exists, and replace it at the end
    #[arg(long)]
    pub(crate) force: bool,
    /// Also compute the equities of buckets against one another
    #[arg(long)]
    pub(crate) equity_tables: bool,
}

impl Args {
    /// What is to be built.
    fn resolve(&self, out: &Output<'_>) -> Result<Build, lethe_kit::Error> {
        let mut config = match &self.config {
            Some(file) => AbstractionConfig::load(file)?,
            None => AbstractionConfig::preset(self.preset.as_deref().unwrap_or("default"))?,
        };
        self.set.iter().try_for_each(|assignment| config.set(assignment))?;
        let root = self.out.clone().unwrap_or_else(|| out.data().abstractions());
        let mut build = Build::new(config, root)?;
        (build.force, build.equity_tables) = (self.force, self.equity_tables);
        build.check()?;
        Ok(build)
    }
}

/// Builds what is asked for.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let view = perform(&args.resolve(out)?, out)?;
    out.show(&view)
}

/// Builds unless it is there, after saying what that takes.
pub(crate) fn perform(build: &Build, out: &mut Output<'_>) -> anyhow::Result<BuildView> {
    for key in build.unused_keys() {
        out.note(format_args!("note: {key} makes no difference to this method"))?;
    }
    let (bars, pool) = (Bars::new(), out.pool()?);
    if !build.is_built() {
        announce(build, out)?;
    }
    let built = build.run(bars.job_on(&pool)).map_err(stopped("nothing was written"))?;
    Ok(BuildView::of(built, bars.finish())?)
}

/// Builds the preset in a directory.
pub(crate) fn preset(root: &Path, out: &mut Output<'_>) -> anyhow::Result<BuildView> {
    let args = Args { out: Some(root.to_owned()), ..Args::default() };
    perform(&args.resolve(out)?, out)
}

fn announce(build: &Build, out: &mut Output<'_>) -> io::Result<()> {
    let forecast = build.forecast(out.threads());
    out.note(format_args!("building {} in {}", build.plan().name(), build.root().display()))?;
    out.note(format_args!(
        "about {} on {}, {} of memory, {} on disk{}",
        seconds(forecast.seconds),
        counted(out.threads(), "thread"),
        bytes(forecast.memory),
        bytes(forecast.disk),
        if build.equity_tables { "; equity tables take minutes more" } else { "" },
    ))
}

impl Report for BuildView {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let path = self.path.display();
        if self.built {
            writeln!(out, "built {path}: {} in {:.1} s\n", bytes(self.bytes), self.seconds)?;
        } else {
            writeln!(out, "{path} exists already; --force builds it again\n")?;
        }
        let overview = Overview::of(&self.abstraction, &Street::POSTFLOP);
        write_table(&overview.map_err(io::Error::other)?, out)
    }
}
