//! `Driver`: a session by lines of text, as a terminal or another program sends them.

use lethe_agent::Agent;
use lethe_cards::{Card, Street, parse_cards};
use lethe_compute::Job;
use lethe_kit::text::counted;
use serde::Serialize;

use crate::advice::AdviceView;
use crate::aivat::Baseline;
use crate::judge::JudgedView;
use crate::score::{Rate, SessionScore};
use crate::session::{Legal, PlayError, ResultView, Session, TableView, Who};

/// A session that is played by lines of text.
///
/// On the person's turn a line is an action (see [`parse_action`](crate::parse_action)) or `hint`; between
/// hands an empty line deals the next. `review`, `score`, `help` and `quit` are understood at any time.
#[derive(Clone, Debug)]
pub struct Driver {
    session: Session,
}

/// What a line is answered with.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Reply {
    /// The table, after something happened or where an empty line asked for it.
    Table(Box<TableView>),
    /// What the agent would do in the person's place.
    Hint(Box<AdviceView>),
    /// What the person's decisions in the last hand were worth.
    Review {
        /// The decisions.
        decisions: Vec<JudgedView>,
    },
    /// What the person has won.
    Score(SessionScore),
    /// A line that is not possible there.
    Refused {
        /// Why.
        error: String,
    },
    /// What can be typed.
    Help {
        /// The text.
        help: &'static str,
    },
}

/// What can be typed.
const HELP: &str = "\
f fold   x check   c call   b 300 bet 300   r 750 raise to 750   r 2.5x   50%   half pot   pot   allin
hint    what the agent would do in your place      review  what your decisions in the last hand cost
score   what you have won                          quit    end the session";

