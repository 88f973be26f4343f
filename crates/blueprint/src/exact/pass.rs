//! A whole flop walked for one player: down through flop, turn and river, and up again.

use lethe_cards::{Board, CanonicalBoard, Hole, StartingHand, Street, Symmetry};
use lethe_compute::{Cancelled, Job};
use lethe_rows::loops;

use super::{Exact, Leaf, Level, RIVERS, River, Side, TURNS, To, kernel};
use crate::store::Weights;

/// The state of one thread that values flops for one player.
pub(super) struct Pass<'a, W: ?Sized> {
    exact: &'a Exact<'a, W>,
    side: Side,
    pub(super) flop: Level,
    pub(super) turn: Turn<'a, W>,
    /// The row and node on the turn of every leaf of the flop.
    targets: Vec<(usize, usize)>,
    tables: Vec<kernel::Table>,
}

impl<'a, W: Weights + ?Sized> Pass<'a, W> {
    pub(super) fn new(exact: &'a Exact<'a, W>, side: Side) -> Pass<'a, W> {
        let flop = Level::flop(exact, side, side.wanted.rungs(Street::Flop));
        let (turn, targets) = Turn::below(exact, side, &flop, side.wanted.rungs(Street::Turn));
        Pass { exact, side, flop, turn, targets, tables: Vec::new() }
    }

    /// Values a flop, after which the values are in its rows.
    pub(super) fn flop(
        &mut self,
        flop: CanonicalBoard,
        reach: &[[f64; StartingHand::COUNT]],
        job: Job<'_>,
    ) -> Result<(), Cancelled> {
        self.flop.begin(self.exact, self.side.p, flop, reach, &mut self.tables);
        let symmetry = flop.symmetry();
        for next in symmetry.next_cards(flop.set()) {
            let board = flop.board().with(next.card).expect("the card is not on the board");
            let weight = next.multiplicity as f32;
            let up = self.turn.set(&board, &self.flop, &self.targets);
            if let Some(starts) = &mut self.turn.river.starts {
                starts.turn_weight = starts.flop_weight * f64::from(weight);
            }
            self.turn.value(&board, symmetry.after(next.card), job)?;
            let (flop, turn) = (&mut self.flop.rows, &self.turn.level.rows);
            for (leaf, &(_, node)) in self.flop.leaves.iter().zip(&self.targets) {
                // The last rung of the flop equals the best response here.
                let own = self.side.wanted.own.then_some((&mut flop.own, &turn.own));
                let planes = std::iter::once((&mut flop.best, &turn.best)).chain(own);
                for (to, from) in planes.chain(flop.rungs.iter_mut().zip(&turn.rungs)) {
                    let to = &mut to[leaf.node * flop.stride..];
                    loops::scatter(to, &from[node * turn.stride..], &up, |sum, x| sum + weight * x);
                }
            }
        }
        self.flop.up(self.exact, self.side, (symmetry, 1.0 / TURNS), &mut self.tables);
        Ok(())
    }
}

impl Level {
    /// Begins a flop, made by [`Level::flop`], whose lines the opponent reaches so: its reach at every
    /// node, and the values at folds.
    pub(super) fn begin<W: Weights + ?Sized>(
        &mut self,
        exact: &Exact<'_, W>,
        p: usize,
        flop: CanonicalBoard,
        reach: &[[f64; StartingHand::COUNT]],
        tables: &mut Vec<kernel::Table>,
    ) {
        self.table.set(&flop.board(), exact.buckets);
        let classes: Vec<usize> =
            self.table.deck.holes().map(|hole: Hole| hole.class().index()).collect();
        for (line, reach) in reach.iter().enumerate() {
            for row in [self.rows.row_base[line], self.checked_row(line)] {
                let row = &mut self.rows.reach_mut(row)[..classes.len()];
                for (x, &class) in row.iter_mut().zip(&classes) {
                    *x = reach[class] as f32;
                }
            }
        }
        self.down(exact, p, tables);
    }
}

/// The turn and the rivers below it, walked for one player.
pub(super) struct Turn<'a, W: ?Sized> {
    pub(super) exact: &'a Exact<'a, W>,
    pub(super) side: Side,
    pub(super) level: Level,
    pub(super) river: River,
    pub(super) tables: Vec<kernel::Table>,
}

impl<'a, W: Weights + ?Sized> Turn<'a, W> {
    /// The turn of all lines of a level of the flop, and the row and node there of each of its leaves.
    pub(super) fn below(
        exact: &'a Exact<'a, W>,
        side: Side,
        flop: &Level,
        rungs: usize,
    ) -> (Turn<'a, W>, Vec<(usize, usize)>) {
        let straight = |leaf: &&Leaf| matches!(leaf.to, To::Showdown(_));
        let straight = flop.leaves.iter().filter(straight).count();
        // The lines of a street are numbered in the order in which they leave the one before.
        let next = |leaf: &Leaf| match leaf.to {
            To::Block(block) => Some(block as usize),
            To::Showdown(_) => None,
        };
        let low = flop.leaves.iter().find_map(next).unwrap_or(0);
        let high = flop.leaves.iter().rev().find_map(next).map_or(low, |last| last + 1);
        let mut turn = Level::new(exact, Street::Turn, low..high, side, straight, rungs);
        let rows = &turn.rows;
        let (mut row, mut node) = (rows.reach_len() - straight, rows.node_len() - straight);
        let target = |leaf: &Leaf| match leaf.to {
            To::Block(block) => {
                let number = block as usize - low;
                (rows.row_base[number], rows.node_base[number])
            }
            // An all-in on the flop goes through the turn as a line without betting.
            To::Showdown(_) => {
                turn.leaves.push(Leaf { row, node, to: leaf.to });
                (row, node) = (row + 1, node + 1);
                (row - 1, node - 1)
            }
        };
        let targets = flop.leaves.iter().map(target).collect();
        (Turn::new(exact, side, turn), targets)
    }

    pub(super) fn new(exact: &'a Exact<'a, W>, side: Side, level: Level) -> Turn<'a, W> {
        Turn { exact, side, level, river: River::new(exact, side), tables: Vec::new() }
    }

    /// Takes a board and the opponent's reach from the flop. Returns the slot on the flop of every
    /// hole.
    pub(super) fn set(
        &mut self,
        board: &Board,
        flop: &Level,
        targets: &[(usize, usize)],
    ) -> Vec<u16> {
        self.level.table.set(board, self.exact.buckets);
        let up = self.level.table.slots_in(&flop.table.deck);
        for (leaf, &(row, _)) in flop.leaves.iter().zip(targets) {
            loops::gather(self.level.rows.reach_mut(row), flop.rows.reach(leaf.row), &up);
        }
        up
    }

    /// Values the board that was set, whose suits are alike so, after which the values are in the
    /// level's rows.
    pub(super) fn value(
        &mut self,
        board: &Board,
        symmetry: Symmetry,
        job: Job<'_>,
    ) -> Result<(), Cancelled> {
        self.level.down(self.exact, self.side.p, &mut self.tables);
        self.river.begin(self.exact, &self.level);
        for next in symmetry.next_cards(board.set()) {
            job.check()?;
            let river = board.with(next.card).expect("the card is not on the board");
            self.river.add(self.exact, &self.level, &river, next.multiplicity as f32);
        }
        self.river.end(&mut self.level);
        self.level.up(self.exact, self.side, (symmetry, 1.0 / RIVERS), &mut self.tables);
        if let Some(starts) = &mut self.river.starts {
            starts.add_level(&self.level, starts.turn_weight);
        }
        Ok(())
    }
}
