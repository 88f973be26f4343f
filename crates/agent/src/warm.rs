//! `WarmStart`: a blueprint's strategy as the start of a solve.

use std::fmt;

use lethe_blueprint::{Exact, Weights};
use lethe_cards::{Board, Deck, Hole};
use lethe_game::NodeId;
use lethe_solver::StartingStrategy;

/// A blueprint's strategy on its own tree, for a solve to start from.
pub struct WarmStart<'a, W: ?Sized>(pub &'a Exact<'a, W>);

impl<W: ?Sized> fmt::Debug for WarmStart<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WarmStart")
    }
}

impl<W: Weights + ?Sized> StartingStrategy for WarmStart<'_, W> {
    fn on_board<'s>(&'s self, board: &Board) -> Box<dyn Fn(NodeId, &[Hole], &mut [f32]) + 's> {
        let Exact { plan, buckets, weights } = self.0;
        let deck = Deck::without(board.set());
        let mut row = vec![0; deck.holes_len()];
        buckets.fill(board, &mut row);
        let mut bucket_of = vec![0u32; Hole::COUNT];
        for (hole, bucket) in deck.holes().zip(row) {
            bucket_of[hole.index()] = bucket;
        }
        Box::new(move |node, holes, rows| {
            let actions = plan.tree().actions(node).len();
            let stride = rows.len() / actions;
            for (at, hole) in holes.iter().enumerate() {
                let Some(cells) = plan.cells_of(node, bucket_of[hole.index()]) else { continue };
                let total: f32 = cells.clone().map(|cell| weights.weight(cell)).sum();
                for (action, cell) in cells.enumerate() {
                    let share = if total > 0.0 {
                        weights.weight(cell) / total
                    } else {
                        1.0 / actions as f32
                    };
                    rows[action * stride + at] = share;
                }
            }
        })
    }
}
