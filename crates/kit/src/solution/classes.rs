//! A range by made hands and draws.

use lethe_game::Player;
use lethe_solver::{HandView, Position};
use serde::Serialize;

use super::position::realisation;
use crate::action::{ActionShare, ActionView, shares};
use crate::hand_class::{Draw, Made};
use crate::spot::in_big_blinds;

/// A range by what its hands are: each hand has one made hand and any number of draws.
#[derive(Clone, Debug, Serialize)]
pub struct ClassesView {
    /// The player.
    pub player: &'static str,
    /// Made hands, best first.
    pub made: Vec<ClassRow>,
    /// Draws.
    pub draws: Vec<ClassRow>,
}

/// The hands of one class.
#[derive(Clone, Debug, Serialize)]
pub struct ClassRow {
    /// Its name.
    pub class: &'static str,
    /// The weight of its hands here.
    pub combos: f64,
    /// Their share of the range.
    pub share: f64,
    /// Their expected share of the pot from here on, in chips.
    pub ev: Option<f64>,
    /// The same in big blinds, where their size is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ev_bb: Option<f64>,
    /// Their equity.
    pub equity: Option<f64>,
    /// EV as a share of equity times pot.
    pub realisation: Option<f64>,
    /// How often they take each action.
    pub actions: Vec<ActionShare>,
}

impl ClassesView {
    /// The classes of a player's hands; those without a hand are left out.
    pub(super) fn of(
        position: &Position<'_>,
        player: Player,
        own: &[HandView],
        actions: &[ActionView],
    ) -> ClassesView {
        let (board, pot) = (position.board(), position.pot());
        let big_blind = position.tree().game().big_blind();
        let total: f64 = own.iter().map(|hand| hand.reach).sum();
        let row = |class: &'static str, holds: &dyn Fn(&HandView) -> bool| {
            let hands = own.iter().filter(|hand| hand.reach > 0.0 && holds(hand));
            let hands: Vec<&HandView> = hands.collect();
            let mean = |of: &dyn Fn(&HandView) -> Option<f64>| {
                HandView::average(hands.iter().copied(), of)
            };
            let frequency = |action: usize| {
                mean(&|hand| hand.frequencies.as_ref().map(|frequencies| frequencies[action]))
            };
            let frequencies: Option<Vec<f64>> = (0..actions.len()).map(frequency).collect();
            let (ev, equity) = (mean(&|hand| hand.ev), mean(&|hand| hand.equity));
            let combos: f64 = hands.iter().map(|hand| hand.reach).sum();
            (combos > 0.0).then(|| ClassRow {
                class,
                combos,
                share: combos / total,
                ev,
                ev_bb: ev.and_then(|ev| in_big_blinds(big_blind, ev)),
                equity,
                realisation: realisation(ev, equity, pot),
                actions: shares(actions, frequencies.as_deref()),
            })
        };
        let made = |(made, name): (Made, &'static str)| {
            row(name, &|hand| Made::of(hand.hole, &board) == made)
        };
        let draw =
            |(draw, name): (Draw, &'static str)| row(name, &|hand| draw.is_held(hand.hole, &board));
        ClassesView {
            player: player.name(),
            made: Made::ALL.into_iter().filter_map(made).collect(),
            draws: Draw::ALL.into_iter().filter_map(draw).collect(),
        }
    }
}
