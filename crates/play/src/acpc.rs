//! Protocol 2.0.0 of the Annual Computer Poker Competition: match states as text.
//!
//! ```text
//! MATCHSTATE:<position>:<hand>:<betting>:<hole>|<hole>/<flop>/<turn>/<river>
//! ```
//!
//! Heads-up, position 0 is the big blind. The betting has a part for each street, of `f`, `c` (call or
//! check) and `r<N>`, where N is the player's total over the whole hand. The answer to a state is the
//! same line, `:` and an action.

use std::fmt;

use lethe_cards::{Board, Card, Hole, ParseError, Street, parse_cards};
use lethe_game::{Action, BettingState, Chips, Game, Player};

use crate::record::{End, PlayedHand, RecordError, Replay, sized};

/// The greeting of a client.
pub const VERSION: &str = "VERSION:2.0.0\r\n";

/// The longest line that is read. A hand of 1,000 raises is shorter.
pub const MAX_LINE: usize = 16_384;

/// An action as the protocol writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// `f`
    Fold,
    /// `c`: a call or a check.
    Call,
    /// `r<N>`: a bet or raise to the player's total over the whole hand.
    Raise(Chips),
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Fold => f.write_str("f"),
            Token::Call => f.write_str("c"),
            Token::Raise(to) => write!(f, "r{to}"),
        }
    }
}

/// What a dealer says about a hand.
///
/// ```
/// use lethe_game::Player;
/// use lethe_play::acpc::MatchState;
///
/// let line = "MATCHSTATE:0:30:r250c/:9s8h|/8c8d5c";
/// let state: MatchState = line.parse()?;
/// assert_eq!((state.position, state.hand), (Player::Oop, 30));
/// assert_eq!(state.holes[0], Some("9s8h".parse()?));
/// assert_eq!(state.to_string(), line);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchState {
    /// The receiver's position.
    pub position: Player,
    /// The number of the hand.
    pub hand: u64,
    /// The betting of each street begun.
    pub betting: Vec<Vec<Token>>,
    /// The holes, as far as the receiver sees them.
    pub holes: [Option<Hole>; 2],
    /// The cards dealt, in order.
    pub board: Board,
}

impl std::str::FromStr for MatchState {
    type Err = StateTextError;

    fn from_str(line: &str) -> Result<MatchState, StateTextError> {
        let fields: Vec<&str> = line.split(':').collect();
        let [head, position, hand, betting, cards] = fields[..] else {
            return Err(StateTextError::Fields(fields.len()));
        };
        if head != "MATCHSTATE" {
            return Err(StateTextError::Head(head.to_owned()));
        }
        let position = match position {
            "0" => Player::Oop,
            "1" => Player::Ip,
            _ => return Err(StateTextError::Position(position.to_owned())),
        };
        let hand = number(hand).ok_or_else(|| StateTextError::Hand(hand.to_owned()))?;
        let betting = parse_betting(betting)?;
        let (holes, board) = parse_dealt(cards)?;
        let streets = board.street().index() + 1;
        if betting.len() != streets {
            return Err(StateTextError::Streets { betting: betting.len(), cards: streets });
        }
        if holes[position.index()].is_none() {
            return Err(StateTextError::NoHole);
        }
        Ok(MatchState { position, hand, betting, holes, board })
    }
}

impl fmt::Display for MatchState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MATCHSTATE:{}:{}:", self.position.index(), self.hand)?;
        for (street, tokens) in self.betting.iter().enumerate() {
            f.write_str(if street == 0 { "" } else { "/" })?;
            tokens.iter().try_for_each(|token| write!(f, "{token}"))?;
        }
        f.write_str(":")?;
        for (player, hole) in self.holes.iter().enumerate() {
            f.write_str(if player == 0 { "" } else { "|" })?;
            hole.map_or(Ok(()), |hole| write!(f, "{hole}"))?;
        }
        for (place, card) in self.board.cards().iter().enumerate() {
            f.write_str(if [0, 3, 4].contains(&place) { "/" } else { "" })?;
            write!(f, "{card}")?;
        }
        Ok(())
    }
}

