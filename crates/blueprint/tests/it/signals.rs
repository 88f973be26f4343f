//! Betting games so small that they are solved exactly: all that a player sees of the cards is a
//! signal on each street.
//!
//! Every number of such a game is counted over all boards, and the betting is walked by plain recursion
//! over the tree; of the library only the tree and its payoffs are used.

use lethe_cards::Street;
use lethe_game::{NodeId, NodeKind, Tree};

/// The signals of both players, and how often they meet and win.
pub(crate) struct Signals {
    /// By player, the big blind first.
    pub(crate) players: [Types; 2],
    /// By type of the big blind and type of the small blind: how often they meet, in all 1, and that
    /// times the big blind's share of the pot at a showdown.
    pub(crate) meets: Vec<f64>,
    pub(crate) wins: Vec<f64>,
}

/// What a player may see in the end.
#[derive(Clone)]
pub(crate) struct Types {
    pub(crate) count: usize,
    /// By street after the preflop and type: what the player sees there. Later signals determine
    /// earlier ones, so that nothing is forgotten.
    pub(crate) signals: [Vec<usize>; 3],
}

impl Types {
    fn signal(&self, street: Street, kind: usize) -> usize {
        match street {
            Street::Preflop => 0,
            _ => self.signals[street.index() - 1][kind],
        }
    }
}

/// By node: how often each action is taken with each signal, signal after signal. Of a player's strategy
/// only its own nodes count.
pub(crate) type Strategy = Vec<Vec<f64>>;

/// A betting tree played with signals.
pub(crate) struct SignalGame<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) signals: &'a Signals,
}

