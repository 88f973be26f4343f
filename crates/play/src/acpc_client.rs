//! A player in a match of the Annual Computer Poker Competition.

use std::io::{self, BufRead, Write};
use std::time::{Duration, Instant};

use lethe_agent::{Agent, AgentError};
use lethe_compute::{Cancelled, Job};
use lethe_game::Player;
use serde::Serialize;

use crate::acpc::{MAX_LINE, MatchState, StateTextError, VERSION, token_of};
use crate::aivat::{Baseline, Score, ScoreError, ScoreTally, View};
use crate::record::{End, PlayedHand, RecordError};

/// A hand of a match that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchHand {
    /// The hand; the opponent's hole if it was shown.
    pub hand: PlayedHand,
    /// Our seat.
    pub seat: Player,
    /// What we won, in chips.
    pub won: i64,
    /// The time that our decisions took.
    pub thought: Duration,
    /// The longest decision.
    pub longest: Duration,
}

/// Plays a match as a dealer deals it, until the dealer hangs up after a hand; `rules` is the blank hand of
/// the dealer's game. Each finished hand is passed to `on_hand`.
///
/// Reads that time out are tried again, after asking whether the job is cancelled.
///
/// # Errors
/// If the dealer says something that is no legal state of a hand, hangs up in the middle of one, or the
/// connection breaks.
pub fn play_match(
    from: &mut dyn BufRead,
    to: &mut dyn Write,
    rules: &PlayedHand,
    agent: &Agent<'_>,
    job: Job<'_>,
    on_hand: &mut dyn FnMut(MatchHand),
) -> Result<(), AcpcError> {
    let game = rules.game()?;
    to.write_all(VERSION.as_bytes())?;
    to.flush()?;
    // The hand being played, and the thinking about it.
    let mut current: Option<PlayedHand> = None;
    let mut last: Option<u64> = None;
    let (mut thought, mut longest) = (Duration::ZERO, Duration::ZERO);
    let mut line = Vec::new();
    let mut number = 0_u64;
    loop {
        number += 1;
        if !read_line(from, &mut line, number, job)? {
            return match (current, last) {
                (Some(hand), _) => Err(AcpcError::HungUp { hand: hand.number }),
                (None, None) => Err(AcpcError::NoHand),
                (None, Some(_)) => Ok(()),
            };
        }
        let fail = |why| AcpcError::Line { number, text: shown(&line), why: Box::new(why) };
        let text = std::str::from_utf8(&line).map_err(|_| fail(LineProblem::NotText))?;
        if text.starts_with(['#', ';']) {
            continue;
        }
        let state: MatchState = text.parse().map_err(|why| fail(LineProblem::State(why)))?;
        let (hand, replay) = state.replay(rules).map_err(|why| fail(LineProblem::State(why)))?;
        match &current {
            Some(before) if before.number == hand.number => {
                follows(before, &hand, state.position).map_err(fail)?;
            }
            Some(before) => return Err(fail(LineProblem::Unfinished(before.number))),
            // The last state of a hand may be said again.
            None if last == Some(hand.number) && !matches!(replay.end, End::ToAct(_)) => continue,
            None if last.is_some_and(|last| hand.number <= last) => {
                return Err(fail(LineProblem::Number(last.unwrap_or(0))));
            }
            None => (thought, longest) = (Duration::ZERO, Duration::ZERO),
        }
        let End::ToAct(betting) = replay.end else {
            let payoffs =
                hand.payoffs().ok_or_else(|| fail(LineProblem::State(StateTextError::NotShown)))?;
            let (seat, won) = (state.position, payoffs[state.position.index()]);
            last = Some(hand.number);
            current = None;
            on_hand(MatchHand { hand, seat, won, thought, longest });
            continue;
        };
        if betting.to_act == state.position {
            let begun = Instant::now();
            let asked = hand.before(&replay, replay.played.len()).expect("our hole is known");
            let action = agent.play(&asked, job)?.action;
            let took = begun.elapsed();
            (thought, longest) = (thought + took, longest.max(took));
            let token = token_of(action, &game, &betting, rules.ante);
            write!(to, "{text}:{token}\r\n")?;
            to.flush()?;
        }
        current = Some(hand);
    }
}

/// Checks that a state of a hand continues an earlier one.
fn follows(before: &PlayedHand, now: &PlayedHand, seat: Player) -> Result<(), LineProblem> {
    let cards = before.board.cards();
    if before.holes[seat.index()] != now.holes[seat.index()] {
        return Err(LineProblem::OtherHole);
    }
    match now.actions.starts_with(&before.actions) && now.board.cards().starts_with(cards) {
        true => Ok(()),
        false => Err(LineProblem::OtherPast),
    }
}

/// Reads a line without its end into `line`; false at the end of the connection.
fn read_line(
    from: &mut dyn BufRead,
    line: &mut Vec<u8>,
    number: u64,
    job: Job<'_>,
) -> Result<bool, AcpcError> {
    line.clear();
    loop {
        if job.cancelled() {
            return Err(AgentError::from(Cancelled).into());
        }
        match from.fill_buf() {
            Ok([]) if line.is_empty() => return Ok(false),
            Ok([]) => {
                let why = Box::new(LineProblem::Cut);
                return Err(AcpcError::Line { number, text: shown(line), why });
            }
            Ok(bytes) => {
                let end = bytes.iter().position(|&byte| byte == b'\n');
                line.extend_from_slice(&bytes[..end.unwrap_or(bytes.len())]);
                let used = end.map_or(bytes.len(), |end| end + 1);
                from.consume(used);
                if line.len() > MAX_LINE {
                    let why = Box::new(LineProblem::Long);
                    return Err(AcpcError::Line { number, text: shown(line), why });
                }
                if end.is_some() {
                    if line.last() == Some(&b'\r') {
                        line.pop();
                    }
                    return Ok(true);
                }
            }
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock
                | io::ErrorKind::TimedOut
                | io::ErrorKind::Interrupted => {}
                io::ErrorKind::ConnectionReset if line.is_empty() => return Ok(false),
                _ => return Err(error.into()),
            },
        }
    }
}

