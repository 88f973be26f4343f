//! How good a blueprint is: exploitability, local best response, matches.
//!
//! ```no_run
//! use lethe_blueprint::{CheckpointKind, Flops};
//! use lethe_compute::Job;
//! use lethe_kit::{data::DataDir, measure, runs};
//!
//! let blueprint = runs::open(&DataDir::locate(None), "quick".as_ref(), CheckpointKind::Latest)?;
//! let verified = blueprint.verify(Job::default())?;
//! let measured = measure::exploitability(&verified, false, Flops::All, Job::default())?;
//! println!("{} mbb/hand", measured.result.exploitability_mbb);
//! # Ok::<(), lethe_kit::Error>(())
//! ```

use std::path::Path;
use std::time::Instant;

use lethe_agent::{AgentExploitability, LeafKind, Search, SearchMeasure};
use lethe_blueprint::{
    Baseline, Blueprint, ByEquity, CheckpointKind, Exact, Exploitability, FlopSample, Flops,
    LocalBestResponse, Match, Mean, Policy, TablePolicy, Uniform, VerifiedBlueprint, Wanted,
    Weights, Winnings,
};
use lethe_cards::{CanonicalBoard, Street};
use lethe_compute::Job;
use lethe_game::{HandConfig, Tree};
use serde::Serialize;

use crate::config::tame;
use crate::data::DataDir;
use crate::error::Error;
use crate::runs;

/// The share of the 2,352 ways to deal turn and river that suit symmetry leaves to compute: over
/// all canonical flops, and over flops as they are dealt.
const ALL_RUNOUTS: f64 = 0.619;
const DEALT_RUNOUTS: f64 = 0.714;

/// The exploitability of a strategy in real cards.
#[derive(Clone, Debug, Serialize)]
pub struct ExploitabilityView {
    /// The figures.
    #[serde(flatten)]
    pub result: Exploitability,
    /// How long it took.
    pub seconds: f64,
}

/// Computes the exploitability of a blueprint over flops, or of one that takes all its actions
/// equally often. On a sample of flops, responses to the blueprint play before the flop as the
/// adversary of its training learned to, if there was one.
pub fn exploitability(
    blueprint: &VerifiedBlueprint<'_>,
    uniform: bool,
    flops: Flops,
    job: Job<'_>,
) -> Result<ExploitabilityView, Error> {
    let (plan, buckets) = (blueprint.plan(), blueprint.buckets());
    let begun = Instant::now();
    let result = match (uniform, blueprint.adversary()) {
        (true, _) => Exact { plan, buckets, weights: &Uniform }.exploitability(flops, job)?,
        (false, adversary) => {
            let exact = Exact { plan, buckets, weights: blueprint };
            match adversary {
                Some(adversary) => exact.exploitability_by(flops, &adversary, job)?,
                None => exact.exploitability(flops, job)?,
            }
        }
    };
    Ok(ExploitabilityView { result, seconds: begun.elapsed().as_secs_f64() })
}

/// The exploitability of an agent that searches under a blueprint.
#[derive(Clone, Debug, Serialize)]
pub struct SearchView {
    /// The figures.
    #[serde(flatten)]
    pub result: AgentExploitability,
    /// How long it took.
    pub seconds: f64,
}

/// Computes the exploitability of an agent that searches under a blueprint, on a sample of flops, after
/// reporting about how many seconds that takes. Nothing is kept; [`FlopWork`](crate::flop_work::FlopWork)
/// keeps finished flops.
pub fn search_exploitability(
    blueprint: &VerifiedBlueprint<'_>,
    search: Search,
    flops: Flops,
    job: Job<'_>,
    on_forecast: &mut dyn FnMut(f64),
) -> Result<SearchView, Error> {
    let begun = Instant::now();
    let (plan, buckets) = (blueprint.plan(), blueprint.buckets());
    let exact = Exact { plan, buckets, weights: blueprint };
    let adversary = blueprint.adversary();
    let adversary = adversary.as_ref().map(|adversary| adversary as &dyn Weights);
    let equities = match search.leaf {
        Some(LeafKind::Equity) => runs::flop_equities(blueprint)?,
        _ => None,
    };
    let measure = SearchMeasure::new(exact, adversary, search)?.with_equities(equities);
    let sample = FlopSample::new(flops);
    on_forecast(measure.forecast(&sample, None, job)?);
    let result = measure.run(&sample, None, job)?;
    Ok(SearchView { result, seconds: begun.elapsed().as_secs_f64() })
}

