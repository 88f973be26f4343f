//! `Spot`: what is solved: a board, two ranges, a betting tree, a start in it, and locks.

use std::sync::Arc;

use lethe_cards::{Board, CardSet, Hole, Range, Street, SuitMap};
use lethe_game::{NodeId, NodeKind, Player, Tree};
use lethe_rows::CardSums;

use crate::lock::{Lock, LockError};

/// A problem for the solver: cards, ranges, the betting tree and a decision in it to start from.
///
/// ```
/// use std::sync::Arc;
/// use lethe_cards::{Board, Street};
/// use lethe_game::{Game, Tree, SpotConfig};
/// use lethe_solver::Spot;
///
/// let board: Board = "2s3h4d6c7c".parse()?;
/// let tree = Tree::build(Game::spot(&SpotConfig::new(100, 100), Street::River)?, 1000)?;
/// let spot = Spot::new(board, ["AsAh,QsQh".parse()?, "KsKh".parse()?], Arc::new(tree))?;
/// assert_eq!(spot.pot(), 100.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Spot {
    board: Board,
    /// A weight for each hole, by player; 0 for holes that the board blocks.
    weights: [Vec<f32>; 2],
    tree: Arc<Tree>,
    start: NodeId,
    locks: Vec<Lock>,
    /// See [`Spot::with_marks`].
    marks: Vec<f32>,
}

impl Spot {
    /// The largest weight of a hole; with larger ones, products of weights and chips might overflow.
    pub const MAX_WEIGHT: f32 = 1e6;

    /// The spot at the root of a tree; an error where no pair of hands is possible or the board is
    /// of another street than the root.
    pub fn new(board: Board, ranges: [Range; 2], tree: Arc<Tree>) -> Result<Spot, SpotError> {
        let weights = ranges.map(|range| {
            let weights = range.weights().iter();
            weights.map(|&ppm| (f64::from(ppm) / f64::from(Range::ONE)) as f32).collect()
        });
        let start = tree.root();
        Spot::with_weights(board, weights, tree, start)
    }

    /// The spot at any decision of a tree, where hole *i* ([`Hole::index`]) of each player has the
    /// `i`-th weight: a number from 0 to [`Spot::MAX_WEIGHT`]. The board is that of the decision's street.
    pub fn with_weights(
        board: Board,
        mut weights: [Vec<f32>; 2],
        tree: Arc<Tree>,
        start: NodeId,
    ) -> Result<Spot, SpotError> {
        let node = tree.node(start);
        if !matches!(node.kind(), NodeKind::Decision(_)) {
            return Err(SpotError::NoDecision);
        }
        if board.street() == Street::Preflop {
            return Err(SpotError::Preflop);
        }
        if node.street() != board.street() {
            return Err(SpotError::Street { tree: node.street(), board: board.street() });
        }
        for (weights, player) in weights.iter_mut().zip(Player::BOTH) {
            if weights.len() != Hole::COUNT
                || !weights.iter().all(|weight| (0.0..=Spot::MAX_WEIGHT).contains(weight))
            {
                return Err(SpotError::Weights(player));
            }
            for (hole, weight) in Hole::all().zip(weights.iter_mut()) {
                if board.set().intersects(hole.set()) {
                    *weight = 0.0;
                }
            }
            if weights.iter().all(|&w| w == 0.0) {
                return Err(SpotError::EmptyRange(player));
            }
        }
        let spot = Spot { board, weights, tree, start, locks: Vec::new(), marks: Vec::new() };
        if spot.pairs() == 0.0 {
            return Err(SpotError::NoPair);
        }
        Ok(spot)
    }

    /// The same spot started at another decision of the board's street.
    pub fn starting_at(self, start: NodeId) -> Result<Spot, SpotError> {
        let (locks, marks) = (self.locks, self.marks);
        let spot = Spot::with_weights(self.board, self.weights, self.tree, start)?;
        Ok(Spot { locks, marks, ..spot })
    }

    /// The same spot with one more lock.
    pub fn with_lock(mut self, lock: Lock) -> Result<Spot, LockError> {
        lock.check(&self)?;
        self.locks.push(lock);
        Ok(self)
    }

    /// The same spot with a number for each hole, in the order of [`Hole::index`], that sets hands
    /// apart in something the spot does not contain, such as a [`crate::RootGadget`]'s values. Suits
    /// are interchangeable only where swapping them leaves these numbers as they are.
    pub fn with_marks(self, marks: Vec<f32>) -> Spot {
        Spot { marks, ..self }
    }