/// The beginning of a line, for messages.
fn shown(line: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(line).chars().take(200).collect();
    text.escape_debug().to_string()
}

/// What is wrong with a line of a dealer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LineProblem {
    /// Bytes that are not UTF-8.
    #[error("it is not text")]
    NotText,
    /// No end of the line.
    #[error("the connection ended in the middle of the line")]
    Cut,
    /// Too long.
    #[error("it is longer than {MAX_LINE} bytes")]
    Long,
    /// No state of a legal hand.
    #[error(transparent)]
    State(StateTextError),
    /// Another hand while one is played.
    #[error("hand {0} is not over")]
    Unfinished(u64),
    /// A hand whose number does not exceed that of the last one.
    #[error("hand {0} has been played already")]
    Number(u64),
    /// Other cards than before.
    #[error("our cards are not those dealt at the start of the hand")]
    OtherHole,
    /// Another hand than before.
    #[error("it does not continue the hand as it was described before")]
    OtherPast,
}

/// What ended a match before its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AcpcError {
    /// A line that is no legal state of a hand.
    #[error("line {number} of the dealer, '{text}': {why}")]
    Line {
        /// The number of the line, from 1.
        number: u64,
        /// Its beginning.
        text: String,
        /// What is wrong.
        why: Box<LineProblem>,
    },
    /// The end of the connection in the middle of a hand.
    #[error("the dealer closed the connection in the middle of hand {hand}")]
    HungUp {
        /// The number of the hand.
        hand: u64,
    },
    /// The end of the connection before any hand.
    #[error("the dealer closed the connection before the first hand was over")]
    NoHand,
    /// Rules by which no hand can be played.
    #[error(transparent)]
    Rules(#[from] RecordError),
    /// A connection that broke.
    #[error("the connection to the dealer broke: {0}")]
    Io(#[from] io::Error),
    /// A hand that cannot be scored.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// A hand that the agent cannot decide.
    #[error(transparent)]
    Agent(#[from] AgentError),
}

impl AcpcError {
    /// Whether the job was cancelled.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, AcpcError::Agent(error) if error.is_cancelled())
    }
}

/// How a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MatchSummary {
    /// What we won.
    #[serde(flatten)]
    pub score: Score,
    /// The mean time of our decisions in a hand.
    pub seconds_per_hand: f64,
    /// The time of the longest decision.
    pub longest_seconds: f64,
}

impl MatchSummary {
    /// The summary of hands and their score.
    pub fn of(hands: &[MatchHand], score: Score) -> MatchSummary {
        let thought: f64 = hands.iter().map(|hand| hand.thought.as_secs_f64()).sum();
        let longest = hands.iter().map(|hand| hand.longest).max().unwrap_or_default();
        MatchSummary {
            score,
            seconds_per_hand: thought / hands.len().max(1) as f64,
            longest_seconds: longest.as_secs_f64(),
        }
    }
}

/// Plays a match as [`play_match`] does, and scores it: with a baseline, the luck of our own cards and choices
/// is removed. Returns the finished hands, also those before an error.
pub fn play_scored(
    from: &mut dyn BufRead,
    to: &mut dyn Write,
    rules: &PlayedHand,
    agent: &Agent<'_>,
    baseline: Option<&Baseline<'_>>,
    job: Job<'_>,
) -> (Vec<PlayedHand>, Result<MatchSummary, AcpcError>) {
    let mut hands: Vec<MatchHand> = Vec::new();
    let mut tally = ScoreTally::new(View::Own);
    let mut scored = Ok(());
    let ended = play_match(from, to, rules, agent, job, &mut |mut hand| {
        hand.hand.names = ["lethe", "opponent"].map(str::to_owned);
        if hand.seat == Player::Ip {
            hand.hand.names.reverse();
        }
        if scored.is_ok() {
            scored = tally.add(&hand.hand, hand.seat, agent, baseline, job);
        }
        hands.push(hand);
    });
    let summary = MatchSummary::of(&hands, tally.score());
    let ended = ended.and(scored.map_err(AcpcError::from)).map(|()| summary);
    (hands.into_iter().map(|hand| hand.hand).collect(), ended)
}

/// The definition of a game as the competition's dealer reads it from a file; `None` with an ante, which it
/// does not know.
pub fn game_definition(rules: &PlayedHand) -> Option<String> {
    let PlayedHand { small_blind, big_blind, ante, stacks: [oop, ip], .. } = rules;
    (*ante == 0).then(|| {
        format!(
            "GAMEDEF\nnolimit\nnumPlayers = 2\nnumRounds = 4\nstack = {oop} {ip}\n\
             blind = {big_blind} {small_blind}\nfirstPlayer = 2 1 1 1\nnumSuits = 4\nnumRanks = 13\n\
             numHoleCards = 2\nnumBoardCards = 0 3 1 1\nEND GAMEDEF\n"
        )
    })
}
