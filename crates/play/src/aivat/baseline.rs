//! `Baseline`: the values of a blueprint at every point of a hand, whatever they are worth.

use std::sync::OnceLock;

use lethe_blueprint::{Plan, Policy, Values, ValuesError};
use lethe_cards::{Board, Card, Deck, Hole, StartingHand};
use lethe_game::{Chips, NodeId, Player, Tree};

/// What hands are worth with a blueprint: its [`Values`] before the flop and at the start of each street,
/// and within a street what its strategy makes of them.
///
/// A bucket that the flops behind the values never showed counts as the mean of its line; where the whole
/// line is unknown, everybody owns half of the pot.
pub struct Baseline<'a> {
    plan: &'a Plan,
    pub(super) policy: &'a dyn Policy,
    values: &'a Values,
    /// By node and player: the values of all buckets, once they are asked for.
    lines: Vec<[OnceLock<Vec<f32>>; 2]>,
    /// By hole.
    flops: Vec<OnceLock<HoleFlops>>,
    /// By player: the mean over all holes at the root.
    means: [OnceLock<f64>; 2],
}

/// The bucket of a hole on every flop.
pub(super) struct HoleFlops {
    /// The cards that the hole leaves.
    pub(super) cards: Vec<Card>,
    /// By the place of the last card, of the second and of the first.
    pub(super) buckets: Vec<u32>,
}

impl<'a> Baseline<'a> {
    /// The values of a strategy. The policy must be the one whose values these are.
    pub fn new(plan: &'a Plan, policy: &'a dyn Policy, values: &'a Values) -> Baseline<'a> {
        Baseline {
            plan,
            policy,
            values,
            lines: plan.tree().ids().map(|_| Default::default()).collect(),
            flops: Hole::all().map(|_| OnceLock::new()).collect(),
            means: Default::default(),
        }
    }

    /// The betting.
    pub fn tree(&self) -> &'a Tree {
        self.plan.tree()
    }

    /// The bucket of a hole.
    pub(super) fn bucket(&self, hole: Hole, board: &Board) -> u32 {
        self.policy.hand(hole, board)
    }

    /// The chips of both players in the middle at a node, antes included.
    pub(super) fn put(&self, node: NodeId) -> [Chips; 2] {
        let tree = self.tree();
        tree.node(node).contributed().map(|put| put + tree.game().pot() / 2)
    }

    fn half(&self, player: Player, node: NodeId) -> f64 {
        let put = self.put(node).map(f64::from);
        (put[0] + put[1]) / 2.0 - put[player.index()]
    }

    /// What a hole wins from a node before the flop on.
    pub(super) fn hand(
        &self,
        player: Player,
        node: NodeId,
        hole: Hole,
    ) -> Result<f64, ValuesError> {
        let value = self.values.hand(self.plan, player, node, hole.class())?;
        Ok(value.map_or_else(|| self.half(player, node), |value| value.chips))
    }

    /// The mean of that over all holes at the root.
    pub(super) fn mean_hand(&self, player: Player) -> Result<f64, ValuesError> {
        let mean = &self.means[player.index()];
        if let Some(&mean) = mean.get() {
            return Ok(mean);
        }
        let mut sum = 0.0;
        for class in StartingHand::all() {
            let hole = class.holes().next().expect("a class has holes");
            let value = self.hand(player, self.tree().root(), hole)?;
            sum += value * class.combos() as f64 / Hole::COUNT as f64;
        }
        Ok(*mean.get_or_init(|| sum))
    }

    /// What each bucket wins from the first decision of a street on.
    pub(super) fn line(&self, player: Player, node: NodeId) -> Result<&[f32], ValuesError> {
        let line = &self.lines[node.index()][player.index()];
        if let Some(line) = line.get() {
            return Ok(line);
        }
        let count = self.plan.buckets(self.tree().node(node).street()) as u32;
        let found = (0..count).map(|bucket| self.values.start(self.plan, player, node, bucket));
        let found = found.collect::<Result<Vec<_>, _>>()?;
        let (mut mass, mut sum) = (0.0, 0.0);
        for value in found.iter().flatten() {
            mass += value.weight;
            sum += value.weight * value.chips;
        }
        let mean = if mass > 0.0 { sum / mass } else { self.half(player, node) };
        let chips = found.iter().map(|value| value.map_or(mean, |value| value.chips) as f32);
        Ok(line.get_or_init(|| chips.collect()))
    }

    /// The buckets of a hole on all flops.
    pub(super) fn flops(&self, hole: Hole) -> &HoleFlops {
        self.flops[hole.index()].get_or_init(|| {
            let cards = Deck::without(hole.set()).cards().to_vec();
            let mut buckets = Vec::with_capacity(19_600);
            for (k, &c) in cards.iter().enumerate() {
                for (j, &b) in cards[..k].iter().enumerate() {
                    for &a in &cards[..j] {
                        let flop = Board::new(&[a, b, c]).expect("distinct cards");
                        buckets.push(self.bucket(hole, &flop));
                    }
                }
            }
            HoleFlops { cards, buckets }
        })
    }

    /// A value at a node of the tree in a hand that it stands for, in which the players have put in other
    /// chips: the same share of the pot.
    pub(super) fn in_hand(
        &self,
        player: Player,
        node: NodeId,
        hand: [Chips; 2],
        value: f64,
    ) -> f64 {
        let tree = self.put(node);
        if tree == hand {
            return value;
        }
        let own = player.index();
        let pot = |put: [Chips; 2]| f64::from(put[0]) + f64::from(put[1]);
        (value + f64::from(tree[own])) / pot(tree) * pot(hand) - f64::from(hand[own])
    }
}
