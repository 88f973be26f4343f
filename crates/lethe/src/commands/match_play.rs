//! `lethe match`: two players against each other.

use std::io::{self, Write};
use std::path::PathBuf;

use lethe_blueprint::Mean;
use lethe_game::{Game, Tree};
use lethe_kit::Error;
use lethe_kit::config::training_config;
use lethe_kit::data::FindError;
use lethe_kit::measure::{MatchView, Player, play};
use lethe_kit::text::{or_dash, thousands};

use super::training::{Checkpoint, hands};
use super::watched;
use crate::error::InputError;
use crate::output::{Output, Report};

/// Plays two players against each other and prints what the first wins
///
/// A player is a blueprint (a run's directory, its name in the data directory, or a checkpoint
/// file), or one of these: call (checks and calls), fold (folds to any bet, checks otherwise), raise
/// (raises as much as it can), uniform (takes all actions equally often), equity (bets and raises
/// with an equity of at least 70 % against a random hand, calls where the equity beats the pot
/// odds).
///
/// Every deal is played twice with seats swapped, by the same random numbers, and hands that are
/// all-in are paid by their exact equity: both reduce luck and change no mean. The interval holds
/// the true value in 95 of 100 matches.
///
/// Both must play the same game: that of the blueprints, or for two players without one that of
/// --preset or --config.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe match quick call
  lethe match quick runs/other --hands 10M
  lethe match quick equity --checkpoint best-exploitability --json
  lethe match call raise --preset quick --hands 100k")]
pub(crate) struct Args {
    /// The first player, whose winnings are printed
    #[arg(value_name = "A")]
    first: PathBuf,
    /// The second player
    #[arg(value_name = "B")]
    second: PathBuf,
    /// Hands to play, such as 50000, 100k or 1M; each deal makes two
    #[arg(long, value_name = "N", default_value = "1M", value_parser = hands)]
    hands: u64,
    /// The seed of deals and choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Which checkpoint of a run plays
    #[arg(long, value_name = "NAME", default_value = "latest")]
    checkpoint: Checkpoint,
    /// The preset whose game is played, where neither player is a blueprint
    #[arg(long, value_name = "NAME", conflicts_with = "config")]
    preset: Option<String>,
    /// The training configuration whose game is played, where neither player is a blueprint
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Args {
    /// The betting of the preset or file.
    fn tree(&self) -> anyhow::Result<Option<Tree>> {
        if self.preset.is_none() && self.config.is_none() {
            return Ok(None);
        }
        let (preset, file) = (self.preset.as_deref(), self.config.as_deref());
        let config = training_config(preset, file, &[] as &[&str]).map_err(Error::from)?;
        let game = Game::hand(&config.game).map_err(InputError::new)?;
        Ok(Some(Tree::build(game, Tree::NODE_LIMIT).map_err(InputError::new)?))
    }
}

/// Plays and prints the result.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let open = |name| match Player::open(out.data(), name, args.checkpoint.into()) {
        Err(error @ Error::Find(FindError::Unknown { .. })) => {
            Err(anyhow::Error::from(InputError::new(format_args!(
                "{error}\nplayers without a run are call, fold, raise, uniform and equity"
            ))))
        }
        player => Ok(player?),
    };
    let players = [open(&args.first)?, open(&args.second)?];
    let tree = args.tree()?;
    let names = [args.first.as_path(), &args.second];
    let view = watched("the match has no result", out, |job| {
        play(&players, names, tree.as_ref(), args.hands, args.seed, job)
    })?;
    out.show(&view)
}

impl Report for MatchView {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let (a, b) = (out.bold(&self.a), out.bold(&self.b));
        writeln!(out, "{a} against {b}, {} hands\n", thousands(self.hands))?;
        write_seats(out, &self.overall, [&self.bb, &self.sb])?;
        let verdict = match self.overall {
            Mean { mbb, interval_mbb: Some(interval) } if mbb > interval => "wins",
            Mean { mbb, interval_mbb: Some(interval) } if -mbb > interval => "loses",
            Mean { mbb: 0.0, .. } => "breaks even",
            _ => "is not significantly different from even",
        };
        writeln!(out, "\n{a} {verdict}")
    }
}

/// Writes winnings by seat.
pub(super) fn write_seats(
    out: &mut Output<'_>,
    overall: &Mean,
    [big, small]: [&Mean; 2],
) -> io::Result<()> {
    let row = |name: &str, mean: &Mean| {
        let interval = or_dash(mean.interval_mbb, |x| format!("{x:.1}"));
        // A negative zero becomes a plain one.
        vec![name.to_owned(), format!("{:.1}", mean.mbb + 0.0), interval]
    };
    let rows = [row("small blind", small), row("big blind", big), row("both", overall)];
    out.table(&["seat", "mbb/hand", "± 95 %"], rows)
}
