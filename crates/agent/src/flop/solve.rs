//! CFR in the betting of one flop.

use std::sync::Arc;
use std::time::Instant;

use lethe_blueprint::PairValues;
use lethe_cards::{Board, Deck, Hole};
use lethe_compute::simd::{self, Kernel, LANES};
use lethe_compute::{Cancelled, Job};
use lethe_game::{NodeId, NodeKind, Player, Tree};
use lethe_rows::{CardSums, Lanes, Summand, matching};
use lethe_solver::{RootGadget, Rule, Step};
use rayon::prelude::*;

use super::leaves::FlopLeaves;
use crate::gadget::{Gadget, GadgetKind};
use crate::subgame::{Budget, UNREACHED};

/// The betting of a flop after one line, to be solved for the player in one seat with the values of
/// [`FlopLeaves`] where it ends.
///
/// All vectors have an entry for each hole in the order of [`Hole::index`]; holes that the board
/// blocks are ignored. `alternative` is as in [`Subgame`](crate::Subgame).
#[derive(Clone, Debug)]
pub struct FlopSubgame<'a> {
    /// The betting tree, of a game without rake.
    pub tree: Arc<Tree>,
    /// The first decision of the flop.
    pub start: NodeId,
    /// The flop.
    pub flop: Board,
    /// Our seat.
    pub seat: Player,
    /// Our reach.
    pub own: Vec<f32>,
    /// The opponent's reach. Where it is zero everywhere, every hole counts the same.
    pub opponent: Vec<f32>,
    /// The opponent's alternative values.
    pub alternative: Vec<f32>,
    /// The leaf values, for the opponent of our seat.
    pub leaves: &'a FlopLeaves,
    /// Decisions that stay as they are: what is done there, by action and slot of the flop.
    pub locks: Vec<(NodeId, Vec<f32>)>,
}

/// A [`FlopSubgame`], solved.
#[derive(Clone, Debug)]
pub struct FlopSolved {
    /// The average strategy of both players at each decision, by action and slot of the flop.
    pub decisions: Vec<(NodeId, Vec<f32>)>,
    /// The iterations done.
    pub iterations: u32,
    /// What the average strategies are short of an equilibrium of the depth-limited game, in which the
    /// opponent has the gadget's average reach: what both best responses gain, in chips per deal.
    pub nash_conv: f64,
    /// What we win with the average strategies there, in chips per deal, counted from before the blinds.
    pub value: f64,
}

impl FlopSolved {
    /// What is done at a decision, by action and slot of the flop.
    ///
    /// # Panics
    /// If the node is not a decision of the flop.
    pub(crate) fn rows(&self, node: NodeId) -> &[f32] {
        let found = self.decisions.iter().find(|(known, _)| *known == node);
        &found.expect("a decision of the flop").1
    }
}

/// A node of the flop's betting.
enum Node {
    /// The player, the number of the decision and the nodes after its actions.
    Decision(usize, usize, Vec<usize>),
    /// What the big blind gets.
    Fold(f32),
    /// What a showdown is for.
    AllIn(f32),
    /// The number of an end.
    End(usize),
}

/// Regrets and strategy sums, by action and slot.
struct Cells {
    regrets: Vec<f32>,
    sums: Vec<f32>,
    /// Whether both hold a strategy that stays as it is.
    locked: bool,
}

impl Cells {
    fn new(len: usize) -> Cells {
        Cells { regrets: vec![0.0; len], sums: vec![0.0; len], locked: false }
    }

    fn locked(rows: Vec<f32>) -> Cells {
        Cells { regrets: rows.clone(), sums: rows, locked: true }
    }

    fn matched(from: &[f32], holes: usize) -> Vec<f32> {
        let mut shares = vec![0.0; from.len()];
        matching::frequencies(from, &mut shares, holes);
        shares
    }
}

/// What a walk does.
#[derive(Clone, Copy)]
enum Walk {
    /// One player learns against the other's present strategy.
    Learn(Step),
    /// Values of the average strategies, or of one player's best response to the other's.
    Average { best: bool },
}

struct Flop<'a> {
    nodes: Vec<Node>,
    ids: Vec<NodeId>,
    holes: usize,
    cards: Vec<[u8; 2]>,
    leaves: &'a FlopLeaves,
    opponent: usize,
    /// By decision, then by end: of the opponent's choice there.
    decisions: Vec<Cells>,
    ends: Vec<Cells>,
}

