//! Starting a solve from a known strategy.

use lethe_cards::{Board, Hole};
use lethe_compute::{Cancelled, Job};
use lethe_game::{NodeId, Player};
use lethe_rows::loops;
use rayon::prelude::*;

use crate::boards::BoardNode;
use crate::cells::BoardData;
use crate::kernel;
use crate::plan::{Kind, Level};
use crate::profile::against;
use crate::solver::Solver;

/// A strategy for both players that a solve can start from: see [`Solver::start_from`].
pub trait StartingStrategy: Sync {
    /// What is played on a board: a function that is called with a decision, the acting player's
    /// hands and a row of frequencies for each action, in which those of the hands come first.
    fn on_board<'s>(&'s self, board: &Board) -> Box<dyn Fn(NodeId, &[Hole], &mut [f32]) + 's>;
}

/// The regret of a hand that always takes one action, as a share of the pot times the opponent's reach.
/// Larger ones take longer to be forgotten where the strategy is bad.
const SHARE_OF_POT: f32 = 0.1;

impl Solver {
    /// Sets regrets such that the first iteration plays a given strategy, and counts `iterations` as
    /// done, so that it is not discounted at once. Averages start empty.
    ///
    /// Regrets are in proportion to the opponent's reach at each decision where both play the strategy.
    /// Bucketed players are left as they are.
    pub fn start_from(
        &mut self,
        strategy: &dyn StartingStrategy,
        iterations: u32,
        job: Job<'_>,
    ) -> Result<(), Cancelled> {
        self.iteration = iterations;
        let engine = self.engine.clone();
        let scale = SHARE_OF_POT * self.spot.pot() as f32;
        let warm = Warm { strategy, scale, job };
        let (roots, data) = (self.reach.clone(), &mut self.data);
        job.install(|| warm.board(&engine.root, &engine.levels, data, &roots));
        job.check()
    }
}

struct Warm<'a> {
    strategy: &'a dyn StartingStrategy,
    scale: f32,
    job: Job<'a>,
}

impl Warm<'_> {
    /// Sets the regrets of a board and those below. `roots` has both players' reach at the first node of
    /// each line, a row for each.
    fn board(
        &self,
        board: &BoardNode,
        levels: &[Level],
        data: &mut BoardData,
        roots: &[Vec<f32>; 2],
    ) {
        if self.job.cancelled() {
            return;
        }
        let level = &levels[0];
        let strides = [0, 1].map(|p| board.hands[p].stride());
        let play = self.strategy.on_board(&board.board);
        let mut reach = strides.map(|stride| vec![0.0; level.nodes.len() * stride]);
        for unit in &level.units {
            for (line, &root) in unit.lines.clone().zip(&unit.roots) {
                let place = unit.nodes.start + root as usize;
                for p in 0..2 {
                    let row = &roots[p][line * strides[p]..][..strides[p]];
                    reach[p][place * strides[p]..][..strides[p]].copy_from_slice(row);
                }
            }
        }
        let mut scratch = Vec::new();
        for (place, node) in level.nodes.iter().enumerate() {
            let Kind::Decision(player, row) = node.kind else { continue };
            let (p, o) = (player.index(), player.opponent().index());
            let (stride, actions) = (strides[p], node.edges.len());
            let mut rows = vec![0.0; actions * stride];
            play(node.id, &board.hands[p].holes, &mut rows);
            if let Some(locked) = board.locked(place) {
                kernel::overwrite(&mut rows, locked);
            }
            for (action, &child) in level.children(node).iter().enumerate() {
                let child = child as usize;
                let [own, opp] = [p, o].map(|q| place * strides[q]..(place + 1) * strides[q]);
                reach[o].copy_within(opp, child * strides[o]);
                reach[p].copy_within(own, child * stride);
                let own = &mut reach[p][child * stride..(child + 1) * stride];
                loops::update(own, &rows[action * stride..(action + 1) * stride], |r, x| r * x);
            }
            let cells = &mut data.cells[p].regret;
            if cells.get().is_empty() {
                continue;
            }
            let met = against(board, player, &reach[o][place * strides[o]..][..strides[o]]);
            scratch.resize(actions * stride, 0.0);
            let mut cells = cells.get_mut();
            let regrets = cells.open(row as usize, actions, stride, &mut scratch);
            for (regrets, rows) in regrets.chunks_exact_mut(stride).zip(rows.chunks_exact(stride)) {
                for ((regret, share), met) in regrets.iter_mut().zip(rows).zip(&met) {
                    *regret = share * *met as f32 * self.scale;
                }
            }
            cells.close(row as usize, actions, stride, &scratch);
        }
        let work = board.children.par_iter().zip(&mut data.children);
        work.for_each(|(child, data)| {
            let roots = Player::BOTH.map(|player| {
                let p = player.index();
                let down = &child.down[p];
                let mut rows = vec![0.0; level.leaves.len() * down.len()];
                for (row, &leaf) in rows.chunks_exact_mut(down.len()).zip(&level.leaves) {
                    let from = &reach[p][leaf as usize * strides[p]..][..strides[p]];
                    loops::gather(row, from, down);
                }
                rows
            });
            self.board(&child.node, &levels[1..], data, &roots);
        });
    }
}
