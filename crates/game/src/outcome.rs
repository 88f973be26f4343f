//! `Outcome`: who gets what at the end of a hand.

use crate::{Chips, Player};

/// The chips at a terminal node, and what each result is worth to a player.
///
/// Payoffs count from the chips a player had at the tree's root, so the two players' payoffs sum
/// to the starting pot less the rake: they are shares of the starting pot. Both players put in the
/// same `matched` chips; what a fold left uncalled goes back and is in no pot.
///
/// In a hand from the blinds the starting pot is the antes; subtract [`Outcome::ante`] to count
/// from the chips before the ante.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The pot: the starting pot and what both players matched.
    pub pot: Chips,
    /// What each player put in since the root, without an uncalled bet.
    pub matched: Chips,
    /// The chips the house takes.
    pub rake: f64,
    /// The player who won by the other's fold; none at a showdown.
    pub winner: Option<Player>,
}

impl Outcome {
    /// The payoff of the player who wins.
    pub fn win(&self) -> f64 {
        f64::from(self.pot) - self.rake - f64::from(self.matched)
    }

    /// The payoff of each player where the pot is split.
    pub fn tie(&self) -> f64 {
        (f64::from(self.pot) - self.rake) / 2.0 - f64::from(self.matched)
    }

    /// The payoff of the player who loses.
    pub fn lose(&self) -> f64 {
        -f64::from(self.matched)
    }

    /// Half the starting pot: in a hand from the blinds, one player's ante.
    pub fn ante(&self) -> f64 {
        f64::from(self.pot) / 2.0 - f64::from(self.matched)
    }

    /// The payoffs of both players, `Oop` first, where `winner` wins; none means a tie.
    pub fn payoffs(&self, winner: Option<Player>) -> [f64; 2] {
        match winner {
            Some(Player::Oop) => [self.win(), self.lose()],
            Some(Player::Ip) => [self.lose(), self.win()],
            None => [self.tie(), self.tie()],
        }
    }
}
