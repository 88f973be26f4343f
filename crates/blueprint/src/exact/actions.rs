//! What the actions of a decision are worth if both players play the strategy.

use lethe_cards::{Board, Deck, Hole, Street, Symmetry};
use lethe_compute::{Cancelled, Job};
use lethe_game::NodeId;
use lethe_rows::loops;

use super::roots::{met, symmetry_of};
use super::{Exact, Level, Side, TURNS, Turn, Wanted};
use crate::plan::Kind;
use crate::store::Weights;

/// What each action of a decision is worth to the holes of the player who takes it, in the order of
/// [`Hole::index`].
///
/// Values are in chips given the hole: the expected share of the pot at the decision less what is put
/// in from there on, so that a fold is worth 0. Afterwards both players play the strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionValues {
    /// A row of all holes for each action. 0 where the board blocks a hole or it meets none of the
    /// opponent's.
    pub rows: Vec<f32>,
    /// The opponent's reach that each hole can meet.
    pub against: Vec<f32>,
}

impl ActionValues {
    /// The values of a hole; `None` where the opponent has nothing that it can meet.
    pub fn of(&self, hole: Hole) -> Option<Vec<f64>> {
        let values = self.rows.iter().skip(hole.index()).step_by(Hole::COUNT);
        let is_met = self.against[hole.index()] > 0.0;
        is_met.then(|| values.map(|&value| f64::from(value)).collect())
    }
}

impl<W: Weights + ?Sized> Exact<'_, W> {
    /// What the actions of a decision on flop, turn or river are worth, exactly and in real cards. The
    /// opponent's holes come there as often as the strategy brings them. The cards of `board` are in
    /// the order in which they were dealt.
    ///
    /// # Panics
    /// If `node` is not a decision on the board's street, or the board is empty.
    pub fn action_values(
        &self,
        board: &Board,
        node: NodeId,
        job: Job<'_>,
    ) -> Result<ActionValues, Cancelled> {
        let street = board.street();
        assert_eq!(self.plan.tree().node(node).street(), street, "a decision on this board");
        let (block, place) = self.plan.place(node);
        let start = self.plan.blocks(street)[block].nodes[0].id;
        let Kind::Decision(p, _) = self.plan.blocks(street)[block].nodes[place].kind else {
            panic!("only decisions have actions")
        };
        let deck = Deck::without(board.set());
        let row = |node: NodeId| -> Vec<f32> {
            let reach = self.root_reach(1 - p, board, node);
            deck.holes().map(|hole| reach[hole.index()]).collect()
        };
        let children = self.plan.blocks(street)[block].children(place);
        let side = Side { p, wanted: Wanted { own: true, ladder: false } };
        let found: Vec<Vec<f32>> = match street {
            Street::Preflop => panic!("a board of the flop or later"),
            Street::River => {
                // A walk of the river leaves no values behind: each action is valued by itself.
                let reach = row(node);
                let of = |&child: &u32| self.river_row(side, board, (block, child), &reach);
                children.iter().map(of).collect()
            }
            Street::Turn | Street::Flop => {
                let reach = row(start);
                let board = (board, symmetry_of(board, &deck, &reach));
                let level = match street {
                    Street::Turn => self.turn_level(side, board, block, &reach, job)?,
                    _ => self.flop_level(side, board, block, &reach, job)?,
                };
                let own = |&child: &u32| {
                    let at = (level.rows.node_base[0] + child as usize) * level.rows.stride;
                    level.rows.own[at..at + deck.holes_len()].to_vec()
                };
                children.iter().map(own).collect()
            }
        };
        job.check()?;
        let met = met(&deck, &row(node));
        let put = self.put_in(p, node);
        let mut values = ActionValues {
            rows: vec![0.0; found.len() * Hole::COUNT],
            against: vec![0.0; Hole::COUNT],
        };
        for (slot, hole) in deck.holes().enumerate().filter(|(slot, _)| met[*slot] > 0.0) {
            values.against[hole.index()] = met[slot] as f32;
            for (row, found) in values.rows.chunks_exact_mut(Hole::COUNT).zip(&found) {
                row[hole.index()] = (f64::from(found[slot]) / met[slot] + put) as f32;
            }
        }
        Ok(values)
    }

    /// Values one line of the turn, after which the values of its nodes are in the rows of the level.
    fn turn_level(
        &self,
        side: Side,
        (board, symmetry): (&Board, Symmetry),
        block: usize,
        reach: &[f32],
        job: Job<'_>,
    ) -> Result<Level, Cancelled> {
        let mut turn = Turn::new(self, side, self.line(side, board, block, reach));
        turn.value(board, symmetry, job)?;
        Ok(turn.level)
    }

    /// The same for a line of the flop.
    pub(super) fn flop_level(
        &self,
        side: Side,
        (board, symmetry): (&Board, Symmetry),
        block: usize,
        reach: &[f32],
        job: Job<'_>,
    ) -> Result<Level, Cancelled> {
        let mut level = self.line(side, board, block, reach);
        let mut tables = Vec::new();
        level.down(self, side.p, &mut tables);
        let (mut turn, targets) = Turn::below(self, side, &level, 0);
        for next in symmetry.next_cards(board.set()) {
            let dealt = board.with(next.card).expect("the card is not on the board");
            let up = turn.set(&dealt, &level, &targets);
            turn.value(&dealt, symmetry.after(next.card), job)?;
            let (weight, below) = (next.multiplicity as f32, &turn.level.rows);
            for (leaf, &(_, node)) in level.leaves.iter().zip(&targets) {
                let planes =
                    [(&mut level.rows.best, &below.best), (&mut level.rows.own, &below.own)];
                for (to, from) in planes {
                    let to = &mut to[leaf.node * level.rows.stride..];
                    let from = &from[node * below.stride..];
                    loops::scatter(to, from, &up, |sum, x| sum + weight * x);
                }
            }
        }
        level.up(self, side, (symmetry, 1.0 / TURNS), &mut tables);
        Ok(level)
    }

    /// A line of a street with the opponent's reach at its start.
    fn line(&self, side: Side, board: &Board, block: usize, reach: &[f32]) -> Level {
        let mut level = Level::new(self, board.street(), block..block + 1, side, 0, 0);
        level.table.set(board, self.buckets);
        level.rows.reach_mut(0)[..reach.len()].copy_from_slice(reach);
        level
    }

    /// Values a node of one line of the river by the strategy itself, against an opponent with this
    /// reach there.
    fn river_row(
        &self,
        side: Side,
        board: &Board,
        (block, place): (usize, u32),
        reach: &[f32],
    ) -> Vec<f32> {
        let mut turn = self.turn_of_river(side, board, block, reach);
        turn.river.first = place as usize;
        turn.river.begin(self, &turn.level);
        turn.river.add(self, &turn.level, board, 1.0);
        turn.river.end(&mut turn.level);
        turn.level.rows.own[..reach.len()].to_vec()
    }
}
