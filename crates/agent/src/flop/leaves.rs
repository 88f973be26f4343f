//! What pairs of holes are worth where the betting of the flop ends.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use lethe_abstraction::bucket_equities::BucketEquities;
use lethe_blueprint::{Exact, PairValues, Weights, all_in_pairs};
use lethe_cards::{Board, Deck};
use lethe_compute::{Cancelled, Job};
use lethe_game::{Action, BettingState, NodeId, NodeKind, Player, Tree};
use serde::{Deserialize, Serialize};

use crate::sizes::{fraction, neighbour, sizes};

/// What stands for the rest of the hand in a solve of the flop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LeafKind {
    /// Nobody bets any more: the pot is shared by the equities of the abstraction's buckets.
    Equity,
    /// We continue by the blueprint, and the opponent chooses, hole by hole, among the blueprint and
    /// three strategies that lean to folding, calling and raising.
    #[default]
    Continuations,
}

impl LeafKind {
    /// All of them.
    pub const ALL: [LeafKind; 2] = [LeafKind::Equity, LeafKind::Continuations];

    /// The name in commands and files.
    pub const fn name(self) -> &'static str {
        match self {
            LeafKind::Equity => "equity",
            LeafKind::Continuations => "continuations",
        }
    }
}

impl fmt::Display for LeafKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for LeafKind {
    type Err = UnknownLeaf;

    fn from_str(text: &str) -> Result<LeafKind, UnknownLeaf> {
        let found = LeafKind::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| UnknownLeaf(text.to_owned()))
    }
}

/// A text that names no kind of leaf value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown leaf value '{0}': expected equity or continuations")]
pub struct UnknownLeaf(pub String);

/// How leaf values are computed.
#[derive(Clone, Copy, Debug)]
pub enum Leaves<'a> {
    /// [`LeafKind::Equity`], by the equities of the flop's buckets over all flops, as an abstraction may
    /// have them, or by those that its buckets have on the flop at hand.
    Equity(Option<&'a BucketEquities>),
    /// [`LeafKind::Continuations`], over all rivers or about so many after each turn.
    Continuations(Option<u32>),
}

/// The values of pairs of holes at the ends of the flop's betting after one line, where it goes on.
#[derive(Clone, Debug)]
pub struct FlopLeaves {
    /// Of an all-in for one chip.
    pub(super) all_in: Arc<PairValues>,
    /// By end in the blueprint's tree and by player who may choose, the values of each of its choices.
    pub(super) values: Arc<Vec<[Vec<PairValues>; 2]>>,
    pub(super) ends: Vec<End>,
}

/// An end of the flop's betting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct End {
    /// The chance node.
    pub(super) node: NodeId,
    /// Which values stand for the rest of the hand; `None` shares the pot by equity.
    pub(super) leaf: Option<usize>,
    /// The pot, divided by that of the values.
    pub(super) scale: f32,
}

impl FlopLeaves {
    /// The leaf values after the line that leads to `start`, the first decision of a flop, for the
    /// opponents of the players in `seats`.
    pub fn new<W: Weights + ?Sized>(
        exact: &Exact<'_, W>,
        flop: &Board,
        start: NodeId,
        seats: &[Player],
        leaves: Leaves<'_>,
        job: Job<'_>,
    ) -> Result<FlopLeaves, Cancelled> {
        let tree = exact.plan.tree();
        let all_in = all_in_pairs(flop, job)?;
        let (mut values, mut ends) = (Vec::new(), Vec::new());
        for (node, below) in flop_ends(tree, start) {
            ends.push(End { node, leaf: Some(values.len()), scale: 1.0 });
            values.push(match leaves {
                Leaves::Equity(table) => {
                    let values = equities(exact, flop, node, table, &all_in);
                    [0, 1].map(|player| match seats.iter().any(|seat| seat.index() != player) {
                        true => vec![values.clone()],
                        false => Vec::new(),
                    })
                }
                Leaves::Continuations(rivers) => {
                    let found = exact.continuations(flop, below, rivers, job)?;
                    match seats {
                        [seat] => {
                            let mut by_player = [Vec::new(), Vec::new()];
                            let opponent = seat.opponent().index();
                            by_player[opponent] = found.into_player(opponent);
                            by_player
                        }
                        _ => [0, 1].map(|player| found.clone().into_player(player)),
                    }
                }
            });
        }
        Ok(FlopLeaves { all_in: Arc::new(all_in), values: Arc::new(values), ends })
    }