    /// Whether a swap of suits leaves the marks as they are.
    pub(crate) fn keeps_marks(&self, map: SuitMap) -> bool {
        let marks = &self.marks;
        let live = Hole::all().filter(|hole| !self.board.set().intersects(hole.set()));
        marks.is_empty() || { live }.all(|h| marks[h.index()] == marks[map.hole(h).index()])
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// The betting tree.
    pub fn tree(&self) -> &Arc<Tree> {
        &self.tree
    }

    /// The decision it starts from.
    pub fn start(&self) -> NodeId {
        self.start
    }

    /// The locks.
    pub fn locks(&self) -> &[Lock] {
        &self.locks
    }

    /// A player's weights, in the order of [`Hole::index`].
    pub fn weights(&self, player: Player) -> &[f32] {
        &self.weights[player.index()]
    }

    /// The pot at the start with all chips put in, an uncalled bet included: what the two players'
    /// values sum to where there is no rake.
    pub fn pot(&self) -> f64 {
        f64::from(self.tree.pot(self.start))
    }

    /// Whether there is no rake.
    pub fn is_rake_free(&self) -> bool {
        self.tree.game().rake().percent == 0.0 || self.tree.game().rake().cap == Some(0.0)
    }

    /// For each hole, in the order of [`Hole::index`], the weight of the hands of a player that it can
    /// meet: those that share no card with it. 0 for holes that the board blocks.
    pub fn met(&self, player: Player) -> Vec<f64> {
        compatible(&self.weights[player.index()], self.board.set())
    }

    /// The weight of all pairs of hands that share no card.
    pub fn pairs(&self) -> f64 {
        let against = compatible(&self.weights[1], CardSet::EMPTY);
        let own = self.weights[0].iter().zip(against);
        own.map(|(&weight, against)| f64::from(weight) * against).sum()
    }
}

/// For each hole, the weight of the holes of a range that share no card with it nor with `dead`.
pub(crate) fn compatible(weights: &[f32], dead: CardSet) -> Vec<f64> {
    let alive = |hole: Hole| !dead.intersects(hole.set());
    let cards = |hole: Hole| [hole.low().index() as u8, hole.high().index() as u8];
    let mut sums = CardSums::<f64>::default();
    for (hole, &weight) in Hole::all().zip(weights) {
        if alive(hole) {
            sums.add(cards(hole), f64::from(weight));
        }
    }
    let against = |(hole, &same): (Hole, &f32)| {
        let sum = sums.against(cards(hole)) + f64::from(same);
        // Sums of the same weights in another order differ in the last bits.
        if !alive(hole) || sum < sums.all * 1e-12 { 0.0 } else { sum }
    };
    Hole::all().zip(weights).map(against).collect()
}

/// A spot that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpotError {
    /// A start that is not a decision.
    #[error("a spot starts at a decision; the start is a deal or the end of a hand")]
    NoDecision,
    /// A board without cards.
    #[error("a spot starts on the flop, turn or river, so its board has three to five cards")]
    Preflop,
    /// A board of another street than the start.
    #[error("the tree starts on the {tree} and the board is a {board}")]
    Street {
        /// The street of the start.
        tree: Street,
        /// The street of the board.
        board: Street,
    },
    /// Weights of the wrong number, or negative, or above [`Spot::MAX_WEIGHT`].
    #[error(
        "the weights of {0} must be {count} numbers from 0 to {most}",
        count = Hole::COUNT,
        most = Spot::MAX_WEIGHT
    )]
    Weights(Player),
    /// A range whose hands are all blocked by the board.
    #[error("the board blocks every hand in the range of {0}")]
    EmptyRange(Player),
    /// Ranges whose hands all share cards.
    #[error("every hand of one range shares a card with every hand of the other: nothing to play")]
    NoPair,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_spots;

    #[test]
    fn weights_whose_values_would_overflow_are_refused() {
        let spot = test_spots::spot("2s3h4d6c7c", "AA", "KK");
        let with = |weight: f32| {
            let mut weights = Player::BOTH.map(|player| spot.weights(player).to_vec());
            weights[1].iter_mut().for_each(|x| *x *= weight);
            Spot::with_weights(spot.board(), weights, spot.tree().clone(), spot.start())
        };
        assert!(with(Spot::MAX_WEIGHT).is_ok());
        for weight in [8.5e37, f32::INFINITY, f32::NAN, -1.0] {
            assert_eq!(with(weight).unwrap_err(), SpotError::Weights(Player::Ip), "{weight}");
        }
    }
}
