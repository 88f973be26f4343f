//! `lethe match`: two players against each other.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use lethe_abstraction::BuildError;
use lethe_blueprint::{Baseline, Blueprint, ByEquity, Match, Mean, Policy, Winnings};
use lethe_cards::Street;
use lethe_compute::Pool;
use lethe_game::{Game, HandConfig, Tree};
use serde::Serialize;

use super::training::{self, Checkpoint, config};
use crate::error::{InputError, Stopped};
use crate::output::{Output, Report, thousands};
use crate::progress::Bars;

/// Plays two players against each other and tells what the first wins
///
/// A player is a blueprint, its run's directory or a checkpoint file, or one of these:
/// call (checks and calls), fold (folds to any bet, checks otherwise), raise (raises as much as it
/// can), uniform (takes all actions equally often), equity (bets and raises from an equity of 70 %
/// against a random hand, calls where the equity beats the pot odds).
///
/// Every deal is played twice with seats swapped, by the same random numbers, and hands that are
/// all-in are paid by their exact equity: both take luck out and change no mean. The interval holds
/// the true value in 95 of 100 matches.
///
/// Both must play the same game. It is that of the blueprints; two players without one need --preset
/// or --config.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  lethe match runs/quick call
  lethe match runs/quick runs/other --hands 10M
  lethe match runs/quick equity --checkpoint best-exploitability --json
  lethe match call raise --preset quick --hands 100k")]
pub(crate) struct Args {
    /// The first player, whose winnings are told
    #[arg(value_name = "A")]
    first: PathBuf,
    /// The second player
    #[arg(value_name = "B")]
    second: PathBuf,
    /// Hands to play, such as 50000, 100k or 1M; each deal makes two
    #[arg(long, value_name = "N", default_value = "1M", value_parser = count)]
    hands: u64,
    /// The seed of deals and choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// The threads to use; left out: all cores. The result does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// CheckpointKind checkpoint of a run's directory plays
    #[arg(long, value_name = "NAME", default_value = "latest")]
    checkpoint: Checkpoint,
    /// The preset whose game is played, where no player is a blueprint
    #[arg(long, value_name = "NAME", conflicts_with = "config")]
    preset: Option<String>,
    /// The training configuration whose game is played, where no player is a blueprint
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Reads a number of hands such as `50000`, `100k` or `1.5M`.
pub(crate) fn count(text: &str) -> Result<u64, String> {
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
        Some(count) if (2.0..=MOST).contains(&count) => Ok(count as u64),
        _ => Err("write a number of hands from 2 to 1000G, such as 50000, 100k or 1M".to_owned()),
    }
}

/// A player.
#[derive(Debug)]
enum Side {
    Baseline(Baseline),
    Equity,
    Blueprint(Box<Blueprint>),
}

impl Side {
    fn open(path: &Path, checkpoint: Checkpoint) -> anyhow::Result<Side> {
        if path == Path::new("equity") {
            return Ok(Side::Equity);
        }
        if let Some(baseline) = path.to_str().and_then(|text| text.parse().ok()) {
            return Ok(Side::Baseline(baseline));
        }
        match training::open(path, checkpoint) {
            Ok(blueprint) => Ok(Side::Blueprint(Box::new(blueprint))),
            Err(error) if error.is::<InputError>() => {
                let message = visible(&error.to_string());
                let others = "players without one are call, fold, raise, uniform and equity";
                Err(InputError::new(format_args!("{message}; {others}")).into())
            }
            Err(error) => Err(error),
        }
    }

    fn blueprint(&self) -> Option<&Blueprint> {
        match self {
            Side::Blueprint(blueprint) => Some(blueprint),
            _ => None,
        }
    }
}

/// A match to play.
#[derive(Debug)]
struct Pairing {
    sides: [Side; 2],
    names: [String; 2],
    /// The betting, where no blueprint has it.
    tree: Option<Tree>,
}

impl Args {
    fn resolve(&self) -> anyhow::Result<Pairing> {
        let sides = [&self.first, &self.second].map(|path| Side::open(path, self.checkpoint));
        let [first, second] = sides;
        let sides = [first?, second?];
        let names = [&self.first, &self.second].map(|path| visible(&path.to_string_lossy()));
        let [first, second] = [0, 1].map(|i: usize| sides[i].blueprint());
        if let (Some(first), Some(second)) = (first, second) {
            check_same_game(&names, [first, second])?;
        }
        let given = self.preset.is_some() || self.config.is_some();
        let tree = match (first.or(second), given) {
            (None, true) => Some(self.read_tree()?),
            (Some(_), false) => None,
            (None, false) => {
                let message = "neither player is a blueprint, so there is no game to play: give \
                               --preset or --config";
                return Err(InputError::new(message).into());
            }
            (Some(_), true) => {
                let message = "--preset and --config are for players without a blueprint; a \
                               blueprint plays the game it was trained for";
                return Err(InputError::new(message).into());
            }
        };
        Ok(Pairing { sides, names, tree })
    }