    /// The same values for the ends of another tree, which has more sizes on the flop. An end is
    /// valued like the one that the nearest sizes of the blueprint's tree lead to, in proportion to the
    /// pot. Where these put the players all-in, the pot is shared by equity.
    pub(super) fn in_tree(&self, known: (&Tree, NodeId), other: (&Tree, NodeId)) -> FlopLeaves {
        let ends = flop_ends(other.0, other.1).into_iter().map(|(node, _)| {
            let path = path(other, node);
            let found = path.iter().try_fold(known.1, |at, action| nearest(known.0, at, action));
            let leaf = found.and_then(|at| self.ends.iter().position(|end| end.node == at));
            let scale = leaf.map_or(1.0, |leaf| {
                f64::from(other.0.pot(node)) / f64::from(known.0.pot(self.ends[leaf].node))
            });
            End { node, leaf, scale: scale as f32 }
        });
        FlopLeaves { ends: ends.collect(), ..self.clone() }
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> u64 {
        let matrices = self.values.iter().flat_map(|values| values.iter().flatten());
        matrices.chain([&*self.all_in]).map(|pairs| 4 * pairs.values.len() as u64).sum()
    }
}

/// The chance nodes at which the flop's betting ends and more betting follows, each with the first
/// decision after it.
fn flop_ends(tree: &Tree, start: NodeId) -> Vec<(NodeId, NodeId)> {
    let street = tree.node(start).street();
    let ids = tree.subtree(start).map(|index| NodeId::new(index as u32));
    let ends = ids.filter(|&id| {
        let parent = tree.parent(id).map(|parent| tree.node(parent));
        tree.node(id).kind() == NodeKind::Chance
            && parent.is_some_and(|p| p.street() == street && p.player().is_some())
    });
    ends.filter_map(|id| {
        let mut below = id;
        while tree.node(below).kind() == NodeKind::Chance {
            below = tree.children(below)[0];
        }
        tree.node(below).player().map(|_| (id, below))
    })
    .collect()
}

/// The actions from a tree's node to one below it, each with the state in which it is taken.
fn path((tree, start): (&Tree, NodeId), node: NodeId) -> Vec<(BettingState, Action)> {
    let mut path = Vec::new();
    let mut at = node;
    while at != start {
        let parent = tree.parent(at).expect("below the start");
        let state = tree.state(parent).expect("a player acts before the end");
        path.push((state, tree.last_action(at).expect("after an action")));
        at = parent;
    }
    path.reverse();
    path
}

/// The node after what stands for an action of another tree: the same kind, of the nearest size. A raise
/// where the tree has none is taken for a call, after which what is bet no longer matters.
fn nearest(tree: &Tree, at: NodeId, (state, action): &(BettingState, Action)) -> Option<NodeId> {
    let Some(here) = tree.state(at) else {
        return (tree.node(at).kind() == NodeKind::Chance).then_some(at);
    };
    let actions = tree.actions(at);
    let same = actions.iter().position(|known| known == action);
    let place = same.or_else(|| {
        let Some(to) = action.amount() else {
            return actions.iter().position(|known| matches!(known, Action::Check | Action::Call));
        };
        match sizes(actions, &here) {
            (_, sizes) if sizes.is_empty() => {
                actions.iter().position(|known| matches!(known, Action::Check | Action::Call))
            }
            (first, sizes) => Some(first + neighbour(&sizes, fraction(state, to), 0.5)),
        }
    });
    place.map(|place| tree.children(at)[place])
}

/// The pot shared by the equities of buckets, from the big blind's view.
fn equities<W: Weights + ?Sized>(
    exact: &Exact<'_, W>,
    flop: &Board,
    node: NodeId,
    table: Option<&BucketEquities>,
    all_in: &PairValues,
) -> PairValues {
    let deck = Deck::without(flop.set());
    let mut buckets = vec![0; deck.holes_len()];
    exact.buckets.fill(flop, &mut buckets);
    let holes: Vec<_> = deck.holes().collect();
    let (pot, put) = (f64::from(exact.plan.tree().pot(node)), exact.put_in(0, node));
    let mut here: HashMap<[u32; 2], [f64; 2]> = HashMap::new();
    let places = |a: usize, b: usize| {
        (!holes[a].set().intersects(holes[b].set())).then_some(a * holes.len() + b)
    };
    if table.is_none() {
        for (a, &first) in buckets.iter().enumerate() {
            for (b, &second) in buckets.iter().enumerate() {
                let Some(place) = places(a, b) else { continue };
                let [sum, count] = here.entry([first, second]).or_default();
                *sum += f64::from(all_in.values[place]);
                *count += 1.0;
            }
        }
    }
    let equity = |first: u32, second: u32| match table {
        Some(table) => table.view().equity(first, second).unwrap_or(0.5),
        None => here.get(&[first, second]).map_or(0.5, |[sum, count]| 0.5 + 0.5 * sum / count),
    };
    let mut values = vec![0.0; holes.len() * holes.len()];
    for (a, &first) in buckets.iter().enumerate() {
        for (b, &second) in buckets.iter().enumerate() {
            if let Some(place) = places(a, b) {
                values[place] = (equity(first, second) * pot - put) as f32;
            }
        }
    }
    PairValues { holes: holes.len(), values }
}
