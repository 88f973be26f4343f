//! A range by made hands and draws.

use lethe_game::Player;
use lethe_solver::{HandView, Position};
use serde::Serialize;

use super::position::Values;
use crate::action::{ActionShare, ActionView, shares};
use crate::hand_class::{Draw, Made};

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
    /// What they are worth.
    #[serde(flatten)]
    pub values: Values,
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
        let board = position.board();
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
            let combos: f64 = hands.iter().map(|hand| hand.reach).sum();
            (combos > 0.0).then(|| ClassRow {
                class,
                combos,
                share: combos / total,
                values: Values::of(position, mean(&|hand| hand.ev), mean(&|hand| hand.equity)),
                actions: shares(actions, frequencies.as_deref()),
            })
        };
        let made = |&(made, name): &(Made, &'static str)| {
            row(name, &|hand| Made::of(hand.hole, &board) == made)
        };
        let draw = |&(draw, name): &(Draw, &'static str)| {
            row(name, &|hand| draw.is_held(hand.hole, &board))
        };
        ClassesView {
            player: player.name(),
            made: Made::ALL.iter().filter_map(made).collect(),
            draws: Draw::ALL.iter().filter_map(draw).collect(),
        }
    }
}
