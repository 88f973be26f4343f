//! The settings of training, and what they cost in cells and bytes.

use lethe_cards::{Card, Street, Suit};
use lethe_game::Counts;
use serde::{Deserialize, Serialize};

use crate::config::Training;
use crate::deal::TURN_HOLES;
use crate::plan::Plan;

/// What an iteration samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sampling {
    /// A board; all hands of both players are played on it at once.
    #[default]
    Public,
    /// A board, two hands and the opponent's actions.
    External,
}

/// The opponent that a player learns against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Opponent {
    /// The other player, who sees the same buckets.
    #[default]
    Same,
    /// An adversary of each player's own, who sees real cards on the river and answers there with
    /// nearly the best response to what the player does now. Before the river it learns on the same
    /// buckets, but distinguishes kinds of boards.
    Adversary,
}

impl Training {
    /// How many kinds of boards the adversary distinguishes; 0 if there is none.
    pub(crate) fn adversary_kinds(&self) -> usize {
        match self.opponent {
            Opponent::Same => 0,
            Opponent::Adversary => self.adversary.boards.count(),
        }
    }

    /// Whether iterations read the averages of a batch's start.
    pub(crate) fn reads_averages(&self) -> bool {
        self.opponent == Opponent::Adversary && self.adversary.average_share > 0.0
    }

    /// The adversary's cells beside those of the strategy: 0 in a game that ends before the flop.
    pub(crate) fn adversary_cells(&self, plan: &Plan) -> usize {
        match self.opponent {
            Opponent::Adversary if !plan.blocks(Street::Flop).is_empty() => {
                let flop = plan.cells_before(Street::Flop);
                flop + (plan.cells_before(Street::River) - flop) * self.adversary.boards.count()
            }
            _ => 0,
        }
    }

    /// The cells of pools beside those of the strategy and the adversary.
    pub(crate) fn pooled_cells(&self, plan: &Plan) -> usize {
        if self.pooling.is_off() { 0 } else { plan.pools() }
    }

    /// The same from the counts of a tree, without building it: buckets of flop, turn and river come in
    /// groups of these sizes.
    pub fn count_pooled_cells(
        &self,
        counts: &Counts,
        buckets: [usize; 3],
        group_sizes: [[usize; 2]; 3],
    ) -> u64 {
        if self.pooling.is_off() {
            return 0;
        }
        let pooled = |i: usize| {
            let [outer, inner] = group_sizes[i];
            let pools = |size, before| if size == before { 0 } else { size };
            pools(outer, buckets[i]) + pools(inner, outer)
        };
        Plan::count_cells(counts, [0, 1, 2].map(pooled)) - Plan::count_cells(counts, [0; 3])
    }

    /// The adversary's cells from the counts of a tree, without building it.
    pub fn count_adversary_cells(&self, counts: &Counts, [flop, turn, _]: [usize; 3]) -> u64 {
        match self.opponent {
            Opponent::Adversary if counts.of(Street::Flop).decisions > 0 => {
                let preflop = Plan::count_cells(counts, [0; 3]);
                let postflop = Plan::count_cells(counts, [flop, turn, 0]) - preflop;
                let kinds = self.adversary.boards.count() as u64;
                postflop.saturating_mul(kinds).saturating_add(preflop)
            }
            _ => 0,
        }
    }

    /// The bytes of the adversary's answers on a board, which each thread keeps.
    pub fn worker_bytes(&self, counts: &Counts) -> u64 {
        if self.opponent == Opponent::Same {
            return 0;
        }
        // Before the river what the player does is kept as well.
        let rows = [(Street::Flop, 2), (Street::Turn, 2), (Street::River, self.rivers as u64)]
            .map(|(street, rows)| counts.of(street).actions.saturating_mul(rows));
        let rows = rows.into_iter().fold(0, u64::saturating_add);
        // About a sixth of the lanes stay empty in a large tree, more in a small one.
        rows.saturating_mul((TURN_HOLES * size_of::<f32>()) as u64).saturating_mul(3) / 2
    }
}

/// How past iterations are discounted: after each interval *t* = 1, 2, … positive regrets are multiplied by
/// t^alpha / (t^alpha + 1), negative ones by the same with beta; in averages that interval weighs t^gamma.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Discount {
    /// Iterations between two discounts.
    pub interval: u64,
    /// For positive regrets.
    pub alpha: f64,
    /// For negative regrets.
    pub beta: f64,
    /// For averages.
    pub gamma: f64,
}

