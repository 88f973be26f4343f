//! The action abstraction: which actions a configuration gives a player in a state.

use lethe_cards::Street;

use crate::game::ExtraSize;
use crate::state::State;
use crate::{Action, Chips, Game, Player, Size};

/// Chips and limits of the player to act, from which sizes are computed.
struct SizingContext {
    /// The previous bet of the street: 0 if there is none.
    previous: Chips,
    /// The pot after a call.
    pot: Chips,
    /// The least bet or raise.
    min: Chips,
    /// The all-in.
    max: Chips,
}

impl Game {
    /// The actions in a state, in their order: fold, check or call, then sizes ascending.
    ///
    /// Each size becomes chips (halves up), is clamped to [least raise, all-in] and becomes the
    /// all-in where that is forced; duplicates go, and close sizes merge last.
    pub(crate) fn actions(&self, state: &State) -> Vec<Action> {
        let context = SizingContext::new(self, state);
        let mut actions = Vec::with_capacity(4);
        if state.owed() > 0 {
            actions.push(Action::Fold);
            if self.limp || !state.is_open() {
                actions.push(Action::Call);
            }
        } else {
            actions.push(Action::Check);
        }

        let street = &self.sizes[state.street.index()];
        let raises = state.bets.saturating_sub(1);
        let capped = state.bets > 0 && street.max_raises.is_some_and(|most| raises >= most);
        if context.previous < context.max {
            let mut amounts: Vec<Chips> = Vec::new();
            if !capped {
                let sizes = self.sizes(state).iter();
                amounts.extend(sizes.map(|&size| self.amount(size, state, &context)));
                if context.allin_is_within(self.options.add_allin) {
                    amounts.push(context.max);
                }
            }
            amounts.sort_unstable();
            amounts.dedup();
            context.merge(&mut amounts, self.options.merging);
            for extra in self.extra.iter().filter(|extra| extra.is_for(self, state)) {
                if let Err(place) = amounts.binary_search(&extra.to) {
                    amounts.insert(place, extra.to);
                }
            }
            actions.extend(amounts.into_iter().map(|amount| match amount {
                _ if amount == context.max => Action::AllIn(amount),
                _ if context.previous == 0 => Action::Bet(amount),
                _ => Action::Raise(amount),
            }));
        }
        actions
    }

    /// The list that applies: raises, bets or, after a call of `Oop`, its donk bets.
    fn sizes(&self, state: &State) -> &[Size] {
        let street = &self.sizes[state.street.index()];
        let player = match state.to_act {
            Player::Oop => &street.oop,
            Player::Ip => &street.ip,
        };
        let list = match &player.donk {
            _ if state.bets > 0 => &player.raise,
            Some(donk) if state.oop_called && state.to_act == Player::Oop => donk,
            _ => &player.bet,
        };
        list.as_slice()
    }

    /// The chips of a size: rounded, clamped, and all-in where that is forced.
    fn amount(&self, size: Size, state: &State, context: &SizingContext) -> Chips {
        let wanted = match size {
            Size::Pot(percent) => context.previous.saturating_add(percent.percent_of(context.pot)),
            Size::Multiple(times) => times.times(context.previous),
            Size::Chips(chips) => context.previous.saturating_add(chips),
            Size::BigBlinds(number) => {
                // A game with such a size has a big blind, and the product is whole.
                context.previous.saturating_add(number.times(self.big_blind.unwrap_or(0)))
            }
            Size::Geometric { streets, cap } => {
                let left = Street::River.index() - state.street.index() + 1;
                let streets = streets.map_or(left as u32, u32::from);
                let raises = state.bets.saturating_sub(1);
                let fraction = context.geometric(streets.saturating_sub(raises).max(1));
                let chips = round_half_up(fraction * f64::from(context.pot));
                let most = cap.map_or(Chips::MAX, |cap| cap.percent_of(context.pot));
                context.previous.saturating_add(chips.min(most))
            }
            Size::AllIn => context.max,
        };
        let amount = wanted.clamp(context.min, context.max);
        if context.leaves_at_most(amount, self.options.force_allin) { context.max } else { amount }
    }
}

impl ExtraSize {
    fn is_for(&self, game: &Game, state: &State) -> bool {
        (state.street, state.matched) == (game.street, 0)
            && (self.put, self.bets, self.to_act) == (state.put, state.bets, state.to_act)
    }
}

impl SizingContext {
    fn new(game: &Game, state: &State) -> SizingContext {
        let previous = state.bet();
        let max = game.stack - state.matched;
        SizingContext {
            previous,
            pot: game.pot + 2 * (state.matched + previous),
            min: (previous + state.min_raise).min(max),
            max,
        }
    }

    /// The fraction of the pot that, bet and called on each of `streets` streets, is all-in.
    fn geometric(&self, streets: u32) -> f64 {
        let stack_to_pot = f64::from(self.max - self.previous) / f64::from(self.pot);
        ((1.0 + 2.0 * stack_to_pot).powf(1.0 / f64::from(streets)) - 1.0) / 2.0
    }

    /// Whether the all-in is at most `threshold` times the pot (after calling).
    fn allin_is_within(&self, threshold: f64) -> bool {
        self.max - self.previous <= round_half_up(threshold * f64::from(self.pot))
    }

    /// Whether a call of `amount` leaves at most `threshold` times the pot then.
    fn leaves_at_most(&self, amount: Chips, threshold: f64) -> bool {
        let pot = self.pot + 2 * (amount - self.previous);
        self.max - amount <= round_half_up(threshold * f64::from(pot))
    }

    /// From the largest down, each kept size X removes smaller Y with
    /// (pot + X) / (pot + Y) < 1 + threshold. The amounts ascend.
    fn merge(&self, amounts: &mut Vec<Chips>, threshold: f64) {
        let pot_with = |amount: Chips| f64::from(self.pot) + f64::from(amount - self.previous);
        let mut kept: Option<Chips> = None;
        let mut keep = |amount: Chips| {
            // The tolerance keeps a ratio that equals 1 + threshold but for float error.
            let least = |kept: Chips| {
                (1.0 + threshold) * pot_with(amount) * (1.0 - 1e-12) <= pot_with(kept)
            };
            let keeps = kept.is_none_or(least);
            if keeps {
                kept = Some(amount);
            }
            keeps
        };
        let mut survivors: Vec<Chips> =
            amounts.iter().rev().copied().filter(|&a| keep(a)).collect();
        survivors.reverse();
        *amounts = survivors;
    }
}

/// Rounds to whole chips, halves up, also where float error left a half just below itself.
fn round_half_up(chips: f64) -> Chips {
    (chips * (1.0 + 1e-12)).round() as Chips
}
