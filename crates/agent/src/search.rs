//! The part of a hand that is solved: subgames from the start of a street, one after the other.

use std::sync::Arc;

use lethe_cards::{Board, Card, Hole, Street};
use lethe_compute::Job;
use lethe_game::{Action, BettingState, Chips, Game, NodeId, NodeKind, Player, SpotConfig, Tree};
use lethe_solver::{
    Lock, LockedStrategy, Options, Position, Solution, Solver, Spot, StartingStrategy, WalkError,
};

use crate::agent::{Agent, Tables};
use crate::cache::Key;
use crate::error::AgentError;
use crate::gadget::GadgetMeasure;
use crate::hand::{Replay, key};
use crate::subgame::{Subgame, SubgameError};
use crate::trunk::{Choices, Trunk};
use crate::warm::WarmStart;

/// The most nodes of a subgame's tree.
pub(crate) const NODE_LIMIT: u64 = 1_000_000;

/// Where a solved part of a hand begins: the start of a street, what both players came with, and what
/// the opponent's holes must not exceed.
#[derive(Clone, Debug)]
struct Root {
    state: BettingState,
    board: Board,
    /// By player.
    reach: [Vec<f32>; 2],
    alternative: Alternative,
    /// The node of the blueprint's tree, if it has just this state.
    shared: Option<NodeId>,
}

/// Where the opponent's alternative values come from. They are computed when a subgame is solved, not
/// where its solution is looked up.
#[derive(Clone, Debug)]
enum Alternative {
    /// The best response to the blueprint from a node on, whose pot may be another.
    Blueprint(NodeId),
    /// The blueprint's players are all-in there: holes get their equity.
    Equity,
    /// The best response to an earlier solution.
    Known(Vec<f32>),
}

/// What happened after a root.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Event {
    Act(Action),
    Deal(Card),
}

/// A subgame that was solved.
#[derive(Debug)]
pub(crate) struct Searched {
    pub(crate) solution: Solution,
    pub(crate) iterations: u32,
    pub(crate) measure: Option<GadgetMeasure>,
    /// About how much memory it takes.
    pub(crate) bytes: u64,
}

/// A decision of ours on the present street, with what our whole range does there.
#[derive(Clone, Debug)]
struct Past {
    /// The number of events of the street before it.
    before: usize,
    choices: Choices,
}

/// The solved part of a hand, up to some action of it.
pub(crate) struct Search<'a> {
    agent: &'a Agent<'a>,
    /// What is played before the root and, where it is not solved, after it.
    tables: &'a Tables<'a>,
    replay: &'a Replay,
    root: Root,
    tree: Arc<Tree>,
    start: NodeId,
    /// Sizes that the opponent added on the root's street, with the state in which each was bet.
    added: Vec<(BettingState, Chips)>,
    /// The events of the root's street up to the last added size, which decide what is solved.
    decisive: usize,
    solved: Option<Arc<Searched>>,
    /// Since the root.
    events: Vec<Event>,
    /// The number of events at which the present street begins, and the state there.
    street: (usize, BettingState),
    past: Vec<Past>,
}

/// Where we are to act.
pub(crate) struct Found {
    pub(crate) searched: Arc<Searched>,
    events: Vec<Event>,
    pub(crate) choices: Choices,
}

impl Found {
    /// The position in the solution.
    pub(crate) fn position(&self) -> Position<'_> {
        walk(&self.searched.solution, &self.events).expect("the solution contains what happened")
    }

    /// What each action is worth to a hole of ours; `None` where the opponent has nothing that it can
    /// meet.
    pub(crate) fn values(&self, hole: Hole, job: Job<'_>) -> Result<Option<Vec<f64>>, AgentError> {
        let at = self.position();
        let blocked = at.board().set();
        let mut live = Hole::all().filter(|hole| !blocked.intersects(hole.set()));
        let place = live.position(|live| live == hole).expect("the board leaves it");
        match at.action_evs(job) {
            Ok(evs) => Ok(evs[place].iter().copied().collect()),
            Err(WalkError::Cancelled(cancelled)) => Err(cancelled.into()),
            Err(_) => Ok(None),
        }
    }
}