impl MatchState {
    /// The hand that the state describes, and its replay, in a game with this stack and these blinds.
    ///
    /// # Errors
    /// If it breaks the rules.
    pub fn replay(&self, rules: &PlayedHand) -> Result<(PlayedHand, Replay), StateTextError> {
        let game = rules.game()?;
        let actions = actions(&self.betting, &game, rules.ante)?;
        let hand = PlayedHand {
            number: self.hand,
            holes: self.holes,
            board: self.board,
            actions,
            ..rules.clone()
        };
        let replay = hand.replay()?;
        if replay.end == End::Showdown && self.holes.contains(&None) {
            return Err(StateTextError::NotShown);
        }
        Ok((hand, replay))
    }
}

/// Reads betting such as `r250c/cr500c/`.
pub(crate) fn parse_betting(text: &str) -> Result<Vec<Vec<Token>>, StateTextError> {
    let street = |text: &str| {
        let mut tokens = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let digits = rest[first.len_utf8()..].bytes().take_while(u8::is_ascii_digit).count();
            let end = first.len_utf8() + digits;
            tokens.push(match (first, &rest[first.len_utf8()..end]) {
                ('f', "") => Token::Fold,
                ('c', "") => Token::Call,
                ('r', to) => number(to)
                    .and_then(|to| Chips::try_from(to).ok())
                    .map(Token::Raise)
                    .ok_or_else(|| StateTextError::Betting(rest[..end].to_owned()))?,
                _ => return Err(StateTextError::Betting(rest[..end].to_owned())),
            });
            rest = &rest[end..];
        }
        Ok(tokens)
    };
    text.split('/').map(street).collect()
}

/// Reads cards such as `9s8h|/8c8d5c/6s`.
pub(crate) fn parse_dealt(text: &str) -> Result<([Option<Hole>; 2], Board), StateTextError> {
    let mut parts = text.split('/');
    let holes: Vec<&str> = parts.next().unwrap_or_default().split('|').collect();
    let [oop, ip] = holes[..] else { return Err(StateTextError::Holes(holes.len())) };
    // A card is a rank and a suit, nothing else: no blanks, no `10h`.
    let is_card = |card: &[u8]| match *card {
        [rank, suit] => b"23456789TJQKA".contains(&rank) && b"cdhs".contains(&suit),
        _ => false,
    };
    let strict = |text: &str| match text.as_bytes().chunks(2).all(is_card) {
        true => parse_cards(text).map_err(|why| StateTextError::Cards(text.to_owned(), why)),
        false => Err(StateTextError::Text(text.to_owned())),
    };
    let hole = |text: &str| match text {
        "" => Ok(None),
        text => match strict(text)?[..] {
            [a, b] => Ok(Hole::new(a, b)),
            _ => Err(StateTextError::Text(text.to_owned())),
        },
    };
    let holes = [hole(oop)?, hole(ip)?];
    let mut seen: Vec<Card> = holes.iter().flatten().flat_map(|h| [h.high(), h.low()]).collect();
    let held = seen.len();
    for (street, part) in parts.enumerate() {
        let street = *Street::POSTFLOP.get(street).ok_or(StateTextError::Board)?;
        let cards = strict(part)?;
        if seen.len() - held + cards.len() != street.board_len() {
            return Err(StateTextError::Board);
        }
        seen.extend(cards);
    }
    if let Some(twice) = (1..seen.len()).find(|&place| seen[..place].contains(&seen[place])) {
        return Err(StateTextError::Duplicate(seen[twice]));
    }
    let board = Board::new(&seen[held..]).ok_or(StateTextError::Board)?;
    Ok((holes, board))
}

