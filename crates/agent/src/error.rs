//! What an agent cannot answer.

use lethe_blueprint::ValuesError;
use lethe_cards::{Board, Hole, Street};
use lethe_compute::Cancelled;
use lethe_game::{Chips, Player, StateError, TreeTooLarge};
use lethe_solver::SolveError;

use crate::subgame::SubgameError;

/// A hand that an agent cannot decide.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// A word of a history that is no action.
    #[error("'{0}' is not an action: write f, x, c, b300, r900 or a, and / between streets")]
    Word(String),
    /// A stack deeper than the blueprint's.
    #[error(
        "the stack is {stack} chips and the blueprint was trained with {most}; play with at most \
         {most}, or train a blueprint for deeper stacks"
    )]
    TooDeep {
        /// The stack.
        stack: Chips,
        /// The blueprint's.
        most: Chips,
    },
    /// A stack that the blinds take.
    #[error(
        "the stack is {stack} chips; after ante and blinds nothing is left, so at least {least} are needed"
    )]
    TooShort {
        /// The stack.
        stack: Chips,
        /// The least.
        least: Chips,
    },
    /// An action that breaks the rules.
    #[error("action {number} of the hand: {source}")]
    Illegal {
        /// The number of the action, from 1.
        number: usize,
        /// What is wrong.
        source: StateError,
    },
    /// Actions after the hand was over.
    #[error("action {number} of the hand comes after its end")]
    AfterTheEnd {
        /// The number of the action, from 1.
        number: usize,
    },
    /// A hand in which nobody acts any more.
    #[error("the hand is over: there is nothing to decide")]
    Finished,
    /// Too few or too many cards.
    #[error("the betting is on the {street}, so the board has {} cards; found {found}", street.board_len())]
    Board {
        /// The street.
        street: Street,
        /// The cards given.
        found: usize,
    },
    /// The opponent is to act.
    #[error("it is the opponent's turn, not that of {0}")]
    NotOurTurn(Player),
    /// A hole with a card of the board.
    #[error("the hand {hole} shares a card with the board {board}")]
    SharedCard {
        /// The hole.
        hole: Hole,
        /// The board.
        board: Board,
    },
    /// A state that no subgame can begin with.
    #[error(transparent)]
    State(#[from] StateError),
    /// A subgame too large to build.
    #[error(transparent)]
    Tree(#[from] TreeTooLarge),
    /// A flop of a game with rake, whose leaf values are not what one player wins from the other.
    #[error("a flop cannot be solved in a game with rake: search from the turn")]
    Rake,
    /// The blueprint's values cannot be read.
    #[error("{0}")]
    Values(String),
    /// A subgame that cannot be solved.
    #[error(transparent)]
    Subgame(#[from] SubgameError),
}

impl AgentError {
    /// Whether the computation was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, AgentError::Subgame(SubgameError::Solve(SolveError::Cancelled(_))))
    }
}

impl From<ValuesError> for AgentError {
    fn from(error: ValuesError) -> AgentError {
        match error {
            ValuesError::Cancelled(cancelled) => cancelled.into(),
            error => AgentError::Values(error.to_string()),
        }
    }
}

impl From<Cancelled> for AgentError {
    fn from(cancelled: Cancelled) -> AgentError {
        AgentError::Subgame(cancelled.into())
    }
}
