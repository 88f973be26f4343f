//! `Trace`: a finished hand with what its players could have done.

use lethe_agent::{Agent, AgentError, pot_fraction};
use lethe_cards::{Board, Hole, Street};
use lethe_compute::Job;
use lethe_game::{Action, BettingState, Chips, NodeId, NodeKind, Player, Tree};

use crate::record::{End, PlayedHand, RecordError, Replay};

/// Which holes are known, of all hands that a score is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Both players', at the latest when the hand is over.
    Both,
    /// The scored player's; the opponent's only where it was shown.
    Own,
}

/// A finished hand of a player whose strategy is known.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The player who is scored.
    pub own: Player,
    /// Which holes are known.
    pub view: View,
    /// The holes. Those of the view are known, and both at a showdown.
    pub holes: [Option<Hole>; 2],
    /// The cards that were dealt.
    pub board: Board,
    /// What was done.
    pub steps: Vec<Step>,
    /// How it ended.
    pub ending: Ending,
}

/// An action, and what else could have been done.
#[derive(Clone, Debug)]
pub struct Step {
    /// Who acted.
    pub player: Player,
    /// On which street.
    pub street: Street,
    /// The node of the blueprint's tree that stands for the decision. From the first one without on,
    /// nothing is corrected.
    pub node: Option<NodeId>,
    /// The chips of both players in the middle before it, antes included.
    pub before: [Chips; 2],
    /// For each action that was possible, its place among the node's.
    pub children: Vec<usize>,
    /// The chips in the middle after each.
    pub put: Vec<[Chips; 2]>,
    /// For each action, how often each hole takes it, by [`Hole::index`]; none for a player whose strategy is
    /// not known.
    pub frequencies: Option<Vec<f32>>,
    /// The place of the action that was taken.
    pub taken: usize,
}

/// The end of a hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ending {
    /// A fold: what the scored player won, in chips.
    Fold(f64),
    /// A showdown, or an all-in.
    Showdown {
        /// The street on which the last action was taken.
        street: Street,
        /// What the scored player wins, in chips, by winning, splitting and losing.
        pays: [f64; 3],
    },
}

impl Step {
    /// A step in the blueprint's own tree.
    pub fn in_tree(tree: &Tree, node: NodeId, frequencies: Option<Vec<f32>>, taken: usize) -> Step {
        let ante = tree.game().pot() / 2;
        let put = |node: NodeId| tree.node(node).contributed().map(|put| put + ante);
        Step {
            player: tree.node(node).player().expect("a decision"),
            street: tree.node(node).street(),
            node: Some(node),
            before: put(node),
            children: (0..tree.children(node).len()).collect(),
            put: tree.children(node).iter().map(|&child| put(child)).collect(),
            frequencies,
            taken,
        }
    }
}

impl Trace {
    /// A hand that an agent played in one seat.
    ///
    /// The agent is asked again what it would have done with every hole; with a budget of iterations alone
    /// it answers as it did in the hand.
    ///
    /// # Errors
    /// If the hand is not finished, breaks the rules, lacks a card that the view needs, or contains an action
    /// that the agent never takes.
    pub fn of_agent(
        tree: &Tree,
        hand: &PlayedHand,
        own: Player,
        view: View,
        agent: &Agent<'_>,
        job: Job<'_>,
    ) -> Result<Trace, TraceError> {
        let replay = hand.replay()?;
        let shown = hand.holes[own.opponent().index()].is_some();
        let ending = ending(hand, &replay, own).ok_or(TraceError::Unfinished)?;
        let needs_both = view == View::Both || matches!(ending, Ending::Showdown { .. });
        if hand.holes[own.index()].is_none() || needs_both && !shown {
            return Err(TraceError::UnknownHole);
        }
        let mut steps = Vec::with_capacity(replay.played.len());
        let mut at = Some(tree.root());
        for (number, played) in replay.played.iter().enumerate() {
            let state = &played.state;
            let (actions, frequencies) = match state.to_act == own {
                true => {
                    let asked = hand.before(&replay, number).expect("the hole is known");
                    let decision = agent.play(&asked, job)?;
                    (decision.actions, Some(decision.frequencies))
                }
                false => (vec![played.action], None),
            };
            let taken = actions.iter().position(|&action| action == played.action);
            let taken = taken
                .ok_or(TraceError::NeverTaken { number: number + 1, action: played.action })?;
            let node = at.filter(|&node| stands_for(tree, node, state));
            let children: Option<Vec<usize>> = node.and_then(|node| {
                actions.iter().map(|&action| child(tree, node, state, action)).collect()
            });
            let node = node.filter(|_| children.is_some());
            let children = children.unwrap_or_default();
            at = node.map(|node| after(tree, tree.children(node)[children[taken]]));
            let before = |put: [Chips; 2]| put.map(|put| hand.stack() - state.stack + put);
            let put = actions.iter().map(|&action| before(put_after(state, action))).collect();
            let (player, street, before) = (state.to_act, state.street, before(state.put));
            steps.push(Step { player, street, node, before, children, put, frequencies, taken });
        }
        Ok(Trace { own, view, holes: hand.holes, board: hand.board, steps, ending })
    }
}

