//! `PlayedHand`: a hand as it was played, and its replay by the rules.

use lethe_agent::HandState;
use lethe_cards::{Board, CardSet, Hole, Street, evaluate};
use lethe_game::{Action, BettingState, Chips, ConfigError, Game, HandConfig, Player, StateError};

/// A hand as it was played, finished or not. What belongs to a player is indexed by
/// [`Player::index`]: the big blind is `Oop` and comes first.
///
/// The players may have started with different stacks. The smaller one is at stake: a bet above it is
/// the same as an all-in, and what cannot be called goes back.
///
/// ```
/// use lethe_game::Action;
/// use lethe_play::PlayedHand;
///
/// let hand = PlayedHand {
///     holes: [Some("AhKd".parse()?), None],
///     actions: vec![Action::Raise(250), Action::AllIn(1000), Action::Fold],
///     ..PlayedHand::new(1, [1000, 4000], 50, 100)
/// };
/// assert_eq!(hand.payoffs(), Some([250, -250]));
/// # Ok::<(), lethe_cards::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedHand {
    /// The number of the hand in its session or match.
    pub number: u64,
    /// The players' names.
    pub names: [String; 2],
    /// The small blind, posted by `Ip`.
    pub small_blind: Chips,
    /// The big blind, posted by `Oop`.
    pub big_blind: Chips,
    /// The ante of each player, which is part of the stack.
    pub ante: Chips,
    /// The chips that each player started with, before ante and blinds.
    pub stacks: [Chips; 2],
    /// The holes, as far as they are known.
    pub holes: [Option<Hole>; 2],
    /// The cards dealt, in the order in which they were dealt.
    pub board: Board,
    /// What both players did, from the small blind's first action on.
    pub actions: Vec<Action>,
}

/// An action and the state in which it was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// Where the betting stood. Its stack is the smaller one.
    pub state: BettingState,
    /// The action; a bet or raise of the smaller stack or more is an all-in of exactly that stack.
    pub action: Action,
}

/// How a hand ended, or that it did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A player is to act.
    ToAct(BettingState),
    /// This player folded.
    Fold(Player),
    /// The hands are shown.
    Showdown,
}

/// A hand whose actions, chips and cards obey the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// The game: blinds, ante and the smaller stack, without any bet sizes.
    pub game: Game,
    /// The actions and the states in which they were taken.
    pub played: Vec<Played>,
    /// How it ended.
    pub end: End,
    /// The chips that each player put in over the whole hand, ante, blinds and an uncalled bet included.
    pub put: [Chips; 2],
}

impl PlayedHand {
    /// A hand before the first action, without ante, names and cards.
    pub fn new(
        number: u64,
        stacks: [Chips; 2],
        small_blind: Chips,
        big_blind: Chips,
    ) -> PlayedHand {
        PlayedHand {
            number,
            names: [String::new(), String::new()],
            small_blind,
            big_blind,
            ante: 0,
            stacks,
            holes: [None, None],
            board: Board::EMPTY,
            actions: Vec::new(),
        }
    }

    /// The smaller stack: what is at stake, ante and blinds included.
    pub fn stack(&self) -> Chips {
        self.stacks[0].min(self.stacks[1])
    }

    /// The betting rules of the hand.
    ///
    /// # Errors
    /// If the smaller stack does not exceed ante and big blind, or chips are out of range.
    pub fn game(&self) -> Result<Game, RecordError> {
        let config = HandConfig::new(self.stack(), self.small_blind, self.big_blind);
        Ok(Game::hand(&HandConfig { ante: self.ante, ..config })?)
    }

