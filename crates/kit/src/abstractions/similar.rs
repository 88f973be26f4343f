//! What is similar to a hand: near buckets, and other hands of its own.

use lethe_abstraction::{Abstraction, StreetReport};
use lethe_cards::{Board, CanonicalBoard, Deck, Hole, Row, Situation};

use super::bucket::{NearBucket, neighbours};
use crate::error::Error;

/// Near buckets shown.
const NEIGHBOURS: usize = 4;
/// Boards looked at for hands of the same bucket.
const BOARDS: usize = 160;
/// Hands shown of other boards.
const ELSEWHERE: usize = 4;

/// What is similar to a hand.
#[derive(Debug, Default)]
pub struct Similar {
    /// The nearest buckets.
    pub neighbours: Vec<NearBucket>,
    /// Other holes of the bucket on the same board, one of each situation.
    pub here: Vec<Hole>,
    /// Typical hands of the bucket on other boards.
    pub elsewhere: Vec<(Hole, Board)>,
}

impl Similar {
    /// What is similar to a hand in this bucket, with flop clusters within its flop's; nothing before
    /// the flop.
    pub(super) fn of(
        open: &Abstraction,
        hole: Hole,
        board: &Board,
        bucket: u32,
    ) -> Result<Similar, Error> {
        let Some(report) = open.report(board.street()) else { return Ok(Similar::default()) };
        Ok(Similar {
            neighbours: neighbours(open, report, bucket, NEIGHBOURS)?,
            here: here(open, hole, board, bucket)?,
            elsewhere: elsewhere(open, report, board, bucket)?,
        })
    }
}

/// The other holes of the bucket on the same board, strongest cards first, one of each situation.
fn here(open: &Abstraction, hole: Hole, board: &Board, bucket: u32) -> Result<Vec<Hole>, Error> {
    let slot = |hole| Situation::of(hole, board).map(|(situation, _)| situation.index());
    let mut seen = vec![slot(hole)];
    let mut row = Row::new(board.set(), 0);
    open.base_row_into(board, &mut row)?;
    let mut holes = Vec::new();
    let mut same: Vec<Hole> =
        row.holes().filter(|&(_, &other)| other == bucket).map(|(hole, _)| hole).collect();
    same.reverse();
    for hole in same {
        if !seen.contains(&slot(hole)) {
            seen.push(slot(hole));
            holes.push(hole);
        }
    }
    Ok(holes)
}

/// Hands of the bucket on other boards, those nearest its mean equity among the boards looked at.
fn elsewhere(
    open: &Abstraction,
    report: &StreetReport,
    board: &Board,
    bucket: u32,
) -> Result<Vec<(Hole, Board)>, Error> {
    let street = board.street();
    let mean = report.equities[bucket as usize];
    let count = CanonicalBoard::count(street);
    let (own, _) = CanonicalBoard::of(board);
    let cluster = |board: &Board| open.flop_clusters().and_then(|flops| flops.of_board(board));
    let alike = |other: &CanonicalBoard| *other != own && cluster(&other.board()) == cluster(board);
    let mut row = vec![0; Deck::row_len(street)];
    let mut found: Vec<(f64, Hole, Board)> = Vec::new();
    // A step that shares no factor with the number of boards spreads them over all.
    let boards = (1..count).map(|n| (own.index() + n * 7_919) % count);
    let boards = boards.filter_map(|index| CanonicalBoard::from_index(street, index));
    for canonical in boards.filter(alike).take(BOARDS) {
        let other = canonical.board();
        open.base_row_into(&other, &mut row)?;
        let place = row.iter().rposition(|&entry| entry == bucket);
        let hole = place.and_then(|slot| canonical.deck().hole(slot));
        if let Some(hole) = hole
            && let Some(equity) = open.equity(hole, &other)?
        {
            found.push(((equity - mean).abs(), hole, other));
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.truncate(ELSEWHERE);
    Ok(found.into_iter().map(|(_, hole, board)| (hole, board)).collect())
}