impl FlopSubgame<'_> {
    /// Solves the flop.
    ///
    /// # Panics
    /// If a vector does not have an entry for each hole or the leaves are those of another line.
    pub fn solve(
        &self,
        gadget: GadgetKind,
        budget: Budget,
        job: Job<'_>,
    ) -> Result<FlopSolved, Cancelled> {
        let began = Instant::now();
        let deck = Deck::without(self.flop.set());
        let opponent = self.seat.opponent().index();
        let row = |by_hole: &[f32]| -> Vec<f32> {
            assert_eq!(by_hole.len(), Hole::COUNT, "an entry for each hole");
            deck.holes().map(|hole| by_hole[hole.index()]).collect()
        };
        let scaled = |mut row: Vec<f32>| {
            let largest = row.iter().copied().fold(0.0, f32::max);
            match largest > 0.0 {
                // A hole that is never here has a strategy as well.
                true => row.iter_mut().for_each(|x| *x = (*x / largest).max(UNREACHED)),
                false => row.fill(1.0),
            }
            row
        };
        let (own, range) = (scaled(row(&self.own)), scaled(row(&self.opponent)));
        let mut flop = self.build(&deck);
        let sums = flop.sums(&own);
        let met: Vec<f32> = own
            .iter()
            .zip(&flop.cards)
            .map(|(&x, &cards)| (sums.against(cards) + f64::from(x)) as f32)
            .collect();
        // Values here count from before the blinds.
        let put = self.tree.node(self.start).contributed()[opponent] as f32
            + self.tree.game().pot() as f32 / 2.0;
        let alternative: Vec<f32> =
            row(&self.alternative).iter().map(|value| value - put).collect();
        let mut gadget = Gadget::new(gadget, &met, &alternative, &range);
        let (rule, mut iteration) = (Rule::default(), 0);
        let mut reach = vec![0.0; flop.holes];
        job.install(|| {
            loop {
                job.check()?;
                let before = began.elapsed();
                iteration += 1;
                let step = rule.step(iteration);
                gadget.reach(&mut reach);
                flop.walk(Walk::Learn(step), 1 - opponent, 0, &own, &reach);
                let values = flop.walk(Walk::Learn(step), opponent, 0, &reach, &own);
                gadget.learn(step, &values);
                if iteration >= budget.iterations {
                    break;
                }
                if let Some(target) = budget.target_after(iteration) {
                    let [nash_conv, _] = flop.measure(&gadget.average_reach(), &own, &met);
                    if nash_conv / 2.0 <= target * f64::from(self.tree.pot(self.start)) {
                        break;
                    }
                }
                let now = began.elapsed();
                if budget.time.is_some_and(|time| now + (now - before) > time) {
                    break;
                }
            }
            let [nash_conv, value] = flop.measure(&gadget.average_reach(), &own, &met);
            let decisions = flop.average();
            Ok(FlopSolved { decisions, iterations: iteration, nash_conv, value })
        })
    }

    fn build(&self, deck: &Deck) -> Flop<'_> {
        let place = |hole: Hole| [hole.low(), hole.high()].map(|card| card.index() as u8);
        let mut flop = Flop {
            nodes: Vec::new(),
            ids: Vec::new(),
            holes: deck.holes_len(),
            cards: deck.holes().map(place).collect(),
            leaves: self.leaves,
            opponent: self.seat.opponent().index(),
            decisions: Vec::new(),
            ends: Vec::new(),
        };
        for end in &self.leaves.ends {
            let values = |leaf: usize| self.leaves.values[leaf][flop.opponent].len();
            let choices = end.leaf.map_or(1, values);
            assert!(choices > 0, "leaf values for our opponent");
            flop.ends.push(Cells::new(choices * flop.holes));
        }
        flop.grow(&self.tree, self.start);
        for (id, rows) in &self.locks {
            let place = flop.ids.iter().position(|known| known == id);
            if let Some(&Node::Decision(_, number, _)) = place.map(|place| &flop.nodes[place]) {
                assert_eq!(rows.len(), flop.decisions[number].regrets.len(), "a row per action");
                flop.decisions[number] = Cells::locked(rows.clone());
            }
        }
        flop
    }
}

