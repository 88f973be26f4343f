//! Bucketed players: hands of one bucket share a strategy.
//!
//! The information sets of such a player are the betting nodes times the buckets of the street,
//! shared by all boards. The updates of an iteration are summed over all boards before they are
//! discounted or floored: a floor after every board would lose the negative part of a bucket whose
//! hands do well on one board and badly on another, and the solve would not converge.

use lethe_cards::Row;
use lethe_compute::Job;
use lethe_rows::{BucketOutOfRange, Buckets, fill_checked, matching};
use rayon::prelude::*;

use crate::boards::BoardNode;
use crate::plan::Level;
use crate::update::Step;

/// What an iteration adds to the regrets and strategy sums of a bucketed player.
#[derive(Clone, Debug)]
pub(crate) struct Gains {
    /// The buckets of each level.
    counts: Vec<usize>,
    regret: Vec<Vec<f32>>,
    sum: Vec<Vec<f32>>,
}

impl Gains {
    pub(crate) fn new(levels: &[Level], counts: &[usize], player: usize) -> Gains {
        let rows = levels.iter().zip(counts).map(|(l, count)| vec![0.0; l.rows[player] * count]);
        let regret: Vec<Vec<f32>> = rows.collect();
        Gains { counts: counts.to_vec(), sum: regret.clone(), regret }
    }

    pub(crate) fn clear(&mut self) {
        for rows in self.regret.iter_mut().chain(&mut self.sum) {
            rows.fill(0.0);
        }
    }

    #[inline(always)]
    pub(crate) fn add_reach(
        &mut self,
        depth: usize,
        row: usize,
        fan: &[f32],
        board: &BoardNode,
        p: usize,
    ) {
        let (count, hands) = (self.counts[depth], &board.hands[p]);
        for (action, fan) in fan.chunks_exact(hands.stride()).enumerate() {
            let sums = &mut self.sum[depth][(row + action) * count..][..count];
            let weight = |i: usize| board.weight * fan[i];
            crate::kernel::collect(sums, &board.buckets[p], weight, hands.len());
        }
    }

    #[inline(always)]
    pub(crate) fn add_regret(
        &mut self,
        depth: usize,
        row: usize,
        child: &[f32],
        value: &[f32],
        board: &BoardNode,
        p: usize,
    ) {
        let count = self.counts[depth];
        let sums = &mut self.regret[depth][row * count..][..count];
        let weights = &board.weights[p];
        let weight = |i: usize| board.weight * weights[i] * (child[i] - value[i]);
        crate::kernel::collect(sums, &board.buckets[p], weight, board.hands[p].len());
    }
}

/// The regrets and strategies of a bucketed player.
#[derive(Clone, Debug)]
pub(crate) struct BucketTables {
    counts: Vec<usize>,
    /// First action row and number of actions of every decision, by level.
    decisions: Vec<Vec<(usize, usize)>>,
    pub(crate) regret: Vec<Vec<f32>>,
    pub(crate) sum: Vec<Vec<f32>>,
    last: Vec<Vec<f32>>,
    pub(crate) current: Vec<Vec<f32>>,
    pub(crate) average: Vec<Vec<f32>>,
}

impl BucketTables {
    pub(crate) fn new(levels: &[Level], counts: &[usize], player: usize) -> BucketTables {
        let decisions: Vec<Vec<(usize, usize)>> =
            levels.iter().map(|level| level.decisions(player).collect()).collect();
        let sized = Gains::new(levels, counts, player);
        let even = |rows: &[Vec<f32>]| {
            let mut even = rows.to_vec();
            for ((even, decisions), &count) in even.iter_mut().zip(&decisions).zip(counts) {
                for &(row, actions) in decisions {
                    even[row * count..(row + actions) * count].fill(1.0 / actions as f32);
                }
            }
            even
        };
        let (current, average) = (even(&sized.regret), even(&sized.regret));
        BucketTables {
            counts: counts.to_vec(),
            decisions,
            last: sized.regret.clone(),
            regret: sized.regret,
            sum: sized.sum,
            current,
            average,
        }
    }

    /// Adds the gains of an iteration, board by board in order, and updates the strategies.
    pub(crate) fn learn(&mut self, step: Step, next: Step, gains: &mut [Gains]) {
        let (first, rest) = gains.split_first_mut().expect("one for the root");
        for depth in 0..self.counts.len() {
            for other in rest.iter() {
                for (a, b) in first.regret[depth].iter_mut().zip(&other.regret[depth]) {
                    *a += b;
                }
                for (a, b) in first.sum[depth].iter_mut().zip(&other.sum[depth]) {
                    *a += b;
                }
            }
            for (regret, &gain) in self.regret[depth].iter_mut().zip(&first.regret[depth]) {
                *regret = step.regret(*regret, gain);
            }
            for (sum, &reach) in self.sum[depth].iter_mut().zip(&first.sum[depth]) {
                *sum = step.sum(*sum, reach);
            }
            self.last[depth].copy_from_slice(&first.regret[depth]);
            let count = self.counts[depth];
            for &(row, actions) in &self.decisions[depth] {
                let rows = row * count..(row + actions) * count;
                let mut played = self.regret[depth][rows.clone()].to_vec();
                if next.predict > 0.0 {
                    for (x, last) in played.iter_mut().zip(&self.last[depth][rows.clone()]) {
                        *x = *x * next.predict + last;
                    }
                }
                matching::frequencies(&played, &mut self.current[depth][rows.clone()], count);
                let average = &mut self.average[depth][rows.clone()];
                matching::frequencies(&self.sum[depth][rows], average, count);
            }
        }
        gains.iter_mut().for_each(Gains::clear);
    }
}

impl BoardNode {
    /// Sets the buckets of a player's hands on this board and those below.
    pub(crate) fn bucket(
        &mut self,
        buckets: &dyn Buckets,
        player: usize,
        weights: &[f32],
        job: Job<'_>,
    ) -> Result<(), BucketOutOfRange> {
        if job.cancelled() {
            return Ok(());
        }
        let mut row = Row::new(self.board.set(), 0);
        fill_checked(buckets, &self.board, &mut row)?;
        let hands = &self.hands[player];
        let mut own: Vec<u32> = hands.holes.iter().map(|&hole| row[hole]).collect();
        own.resize(hands.stride(), 0);
        self.buckets[player] = own;
        let mut own: Vec<f32> = hands.holes.iter().map(|hole| weights[hole.index()]).collect();
        own.resize(hands.stride(), 0.0);
        self.weights[player] = own;
        let children = self.children.par_iter_mut();
        children.try_for_each(|child| child.node.bucket(buckets, player, weights, job))
    }
}
