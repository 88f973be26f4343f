//! The betting tree as training and best responses walk it: one block for each line that reaches a
//! street, and a place in flat arrays for each action of each bucket.

use std::ops::Range;
use std::sync::Arc;

use lethe_cards::{StartingHand, Street};
use lethe_game::{NodeId, NodeKind, Tree};
use lethe_rows::{NONE, Payouts, Stakes, Terminal};

/// The most actions of a decision.
pub(crate) const MAX_ACTIONS: usize = 64;

/// A betting tree cut into blocks, with the cells of all information sets.
///
/// A *block* is the betting of one street after one line. Its *cells* hold, for each bucket of the
/// street side by side, one number for each action of each of its decisions: a hand that is played
/// through a block finds all it needs in one place.
#[derive(Debug)]
pub struct Plan {
    tree: Arc<Tree>,
    buckets: [usize; 4],
    /// The sizes of the groups that buckets of a street come in.
    group_sizes: [[usize; 2]; 4],
    streets: [Vec<Block>; 4],
    cells: usize,
    /// By street and block: the number of its shape.
    shapes: [Vec<usize>; 4],
    /// By node: the block on the node's street and the place in it; `NONE` where no block has it.
    places: Vec<[u32; 2]>,
}

/// The betting of one street after one line.
#[derive(Debug)]
pub(crate) struct Block {
    /// In depth-first order.
    pub(crate) nodes: Vec<BlockNode>,
    /// The children of all nodes, as places in `nodes`.
    pub(crate) edges: Vec<u32>,
    /// The cells of one bucket.
    pub(crate) width: usize,
    /// The first cell of the first bucket.
    pub(crate) base: usize,
    /// By traverser.
    pub(crate) views: [View; 2],
}

/// A node of a [`Block`].
#[derive(Debug)]
pub(crate) struct BlockNode {
    pub(crate) id: NodeId,
    pub(crate) kind: Kind,
    edges: Range<u32>,
}

/// What a node of a block is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// This player acts; the place of the first action among a bucket's cells.
    Decision(usize, usize),
    /// The line continues in this block of the next street.
    Next(u32),
    /// Each player's payoff after a fold.
    Fold([f32; 2]),
    /// What a showdown pays; before the river, after all cards are dealt.
    Showdown(Stakes),
}

/// A block as one traverser sees it.
#[derive(Debug, Default)]
pub(crate) struct View {
    /// The row of the opponent's reach at each node: a new one after each of the opponent's actions.
    pub(crate) row: Vec<u32>,
    /// How many rows there are. Row 0 is the reach at the block's root.
    pub(crate) rows: usize,
    /// What the rows are paid at terminal nodes.
    pub(crate) payouts: Payouts,
}

impl Block {
    /// The places of a node's children.
    #[inline]
    pub(crate) fn children(&self, node: usize) -> &[u32] {
        let edges = &self.nodes[node].edges;
        &self.edges[edges.start as usize..edges.end as usize]
    }

    /// Whether the same actions lead to the same kinds of nodes.
    fn is_shaped_like(&self, other: &Block) -> bool {
        let same = |(a, b): (&BlockNode, &BlockNode)| {
            let same_kind = match (a.kind, b.kind) {
                (Kind::Decision(..), Kind::Decision(..)) => a.kind == b.kind,
                _ => std::mem::discriminant(&a.kind) == std::mem::discriminant(&b.kind),
            };
            same_kind && a.edges == b.edges
        };
        self.edges == other.edges
            && self.nodes.len() == other.nodes.len()
            && self.nodes.iter().zip(&other.nodes).all(same)
    }

    /// The number of a node's first child among the children of all nodes; the others follow.
    #[inline]
    pub(crate) fn first_edge(&self, node: usize) -> usize {
        self.nodes[node].edges.start as usize
    }

    /// Whether the hand ends at a node, once all cards are dealt.
    #[inline]
    pub(crate) fn ends(&self, node: usize) -> bool {
        matches!(self.nodes[node].kind, Kind::Fold(_) | Kind::Showdown(_))
    }

    /// The first cell of a bucket at a decision whose cells begin at `offset` in the bucket's.
    #[inline]
    pub(crate) fn cell(&self, offset: usize, bucket: u32) -> usize {
        self.base + bucket as usize * self.width + offset
    }
}