/// What a player does where it is valued.
enum Own<'a> {
    Best,
    Plays(&'a Strategy),
    /// Plays by its regrets and learns.
    Learns(&'a mut Strategy),
}

/// Frequencies in proportion to what is positive of some weights.
fn normalize(weights: &[f64], actions: usize) -> Vec<f64> {
    let mut shares = weights.to_vec();
    for shares in shares.chunks_exact_mut(actions.max(1)) {
        let total: f64 = shares.iter().map(|w| w.max(0.0)).sum();
        let even = 1.0 / actions as f64;
        shares.iter_mut().for_each(|w| *w = if total > 0.0 { w.max(0.0) / total } else { even });
    }
    shares
}

impl SignalGame<'_> {
    /// A strategy from the weights of every node and signal, whose actions are so many.
    pub(crate) fn strategy(
        &self,
        mut weights: impl FnMut(NodeId, usize, usize) -> Vec<f64>,
    ) -> Strategy {
        let of = |node: NodeId| {
            let Some(player) = self.tree.node(node).player() else { return Vec::new() };
            let street = self.tree.node(node).street();
            let types = &self.signals.players[player.index()];
            let last = (0..types.count).map(|kind| types.signal(street, kind)).max();
            let signals = 0..=last.expect("a type");
            let actions = self.tree.children(node).len();
            let weights: Vec<f64> = signals.flat_map(|s| weights(node, s, actions)).collect();
            normalize(&weights, actions)
        };
        self.tree.ids().map(of).collect()
    }

    /// What player `p` wins with a strategy against the other's, in chips.
    pub(crate) fn value(&self, p: usize, own: &Strategy, other: &Strategy) -> f64 {
        self.total(p, &mut Own::Plays(own), other)
    }

    /// What the best response of player `p` wins against the other's strategy, in chips.
    pub(crate) fn best(&self, p: usize, other: &Strategy) -> f64 {
        self.total(p, &mut Own::Best, other)
    }

    /// The equilibrium by plain CFR+: the value of the big blind, and by how many chips, fewer than
    /// `gap`, the two players' guarantees differ.
    pub(crate) fn solve(&self, gap: f64) -> (f64, f64) {
        let zero = || -> Strategy {
            self.strategy(|_, _, actions| vec![0.0; actions])
                .iter()
                .map(|node| vec![0.0; node.len()])
                .collect()
        };
        let normalized = |weights: &Strategy| -> Strategy {
            let nodes = self.tree.ids().zip(weights);
            nodes.map(|(id, node)| normalize(node, self.tree.children(id).len())).collect()
        };
        let (mut regrets, mut averages) = ([zero(), zero()], [zero(), zero()]);
        for t in 1..100_000 {
            for p in [0, 1] {
                let other = normalized(&regrets[1 - p]);
                self.add(1 - p, &other, t as f64, &mut averages[1 - p]);
                self.total(p, &mut Own::Learns(&mut regrets[p]), &other);
            }
            if t % 25 == 0 {
                let [first, second] = averages.each_ref().map(normalized);
                let (most, least) = (self.best(0, &second), -self.best(1, &first));
                if most - least < gap {
                    return ((most + least) / 2.0, most - least);
                }
            }
        }
        panic!("no equilibrium after 100,000 iterations");
    }

    /// Adds a player's strategy to its average, by how often each signal takes the line.
    fn add(&self, p: usize, strategy: &Strategy, weight: f64, averages: &mut Strategy) {
        let types = &self.signals.players[p];
        let mut reach = vec![Vec::new(); self.tree.len()];
        reach[self.tree.root().index()] = vec![weight; types.count];
        for node in self.tree.ids() {
            let here = std::mem::take(&mut reach[node.index()]);
            let children = self.tree.children(node);
            let is_own = self.tree.node(node).player().is_some_and(|player| player.index() == p);
            let street = self.tree.node(node).street();
            let shares = &strategy[node.index()];
            let cell = |kind: usize, a: usize| types.signal(street, kind) * children.len() + a;
            if is_own {
                // All types of a signal take the line equally often: one of them is enough.
                let mut seen = vec![false; shares.len()];
                for (kind, reach) in here.iter().enumerate() {
                    for a in 0..children.len() {
                        let cell = cell(kind, a);
                        if !std::mem::replace(&mut seen[cell], true) {
                            averages[node.index()][cell] += reach * shares[cell];
                        }
                    }
                }
            }
            for (a, &child) in children.iter().enumerate() {
                let share = |kind: usize| if is_own { shares[cell(kind, a)] } else { 1.0 };
                reach[child.index()] = (0..types.count).map(|k| here[k] * share(k)).collect();
            }
        }
    }

    fn total(&self, p: usize, own: &mut Own<'_>, other: &Strategy) -> f64 {
        let reach = vec![1.0; self.signals.players[1 - p].count];
        self.values(self.tree.root(), p, own, other, &reach).iter().sum()
    }

    /// What each type of player `p` wins, times how often it meets the other's types.
    fn values(
        &self,
        node: NodeId,
        p: usize,
        own: &mut Own<'_>,
        other: &Strategy,
        reach: &[f64],
    ) -> Vec<f64> {
        let children = self.tree.children(node);
        let street = self.tree.node(node).street();
        let count = children.len();
        match self.tree.node(node).kind() {
            NodeKind::Chance => self.values(children[0], p, own, other, reach),
            NodeKind::Fold(_) | NodeKind::Showdown => self.pay(node, p, reach),
            NodeKind::Decision(player) if player.index() != p => {
                let types = &self.signals.players[1 - p];
                let shares = &other[node.index()];
                let mut sums = vec![0.0; self.signals.players[p].count];
                for (a, &child) in children.iter().enumerate() {
                    let share = |kind: usize| shares[types.signal(street, kind) * count + a];
                    let after: Vec<f64> = (0..types.count).map(|k| reach[k] * share(k)).collect();
                    let values = self.values(child, p, own, other, &after);
                    sums.iter_mut().zip(&values).for_each(|(sum, value)| *sum += value);
                }
                sums
            }
            NodeKind::Decision(_) => {
                let types = &self.signals.players[p];
                let values: Vec<Vec<f64>> = children
                    .iter()
                    .map(|&child| self.values(child, p, own, other, reach))
                    .collect();
                // A player chooses by signal: by the sum over the types that it cannot distinguish.
                let mut sums = vec![0.0; other[node.index()].len()];
                for (a, values) in values.iter().enumerate() {
                    for (kind, value) in values.iter().enumerate() {
                        sums[types.signal(street, kind) * count + a] += value;
                    }
                }
                let shares: Vec<f64> = match own {
                    Own::Best => sums.chunks_exact(count).flat_map(best).collect(),
                    Own::Plays(strategy) => strategy[node.index()].clone(),
                    Own::Learns(regrets) => {
                        let regrets = &mut regrets[node.index()];
                        let shares = normalize(regrets, count);
                        for (first, regrets) in regrets.chunks_exact_mut(count).enumerate() {
                            let cells = first * count..(first + 1) * count;
                            let (sums, shares) = (&sums[cells.clone()], &shares[cells]);
                            let mean: f64 = sums.iter().zip(shares).map(|(v, s)| v * s).sum();
                            for (regret, sum) in regrets.iter_mut().zip(sums) {
                                *regret = (*regret + sum - mean).max(0.0);
                            }
                        }
                        shares
                    }
                };
                let value = |kind: usize| {
                    let first = types.signal(street, kind) * count;
                    (0..count).map(|a| shares[first + a] * values[a][kind]).sum()
                };
                (0..types.count).map(value).collect()
            }
        }
    }

    /// The payoffs at the end of a hand.
    fn pay(&self, node: NodeId, p: usize, reach: &[f64]) -> Vec<f64> {
        let outcome = self.tree.outcome(node).expect("the hand ends");
        let count = self.signals.players.each_ref().map(|types| types.count);
        let mut sums = vec![0.0; count[p]];
        for (own, sum) in sums.iter_mut().enumerate() {
            for (other, &x) in reach.iter().enumerate() {
                let cell = if p == 0 { own * count[1] + other } else { other * count[1] + own };
                let (meets, wins) = (self.signals.meets[cell], self.signals.wins[cell]);
                let wins = if p == 0 { wins } else { meets - wins };
                let pays = match outcome.winner {
                    Some(_) => meets * outcome.payoffs(outcome.winner)[p],
                    None => meets * outcome.lose() + wins * (outcome.win() - outcome.lose()),
                };
                *sum += x * pays;
            }
        }
        sums
    }
}

/// The best of several actions.
fn best(sums: &[f64]) -> Vec<f64> {
    let first = (0..sums.len()).rev().max_by(|&a, &b| sums[a].total_cmp(&sums[b]));
    let mut shares = vec![0.0; sums.len()];
    shares[first.expect("an action")] = 1.0;
    shares
}