impl<'a> Search<'a> {
    /// The search that begins on a street, to which the trunk has led.
    pub(crate) fn new(
        agent: &'a Agent<'a>,
        tables: &'a Tables<'a>,
        replay: &'a Replay,
        trunk: &Trunk,
        street: Street,
    ) -> Result<Search<'a>, AgentError> {
        let first = replay.played.get(replay.before(street)).map(|played| played.state);
        let state = first.unwrap_or(replay.now);
        let board = replay.board_on(street);
        let tree = tables.plan.tree();
        let mut reach = trunk.reach.clone();
        reach.iter_mut().for_each(|reach| clear(reach, &board));
        // We may be asked about a line that we would never have played.
        let own = &mut reach[replay.seat.index()];
        if own.iter().all(|&x| x == 0.0) {
            own.fill(1.0);
            clear(own, &board);
        }
        let shared = trunk.begins(tree, &state).then_some(trunk.node);
        let alternative = match trunk.is_decision(tree) {
            true => Alternative::Blueprint(trunk.node),
            false => Alternative::Equity,
        };
        let root = Root { state, board, reach, alternative, shared };
        let (tree, start) = tree_of(tables, &root, &[])?;
        Ok(Search {
            agent,
            tables,
            replay,
            street: (0, root.state),
            root,
            tree,
            start,
            added: Vec::new(),
            decisive: 0,
            solved: None,
            events: Vec::new(),
            past: Vec::new(),
        })
    }

    /// Follows the hand to our decision.
    pub(crate) fn run(mut self, job: Job<'_>) -> Result<Found, AgentError> {
        let mut street = self.root.state.street;
        let played = &self.replay.played[self.replay.before(street)..];
        for played in played {
            self.deal_to(&mut street, &played.state, job)?;
            if played.state.to_act == self.replay.seat {
                let choices = self.decide(job)?;
                let before = self.events.len() - self.street.0;
                self.past.push(Past { before, choices });
            }
            self.act(&played.state, played.action, job)?;
        }
        let now = self.replay.now;
        self.deal_to(&mut street, &now, job)?;
        let choices = self.decide(job)?;
        let searched = self.solved.expect("decided by a solution");
        Ok(Found { searched, events: self.events, choices })
    }

    fn deal_to(
        &mut self,
        street: &mut Street,
        state: &BettingState,
        job: Job<'_>,
    ) -> Result<(), AgentError> {
        while *street < state.street {
            *street = street.next().expect("the river is the last");
            let card = self.replay.board.cards()[street.board_len() - 1];
            self.events.push(Event::Deal(card));
            self.street = (self.events.len(), *state);
            self.past.clear();
            if self.agent.config.resolve_river {
                self.begin_here(job)?;
            }
        }
        Ok(())
    }

    /// Follows an action, and adds it to the tree if it is not there.
    fn act(
        &mut self,
        state: &BettingState,
        action: Action,
        job: Job<'_>,
    ) -> Result<(), AgentError> {
        let here = self.locate(self.events.len()).expect("the tree contains what happened");
        self.events.push(Event::Act(action));
        if self.tree.actions(here).contains(&action) {
            return Ok(());
        }
        if self.street.0 > 0 {
            // A later street of a solved subgame becomes a subgame of its own.
            let street = self.events.split_off(self.street.0);
            self.begin_here(job)?;
            self.events = street;
        }
        let to = action.amount().expect("only sizes are missing from a tree");
        self.added.push((*state, to));
        self.decisive = self.events.len();
        (self.tree, self.start) = tree_of(self.tables, &self.root, &self.added)?;
        self.solved = None;
        Ok(())
    }

    /// Makes the start of the present street the root: both ranges and what the opponent's holes get are
    /// those of the present solution. The events up to there must be all that is left of them.
    fn begin_here(&mut self, job: Job<'_>) -> Result<(), AgentError> {
        let searched = self.solve(job)?;
        let at = walk(&searched.solution, &self.events).expect("the solution contains it");
        let opponent = self.replay.seat.opponent();
        let values = at.hole_values(opponent, true, job)?;
        let value = |hole: Hole| values.value(hole).unwrap_or(0.0) as f32;
        self.root = Root {
            state: self.street.1,
            board: at.board(),
            reach: Player::BOTH.map(|player| at.reach(player)),
            alternative: Alternative::Known(Hole::all().map(value).collect()),
            shared: None,
        };
        (self.tree, self.start) = tree_of(self.tables, &self.root, &[])?;
        (self.added, self.decisive, self.solved) = (Vec::new(), 0, None);
        (self.events, self.street.0) = (Vec::new(), 0);
        Ok(())
    }

    /// The node after the first `count` events; `None` if the tree does not contain one of them.
    fn locate(&self, count: usize) -> Option<NodeId> {
        let mut node = self.start;
        for event in &self.events[..count] {
            let place = match event {
                Event::Act(action) => self.tree.actions(node).iter().position(|a| a == action)?,
                Event::Deal(_) => 0,
            };
            node = self.tree.children(node)[place];
        }
        Some(node)
    }

    /// What our whole range does now.
    fn decide(&mut self, job: Job<'_>) -> Result<Choices, AgentError> {
        let searched = self.solve(job)?;
        let at = walk(&searched.solution, &self.events).expect("the solution contains it");
        Ok(Choices { actions: at.actions().to_vec(), rows: at.strategy_by_hole() })
    }

    /// The subgame, solved; or as it was solved before.
    fn solve(&mut self, job: Job<'_>) -> Result<Arc<Searched>, AgentError> {
        if let Some(solved) = &self.solved {
            return Ok(solved.clone());
        }
        let key = self.key();
        let solved = match self.agent.cache.get(&key) {
            Some(solved) => solved,
            None => {
                let solved = Arc::new(self.solve_now(job)?);
                self.agent.cache.insert(key, solved.clone(), solved.bytes);
                solved
            }
        };
        self.solved = Some(solved.clone());
        Ok(solved)
    }

    /// All that the solution depends on, beside the agent.
    fn key(&self) -> Key {
        let street = self.root.state.street;
        let before = self.replay.before(street);
        let played = &self.replay.played[..before + self.decisive];
        let mut words = vec![self.replay.seat.index() as u64, u64::from(self.replay.stack)];
        words.extend(self.root.board.cards().iter().map(|card| card.index() as u64));
        // Whether the river is a part of the turn's solution or a subgame of its own.
        words.extend([street.index() as u64, before as u64]);
        words.extend(played.iter().map(|played| key(played.action)));
        words
    }

    /// The opponent's alternative values.
    fn alternative(&self, job: Job<'_>) -> Result<Vec<f32>, AgentError> {
        let Root { state, board, reach, .. } = &self.root;
        let (seat, opponent) = (self.replay.seat, self.replay.seat.opponent());
        match &self.root.alternative {
            Alternative::Known(values) => Ok(values.clone()),
            Alternative::Equity => checked_down(state, board, reach, opponent, job),
            Alternative::Blueprint(node) => {
                let tables = self.tables;
                let own = &reach[seat.index()];
                let found = tables.root_values(opponent.index(), board, *node, own, job)?;
                let pot = f64::from(tables.plan.tree().pot(*node));
                let scale = f64::from(state.pot) / pot.max(1.0);
                let most = f64::from(state.pot + state.stack);
                Ok(found.best.iter().map(|&v| (f64::from(v) * scale).min(most) as f32).collect())
            }
        }
    }

    fn solve_now(&self, job: Job<'_>) -> Result<Searched, AgentError> {
        let config = &self.agent.config;
        let seat = self.replay.seat;
        let subgame = Subgame {
            tree: self.tree.clone(),
            start: self.start,
            board: self.root.board,
            seat,
            own: self.root.reach[seat.index()].clone(),
            opponent: self.root.reach[seat.opponent().index()].clone(),
            alternative: self.alternative(job)?,
            locks: self.locks(),
        };
        // Nodes of another tree than the blueprint's have no strategy there.
        let is_shared = Arc::ptr_eq(&self.tree, self.tables.plan.tree());
        let warm = WarmStart(self.tables);
        let start = (config.warm_start && is_shared).then_some(&warm as &dyn StartingStrategy);
        let solved = subgame.solve_from(start, config.gadget, config.budget(), job)?;
        let iterations = solved.iterations();
        let measure = match config.measure {
            true => Some(solved.measure(job)?.measure),
            false => None,
        };
        let bytes = solved.solution_bytes();
        Ok(Searched { solution: solved.into_solution(), iterations, measure, bytes })
    }

    /// What our range did on this street before a size was added, which stays as it was.
    fn locks(&self) -> Vec<Lock> {
        let locked = self.past.iter().filter(|past| past.before < self.decisive);
        let lock = |past: &Past| {
            let node = self.locate(past.before)?;
            // Where the added size is ours, nothing is known of how often we bet it.
            (self.tree.actions(node) == past.choices.actions).then_some(())?;
            let live = |hole: &Hole| !hole.set().intersects(self.root.board.set());
            let hands = Hole::all().filter(live).map(|hole| {
                let shares = past.choices.of(hole).into_iter().map(f64::from);
                (hole, shares.collect())
            });
            let strategy = LockedStrategy::Hands(hands.collect());
            Some(Lock { node, dealt: Vec::new(), strategy })
        };
        locked.filter_map(lock).collect()
    }
}