impl Driver {
    /// A driver of a session.
    pub fn new(session: Session) -> Driver {
        Driver { session }
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Whether the last hand is over and the next has not been dealt.
    pub fn is_between_hands(&self) -> bool {
        !self.session.is_playing()
    }

    /// Deals a hand, if none is being played.
    ///
    /// # Errors
    /// If the agent cannot decide or is cancelled.
    pub fn deal(
        &mut self,
        agent: &Agent<'_>,
        baseline: Option<&Baseline<'_>>,
        job: Job<'_>,
    ) -> Result<Vec<Reply>, PlayError> {
        self.session.deal()?;
        self.advance(agent, baseline, job)
    }

    /// Answers a line; `None` if it ends the session.
    ///
    /// # Errors
    /// If the agent cannot decide or is cancelled.
    pub fn line(
        &mut self,
        line: &str,
        agent: &Agent<'_>,
        baseline: Option<&Baseline<'_>>,
        job: Job<'_>,
    ) -> Result<Option<Vec<Reply>>, PlayError> {
        let words = line.trim().to_lowercase();
        let refused = |error: String| Ok(Some(vec![Reply::Refused { error }]));
        Ok(Some(match (words.as_str(), self.is_between_hands()) {
            ("quit" | "q" | "exit", _) => return Ok(None),
            ("help" | "?", _) => vec![Reply::Help { help: HELP }],
            ("score", _) => vec![Reply::Score(self.session.score())],
            ("review", _) => match self.session.review(None, agent, job) {
                Ok(decisions) => vec![Reply::Review { decisions }],
                Err(error @ PlayError::NotFinished) => return refused(error.to_string()),
                Err(error) => return Err(error),
            },
            ("" | "next" | "n", true) => self.deal(agent, baseline, job)?,
            (words, true) => {
                let words = words.escape_debug();
                return refused(format!("'{words}' is not possible between hands"));
            }
            ("", false) => vec![self.table()?],
            ("hint", false) => vec![Reply::Hint(Box::new(self.session.hint(agent, job)?))],
            (words, false) => match self.session.act(words) {
                Ok(_) => self.advance(agent, baseline, job)?,
                Err(PlayError::Words(error)) => return refused(error.to_string()),
                Err(error) => return Err(error),
            },
        }))
    }

    fn table(&self) -> Result<Reply, PlayError> {
        self.session.table().map(|view| Reply::Table(Box::new(view))).ok_or(PlayError::NoHand)
    }

    /// Lets the agent act, and counts a hand that is over.
    fn advance(
        &mut self,
        agent: &Agent<'_>,
        baseline: Option<&Baseline<'_>>,
        job: Job<'_>,
    ) -> Result<Vec<Reply>, PlayError> {
        self.session.answer(agent, job)?;
        let table = self.table()?;
        if self.session.is_playing() {
            return Ok(vec![table]);
        }
        self.session.settle(agent, baseline, job)?;
        Ok(vec![table, Reply::Score(self.session.score())])
    }
}

/// Tables as text: what is new since the last one.
#[derive(Clone, Debug)]
pub struct TableText {
    /// The hand, how many of its actions and which street were written.
    shown: (u64, usize, Street),
}

impl Default for TableText {
    fn default() -> TableText {
        TableText { shown: (0, 0, Street::Preflop) }
    }
}

impl TableText {
    /// The lines that a table adds; `paint` writes cards.
    pub fn news(&mut self, view: &TableView, paint: &dyn Fn(&[Card]) -> String) -> Vec<String> {
        let cards = |text: &str| parse_cards(text).unwrap_or_default();
        let mut lines = Vec::new();
        if self.shown.0 != view.number {
            self.shown = (view.number, 0, Street::Preflop);
            let hole = paint(&cards(&view.hole));
            lines.push(String::new());
            lines.push(format!("hand {}  you are the {} with {hole}", view.number, view.seat));
        }
        let board = cards(&view.board);
        let mut reach = |street: &str, lines: &mut Vec<String>| {
            let street: Street = street.parse().unwrap_or(self.shown.2);
            if street > self.shown.2 {
                let dealt = &board[..street.board_len().min(board.len())];
                lines.push(format!("{street} {}", paint(dealt)));
            }
            self.shown.2 = street;
        };
        for acted in &view.actions[self.shown.1.min(view.actions.len())..] {
            reach(&acted.street, &mut lines);
            let who = if acted.by == Who::You { "you" } else { "lethe" };
            lines.push(format!("  {who}: {}", acted.action.text));
        }
        reach(&view.street, &mut lines);
        self.shown.1 = view.actions.len();
        match (&view.result, &view.legal) {
            (Some(result), _) => {
                let hole = view.agents_hole.as_deref().map(|hole| paint(&cards(hole)));
                lines.extend(ended(result, hole));
            }
            (None, Some(legal)) => lines.push(turn(view, legal)),
            (None, None) => {}
        }
        lines
    }
}

/// Pot, stacks and what may be done.
fn turn(view: &TableView, legal: &Legal) -> String {
    let TableView { pot, stacks, .. } = view;
    let passive = match legal.call {
        None => "check".to_owned(),
        Some(call) => format!("fold, call {call}"),
    };
    let verb = if legal.bet { "bet" } else { "raise to" };
    let sizes = match (legal.least, legal.most) {
        (Some(least), Some(most)) if least < most => format!(", {verb} {least} to {most}"),
        (Some(_), Some(most)) => format!(", {verb} {most} (all-in)"),
        _ => String::new(),
    };
    format!("  pot {pot}, you {}, lethe {}: {passive}{sizes}", stacks.you, stacks.agent)
}

/// Who showed what, and who won.
fn ended(result: &ResultView, hole: Option<String>) -> Vec<String> {
    let mut lines = Vec::new();
    if let (Some(hole), Some(yours), Some(agents)) = (hole, &result.your_hand, &result.agents_hand)
    {
        lines.push(format!("  you show {yours}, lethe shows {hole}, {agents}"));
    }
    let (won, bb) = (result.won, result.won_bb);
    lines.push(match won {
        0 => "  the pot is split".to_owned(),
        1.. => format!("  you win {won} chips ({bb:+.1} bb)"),
        _ => format!("  you lose {} chips ({bb:+.1} bb)", -won),
    });
    lines
}

impl std::fmt::Display for SessionScore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rate = |rate: &Rate| {
            let half = rate.interval_bb100.map_or(String::new(), |half| format!(" ± {half:.0}"));
            format!("{:+.0}{half}", rate.bb100)
        };
        let Some(raw) = &self.raw else { return f.write_str("no hand is over") };
        let hands = counted(self.hands as usize, "hand");
        write!(f, "after {hands} {:+.1} bb, {} bb/100", self.won_bb, rate(raw))?;
        self.luck_removed.iter().try_for_each(|x| write!(f, ", with luck removed {}", rate(x)))
    }
}
