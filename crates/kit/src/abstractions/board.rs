//! All hands on a board, by starting hand.

use std::collections::BTreeSet;

use lethe_abstraction::Abstraction;
use lethe_cards::vs_random::equity_scale;
use lethe_cards::{Board, CanonicalBoard, Deck, Hole, StartingHand};
use serde::Serialize;

use super::{report, rows};
use crate::error::Error;
use crate::text::written;

/// The 169 starting hands on a board.
#[derive(Debug, Serialize)]
pub struct BoardView {
    /// The board.
    #[serde(serialize_with = "written")]
    pub board: Board,
    /// Its street.
    pub street: &'static str,
    /// The cluster of the flop, which is the board's first three cards, if there are flop clusters:
    /// then buckets are those within it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flop_cluster: Option<usize>,
    /// The number of buckets.
    pub buckets: usize,
    /// Those that occur on the board.
    pub distinct: usize,
    /// The board's cluster, of the texture method.
    pub cluster: Option<u32>,
    /// The starting hands.
    pub classes: Vec<BoardClass>,
}

/// A starting hand on a board.
#[derive(Debug, Serialize)]
pub struct BoardClass {
    /// The starting hand, such as `AKs`.
    pub class: String,
    /// The holes of it that the board leaves.
    pub combos: usize,
    /// Their mean equity.
    pub equity: Option<f64>,
    /// The mean number of their buckets.
    pub bucket: Option<f64>,
    /// The buckets they are in.
    pub buckets: Vec<u32>,
}

impl BoardView {
    /// All hands on a board.
    pub fn of(abstraction: &Abstraction, board: Board) -> Result<BoardView, Error> {
        let street = board.street();
        let texture = !report(abstraction, street)?.clusters.is_empty();
        let (canonical, map) = CanonicalBoard::of(&board);
        let mut buckets = vec![0; Deck::row_len(street)];
        let mut equities = buckets.clone();
        rows::bucket_row(abstraction, canonical, &mut buckets)?;
        rows::equity_row(abstraction, canonical, &mut equities)?;
        let deck = canonical.deck();
        let scale = f64::from(equity_scale(street));
        let slot = |hole: Hole| deck.slot(map.hole(hole));
        let cell = |class: StartingHand| {
            let slots: Vec<usize> = class.holes().filter_map(slot).collect();
            let mean = |sum: f64| (!slots.is_empty()).then(|| sum / slots.len() as f64);
            let set: BTreeSet<u32> = slots.iter().map(|&slot| buckets[slot]).collect();
            BoardClass {
                class: class.to_string(),
                combos: slots.len(),
                equity: mean(slots.iter().map(|&s| f64::from(equities[s]) / scale).sum()),
                bucket: mean(slots.iter().map(|&s| f64::from(buckets[s])).sum()),
                buckets: set.into_iter().collect(),
            }
        };
        let cluster = match texture {
            true => {
                let hole = deck.hole(0).expect("a board leaves holes");
                abstraction.lookup(hole, &canonical.board())?
            }
            false => None,
        };
        Ok(BoardView {
            board,
            street: street.name(),
            flop_cluster: abstraction.flop_clusters().and_then(|flops| flops.of_board(&board)),
            buckets: abstraction.base_buckets(street),
            distinct: buckets.iter().collect::<BTreeSet<_>>().len(),
            cluster: cluster.and_then(|found| found.cluster),
            classes: StartingHand::all().map(cell).collect(),
        })
    }
}
