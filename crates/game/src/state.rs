//! The rules: whose turn it is, and what an action leads to.

use lethe_cards::Street;

use crate::{Action, Chips, Game, Player};

/// The public state of a street: all that the rest of the betting depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State {
    pub(crate) street: Street,
    pub(crate) to_act: Player,
    /// What each player put in before this street; equal for both.
    pub(crate) matched: Chips,
    /// What each player put in on this street.
    pub(crate) put: [Chips; 2],
    /// The least by which a raise must exceed the previous bet.
    pub(crate) min_raise: Chips,
    /// The bets and raises made on this street, the big blind included.
    pub(crate) bets: u32,
    /// Whether a call of `Oop` ended the street before.
    pub(crate) oop_called: bool,
}

/// A place in the betting tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// A player is to act.
    Decision(State),
    /// The street is over and the next is dealt.
    Chance(State),
    /// This player folded.
    Fold(State, Player),
    /// The hands are shown.
    Showdown(State),
}

impl Position {
    pub(crate) fn state(&self) -> &State {
        match self {
            Position::Decision(state)
            | Position::Chance(state)
            | Position::Fold(state, _)
            | Position::Showdown(state) => state,
        }
    }
}

impl State {
    /// The first state of a game.
    pub(crate) fn initial(game: &Game) -> State {
        game.state().rules(game.min_bet)
    }

    /// The highest amount that a player has put in on this street.
    pub(crate) fn bet(&self) -> Chips {
        self.put[0].max(self.put[1])
    }

    /// What the player to act must add to call.
    pub(crate) fn owed(&self) -> Chips {
        self.bet() - self.put[self.to_act.index()]
    }

    /// The chips that each player has put in so far, `Oop` first.
    pub(crate) fn contributed(&self) -> [Chips; 2] {
        self.put.map(|put| self.matched + put)
    }

    /// Whether the small blind is about to make the first action of the hand.
    pub(crate) fn is_open(&self) -> bool {
        self.street == Street::Preflop && self.to_act == Player::Ip && self.bets == 1
    }

    /// Where an action leads. The action must be legal.
    pub(crate) fn after(&self, action: Action) -> Position {
        let (player, opponent) = (self.to_act, self.to_act.opponent());
        let mut next = State { to_act: opponent, ..*self };
        match action {
            Action::Fold => Position::Fold(*self, player),
            // The last to act before the flop is Oop, after the flop Ip.
            Action::Check if (player == Player::Oop) == (self.street == Street::Preflop) => {
                self.street_over(false)
            }
            Action::Check => Position::Decision(next),
            Action::Call => {
                next.put[player.index()] = self.bet();
                if self.is_open() {
                    Position::Decision(next)
                } else {
                    next.street_over(player == Player::Oop)
                }
            }
            Action::Bet(amount) | Action::Raise(amount) | Action::AllIn(amount) => {
                next.put[player.index()] = amount;
                next.min_raise = amount - self.bet();
                next.bets += 1;
                Position::Decision(next)
            }
        }
    }

    /// The end of a street on which both put in the same.
    fn street_over(&self, oop_called: bool) -> Position {
        let over = State { matched: self.matched + self.bet(), put: [0, 0], oop_called, ..*self };
        match self.street {
            Street::River => Position::Showdown(over),
            _ => Position::Chance(over),
        }
    }

    /// Where the deal after a finished street leads. After an all-in nobody acts any more.
    pub(crate) fn deal(&self, game: &Game) -> Position {
        let street = self.street.next().expect("no chance node follows the river");
        let all_in = self.matched == game.stack;
        let next = State {
            street,
            to_act: Player::Oop,
            min_raise: game.min_bet,
            bets: 0,
            oop_called: self.oop_called && !all_in,
            ..*self
        };
        match street {
            Street::River if all_in => Position::Showdown(next),
            _ if all_in => Position::Chance(next),
            _ => Position::Decision(next),
        }
    }
}