impl Plan {
    /// Cuts a tree from the blinds into blocks, with these numbers of buckets on flop, turn and river.
    pub fn new(tree: impl Into<Arc<Tree>>, buckets: [usize; 3]) -> Plan {
        let tree = tree.into();
        let buckets = [StartingHand::COUNT, buckets[0], buckets[1], buckets[2]];
        let mut plan = Plan {
            places: vec![[NONE; 2]; tree.len()],
            tree,
            buckets,
            group_sizes: buckets.map(|count| [count; 2]),
            streets: Default::default(),
            cells: 0,
            shapes: Default::default(),
        };
        let mut roots = vec![plan.tree.root()];
        for street in Street::ALL {
            let mut next = Vec::new();
            let mut blocks = Vec::with_capacity(roots.len());
            for root in roots {
                let mut block = Block {
                    nodes: Vec::new(),
                    edges: Vec::new(),
                    width: 0,
                    base: plan.cells,
                    views: Default::default(),
                };
                block.grow(&plan.tree, root, &mut next);
                for (place, node) in block.nodes.iter().enumerate() {
                    plan.places[node.id.index()] = [blocks.len() as u32, place as u32];
                }
                plan.cells += block.width * buckets[street.index()];
                block.views = [0, 1].map(|p| View::of(&block, p));
                blocks.push(block);
            }
            plan.streets[street.index()] = blocks;
            roots = next;
        }
        plan.shapes = Street::ALL.map(|street| shapes(plan.blocks(street)));
        plan
    }

    /// The same plan with buckets of flop, turn and river in [groups](lethe_rows::Buckets::group_sizes)
    /// of these sizes.
    ///
    /// # Panics
    /// If a street's buckets cannot be divided into such groups, or these into the smaller ones.
    pub fn with_group_sizes(self, [flop, turn, river]: [[usize; 2]; 3]) -> Plan {
        let group_sizes = [[StartingHand::COUNT; 2], flop, turn, river];
        let fits = |(count, size): (&usize, &[usize; 2])| {
            size[1] > 0 && count.is_multiple_of(size[0]) && size[0].is_multiple_of(size[1])
        };
        assert!(self.buckets.iter().zip(&group_sizes).all(fits), "buckets come in whole groups");
        Plan { group_sizes, ..self }
    }

    /// The cells that a tree of these counts needs, without building it.
    pub fn count_cells(counts: &lethe_game::Counts, buckets: [usize; 3]) -> u64 {
        let [flop, turn, river] = buckets.map(|count| count as u64);
        counts.action_values([StartingHand::COUNT as u64, flop, turn, river])
    }

    /// The betting tree, shared with the subgames that are solved in it.
    pub fn tree(&self) -> &Arc<Tree> {
        &self.tree
    }

    /// The number of buckets of a street.
    pub fn buckets(&self, street: Street) -> usize {
        self.buckets[street.index()]
    }

    /// How many groups of each size the buckets of a street come in.
    pub(crate) fn groups(&self, street: Street) -> [usize; 2] {
        self.group_sizes[street.index()].map(|size| self.buckets[street.index()] / size)
    }

    /// The pools of a street's cells, by the groups that they are summed over: one for the cells of a
    /// bucket in all groups. None where there is only one group, or the groups are those before.
    fn pools_of_street(&self, street: Street) -> [usize; 2] {
        let [outer, inner] = self.groups(street);
        let pools = |groups, before| match groups == before {
            true => 0,
            false => self.cells_of_street(street).len() / groups,
        };
        [pools(outer, 1), pools(inner, outer)]
    }

    /// The number of pools.
    pub(crate) fn pools(&self) -> usize {
        Street::ALL.into_iter().flat_map(|street| self.pools_of_street(street)).sum()
    }

    /// The pools of a block, by the groups that they are summed over: the number of the first, and how
    /// many buckets a group has.
    pub(crate) fn block_pools(&self, street: Street, number: usize) -> [Option<(usize, u32)>; 2] {
        let (groups, pools) = (self.groups(street), self.pools_of_street(street));
        let earlier = Street::ALL.into_iter().take(street.index());
        let before: usize = earlier.flat_map(|street| self.pools_of_street(street)).sum();
        let within = self.blocks(street)[number].base - self.cells_before(street);
        [0, 1].map(|level| {
            let first = before + pools[..level].iter().sum::<usize>() + within / groups[level];
            (pools[level] > 0).then(|| (first, self.group_sizes[street.index()][level] as u32))
        })
    }

    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// How many cells come before those of a street.
    pub(crate) fn cells_before(&self, street: Street) -> usize {
        let blocks = self.streets[street.index()..].iter().flatten();
        { blocks }.next().map_or(self.cells, |block| block.base)
    }

    /// The cells of a street.
    pub(crate) fn cells_of_street(&self, street: Street) -> Range<usize> {
        let end = street.next().map_or(self.cells, |next| self.cells_before(next));
        self.cells_before(street)..end
    }

    /// The cells of a decision's actions for a bucket of its street; `None` if the node is not a
    /// decision or the street has no such bucket.
    pub fn cells_of(&self, node: NodeId, bucket: u32) -> Option<Range<usize>> {
        let street = self.tree.node(node).street();
        let [block, place] = *self.places.get(node.index())?;
        let block = self.streets[street.index()].get(block as usize)?;
        let Kind::Decision(_, offset) = block.nodes[place as usize].kind else { return None };
        let first = block.cell(offset, bucket);
        let actions = block.children(place as usize).len();
        ((bucket as usize) < self.buckets(street)).then_some(first..first + actions)
    }