    /// Plays the hand by the rules.
    ///
    /// # Errors
    /// If an action is not legal or comes after the end, if the board has not as many cards as the street
    /// on which the hand stands or ended (five at a showdown), or if a card occurs twice.
    pub fn replay(&self) -> Result<Replay, RecordError> {
        let game = self.game()?;
        let mut seen = CardSet::EMPTY;
        let holes = self.holes.iter().flatten().flat_map(|hole| [hole.high(), hole.low()]);
        for card in holes.chain(self.board.cards().iter().copied()) {
            if seen.contains(card) {
                return Err(RecordError::Duplicate(card));
            }
            seen.insert(card);
        }
        let mut replay =
            Replay { end: End::ToAct(game.state()), played: Vec::new(), put: [0; 2], game };
        for (number, &action) in self.actions.iter().enumerate() {
            let number = number + 1;
            let End::ToAct(state) = replay.end else {
                return Err(RecordError::AfterTheEnd { number });
            };
            // Chips that the other player cannot call are not at stake.
            let beyond = self.stacks[state.to_act.index()] - self.stack();
            let action = match action {
                Action::Bet(to) | Action::Raise(to) | Action::AllIn(to)
                    if (state.stack..=state.stack.saturating_add(beyond)).contains(&to) =>
                {
                    Action::AllIn(state.stack)
                }
                action => action,
            };
            let next = replay.game.after(&state, action);
            let next = next.map_err(|source| RecordError::Illegal { number, source })?;
            replay.played.push(Played { state, action });
            replay.end = match (next, action) {
                (Some(next), _) => End::ToAct(next),
                (None, Action::Fold) => End::Fold(state.to_act),
                (None, _) => End::Showdown,
            };
        }
        let before = |state: &BettingState| self.stack() - state.stack;
        replay.put = match (replay.end, replay.played.last()) {
            (End::ToAct(state), _) => state.put.map(|put| before(&state) + put),
            (End::Fold(_), Some(last)) => last.state.put.map(|put| before(&last.state) + put),
            (_, Some(last)) => [before(&last.state) + last.state.put[0].max(last.state.put[1]); 2],
            (_, None) => unreachable!("a hand without actions is not over"),
        };
        let street = match replay.end {
            End::ToAct(state) => state.street,
            End::Fold(_) => replay.played.last().map_or(Street::Preflop, |last| last.state.street),
            End::Showdown => Street::River,
        };
        if self.board.street() != street {
            return Err(RecordError::Board { street, found: self.board.cards().len() });
        }
        Ok(replay)
    }

    /// What each player won or lost, in chips: exact, and zero in sum. `None` if the hand is not over, breaks
    /// the rules, or ended at a showdown with a hole unknown.
    pub fn payoffs(&self) -> Option<[i64; 2]> {
        let replay = self.replay().ok()?;
        let matched = i64::from(replay.put[0].min(replay.put[1]));
        let loser = match replay.end {
            End::ToAct(_) => return None,
            End::Fold(player) => Some(player),
            End::Showdown => {
                let [oop, ip] = self.holes;
                let strength = |hole: Hole| evaluate(hole.set() | self.board.set());
                let (oop, ip) = (strength(oop?), strength(ip?));
                match oop.cmp(&ip) {
                    std::cmp::Ordering::Less => Some(Player::Oop),
                    std::cmp::Ordering::Equal => None,
                    std::cmp::Ordering::Greater => Some(Player::Ip),
                }
            }
        };
        Some(match loser {
            None => [0, 0],
            Some(Player::Oop) => [-matched, matched],
            Some(Player::Ip) => [matched, -matched],
        })
    }

    /// The hand as the player to act saw it before an action: what an agent is asked. The smaller stack
    /// stands for both. `None` if the player's hole is not known or there is no such state.
    pub fn before(&self, replay: &Replay, number: usize) -> Option<HandState> {
        let state = match (replay.played.get(number), replay.end) {
            (Some(played), _) => played.state,
            (None, End::ToAct(state)) if number == replay.played.len() => state,
            _ => return None,
        };
        let cards = &self.board.cards()[..state.street.board_len()];
        Some(HandState {
            seat: state.to_act,
            hole: self.holes[state.to_act.index()]?,
            stack: self.stack(),
            board: Board::new(cards)?,
            actions: replay.played[..number].iter().map(|played| played.action).collect(),
            number: self.number,
        })
    }
}

/// The bet or raise to a total on the street: an all-in where it is the whole stack.
pub fn sized(state: &BettingState, to: Chips) -> Action {
    match state.bets {
        _ if to == state.stack => Action::AllIn(to),
        0 => Action::Bet(to),
        _ => Action::Raise(to),
    }
}

/// A hand that breaks the rules.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// Blinds, ante and stacks with which no hand can be played.
    #[error(transparent)]
    Game(#[from] ConfigError),
    /// An action that is not legal.
    #[error("action {number} of the hand: {source}")]
    Illegal {
        /// The number of the action, from 1.
        number: usize,
        /// What is wrong.
        source: StateError,
    },
    /// An action after the end.
    #[error("action {number} of the hand comes after its end")]
    AfterTheEnd {
        /// The number of the action, from 1.
        number: usize,
    },
    /// Too few or too many board cards.
    #[error("the hand is on the {street}, so the board has {} cards; found {found}", street.board_len())]
    Board {
        /// The street on which the hand stands or ended.
        street: Street,
        /// The number of board cards.
        found: usize,
    },
    /// A card that occurs twice.
    #[error("duplicate card {0}")]
    Duplicate(lethe_cards::Card),
}
