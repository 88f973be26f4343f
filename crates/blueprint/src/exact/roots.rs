//! One subgame: what holes are worth where a street begins after one line, on one board.

use lethe_cards::{Board, Card, CardSet, Deck, Hole, Rank, Street, Suit, Symmetry};
use lethe_compute::{Cancelled, Job};
use lethe_game::NodeId;
use lethe_rows::{Buckets, CardSums, DeckMap};

use super::{
    Exact, HoleBuckets, HoleStrategy, Leaf, Level, Replaced, Root, Side, To, Turn, Wanted,
};
use crate::plan::{Kind, Plan};
use crate::store::{Weights, fill_tables};

/// What a player's holes are worth where a street begins, in the order of [`Hole::index`]; 0 for holes
/// that the board blocks.
///
/// Values are in chips given the hole: the expected share of the pot at that node, so what the player
/// wins in the whole hand plus what it has put in so far.
#[derive(Clone, Debug, PartialEq)]
pub struct RootValues {
    /// With the best response from here on.
    pub best: Vec<f32>,
    /// With the strategy itself.
    pub own: Vec<f32>,
    /// The opponent's reach that each hole can meet. Where it is 0, so are the values.
    pub against: Vec<f32>,
}

/// The same by the slots of the board, in chips counted from before the blinds, times the opponent's
/// reach.
#[derive(Clone, Debug, Default)]
pub(super) struct RootRows {
    pub(super) best: Vec<f32>,
    /// Empty unless wanted, as the next.
    pub(super) own: Vec<f32>,
    /// With the strategy until the river and the best response there.
    pub(super) river: Vec<f32>,
}

