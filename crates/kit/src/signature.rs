//! `Signature`: one hash over results of every stage, from the evaluator to training and the lab.
//!
//! Numbers are integers, or rounded where the last digits may differ between machines, so the
//! signature is the same on every machine and with any number of threads. A change that is not meant
//! to change results leaves it as it is; the hashes of the stages locate one that does.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;

use blake3::Hasher;
use lethe_blueprint::{
    Averages, Buckets, Discount, Exact, Flops, Opponent, Plan, Prune, Reached, Sampling, Store,
    Trainer, Training, Wanted,
};
use lethe_cards::equity::hole_vs_range;
use lethe_cards::vs_random::{flop_row, river_row, turn_row};
use lethe_cards::{
    Board, CanonicalBoard, CardSet, Deck, Hole, Matchups, Range, River, Situation, StartingHand,
    Street, evaluate,
};
use lethe_cluster::{Distance, KMeans, Points, optimal_intervals};
use lethe_collective::Share;
use lethe_compute::Job;
use lethe_game::{BetSizes, Game, HandConfig, PlayerSizes, Sizes, SpotConfig, StreetSizes, Tree};
use lethe_lab::{Betting, Effort, Lab, Results, Summary};
use lethe_solver::{Options, Solver, Spot};
use serde::Serialize;

use crate::config::{AbstractionConfig, presets};
use crate::deals::Deals;

/// The hash, and the hashes of the stages it is made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Signature {
    /// The hash of the stages' hashes.
    pub signature: String,
    /// The first 16 digits of each stage's hash.
    pub stages: BTreeMap<&'static str, String>,
}

