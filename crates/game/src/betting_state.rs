//! `BettingState`: where the betting of a street stands, in the tree or beside it.

use lethe_cards::Street;

use crate::game::ExtraSize;
use crate::state::{Position, State};
use crate::{Action, Chips, Game, MAX_CHIPS, NodeId, NodeKind, Player, Tree};

/// Where the betting of a street stands: all that the rest of a hand depends on.
///
/// A state need not be in any tree. [`Game::after`] plays legal actions of any amount, and
/// [`Game::starting_at`] turns a state into a game, whose tree offers the sizes of its configuration
/// from there on. From a state that is in a tree ([`Tree::state`]), this is the tree below it.
///
/// ```
/// use lethe_cards::Street;
/// use lethe_game::{Action, BettingState, Game, Sizes, SpotConfig, Tree};
///
/// let mut config = SpotConfig::new(12, 100);
/// config.bet_sizes.turn.oop.raise = Sizes::parse_raises("3x")?;
/// let game = Game::spot(&config, Street::Turn)?;
///
/// // Oop checks, and Ip bets 7 into 12: no size of this configuration.
/// let checked = game.after(&game.state(), Action::Check)?.expect("Ip acts");
/// let facing = game.after(&checked, Action::Bet(7))?.expect("Oop acts");
/// assert_eq!(facing, BettingState { put: [0, 7], bets: 1, ..game.state() });
///
/// let tree = Tree::build(game.starting_at(&facing)?, Tree::NODE_LIMIT)?;
/// assert_eq!(tree.actions(tree.root()), [Action::Fold, Action::Call, Action::Raise(21)]);
/// assert_eq!(tree.pot(tree.root()), 19);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BettingState {
    /// The street.
    pub street: Street,
    /// The chips in the middle at the start of the street.
    pub pot: Chips,
    /// The chips of each player at the start of the street.
    pub stack: Chips,
    /// The chips each player, `Oop` first, has put in on this street.
    pub put: [Chips; 2],
    /// The bets and raises made on this street; before the flop the big blind is the first.
    pub bets: u32,
    /// The player to act.
    pub to_act: Player,
    /// Whether a call of `Oop` ended the street before, after which it may have sizes to donk.
    pub oop_called: bool,
}

impl BettingState {
    /// The start of a street after the flop.
    pub fn new(street: Street, pot: Chips, stack: Chips) -> BettingState {
        let to_act = Player::Oop;
        BettingState { street, pot, stack, put: [0, 0], bets: 0, to_act, oop_called: false }
    }

    fn bet(&self) -> Chips {
        self.put[0].max(self.put[1])
    }

    /// The state of a game that starts here.
    pub(crate) fn rules(&self, min_bet: Chips) -> State {
        // A raise must be as large as the one before it, which is what is owed.
        let blinds_only = self.street == Street::Preflop && self.bets == 1;
        let owed = self.bet() - self.put[self.to_act.index()];
        State {
            street: self.street,
            to_act: self.to_act,
            matched: 0,
            put: self.put,
            min_raise: if self.bets == 0 || blinds_only { min_bet } else { owed },
            bets: self.bets,
            oop_called: self.oop_called,
        }
    }

    fn check(&self, game: &Game) -> Result<(), StateError> {
        let preflop = self.street == Street::Preflop;
        if preflop && game.street != Street::Preflop {
            return Err(StateError::Preflop);
        }
        let all = u64::from(self.pot) + 2 * u64::from(self.stack);
        if self.stack == 0 || self.pot == 0 && !preflop || all > 3 * u64::from(MAX_CHIPS) {
            return Err(StateError::Chips { pot: self.pot, stack: self.stack });
        }
        if let Some(player) = Player::BOTH.into_iter().find(|p| self.put[p.index()] > self.stack) {
            let (put, stack) = (self.put[player.index()], self.stack);
            return Err(StateError::AboveStack { player, put, stack });
        }
        let own = self.put[self.to_act.index()];
        let owed = self.bet() - own;
        if own > self.put[self.to_act.opponent().index()] {
            return Err(StateError::Turn(self.to_act));
        }
        if owed == 0 && own > 0 && (!preflop || own == self.stack || self.bets != 1) {
            return Err(StateError::Over);
        }
        let possible = match (preflop, owed, own) {
            (true, _, _) if self.bets == 1 => {
                self.bet() == game.min_bet && (owed == 0 || self.to_act == Player::Ip)
            }
            (true, _, _) => self.bets >= 2 && owed > 0,
            (false, 0, _) => self.bets == 0,
            (false, _, 0) => self.bets == 1,
            (false, _, _) => self.bets >= 2,
        };
        if possible { Ok(()) } else { Err(StateError::Bets { bets: self.bets, put: self.put }) }
    }
}

impl Game {
    /// Where the betting stands at the start.
    pub fn state(&self) -> BettingState {
        BettingState {
            street: self.street,
            pot: self.pot,
            stack: self.stack,
            put: self.put,
            bets: self.bets,
            to_act: self.to_act,
            oop_called: self.oop_called,
        }
    }

    /// The game with the same sizes, thresholds and rake that starts in a state of any street: with
    /// its pot and stacks, and the bets that have been made.
    ///
    /// Payoffs count from the chips at the start of the state's street, as those of a hand count from
    /// the chips before the blinds.
    pub fn starting_at(&self, state: &BettingState) -> Result<Game, StateError> {
        state.check(self)?;
        let BettingState { street, pot, stack, put, bets, to_act, oop_called } = *state;
        let extra = Vec::new();
        Ok(Game { street, pot, stack, put, bets, to_act, oop_called, extra, ..self.clone() })
    }