impl<W: Weights + ?Sized> Exact<'_, W> {
    /// What the holes of player `p` are worth at the start of flop, turn or river after one line,
    /// against an opponent who reaches it with `reach`, a weight for each hole in the order of
    /// [`Hole::index`], and plays the strategy from there on. The cards of `board` are in the order in
    /// which they were dealt.
    ///
    /// These are the alternative values of a subgame that the opponent solves again.
    ///
    /// # Panics
    /// If `start` is not the first decision of the board's street, or the board is empty.
    pub fn root_values(
        &self,
        p: usize,
        board: &Board,
        start: NodeId,
        reach: &[f32],
        job: Job<'_>,
    ) -> Result<RootValues, Cancelled> {
        assert_eq!(reach.len(), Hole::COUNT, "a weight for each hole");
        let deck = Deck::without(board.set());
        let reach: Vec<f32> = deck.holes().map(|hole| reach[hole.index()]).collect();
        let symmetry = symmetry_of(board, &deck, &reach);
        let wanted = Wanted { own: true, ladder: false };
        let rows = self.root_rows(Side { p, wanted }, (board, symmetry), start, &reach, job)?;
        let put = self.put_in(p, start);
        let met = met(&deck, &reach);
        let mut values = RootValues {
            best: vec![0.0; Hole::COUNT],
            own: vec![0.0; Hole::COUNT],
            against: vec![0.0; Hole::COUNT],
        };
        for (slot, hole) in deck.holes().enumerate() {
            if met[slot] > 0.0 {
                let value = |row: &[f32]| (f64::from(row[slot]) / met[slot] + put) as f32;
                values.best[hole.index()] = value(&rows.best);
                values.own[hole.index()] = value(&rows.own);
                values.against[hole.index()] = met[slot] as f32;
            }
        }
        Ok(values)
    }

    /// How often a player's holes reach a node where a street begins, if it plays the strategy: a
    /// weight for each hole in the order of [`Hole::index`], 0 for those that the board blocks. The
    /// cards of `board` are in the order in which they were dealt.
    pub fn root_reach(&self, player: usize, board: &Board, start: NodeId) -> Vec<f32> {
        let tree = self.plan.tree();
        let mut weights = vec![0.0; Hole::COUNT];
        for hole in Deck::without(board.set()).holes() {
            weights[hole.index()] = 1.0;
        }
        let mut node = start;
        while let Some(parent) = tree.parent(node) {
            if tree.node(parent).player().is_some_and(|acts| acts.index() == player) {
                let street = tree.node(parent).street();
                let dealt = Board::new(&board.cards()[..street.board_len()]).expect("distinct");
                let action = tree.children(parent).iter().position(|&child| child == node);
                let action = action.expect("a child of its parent");
                let shares = self.frequencies(parent, &dealt);
                let deck = Deck::without(dealt.set());
                let row = &shares[action * deck.holes_len()..];
                for (hole, &share) in deck.holes().zip(row) {
                    weights[hole.index()] *= share;
                }
            }
            node = parent;
        }
        weights
    }

    /// What the strategy does at a decision: the frequencies of each action for all holes that the
    /// board leaves, one action's row after the other's.
    pub fn frequencies(&self, node: NodeId, board: &Board) -> Vec<f32> {
        let street = self.plan.tree().node(node).street();
        let (block, place) = self.plan.place(node);
        let block = &self.plan.blocks(street)[block];
        let Kind::Decision(_, offset) = block.nodes[place].kind else { return Vec::new() };
        let buckets = row_of_buckets(self.buckets, board);
        let mut distinct = buckets.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let mut tables = Vec::new();
        let tables = super::sized(&mut tables, block.children(place).len());
        fill_tables(self.weights, block, offset, &distinct, tables);
        let local: Vec<usize> = buckets
            .iter()
            .map(|bucket| distinct.binary_search(bucket).expect("one of them"))
            .collect();
        tables.iter().flat_map(|table| local.iter().map(|&at| table[at])).collect()
    }

    /// The values of a subgame that both players play by another strategy, one of hole by hole in the
    /// plan `holes`, or that one of them does and the other by this strategy.
    pub fn replaced(
        &self,
        root: &Root,
        holes: &Plan,
        strategy: &HoleStrategy,
        job: Job<'_>,
    ) -> Result<Replaced, Cancelled> {
        let rows = |p: usize, wanted: Wanted, weights: &HoleStrategy| {
            let reach = &root.reach[1 - p];
            if !root.is_reached_by(1 - p) {
                let none = vec![0.0; reach.len()];
                return Ok(RootRows { best: none.clone(), own: none.clone(), river: none });
            }
            let exact = Exact { plan: holes, buckets: &HoleBuckets, weights };
            let board = (&root.board, root.symmetry);
            exact.root_rows(Side { p, wanted }, board, root.start, reach, job)
        };
        let mut mixed = [strategy.clone(), strategy.clone()];
        let tree = self.plan.tree();
        for (board, node) in root.decisions(tree) {
            let player = tree.node(node).player().expect("a decision").index();
            mixed[1 - player].set(holes, node, &board, &self.frequencies(node, &board));
        }
        let own = Wanted { own: true, ladder: false };
        let versus = [rows(0, own, &mixed[0])?.own, rows(1, own, &mixed[1])?.own];
        let all = Wanted { own: true, ladder: true };
        let [first, second] = [rows(0, all, strategy)?, rows(1, all, strategy)?];
        Ok(Replaced {
            best: [first.best, second.best],
            own: [first.own, second.own],
            versus,
            river: [first.river, second.river],
        })
    }

    /// What a player has put in when a node is reached, the ante included.
    pub fn put_in(&self, player: usize, node: NodeId) -> f64 {
        let tree = self.plan.tree();
        f64::from(tree.node(node).contributed()[player]) + f64::from(tree.game().pot()) / 2.0
    }

    /// Values the holes of a player on a board whose suits are alike so, against an opponent whose
    /// reach is a row of the board.
    pub(super) fn root_rows(
        &self,
        side: Side,
        (board, symmetry): (&Board, Symmetry),
        start: NodeId,
        reach: &[f32],
        job: Job<'_>,
    ) -> Result<RootRows, Cancelled> {
        let (block, place) = self.plan.place(start);
        assert_eq!(place, 0, "a subgame begins with its street");
        let level = match board.street() {
            Street::Flop => self.flop_level(side, (board, symmetry), block, reach, job)?,
            Street::Turn => {
                let rungs = side.wanted.rungs(Street::Turn);
                let level = Level::new(self, Street::Turn, block..block + 1, side, 0, rungs);
                let mut turn = Turn::new(self, side, level);
                turn.level.table.set(board, self.buckets);
                turn.level.rows.reach_mut(0)[..reach.len()].copy_from_slice(reach);
                turn.value(board, symmetry, job)?;
                turn.level
            }
            Street::River => {
                let mut turn = self.turn_of_river(side, board, block, reach);
                turn.river.begin(self, &turn.level);
                turn.river.add(self, &turn.level, board, 1.0);
                turn.river.end(&mut turn.level);
                job.check()?;
                turn.level
            }
            street => panic!("no subgame begins on the {street}"),
        };
        let row = |values: &[f32]| values[..reach.len()].to_vec();
        let rows = &level.rows;
        let own = if side.wanted.own { row(&rows.own) } else { Vec::new() };
        let river = rows.rungs.first().map_or(Vec::new(), |rung| row(rung));
        Ok(RootRows { best: row(&rows.best), own, river })
    }
}

