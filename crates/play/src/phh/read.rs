//! Reading PHH.

use std::collections::BTreeMap;

use lethe_cards::{Board, Card, CardSet, Hole, parse_cards};
use lethe_game::{Action, BettingState, Chips, MAX_CHIPS, Player};
use serde::Deserialize;
use toml::Spanned;

use crate::record::{PlayedHand, RecordError, sized};

/// A hand as the file has it.
#[derive(Deserialize)]
struct RawHand {
    variant: Spanned<String>,
    #[serde(default)]
    antes: Option<Spanned<Vec<Number>>>,
    blinds_or_straddles: Spanned<Vec<Number>>,
    starting_stacks: Spanned<Vec<Number>>,
    actions: Spanned<Vec<Spanned<String>>>,
    #[serde(default)]
    hand: Option<toml::Value>,
    #[serde(default)]
    players: Option<Vec<String>>,
}

/// An amount: whole chips, or with cents.
#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
enum Number {
    Whole(i64),
    Decimal(f64),
}

impl Number {
    fn value(self) -> f64 {
        match self {
            Number::Whole(whole) => whole as f64,
            Number::Decimal(decimal) => decimal,
        }
    }
}

/// Reads a PHH, or a file of several with a table for each, in their order.
///
/// Amounts are whole chips. If a hand has amounts with cents, all its amounts are counted in cents.
///
/// # Errors
/// If the text is no TOML, has no hand, or contains one that is of another variant, has not two players or
/// breaks the rules. The error names the hand and the line.
pub fn read_hands(text: &str) -> Result<Vec<PlayedHand>, PhhError> {
    let outline: toml::Table = toml::from_str(text).map_err(|error| syntax(text, &error))?;
    if outline.is_empty() {
        return Err(PhhError::Empty);
    }
    let is_file = outline.values().all(toml::Value::is_table);
    let mut raw: Vec<(Option<String>, RawHand)> = if is_file {
        let hands: BTreeMap<String, RawHand> =
            toml::from_str(text).map_err(|error| syntax(text, &error))?;
        hands.into_iter().map(|(name, hand)| (Some(name), hand)).collect()
    } else {
        vec![(None, toml::from_str(text).map_err(|error| syntax(text, &error))?)]
    };
    raw.sort_by_key(|(_, hand)| hand.variant.span().start);
    let read = |(place, (name, raw)): (usize, (Option<String>, RawHand))| {
        let reader = Reader { text, name: name.unwrap_or_else(|| (place + 1).to_string()) };
        reader.hand(&raw, place as u64 + 1)
    };
    raw.into_iter().enumerate().map(read).collect()
}

/// The line of a byte.
fn line_of(text: &str, at: usize) -> usize {
    1 + text.as_bytes()[..at.min(text.len())].iter().filter(|&&byte| byte == b'\n').count()
}

fn syntax(text: &str, error: &toml::de::Error) -> PhhError {
    let line = error.span().map(|span| line_of(text, span.start));
    PhhError::Toml { line, why: error.message().trim().to_owned() }
}

/// A hand that is being read.
struct Reader<'a> {
    text: &'a str,
    name: String,
}