/// The tree of a subgame and the node at which it begins.
fn tree_of(
    tables: &Tables<'_>,
    root: &Root,
    added: &[(BettingState, Chips)],
) -> Result<(Arc<Tree>, NodeId), AgentError> {
    let tree = tables.plan.tree();
    if let (Some(node), []) = (root.shared, added) {
        return Ok((tree.clone(), node));
    }
    let mut game = tree.game().starting_at(&root.state)?;
    for (state, to) in added {
        game = game.with_size(state, *to)?;
    }
    let tree = Arc::new(Tree::build(game, NODE_LIMIT)?);
    let start = tree.root();
    Ok((tree, start))
}

/// The position after some events; `None` if the solution does not contain them.
fn walk<'s>(solution: &'s Solution, events: &[Event]) -> Option<Position<'s>> {
    let mut at = solution.root();
    for event in events {
        at = match event {
            Event::Act(action) => {
                let place = at.actions().iter().position(|known| known == action)?;
                at.act(place).ok()?
            }
            Event::Deal(card) => at.deal(*card).ok()?,
        };
    }
    matches!(at.kind(), NodeKind::Decision(_)).then_some(at)
}

/// Removes the holes that a board blocks.
fn clear(reach: &mut [f32], board: &Board) {
    for (hole, reach) in Hole::all().zip(reach) {
        if hole.set().intersects(board.set()) {
            *reach = 0.0;
        }
    }
}