/// The actions that betting stands for. Streets must end where the rules end them.
pub(crate) fn actions(
    betting: &[Vec<Token>],
    game: &Game,
    ante: Chips,
) -> Result<Vec<Action>, StateTextError> {
    let mut state = Some(game.state());
    let mut actions = Vec::new();
    for (street, tokens) in betting.iter().enumerate() {
        for token in tokens {
            let number = actions.len() + 1;
            let now = state.ok_or(RecordError::AfterTheEnd { number })?;
            if now.street.index() != street {
                return Err(StateTextError::Slash);
            }
            let action = action_of(*token, game, &now, ante);
            let next = game.after(&now, action);
            state = next.map_err(|source| RecordError::Illegal { number, source })?;
            actions.push(action);
        }
        let is_last = street + 1 == betting.len();
        match state {
            Some(next) if (next.street.index() == street) != is_last => {
                return Err(StateTextError::Slash);
            }
            _ => {}
        }
    }
    Ok(actions)
}

/// What a token means in a state.
fn action_of(token: Token, game: &Game, state: &BettingState, ante: Chips) -> Action {
    let owed = state.put[0].max(state.put[1]) - state.put[state.to_act.index()];
    match token {
        Token::Fold => Action::Fold,
        Token::Call if owed == 0 => Action::Check,
        Token::Call => Action::Call,
        Token::Raise(total) => {
            sized(state, total.saturating_sub(before(game, state)).saturating_sub(ante))
        }
    }
}

/// What an action is in the protocol's words.
pub(crate) fn token_of(action: Action, game: &Game, state: &BettingState, ante: Chips) -> Token {
    match action {
        Action::Fold => Token::Fold,
        Action::Check | Action::Call => Token::Call,
        Action::Bet(to) | Action::Raise(to) | Action::AllIn(to) => {
            Token::Raise(to + before(game, state) + ante)
        }
    }
}

/// The chips that each player put in on earlier streets, without the ante.
fn before(game: &Game, state: &BettingState) -> Chips {
    game.stack() - state.stack
}

/// A number without sign, blanks or leading zeros.
fn number(text: &str) -> Option<u64> {
    let canonical = text == "0" || !text.starts_with('0');
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    if canonical && digits { text.parse().ok() } else { None }
}

/// A line that is no match state, or one of no legal hand.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StateTextError {
    /// Too few or too many fields.
    #[error("expected MATCHSTATE:position:hand:betting:cards, found {0} fields")]
    Fields(usize),
    /// Another first field.
    #[error("expected MATCHSTATE, found '{}'", .0.escape_debug())]
    Head(String),
    /// A position that is neither 0 nor 1.
    #[error("expected position 0 or 1, found '{}'", .0.escape_debug())]
    Position(String),
    /// A hand that is no number.
    #[error("expected the number of a hand, found '{}'", .0.escape_debug())]
    Hand(String),
    /// Betting that cannot be read.
    #[error("expected f, c or r and chips in the betting, found '{}'", .0.escape_debug())]
    Betting(String),
    /// Holes of another number of players.
    #[error("expected the cards of 2 players, found {0}")]
    Holes(usize),
    /// Cards that cannot be read.
    #[error("'{}' in the cards: {}", .0.escape_debug(), .1)]
    Cards(String, ParseError),
    /// No cards at all.
    #[error("expected cards, found '{}'", .0.escape_debug())]
    Text(String),
    /// A board without the cards of its streets.
    #[error("a board has 3 cards on the flop and one more on the turn and on the river")]
    Board,
    /// A card that is dealt twice.
    #[error("the card {0} has been dealt already")]
    Duplicate(Card),
    /// Betting and board of different streets.
    #[error("the betting has {betting} streets and the cards have {cards}")]
    Streets {
        /// The streets of the betting.
        betting: usize,
        /// Those of the cards.
        cards: usize,
    },
    /// The receiver's cards are missing.
    #[error("the receiver's own cards are missing")]
    NoHole,
    /// A showdown without both hands.
    #[error("the hand ends at a showdown, and a player's cards are missing")]
    NotShown,
    /// A street that ends too early or too late.
    #[error("the betting of a street does not end where the rules end it")]
    Slash,
    /// A hand that breaks the rules.
    #[error(transparent)]
    Rules(#[from] RecordError),
}
