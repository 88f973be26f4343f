//! `HandState`: a hand as it is being played, with its true chips.

use lethe_cards::{Board, Hole, Street};
use lethe_cluster::hash;
use lethe_game::{Action, BettingState, Chips, Game, Player};

use crate::error::AgentError;

/// A hand in which we are to act, as it was really played.
///
/// Blinds and antes are those of the blueprint; the stack may be any up to the blueprint's, and bets
/// may be of any legal size.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HandState {
    /// Our seat: `Oop` is the big blind.
    pub seat: Player,
    /// Our hole.
    pub hole: Hole,
    /// The chips that each player started the hand with, before ante and blinds; the smaller stack
    /// if they differed.
    pub stack: Chips,
    /// The cards dealt so far, in the order in which they were dealt.
    pub board: Board,
    /// What both players did so far, from the small blind's first action on.
    pub actions: Vec<Action>,
    /// The number of the hand: what is drawn from our own frequencies differs from hand to hand.
    pub number: u64,
}

impl HandState {
    /// A hand whose betting is written as `r250 c / x b300`: `f` folds, `x` checks, `c` calls, `b` bets
    /// and `r` raises to the player's total chips on the street, `a` is all-in, `/` a deal.
    ///
    /// # Errors
    /// If a word is none of these. Whether the actions are legal is found out by playing them.
    pub fn parse(
        seat: Player,
        hole: Hole,
        stack: Chips,
        board: Board,
        history: &str,
    ) -> Result<HandState, AgentError> {
        let spaced = history.replace('/', " / ");
        let words = spaced.split_whitespace().filter(|&word| word != "/");
        let actions = words.map(|word| {
            let amount = || word.get(1..).and_then(|digits| digits.parse().ok());
            let action = match word.as_bytes().first() {
                Some(b'f') if word.len() == 1 => Some(Action::Fold),
                Some(b'x') if word.len() == 1 => Some(Action::Check),
                Some(b'c') if word.len() == 1 => Some(Action::Call),
                Some(b'a') if word.len() == 1 => Some(Action::AllIn(Chips::MAX)),
                Some(b'b') => amount().map(Action::Bet),
                Some(b'r') => amount().map(Action::Raise),
                _ => None,
            };
            action.ok_or_else(|| AgentError::Word(word.to_owned()))
        });
        let actions = actions.collect::<Result<_, AgentError>>()?;
        Ok(HandState { seat, hole, stack, board, actions, number: 0 })
    }
}

/// An action and the state in which it was taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Played {
    pub(crate) state: BettingState,
    pub(crate) action: Action,
}

/// A hand whose actions were found legal.
#[derive(Clone, Debug)]
pub(crate) struct Replay {
    pub(crate) seat: Player,
    pub(crate) stack: Chips,
    pub(crate) board: Board,
    pub(crate) played: Vec<Played>,
    /// Where we act.
    pub(crate) now: BettingState,
}

impl Replay {
    /// Plays a hand in a blueprint's game.
    pub(crate) fn new(game: &Game, hand: &HandState) -> Result<Replay, AgentError> {
        let first = game.state();
        let ante = game.pot() / 2;
        let blind = first.put[0].max(first.put[1]);
        if hand.stack > game.stack() + ante {
            return Err(AgentError::TooDeep { stack: hand.stack, most: game.stack() + ante });
        }
        if hand.stack <= ante + blind {
            return Err(AgentError::TooShort { stack: hand.stack, least: ante + blind + 1 });
        }
        let mut now = BettingState { stack: hand.stack - ante, ..first };
        let mut played = Vec::with_capacity(hand.actions.len());
        for (number, &action) in hand.actions.iter().enumerate() {
            let action = normal(action, &now);
            let next = game.after(&now, action);
            let next = next.map_err(|source| AgentError::Illegal { number: number + 1, source })?;
            played.push(Played { state: now, action });
            now = match next {
                Some(next) => next,
                None if number + 1 < hand.actions.len() => {
                    return Err(AgentError::AfterTheEnd { number: number + 2 });
                }
                None => return Err(AgentError::Finished),
            };
        }
        if now.street != hand.board.street() {
            let found = hand.board.cards().len();
            return Err(AgentError::Board { street: now.street, found });
        }
        if now.to_act != hand.seat {
            return Err(AgentError::NotOurTurn(hand.seat));
        }
        if hand.hole.set().intersects(hand.board.set()) {
            return Err(AgentError::SharedCard { hole: hand.hole, board: hand.board });
        }
        Ok(Replay { seat: hand.seat, stack: hand.stack, board: hand.board, played, now })
    }

    /// The board of a street that has been dealt.
    pub(crate) fn board_on(&self, street: Street) -> Board {
        Board::new(&self.board.cards()[..street.board_len()]).expect("distinct cards")
    }

    /// The number of actions before a street.
    pub(crate) fn before(&self, street: Street) -> usize {
        self.played.iter().take_while(|played| played.state.street < street).count()
    }

    /// A number in [0, 1) that depends on a seed and on what both players saw before an action.
    pub(crate) fn draw(&self, seed: u64, number: usize, purpose: u64) -> f64 {
        let street = self.played.get(number).map_or(self.now.street, |played| played.state.street);
        let cards = self.board_on(street);
        let cards = cards.cards().iter().map(|card| card.index() as u64);
        let actions = self.played[..number].iter().map(|played| key(played.action));
        let words = [purpose, u64::from(self.stack)].into_iter().chain(cards).chain(actions);
        let bits = words.fold(hash(seed), |sum, word| hash(sum ^ hash(word)));
        (bits >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }
}

/// An action as a number.
pub(crate) fn key(action: Action) -> u64 {
    let kind = match action {
        Action::Fold => 1,
        Action::Check => 2,
        Action::Call => 3,
        Action::Bet(_) => 4,
        Action::Raise(_) => 5,
        Action::AllIn(_) => 6,
    };
    kind << 32 | u64::from(action.amount().unwrap_or(0))
}

/// A bet or raise of everything as an all-in, and any all-in by its amount.
fn normal(action: Action, state: &BettingState) -> Action {
    match action {
        Action::AllIn(_) => Action::AllIn(state.stack),
        Action::Bet(to) | Action::Raise(to) if to == state.stack => Action::AllIn(to),
        action => action,
    }
}
