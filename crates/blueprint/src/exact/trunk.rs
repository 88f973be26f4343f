//! A flop whose later streets are played by another strategy: the subgames where that begins are handed
//! out, and their values put in place of the strategy's own.

use lethe_cards::{Board, CanonicalBoard, Deck, NextCard, StartingHand, Street, SuitMap, Symmetry};
use lethe_compute::{Cancelled, Job};
use lethe_game::{NodeId, Tree};
use lethe_rows::{DeckMap, loops};

use super::level::Rows;
use super::roots::met;
use super::{Exact, FlopValues, Leaf, Level, RIVERS, Side, TURNS, To, Turn, Wanted};
use crate::preflop::Preflop;
use crate::store::Weights;

/// All values are wanted.
const WANTED: Wanted = Wanted { own: true, ladder: true };
/// The planes of values of a level beside the best response's and the strategy's own: the replaced
/// strategy's against the strategy, then those of responses that deviate later.
const VERSUS: usize = 0;

/// A flop, walked down for both players, below which another strategy takes over.
///
/// Each board of the turn is then handed out by [`Trunk::roots`]; all of them can be at the same time.
/// The values found there are returned to the trunk in the order of the boards, and
/// [`Trunk::finish`] takes them up to the start of the flop.
pub struct Trunk<'a, W: ?Sized> {
    exact: &'a Exact<'a, W>,
    flop: CanonicalBoard,
    from: Street,
    /// By player who is valued.
    sides: [(Side, Level); 2],
    turns: Vec<NextCard>,
}

/// A subgame: a board and a line after which a street begins that another strategy plays.
///
/// Rows have an entry for each hole that the board leaves, in the order of its deck. Values are in
/// chips counted from before the blinds, times the opponent's reach.
#[derive(Clone, Debug)]
pub struct Root {
    /// The cards, in the order in which they were dealt.
    pub board: Board,
    /// Which suits are alike in all that happened before.
    pub symmetry: Symmetry,
    /// The first decision.
    pub start: NodeId,
    /// How often each player's holes get there.
    pub reach: [Vec<f32>; 2],
    /// What each player's best response to the strategy wins.
    pub best: [Vec<f32>; 2],
    /// What the strategy wins.
    pub own: [Vec<f32>; 2],
}

impl Root {
    /// The opponent's reach that each hole of a player meets.
    pub fn against(&self, player: usize) -> Vec<f64> {
        met(&Deck::without(self.board.set()), &self.reach[1 - player])
    }

    /// The decisions of the subgame on all its boards that differ, those before a card first.
    pub fn decisions(&self, tree: &Tree) -> Vec<(Board, NodeId)> {
        let street = self.board.street();
        let nodes = |street: Street| {
            let ids = tree.subtree(self.start).map(|index| NodeId::new(index as u32));
            ids.filter(move |&id| {
                let node = tree.node(id);
                node.player().is_some() && node.street() == street
            })
        };
        let mut decisions: Vec<(Board, NodeId)> =
            nodes(street).map(|node| (self.board, node)).collect();
        if street == Street::Turn {
            for next in self.symmetry.next_cards(self.board.set()) {
                let board = self.board.with(next.card).expect("a new card");
                decisions.extend(nodes(Street::River).map(|node| (board, node)));
            }
        }
        decisions
    }

    /// Whether the strategy of a player ever gets there.
    pub fn is_reached_by(&self, player: usize) -> bool {
        self.reach[player].iter().any(|&x| x > 0.0)
    }
}

/// The values of a subgame that another strategy plays, in the units of [`Root`].
#[derive(Clone, Debug, PartialEq)]
pub struct Replaced {
    /// What each player's best response to the other strategy wins.
    pub best: [Vec<f32>; 2],
    /// What the other strategy wins from itself.
    pub own: [Vec<f32>; 2],
    /// What the other strategy wins from the trunk's.
    pub versus: [Vec<f32>; 2],
    /// What the response wins that follows the other strategy on the turn and is best on the river.
    /// Not read in subgames that begin on the river.
    pub river: [Vec<f32>; 2],
}

impl Replaced {
    /// Another strategy that is the trunk's own.
    pub fn by_itself(root: &Root) -> Replaced {
        let Root { best, own, .. } = root;
        Replaced { best: best.clone(), own: own.clone(), versus: own.clone(), river: own.clone() }
    }
}

