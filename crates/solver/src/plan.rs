//! The betting tree as the solver walks it: one level per street, cut into units that fit a cache.
//!
//! All lines that reach a street are kept together, so that one visit of a board serves them all.
//! A *line* is a betting history up to the street; its root is the first node of the street.

use std::ops::Range;

use lethe_cards::Street;
use lethe_game::{NodeId, NodeKind, Player, Tree};
use lethe_rows::{NONE, Payouts, Stakes, Terminal};

/// The betting of one street over all lines that reach it.
#[derive(Debug)]
pub(crate) struct Level {
    pub(crate) street: Street,
    /// The nodes of every line in depth-first order.
    pub(crate) nodes: Vec<PlanNode>,
    /// The children of all nodes, as places in `nodes`.
    pub(crate) edges: Vec<u32>,
    /// The nodes at which a line continues on the next level, in the order of the lines there.
    pub(crate) leaves: Vec<u32>,
    /// The action rows of each player.
    pub(crate) rows: [usize; 2],
    /// Consecutive nodes that are processed together.
    pub(crate) units: Vec<Unit>,
}

/// A node of a [`Level`].
#[derive(Clone, Debug)]
pub(crate) struct PlanNode {
    pub(crate) id: NodeId,
    pub(crate) kind: Kind,
    pub(crate) edges: Range<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// A player acts; the number of its first action row among the player's of the level.
    Decision(Player, u32),
    /// The line continues on the next level.
    Leaf,
    /// Each player's payoff after a fold.
    Fold([f32; 2]),
    /// What a showdown pays each player.
    Showdown([Stakes; 2]),
}

/// A run of whole lines (or subtrees), with the rows that each traverser needs.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) nodes: Range<usize>,
    pub(crate) lines: Range<usize>,
    /// The first node of each line, numbered from the unit's first.
    pub(crate) roots: Vec<u32>,
    /// The action rows of each player among those of the level.
    pub(crate) rows: [Range<usize>; 2],
    /// By traverser.
    pub(crate) views: [View; 2],
}

/// A unit as one traverser sees it. Nodes are numbered from the unit's first.
#[derive(Debug, Default)]
pub(crate) struct View {
    /// The row of the opponent's reach at each node: it changes only where the opponent acts.
    pub(crate) opp: Vec<u32>,
    /// The row of the traverser's own reach at each node.
    pub(crate) own: Vec<u32>,
    /// At a decision, the row of the actor's reach after the first action; the others follow.
    pub(crate) fan: Vec<u32>,
    pub(crate) opp_rows: usize,
    pub(crate) own_rows: usize,
    /// What the opponent's rows are paid at terminal nodes.
    pub(crate) payouts: Payouts,
}

/// Nodes times hands after which a unit is closed: enough lanes to fill vectors, few enough rows to
/// stay in a core's cache.
const UNIT_HANDS: usize = 32_000;
/// Nodes times hands up to which a single river is walked by one thread, in one piece: dividing it
/// would take longer, and leave vectors half empty.
const SMALL_RIVER: usize = 200_000;
/// The share of a tree below which a subtree of a single board is processed by one thread.
const STEM_PARTS: usize = 6;

/// The levels of a tree from a decision on, for rows of about `hands` hands.
pub(crate) fn levels(tree: &Tree, start: NodeId, hands: usize) -> Vec<Level> {
    let mut levels = Vec::new();
    let unit = (UNIT_HANDS / hands.max(1)).max(6);
    let mut roots = vec![start];
    let street = tree.node(start).street();
    let pay = Payoffs { tree, bonus: tree.node(start).contributed().map(|c| c as f32) };
    if street == Street::River {
        let nodes = tree.subtree(start).len();
        if nodes * hands <= SMALL_RIVER {
            Level::push(&mut levels, &pay, &roots, usize::MAX, |_| None);
            return levels;
        }
        let most = nodes / STEM_PARTS;
        let cut = |id: NodeId| tree.subtree(id).len() <= most.max(8);
        roots = Level::push(&mut levels, &pay, &roots, usize::MAX, |id| {
            (id != start && !tree.node(id).is_terminal() && cut(id)).then_some(id)
        });
        if !roots.is_empty() {
            Level::push(&mut levels, &pay, &roots, 1, |_| None);
        }
        return levels;
    }
    while !roots.is_empty() {
        let street = levels.last().map_or(street, |level: &Level| {
            level.street.next().expect("nothing is dealt after the river")
        });
        let size = if street == Street::River { unit } else { usize::MAX };
        roots = Level::push(&mut levels, &pay, &roots, size, |id| {
            (tree.node(id).kind() == NodeKind::Chance).then(|| tree.children(id)[0])
        });
    }
    levels
}

struct Payoffs<'a> {
    tree: &'a Tree,
    /// What each player had put in before the start.
    bonus: [f32; 2],
}

impl Payoffs<'_> {
    fn kind(&self, id: NodeId) -> Option<Kind> {
        let outcome = self.tree.outcome(id)?;
        Some(match outcome.winner {
            Some(winner) => {
                let pay = outcome.payoffs(Some(winner));
                Kind::Fold([0, 1].map(|p| pay[p] as f32 + self.bonus[p]))
            }
            None => Kind::Showdown(self.bonus.map(|bonus| {
                let [tie, lose] = [outcome.tie(), outcome.lose()].map(|pay| pay as f32 + bonus);
                Stakes { lose, half: tie - lose }
            })),
        })
    }
}

