//! Exact values in real cards: what a strategy earns, and what a best response earns against it.
//!
//! One flop at a time: its betting is walked once for the flop, once for every turn card and once
//! for every river card after it, up to suit isomorphism. Holes are not merged; buckets only
//! determine what the strategy does. The opponent's reach goes down, values come up.

mod actions;
mod continuations;
mod flop_strategy;
mod holes;
mod level;
mod pass;
mod river;
mod roots;
mod starts;
mod trunk;

use lethe_cards::{CanonicalBoard, Hole, StartingHand, Street};
use lethe_compute::{Cancelled, Job};
use lethe_rows::Buckets;
use serde::{Deserialize, Serialize};

pub use self::actions::ActionValues;
pub use self::continuations::{Bias, Continuations, PairValues, all_in_pairs};
pub use self::flop_strategy::FlopStrategy;
pub use self::holes::{HoleBuckets, HoleStrategy};
pub(crate) use self::level::sized;
use self::level::{Leaf, Level, Side, To};
use self::pass::{Pass, Turn};
use self::river::River;
pub use self::roots::RootValues;
pub(crate) use self::starts::StartSums;
pub use self::trunk::{Replaced, Root, Roots, Trunk, TurnValues};
use crate::kernel;
use crate::plan::Plan;
use crate::store::Weights;

/// The turn and river cards that two holes and the board leave.
const TURNS: f32 = 45.0;
const RIVERS: f32 = 44.0;

/// A strategy whose value in real cards is computed.
pub struct Exact<'a, W: ?Sized> {
    /// The betting.
    pub plan: &'a Plan,
    /// The abstraction that the strategy was trained on. It must be suit invariant.
    pub buckets: &'a dyn Buckets,
    /// The strategy.
    pub weights: &'a W,
}

/// Values of one flop, for one player.
///
/// For each betting line that reaches the flop and each of the 169 preflop classes: the sum over
/// the class's holes of what they win against every hole of the opponent, weighted by how often it
/// is played so.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlopValues {
    /// With the best response after the flop.
    pub best: Vec<f64>,
    /// With the strategy itself; empty unless wanted.
    pub own: Vec<f64>,
    /// With the strategy until the river and the best response there; empty unless wanted.
    pub river: Vec<f64>,
    /// With the strategy on the flop and the best response from the turn on; empty unless wanted.
    pub turn: Vec<f64>,
    /// With the strategy that replaces this one from some street on, against this one; empty unless
    /// there is one.
    pub versus: Vec<f64>,
    /// If both players check from the flop on. The mean over all flops is known, so on a sample this is
    /// a control variate.
    pub checked_down: Vec<f64>,
}

/// What to compute beside the values of the best response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The strategy's own values.
    pub own: bool,
    /// Those of the responses that deviate from the strategy only from the river or the turn on.
    pub ladder: bool,
}

impl Wanted {
    /// How many responses that follow the strategy on a street and deviate later are wanted.
    fn rungs(self, street: Street) -> usize {
        if self.ladder { Street::River.index() - street.index() } else { 0 }
    }
}

impl<W: Weights + ?Sized> Exact<'_, W> {
    /// The number of betting lines that reach the flop.
    pub fn lines(&self) -> usize {
        self.plan.blocks(Street::Flop).len()
    }

    /// Values a flop for player `p`, 0 for the big blind and 1 for the small blind, whose opponent
    /// reaches the lines of the flop with the frequencies `reach`, by line and class.
    pub fn flop(
        &self,
        p: usize,
        flop: CanonicalBoard,
        reach: &[[f64; StartingHand::COUNT]],
        wanted: Wanted,
        job: Job<'_>,
    ) -> Result<FlopValues, Cancelled> {
        let pass = self.walk(Side { p, wanted }, flop, reach, job)?;
        let rows = &pass.flop.rows;
        let sums = |values: &[f32]| self.by_class(flop, |line| pass.flop.root(line, values));
        let own = if wanted.own { sums(&rows.own) } else { Vec::new() };
        let mut rungs = rows.rungs.iter().map(|rung| sums(rung));
        let [river, turn] = [(); 2].map(|()| rungs.next().unwrap_or_default());
        let checked_down = self.by_class(flop, |line| pass.flop.checked_down(line));
        Ok(FlopValues {
            best: sums(&rows.best),
            own,
            river,
            turn,
            versus: Vec::new(),
            checked_down,
        })
    }

    /// The values of all lines at the start of a flop, which `line` has for each hole, added up by class.
    fn by_class<'v>(&self, flop: CanonicalBoard, line: impl Fn(usize) -> &'v [f32]) -> Vec<f64> {
        let classes: Vec<usize> =
            flop.deck().holes().map(|hole: Hole| hole.class().index()).collect();
        let mut sums = vec![0.0; self.lines() * StartingHand::COUNT];
        for (number, sums) in sums.chunks_exact_mut(StartingHand::COUNT).enumerate() {
            for (&x, &class) in line(number).iter().zip(&classes) {
                sums[class] += f64::from(x);
            }
        }
        sums
    }

    /// The same by hole, in the order of the flop's deck: for each line what each hole wins with the
    /// strategy itself, and with the best response after the flop.
    pub(crate) fn flop_holes(
        &self,
        p: usize,
        flop: CanonicalBoard,
        reach: &[[f64; StartingHand::COUNT]],
        job: Job<'_>,
    ) -> Result<Vec<[Vec<f32>; 2]>, Cancelled> {
        let pass =
            self.walk(Side { p, wanted: Wanted { own: true, ladder: false } }, flop, reach, job)?;
        let rows = &pass.flop.rows;
        let line =
            |number| [&rows.own, &rows.best].map(|values| pass.flop.root(number, values).to_vec());
        Ok((0..self.lines()).map(line).collect())
    }

    /// Walks a flop, after which its values are in its rows.
    fn walk(
        &self,
        side: Side,
        flop: CanonicalBoard,
        reach: &[[f64; StartingHand::COUNT]],
        job: Job<'_>,
    ) -> Result<Pass<'_, W>, Cancelled> {
        debug_assert!(self.buckets.is_suit_invariant(), "isomorphic runouts are valued once");
        let mut pass = Pass::new(self, side);
        pass.flop(flop, reach, job)?;
        Ok(pass)
    }
}