impl Default for Discount {
    fn default() -> Discount {
        Discount { interval: 1000, alpha: 1.5, beta: 0.5, gamma: 2.0 }
    }
}

/// The adversary of [`Opponent::Adversary`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Adversary {
    /// How much less than the best an action on the river may be worth at first to be mixed in, as a
    /// share of the pot.
    pub slack: f64,
    /// The number of iterations after which this falls with the square root of their number.
    pub slack_iterations: f64,
    /// Which flops and turns it distinguishes.
    pub boards: Boards,
    /// It responds to a mixture of what the player plays now and its average strategy so far: the
    /// share of the average, 0 to 1.
    pub average_share: f64,
}

impl Default for Adversary {
    fn default() -> Adversary {
        Adversary {
            slack: 0.1,
            slack_iterations: 20_000.0,
            boards: Boards::default(),
            average_share: 0.0,
        }
    }
}

/// Partial pooling of regrets.
///
/// An abstraction that distinguishes kinds of boards has a bucket once for each of them (see
/// [`lethe_rows::Buckets::group_sizes`]), and each is visited seldom. So a player's regrets are also summed over all
/// of them, and it plays by the regret of its own bucket plus `weight` times the mean over the group's.
/// What is common to all boards is then learned as fast as in an abstraction that does not distinguish
/// them, and what differs is still learned by each bucket for itself.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Pooling {
    /// How much the mean counts at first; 0 pools nothing.
    pub weight: f64,
    /// The number of iterations after which it counts half as much, then a third, and so on.
    pub iterations: f64,
}

impl Default for Pooling {
    fn default() -> Pooling {
        Pooling { weight: 0.0, iterations: 20_000.0 }
    }
}

impl Pooling {
    /// Whether nothing is pooled.
    pub fn is_off(&self) -> bool {
        self.weight == 0.0
    }

    /// How much the mean counts after so many iterations.
    pub(super) fn weight_after(&self, iterations: u64) -> f64 {
        self.weight / (1.0 + iterations as f64 / self.iterations)
    }
}

/// Which flops and turns the adversary distinguishes beside its buckets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Boards {
    /// None: all boards are alike to it.
    Alike,
    /// 32 kinds: by cards of one suit, pairs, straights and high cards.
    #[default]
    Textures,
}

impl Boards {
    /// How many kinds of boards there are.
    pub(super) fn count(self) -> usize {
        match self {
            Boards::Alike => 1,
            Boards::Textures => 32,
        }
    }

    /// The kind of a flop or turn.
    pub(super) fn kind(self, board: &[Card]) -> usize {
        match self {
            Boards::Alike => 0,
            Boards::Textures => texture(board),
        }
    }
}

/// The texture of a flop or turn: how many cards of one suit there are, whether two ranks are the same,
/// whether three lie within a straight, whether the highest is at least a queen.
fn texture(board: &[Card]) -> usize {
    let suit = |suit: Suit| board.iter().filter(|card| card.suit() == suit).count();
    let suited = Suit::all().map(suit).max().unwrap_or(1);
    // An ace is also a one: bit 0.
    let ranks = board.iter().fold(0_u32, |set, card| set | 2 << card.rank().index());
    let ranks = ranks | ranks >> 13;
    let distinct = (ranks & !1).count_ones() as usize;
    let connected = (0..10).any(|low| (ranks >> low & 31).count_ones() >= 3);
    let flags = [distinct < board.len(), connected, ranks >> 11 != 0];
    flags.iter().fold(suited - 1, |kind, &flag| 2 * kind + usize::from(flag))
}

#[cfg(test)]
mod tests {
    use lethe_cards::Board;

    use super::*;

    #[test]
    fn textures_tell_suits_pairs_straights_and_high_cards_apart() {
        let of = |text: &str| texture(text.parse::<Board>().unwrap().cards());
        for (board, suited, paired, connected, high) in [
            ("2c7d9h", 1, 0, 0, 0),
            ("2c7c9c", 3, 0, 0, 0),
            ("KcKd2h", 1, 1, 0, 1),
            ("Ac2d5h", 1, 0, 1, 1),
            ("AcTdJh", 1, 0, 1, 1),
            ("AcTd9h", 1, 0, 0, 1),
            ("8c4d6h", 1, 0, 1, 0),
            ("8c8d4h6s", 1, 1, 1, 0),
            ("Qs2s5s9s", 4, 0, 0, 1),
        ] {
            let expected = (suited - 1) * 8 + paired * 4 + connected * 2 + high;
            assert_eq!(of(board), expected, "{board}");
        }
    }
}