impl Flop<'_> {
    fn grow(&mut self, tree: &Tree, id: NodeId) -> usize {
        let place = self.nodes.len();
        self.ids.push(id);
        let end = self.leaves.ends.iter().position(|end| end.node == id);
        match (tree.node(id).kind(), end) {
            (_, Some(end)) if self.leaves.ends[end].leaf.is_none() => {
                self.nodes.push(Node::AllIn(tree.pot(id) as f32 / 2.0));
            }
            (_, Some(end)) => self.nodes.push(Node::End(end)),
            (NodeKind::Decision(player), None) => {
                let number = self.decisions.len();
                let children = tree.children(id);
                self.decisions.push(Cells::new(children.len() * self.holes));
                self.nodes.push(Node::Fold(0.0));
                let children = children.iter().map(|&child| self.grow(tree, child)).collect();
                self.nodes[place] = Node::Decision(player.index(), number, children);
            }
            (kind, None) => {
                let mut last = id;
                while tree.node(last).kind() == NodeKind::Chance {
                    last = tree.children(last)[0];
                }
                let outcome = tree.outcome(last).expect("the hand ends here");
                self.nodes.push(match kind {
                    NodeKind::Fold(_) => {
                        let pay = outcome.payoffs(outcome.winner)[0] - outcome.ante();
                        Node::Fold(pay as f32)
                    }
                    _ => Node::AllIn((outcome.tie() - outcome.lose()) as f32),
                });
            }
        }
        place
    }

    /// The NashConv of the average strategies, and what they are worth to us, on average over the deals.
    fn measure(&mut self, reach: &[f32], own: &[f32], met: &[f32]) -> [f64; 2] {
        let opponent = self.opponent;
        let total = |weights: &[f32], values: &[f32]| -> f64 {
            weights.iter().zip(values).map(|(&w, &v)| f64::from(w) * f64::from(v)).sum()
        };
        let mut play = |player: usize, best: bool| {
            let (ours, theirs) = if player == opponent { (reach, own) } else { (own, reach) };
            total(ours, &self.walk(Walk::Average { best }, player, 0, ours, theirs))
        };
        let (ours, theirs) = (play(1 - opponent, true), play(opponent, true));
        let value = play(1 - opponent, false);
        let deals = total(reach, met).max(f64::MIN_POSITIVE);
        [(ours + theirs) / deals, value / deals]
    }

    fn sums(&self, reach: &[f32]) -> CardSums<f64> {
        CardSums::of(reach.iter().map(|&x| f64::from(x)).zip(&self.cards))
    }

    /// What the holes of a player are worth at a node, times the other's reach.
    fn walk(
        &mut self,
        walk: Walk,
        player: usize,
        at: usize,
        own: &[f32],
        other: &[f32],
    ) -> Vec<f32> {
        let holes = self.holes;
        match &self.nodes[at] {
            &Node::Fold(pay) => {
                let pay = f64::from(if player == 0 { pay } else { -pay });
                let sums = self.sums(other);
                let value = |(&x, &cards): (&f32, &[u8; 2])| {
                    (pay * (sums.against(cards) + f64::from(x))) as f32
                };
                other.iter().zip(&self.cards).map(value).collect()
            }
            &Node::AllIn(stake) => {
                let mut values = times(&self.leaves.all_in, player, other);
                values.iter_mut().for_each(|value| *value *= stake);
                values
            }
            &Node::End(end) => self.end(walk, player, end, own, other),
            Node::Decision(acts, number, children) => {
                let (acts, number, children) = (*acts, *number, children.clone());
                let shares = match walk {
                    Walk::Learn(_) => Cells::matched(&self.decisions[number].regrets, holes),
                    Walk::Average { .. } => Cells::matched(&self.decisions[number].sums, holes),
                };
                let mut values = vec![0.0; holes];
                let mut by_action = Vec::with_capacity(children.len());
                for (shares, &child) in shares.chunks_exact(holes).zip(&children) {
                    let moved = |reach: &[f32]| -> Vec<f32> {
                        reach.iter().zip(shares).map(|(x, share)| x * share).collect()
                    };
                    if acts == player {
                        by_action.push(self.walk(walk, player, child, &moved(own), other));
                    } else {
                        let found = self.walk(walk, player, child, own, &moved(other));
                        values.iter_mut().zip(found).for_each(|(sum, x)| *sum += x);
                    }
                }
                if acts == player {
                    values = self.decisions[number].choose(walk, &shares, &by_action, own);
                }
                values
            }
        }
    }

    /// The values of an end, where the opponent chooses how to continue.
    fn end(
        &mut self,
        walk: Walk,
        player: usize,
        end: usize,
        own: &[f32],
        other: &[f32],
    ) -> Vec<f32> {
        let at = self.leaves.ends[end];
        let leaf = at.leaf.expect("an end with leaf values");
        let choices = &self.leaves.values[leaf][self.opponent];
        let worth = |values: &PairValues, other: &[f32]| {
            let mut found = times(values, player, other);
            found.iter_mut().for_each(|value| *value *= at.scale);
            found
        };
        let cells = &mut self.ends[end];
        let shares = match walk {
            Walk::Learn(_) => Cells::matched(&cells.regrets, self.holes),
            Walk::Average { .. } => Cells::matched(&cells.sums, self.holes),
        };
        if player == self.opponent {
            let by_choice: Vec<Vec<f32>> =
                choices.iter().map(|values| worth(values, other)).collect();
            return cells.choose(walk, &shares, &by_choice, own);
        }
        let mut sums = vec![0.0; self.holes];
        for (values, shares) in choices.iter().zip(shares.chunks_exact(self.holes)) {
            let chosen: Vec<f32> = other.iter().zip(shares).map(|(x, share)| x * share).collect();
            let found = worth(values, &chosen);
            sums.iter_mut().zip(found).for_each(|(sum, x)| *sum += x);
        }
        sums
    }

    /// The average strategy at each decision.
    fn average(&self) -> Vec<(NodeId, Vec<f32>)> {
        let decisions = self.nodes.iter().zip(&self.ids).filter_map(|(node, &id)| match node {
            Node::Decision(_, number, _) => {
                Some((id, Cells::matched(&self.decisions[*number].sums, self.holes)))
            }
            _ => None,
        });
        decisions.collect()
    }
}