/// What the holes of a player get where nobody bets any more: their share of the pot.
fn checked_down(
    state: &BettingState,
    board: &Board,
    reach: &[Vec<f32>; 2],
    player: Player,
    job: Job<'_>,
) -> Result<Vec<f32>, AgentError> {
    let game = Game::spot(&SpotConfig::new(state.pot, state.stack), state.street);
    let tree = Tree::build(game.expect("chips of a hand"), NODE_LIMIT)?;
    let start = tree.root();
    let mut weights = reach.clone();
    weights[player.index()].fill(1.0);
    let spot = Spot::with_weights(*board, weights, Arc::new(tree), start);
    let spot = spot.map_err(SubgameError::from)?;
    let met = spot.met(player.opponent());
    let solver = Solver::new(spot, Options::default(), job).map_err(SubgameError::from)?;
    let row = |player: Player| -> Vec<f32> {
        let weights = solver.spot().weights(player);
        solver.root_holes(player).iter().map(|hole| weights[hole.index()]).collect()
    };
    let values = solver.root_values(player, false, &row(player.opponent()), job)?;
    let mut shares = vec![0.0; Hole::COUNT];
    for (hole, value) in solver.root_holes(player).iter().zip(values) {
        let met = met[hole.index()];
        shares[hole.index()] = if met > 0.0 { (f64::from(value) / met) as f32 } else { 0.0 };
    }
    Ok(shares)
}