/// How many flops that takes, and about how many seconds, by computing one; `None` where no flop is
/// ever bet on.
pub fn exploitability_forecast(
    blueprint: &VerifiedBlueprint<'_>,
    flops: Flops,
    job: Job<'_>,
) -> Option<(usize, f64)> {
    let exact = Exact { plan: blueprint.plan(), buckets: blueprint.buckets(), weights: &Uniform };
    let lines = exact.lines();
    if lines == 0 {
        return None;
    }
    // A flop of three suits has no symmetry.
    let flop = CanonicalBoard::of(&"Ts8h4d".parse().ok()?).0;
    let begun = Instant::now();
    for p in [0, 1] {
        let wanted = Wanted { own: p == 1, ladder: true };
        exact.flop(p, flop, &vec![[1.0; 169]; lines], wanted, job.silent()).ok()?;
    }
    let second = begun.elapsed().as_secs_f64();
    let (count, share) = match flops {
        Flops::All => (CanonicalBoard::count(Street::Flop), ALL_RUNOUTS),
        Flops::Sample(count, _) => (count, DEALT_RUNOUTS),
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(job.threads());
    Some((count, second * share * count as f64 / cores as f64))
}

/// What a local best response wins from a strategy: a lower bound on its exploitability.
#[derive(Clone, Debug, Serialize)]
pub struct LbrView {
    /// Always true: this is no exploitability.
    pub lbr: bool,
    /// Hands played, two for each deal.
    pub hands: u64,
    /// The seed of the deals.
    pub seed: u64,
    /// The mean over both seats: the lower bound.
    pub lbr_mbb: f64,
    /// Half the width of the 95 % interval.
    pub interval_mbb: Option<f64>,
    /// As the small blind.
    pub sb: Mean,
    /// As the big blind.
    pub bb: Mean,
}

/// Plays a local best response against a blueprint, or against one that takes all its actions
/// equally often.
pub fn local_best_response(
    blueprint: &VerifiedBlueprint<'_>,
    uniform: bool,
    hands: u64,
    seed: u64,
    job: Job<'_>,
) -> Result<LbrView, Error> {
    let (plan, buckets) = (blueprint.plan(), blueprint.buckets());
    let even = TablePolicy { plan, buckets, weights: &Uniform };
    let policy: &dyn Policy = if uniform { &even } else { blueprint };
    let lbr = LocalBestResponse { tree: blueprint.tree(), policy, bets_from: Street::Preflop };
    let won = lbr.play(hands.div_ceil(2), seed, job)?;
    let Winnings { deals, overall, seats: [bb, sb] } = won;
    let Mean { mbb: lbr_mbb, interval_mbb } = overall;
    Ok(LbrView { lbr: true, hands: 2 * deals, seed, lbr_mbb, interval_mbb, sb, bb })
}

/// A player of a match.
#[derive(Debug)]
pub enum Player {
    /// `call`, `fold`, `raise` or `uniform`.
    Baseline(Baseline),
    /// Bets and calls by its equity against a random hand.
    Equity,
    /// A blueprint.
    Blueprint(Box<Blueprint>),
}

/// How a match ended, for the first player.
#[derive(Clone, Debug, Serialize)]
pub struct MatchView {
    /// The first player.
    pub a: String,
    /// The second player.
    pub b: String,
    /// Hands played, two for each deal.
    pub hands: u64,
    /// The seed of deals and choices.
    pub seed: u64,
    /// The winnings over both seats.
    #[serde(flatten)]
    pub overall: Mean,
    /// Those as the small blind.
    pub sb: Mean,
    /// Those as the big blind.
    pub bb: Mean,
}

impl Player {
    /// The player that `name` means: one of the simple ones, or a run.
    pub fn open(data: &DataDir, name: &Path, kind: CheckpointKind) -> Result<Player, Error> {
        if name == Path::new("equity") {
            return Ok(Player::Equity);
        }
        match name.to_str().and_then(|text| text.parse().ok()) {
            Some(baseline) => Ok(Player::Baseline(baseline)),
            None => Ok(Player::Blueprint(Box::new(runs::open(data, name, kind)?))),
        }
    }

    fn blueprint(&self) -> Option<&Blueprint> {
        match self {
            Player::Blueprint(blueprint) => Some(blueprint),
            _ => None,
        }
    }
}

/// Two players at the table: the game they play, and how.
pub struct Seated<'a> {
    /// The betting.
    pub tree: &'a Tree,
    /// Their names.
    pub names: [String; 2],
    /// How they act.
    pub policies: [&'a dyn Policy; 2],
    /// Those that are blueprints.
    pub blueprints: [Option<&'a VerifiedBlueprint<'a>>; 2],
}

/// Seats two players and plays. The game is that of the blueprints; players without one need a `tree`.
pub fn seat<T, E: From<Error>>(
    players: &[Player; 2],
    names: [&Path; 2],
    tree: Option<&Tree>,
    job: Job<'_>,
    play: impl FnOnce(Seated<'_>) -> Result<T, E>,
) -> Result<T, E> {
    let names = names.map(|name| tame(&name.to_string_lossy()).into_owned());
    let blueprints = [players[0].blueprint(), players[1].blueprint()];
    if let [Some(first), Some(second)] = blueprints {
        check_same_game([&names[0], &names[1]], [first, second])?;
    }
    let blueprint = blueprints.into_iter().flatten().next();
    let tree = match (tree, blueprint) {
        (Some(tree), None) => tree,
        (None, Some(blueprint)) => blueprint.tree(),
        (None, None) => return Err(Error::NoGame.into()),
        (Some(_), Some(_)) => {
            let message =
                "a blueprint plays the game it was trained for; a game is for players without one";
            return Err(Error::question(message).into());
        }
    };
    let by_equity = match players.iter().any(|player| matches!(player, Player::Equity)) {
        false => None,
        true => {
            let cards = blueprint.and_then(Blueprint::abstraction);
            let stored = cards.map(|cards| ByEquity::stored(cards, job)).transpose();
            let stored = stored.map_err(Error::from)?.flatten();
            Some(stored.map_or_else(|| ByEquity::computed(job), Ok).map_err(Error::from)?)
        }
    };
    let [first, second] = blueprints.map(|found| found.map(|found| found.verify(job)).transpose());
    let verified = [first.map_err(Error::from)?, second.map_err(Error::from)?];
    let policy = |place: usize| -> &dyn Policy {
        match (&players[place], &verified[place], &by_equity) {
            (Player::Baseline(baseline), ..) => baseline,
            (_, Some(blueprint), _) => blueprint,
            (_, None, by_equity) => by_equity.as_ref().expect("it was made above"),
        }
    };
    let policies = [policy(0), policy(1)];
    play(Seated { tree, names, policies, blueprints: verified.each_ref().map(Option::as_ref) })
}

/// Plays a match. The game is that of the blueprints; players without one need a `tree`.
pub fn play(
    players: &[Player; 2],
    names: [&Path; 2],
    tree: Option<&Tree>,
    hands: u64,
    seed: u64,
    job: Job<'_>,
) -> Result<MatchView, Error> {
    seat(players, names, tree, job, |seated| {
        let Seated { tree, names, policies, .. } = seated;
        let won = Match { tree, players: policies }.play(hands.div_ceil(2), seed, job)?;
        Ok(MatchView::new(names, seed, won))
    })
}

impl MatchView {
    /// What the first player won.
    pub fn new([a, b]: [String; 2], seed: u64, won: Winnings) -> MatchView {
        let Winnings { deals, overall, seats: [bb, sb] } = won;
        MatchView { a, b, hands: 2 * deals, seed, overall, sb, bb }
    }
}

/// Checks that two blueprints are for one game.
fn check_same_game(names: [&str; 2], blueprints: [&Blueprint; 2]) -> Result<(), Error> {
    let [a, b] = blueprints.map(|blueprint| &blueprint.header().config.game);
    if a == b {
        return Ok(());
    }
    let chips = |game: &HandConfig| {
        let HandConfig { stack, small_blind, big_blind, ante, .. } = game;
        format!("stack {stack}, blinds {small_blind}/{big_blind}, ante {ante}")
    };
    let (a, b) = (chips(a), chips(b));
    let difference = match a == b {
        true => "their bet sizes or options differ".to_owned(),
        false => format!("the first has {a}, the second {b}"),
    };
    let [first, second] = names;
    Err(Error::question(format_args!("{first} and {second} play different games: {difference}")))
}
