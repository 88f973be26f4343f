//! The betting tree: every line of a game, once.

use std::ops::Range;

use lethe_cards::Street;

use crate::count::{Counts, TreeTooLarge};
use crate::state::{Position, State};
use crate::{Action, Chips, Game, Outcome, Player};

/// The number of a node in its [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    /// The node with this number.
    pub const fn new(number: u32) -> NodeId {
        NodeId(number)
    }

    /// The number, as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The number, as in an [`crate::InfoKey`].
    pub const fn number(self) -> u64 {
        self.0 as u64
    }
}

/// What happens at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// This player acts.
    Decision(Player),
    /// The next street is dealt; the one child follows. After an all-in there is one such node for
    /// each street still to come and a showdown at the end.
    Chance,
    /// This player folded: terminal.
    Fold(Player),
    /// The hands are shown, always on the river: terminal.
    Showdown,
}

/// A node of a [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    kind: NodeKind,
    street: Street,
    edges: u32,
    first_edge: u32,
    parent: u32,
    end: u32,
    contributed: [Chips; 2],
    decision: u32,
    action: u32,
}

impl Node {
    /// What happens here.
    pub fn kind(&self) -> NodeKind {
        self.kind
    }

    /// The street whose cards lie on the table; at a chance node, before the deal.
    pub fn street(&self) -> Street {
        self.street
    }

    /// The chips each player, `Oop` first, has put in since the root: blinds and an uncalled bet
    /// included, antes and the starting pot not.
    pub fn contributed(&self) -> [Chips; 2] {
        self.contributed
    }

    /// The player to act, at a decision node.
    pub fn player(&self) -> Option<Player> {
        match self.kind {
            NodeKind::Decision(player) => Some(player),
            _ => None,
        }
    }

    /// Whether the hand ends here.
    pub fn is_terminal(&self) -> bool {
        matches!(self.kind, NodeKind::Fold(_) | NodeKind::Showdown)
    }

    /// At a decision node, its place among the decision nodes of its street, from 0.
    pub fn decision_index(&self) -> Option<usize> {
        self.player().map(|_| self.decision as usize)
    }

    /// At a decision node, the place of its first action among all actions of its street, from 0:
    /// where its rows start in a flat array of a street's actions.
    pub fn action_index(&self) -> Option<usize> {
        self.player().map(|_| self.action as usize)
    }
}

/// The betting tree of a game, in one compact arena.
///
/// # Order
/// Nodes are numbered depth-first, parents before children (preorder): the root is 0, the first
/// child of node *n* is *n* + 1, and the others follow in the order of the node's actions: fold,
/// check, call, then bets and raises by ascending amount, the all-in last. Fold, chance and
/// showdown nodes are numbered too. The numbers of a subtree are therefore consecutive, and the
/// numbering is a function of the game alone: they are the node numbers of [`crate::InfoKey`].
#[derive(Clone, Debug)]
pub struct Tree {
    game: Game,
    counts: Counts,
    nodes: Vec<Node>,
    /// The actions and children of every node, side by side; a chance node's one entry has a
    /// placeholder action.
    actions: Vec<Action>,
    children: Vec<NodeId>,
}

impl Tree {
    /// A limit that suits most machines: a tree of this size takes about a gigabyte.
    pub const NODE_LIMIT: u64 = 20_000_000;

    /// Builds the tree of a game; an error, before anything is allocated, where it would have more
    /// than `limit` nodes.
    pub fn build(game: Game, limit: u64) -> Result<Tree, TreeTooLarge> {
        let limit = limit.min(u64::from(u32::MAX / 2));
        let counts = game.counts(limit)?;
        if counts.nodes() > limit {
            return Err(TreeTooLarge { nodes: counts.nodes(), exact: true, limit });
        }
        let size = counts.nodes() as usize;
        let mut tree = Tree {
            game,
            counts,
            nodes: Vec::with_capacity(size),
            actions: Vec::with_capacity(size),
            children: Vec::with_capacity(size),
        };
        tree.grow();
        Ok(tree)
    }

