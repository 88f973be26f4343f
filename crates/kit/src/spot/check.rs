//! What a spot takes: its size, memory and time, and what to cut where that is too much.

use std::time::Duration;

use lethe_cards::Street;
use lethe_game::{Game, PlayerSizes, Sizes, SpotConfig, StreetSizes, Tree};
use lethe_solver::{Metrics, Options, Precision, Solver, Spot, Stop};
use serde::Serialize;

use super::{SpotFile, written};
use crate::config::ConfigError;
use crate::limits::TARGET;
use crate::solution::TreeView;
use crate::text::bytes;

/// Iterations to an exploitability of 0.1 % of the pot, as turns and flops take them.
const ITERATIONS: f64 = 220.0;
/// The power of the iteration that exploitability falls about like.
const RATE: f64 = 1.3;
/// Processor seconds of an iteration for each regret with its strategy sum, about.
const SECONDS_PER_CELL: f64 = 5e-9;
/// A solve that takes longer than this gets advice as well.
const LONG: f64 = 300.0;

/// What a solve of a spot takes.
#[derive(Clone, Debug, Serialize)]
pub struct SpotCheck {
    /// What the file says.
    pub form: SpotForm,
    /// The size of the spot; `None` if the tree is too large to be built.
    pub tree: Option<TreeView>,
    /// Why the tree cannot be built.
    pub problem: Option<String>,
    /// The bytes that are free, where the system says.
    pub free_memory: Option<u64>,
    /// Whether a solve in the precision asked for fits the free memory.
    pub fits: bool,
    /// About how many iterations the target takes.
    pub iterations: f64,
    /// About how many seconds they take.
    pub seconds: Option<f64>,
    /// What makes it smaller, the most effective first; empty where nothing needs to be cut.
    pub advice: Vec<Advice>,
}

/// The values of a spot file, amounts in chips.
#[derive(Clone, Debug, Serialize)]
pub struct SpotForm {
    /// The board.
    pub board: String,
    /// The ranges, as they are written in the file.
    pub oop_range: String,
    /// That of the player in position.
    pub ip_range: String,
    /// The betting.
    #[serde(flatten)]
    pub config: SpotConfig,
    /// The line it starts at.
    pub start: Option<String>,
    /// The locks.
    pub locks: Vec<String>,
}

/// A change of a spot that makes it smaller.
#[derive(Clone, Debug, Serialize)]
pub struct Advice {
    /// The change, for people.
    pub change: String,
    /// The bytes of a solve after it.
    pub memory: u64,
    /// Whether these fit.
    pub fits: bool,
    /// The spot file after it; `None` where the change is one of precision.
    pub spot: Option<String>,
}

impl SpotCheck {
    /// Checks a spot that is to be solved to a target with so many threads and bytes of free memory.
    pub fn of(
        file: &SpotFile,
        precision: Precision,
        target: Option<f64>,
        threads: usize,
        free_memory: Option<u64>,
    ) -> Result<SpotCheck, ConfigError> {
        let fits = |memory: u64| free_memory.is_none_or(|free| memory <= free);
        let target = target.unwrap_or(TARGET).max(1e-9);
        let iterations = (ITERATIONS * (TARGET / target).powf(1.0 / RATE)).max(10.0).round();
        let mut check = SpotCheck {
            form: file.form(),
            tree: None,
            problem: None,
            free_memory,
            fits: false,
            iterations,
            seconds: None,
            advice: Vec::new(),
        };
        let street = file.board().street();
        let too_large = Game::spot(file.config(), street).ok().and_then(|game| {
            let counts = game.counts(Tree::NODE_LIMIT);
            let fits = counts.is_ok_and(|counts| counts.nodes() <= Tree::NODE_LIMIT);
            // Refused before anything is built.
            if fits { None } else { Tree::build(game, Tree::NODE_LIMIT).err() }
        });
        if let Some(too_large) = too_large {
            check.problem = Some(too_large.to_string());
        } else {
            let spot = file.spot()?;
            let memory = Solver::memory(&spot, &options(precision));
            let cells = memory.cells as f64 / (2.0 * precision.bytes() as f64);
            check.fits = fits(memory.total());
            check.seconds = Some(iterations * cells * SECONDS_PER_CELL / threads.max(1) as f64);
            check.tree = Some(TreeView::of(&spot, 0));
        }
        if check.fits && check.seconds.is_none_or(|seconds| seconds < LONG) {
            return Ok(check);
        }
        let now = check.tree.as_ref().map_or(u64::MAX, |tree| match precision {
            Precision::F32 => tree.memory.f32,
            Precision::I16 => tree.memory.i16,
        });
        if let (Precision::F32, Some(tree)) = (precision, &check.tree) {
            let memory = tree.memory.i16;
            let change = "store 16-bit numbers".to_owned();
            check.advice.push(Advice { change, memory, fits: fits(memory), spot: None });
        }
        for (change, config) in cuts(file.config(), street) {
            let Some(memory) = memory(file, &config, precision) else { continue };
            let spot = written(file.board(), file.ranges(), &config, None, &[]);
            check.advice.push(Advice { change, memory, fits: fits(memory), spot: Some(spot) });
        }
        check.advice.retain(|advice| advice.memory < now / 100 * 95);
        check.advice.sort_by_key(|advice| advice.memory);
        Ok(check)
    }

