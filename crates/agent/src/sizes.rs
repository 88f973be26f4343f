//! Sizes of one pot in another: what a bet that the tree does not contain is taken for, and what a bet
//! of the tree is in the hand as it is played.

use lethe_game::{Action, BettingState, Chips, Game};

/// A bet or raise to `to` as a fraction of the pot after calling.
pub fn fraction(state: &BettingState, to: Chips) -> f64 {
    let bet = state.put[0].max(state.put[1]);
    let pot = state.pot + 2 * bet;
    f64::from(to.saturating_sub(bet)) / f64::from(pot.max(1))
}

/// The neighbour that a size is taken for: the place of one of `sizes`, which ascend, all fractions
/// of the pot. `draw` is a number in [0, 1).
///
/// This is the randomized pseudo-harmonic mapping of Ganzfried and Sandholm: a size *x* between its
/// neighbours *A* and *B* is taken for *A* with probability `(B - x)(1 + A) / ((B - A)(1 + x))`.
/// Beyond the first and the last there is no choice.
pub(crate) fn neighbour(sizes: &[f64], x: f64, draw: f64) -> usize {
    let above = sizes.partition_point(|&size| size < x);
    if above == 0 || above == sizes.len() {
        return above.min(sizes.len() - 1);
    }
    let (a, b) = (sizes[above - 1], sizes[above]);
    let lower = (b - x) * (1.0 + a) / ((b - a) * (1.0 + x));
    if draw < lower { above - 1 } else { above }
}

/// The place of the first bet or raise among a decision's actions, and all of them as fractions of the
/// pot.
pub(crate) fn sizes(actions: &[Action], state: &BettingState) -> (usize, Vec<f64>) {
    let first = actions.iter().position(|action| action.amount().is_some());
    let first = first.unwrap_or(actions.len());
    let amounts = actions[first..].iter().filter_map(|action| action.amount());
    (first, amounts.map(|to| fraction(state, to)).collect())
}

/// What an action of a game's tree is in a hand with other chips: the same fraction of the pot, within
/// the rules; an all-in stays one.
pub(crate) fn in_hand(
    game: &Game,
    action: Action,
    tree: &BettingState,
    hand: &BettingState,
) -> Action {
    let bet = hand.put[0].max(hand.put[1]);
    let owed = bet - hand.put[hand.to_act.index()];
    let passive = if owed > 0 { Action::Call } else { Action::Check };
    let to = match action {
        Action::Fold if owed > 0 => return Action::Fold,
        Action::Fold | Action::Check | Action::Call => return passive,
        Action::AllIn(_) => hand.stack,
        Action::Bet(to) | Action::Raise(to) if same_chips(tree, hand) => to,
        Action::Bet(to) | Action::Raise(to) => {
            let pot = f64::from(hand.pot + 2 * bet);
            let added = (fraction(tree, to) * pot).round();
            bet.saturating_add(added as Chips)
        }
    };
    if bet >= hand.stack {
        return passive;
    }
    let to = to.clamp(game.least_bet(hand), hand.stack);
    match to {
        _ if to == hand.stack => Action::AllIn(to),
        _ if hand.bets == 0 => Action::Bet(to),
        _ => Action::Raise(to),
    }
}

fn same_chips(tree: &BettingState, hand: &BettingState) -> bool {
    (tree.pot, tree.put) == (hand.pot, hand.put)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pseudo_harmonic_shares_are_the_published_ones() {
        // A = 0.5, B = 1: half of the draws at x with (1 - x) 1.5 = 0.5 * 0.5 (1 + x), x = 5/7.
        let x = 5.0 / 7.0;
        assert_eq!(neighbour(&[0.5, 1.0], x, 0.499), 0);
        assert_eq!(neighbour(&[0.5, 1.0], x, 0.501), 1);
        assert_eq!(neighbour(&[0.5, 1.0], 0.5, 0.999), 0, "its own size");
        assert_eq!(neighbour(&[0.5, 1.0], 1.0, 0.0), 1);
        assert_eq!(neighbour(&[0.5, 1.0], 0.1, 0.999), 0, "below all");
        assert_eq!(neighbour(&[0.5, 1.0], 9.0, 0.0), 1, "above all");
    }
}
