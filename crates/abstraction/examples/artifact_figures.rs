//! Prints how fast a full-size artifact is written, opened, looked up and verified.
//!
//! `cargo run --release -p lethe-abstraction --example artifact_figures [directory]`: the contents
//! are made up, so nothing has to be built first. It takes 330 MB in the directory, for a while.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use lethe_abstraction::artifact::{ArtifactWriter, BuildSummary, CreateOutcome, verify};
use lethe_abstraction::method::{Distance, Horizon};
use lethe_abstraction::report::Quality;
use lethe_abstraction::table::{Stored, StoredRef, Table};
use lethe_abstraction::{
    Abstraction, KMeansSettings, Method, PerStreet, Plan, StreetPlan, StreetReport,
};
use lethe_cards::{Board, CanonicalBoard, Card, Deck, Hole, Situation, Street};
use lethe_compute::Job;
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use rayon::prelude::*;

const BUCKETS: usize = 500;
const LOOKUPS: usize = 1_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let root = std::env::args_os().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let root = root.join(format!("lethe-artifact-figures-{}", std::process::id()));
    let result = figures(&root);
    std::fs::remove_dir_all(&root)?;
    result
}

fn figures(root: &std::path::Path) -> Result<(), Box<dyn Error>> {
    let method = Method::Histogram { bins: 10, distance: Distance::CdfL2, horizon: Horizon::Next };
    let street = |street| StreetPlan::new(street, method.clone(), BUCKETS);
    let streets = PerStreet {
        flop: street(Street::Flop)?,
        turn: street(Street::Turn)?,
        river: street(Street::River)?,
    };
    let plan = Plan::new(streets, KMeansSettings::default())?;
    let tables = PerStreet { flop: (), turn: (), river: () }.map(|street, ()| table(street));
    let reports = PerStreet {
        flop: report(Street::Flop, &tables.flop),
        turn: report(Street::Turn, &tables.turn),
        river: report(Street::River, &tables.river),
    };

    let CreateOutcome::Fresh(mut writer) = ArtifactWriter::create(root, &plan, true)? else {
        unreachable!("forced")
    };
    for (street, slots) in tables.iter() {
        let stored = Stored::Dense(Table::U16(slots.clone()));
        let start = Instant::now();
        writer.write_buckets(street, &stored, BUCKETS, Job::default())?;
        println!("write {street:<30} {:>9.1} ms", start.elapsed().as_secs_f64() * 1e3);
    }
    let start = Instant::now();
    let dir = writer.finish(&BuildSummary { reports, seconds: 0.0, threads: 1 })?;
    println!(
        "finish (all on disk)                 {:>9.1} ms",
        start.elapsed().as_secs_f64() * 1e3
    );

    let seconds = best(|| drop(black_box(Abstraction::open(&dir))));
    println!("open                                 {:>9.3} ms", seconds * 1e3);
    let abstraction = Abstraction::open(&dir)?;

    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut deal = || loop {
        let mut card = || Card::from_index(random.random_range(0..52)).expect("below 52");
        let board = Board::new(&[card(), card(), card(), card(), card()]);
        let hole = Hole::new(card(), card());
        if let (Some(board), Some(hole)) = (board, hole)
            && !board.set().intersects(hole.set())
        {
            return (hole, board);
        }
    };
    let deals: Vec<(Hole, Board)> = (0..LOOKUPS).map(|_| deal()).collect();
    time_lookups("look up, random over the river", &abstraction, &deals);
    time_lookups("look up, rows in cache", &abstraction, &deals[..1_000]);
    if let Some(StoredRef::Dense(table)) = abstraction.table(Street::River, Job::default())? {
        let few = &deals[..1_000];
        let seconds = best(|| {
            for (hole, board) in few {
                let situation = Situation::of(*hole, board);
                black_box(situation.map(|(situation, _)| table.get(situation.index())));
            }
        });
        let nanoseconds = seconds * 1e9 / few.len() as f64;
        println!("the same without any check           {nanoseconds:>9.1} ns");
    }
    let start = Instant::now();
    Abstraction::open(&dir)?.verify_tables(Job::default())?;
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    println!("check all buckets                    {milliseconds:>9.1} ms");

    let mut row = vec![0; Deck::row_len(Street::River)];
    let rows = 1_000;
    let seconds = best(|| {
        for (_, board) in &deals[..rows] {
            let _ = black_box(abstraction.row_into(black_box(board), &mut row));
            black_box(&row);
        }
    });
    let nanoseconds = seconds * 1e9 / (rows * Deck::row_len(Street::River)) as f64;
    println!("row, a hole                          {nanoseconds:>9.2} ns");

    let start = Instant::now();
    verify(&dir, Job::default())?;
    println!(
        "verify                               {:>9.1} ms",
        start.elapsed().as_secs_f64() * 1e3
    );
    Ok(())
}

/// The seconds of the fastest of twenty runs: what the machine can do when it is left alone.
fn best(mut run: impl FnMut()) -> f64 {
    let times = (0..20).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min)
}

fn time_lookups(name: &str, abstraction: &Abstraction, deals: &[(Hole, Board)]) {
    let seconds = best(|| {
        for (hole, board) in deals {
            let _ = black_box(abstraction.bucket(*hole, board));
        }
    });
    println!("{name:<36} {:>9.1} ns", seconds * 1e9 / deals.len() as f64);
}

/// Buckets that the board's own symmetry leaves as they are: by the ranks of the cards.
fn table(street: Street) -> Vec<u16> {
    let row_len = Deck::row_len(street);
    let mut slots = vec![0; Situation::slots(street)];
    slots.par_chunks_mut(row_len).enumerate().for_each(|(index, row)| {
        let board = CanonicalBoard::from_index(street, index).expect("a row of the table");
        for (entry, hole) in row.iter_mut().zip(board.deck().holes()) {
            *entry = ((index * 7 + hole.class().index()) % BUCKETS) as u16;
        }
    });
    slots
}

fn report(street: Street, slots: &[u16]) -> StreetReport {
    let mut sizes = vec![0; BUCKETS];
    for (row, board) in slots.chunks_exact(Deck::row_len(street)).zip(CanonicalBoard::all(street)) {
        let weight = u64::from(board.multiplicity());
        row.iter().for_each(|&bucket| sizes[bucket as usize] += weight);
    }
    let thirds = |n: usize| (0..n).map(|i| i as f64 / 3.0 / n as f64).collect::<Vec<f64>>();
    StreetReport {
        street,
        slots: slots.len() as u64,
        distinct: 100_000,
        buckets: BUCKETS,
        iterations: 100,
        converged: true,
        inertia: 1.0 / 3.0,
        fitted_on: None,
        seconds: 1.0,
        sizes,
        equities: thirds(BUCKETS),
        spreads: thirds(BUCKETS),
        centroids: vec![thirds(10).into_iter().map(|share| share as f32).collect(); BUCKETS],
        clusters: Vec::new(),
        quality: Quality::default(),
    }
}