impl Reader<'_> {
    fn fail(&self, at: usize, why: PhhProblem) -> PhhError {
        PhhError::Hand { hand: self.name.clone(), line: line_of(self.text, at), why }
    }

    fn hand(&self, raw: &RawHand, place: u64) -> Result<PlayedHand, PhhError> {
        let start = raw.variant.span().start;
        if raw.variant.get_ref() != "NT" {
            return Err(self.fail(start, PhhProblem::Variant(raw.variant.get_ref().clone())));
        }
        let unit = self.unit(raw);
        let stacks = self.pair("starting_stacks", &raw.starting_stacks, unit)?;
        let [small_blind, big_blind] =
            self.pair("blinds_or_straddles", &raw.blinds_or_straddles, unit)?;
        if small_blind > big_blind {
            let at = raw.blinds_or_straddles.span().start;
            return Err(self.fail(at, PhhProblem::BlindOrder));
        }
        let antes = raw.antes.as_ref().map(|antes| self.pair("antes", antes, unit));
        let [ante, other] = antes.transpose()?.unwrap_or_default();
        if ante != other {
            let at = raw.antes.as_ref().map_or(start, |antes| antes.span().start);
            return Err(self.fail(at, PhhProblem::Antes));
        }
        let number = raw.hand.as_ref().and_then(toml::Value::as_integer);
        let number = number.and_then(|number| u64::try_from(number).ok()).unwrap_or(place);
        let mut hand =
            PlayedHand { ante, ..PlayedHand::new(number, stacks, small_blind, big_blind) };
        if let Some(players) = &raw.players
            && let [a, b] = &players[..]
        {
            hand.names = [a.clone(), b.clone()];
        }
        self.play(&mut hand, raw, unit)?;
        Ok(hand)
    }

    /// 100 if an amount has cents, otherwise 1.
    fn unit(&self, raw: &RawHand) -> f64 {
        let antes = raw.antes.as_ref().map(|antes| &antes.get_ref()[..]).unwrap_or_default();
        let lists = [antes, raw.blinds_or_straddles.get_ref(), raw.starting_stacks.get_ref()];
        let listed = lists.into_iter().flatten().map(|number| number.value());
        let words = raw.actions.get_ref().iter().map(|action| bare(action.get_ref()));
        let bets = words.filter_map(|words| match words[..] {
            [_, "cbr", amount] => amount.parse::<f64>().ok(),
            _ => None,
        });
        let mut amounts = listed.chain(bets);
        if amounts.any(|amount| amount.is_finite() && amount.fract() != 0.0) { 100.0 } else { 1.0 }
    }

    fn pair(
        &self,
        key: &'static str,
        list: &Spanned<Vec<Number>>,
        unit: f64,
    ) -> Result<[Chips; 2], PhhError> {
        let fail = |why| self.fail(list.span().start, why);
        let [a, b] = list.get_ref()[..] else {
            return Err(fail(PhhProblem::Players { key, found: list.get_ref().len() }));
        };
        let amount = |number: Number| chips(number.value(), unit);
        amount(a).zip(amount(b)).map(|(a, b)| [a, b]).ok_or_else(|| fail(PhhProblem::Amounts(key)))
    }

    /// Plays the actions.
    fn play(&self, hand: &mut PlayedHand, raw: &RawHand, unit: f64) -> Result<(), PhhError> {
        let start = raw.starting_stacks.span().start;
        let game = hand.game().map_err(|error| self.fail(start, error.into()))?;
        let mut now = Some(game.state());
        let mut board: Vec<Card> = Vec::new();
        let mut seen = CardSet::EMPTY;
        for spanned in raw.actions.get_ref() {
            let action = spanned.get_ref();
            let fail = |why: PhhProblem| self.fail(spanned.span().start, why);
            let unknown = || fail(PhhProblem::Unknown(action.clone()));
            let mut take = |text: &str| -> Result<Vec<Card>, PhhError> {
                let cards = parse_cards(text).map_err(|_| unknown())?;
                for &card in &cards {
                    if seen.contains(card) {
                        return Err(fail(RecordError::Duplicate(card).into()));
                    }
                    seen.insert(card);
                }
                Ok(cards)
            };
            match bare(action)[..] {
                [] => {}
                ["d", "dh", player, cards] => {
                    let player = player_of(player).ok_or_else(unknown)?;
                    if cards.chars().all(|c| c == '?') {
                        continue;
                    }
                    let [a, b] = take(cards)?[..] else { return Err(unknown()) };
                    hand.holes[player.index()] = Hole::new(a, b);
                }
                ["d", "db", cards] => board.extend(take(cards)?),
                [player, "sm"] | [player, "sm", "-"] => {
                    player_of(player).ok_or_else(unknown)?;
                }
                [player, "sm", cards] => {
                    let player = player_of(player).ok_or_else(unknown)?;
                    let known = &mut hand.holes[player.index()];
                    match (*known, parse_cards(cards).ok().as_deref()) {
                        (None, Some(&[_, _])) => {
                            let [a, b] = take(cards)?[..] else { return Err(unknown()) };
                            *known = Hole::new(a, b);
                        }
                        (Some(known), Some(&[a, b])) if Hole::new(a, b) == Some(known) => {}
                        (Some(_), Some(&[_, _])) => {
                            return Err(fail(PhhProblem::Shown(action.clone())));
                        }
                        _ => return Err(unknown()),
                    }
                }
                [player, word, ref rest @ ..] => {
                    let player = player_of(player).ok_or_else(unknown)?;
                    let number = hand.actions.len() + 1;
                    let state =
                        now.ok_or_else(|| fail(RecordError::AfterTheEnd { number }.into()))?;
                    if player != state.to_act {
                        return Err(fail(PhhProblem::Turn(action.clone())));
                    }
                    let done = match (word, rest) {
                        ("f", []) => Action::Fold,
                        ("cc", []) if state.put[0] == state.put[1] => Action::Check,
                        ("cc", []) => Action::Call,
                        ("cbr", [amount]) => {
                            let amount = amount.parse().ok().and_then(|to| chips(to, unit));
                            bet(hand, &state, amount.ok_or_else(unknown)?)
                        }
                        _ => return Err(unknown()),
                    };
                    let next = game.after(&state, done);
                    now = next
                        .map_err(|source| fail(RecordError::Illegal { number, source }.into()))?;
                    hand.actions.push(done);
                }
                _ => return Err(unknown()),
            }
        }
        let end = raw.actions.span().end;
        hand.board =
            Board::new(&board).ok_or_else(|| self.fail(end, PhhProblem::Board(board.len())))?;
        hand.replay().map_err(|error| self.fail(end, error.into()))?;
        Ok(())
    }
}