    /// The least total of a bet or raise in a state: the all-in, if the stack does not allow more.
    pub fn least_bet(&self, state: &BettingState) -> Chips {
        (state.bet() + state.rules(self.min_bet).min_raise).min(state.stack)
    }

    /// The same game with one more size: in this state of its first street, the player to act may
    /// also bet or raise to `to`, whatever the configuration says about sizes and raises.
    ///
    /// ```
    /// use lethe_cards::Street;
    /// use lethe_game::{Action, Game, Sizes, SpotConfig, Tree};
    ///
    /// let mut config = SpotConfig::new(12, 100);
    /// config.bet_sizes.turn.oop.bet = Sizes::parse_bets("50%")?;
    /// let game = Game::spot(&config, Street::Turn)?;
    /// let game = game.with_size(&game.state(), 7)?;
    /// let tree = Tree::build(game, Tree::NODE_LIMIT)?;
    /// assert_eq!(tree.actions(tree.root()), [Action::Check, Action::Bet(6), Action::Bet(7)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_size(&self, state: &BettingState, to: Chips) -> Result<Game, StateError> {
        self.after(state, if state.bets == 0 { Action::Bet(to) } else { Action::Raise(to) })?;
        let mut game = self.clone();
        let BettingState { put, bets, to_act, .. } = *state;
        game.extra.push(ExtraSize { put, bets, to_act, to });
        Ok(game)
    }

    /// The next state in which a player acts, after a legal action of any amount: on the same street
    /// or, where the action ends it, on the next. `None` where nobody acts any more.
    pub fn after(
        &self,
        state: &BettingState,
        action: Action,
    ) -> Result<Option<BettingState>, StateError> {
        state.check(self)?;
        let rules = state.rules(self.min_bet);
        let (bet, owed) = (state.bet(), rules.owed());
        let least = self.least_bet(state);
        let legal = match action {
            Action::Fold | Action::Call => owed > 0,
            Action::Check => owed == 0,
            Action::Bet(to) => state.bets == 0 && (least..=state.stack).contains(&to),
            Action::Raise(to) => {
                state.bets > 0 && bet < state.stack && (least..=state.stack).contains(&to)
            }
            Action::AllIn(to) => bet < state.stack && to == state.stack,
        };
        if !legal {
            return Err(StateError::Action { action, least, most: state.stack });
        }
        Ok(match rules.after(action) {
            Position::Decision(next) => {
                let State { to_act, put, bets, .. } = next;
                Some(BettingState { to_act, put, bets, ..*state })
            }
            Position::Chance(over) if over.matched < state.stack => {
                let street = state.street.next().expect("no deal follows the river");
                let (pot, stack) = (state.pot + 2 * over.matched, state.stack - over.matched);
                let oop_called = over.oop_called;
                Some(BettingState { oop_called, ..BettingState::new(street, pot, stack) })
            }
            Position::Chance(_) | Position::Fold(..) | Position::Showdown(_) => None,
        })
    }
}

impl Tree {
    /// Where the betting stands at a decision; `None` at other nodes.
    pub fn state(&self, id: NodeId) -> Option<BettingState> {
        let node = self.node(id);
        let to_act = node.player()?;
        let (mut at, mut bets) = (id, 0);
        let first = loop {
            let Some(parent) = self.parent(at) else { break self.game().state() };
            if self.node(parent).kind() == NodeKind::Chance {
                let caller = self.parent(parent).and_then(|before| self.node(before).player());
                let called = self.last_action(parent) == Some(Action::Call);
                let matched = self.node(at).contributed()[0];
                let (pot, stack) = (self.pot(parent), self.game().stack() - matched);
                let oop_called = called && caller == Some(Player::Oop);
                break BettingState { oop_called, ..BettingState::new(node.street(), pot, stack) };
            }
            let action = self.last_action(at);
            bets += u32::from(matches!(
                action,
                Some(Action::Bet(_) | Action::Raise(_) | Action::AllIn(_))
            ));
            at = parent;
        };
        let before = self.game().stack() - first.stack;
        let put = node.contributed().map(|put| put - before);
        Some(BettingState { put, to_act, bets: first.bets + bets, ..first })
    }
}

/// A state or an action that the rules do not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// A state before the flop in a game that starts after it.
    #[error("this game starts after the flop and has no betting before it")]
    Preflop,
    /// A pot or a stack out of range.
    #[error(
        "the pot is {pot} and the stacks {stack}; both must be above 0 and at most {MAX_CHIPS}"
    )]
    Chips {
        /// The pot.
        pot: Chips,
        /// The stacks.
        stack: Chips,
    },
    /// A player who put in more than the stack.
    #[error("{player} has put in {put} chips on this street and had only {stack}")]
    AboveStack {
        /// The player.
        player: Player,
        /// The chips put in.
        put: Chips,
        /// The chips at the start of the street.
        stack: Chips,
    },
    /// The turn of the player who bet last.
    #[error("{0} has bet more than the opponent, so it is the opponent's turn")]
    Turn(Player),
    /// Equal bets, after which the street is over.
    #[error("both players have put in the same, so the street is over; start on the next one")]
    Over,
    /// A number of bets that cannot have led to these chips.
    #[error("{bets} bets and raises cannot have put in {} and {} chips", put[0], put[1])]
    Bets {
        /// The number of bets and raises.
        bets: u32,
        /// The chips put in on the street.
        put: [Chips; 2],
    },
    /// An action that cannot be taken.
    #[error(
        "'{action}' is not legal here; a bet or raise is to {least} at least and {most} at most"
    )]
    Action {
        /// The action.
        action: Action,
        /// The least total of a bet or raise.
        least: Chips,
        /// The all-in.
        most: Chips,
    },
}