/// How a hand ended for a player; none if it did not.
fn ending(hand: &PlayedHand, replay: &Replay, own: Player) -> Option<Ending> {
    let matched = f64::from(replay.put[0].min(replay.put[1]));
    match replay.end {
        End::ToAct(_) => None,
        End::Fold(player) => Some(Ending::Fold(if player == own { -matched } else { matched })),
        End::Showdown => {
            let street = replay.played.last().map_or(hand.board.street(), |last| last.state.street);
            Some(Ending::Showdown { street, pays: [matched, 0.0, -matched] })
        }
    }
}

/// Whether a node of the tree stands for a state: the same player acts on the same street, facing a bet
/// or not.
fn stands_for(tree: &Tree, node: NodeId, state: &BettingState) -> bool {
    let faces = |state: &BettingState| state.put[0] != state.put[1];
    tree.state(node).is_some_and(|at| {
        at.street == state.street && at.to_act == state.to_act && faces(&at) == faces(state)
    })
}

/// The place of the action that stands for one in a hand: of bets the nearest by the share of the pot.
fn child(tree: &Tree, node: NodeId, state: &BettingState, action: Action) -> Option<usize> {
    let actions = tree.actions(node);
    let Some(to) = action.amount() else {
        return actions.iter().position(|&known| known == action);
    };
    let at = tree.state(node)?;
    let size = pot_fraction(state, to);
    let off = |known: &Action| {
        let known = pot_fraction(&at, known.amount()?);
        Some(((1.0 + known) / (1.0 + size)).ln().abs())
    };
    let offs = actions.iter().enumerate().filter_map(|(place, known)| Some((off(known)?, place)));
    offs.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, place)| place)
}

/// The decision after a deal.
fn after(tree: &Tree, mut node: NodeId) -> NodeId {
    while tree.node(node).kind() == NodeKind::Chance {
        node = tree.children(node)[0];
    }
    node
}

/// What both players have put in on the street after an action.
fn put_after(state: &BettingState, action: Action) -> [Chips; 2] {
    let mut put = state.put;
    match action {
        Action::Fold | Action::Check => {}
        Action::Call => put = [put[0].max(put[1]); 2],
        Action::Bet(to) | Action::Raise(to) | Action::AllIn(to) => put[state.to_act.index()] = to,
    }
    put
}

/// A hand whose luck cannot be computed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// It breaks the rules.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// It is not over.
    #[error("the hand is not finished")]
    Unfinished,
    /// A hole that is needed is not known.
    #[error("a player's hole is not known")]
    UnknownHole,
    /// An action that the agent would not have considered.
    #[error("action {number} of the hand: '{action}' is not one of the agent's actions")]
    NeverTaken {
        /// The number of the action, from 1.
        number: usize,
        /// The action.
        action: Action,
    },
    /// The agent has no answer.
    #[error(transparent)]
    Agent(#[from] AgentError),
}