/// A stage: what it adds to its hash.
type Stage = fn(&mut Hasher, Job<'_>) -> Outcome;
type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

const STAGES: [(&str, Stage); 14] = [
    ("evaluator", evaluator),
    ("canonical", canonical),
    ("matchups", matchups),
    ("equities", equities),
    ("ranges", ranges),
    ("kmeans", kmeans),
    ("intervals", intervals),
    ("census", census),
    ("presets", preset_plans),
    ("tree", tree),
    ("solver", solver),
    ("training", training),
    ("exact", exact),
    ("lab", lab),
];

/// A stage that could not be computed.
#[derive(Debug, thiserror::Error)]
#[error("the stage {stage} of the signature failed: {source}")]
pub struct SignatureError {
    stage: &'static str,
    source: Box<dyn Error + Send + Sync>,
}

impl Signature {
    /// Computes all stages. They do not depend on the number of threads.
    pub fn compute(job: Job<'_>) -> Result<Signature, SignatureError> {
        let mut all = Hasher::new();
        let mut stages = BTreeMap::new();
        job.begin("signature", STAGES.len() as u64);
        for (name, stage) in STAGES {
            let failed = |source| SignatureError { stage: name, source };
            job.check().map_err(|cancelled| failed(cancelled.into()))?;
            let mut hasher = Hasher::new();
            stage(&mut hasher, job.silent()).map_err(failed)?;
            let hash = hasher.finalize();
            all.update(name.as_bytes());
            all.update(hash.as_bytes());
            stages.insert(name, hash.to_hex()[..16].to_owned());
            job.advance(1);
        }
        Ok(Signature { signature: all.finalize().to_hex().to_string(), stages })
    }
}

fn put(hasher: &mut Hasher, number: u64) {
    hasher.update(&number.to_le_bytes());
}

/// A text, ended so that two in a row cannot be mistaken for others.
fn put_text(hasher: &mut Hasher, text: &str) {
    hasher.update(text.as_bytes());
    hasher.update(&[0]);
}

fn evaluator(hasher: &mut Hasher, _: Job<'_>) -> Outcome {
    let mut deals = Deals::new(11);
    for _ in 0..50_000 {
        let cards = deals.cards::<7>();
        for count in 5..=7 {
            let hand: CardSet = cards[..count].iter().copied().collect();
            put(hasher, evaluate(hand).get().into());
        }
    }
    Ok(())
}

fn canonical(hasher: &mut Hasher, _: Job<'_>) -> Outcome {
    let mut deals = Deals::new(12);
    for street in Street::POSTFLOP {
        for _ in 0..20_000 {
            let (hole, board) = deals.situation(street);
            let found = Situation::of(hole, &board);
            put(hasher, found.map_or(u64::MAX, |(situation, _)| situation.index() as u64));
        }
    }
    Ok(())
}

fn matchups(hasher: &mut Hasher, _: Job<'_>) -> Outcome {
    hasher.update(&Matchups::shipped().to_bytes());
    Ok(())
}

fn equities(hasher: &mut Hasher, _: Job<'_>) -> Outcome {
    let mut rivers = vec![0u16; Deck::row_len(Street::River)];
    for board in CanonicalBoard::all(Street::River).step_by(1_009) {
        river_row(board.set(), &mut rivers);
        rivers.iter().for_each(|&q| put(hasher, q.into()));
    }
    let mut turns = vec![0u32; Deck::row_len(Street::Turn)];
    for board in CanonicalBoard::all(Street::Turn).step_by(811) {
        turn_row(board.set(), &mut turns);
        turns.iter().for_each(|&sum| put(hasher, sum.into()));
    }
    let mut flops = vec![0u32; Deck::row_len(Street::Flop)];
    for board in CanonicalBoard::all(Street::Flop).step_by(601) {
        flop_row(board.set(), &mut flops, |turn, row| turn_row(turn.set(), row));
        flops.iter().for_each(|&sum| put(hasher, sum.into()));
    }
    let range: Range = "QQ+,AKs,A5s-A2s:0.5".parse()?;
    let (hole, board): (Hole, Board) = ("Ah5h".parse()?, "Th9h8c".parse()?);
    let tally = hole_vs_range(hole, &range, &board)?;
    for part in [tally.wins, tally.ties, tally.total] {
        hasher.update(&part.to_le_bytes());
    }
    Ok(())
}

fn ranges(hasher: &mut Hasher, _: Job<'_>) -> Outcome {
    for text in ["random", "22+,A2s+,KTo+,QJs", "TT-66:0.25,AK:0.5,AhKh", "T9s+,54s:0.125,A2+"] {
        let range: Range = text.parse()?;
        put_text(hasher, &range.to_string());
        range.weights().iter().for_each(|&weight| put(hasher, weight.into()));
    }
    Ok(())
}

fn kmeans(hasher: &mut Hasher, job: Job<'_>) -> Outcome {
    let mut deals = Deals::new(13);
    let values: Vec<f32> = (0..2_000 * 8).map(|_| deals.below(47) as f32 / 46.0).collect();
    let weights: Vec<u64> = (0..2_000).map(|_| 1 + deals.below(24)).collect();
    for distance in [Distance::SquaredL2, Distance::L1] {
        let fit = KMeans { distance, max_iterations: 50, seed: 5, ..KMeans::new(40) }.fit(
            Points::new(&values, 8)?,
            &weights,
            job,
        )?;
        fit.labels.iter().for_each(|&label| put(hasher, label.into()));
        fit.centroids.iter().for_each(|value| put(hasher, value.to_bits().into()));
        put(hasher, fit.inertia.to_bits());
    }
    Ok(())
}

fn intervals(hasher: &mut Hasher, job: Job<'_>) -> Outcome {
    let mut deals = Deals::new(14);
    let mut values: Vec<i64> = (0..1_500).map(|_| deals.below(100_000) as i64).collect();
    values.sort_unstable();
    values.dedup();
    let weights: Vec<u64> = values.iter().map(|_| 1 + deals.below(1_000)).collect();
    for k in [1, 2, 17, 200] {
        let cut = optimal_intervals(&values, &weights, k, job)?;
        cut.bounds.iter().for_each(|&bound| put(hasher, bound as u64));
    }
    Ok(())
}

fn census(hasher: &mut Hasher, _: Job<'_>) -> Outcome {
    let mut counts = vec![0u64; 1_981];
    for board in CanonicalBoard::all(Street::River).step_by(97) {
        let weight = u64::from(board.multiplicity());
        River::new(board.set())
            .count_equities(|q, holes| counts[q as usize] += weight * u64::from(holes));
    }
    counts.into_iter().for_each(|count| put(hasher, count));
    Ok(())
}

fn preset_plans(hasher: &mut Hasher, _: Job<'_>) -> Outcome {
    for preset in presets() {
        put_text(hasher, preset.name);
        put_text(hasher, &AbstractionConfig::preset(preset.name)?.resolve()?.name());
    }
    Ok(())
}

/// A pot of 100 with 400 behind.
fn config() -> Result<SpotConfig, Box<dyn Error + Send + Sync>> {
    let sizes = PlayerSizes {
        bet: Sizes::parse_bets("50%, a")?,
        raise: Sizes::parse_raises("60%")?,
        donk: None,
    };
    let street = StreetSizes { oop: sizes.clone(), ip: sizes, max_raises: None };
    let bet_sizes = BetSizes { flop: street.clone(), turn: street.clone(), river: street };
    Ok(SpotConfig { bet_sizes, ..SpotConfig::new(100, 400) })
}

fn tree(hasher: &mut Hasher, _: Job<'_>) -> Outcome {
    for street in Street::POSTFLOP {
        let tree = Tree::build(Game::spot(&config()?, street)?, Tree::NODE_LIMIT)?;
        put(hasher, tree.len() as u64);
        for id in tree.ids() {
            put(hasher, u64::from(tree.pot(id)));
        }
    }
    Ok(())
}

fn solver(hasher: &mut Hasher, job: Job<'_>) -> Outcome {
    let tree = Tree::build(Game::spot(&config()?, Street::River)?, Tree::NODE_LIMIT)?;
    let board: Board = "Ks7h4d2c9s".parse()?;
    let ranges = ["22+,A2s+,K9s+,QTs+,JTs", "TT-22,A2s+,KTs+,KQo,98s,87s"];
    let ranges = [ranges[0].parse::<Range>()?, ranges[1].parse::<Range>()?];
    let spot = Spot::new(board, ranges, Arc::new(tree))?;
    let mut solver = Solver::new(spot, Options::default(), job)?;
    for _ in 0..100 {
        solver.iterate(job)?;
    }
    let value = solver.evaluate(job)?;
    for number in [value.ev[0], value.ev[1], value.exploitability] {
        // Sums of single-precision numbers may differ in their last digits from machine to machine.
        put(hasher, (number * 100.0).round() as i64 as u64);
    }
    Ok(())
}

/// A small game with limped and raised pots, and one bet size on each street.
fn hand() -> Result<Tree, Box<dyn Error + Send + Sync>> {
    let player = |bet: &str, raise: &str| -> Result<PlayerSizes, Box<dyn Error + Send + Sync>> {
        let (bet, raise) = (Sizes::parse_bets(bet)?, Sizes::parse_raises(raise)?);
        Ok(PlayerSizes { bet, raise, donk: None })
    };
    let mut config = HandConfig::new(900, 50, 100);
    config.bet_sizes.preflop.sb.raise = Sizes::parse_raises("a")?;
    for street in
        [&mut config.bet_sizes.flop, &mut config.bet_sizes.turn, &mut config.bet_sizes.river]
    {
        (street.oop, street.ip) = (player("50%", "a")?, player("100%", "")?);
    }
    Ok(Tree::build(Game::hand(&config)?, Tree::NODE_LIMIT)?)
}

/// Buckets by the strength of the hand as it is.
struct ByStrength;

impl ByStrength {
    const COUNT: usize = 12;
}

impl Buckets for ByStrength {
    fn count(&self, _: Street) -> usize {
        Self::COUNT
    }

    fn fill(&self, board: &Board, row: &mut [u32]) {
        for (bucket, hole) in row.iter_mut().zip(Deck::without(board.set()).holes()) {
            *bucket = self.of(hole, board);
        }
    }

    fn is_suit_invariant(&self) -> bool {
        true
    }

    fn of(&self, hole: Hole, board: &Board) -> u32 {
        u32::from(evaluate(board.set() | hole.set()).get()) * Self::COUNT as u32 / 7463
    }
}

/// Trains the small game for some iterations.
fn trained(plan: &Plan, kind: (Sampling, Opponent), iterations: u64, job: Job<'_>) -> Store {
    let (sampling, opponent) = kind;
    // With these exponents every discount is a fraction that every machine computes alike.
    let discount = Discount { interval: iterations / 4, alpha: 1.0, beta: 0.0, gamma: 1.0 };
    let prune = Prune { share: 0.5, below: -1.0, after: iterations / 2 };
    let training = Training { sampling, opponent, seed: 7, discount, prune, ..Training::default() };
    let store = Store::new(plan, &training);
    let mut trainer = Trainer::new(plan, &ByStrength, &store, &training, Reached::default());
    trainer.run(iterations, job, &|| true);
    store
}

fn training(hasher: &mut Hasher, job: Job<'_>) -> Outcome {
    let plan = Plan::new(hand()?, [ByStrength::COUNT; 3]);
    for (kind, iterations) in [
        ((Sampling::Public, Opponent::Same), 40),
        ((Sampling::Public, Opponent::Adversary), 20),
        ((Sampling::External, Opponent::Same), 4000),
    ] {
        hasher.update(&trained(&plan, kind, iterations, job).to_bytes());
        job.check()?;
    }
    Ok(())
}

/// A flop whose suits are alike and one whose are not, and an estimate from a sample of flops.
fn exact(hasher: &mut Hasher, job: Job<'_>) -> Outcome {
    let plan = Plan::new(hand()?, [ByStrength::COUNT; 3]);
    let store = trained(&plan, (Sampling::Public, Opponent::Same), 20, job);
    let exact = Exact { plan: &plan, buckets: &ByStrength, weights: &Averages(&store) };
    let reach = vec![[1.0; StartingHand::COUNT]; exact.lines()];
    let wanted = Wanted { own: true, ladder: false };
    for (p, flop) in [(0, "9s8s7s"), (1, "KsKh4d")] {
        let flop = CanonicalBoard::of(&flop.parse()?).0;
        let values = exact.flop(p, flop, &reach, wanted, job)?;
        for sum in values.best.iter().chain(&values.own) {
            put(hasher, sum.round() as i64 as u64);
        }
    }
    let found = exact.exploitability(Flops::Sample(4, 3), job)?;
    let interval = found.interval_mbb.unwrap_or(-1.0);
    for mbb in [found.exploitability_mbb, interval, found.optimistic_mbb] {
        put(hasher, mbb.round() as i64 as u64);
    }
    Ok(())
}

/// The loss of four buckets on a turn.
fn lab(hasher: &mut Hasher, job: Job<'_>) -> Outcome {
    let lab = Lab {
        roots: vec!["KsKh7s7h".parse()?],
        betting: Betting::default(),
        effort: Effort { iterations: 20, memory_limit: None },
        recipes: vec!["percentile".parse()?],
        buckets: vec![4],
        seeds: vec![0],
        artifacts: Vec::new(),
        symmetric: false,
    };
    let mut results = Results::in_memory();
    lab.run(&mut results, Share::alone(), job, &mut |_| ())?;
    for row in Summary::of(&lab.outline(), &results).rows {
        put(hasher, (row.epsilon * 1e4).round() as i64 as u64);
    }
    Ok(())
}
