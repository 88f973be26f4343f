//! The evaluator, the index and exact equities.

use std::hint::black_box;

use anyhow::Context;
use lethe_cards::vs_random::{flop_row, river_row, strength_row, turn_row};
use lethe_cards::{CanonicalBoard, CardSet, Deck, Situation, Street, evaluate};
use lethe_kit::deals::Deals;
use rayon::prelude::*;

use super::{Figure, fastest, fastest_pieces};

/// Measures all of it; `quick` takes every 16th board.
pub(super) fn measure(quick: bool, figures: &mut Vec<Figure>) -> anyhow::Result<()> {
    let step = if quick { 16 } else { 1 };
    evaluator(figures);
    index(figures);
    rivers(step, figures)?;
    turns_and_flops(step, figures);
    Ok(())
}

fn evaluator(figures: &mut Vec<Figure>) {
    const HANDS: usize = 100_000;
    let mut deals = Deals::new(1);
    let hands: Vec<CardSet> =
        (0..HANDS).map(|_| deals.cards::<7>().into_iter().collect()).collect();
    let time = fastest(50, || {
        black_box(hands.iter().map(|&hand| evaluate(hand).index()).sum::<usize>());
    });
    let random = HANDS as f64 / time / 1e6;
    // Four fifths of the fastest peer, which was measured at 220 M/s on a 3 GHz core.
    figures.push(Figure::at_least("random hands of seven cards", random, "M/s", 0.8 * 220.0));

    let boards: Vec<CardSet> = (0..500).map(|_| deals.cards::<5>().into_iter().collect()).collect();
    let mut row = vec![0u16; Deck::row_len(Street::River)];
    let time = fastest(20, || {
        boards.iter().for_each(|&board| strength_row(board, black_box(&mut row)));
    });
    let ranked = (boards.len() * row.len()) as f64 / time / 1e6;
    figures.push(Figure::at_least("all holes of a board ranked", ranked, "M/s", 2.0 * random));
}

fn index(figures: &mut Vec<Figure>) {
    const DEALS: usize = 100_000;
    for street in Street::POSTFLOP {
        let mut deals = Deals::new(2);
        let deals: Vec<_> = (0..DEALS).map(|_| deals.situation(street)).collect();
        let time = fastest(20, || {
            let index = |&(hole, board): &(lethe_cards::Hole, lethe_cards::Board)| {
                Situation::of(hole, &board).map_or(0, |(situation, _)| situation.index())
            };
            black_box(deals.iter().map(index).sum::<usize>());
        });
        let name = format!("canonical form and index, {street}");
        figures.push(Figure::at_most(name, time / DEALS as f64 * 1e9, "ns", 40.0));
    }
}

fn rivers(step: usize, figures: &mut Vec<Figure>) -> anyhow::Result<()> {
    let boards: Vec<CardSet> =
        CanonicalBoard::all(Street::River).step_by(step).map(CanonicalBoard::set).collect();
    let len = Deck::row_len(Street::River);
    let fill = |row: &mut Vec<u16>, board: CardSet| river_row(board, black_box(row));
    let mut row = vec![0; len];
    let pieces: Vec<&[CardSet]> = boards.chunks(64).collect();
    let one = fastest_pieces(3, &pieces, |piece| {
        piece.iter().for_each(|&board| fill(&mut row, board));
    });
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
    let pool = pool.context("cannot start two threads")?;
    let two = fastest(2, || {
        pool.install(|| {
            boards.par_iter().for_each_init(|| vec![0; len], |row, &board| fill(row, board));
        });
    });
    let all = step as f64;
    figures.push(Figure::at_most("all river boards, one thread", one * all, "s", 2.0));
    figures.push(Figure::at_most("all river boards, two threads", two * all, "s", 1.1));
    Ok(())
}

fn turns_and_flops(step: usize, figures: &mut Vec<Figure>) {
    let len = Deck::row_len(Street::Turn);
    let mut turns = vec![0u32; Situation::slots(Street::Turn)];
    let boards: Vec<CanonicalBoard> = CanonicalBoard::all(Street::Turn).step_by(step).collect();
    let time = fastest_pieces(2, &boards, |board| {
        turn_row(board.set(), &mut turns[board.index() * len..][..len]);
    });
    figures.push(Figure::at_most("all turn equities, one thread", time * step as f64, "s", 16.0));

    let mut row = vec![0; Deck::row_len(Street::Flop)];
    let boards: Vec<CanonicalBoard> = CanonicalBoard::all(Street::Flop).step_by(step).collect();
    let time = fastest_pieces(3, &boards, |board| {
        flop_row(board.set(), black_box(&mut row), |turn, row| {
            row.copy_from_slice(&turns[turn.index() * len..][..len]);
        });
    });
    let name = "all flop equities from the turn's, one thread";
    figures.push(Figure::at_most(name, time * step as f64, "s", 1.1));
}
