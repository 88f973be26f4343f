//! The exploitability of an agent that solves the flop as well: its strategy there, hole by hole, takes the
//! place of the blueprint's, and the subgames of the turn follow from it.

use lethe_blueprint::{FlopStrategy, FlopValues, HoleStrategy, Trunk, Weights};
use lethe_cards::{Board, CanonicalBoard, Street};
use lethe_compute::Job;
use lethe_game::{NodeId, NodeKind, Player, Tree};
use rayon::prelude::*;

use crate::flop::{FlopLeaves, FlopSubgame, LeafKind, Leaves};
use crate::measure::{MeasureError, SearchMeasure, subgame_of};

/// What the agent and those whom it expects do on a flop.
struct FlopStrategies<'a, W: ?Sized> {
    /// Each player as the agent plays in its seat.
    both: FlopStrategy<'a, W>,
    /// By seat of the agent: its strategy and what it expects of the opponent.
    expected: [FlopStrategy<'a, W>; 2],
    /// By seat of the agent: its strategy against the blueprint.
    alone: [FlopStrategy<'a, W>; 2],
}

impl<'a, W: Weights + ?Sized> SearchMeasure<'a, W> {
    /// The values of a flop that the agent solves.
    pub(crate) fn searched_flop(
        &self,
        flop: CanonicalBoard,
        job: Job<'_>,
    ) -> Result<[FlopValues; 2], MeasureError> {
        let FlopStrategies { both, expected, alone } = self.solve_flop(&flop.board(), job)?;
        let exact = both.exact();
        let alone = alone.each_ref().map(FlopStrategy::exact);
        let expected = expected.each_ref().map(FlopStrategy::exact);
        let mut trunk = Trunk::new(&exact, flop, Street::Turn);
        // What the agent wins from the blueprint, which plays the flop as well.
        let mut versus = alone.each_ref().map(|exact| Trunk::new(exact, flop, Street::Turn));
        let turns = 0..trunk.turns().len();
        let values = turns.into_par_iter().with_max_len(1).map(|turn| {
            let roots = trunk.roots(turn, job)?;
            let solved = roots.roots.par_iter().with_max_len(1).map(|root| {
                let subgame = |seat: Player| {
                    let mut subgame = subgame_of(&exact, root, seat);
                    let opponent = seat.opponent().index();
                    let range =
                        expected[seat.index()].root_reach(opponent, &root.board, root.start);
                    if range.iter().any(|&x| x > 0.0) {
                        subgame.opponent = range;
                    }
                    subgame
                };
                let strategy = self.strategy(root, &subgame, job.silent());
                job.advance(1);
                strategy
            });
            let solved = solved.collect::<Result<Vec<HoleStrategy>, MeasureError>>()?;
            let pairs = || roots.roots.par_iter().zip(&solved).with_max_len(1);
            let replaced = pairs().map(|(root, strategy)| {
                Ok(exact.replaced(root, &self.holes, strategy, job.silent())?)
            });
            let replaced = replaced.collect::<Result<Vec<_>, MeasureError>>()?;
            let mut against = Vec::new();
            for (exact, trunk) in alone.iter().zip(&versus) {
                let roots = trunk.roots(turn, job)?;
                let pairs = roots.roots.par_iter().zip(&solved).with_max_len(1);
                let replaced = pairs.map(|(root, strategy)| {
                    Ok(exact.replaced(root, &self.holes, strategy, job.silent())?)
                });
                let replaced = replaced.collect::<Result<Vec<_>, MeasureError>>()?;
                against.push(roots.replace(&replaced));
            }
            Ok((roots.replace(&replaced), against))
        });
        let values = job.install(|| values.collect::<Result<Vec<_>, MeasureError>>())?;
        for (turn, (values, against)) in values.iter().enumerate() {
            trunk.add(turn, values);
            versus.iter_mut().zip(against).for_each(|(trunk, values)| trunk.add(turn, values));
        }
        let mut found = trunk.finish();
        for (player, trunk) in versus.into_iter().enumerate() {
            found[player].versus = trunk.finish()[player].versus.clone();
        }
        Ok(found)
    }

    /// Solves all lines of a flop, for both seats.
    fn solve_flop(
        &self,
        flop: &Board,
        job: Job<'_>,
    ) -> Result<FlopStrategies<'_, W>, MeasureError> {
        let exact = &self.exact;
        let tree = exact.plan.tree();
        let new = || FlopStrategy::new(exact, flop);
        let mut found =
            FlopStrategies { both: new(), expected: [new(), new()], alone: [new(), new()] };
        let leaves = match self.search.leaf.unwrap_or_default() {
            LeafKind::Equity => Leaves::Equity(self.equities.as_ref()),
            LeafKind::Continuations => Leaves::Continuations(self.search.leaf_rivers),
        };
        for start in flop_starts(tree) {
            let leaves = FlopLeaves::new(exact, flop, start, &Player::BOTH, leaves, job.silent())?;
            for seat in Player::BOTH {
                let players = [seat, seat.opponent()];
                let [own, range] =
                    players.map(|player| exact.root_reach(player.index(), flop, start));
                if own.iter().all(|&x| x == 0.0) {
                    continue;
                }
                let opponent = seat.opponent().index();
                let values = exact.root_values(opponent, flop, start, &own, job.silent())?;
                let subgame = FlopSubgame {
                    tree: tree.clone(),
                    start,
                    flop: *flop,
                    seat,
                    own,
                    opponent: range,
                    alternative: values.best,
                    leaves: &leaves,
                    locks: Vec::new(),
                };
                let budget = self.search.budget();
                let solved = subgame.solve(self.search.gadget, budget, job.silent())?;
                for (node, rows) in &solved.decisions {
                    found.expected[seat.index()].set(*node, rows);
                    if tree.node(*node).player() == Some(seat) {
                        found.both.set(*node, rows);
                        found.alone[seat.index()].set(*node, rows);
                    }
                }
            }
        }
        Ok(found)
    }
}

/// The first decisions of the flop.
fn flop_starts(tree: &Tree) -> Vec<NodeId> {
    let begins = |id: &NodeId| {
        let parent = tree.parent(*id).map(|parent| tree.node(parent).kind());
        tree.node(*id).street() == Street::Flop
            && tree.node(*id).player().is_some()
            && parent == Some(NodeKind::Chance)
    };
    tree.ids().filter(begins).collect()
}