impl Level {
    /// Adds the level of these roots and returns the roots of the next one. `leaf` returns the root
    /// of a line that continues there; a unit is closed when it has `unit` nodes.
    fn push(
        levels: &mut Vec<Level>,
        pay: &Payoffs<'_>,
        roots: &[NodeId],
        unit: usize,
        leaf: impl Fn(NodeId) -> Option<NodeId>,
    ) -> Vec<NodeId> {
        let tree = pay.tree;
        let street = levels.last().map(|level| level.street);
        let mut level = Level {
            street: tree.node(roots[0]).street(),
            nodes: Vec::new(),
            edges: Vec::new(),
            leaves: Vec::new(),
            rows: [0, 0],
            units: Vec::new(),
        };
        debug_assert!(street.is_none_or(|street| street <= level.street));
        let mut next = Vec::new();
        let (mut first_node, mut first_line, mut first_rows) = (0, 0, [0, 0]);
        let mut unit_roots = Vec::new();
        for (line, &root) in roots.iter().enumerate() {
            let mut open = vec![(root, NONE)];
            unit_roots.push((level.nodes.len() - first_node) as u32);
            while let Some((id, edge)) = open.pop() {
                let place = level.nodes.len() as u32;
                if edge != NONE {
                    level.edges[edge as usize] = place;
                }
                let start = level.edges.len() as u32;
                let kind = if let Some(child) = leaf(id) {
                    next.push(child);
                    level.leaves.push(place);
                    Kind::Leaf
                } else if let Some(kind) = pay.kind(id) {
                    kind
                } else {
                    let children = tree.children(id);
                    let edges = children.iter().enumerate();
                    open.extend(edges.map(|(i, &child)| (child, start + i as u32)).rev());
                    level.edges.resize(level.edges.len() + children.len(), NONE);
                    let player = tree.node(id).player().expect("chance nodes are leaves");
                    let row = &mut level.rows[player.index()];
                    *row += children.len();
                    Kind::Decision(player, (*row - children.len()) as u32)
                };
                let edges = start..level.edges.len() as u32;
                level.nodes.push(PlanNode { id, kind, edges });
            }
            let nodes = first_node..level.nodes.len();
            if nodes.len() >= unit || line + 1 == roots.len() {
                let rows = [0, 1].map(|p| first_rows[p]..level.rows[p]);
                let lines = first_line..line + 1;
                let views = [Player::Oop, Player::Ip].map(|p| level.view(p, &nodes, &unit_roots));
                let roots = std::mem::take(&mut unit_roots);
                level.units.push(Unit { nodes, lines, roots, rows, views });
                (first_node, first_line, first_rows) = (level.nodes.len(), line + 1, level.rows);
            }
        }
        levels.push(level);
        next
    }

    /// The children of a node, as places among the level's nodes.
    pub(crate) fn children(&self, node: &PlanNode) -> &[u32] {
        &self.edges[node.edges.start as usize..node.edges.end as usize]
    }

    /// The first action row and the number of actions of a player's decisions.
    pub(crate) fn decisions(&self, player: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.nodes.iter().filter_map(move |node| match node.kind {
            Kind::Decision(actor, row) if actor.index() == player => {
                Some((row as usize, node.edges.len()))
            }
            _ => None,
        })
    }

    /// The number of nodes of the level in a node's subtree.
    pub(crate) fn subtree(&self, place: usize) -> usize {
        let mut last = place;
        while let Some(&child) = self.children(&self.nodes[last]).last() {
            last = child as usize;
        }
        last + 1 - place
    }

    /// The place of a node of the tree in this level.
    pub(crate) fn find(&self, id: NodeId) -> Option<usize> {
        // Lines are in depth-first order, and so are the nodes of each.
        self.nodes.binary_search_by_key(&id, |node| node.id).ok()
    }

    fn view(&self, player: Player, nodes: &Range<usize>, roots: &[u32]) -> View {
        let count = nodes.len();
        let mut view = View { opp: vec![NONE; count], own: vec![NONE; count], ..View::default() };
        view.fan = vec![NONE; count];
        let local = |place: u32| place as usize - nodes.start;
        // The rows of the roots are given and come first.
        (view.opp_rows, view.own_rows) = (roots.len(), roots.len());
        for (line, &root) in roots.iter().enumerate() {
            (view.opp[root as usize], view.own[root as usize]) = (line as u32, line as u32);
        }
        for i in 0..count {
            let Kind::Decision(actor, _) = self.nodes[nodes.start + i].kind else { continue };
            let children = self.children(&self.nodes[nodes.start + i]);
            let rows = if actor == player { &mut view.own_rows } else { &mut view.opp_rows };
            view.fan[i] = *rows as u32;
            *rows += children.len();
            for (action, &child) in children.iter().enumerate() {
                let fan = view.fan[i] + action as u32;
                let child = local(child);
                (view.opp[child], view.own[child]) =
                    if actor == player { (view.opp[i], fan) } else { (fan, view.own[i]) };
            }
        }
        let terminals = self.nodes[nodes.clone()].iter().zip(&view.opp).enumerate();
        view.payouts = Payouts::new(terminals.filter_map(|(i, (node, &row))| {
            let terminal = match node.kind {
                Kind::Fold(pays) => Terminal::Fold(pays[player.index()]),
                Kind::Showdown(stakes) => Terminal::Showdown(stakes[player.index()]),
                Kind::Decision(..) | Kind::Leaf => return None,
            };
            Some((i as u32, row, terminal))
        }));
        view
    }
}