/// The words of an action, without commentary.
fn bare(action: &str) -> Vec<&str> {
    action.split('#').next().unwrap_or_default().split_whitespace().collect()
}

fn player_of(name: &str) -> Option<Player> {
    match name {
        "p1" => Some(Player::Oop),
        "p2" => Some(Player::Ip),
        _ => None,
    }
}

/// An amount as chips, if it is a whole number of them.
fn chips(amount: f64, unit: f64) -> Option<Chips> {
    let chips = amount * unit;
    let whole = (chips - chips.round()).abs() < 1e-6;
    (whole && (0.0..=f64::from(MAX_CHIPS)).contains(&chips)).then(|| chips.round() as Chips)
}

/// A bet or raise to a total. What the opponent cannot call is not at stake.
fn bet(hand: &PlayedHand, state: &BettingState, to: Chips) -> Action {
    let beyond = hand.stacks[state.to_act.index()] - hand.stack();
    match to > state.stack && to - state.stack <= beyond {
        true => Action::AllIn(state.stack),
        false => sized(state, to),
    }
}

/// A file that is no PHH of heads-up no-limit hold'em.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PhhError {
    /// No TOML, or a key is missing or of another type.
    #[error("{}not a hand history in PHH: {why}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
    Toml {
        /// The line, from 1.
        line: Option<usize>,
        /// What is wrong.
        why: String,
    },
    /// No hand.
    #[error("the file has no hands; expected hand histories in PHH or a log of the ACPC dealer")]
    Empty,
    /// A hand that cannot be taken.
    #[error("hand {hand}, line {line}: {why}")]
    Hand {
        /// The name of its table, or its number in the file.
        hand: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        why: PhhProblem,
    },
}

/// What is wrong with a hand.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PhhProblem {
    /// Another game.
    #[error("variant '{}'; only NT (no-limit hold'em) is played here", .0.escape_debug())]
    Variant(String),
    /// More or fewer players.
    #[error("{key} has {found} entries; only hands of two players are played here")]
    Players {
        /// The key.
        key: &'static str,
        /// The number of its entries.
        found: usize,
    },
    /// Amounts that are no chips.
    #[error("{0}: expected amounts from 0 to {MAX_CHIPS} in whole chips or cents")]
    Amounts(&'static str),
    /// The larger blind first.
    #[error("blinds_or_straddles: expected the small blind first")]
    BlindOrder,
    /// Antes that differ.
    #[error("antes: expected the same ante for both players")]
    Antes,
    /// An action that cannot be read.
    #[error("unknown action '{}'; actions are d dh, d db, f, cc, cbr and sm", .0.escape_debug())]
    Unknown(String),
    /// An action of the wrong player.
    #[error("'{}': it is the other player's turn", .0.escape_debug())]
    Turn(String),
    /// A hole that was not dealt.
    #[error("'{}': these are not the cards that were dealt", .0.escape_debug())]
    Shown(String),
    /// A board of a number of cards that no street has.
    #[error("a board of {0} cards; it has 0, 3, 4 or 5")]
    Board(usize),
    /// A hand that breaks the rules.
    #[error(transparent)]
    Record(#[from] RecordError),
}