impl Cells {
    /// The value of a choice of the player who is valued, who learns from it.
    fn choose(&mut self, walk: Walk, shares: &[f32], values: &[Vec<f32>], own: &[f32]) -> Vec<f32> {
        let holes = own.len();
        let mut mixed = vec![0.0; holes];
        if let (Walk::Average { best: true }, false) = (walk, self.locked) {
            mixed.fill(f32::NEG_INFINITY);
            for values in values {
                mixed.iter_mut().zip(values).for_each(|(most, &x)| *most = most.max(x));
            }
            return mixed;
        }
        for (shares, values) in shares.chunks_exact(holes).zip(values) {
            for ((sum, share), x) in mixed.iter_mut().zip(shares).zip(values) {
                *sum += share * x;
            }
        }
        let Walk::Learn(step) = walk else { return mixed };
        if self.locked {
            return mixed;
        }
        for (action, values) in values.iter().enumerate() {
            let at = action * holes..(action + 1) * holes;
            let regrets = self.regrets[at.clone()].iter_mut().zip(&mut self.sums[at.clone()]);
            let rest = shares[at].iter().zip(own).zip(values.iter().zip(&mixed));
            for ((regret, sum), ((share, own), (value, mixed))) in regrets.zip(rest) {
                *regret = step.regret(*regret, value - mixed);
                *sum = step.sum(*sum, own * share);
            }
        }
        mixed
    }
}

/// Holes that a thread values at a time.
const PART: usize = 147;

/// What pairs are worth to the holes of a player against the other's reach.
fn times(pairs: &PairValues, player: usize, other: &[f32]) -> Vec<f32> {
    let mut out = vec![0.0; pairs.holes];
    let parts = out.par_chunks_mut(PART).enumerate();
    parts.for_each(|(part, out)| {
        simd::run(Times { pairs, player, other, first: part * PART, out });
    });
    out
}

struct Times<'a> {
    pairs: &'a PairValues,
    player: usize,
    other: &'a [f32],
    first: usize,
    out: &'a mut [f32],
}

impl Kernel for Times<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: simd::Level>(self, _: L) {
        let Times { pairs, player, other, first, out } = self;
        let holes = pairs.holes;
        if player == 0 {
            let rows = pairs.values[first * holes..].chunks_exact(holes);
            for (out, row) in out.iter_mut().zip(rows) {
                let mut sums = Lanes::<f32>::ZERO;
                let parts = row.chunks_exact(LANES).zip(other.chunks_exact(LANES));
                for (a, b) in parts {
                    let load = |x: &[f32]| Lanes::of(x, |&x| x);
                    sums = sums.plus(load(a).times(load(b)));
                }
                *out = sums.0.iter().sum();
                let done = holes / LANES * LANES;
                *out += row[done..].iter().zip(&other[done..]).map(|(a, b)| a * b).sum::<f32>();
            }
        } else {
            for (row, &x) in pairs.values.chunks_exact(holes).zip(other) {
                if x != 0.0 {
                    let row = &row[first..first + out.len()];
                    out.iter_mut().zip(row).for_each(|(out, value)| *out -= x * value);
                }
            }
        }
    }
}
