//! What a known hole is worth within a street, against a range, if both go on as the blueprint does.

use std::cell::OnceCell;

use lethe_blueprint::{Policy, ValuesError};
use lethe_cards::{Board, Card, CardSet, Deck, Hole, Matchups, River, Street};
use lethe_game::{NodeId, NodeKind, Player, Tree};

use super::Baseline;

/// The runouts of a flop that stand for all where an all-in is looked at but not played.
const RUNOUTS: usize = 24;

/// A board, the known hole, and what the holes of the other player are on it.
pub(super) struct Frame {
    pub(super) board: Board,
    hole: Hole,
    /// The bucket of the known hole.
    bucket: u32,
    /// The buckets of all holes.
    row: OnceCell<Vec<u32>>,
    live: OnceCell<Live>,
    /// The next cards and the known hole's bucket after each.
    next: OnceCell<Vec<(Card, u32)>>,
}

/// The holes that neither the board nor the known hole blocks.
struct Live {
    holes: Vec<Hole>,
    /// The place of each one's bucket.
    groups: Vec<u32>,
    /// The distinct buckets.
    buckets: Vec<u32>,
    /// How often the known hole wins, ties and loses against each.
    results: OnceCell<Vec<[f64; 3]>>,
}

impl Frame {
    pub(super) fn new(baseline: &Baseline<'_>, board: Board, hole: Hole) -> Frame {
        let bucket = baseline.bucket(hole, &board);
        let (row, live, next) = Default::default();
        Frame { board, hole, bucket, row, live, next }
    }

    fn live(&self, baseline: &Baseline<'_>) -> &Live {
        self.live.get_or_init(|| {
            let deck = Deck::without(self.board.set());
            let row = self.row.get_or_init(|| hands(baseline.policy, &self.board));
            let free = |(hole, _): &(Hole, u32)| !hole.set().intersects(self.hole.set());
            let (holes, hands): (Vec<Hole>, Vec<u32>) =
                deck.holes().zip(row.iter().copied()).filter(free).unzip();
            let mut buckets = hands.clone();
            buckets.sort_unstable();
            buckets.dedup();
            let group = |hand: &u32| buckets.binary_search(hand).expect("it is there") as u32;
            let groups = hands.iter().map(group).collect();
            Live { holes, groups, buckets, results: OnceCell::new() }
        })
    }

    /// The cards that can come next, and what the known hole is then.
    pub(super) fn next(&self, baseline: &Baseline<'_>) -> &[(Card, u32)] {
        self.next.get_or_init(|| {
            let deck = Deck::without(self.board.set() | self.hole.set());
            let after = |&card: &Card| {
                let board = self.board.with(card).expect("a flop or a turn without the card");
                (card, baseline.bucket(self.hole, &board))
            };
            deck.cards().iter().map(after).collect()
        })
    }

    /// What the blueprint does at a node with every hole: a row by [`Hole::index`] for each action.
    pub(super) fn rows(&self, baseline: &Baseline<'_>, node: NodeId) -> Vec<f32> {
        let row = self.row.get_or_init(|| hands(baseline.policy, &self.board));
        rows_of(baseline.policy, baseline.tree(), node, &self.board, row)
    }

    /// The street with a range of the other player, by [`Hole::index`].
    pub(super) fn walk<'a>(
        &'a self,
        baseline: &'a Baseline<'a>,
        known: Player,
        reach: &[f64],
    ) -> Walk<'a> {
        let live = self.live(baseline);
        let reach: Vec<f64> = live.holes.iter().map(|hole| reach[hole.index()]).collect();
        let mut weights = vec![0.0; live.buckets.len()];
        for (&group, reach) in live.groups.iter().zip(&reach) {
            weights[group as usize] += reach;
        }
        Walk { frame: self, baseline, live, known, reach, weights, results: OnceCell::new() }
    }
}