    /// What to say about a spot that does not fit.
    pub fn remedy(&self) -> String {
        let free = self.free_memory.map_or_else(|| "?".to_owned(), bytes);
        let needs = match (&self.tree, &self.problem) {
            (Some(tree), _) => format!(
                "the solve needs {} ({} with 16-bit numbers) and {free} are free",
                bytes(tree.memory.f32),
                bytes(tree.memory.i16)
            ),
            (None, Some(problem)) => problem.clone(),
            (None, None) => "the tree is too large".to_owned(),
        };
        match self.advice.first() {
            Some(Advice { change, memory, .. }) => {
                format!("{needs}; {change}: {}", bytes(*memory))
            }
            None => format!("{needs}; use fewer bet sizes"),
        }
    }
}

fn options(precision: Precision) -> Options {
    Options { precision, ..Options::default() }
}

/// The bytes of a solve with another betting; `None` if its tree is too large as well.
fn memory(file: &SpotFile, config: &SpotConfig, precision: Precision) -> Option<u64> {
    let game = Game::spot(config, file.board().street()).ok()?;
    let tree = Tree::build(game, Tree::NODE_LIMIT).ok()?;
    let spot = Spot::new(file.board(), file.ranges().clone(), tree.into()).ok()?;
    Some(Solver::memory(&spot, &options(precision)).total())
}

/// Changes of the betting that make its tree smaller.
fn cuts(config: &SpotConfig, first: Street) -> Vec<(String, SpotConfig)> {
    let mut cuts = Vec::new();
    for street in Street::POSTFLOP.into_iter().filter(|&street| street >= first) {
        let mut fewer = config.clone();
        let sizes = of(&mut fewer, street);
        let most = [&sizes.oop, &sizes.ip]
            .into_iter()
            .flat_map(|player| [Some(&player.bet), Some(&player.raise), player.donk.as_ref()])
            .flatten()
            .map(|list| list.as_slice().len())
            .max();
        sizes.oop = one_each(&sizes.oop);
        sizes.ip = one_each(&sizes.ip);
        if most > Some(1) {
            cuts.push((format!("{street}: one size for each bet and raise"), fewer));
        }
        let mut capped = config.clone();
        let sizes = of(&mut capped, street);
        if sizes.max_raises.is_none_or(|most| most > 1) {
            sizes.max_raises = Some(1);
            cuts.push((format!("{street}: at most one raise"), capped));
        }
    }
    if config.force_allin_threshold < 0.25 {
        let forced = SpotConfig { force_allin_threshold: 0.25, ..config.clone() };
        let change = "force_allin_threshold 0.25: large bets are all-in".to_owned();
        cuts.push((change, forced));
    }
    cuts
}

fn of(config: &mut SpotConfig, street: Street) -> &mut StreetSizes {
    match street {
        Street::Turn => &mut config.bet_sizes.turn,
        Street::River => &mut config.bet_sizes.river,
        _ => &mut config.bet_sizes.flop,
    }
}

/// The first size of each list.
fn one_each(sizes: &PlayerSizes) -> PlayerSizes {
    let first = |list: &Sizes, read: fn(&str) -> Result<Sizes, lethe_game::SizeError>| {
        let text = list.as_slice().first().map_or_else(String::new, ToString::to_string);
        read(&text).unwrap_or_else(|_| list.clone())
    };
    PlayerSizes {
        bet: first(&sizes.bet, Sizes::parse_bets),
        raise: first(&sizes.raise, Sizes::parse_raises),
        donk: sizes.donk.as_ref().map(|list| first(list, Sizes::parse_bets)),
    }
}

/// About how much time is left until the first limit of a run is reached; `None` while unknown.
pub fn time_left(now: &Metrics, stop: &Stop) -> Option<Duration> {
    let done = f64::from(now.iteration);
    let elapsed = now.elapsed.as_secs_f64();
    let target = stop
        .target
        .zip(now.exploitability)
        .map(|(target, chips)| done * (chips / (target * now.pot)).max(1.0).powf(1.0 / RATE));
    let iterations = stop.iterations.map(f64::from);
    let needed = target.into_iter().chain(iterations).reduce(f64::min);
    let by_rate = needed.map(|needed| (needed - done).max(0.0) * elapsed / done);
    let by_clock = stop.time.map(|time| (time.as_secs_f64() - elapsed).max(0.0));
    let left = by_rate.into_iter().chain(by_clock).reduce(f64::min)?;
    Duration::try_from_secs_f64(left).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TURN: &str = "board: Ks7h2d5c\noop_range: 22+,A2s+\nip_range: 22+,K9s+\npot: 100\n\
                        stack: 900\nbet_sizes:\n  turn:\n    oop: {bet: \"33%, 75%\", raise: 60%}\n    \
                        ip: {bet: \"33%, 75%\", raise: 60%}\n  river:\n    oop: {bet: \"33%, 75%\"}\n";

    #[test]
    fn every_advice_is_a_smaller_spot_and_says_its_memory() {
        let file = SpotFile::parse("turn.yaml", TURN).unwrap();
        let small = SpotCheck::of(&file, Precision::F32, None, 2, Some(1 << 40)).unwrap();
        assert!(small.fits && small.advice.is_empty() && small.seconds.unwrap() > 0.0);
        let check = SpotCheck::of(&file, Precision::F32, None, 2, Some(1 << 10)).unwrap();
        assert!(!check.fits && check.advice.len() > 3);
        let now = check.tree.as_ref().unwrap().memory.f32;
        for advice in &check.advice {
            assert!(advice.memory < now, "{}", advice.change);
            if let Some(text) = &advice.spot {
                let spot = SpotFile::parse("cut.yaml", text).unwrap().spot().unwrap();
                let memory = Solver::memory(&spot, &options(Precision::F32)).total();
                assert_eq!(memory, advice.memory, "{}", advice.change);
            }
        }
        assert!(check.remedy().contains("are free; "));
    }
}
