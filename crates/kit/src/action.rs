//! Actions as every front end names them: in solutions, blueprints and trees.
//!
//! ```
//! use lethe_cards::Street;
//! use lethe_game::{Game, Sizes, SpotConfig, Tree};
//! use lethe_kit::action;
//!
//! let mut config = SpotConfig::new(110, 920);
//! config.bet_sizes.river.oop.bet = Sizes::parse_bets("33%")?;
//! let tree = Tree::build(Game::spot(&config, Street::River)?, 100)?;
//! let actions = action::at(&tree, tree.root());
//! assert_eq!(
//!     serde_json::to_string(&actions[1])?,
//!     r#"{"action":"bet","chips":36,"pot_fraction":0.32727272727272727,"text":"bet 36"}"#
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use lethe_game::{Action, BettingState, Chips, NodeId, Player, Tree};
use serde::Serialize;

/// A value for each player of a spot, as JSON names them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Both<T> {
    /// Out of position.
    pub oop: T,
    /// In position.
    pub ip: T,
}

impl<T> From<[T; 2]> for Both<T> {
    fn from([oop, ip]: [T; 2]) -> Both<T> {
        Both { oop, ip }
    }
}

impl<T> Both<T> {
    /// The same after `change`.
    pub fn map<U>(self, change: impl Fn(T) -> U) -> Both<U> {
        Both { oop: change(self.oop), ip: change(self.ip) }
    }
}

/// An action at a node of a betting tree.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ActionView {
    /// `fold`, `check`, `call`, `bet`, `raise` or `allin`.
    pub action: &'static str,
    /// Of a bet, raise or all-in: the player's total chips on the street.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chips: Option<Chips>,
    /// Of a bet, raise or all-in: what it adds to a call, as a fraction of the pot after the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pot_fraction: Option<f64>,
    /// The action for people, such as `bet 36`.
    pub text: String,
}

/// An action and how often it is taken.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ActionShare {
    /// The action.
    #[serde(flatten)]
    pub action: ActionView,
    /// How often it is taken, from 0 to 1; `None` where no hand reaches the node.
    pub frequency: Option<f64>,
    /// What it is worth, in chips, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ev: Option<f64>,
    /// The same in big blinds, where their size is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ev_bb: Option<f64>,
    /// Half the width of the 95 % interval of `ev`, in chips, where it is estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ev_interval: Option<f64>,
}

/// The actions of a node, in their order.
pub fn at(tree: &Tree, node: NodeId) -> Vec<ActionView> {
    let Some(state) = tree.state(node) else { return Vec::new() };
    tree.actions(node).iter().map(|&action| in_state(&state, action)).collect()
}

/// An action in a state of the betting, in a tree or beside it.
pub fn in_state(state: &BettingState, action: Action) -> ActionView {
    let bet = state.put[0].max(state.put[1]);
    let called = f64::from(state.pot) + 2.0 * f64::from(bet);
    ActionView {
        action: match action {
            Action::Fold => "fold",
            Action::Check => "check",
            Action::Call => "call",
            Action::Bet(_) => "bet",
            Action::Raise(_) => "raise",
            Action::AllIn(_) => "allin",
        },
        chips: action.amount(),
        pot_fraction: action.amount().map(|to| (f64::from(to) - f64::from(bet)) / called),
        text: action.to_string(),
    }
}

/// Actions with their frequencies.
pub fn shares(actions: &[ActionView], frequencies: Option<&[f64]>) -> Vec<ActionShare> {
    let share = |(place, action): (usize, &ActionView)| ActionShare {
        action: action.clone(),
        frequency: frequencies.and_then(|frequencies| frequencies.get(place).copied()),
        ev: None,
        ev_bb: None,
        ev_interval: None,
    };
    actions.iter().enumerate().map(share).collect()
}

/// What a player of a whole hand is called: the blind it posts.
pub const fn blind(player: Player) -> &'static str {
    match player {
        Player::Oop => "bb",
        Player::Ip => "sb",
    }
}