    fn grow(&mut self) {
        let mut decisions = [0; 4];
        let mut actions_before = [0; 4];
        // Each entry: a position, its parent and the edge that leads to it.
        let mut open = vec![(Position::Decision(State::initial(&self.game)), NodeId(0), None)];
        while let Some((position, parent, edge)) = open.pop() {
            let id = NodeId(self.nodes.len() as u32);
            if let Some(edge) = edge {
                let edge: usize = edge;
                self.children[edge] = id;
            }
            let state = position.state();
            let street = state.street.index();
            let first = self.actions.len();
            let kind = match position {
                Position::Decision(state) => {
                    let actions = self.game.actions(&state);
                    let positions = actions.iter().enumerate().rev();
                    open.extend(positions.map(|(i, &a)| (state.after(a), id, Some(first + i))));
                    self.actions.extend(actions);
                    NodeKind::Decision(state.to_act)
                }
                Position::Chance(state) => {
                    open.push((state.deal(&self.game), id, Some(first)));
                    self.actions.push(Action::Check);
                    NodeKind::Chance
                }
                Position::Fold(_, player) => NodeKind::Fold(player),
                Position::Showdown(_) => NodeKind::Showdown,
            };
            self.children.resize(self.actions.len(), NodeId(0));
            let edges = self.actions.len() - first;
            self.nodes.push(Node {
                kind,
                street: state.street,
                edges: edges as u32,
                first_edge: first as u32,
                parent: parent.0,
                end: id.0 + 1,
                contributed: state.contributed(),
                decision: decisions[street],
                action: actions_before[street],
            });
            if matches!(kind, NodeKind::Decision(_)) {
                decisions[street] += 1;
                actions_before[street] += edges as u32;
            }
        }
        for id in (1..self.nodes.len()).rev() {
            let Node { parent, end, .. } = self.nodes[id];
            let parent = &mut self.nodes[parent as usize];
            parent.end = parent.end.max(end);
        }
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The counts of nodes and actions by street.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The number of nodes.
    #[expect(clippy::len_without_is_empty, reason = "a tree has a root")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The first node, a decision.
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// All nodes, in depth-first order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// A node.
    ///
    /// # Panics
    /// If the tree has no such node; the same holds for the methods below.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The actions at a node, in their order; empty where nobody acts.
    pub fn actions(&self, id: NodeId) -> &[Action] {
        match self.node(id).kind {
            NodeKind::Decision(_) => &self.actions[self.edges(id)],
            _ => &[],
        }
    }

    /// The children of a node: one for each action, one at a chance node, none at a terminal.
    pub fn children(&self, id: NodeId) -> &[NodeId] {
        &self.children[self.edges(id)]
    }

    /// The node before; none at the root.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        (id != self.root()).then(|| NodeId(self.node(id).parent))
    }

    /// The action that led to a node; none at the root and after a deal.
    pub fn last_action(&self, id: NodeId) -> Option<Action> {
        let parent = self.parent(id)?;
        let place = self.children(parent).iter().position(|&child| child == id)?;
        self.actions(parent).get(place).copied()
    }

    /// The numbers of a node and all nodes below it.
    pub fn subtree(&self, id: NodeId) -> Range<usize> {
        id.index()..self.node(id).end as usize
    }

    /// The pot at a node with all chips put in, an uncalled bet included.
    pub fn pot(&self, id: NodeId) -> Chips {
        let [oop, ip] = self.node(id).contributed;
        self.game.pot + oop + ip
    }

    /// The chips each player, `Oop` first, has left at a node.
    pub fn stacks(&self, id: NodeId) -> [Chips; 2] {
        self.node(id).contributed.map(|put| self.game.stack - put)
    }

    /// Pot, rake and payoffs at a terminal node; none elsewhere.
    pub fn outcome(&self, id: NodeId) -> Option<Outcome> {
        let node = self.node(id);
        let winner = match node.kind {
            NodeKind::Fold(player) => Some(player.opponent()),
            NodeKind::Showdown => None,
            NodeKind::Decision(_) | NodeKind::Chance => return None,
        };
        let matched = node.contributed[0].min(node.contributed[1]);
        let pot = self.game.pot + 2 * matched;
        let rake = match node.street {
            Street::Preflop => 0.0,
            _ => self.game.rake.of(pot),
        };
        Some(Outcome { pot, matched, rake, winner })
    }

    fn edges(&self, id: NodeId) -> Range<usize> {
        let node = self.node(id);
        let first = node.first_edge as usize;
        first..first + node.edges as usize
    }
}