/// The betting of a street. The player with the range acts by bucket, so that all that is needed of the
/// range is how much of it is in each bucket.
pub(super) struct Walk<'a> {
    frame: &'a Frame,
    baseline: &'a Baseline<'a>,
    live: &'a Live,
    known: Player,
    /// By live hole.
    reach: Vec<f64>,
    /// By place of the bucket.
    weights: Vec<f64>,
    /// By place of the bucket: the reach that the known hole beats, ties and loses to.
    results: OnceCell<Vec<[f64; 3]>>,
}

impl Walk<'_> {
    /// What the known hole is worth at a node of the street, in the tree's chips.
    pub(super) fn value(&self, node: NodeId) -> Result<f64, ValuesError> {
        self.at(node, &self.weights)
    }

    /// `weights` are those of the buckets that come to the node.
    fn at(&self, node: NodeId, weights: &[f64]) -> Result<f64, ValuesError> {
        let tree = self.baseline.tree();
        let children = tree.children(node);
        match tree.node(node).kind() {
            NodeKind::Fold(_) => {
                let outcome = tree.outcome(node).expect("a fold ends the hand");
                Ok(outcome.payoffs(outcome.winner)[self.known.index()] - outcome.ante())
            }
            NodeKind::Showdown => Ok(self.showdown(node, weights)),
            NodeKind::Chance => self.deal(node, weights),
            NodeKind::Decision(player) if player == self.known => {
                let mut shares = vec![0.0; children.len()];
                self.baseline.policy.frequencies(tree, node, self.frame.bucket, &mut shares);
                let mut sum = 0.0;
                for (&child, &share) in children.iter().zip(&shares).filter(|(_, s)| **s > 0.0) {
                    sum += f64::from(share) * self.at(child, weights)?;
                }
                Ok(sum)
            }
            NodeKind::Decision(_) => {
                let count = children.len();
                let mut shares = vec![0.0; count];
                let mut after = vec![0.0; count * weights.len()];
                for (group, &weight) in weights.iter().enumerate().filter(|(_, w)| **w > 0.0) {
                    let bucket = self.live.buckets[group];
                    self.baseline.policy.frequencies(tree, node, bucket, &mut shares);
                    for (action, &share) in shares.iter().enumerate() {
                        after[action * weights.len() + group] = weight * f64::from(share);
                    }
                }
                let total: f64 = weights.iter().sum();
                let mut sum = 0.0;
                for (&child, after) in children.iter().zip(after.chunks_exact(weights.len())) {
                    let mass: f64 = after.iter().sum();
                    if mass > 0.0 {
                        sum += mass / total * self.at(child, after)?;
                    }
                }
                Ok(sum)
            }
        }
    }

    /// The end of the street: what the known hole is worth on average after the next card, or all-in.
    fn deal(&self, node: NodeId, weights: &[f64]) -> Result<f64, ValuesError> {
        let tree = self.baseline.tree();
        let mut after = node;
        while tree.node(after).kind() == NodeKind::Chance {
            after = tree.children(after)[0];
        }
        if tree.node(after).kind() == NodeKind::Showdown {
            return Ok(self.showdown(after, weights));
        }
        let line = self.baseline.line(self.known, after)?;
        let next = self.frame.next(self.baseline);
        let sum: f64 = next.iter().map(|&(_, bucket)| f64::from(line[bucket as usize])).sum();
        Ok(sum / next.len() as f64)
    }

    fn showdown(&self, node: NodeId, weights: &[f64]) -> f64 {
        let outcome = self.baseline.tree().outcome(node).expect("a showdown ends the hand");
        let pays = [outcome.win(), outcome.tie(), outcome.lose()].map(|pay| pay - outcome.ante());
        let (mut mass, mut sum) = (0.0, 0.0);
        for ((results, &weight), &all) in self.results().iter().zip(weights).zip(&self.weights) {
            if weight > 0.0 {
                mass += weight;
                let paid: f64 = results.iter().zip(&pays).map(|(result, pay)| result * pay).sum();
                sum += weight / all * paid;
            }
        }
        sum / mass
    }

    fn results(&self) -> &[[f64; 3]] {
        self.results.get_or_init(|| {
            let Live { holes, groups, results: found, .. } = self.live;
            let (hole, board) = (self.frame.hole, &self.frame.board);
            let found = found.get_or_init(|| results(hole, board, holes, RUNOUTS));
            let mut sums = vec![[0.0; 3]; self.weights.len()];
            for ((&group, reach), found) in groups.iter().zip(&self.reach).zip(found) {
                let sums = &mut sums[group as usize];
                sums.iter_mut().zip(found).for_each(|(sum, share)| *sum += reach * share);
            }
            sums
        })
    }
}

