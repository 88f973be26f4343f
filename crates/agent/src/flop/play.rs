//! Flops that an agent solves while it plays.

use std::sync::Arc;

use lethe_cards::{Board, CanonicalBoard, Deck, Hole, Street};
use lethe_compute::Job;
use lethe_game::{Action, BettingState, Chips, NodeId, Tree};

use super::{FlopLeaves, FlopSolved, FlopSubgame, LeafKind, Leaves};
use crate::agent::Agent;
use crate::cache::Key;
use crate::error::AgentError;
use crate::hand::{Played, Replay, key};
use crate::search::NODE_LIMIT;
use crate::sizes::{fraction, in_hand};
use crate::trunk::{Choices, Trunk, multiply};

/// The flop of a hand in which a size was bet that the blueprint's tree does not contain: the tree with
/// that size, solved from the start of the street, and where the hand is in it.
#[derive(Debug)]
pub(crate) struct FlopLine {
    /// By player, in the order of [`Hole::index`].
    pub(crate) reach: [Vec<f32>; 2],
    /// What the player to act does, if the hand is still on the flop.
    pub(crate) choices: Option<Choices>,
    pub(crate) solved: Arc<FlopSolved>,
}

/// A tree of the flop with what has happened in it.
struct Tracked {
    tree: Arc<Tree>,
    start: NodeId,
    /// The actions so far, in the chips of the tree.
    actions: Vec<Action>,
    /// Sizes that the blueprint's tree does not contain, with the state in which each was bet.
    added: Vec<(BettingState, Chips)>,
    /// Our decisions: the number of actions before each, and what the whole range did.
    past: Vec<(usize, Vec<f32>)>,
}

impl Tracked {
    /// The start of a flop in the blueprint's tree.
    fn new(tree: &Arc<Tree>, start: NodeId) -> Tracked {
        Tracked {
            tree: tree.clone(),
            start,
            actions: Vec::new(),
            added: Vec::new(),
            past: Vec::new(),
        }
    }

    /// The node after the first `count` actions.
    fn node(&self, count: usize) -> NodeId {
        self.actions[..count].iter().fold(self.start, |at, action| {
            let place = self.tree.actions(at).iter().position(|known| known == action);
            self.tree.children(at)[place.expect("the tree contains what happened")]
        })
    }

    /// Adds a size in a state, and makes the tree again.
    fn add(
        &mut self,
        first: &BettingState,
        state: BettingState,
        to: Chips,
    ) -> Result<(), AgentError> {
        self.added.push((state, to));
        let mut game = self.tree.game().starting_at(first)?;
        for (state, to) in &self.added {
            game = game.with_size(state, *to)?;
        }
        self.tree = Arc::new(Tree::build(game, NODE_LIMIT)?);
        self.start = self.tree.root();
        Ok(())
    }
}

