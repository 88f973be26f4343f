//! Look-ups in an abstraction.

use std::hint::black_box;
use std::io;

use anyhow::Context;
use lethe_abstraction::Abstraction;
use lethe_cards::{Board, Deck, Hole, Street};
use lethe_compute::Job;
use lethe_kit::deals::Deals;

use super::{Figure, fastest, fastest_pieces};
use lethe_kit::abstractions::answer_lines;

/// Measures all of it.
pub(super) fn measure(
    open: &mut Abstraction,
    quick: bool,
    figures: &mut Vec<Figure>,
) -> anyhow::Result<()> {
    let time = fastest(30, || drop(black_box(Abstraction::open(open.path()))));
    figures.push(Figure::at_most("opening an abstraction", time * 1e3, "ms", 1.0));

    touch(open)?;
    let mut deals = Deals::new(3);
    let hands: Vec<(Hole, Board)> =
        (0..1_000_000).map(|_| deals.situation(Street::River)).collect();
    let few = &hands[..1_000];
    let hot = fastest(200, || sum(open, few)) / few.len() as f64 * 1e9;
    figures.push(Figure::at_most("look-up, rows in cache", hot, "ns", 60.0));
    // Rounds are long enough that nothing of one is in cache in the next.
    let pieces: Vec<_> = hands.chunks(10_000).collect();
    let per_hand = |time: f64| time / hands.len() as f64 * 1e9;
    let random = per_hand(fastest_pieces(3, &pieces, |hands| sum(open, hands)));
    figures.push(Figure::at_most("look-up, any river board", random, "ns", 150.0));
    let mut found = Vec::new();
    let together = per_hand(fastest_pieces(3, &pieces, |hands| {
        let _ = black_box(open.lookup_all(hands, &mut found));
    }));
    figures.push(Figure::at_most("the same, many at once", together, "ns", 150.0));

    let mut row = vec![0; Deck::row_len(Street::River)];
    let boards = &hands[..2_000];
    let time = fastest_pieces(5, boards, |(_, board)| {
        let _ = black_box(open.row_into(board, black_box(&mut row)));
    });
    let per_hole = time / (boards.len() * row.len()) as f64 * 1e9;
    figures.push(Figure::at_most("row of a river board, per hole", per_hole, "ns", 2.0));

    stream(open, if quick { &hands[..200_000] } else { &hands }, figures)?;

    // Last, so that all else is measured on mapped files, as the commands have them.
    open.make_resident(Job::default())?;
    let resident = per_hand(fastest_pieces(3, &pieces, |hands| sum(open, hands)));
    let name = "look-up, any river board, tables copied into huge pages";
    figures.push(Figure::at_most(name, resident, "ns", 150.0));
    Ok(())
}

/// Looks hands up one after another.
fn sum(open: &Abstraction, hands: &[(Hole, Board)]) {
    let bucket = |(hole, board): &(Hole, Board)| match open.bucket(*hole, board) {
        Ok(bucket) => u64::from(bucket.unwrap_or(0)),
        Err(_) => 0,
    };
    black_box(hands.iter().map(bucket).sum::<u64>());
}

fn stream(
    open: &Abstraction,
    hands: &[(Hole, Board)],
    figures: &mut Vec<Figure>,
) -> anyhow::Result<()> {
    for (json, name) in [(false, "hands per second from a stream"), (true, "the same with --json")]
    {
        let text: String = hands.iter().map(|(hole, board)| format!("{hole} {board}\n")).collect();
        let mut failed = None;
        let time = fastest(2, || {
            let input = io::Cursor::new(text.clone().into_bytes());
            failed = answer_lines(open, input, &mut io::sink(), json).err();
        });
        if let Some(error) = failed {
            return Err(error).context("hands of a stream");
        }
        figures.push(Figure::at_least(name, hands.len() as f64 / time / 1e6, "M/s", 1.0));
    }
    Ok(())
}

/// Reads and checks every byte, so that what is measured is memory and not the disk.
fn touch(open: &Abstraction) -> anyhow::Result<()> {
    open.verify_tables(Job::default())?;
    Ok(())
}