/// The hands of all holes of a board, in the order of its deck.
pub(crate) fn hands(policy: &dyn Policy, board: &Board) -> Vec<u32> {
    let mut row = vec![0; Deck::without(board.set()).holes_len()];
    policy.hands(board, &mut row);
    row
}

/// What a policy does at a node with every hole, whose hands are known: a row by [`Hole::index`] for each
/// action.
pub(crate) fn rows_of(
    policy: &dyn Policy,
    tree: &Tree,
    node: NodeId,
    board: &Board,
    hands: &[u32],
) -> Vec<f32> {
    let actions = tree.children(node).len();
    let mut rows = vec![0.0; actions * Hole::COUNT];
    let mut order: Vec<(u32, Hole)> =
        hands.iter().copied().zip(Deck::without(board.set()).holes()).collect();
    order.sort_unstable_by_key(|&(hand, hole)| (hand, hole.index()));
    let mut shares = vec![0.0; actions];
    for same in order.chunk_by(|a, b| a.0 == b.0) {
        policy.frequencies(tree, node, same[0].0, &mut shares);
        for (_, hole) in same {
            for (action, &share) in shares.iter().enumerate() {
                rows[action * Hole::COUNT + hole.index()] = share;
            }
        }
    }
    rows
}

/// How often a hole wins, ties and loses against each of others, over the boards that can follow: all of
/// them, or after a flop about `most` that stand for them.
pub(crate) fn results(hole: Hole, board: &Board, others: &[Hole], most: usize) -> Vec<[f64; 3]> {
    if board.street() == Street::Preflop {
        let matchups = Matchups::shipped();
        let shares = |&other: &Hole| {
            let tally = matchups.get(hole, other).expect("the holes share no card");
            [tally.wins, tally.ties, tally.losses()].map(|count| count as f64 / tally.total as f64)
        };
        return others.iter().map(shares).collect();
    }
    let set = board.set();
    let deck = Deck::without(set | hole.set());
    let runouts: Vec<CardSet> = match board.street() {
        Street::River => vec![CardSet::EMPTY],
        Street::Turn => deck.cards().iter().map(|&card| card.into()).collect(),
        _ => deck.holes().map(Hole::set).collect(),
    };
    let step = match board.street() {
        Street::Flop => (runouts.len() / most).max(1),
        _ => 1,
    };
    let mut counts = vec![[0u32; 3]; others.len()];
    for &runout in runouts.iter().step_by(step) {
        let strengths = River::new(set | runout).strengths();
        let own = strengths.get(hole);
        for (other, counts) in others.iter().zip(&mut counts) {
            if !other.set().intersects(runout) {
                // Wins first, losses last.
                counts[(strengths.get(*other).cmp(&own) as i8 + 1) as usize] += 1;
            }
        }
    }
    let shares = |counts: &[u32; 3]| {
        let total: u32 = counts.iter().sum();
        match total {
            0 => [0.0, 1.0, 0.0],
            total => counts.map(|count| f64::from(count) / f64::from(total)),
        }
    };
    counts.iter().map(shares).collect()
}
