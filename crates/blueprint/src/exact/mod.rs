//! Exact values in real cards: what a strategy earns, and what a best response earns against it.
//!
//! One flop at a time: its betting is walked once for the flop, once for every turn card and once
//! for every river card after it, up to suit isomorphism. Holes are not merged; buckets only
//! determine what the strategy does. The opponent's reach goes down, values come up.

mod level;
mod river;

use lethe_cards::{Board, CanonicalBoard, Deck, Hole, StartingHand, Street, Symmetry};
use lethe_compute::{Cancelled, Job};
use lethe_rows::{Buckets, loops};

pub(crate) use self::level::sized;
use self::level::{Leaf, Level, Side, To};
use self::river::River;
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
#[derive(Clone, Debug)]
pub struct FlopValues {
    /// With the best response after the flop.
    pub best: Vec<f64>,
    /// With the strategy itself; empty unless wanted.
    pub own: Vec<f64>,
    /// With the strategy until the river and the best response there; empty unless wanted.
    pub river: Vec<f64>,
    /// With the strategy on the flop and the best response from the turn on; empty unless wanted.
    pub turn: Vec<f64>,
}

/// What to compute beside the values of the best response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The strategy's own values.
    pub own: bool,
    /// Those of the responses that deviate from the strategy only from the river or the turn on.
    pub ladder: bool,
}

/// The state of one thread that values flops for one player.
struct Pass<'a, W: ?Sized> {
    exact: &'a Exact<'a, W>,
    side: Side,
    flop: Level,
    turn: Level,
    /// The row and node on the turn of every leaf of the flop.
    targets: Vec<(usize, usize)>,
    river: River,
    tables: Vec<kernel::Table>,
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
        let classes: Vec<usize> =
            flop.deck().holes().map(|hole: Hole| hole.class().index()).collect();
        let sums = |values: &[f32]| {
            let mut sums = vec![0.0; self.lines() * StartingHand::COUNT];
            for (number, sums) in sums.chunks_exact_mut(StartingHand::COUNT).enumerate() {
                for (&x, &class) in pass.line(number, values).iter().zip(&classes) {
                    sums[class] += f64::from(x);
                }
            }
            sums
        };
        let rows = &pass.flop.rows;
        let own = if wanted.own { sums(&rows.own) } else { Vec::new() };
        let mut rungs = rows.rungs.iter().map(|rung| sums(rung));
        let [river, turn] = [(); 2].map(|()| rungs.next().unwrap_or_default());
        Ok(FlopValues { best: sums(&rows.best), own, river, turn })
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
            |number| [&rows.own, &rows.best].map(|values| pass.line(number, values).to_vec());
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

impl<'a, W: Weights + ?Sized> Pass<'a, W> {
    fn new(exact: &'a Exact<'a, W>, side: Side) -> Pass<'a, W> {
        let flop = Level::new(exact, Street::Flop, side, 0);
        let straight = |leaf: &&Leaf| matches!(leaf.to, To::Showdown(_));
        let straight = flop.leaves.iter().filter(straight).count();
        let mut turn = Level::new(exact, Street::Turn, side, straight);
        let rows = &turn.rows;
        let (mut row, mut node) = (rows.reach_len() - straight, rows.node_len() - straight);
        let target = |leaf: &Leaf| match leaf.to {
            To::Block(block) => (rows.row_base[block as usize], rows.node_base[block as usize]),
            // An all-in on the flop goes through the turn as a line without betting.
            To::Showdown(_) => {
                turn.leaves.push(Leaf { row, node, to: leaf.to });
                (row, node) = (row + 1, node + 1);
                (row - 1, node - 1)
            }
        };
        let targets = flop.leaves.iter().map(target).collect();
        let river = River::new(exact, side);
        Pass { exact, side, flop, turn, targets, river, tables: Vec::new() }
    }

    fn flop(
        &mut self,
        flop: CanonicalBoard,
        reach: &[[f64; StartingHand::COUNT]],
        job: Job<'_>,
    ) -> Result<(), Cancelled> {
        self.flop.table.set(&flop.board(), self.exact.buckets);
        let classes: Vec<usize> =
            self.flop.table.deck.holes().map(|hole: Hole| hole.class().index()).collect();
        for (number, reach) in reach.iter().enumerate() {
            let row = self.flop.rows.row_base[number];
            let row = &mut self.flop.rows.reach_mut(row)[..classes.len()];
            for (x, &class) in row.iter_mut().zip(&classes) {
                *x = reach[class] as f32;
            }
        }
        self.flop.down(self.exact, self.side.p, &mut self.tables);
        let symmetry = flop.symmetry();
        for next in symmetry.next_cards(flop.set()) {
            let board = flop.board().with(next.card).expect("the card is not on the board");
            self.turn(&board, symmetry.after(next.card), next.multiplicity as f32, job)?;
        }
        self.flop.up(self.exact, self.side, (symmetry, 1.0 / TURNS), &mut self.tables);
        Ok(())
    }

    /// The values of a line that reaches the flop, one for each hole that it leaves.
    fn line<'b>(&self, number: usize, values: &'b [f32]) -> &'b [f32] {
        let rows = &self.flop.rows;
        &values[rows.node_base[number] * rows.stride..][..Deck::row_len(Street::Flop)]
    }

    fn turn(
        &mut self,
        board: &Board,
        symmetry: Symmetry,
        weight: f32,
        job: Job<'_>,
    ) -> Result<(), Cancelled> {
        self.turn.table.set(board, self.exact.buckets);
        let up = self.turn.table.slots_in(&self.flop.table.deck);
        for (leaf, &(row, _)) in self.flop.leaves.iter().zip(&self.targets) {
            let from = self.flop.rows.reach(leaf.row);
            loops::gather(self.turn.rows.reach_mut(row), from, &up);
        }
        self.turn.down(self.exact, self.side.p, &mut self.tables);
        self.river.begin(self.exact, &self.turn);
        for next in symmetry.next_cards(board.set()) {
            job.check()?;
            let river = board.with(next.card).expect("the card is not on the board");
            self.river.add(self.exact, &self.turn, &river, next.multiplicity as f32);
        }
        self.river.end(&mut self.turn);
        self.turn.up(self.exact, self.side, (symmetry, 1.0 / RIVERS), &mut self.tables);
        let (flop, turn) = (&mut self.flop.rows, &self.turn.rows);
        for (leaf, &(_, node)) in self.flop.leaves.iter().zip(&self.targets) {
            // The last rung of the flop equals the best response here.
            let own = self.side.wanted.own.then_some((&mut flop.own, &turn.own));
            let planes = std::iter::once((&mut flop.best, &turn.best)).chain(own);
            for (to, from) in planes.chain(flop.rungs.iter_mut().zip(&turn.rungs)) {
                let to = &mut to[leaf.node * flop.stride..];
                loops::scatter(to, &from[node * turn.stride..], &up, |sum, x| sum + weight * x);
            }
        }
        Ok(())
    }
}