/// The subgames below one board of the turn.
pub struct Roots<'a, W: ?Sized> {
    /// One for each board and line; what the values that are put in their place belong to.
    pub roots: Vec<Root>,
    turns: [Turn<'a, W>; 2],
    targets: [Vec<(usize, usize)>; 2],
    symmetry: Symmetry,
    /// Where the subgames begin on the river: its cards, and the values of all-ins, by player, leaf and
    /// slot of the turn.
    rivers: Vec<NextCard>,
    all_ins: [Vec<Vec<f32>>; 2],
    board: Board,
}

/// The values of one board of the turn, where the lines of the flop end.
pub struct TurnValues {
    /// By player and leaf of the flop: a row for each plane.
    leaves: [Vec<Planes>; 2],
}

/// Rows of values: of the best response, of the other strategy against itself and against the trunk's,
/// and of the response that deviates from the river on.
type Planes = [Vec<f32>; 4];

impl<'a, W: Weights + ?Sized> Trunk<'a, W> {
    /// Walks a flop down, below which another strategy plays from the turn or river on.
    ///
    /// # Panics
    /// If `from` is another street.
    pub fn new(exact: &'a Exact<'a, W>, flop: CanonicalBoard, from: Street) -> Trunk<'a, W> {
        assert!(from >= Street::Turn, "subgames begin on the turn or river");
        let mut tables = Vec::new();
        let sides = [0, 1].map(|p| {
            let side = Side { p, wanted: WANTED };
            let mut level = Level::flop(exact, side, 1 + WANTED.rungs(Street::Flop));
            let reach: Vec<[f64; StartingHand::COUNT]> =
                Preflop::new(exact.plan, exact.weights, p).lines();
            level.begin(exact, p, flop, &reach, &mut tables);
            (side, level)
        });
        let turns = flop.symmetry().next_cards(flop.set()).collect();
        Trunk { exact, flop, from, sides, turns }
    }

    /// How many subgames there are.
    pub fn count(&self) -> usize {
        let turns = self.turns();
        let lines = self.exact.plan.blocks(self.from).len();
        let boards = match self.from {
            Street::River => {
                let symmetry = |board: &Board| self.flop.symmetry().after(board.cards()[3]);
                turns.map(|board| symmetry(&board).next_cards(board.set()).count()).sum()
            }
            _ => turns.len(),
        };
        boards * lines
    }

    /// The boards of the turn that differ.
    pub fn turns(&self) -> impl ExactSizeIterator<Item = Board> {
        self.turns.iter().map(|next| self.flop.board().with(next.card).expect("a new card"))
    }

    /// The subgames below a board of the turn, by its number among [`Trunk::turns`].
    pub fn roots(&self, turn: usize, job: Job<'_>) -> Result<Roots<'a, W>, Cancelled> {
        let card = self.turns[turn].card;
        let board = self.flop.board().with(card).expect("a new card");
        let symmetry = self.flop.symmetry().after(card);
        let rungs = if self.from == Street::River { 1 + WANTED.rungs(Street::Turn) } else { 0 };
        let wanted = Wanted { own: true, ladder: rungs > 0 };
        let [(first, first_targets), (second, second_targets)] =
            self.sides.each_ref().map(|side| {
                let side_below = Side { wanted, ..side.0 };
                let (mut turn, targets) = Turn::below(self.exact, side_below, &side.1, rungs);
                turn.set(&board, &side.1, &targets);
                (turn, targets)
            });
        let mut roots = Roots {
            roots: Vec::new(),
            turns: [first, second],
            targets: [first_targets, second_targets],
            symmetry,
            rivers: Vec::new(),
            all_ins: Default::default(),
            board,
        };
        match self.from {
            Street::River => roots.on_the_river(self.exact, job)?,
            _ => roots.on_the_turn(self.exact, job)?,
        }
        Ok(roots)
    }

    /// Adds the values of a board of the turn.
    pub fn add(&mut self, turn: usize, values: &TurnValues) {
        let next = self.turns[turn];
        let board = self.flop.board().with(next.card).expect("a new card");
        let weight = next.multiplicity as f32;
        let deck = Deck::without(board.set());
        for ((_, level), leaves) in self.sides.iter_mut().zip(&values.leaves) {
            let up = DeckMap::new(&deck, &level.table.deck, SuitMap::IDENTITY).slots();
            let rows = &mut level.rows;
            for (leaf, planes) in level.leaves.iter().zip(leaves) {
                // The last rung equals the best response here.
                let [versus, river, ..] = &mut rows.rungs[..] else { unreachable!("three rungs") };
                let to = [&mut rows.best, &mut rows.own, versus, river];
                for (to, from) in to.into_iter().zip(planes) {
                    let to = &mut to[leaf.node * rows.stride..];
                    loops::scatter(to, from, &up, |sum, x| sum + weight * x);
                }
            }
        }
    }

    /// The values at the start of the flop for both players, once those of all boards are added.
    pub fn finish(mut self) -> [FlopValues; 2] {
        let mut tables = Vec::new();
        let symmetry = self.flop.symmetry();
        for (side, level) in &mut self.sides {
            level.up(self.exact, *side, (symmetry, 1.0 / TURNS), &mut tables);
        }
        self.sides.each_ref().map(|(_, level)| {
            let Rows { best, own, rungs, .. } = &level.rows;
            let sums =
                |values: &[f32]| self.exact.by_class(self.flop, |line| level.root(line, values));
            let [versus, river, turn] = [0, 1, 2].map(|rung| sums(&rungs[rung]));
            let checked_down = self.exact.by_class(self.flop, |line| level.checked_down(line));
            FlopValues { best: sums(best), own: sums(own), river, turn, versus, checked_down }
        })
    }
}

