//! What is similar to a hand: near buckets, and other hands of its own.

use lethe_abstraction::{Abstraction, Method};
use lethe_cards::{Board, CanonicalBoard, Deck, Hole, Situation, Street};

/// Boards looked at for hands of the same bucket.
const BOARDS: usize = 160;
/// Hands shown of other boards.
const ELSEWHERE: usize = 4;

/// What is similar to a hand.
#[derive(Debug, Default)]
pub struct Similar {
    /// The nearest buckets.
    pub neighbours: Vec<Near>,
    /// Other holes of the bucket on the same board, one of each situation.
    pub here: Vec<Hole>,
    /// Typical hands of the bucket on other boards.
    pub elsewhere: Vec<(Hole, Board)>,
}

/// A bucket near another one.
#[derive(Debug, PartialEq)]
pub struct Near {
    /// The bucket.
    pub bucket: u32,
    /// Its mean equity.
    pub equity: f64,
}

impl Similar {
    /// What is similar to a hand in this bucket; nothing before the flop.
    pub(super) fn of(open: &Abstraction, hole: Hole, board: &Board, bucket: u32) -> Similar {
        if board.street() == Street::Preflop {
            return Similar::default();
        }
        Similar {
            neighbours: neighbours(open, board.street(), bucket),
            here: here(open, hole, board, bucket),
            elsewhere: elsewhere(open, board, bucket),
        }
    }
}

/// The four nearest buckets by the distance of centroids, or else the next ones by equity; with the
/// texture method only those of the same cluster.
fn neighbours(open: &Abstraction, street: Street, bucket: u32) -> Vec<Near> {
    let (Some(report), Some(plan)) = (open.report(street), open.plan().streets().get(street))
    else {
        return Vec::new();
    };
    let own = bucket as usize;
    let within = match plan.method() {
        Method::Texture { .. } => {
            let first = own / plan.buckets() * plan.buckets();
            first..first + plan.buckets()
        }
        _ => 0..report.buckets,
    };
    let distance = |other: usize| match (report.centroids.get(own), report.centroids.get(other)) {
        (Some(a), Some(b)) => {
            a.iter().zip(b).map(|(a, b)| f64::from(a - b) * f64::from(a - b)).sum::<f64>()
        }
        _ => own.abs_diff(other) as f64,
    };
    let mut others: Vec<(f64, usize)> = within
        .filter(|&other| other != own && report.sizes[other] > 0)
        .map(|other| (distance(other), other))
        .collect();
    others.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    others.truncate(4);
    others.sort_by_key(|&(_, other)| other);
    let neighbour =
        |&(_, other): &(f64, usize)| Near { bucket: other as u32, equity: report.equities[other] };
    others.iter().map(neighbour).collect()
}

/// The other holes of the bucket on the same board, strongest cards first, one of each situation.
fn here(open: &Abstraction, hole: Hole, board: &Board, bucket: u32) -> Vec<Hole> {
    let slot = |hole| Situation::of(hole, board).map(|(situation, _)| situation.index());
    let mut seen = vec![slot(hole)];
    let row = open.row(board);
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
    holes
}

/// Hands of the bucket on other boards, those nearest its mean equity among the boards looked at.
fn elsewhere(open: &Abstraction, board: &Board, bucket: u32) -> Vec<(Hole, Board)> {
    let street = board.street();
    let Some(report) = open.report(street) else { return Vec::new() };
    let mean = report.equities[bucket as usize];
    let count = CanonicalBoard::count(street);
    let (own, _) = CanonicalBoard::of(board);
    let mut row = vec![0; Deck::row_len(street)];
    let mut found: Vec<(f64, Hole, Board)> = Vec::new();
    // A step that shares no factor with the number of boards spreads them over all.
    let boards = (1..=BOARDS).map(|n| (own.index() + n * 7_919) % count);
    for canonical in boards.filter_map(|index| CanonicalBoard::from_index(street, index)) {
        if canonical == own {
            continue;
        }
        let other = canonical.board();
        open.row_into(&other, &mut row);
        let place = row.iter().rposition(|&entry| entry == bucket);
        let hole = place.and_then(|slot| canonical.deck().hole(slot));
        if let Some(hole) = hole
            && let Some(equity) = open.equity(hole, &other)
        {
            found.push(((equity - mean).abs(), hole, other));
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.truncate(ELSEWHERE);
    found.into_iter().map(|(_, hole, board)| (hole, board)).collect()
}