    /// The block of a node on its street, and its place there.
    ///
    /// # Panics
    /// If no block has the node: it deals cards.
    pub(crate) fn place(&self, node: NodeId) -> (usize, usize) {
        let [block, place] = self.places[node.index()];
        assert!(block != NONE, "a node of a street's betting");
        (block as usize, place as usize)
    }

    /// The number of the shape of every block of a street: those with the same number have the same
    /// actions, which lead to the same kinds of nodes.
    pub(crate) fn shapes(&self, street: Street) -> &[usize] {
        &self.shapes[street.index()]
    }

    /// What a showdown for the pot pays where each line reaches the flop.
    pub(crate) fn flop_pots(&self) -> impl Iterator<Item = Stakes> {
        self.blocks(Street::Flop).iter().map(|block| {
            let half = self.tree.pot(block.nodes[0].id) as f32 / 2.0;
            Stakes { lose: -half, half }
        })
    }

    /// The blocks of a street.
    pub(crate) fn blocks(&self, street: Street) -> &[Block] {
        &self.streets[street.index()]
    }
}

impl Block {
    /// Adds the nodes of a street from `id` on; lines that go on to another decision on a later
    /// street are noted in `next`.
    fn grow(&mut self, tree: &Tree, id: NodeId, next: &mut Vec<NodeId>) -> u32 {
        let place = self.nodes.len();
        let (kind, children) = match tree.node(id).kind() {
            NodeKind::Decision(player) => {
                let offset = self.width;
                self.width += tree.actions(id).len();
                (Kind::Decision(player.index(), offset), tree.children(id))
            }
            NodeKind::Chance => {
                let mut below = tree.children(id)[0];
                while tree.node(below).kind() == NodeKind::Chance {
                    below = tree.children(below)[0];
                }
                let kind = match tree.node(below).kind() {
                    NodeKind::Showdown => showdown(tree, below),
                    _ => {
                        next.push(below);
                        Kind::Next(next.len() as u32 - 1)
                    }
                };
                (kind, &[][..])
            }
            NodeKind::Fold(_) => (fold(tree, id), &[][..]),
            NodeKind::Showdown => (showdown(tree, id), &[][..]),
        };
        let first = self.edges.len() as u32;
        self.edges.resize(self.edges.len() + children.len(), 0);
        self.nodes.push(BlockNode { id, kind, edges: first..first + children.len() as u32 });
        for (i, &child) in children.iter().enumerate() {
            let child = self.grow(tree, child, next);
            self.edges[first as usize + i] = child;
        }
        place as u32
    }
}

/// Numbers the shapes of blocks.
fn shapes(blocks: &[Block]) -> Vec<usize> {
    let mut firsts: Vec<&Block> = Vec::new();
    let shape = |block| {
        let known = firsts.iter().position(|first: &&Block| first.is_shaped_like(block));
        known.unwrap_or_else(|| {
            firsts.push(block);
            firsts.len() - 1
        })
    };
    blocks.iter().map(shape).collect()
}

/// Payoffs count from the chips before ante and blinds.
fn fold(tree: &Tree, id: NodeId) -> Kind {
    let outcome = tree.outcome(id).expect("a fold ends the hand");
    let payoffs = outcome.payoffs(outcome.winner);
    Kind::Fold(payoffs.map(|pay| (pay - outcome.ante()) as f32))
}

fn showdown(tree: &Tree, id: NodeId) -> Kind {
    let outcome = tree.outcome(id).expect("a showdown ends the hand");
    let [win, tie, lose] = [outcome.win(), outcome.tie(), outcome.lose()];
    assert!(
        (win + lose - 2.0 * tie).abs() <= 1e-6 * (win - lose),
        "a tie is halfway between a win and a loss"
    );
    Kind::Showdown(Stakes { lose: (lose - outcome.ante()) as f32, half: (tie - lose) as f32 })
}

impl View {
    fn of(block: &Block, p: usize) -> View {
        let mut view = View { row: vec![0; block.nodes.len()], rows: 1, ..View::default() };
        for (place, node) in block.nodes.iter().enumerate() {
            let Kind::Decision(player, _) = node.kind else { continue };
            for &child in block.children(place) {
                view.row[child as usize] = view.row[place];
                if player != p {
                    view.row[child as usize] = view.rows as u32;
                    view.rows += 1;
                }
            }
        }
        let terminals = block.nodes.iter().zip(&view.row).enumerate();
        view.payouts = Payouts::new(terminals.filter_map(|(place, (node, &row))| {
            let terminal = match node.kind {
                Kind::Fold(pays) => Terminal::Fold(pays[p]),
                Kind::Showdown(stakes) => Terminal::Showdown(stakes),
                Kind::Decision(..) | Kind::Next(_) => return None,
            };
            Some((place as u32, row, terminal))
        }));
        view
    }
}
