//! `lethe match`: two players against each other.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lethe_agent::{AgentConfig, SearchFrom};
use lethe_blueprint::Mean;
use lethe_game::{Game, Tree};
use lethe_kit::Error;
use lethe_kit::config::training_config;
use lethe_kit::data::FindError;
use lethe_kit::measure::{MatchView, Player, play};
use lethe_kit::text::{or_dash, thousands};
use lethe_play::{AivatView, ContestConfig, ContestError, ContestView, SearchedView, contest};

use super::agents::{SolveArgs, budget};
use super::training::{Checkpoint, hands};
use super::{check_outputs, watched};
use crate::error::{InputError, Stopped};
use crate::output::{Output, Report};
use crate::progress::Bars;

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
/// With --aivat more luck is removed: the payoff is averaged over all hands that the first player could
/// have had, and what deals and choices were worth by the stored values of a blueprint (`lethe values`) is
/// subtracted. That changes no mean either.
///
/// With --search the first player solves the rest of each hand from a street on, with --search-b the second.
/// Each hand then takes seconds.
///
/// Both must play the same game: that of the blueprints, or for two players without one that of
/// --preset or --config.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe match quick call
  lethe match quick runs/other --hands 10M
  lethe match quick equity --checkpoint best-exploitability --json
  lethe match quick call --hands 10k --aivat --phh match.phhs
  lethe match quick quick --search river --hands 20 --aivat
  lethe match call raise --preset quick --hands 100k")]
pub(crate) struct Args {
    /// The first player, whose winnings are printed
    #[arg(value_name = "A")]
    first: PathBuf,
    /// The second player
    #[arg(value_name = "B")]
    second: PathBuf,
    /// Hands to play, such as 50000, 100k or 1M; each deal makes two [default: 1M; 1k if a player
    /// searches]
    #[arg(long, value_name = "N", value_parser = hands)]
    hands: Option<u64>,
    /// The seed of deals and choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Remove luck by the stored values of a blueprint
    #[arg(long)]
    aivat: bool,
    /// Write the hands to a file, as hand histories in PHH
    #[arg(long, value_name = "FILE")]
    phh: Option<PathBuf>,
    /// Let the first player solve the rest of the hand from this street on: flop, turn, river or none
    #[arg(long, value_name = "STREET", default_value = "none")]
    search: SearchFrom,
    /// The same for the second player
    #[arg(long, value_name = "STREET", default_value = "none")]
    search_b: SearchFrom,
    #[command(flatten)]
    solve: SolveArgs,
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
    /// How a player searches, if it does.
    fn agent(&self, from: SearchFrom) -> Option<AgentConfig> {
        let config = self.solve.config(from, self.seed);
        (from != SearchFrom::None).then_some(AgentConfig { values: false, ..config })
    }

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
    let search = [args.search, args.search_b].map(|from| args.agent(from));
    let searches = search.iter().any(Option::is_some);
    let hands = args.hands.unwrap_or(if searches { 1000 } else { 1_000_000 });
    if !searches && !args.aivat && args.phh.is_none() {
        let view = watched("the match has no result", out, |job| {
            play(&players, names, tree.as_ref(), hands, args.seed, job)
        })?;
        return out.show(&view);
    }
    check_outputs(&[args.phh.as_deref()], &[])?;
    let phh = args.phh.as_deref();
    let config = ContestConfig { hands, seed: args.seed, search, aivat: args.aivat, phh };
    out.show(&played(&players, names, tree.as_ref(), config, out)?)
}

/// Plays a match with agents, luck removed or records.
fn played(
    players: &[Player; 2],
    names: [&Path; 2],
    tree: Option<&Tree>,
    config: ContestConfig<'_>,
    out: &Output<'_>,
) -> anyhow::Result<ContestView> {
    let (bars, pool) = (Bars::new(), out.pool()?);
    let view = contest(players, names, tree, config, bars.job_on(&pool));
    bars.finish();
    view.map_err(|error| match error {
        error if error.is_cancelled() => Stopped("the match has no result").into(),
        ContestError::Kit(error) => error.into(),
        ContestError::NoValues(name) => InputError::new(format_args!(
            "{name} has no stored values, by which luck is removed; `lethe values {name}` computes them"
        ))
        .into(),
        error @ (ContestError::NoSearch(_) | ContestError::NoBlueprint) => {
            InputError::new(error).into()
        }
        error => error.into(),
    })
}

impl Report for MatchView {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        write_players(self, [String::new(), String::new()], out)?;
        write_seats(out, &self.overall, [&self.bb, &self.sb])?;
        write_verdict(&self.a, &self.overall, out)
    }
}

impl Report for ContestView {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let searches = self.search.map(|search| {
            search.map_or_else(String::new, |search| {
                let SearchedView { from, gadget, iterations, target } = search;
                let budget = budget(iterations, target);
                format!(" (solves from the {from} on, {gadget}, {budget})")
            })
        });
        let MatchView { a, overall, bb, sb, .. } = &self.result;
        write_players(&self.result, searches, out)?;
        write_seats(out, overall, [bb, sb])?;
        let mut counted = overall;
        if let Some(AivatView { baseline, overall, sb, bb, shrink }) = &self.aivat {
            writeln!(out, "\nwith luck removed by the values of {baseline}:\n")?;
            write_seats(out, overall, [bb, sb])?;
            if let Some(shrink) = shrink {
                writeln!(
                    out,
                    "\nthe standard deviation is {shrink:.2} times smaller: as good as {:.1} times the hands",
                    shrink * shrink
                )?;
            }
            counted = overall;
        }
        write_verdict(a, counted, out)?;
        match &self.phh {
            Some(file) => writeln!(out, "hands written to {}", file.display()),
            None => Ok(()),
        }
    }
}

fn write_players(
    view: &MatchView,
    [of_a, of_b]: [String; 2],
    out: &mut Output<'_>,
) -> io::Result<()> {
    let (a, b) = (out.bold(&view.a), out.bold(&view.b));
    writeln!(out, "{a}{of_a} against {b}{of_b}, {} hands\n", thousands(view.hands))
}

fn write_verdict(a: &str, overall: &Mean, out: &mut Output<'_>) -> io::Result<()> {
    let verdict = match *overall {
        Mean { mbb, interval_mbb: Some(interval) } if mbb > interval => "wins",
        Mean { mbb, interval_mbb: Some(interval) } if -mbb > interval => "loses",
        Mean { mbb: 0.0, .. } => "breaks even",
        _ => "is not significantly different from even",
    };
    let a = out.bold(a);
    writeln!(out, "\n{a} {verdict}")
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