impl<W: Weights + ?Sized> Roots<'_, W> {
    /// Finds the subgames that begin on the turn.
    fn on_the_turn(&mut self, exact: &Exact<'_, W>, job: Job<'_>) -> Result<(), Cancelled> {
        for turn in &mut self.turns {
            turn.value(&self.board, self.symmetry, job)?;
        }
        let holes = Deck::row_len(Street::Turn);
        for (number, block) in exact.plan.blocks(Street::Turn).iter().enumerate() {
            // Where a player's values are computed, the reach is the opponent's.
            let reach = [1, 0].map(|p: usize| {
                let rows = &self.turns[p].level.rows;
                rows.reach(rows.row_base[number])[..holes].to_vec()
            });
            let of = |plane: fn(&Rows) -> &[f32]| {
                self.turns.each_ref().map(|t| t.level.root(number, plane(&t.level.rows)).to_vec())
            };
            self.roots.push(Root {
                board: self.board,
                symmetry: self.symmetry,
                start: block.nodes[0].id,
                reach,
                best: of(|rows| &rows.best),
                own: of(|rows| &rows.own),
            });
        }
        Ok(())
    }

    /// Finds the subgames that begin on the river: all lines of one board, then those of the next.
    fn on_the_river(&mut self, exact: &Exact<'_, W>, job: Job<'_>) -> Result<(), Cancelled> {
        for turn in &mut self.turns {
            turn.level.down(exact, turn.side.p, &mut turn.tables);
        }
        self.all_ins = self
            .turns
            .each_ref()
            .map(|turn| vec![vec![0.0; turn.level.rows.stride]; turn.level.leaves.len()]);
        self.rivers = self.symmetry.next_cards(self.board.set()).collect();
        for next in &self.rivers {
            job.check()?;
            let board = self.board.with(next.card).expect("the card is not on the board");
            let weight = next.multiplicity as f32;
            for (turn, all_ins) in self.turns.iter_mut().zip(&mut self.all_ins) {
                turn.river.begin(exact, &turn.level);
                turn.river.add(exact, &turn.level, &board, 1.0);
                turn.river.end(&mut turn.level);
                for (leaf, sums) in turn.level.leaves.iter().zip(all_ins) {
                    if let To::Showdown(_) = leaf.to {
                        let values = &turn.level.rows.best[leaf.node * turn.level.rows.stride..];
                        loops::update(sums, values, |sum, x| sum + weight * x);
                    }
                }
            }
            let deck = Deck::without(board.set());
            let up =
                DeckMap::new(&deck, &self.turns[0].level.table.deck, SuitMap::IDENTITY).slots();
            let [first, second] = &self.turns;
            for (a, b) in first.level.leaves.iter().zip(&second.level.leaves) {
                let To::Block(block) = a.to else { continue };
                let row = |from: &[f32]| {
                    let mut row = vec![0.0; up.len()];
                    loops::gather(&mut row, from, &up);
                    row
                };
                let at = |turn: &Turn<'_, W>, leaf: &Leaf, plane: &[f32]| {
                    row(&plane[leaf.node * turn.level.rows.stride..])
                };
                let (rows_a, rows_b) = (&first.level.rows, &second.level.rows);
                self.roots.push(Root {
                    board,
                    symmetry: self.symmetry.after(next.card),
                    start: exact.plan.blocks(Street::River)[block as usize].nodes[0].id,
                    reach: [row(rows_b.reach(b.row)), row(rows_a.reach(a.row))],
                    best: [at(first, a, &rows_a.best), at(second, b, &rows_b.best)],
                    own: [at(first, a, &rows_a.own), at(second, b, &rows_b.own)],
                });
            }
        }
        Ok(())
    }

    /// Puts values in place of those of the subgames, in the order of `roots`.
    ///
    /// # Panics
    /// If there is not one for each.
    pub fn replace(mut self, replaced: &[Replaced]) -> TurnValues {
        assert_eq!(replaced.len(), self.roots.len(), "values for each subgame");
        if !self.rivers.is_empty() {
            return TurnValues { leaves: [0, 1].map(|p| self.gather_rivers(p, replaced)) };
        }
        let leaves = [0, 1].map(|p| {
            let Level { rows, leaves, .. } = &self.turns[p].level;
            let straight = |node: usize| leaves.iter().any(|leaf| leaf.node == node);
            let planes = |&(_, node): &(usize, usize)| match rows.node_base.binary_search(&node) {
                Ok(number) if !straight(node) => {
                    let Replaced { best, own, versus, river } = &replaced[number];
                    [best, own, versus, river].map(|rows| rows[p].clone())
                }
                // After an all-in there is nothing to play.
                _ => {
                    let row = &rows.best[node * rows.stride..][..Deck::row_len(Street::Turn)];
                    [(); 4].map(|()| row.to_vec())
                }
            };
            self.targets[p].iter().map(planes).collect()
        });
        TurnValues { leaves }
    }

    /// Takes the values of subgames on the river up to the start of the turn.
    fn gather_rivers(&mut self, p: usize, replaced: &[Replaced]) -> Vec<Planes> {
        let Turn { exact, level, tables, side, .. } = &mut self.turns[p];
        let deck = Deck::without(self.board.set());
        let mut replaced = replaced.iter();
        let stride = level.rows.stride;
        for leaf in &level.leaves {
            let at = leaf.node * stride..(leaf.node + 1) * stride;
            let rows = &mut level.rows;
            let planes = [&mut rows.best, &mut rows.own].into_iter().chain(&mut rows.rungs);
            planes.for_each(|plane| plane[at.clone()].fill(0.0));
        }
        for next in &self.rivers {
            let board = self.board.with(next.card).expect("the card is not on the board");
            let up = DeckMap::new(&Deck::without(board.set()), &deck, SuitMap::IDENTITY).slots();
            let weight = next.multiplicity as f32;
            for leaf in &level.leaves {
                let To::Block(_) = leaf.to else { continue };
                let Replaced { best, own, versus, .. } = replaced.next().expect("one for each");
                let rows = &mut level.rows;
                let to = [&mut rows.best, &mut rows.own, &mut rows.rungs[VERSUS]];
                for (to, from) in to.into_iter().zip([best, own, versus]) {
                    let to = &mut to[leaf.node * stride..];
                    loops::scatter(to, &from[p], &up, |sum, x| sum + weight * x);
                }
            }
        }
        for (leaf, sums) in level.leaves.iter().zip(&self.all_ins[p]) {
            if let To::Showdown(_) = leaf.to {
                let at = leaf.node * stride..(leaf.node + 1) * stride;
                let rows = &mut level.rows;
                for to in [&mut rows.best, &mut rows.own, &mut rows.rungs[VERSUS]] {
                    to[at.clone()].copy_from_slice(sums);
                }
            }
        }
        level.up(exact, *side, (self.symmetry, 1.0 / RIVERS), tables);
        let rows = &level.rows;
        let [versus, river] = &rows.rungs[..] else { unreachable!("two rungs") };
        let row = |plane: &[f32], node: usize| {
            plane[node * rows.stride..][..Deck::row_len(Street::Turn)].to_vec()
        };
        let planes = |&(_, node): &(usize, usize)| {
            [&rows.best, &rows.own, versus, river].map(|plane| row(plane, node))
        };
        self.targets[p].iter().map(planes).collect()
    }
}