impl<'a, W: Weights + ?Sized> Exact<'a, W> {
    /// A turn without betting whose holes are those of a river, with one line of it.
    pub(super) fn turn_of_river(
        &'a self,
        side: Side,
        board: &Board,
        block: usize,
        reach: &[f32],
    ) -> Turn<'a, W> {
        let level = Level::new(self, Street::Turn, 0..0, side, 1, 0);
        let mut turn = Turn::new(self, side, level);
        turn.level.leaves.push(Leaf { row: 0, node: 0, to: To::Block(block as u32) });
        turn.level.table.deck = Deck::without(board.set());
        turn.level.rows.reach_mut(0)[..reach.len()].copy_from_slice(reach);
        turn
    }
}

/// The buckets of all holes that a board leaves; before the flop the classes.
fn row_of_buckets(buckets: &dyn Buckets, board: &Board) -> Vec<u32> {
    let deck = Deck::without(board.set());
    if board.street() == Street::Preflop {
        return deck.holes().map(|hole| hole.class().index() as u32).collect();
    }
    let mut row = vec![0; deck.holes_len()];
    crate::deal::fill(buckets, board, &mut row);
    row
}

/// For each hole of a deck, the reach of the holes that share no card with it.
pub(super) fn met(deck: &Deck, reach: &[f32]) -> Vec<f64> {
    let cards = |hole: Hole| [hole.low().index() as u8, hole.high().index() as u8];
    let mut sums = CardSums::<f64>::default();
    for (hole, &x) in deck.holes().zip(reach) {
        sums.add(cards(hole), f64::from(x));
    }
    let met = |(hole, &x): (Hole, &f32)| {
        let sum = sums.against(cards(hole)) + f64::from(x);
        // Sums of the same numbers in another order differ in the last bits.
        if sum < sums.all * 1e-12 { 0.0 } else { sum }
    };
    deck.holes().zip(reach).map(met).collect()
}

/// Which suits are alike on a board dealt in this order, where the reach is alike in them too.
pub(super) fn symmetry_of(board: &Board, deck: &Deck, reach: &[f32]) -> Symmetry {
    let (flop, rest) = board.cards().split_at(3);
    let symmetry = Symmetry::of(flop.iter().copied().collect());
    let symmetry = rest.iter().fold(symmetry, |symmetry, &card| symmetry.after(card));
    let same = symmetry.maps().all(|map| {
        let slots = DeckMap::new(deck, deck, map).slots();
        reach.iter().zip(slots).all(|(&x, slot)| x == reach[slot as usize])
    });
    if same { symmetry } else { all_different() }
}

/// No two suits are alike.
fn all_different() -> Symmetry {
    let none = Symmetry::of(CardSet::EMPTY);
    Suit::all().fold(none, |symmetry, suit| symmetry.after(Card::new(Rank::ACE, suit)))
}
