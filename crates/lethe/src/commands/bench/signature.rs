//! One hash over results of every stage.
//!
//! Every number is an integer or rounded where the order of additions may differ, so the signature
//! is the same on every machine and with any number of threads.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use blake3::Hasher;
use lethe_cards::equity::hole_vs_range;
use lethe_cards::vs_random::{flop_row, river_row, turn_row};
use lethe_cards::{
    Board, CanonicalBoard, CardSet, Deck, Hole, Matchups, Range, River, Situation, Street, evaluate,
};
use lethe_cluster::{Distance, KMeans, Points, optimal_intervals};
use lethe_compute::Job;
use lethe_game::{BetSizes, Game, PlayerSizes, Sizes, SpotConfig, StreetSizes, Tree};
use lethe_kit::config::{AbstractionConfig, presets};
use lethe_solver::{Options, Solver, Spot};
use serde::Serialize;

use super::deals::Deals;
use crate::output::{Output, Report};

/// The hash, and the hashes of the stages it is made of.
#[derive(Debug, Serialize)]
pub(super) struct Signature {
    signature: String,
    stages: BTreeMap<&'static str, String>,
}

impl Report for Signature {
    fn write_text(&self, out: &mut Output<'_>) -> io::Result<()> {
        writeln!(out, "{}", self.signature)
    }
}

/// A stage: what it adds to its hash.
type Stage = fn(&mut Hasher) -> anyhow::Result<()>;

const STAGES: [(&str, Stage); 11] = [
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
];

impl Signature {
    /// Goes through all stages.
    pub(super) fn compute() -> anyhow::Result<Signature> {
        let mut all = Hasher::new();
        let mut stages = BTreeMap::new();
        for (name, stage) in STAGES {
            let mut hasher = Hasher::new();
            stage(&mut hasher)?;
            let hash = hasher.finalize();
            all.update(name.as_bytes());
            all.update(hash.as_bytes());
            stages.insert(name, hash.to_hex()[..16].to_owned());
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

fn evaluator(hasher: &mut Hasher) -> anyhow::Result<()> {
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

fn canonical(hasher: &mut Hasher) -> anyhow::Result<()> {
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

fn matchups(hasher: &mut Hasher) -> anyhow::Result<()> {
    hasher.update(&Matchups::shipped().to_bytes());
    Ok(())
}

fn equities(hasher: &mut Hasher) -> anyhow::Result<()> {
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

fn ranges(hasher: &mut Hasher) -> anyhow::Result<()> {
    for text in ["random", "22+,A2s+,KTo+,QJs", "TT-66:0.25,AK:0.5,AhKh", "T9s+,54s:0.125,A2+"] {
        let range: Range = text.parse()?;
        put_text(hasher, &range.to_string());
        range.weights().iter().for_each(|&weight| put(hasher, weight.into()));
    }
    Ok(())
}

fn kmeans(hasher: &mut Hasher) -> anyhow::Result<()> {
    let mut deals = Deals::new(13);
    let values: Vec<f32> = (0..2_000 * 8).map(|_| deals.below(47) as f32 / 46.0).collect();
    let weights: Vec<u64> = (0..2_000).map(|_| 1 + deals.below(24)).collect();
    for distance in [Distance::SquaredL2, Distance::L1] {
        let fit = KMeans { distance, max_iterations: 50, seed: 5, ..KMeans::new(40) }.fit(
            Points::new(&values, 8)?,
            &weights,
            Job::default(),
        )?;
        fit.labels.iter().for_each(|&label| put(hasher, label.into()));
        fit.centroids.iter().for_each(|value| put(hasher, value.to_bits().into()));
        put(hasher, fit.inertia.to_bits());
    }
    Ok(())
}

fn intervals(hasher: &mut Hasher) -> anyhow::Result<()> {
    let mut deals = Deals::new(14);
    let mut values: Vec<i64> = (0..1_500).map(|_| deals.below(100_000) as i64).collect();
    values.sort_unstable();
    values.dedup();
    let weights: Vec<u64> = values.iter().map(|_| 1 + deals.below(1_000)).collect();
    for k in [1, 2, 17, 200] {
        let cut = optimal_intervals(&values, &weights, k, Job::default())?;
        cut.bounds.iter().for_each(|&bound| put(hasher, bound as u64));
    }
    Ok(())
}

fn census(hasher: &mut Hasher) -> anyhow::Result<()> {
    let mut counts = vec![0u64; 1_981];
    for board in CanonicalBoard::all(Street::River).step_by(97) {
        let weight = u64::from(board.multiplicity());
        River::new(board.set())
            .count_equities(|q, holes| counts[q as usize] += weight * u64::from(holes));
    }
    counts.into_iter().for_each(|count| put(hasher, count));
    Ok(())
}

fn preset_plans(hasher: &mut Hasher) -> anyhow::Result<()> {
    for preset in presets() {
        put_text(hasher, preset.name);
        put_text(hasher, &AbstractionConfig::preset(preset.name)?.resolve()?.name());
    }
    Ok(())
}

/// A pot of 100 with 400 behind.
fn config() -> anyhow::Result<SpotConfig> {
    let sizes = PlayerSizes {
        bet: Sizes::parse_bets("50%, a")?,
        raise: Sizes::parse_raises("60%")?,
        donk: None,
    };
    let street = StreetSizes { oop: sizes.clone(), ip: sizes, max_raises: None };
    let bet_sizes = BetSizes { flop: street.clone(), turn: street.clone(), river: street };
    Ok(SpotConfig { bet_sizes, ..SpotConfig::new(100, 400) })
}

fn tree(hasher: &mut Hasher) -> anyhow::Result<()> {
    for street in Street::POSTFLOP {
        let tree = Tree::build(Game::spot(&config()?, street)?, Tree::NODE_LIMIT)?;
        put(hasher, tree.len() as u64);
        for id in tree.ids() {
            put(hasher, u64::from(tree.pot(id)));
        }
    }
    Ok(())
}

fn solver(hasher: &mut Hasher) -> anyhow::Result<()> {
    let tree = Tree::build(Game::spot(&config()?, Street::River)?, Tree::NODE_LIMIT)?;
    let board: Board = "Ks7h4d2c9s".parse()?;
    let ranges = ["22+,A2s+,K9s+,QTs+,JTs", "TT-22,A2s+,KTs+,KQo,98s,87s"];
    let ranges = [ranges[0].parse::<Range>()?, ranges[1].parse::<Range>()?];
    let job = Job::default();
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
