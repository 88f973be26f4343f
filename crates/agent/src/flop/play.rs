//! Flops that an agent solves while it plays.

use std::sync::Arc;

use lethe_cards::{CanonicalBoard, Deck, Street};
use lethe_compute::Job;
use lethe_game::Tree;

use super::{FlopLeaves, FlopSolved, FlopSubgame, LeafKind, Leaves};
use crate::agent::Agent;
use crate::cache::Key;
use crate::error::AgentError;
use crate::hand::{Replay, key};
use crate::trunk::Trunk;

impl Agent<'_> {
    /// The flop of a hand, solved in the blueprint's tree; `None` where the trunk has led to nothing that
    /// can be bet on.
    pub(crate) fn solve_flop(
        &self,
        replay: &Replay,
        trunk: &Trunk,
        job: Job<'_>,
    ) -> Result<Option<Arc<FlopSolved>>, AgentError> {
        let (tables, config) = (&self.tables, &self.config);
        let tree = tables.plan.tree();
        if !trunk.is_decision(tree) {
            return Ok(None);
        }
        if !is_rake_free(tree) {
            return Err(AgentError::Rake);
        }
        // Before the flop suits are alike, so that flops are solved by their canonical form.
        let flop = replay.board_on(Street::Flop);
        let (canonical, map) = CanonicalBoard::of(&flop);
        let mut words: Key = vec![replay.seat.index() as u64, u64::from(replay.stack)];
        words.extend(flop.cards().iter().map(|card| card.index() as u64));
        let before = &replay.played[..replay.before(Street::Flop)];
        words.extend(before.iter().map(|played| key(played.action)));
        if let Some(solved) = self.flops.get(&words) {
            return Ok(Some(solved));
        }
        let leaves = match config.leaf {
            LeafKind::Continuations => Leaves::Continuations(config.leaf_rivers),
            LeafKind::Equity => Leaves::Equity(self.equities.as_ref()),
        };
        let (seat, opponent) = (replay.seat, replay.seat.opponent());
        let flop = canonical.board();
        let leaves = FlopLeaves::new(tables, &flop, trunk.node, &[seat], leaves, job)?;
        let own = trunk.reach[seat.index()].clone();
        let values = tables.root_values(opponent.index(), &flop, trunk.node, &own, job)?;
        let subgame = FlopSubgame {
            tree: tree.clone(),
            start: trunk.node,
            flop,
            seat,
            own,
            opponent: trunk.reach[opponent.index()].clone(),
            alternative: values.best,
            leaves: &leaves,
        };
        let mut solved = subgame.solve(config.gadget, config.budget(), job)?;
        let deck = canonical.deck();
        let slots: Vec<usize> = Deck::without(replay.board_on(Street::Flop).set())
            .holes()
            .map(|hole| deck.slot(map.hole(hole)).expect("the flop leaves it"))
            .collect();
        for (_, rows) in &mut solved.decisions {
            let moved =
                rows.chunks_exact(slots.len()).flat_map(|row| slots.iter().map(|&at| row[at]));
            *rows = moved.collect();
        }
        let solved = Arc::new(solved);
        let bytes = solved.decisions.iter().map(|(_, rows)| 4 * rows.len() as u64).sum();
        self.flops.insert(words, solved.clone(), bytes);
        Ok(Some(solved))
    }
}

/// Whether what one player wins the other loses.
pub(crate) fn is_rake_free(tree: &Tree) -> bool {
    tree.ids().filter_map(|id| tree.outcome(id)).all(|outcome| outcome.rake == 0.0)
}
