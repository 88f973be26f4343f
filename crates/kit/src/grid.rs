//! A range as a grid of 13 by 13: pairs on the diagonal, suited hands above it, others below.
//!
//! ```
//! use lethe_cards::{Board, Hole};
//! use lethe_kit::grid::{Combo, GridView};
//!
//! let aces: Hole = "AsAh".parse()?;
//! let combo = Combo { hole: aces, reach: 0.5, frequencies: None };
//! let grid = GridView::of("oop", &[combo], &[], &Board::EMPTY);
//! assert_eq!((grid.cells[0].class.as_str(), grid.cells[0].combos), ("AA", 0.5));
//! assert_eq!(grid.cells[1].class, "AKs");
//! # Ok::<(), lethe_cards::ParseError>(())
//! ```

use lethe_cards::{Board, Hole, Rank, StartingHand};
use serde::Serialize;

use crate::action::{ActionShare, ActionView, shares};

/// A hole as a grid counts it.
#[derive(Clone, Copy, Debug)]
pub struct Combo<'a> {
    /// The hole.
    pub hole: Hole,
    /// Its weight at the node.
    pub reach: f64,
    /// How often it takes each action; `None` where the player does not act.
    pub frequencies: Option<&'a [f64]>,
}

/// A player's range at a node by starting hand.
#[derive(Clone, Debug, Serialize)]
pub struct GridView {
    /// The player.
    pub player: &'static str,
    /// The player's actions; empty where the player does not act.
    pub actions: Vec<ActionView>,
    /// 13 rows of 13, aces first.
    pub cells: Vec<CellView>,
}

/// One starting hand.
#[derive(Clone, Debug, Serialize)]
pub struct CellView {
    /// Its name, such as `AKs`.
    pub class: String,
    /// The combos that the board leaves.
    pub possible: usize,
    /// Those that reach the node, by weight.
    pub combos: f64,
    /// How often they take each action.
    pub actions: Vec<ActionShare>,
    /// What they win, in chips, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ev: Option<f64>,
    /// The same in big blinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ev_bb: Option<f64>,
}

impl CellView {
    /// The part of the combos that reaches the node, from 0 to 1.
    pub fn arrived(&self) -> f64 {
        (self.combos / self.possible.max(1) as f64).min(1.0)
    }
}

impl GridView {
    /// The grid of a player's hands.
    pub fn of(
        player: &'static str,
        own: &[Combo<'_>],
        actions: &[ActionView],
        board: &Board,
    ) -> GridView {
        let cell = |place: usize| {
            let (row, column) = (place / 13, place % 13);
            let rank = |place: usize| Rank::all().nth(12 - place);
            let class = rank(row).zip(rank(column));
            let class = class.and_then(|(a, b)| StartingHand::new(a, b, row < column));
            let class = class.expect("unequal ranks may be suited, equal ones are not");
            let held = own.iter().filter(|combo| combo.hole.class() == class);
            let held: Vec<&Combo<'_>> = held.collect();
            let combos: f64 = held.iter().map(|combo| combo.reach).sum();
            let share = |action: usize| {
                let taken = held
                    .iter()
                    .filter_map(|combo| Some(combo.reach * combo.frequencies?.get(action)?));
                taken.sum::<f64>() / combos
            };
            let frequencies: Option<Vec<f64>> =
                (combos > 0.0).then(|| (0..actions.len()).map(share).collect());
            let possible = class.holes().filter(|hole| !hole.set().intersects(board.set()));
            CellView {
                class: class.to_string(),
                possible: possible.count(),
                combos,
                actions: shares(actions, frequencies.as_deref()),
                ev: None,
                ev_bb: None,
            }
        };
        GridView { player, actions: actions.to_vec(), cells: (0..13 * 13).map(cell).collect() }
    }
}
