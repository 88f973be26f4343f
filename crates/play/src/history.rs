//! Histories with cards: a hand as text, such as `r250 c / AhKd7c x b300`.

use lethe_cards::{Board, Card, CardCount, Street};
use lethe_game::{Action, BettingState, Game};
use lethe_kit::line::{self, Step};

use crate::words::{WordError, parse_action};

/// A hand as a history tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    /// The actions.
    pub actions: Vec<Action>,
    /// The cards dealt, in the order in which they were dealt.
    pub board: Board,
    /// Where a player acts next.
    pub now: BettingState,
}

impl History {
    /// Reads a line (see [`mod@line`]) whose bets may be of any legal size. The cards of each street stand
    /// after its `/`, or all together in `board`.
    ///
    /// ```
    /// use lethe_game::{Game, HandConfig};
    /// use lethe_play::History;
    ///
    /// let game = Game::hand(&HandConfig::new(2000, 50, 100))?;
    /// let history = History::read("r233 c / AhKd7c x b300", &game, None)?;
    /// assert_eq!((history.now.pot, history.now.put), (466, [0, 300]));
    /// let error = History::read("r250 c / AhKd7c c / x", &game, None).unwrap_err();
    /// assert_eq!(error.to_string(), "'/' is not possible after 'r250 c / AhKd7c c': the flop is not over");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a word is no legal action, cards are missing, too many or dealt twice, or the hand is over.
    pub fn read(line: &str, game: &Game, board: Option<Board>) -> Result<History, HistoryError> {
        let mut now = game.state();
        let (mut actions, mut cards): (Vec<Action>, Vec<Card>) = (Vec::new(), Vec::new());
        let mut before = String::new();
        let mut over = false;
        // Deals without cards, which `board` has.
        let mut dealt = 0;
        for step in joined(line::steps(line)) {
            let word = match &step {
                Word::Action(word) => word.clone(),
                Word::Deal(cards) if cards.is_empty() => "/".to_owned(),
                Word::Deal(cards) => cards.iter().map(Card::to_string).collect(),
            };
            let fail = |why: Problem| HistoryError {
                word: word.clone(),
                before: before.clone(),
                why: Box::new(why),
            };
            if over {
                return Err(fail(Problem::Over));
            }
            let wanted = now.street.board_len();
            let not_dealt = Problem::NotDealt { street: now.street, cards: wanted - dealt };
            match &step {
                Word::Action(_) if dealt < wanted => {
                    return Err(fail(not_dealt));
                }
                Word::Action(word) => {
                    let action = parse_action(word, game, &now);
                    let action = action.map_err(|error| fail(Problem::Word(error)))?;
                    actions.push(action);
                    match game.after(&now, action).map_err(|error| fail(Problem::State(error)))? {
                        Some(next) => now = next,
                        None => over = true,
                    }
                }
                Word::Deal(_) if dealt == wanted => return Err(fail(Problem::Running(now.street))),
                Word::Deal(named) if named.is_empty() && board.is_some() => dealt = wanted,
                Word::Deal(named) if named.len() == wanted - dealt => {
                    if let Some(twice) = named.iter().find(|card| cards.contains(card)) {
                        return Err(fail(Problem::Duplicate(*twice)));
                    }
                    cards.extend(named);
                    dealt = wanted;
                }
                Word::Deal(_) => return Err(fail(not_dealt)),
            }
            let slash = matches!(&step, Word::Deal(cards) if !cards.is_empty());
            before = format!("{before}{} {word}", if slash { " /" } else { "" });
            before = before.trim_start().to_owned();
        }
        let end = |why: Problem| HistoryError {
            word: String::new(),
            before: before.clone(),
            why: Box::new(why),
        };
        if over {
            return Err(end(Problem::Finished));
        }
        let board = match board {
            Some(board) if cards.is_empty() => board,
            Some(board) if board.cards() == cards => board,
            Some(_) => return Err(end(Problem::TwoBoards)),
            None => Board::new(&cards).ok_or_else(|| end(Problem::Finished))?,
        };
        if board.street() > now.street {
            return Err(end(Problem::Board { street: now.street, found: board.cards().len() }));
        }
        if board.street() != now.street {
            let missing = now.street.board_len().saturating_sub(board.cards().len());
            return Err(end(Problem::NotDealt { street: now.street, cards: missing }));
        }
        Ok(History { actions, board, now })
    }
}

/// A step of a line, with an action's verb and size in one text.
enum Word {
    Action(String),
    Deal(Vec<Card>),
}

/// Puts `r 250` back together, which a line splits at its blanks.
fn joined(steps: Vec<Step<'_>>) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    for step in steps {
        match (step, words.last_mut()) {
            (Step::Action(next), Some(Word::Action(last)))
                if ["b", "r", "bet", "raise"].contains(&last.to_lowercase().as_str()) =>
            {
                *last = format!("{last} {next}");
            }
            (Step::Action(word), _) => words.push(Word::Action(word.to_owned())),
            (Step::Deal(cards), _) => words.push(Word::Deal(cards)),
        }
    }
    words
}

/// A history that tells no hand in which a player is to act.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}: {why}", place(word, before))]
pub struct HistoryError {
    word: String,
    before: String,
    why: Box<Problem>,
}

fn place(word: &str, before: &str) -> String {
    let (word, before) = (word.escape_debug(), before.escape_debug());
    match (word.to_string().as_str(), before.to_string().as_str()) {
        ("", "") => "the history is empty".to_owned(),
        ("", before) => format!("after '{before}'"),
        (word, "") => format!("'{word}' is not possible at the start of the hand"),
        (word, before) => format!("'{word}' is not possible after '{before}'"),
    }
}

/// What is wrong with a history.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
enum Problem {
    #[error("the hand is over")]
    Over,
    #[error("the hand is over, so there is nothing to decide")]
    Finished,
    #[error("the {0} is not over")]
    Running(Street),
    #[error("the {street} comes next; write / and its {}", CardCount(*cards))]
    NotDealt { street: Street, cards: usize },
    #[error("the betting is on the {street}, so the board has {} cards; found {found}", street.board_len())]
    Board { street: Street, found: usize },
    #[error("{0} has been dealt before")]
    Duplicate(Card),
    #[error("its cards are not those of the board given beside it")]
    TwoBoards,
    #[error(transparent)]
    Word(WordError),
    #[error(transparent)]
    State(lethe_game::StateError),
}