    /// The betting of the preset or file.
    fn read_tree(&self) -> Result<Tree, InputError> {
        let config = config::read(self.preset.as_deref(), self.config.as_deref(), &[])?;
        let game = Game::hand(&config.game).map_err(InputError::new)?;
        Tree::build(game, Tree::NODE_LIMIT).map_err(InputError::new)
    }
}

/// Checks that two blueprints are for one game.
fn check_same_game(
    [first, second]: &[String; 2],
    blueprints: [&Blueprint; 2],
) -> Result<(), InputError> {
    let [a, b] = blueprints.map(|blueprint| &blueprint.header().config.game);
    if a == b {
        return Ok(());
    }
    let chips = |game: &HandConfig| {
        let HandConfig { stack, small_blind, big_blind, ante, .. } = game;
        format!("stack {stack}, blinds {small_blind}/{big_blind}, ante {ante}")
    };
    let (a, b) = (chips(a), chips(b));
    let difference = if a == b {
        "their bet sizes or options differ".to_owned()
    } else {
        format!("the first has {a}, the second {b}")
    };
    Err(InputError::new(format_args!(
        "{first} and {second} play different games: {difference}; a match needs two of one game"
    )))
}

/// The text without characters that a terminal obeys.
fn visible(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// The threads to use: as many as asked for, or all cores.
pub(crate) fn threads(asked: Option<u16>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.map_or_else(cores, usize::from)
}

/// How a match ended, for the first player.
#[derive(Debug, Serialize)]
struct Answer {
    a: String,
    b: String,
    hands: u64,
    seed: u64,
    #[serde(flatten)]
    overall: Mean,
    sb: Mean,
    bb: Mean,
}

impl Report for Answer {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        let (a, b) = (out.bold(&self.a), out.bold(&self.b));
        writeln!(out, "{a} against {b}, {} hands\n", thousands(self.hands.into()))?;
        write_seats(out, &self.overall, [&self.bb, &self.sb])?;
        let sign = match self.overall {
            Mean { mbb, interval_mbb: Some(interval) } if mbb.abs() > interval => {
                if mbb > 0.0 {
                    "wins"
                } else {
                    "loses"
                }
            }
            Mean { mbb: 0.0, .. } => "breaks even",
            _ => "is not told apart from even: the interval holds 0",
        };
        writeln!(out, "\n{a} {sign}")
    }
}

/// Writes winnings by seat.
pub(super) fn write_seats(
    out: &mut Output<'_>,
    overall: &Mean,
    [big, small]: [&Mean; 2],
) -> io::Result<()> {
    let row = |name: &str, estimate: &Mean| {
        let interval = estimate.interval_mbb.map_or_else(|| "-".to_owned(), |x| format!("{x:.1}"));
        // A negative zero becomes a plain one.
        vec![name.to_owned(), format!("{:.1}", estimate.mbb + 0.0), interval]
    };
    let rows = [row("small blind", small), row("big blind", big), row("both", overall)];
    out.table(&["seat", "mbb/hand", "± 95 %"], &rows)
}

/// Plays and prints what came out.
pub(crate) fn run(args: &Args, out: &mut Output<'_>) -> anyhow::Result<()> {
    let Pairing { sides, names, tree } = args.resolve()?;
    let (progress, pool) = (Bars::new(), Pool::new(threads(args.threads))?);
    let stopped = || Stopped("the match has no result");
    let blueprint = sides.iter().find_map(Side::blueprint);
    let by_equity = if sides.iter().any(|side| matches!(side, Side::Equity)) {
        let stored = blueprint.and_then(Blueprint::abstraction).filter(|cards| {
            [Street::Flop, Street::Turn].iter().all(|&street| cards.equity_table(street).is_some())
        });
        match stored {
            Some(cards) => Some(ByEquity::stored(cards)),
            None => match ByEquity::computed(progress.job_on(&pool)) {
                Err(BuildError::Cancelled) => return Err(stopped().into()),
                computed => Some(computed?),
            },
        }
    } else {
        None
    };
    let players = [0, 1].map(|i: usize| -> &dyn Policy {
        match (&sides[i], &by_equity) {
            (Side::Baseline(baseline), _) => baseline,
            (Side::Blueprint(blueprint), _) => &**blueprint,
            (Side::Equity, Some(by_equity)) => by_equity,
            (Side::Equity, None) => unreachable!("it was made above"),
        }
    });
    let tree = tree.as_ref().or(blueprint.map(Blueprint::tree)).context("there is no game")?;
    let won =
        Match { tree, players }.play(args.hands.div_ceil(2), args.seed, progress.job_on(&pool));
    progress.finish();
    let Winnings { deals, overall, seats: [bb, sb] } = won.map_err(|_| stopped())?;
    let [a, b] = names;
    out.show(&Answer { a, b, hands: 2 * deals, seed: args.seed, overall, sb, bb })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_hands_are_read_with_their_unit() {
        for (text, hands) in [("2", 2), ("1M", 1_000_000), ("1.5k", 1500), ("20G", 20_000_000_000)]
        {
            assert_eq!(count(text), Ok(hands), "{text}");
        }
        for text in ["", "1", "0", "-5", "1e6", "M", "1kk", "nan", "inf", "9999999G", "1 T"] {
            assert!(count(text).is_err(), "{text}");
        }
    }
}
