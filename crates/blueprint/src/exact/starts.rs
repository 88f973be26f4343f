//! What buckets win where a street begins, added up over the boards of a walk.

use std::sync::Arc;

use lethe_cards::{CanonicalBoard, StartingHand, Street};
use lethe_compute::{Cancelled, Job};
use lethe_rows::{CardSums, Seat};

use super::level::{Leaf, Level, Side, To};
use super::{Exact, Pass, Wanted};
use crate::deal::DenseBuckets;
use crate::store::Weights;
use crate::values::Starts;

/// A number for each of eight lines.
type Lanes = lethe_rows::Lanes<f32>;

/// Sums by line and bucket of one player.
pub(crate) struct StartSums {
    starts: Arc<Starts>,
    /// By place among the starts: what hands win times how often the opponent gets there, and how often
    /// that is.
    pub(crate) sums: Vec<[f64; 2]>,
    /// How many deals the present flop and turn stand for.
    pub(super) flop_weight: f64,
    pub(super) turn_weight: f64,
    /// The sums of the buckets of a board.
    local: Vec<[f64; 2]>,
}

impl StartSums {
    fn new(starts: &Arc<Starts>, weight: f64) -> StartSums {
        let (sums, starts) = (vec![[0.0; 2]; starts.len()], starts.clone());
        StartSums { starts, sums, flop_weight: weight, turn_weight: 0.0, local: Vec::new() }
    }

    /// Adds the blocks of a flop or turn, whose values are in their rows.
    pub(super) fn add_level(&mut self, level: &Level, weight: f64) {
        let cards = &level.table.cards;
        for number in 0..self.starts.blocks(level.street) {
            let reach = level.rows.reach(level.rows.row_base[number]);
            let own = level.root(number, &level.rows.own);
            let row = reach.iter().copied().zip(own.iter().copied());
            self.add((level.street, number), &level.table.dense, cards, row, weight);
        }
    }

    /// Adds the lines of a bundle on a board of the river.
    pub(super) fn add_lanes(
        &mut self,
        lines: &[Leaf],
        (seat, dense): (Seat<'_>, &DenseBuckets),
        reach: &[Lanes],
        own: &[Lanes],
        weight: f64,
    ) {
        let weight = weight * self.turn_weight;
        for (lane, line) in lines.iter().enumerate() {
            let To::Block(block) = line.to else { continue };
            let row = reach.iter().zip(own).map(|(reach, own)| (reach.0[lane], own.0[lane]));
            self.add((Street::River, block as usize), dense, seat.own.cards(), row, weight);
        }
    }

    /// Adds one block: the opponent's reach and the player's values of each hole.
    fn add(
        &mut self,
        (street, number): (Street, usize),
        dense: &DenseBuckets,
        cards: &[[u8; 2]],
        row: impl Iterator<Item = (f32, f32)> + Clone,
        weight: f64,
    ) {
        let mut sums = CardSums::<f64>::default();
        for (&cards, (reach, _)) in cards.iter().zip(row.clone()) {
            sums.add(cards, f64::from(reach));
        }
        if sums.all <= 0.0 {
            return;
        }
        self.local.clear();
        self.local.resize(dense.distinct.len(), [0.0; 2]);
        for ((&cards, (reach, own)), &local) in cards.iter().zip(row).zip(&dense.local) {
            let met = sums.against(cards) + f64::from(reach);
            // Sums of the same numbers in another order differ in the last bits.
            if met > sums.all * 1e-12 {
                let [value, mass] = &mut self.local[local as usize];
                *value += f64::from(own);
                *mass += met;
            }
        }
        let first = self.starts.first(street, number);
        for (&bucket, [value, mass]) in dense.distinct.iter().zip(&self.local) {
            let sums = &mut self.sums[first + bucket as usize];
            sums[0] += weight * value;
            sums[1] += weight * mass;
        }
    }
}

impl<W: Weights + ?Sized> Exact<'_, W> {
    /// What each starting hand wins on a flop with the strategy itself and if nobody bets from the flop
    /// on, as in [`FlopValues`](super::FlopValues), and what buckets win at the start of each street of
    /// the `weight` flops that it stands for.
    pub(crate) fn flop_starts(
        &self,
        p: usize,
        (flop, weight): (CanonicalBoard, f64),
        reach: &[[f64; StartingHand::COUNT]],
        starts: &Arc<Starts>,
        job: Job<'_>,
    ) -> Result<([Vec<f64>; 2], StartSums), Cancelled> {
        let side = Side { p, wanted: Wanted { own: true, ladder: false } };
        let mut pass = Pass::new(self, side);
        pass.turn.river.starts = Some(StartSums::new(starts, weight));
        pass.flop(flop, reach, job)?;
        let mut sums = pass.turn.river.starts.take().expect("put there before");
        sums.add_level(&pass.flop, weight);
        let level = &pass.flop;
        let own = self.by_class(flop, |line| level.root(line, &level.rows.own));
        Ok(([own, self.by_class(flop, |line| level.checked_down(line))], sums))
    }
}
