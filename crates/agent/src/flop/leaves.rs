//! What pairs of holes are worth where the betting of the flop ends.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use lethe_abstraction::bucket_equities::BucketEquities;
use lethe_blueprint::{Exact, PairValues, Weights, all_in_pairs};
use lethe_cards::{Board, Deck};
use lethe_compute::{Cancelled, Job};
use lethe_game::{NodeId, NodeKind, Player, Tree};
use serde::{Deserialize, Serialize};

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
    pub(super) all_in: PairValues,
    /// By end: the chance node and, by player who may choose, the values of each of its choices.
    pub(super) ends: Vec<(NodeId, [Vec<PairValues>; 2])>,
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
        let mut ends = Vec::new();
        for (node, below) in flop_ends(tree, start) {
            let values = match leaves {
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
            };
            ends.push((node, values));
        }
        Ok(FlopLeaves { all_in, ends })
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> u64 {
        let matrices = self.ends.iter().flat_map(|(_, values)| values.iter().flatten());
        matrices.chain([&self.all_in]).map(|pairs| 4 * pairs.values.len() as u64).sum()
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