impl Agent<'_> {
    /// The flop of a hand, solved in the blueprint's tree; `None` where the trunk has led to nothing that
    /// can be bet on.
    pub(crate) fn solve_flop(
        &self,
        replay: &Replay,
        trunk: &Trunk,
        job: Job<'_>,
    ) -> Result<Option<Arc<FlopSolved>>, AgentError> {
        let tree = self.tables.plan.tree();
        if !trunk.is_decision(tree) {
            return Ok(None);
        }
        if !is_rake_free(tree) {
            return Err(AgentError::Rake);
        }
        let tracked = Tracked::new(tree, trunk.node);
        self.solve_tracked(replay, trunk, &tracked, 0, job).map(Some)
    }

    /// Follows the flop of a hand in its own tree, from where the trunk has led to; `None` if the
    /// blueprint's tree contains every size that was bet.
    ///
    /// A size that is missing is added to the tree, and the street is solved again from its start. What our
    /// whole range did before on this street stays as it was.
    pub(crate) fn flop_line(
        &self,
        replay: &Replay,
        trunk: &Trunk,
        solved: Arc<FlopSolved>,
        job: Job<'_>,
    ) -> Result<Option<FlopLine>, AgentError> {
        let tree = self.tables.plan.tree();
        let Some(first) = tree.state(trunk.node) else { return Ok(None) };
        let flop = replay.board_on(Street::Flop);
        let mut line = FlopLine { reach: trunk.reach.clone(), choices: None, solved };
        let mut tracked = Tracked::new(tree, trunk.node);
        let before = replay.before(Street::Flop);
        let played = &replay.played[before..];
        let played = played.iter().take_while(|played| played.state.street == Street::Flop);
        for (number, &Played { state, action }) in played.enumerate() {
            let mut node = tracked.node(number);
            let Some(here) = tracked.tree.state(node) else { return Ok(None) };
            let game = tracked.tree.game();
            let same = |&known: &Action| in_hand(game, known, &here, &state) == action;
            let mut place = tracked.tree.actions(node).iter().position(same);
            if let (None, Some(to)) = (place, action.amount()) {
                let to = in_tree(tree, &here, fraction(&state, to));
                tracked.add(&first, here, to)?;
                line.solved = self.solve_tracked(replay, trunk, &tracked, number + 1, job)?;
                node = tracked.node(number);
                let actions = tracked.tree.actions(node);
                place = actions.iter().position(|known| known.amount() == Some(to));
            }
            let Some(place) = place else { return Ok(None) };
            let rows = line.solved.rows(node);
            if state.to_act == replay.seat {
                tracked.past.push((number, rows.to_vec()));
            }
            let holes = Deck::row_len(Street::Flop);
            let row = by_hole(&flop, &rows[place * holes..(place + 1) * holes]);
            multiply(&mut line.reach[state.to_act.index()], &row);
            tracked.actions.push(tracked.tree.actions(node)[place]);
        }
        if tracked.added.is_empty() {
            return Ok(None);
        }
        if replay.now.street == Street::Flop {
            let node = tracked.node(tracked.actions.len());
            let Some(here) = tracked.tree.state(node) else { return Ok(None) };
            let rows = line.solved.rows(node).chunks_exact(Deck::row_len(Street::Flop));
            let actions = tracked.tree.actions(node).iter().zip(rows).map(|(&action, row)| {
                (in_hand(tracked.tree.game(), action, &here, &replay.now), by_hole(&flop, row))
            });
            line.choices = Some(Choices::merged(actions));
        }
        Ok(Some(line))
    }

    /// A tree of the flop, solved; or as it was solved before. `decisive` is the number of the flop's
    /// actions that decide what is solved.
    fn solve_tracked(
        &self,
        replay: &Replay,
        trunk: &Trunk,
        tracked: &Tracked,
        decisive: usize,
        job: Job<'_>,
    ) -> Result<Arc<FlopSolved>, AgentError> {
        let (tables, config) = (&self.tables, &self.config);
        let tree = tables.plan.tree();
        // Before the flop suits are alike, so that flops are solved by their canonical form.
        let flop = replay.board_on(Street::Flop);
        let (canonical, map) = CanonicalBoard::of(&flop);
        let mut words: Key = vec![replay.seat.index() as u64, u64::from(replay.stack)];
        words.extend(flop.cards().iter().map(|card| card.index() as u64));
        let before = &replay.played[..replay.before(Street::Flop) + decisive];
        words.push((before.len() - decisive) as u64);
        words.extend(before.iter().map(|played| key(played.action)));
        if let Some(solved) = self.flops.get(&words) {
            return Ok(solved);
        }
        let kind = match config.leaf {
            LeafKind::Continuations => Leaves::Continuations(config.leaf_rivers),
            LeafKind::Equity => Leaves::Equity(self.equities.as_ref()),
        };
        let (seat, opponent) = (replay.seat, replay.seat.opponent());
        let board = canonical.board();
        let mut leaves = FlopLeaves::new(tables, &board, trunk.node, &[seat], kind, job)?;
        if !tracked.added.is_empty() {
            leaves = leaves.in_tree((tree, trunk.node), (&tracked.tree, tracked.start));
        }
        // The canonical slot of every slot of the flop.
        let deck = canonical.deck();
        let slots: Vec<usize> = Deck::without(flop.set())
            .holes()
            .map(|hole| deck.slot(map.hole(hole)).expect("the flop leaves it"))
            .collect();
        let own = trunk.reach[seat.index()].clone();
        let values = tables.root_values(opponent.index(), &board, trunk.node, &own, job)?;
        let locks = tracked.past.iter().filter_map(|(count, rows)| {
            let node = tracked.node(*count);
            // Where the added size is ours, nothing is known of how often we bet it.
            let known = rows.len() == tracked.tree.actions(node).len() * slots.len();
            let mut moved = vec![0.0; rows.len()];
            for (to, from) in moved.chunks_exact_mut(slots.len()).zip(rows.chunks(slots.len())) {
                slots.iter().zip(from).for_each(|(&slot, &share)| to[slot] = share);
            }
            known.then_some((node, moved))
        });
        let subgame = FlopSubgame {
            tree: tracked.tree.clone(),
            start: tracked.start,
            flop: board,
            seat,
            own,
            opponent: trunk.reach[opponent.index()].clone(),
            alternative: values.best,
            leaves: &leaves,
            locks: locks.collect(),
        };
        let mut solved = subgame.solve(config.gadget, config.budget(), job)?;
        for (_, rows) in &mut solved.decisions {
            let moved =
                rows.chunks_exact(slots.len()).flat_map(|row| slots.iter().map(|&at| row[at]));
            *rows = moved.collect();
        }
        let solved = Arc::new(solved);
        let bytes = solved.decisions.iter().map(|(_, rows)| 4 * rows.len() as u64).sum();
        self.flops.insert(words, solved.clone(), bytes);
        Ok(solved)
    }
}

/// A size of the hand, as a fraction of its pot, in the chips of a tree's state.
fn in_tree(tree: &Tree, here: &BettingState, size: f64) -> Chips {
    let bet = here.put[0].max(here.put[1]);
    let added = (size * f64::from(here.pot + 2 * bet)).round();
    bet.saturating_add(added as Chips).clamp(tree.game().least_bet(here), here.stack)
}

/// A row of the holes that a board leaves in the order of [`Hole::index`].
fn by_hole(board: &Board, row: &[f32]) -> Vec<f32> {
    let mut found = vec![0.0; Hole::COUNT];
    for (hole, &x) in Deck::without(board.set()).holes().zip(row) {
        found[hole.index()] = x;
    }
    found
}

/// Whether what one player wins the other loses.
pub(crate) fn is_rake_free(tree: &Tree) -> bool {
    tree.ids().filter_map(|id| tree.outcome(id)).all(|outcome| outcome.rake == 0.0)
}
