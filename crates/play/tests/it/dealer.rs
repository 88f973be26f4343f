//! A dealer of the Annual Computer Poker Competition, written from the text of protocol 2.0.0 alone: it
//! shares no code with the client but cards. Its other player acts at random.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};

use lethe_cards::Card;

use crate::oracle::best_of_seven;

/// What goes wrong, in the second hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// A line that is no state.
    Malformed,
    /// A board with a card of the receiver.
    DealtTwice,
    /// The end of the connection while a hand is played.
    HangUp,
    /// The end of the connection in the middle of a line.
    CutLine,
    /// A raise above the stack.
    Illegal,
    /// Other cards than at the start of the hand.
    OtherCards,
}

/// What a match came to.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// What the client won.
    pub(crate) won: i64,
    /// Answers that the protocol or the rules do not allow.
    pub(crate) violations: Vec<String>,
    /// Bets and raises of the other player.
    pub(crate) raises: usize,
    /// Hands that ended at a showdown.
    pub(crate) showdowns: usize,
}

pub(crate) struct Dealer {
    pub(crate) stack: i64,
    pub(crate) small: i64,
    pub(crate) big: i64,
    pub(crate) hands: u64,
    pub(crate) seed: u64,
    pub(crate) fault: Fault,
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// A hand: what the protocol says about it.
struct Hand {
    number: u64,
    /// The client's position.
    client: usize,
    deck: Vec<Card>,
    betting: String,
    round: usize,
    spent: [i64; 2],
    to_act: usize,
    /// Actions of the round.
    acted: usize,
    /// The least total of a raise.
    least: i64,
    folded: Option<usize>,
    over: bool,
}

impl Hand {
    fn state(&self) -> String {
        let text = |cards: &[Card]| cards.iter().map(Card::to_string).collect::<String>();
        let shown = self.over && self.folded.is_none();
        let hole = |p: usize| match p == self.client || shown {
            true => text(&self.deck[2 * p..2 * p + 2]),
            false => String::new(),
        };
        let board = &self.deck[4..9];
        let streets = [text(&board[..3]), text(&board[3..4]), text(&board[4..5])];
        let dealt: String = streets[..self.round].iter().map(|cards| format!("/{cards}")).collect();
        let (client, number, betting) = (self.client, self.number, &self.betting);
        format!("MATCHSTATE:{client}:{number}:{betting}:{}|{}{dealt}", hole(0), hole(1))
    }

    /// Takes an action, or says why not.
    fn act(&mut self, text: &str, stack: i64, big: i64) -> Result<(), String> {
        let (own, other) = (self.to_act, 1 - self.to_act);
        let owed = self.spent[other] - self.spent[own];
        let bad = || Err(format!("{text} after {}", self.state()));
        match (text.chars().next(), text[1..].parse::<i64>()) {
            (Some('f'), Err(_)) if text == "f" => {
                if owed == 0 {
                    return bad();
                }
                self.folded = Some(own);
                self.over = true;
                self.betting += "f";
            }
            (Some('c'), Err(_)) if text == "c" => {
                self.spent[own] = self.spent[other];
                self.betting += "c";
                self.acted += 1;
                if self.acted >= 2 {
                    self.end_round(stack, big);
                } else {
                    self.to_act = other;
                }
            }
            (Some('r'), Ok(to)) => {
                let least = self.least.min(stack);
                if to < least || to > stack || self.spent[other] == stack {
                    return bad();
                }
                self.least = to + (to - self.spent[other]).max(big);
                self.spent[own] = to;
                self.betting += text;
                self.acted += 1;
                self.to_act = other;
            }
            _ => return bad(),
        }
        Ok(())
    }

    fn end_round(&mut self, stack: i64, big: i64) {
        let all_in = self.spent[0] == stack;
        loop {
            if self.round == 3 {
                self.over = true;
                return;
            }
            self.round += 1;
            self.betting += "/";
            if !all_in {
                break;
            }
        }
        (self.to_act, self.acted, self.least) = (0, 0, self.spent[0] + big);
    }

    /// What position 0 wins.
    fn value(&self) -> i64 {
        let hand =
            |p: usize| best_of_seven(&[&self.deck[2 * p..2 * p + 2], &self.deck[4..9]].concat());
        let wins = match self.folded {
            Some(folded) => {
                if folded == 0 {
                    -1
                } else {
                    1
                }
            }
            None => hand(0).cmp(&hand(1)) as i64,
        };
        wins * self.spent[0].min(self.spent[1])
    }
}

impl Dealer {
    /// Deals a match to whoever connects.
    pub(crate) fn deal(&self, listener: &TcpListener) -> Outcome {
        let (stream, _) = listener.accept().unwrap();
        stream.set_nodelay(true).unwrap();
        let mut from = BufReader::new(stream.try_clone().unwrap());
        let mut outcome = Outcome::default();
        // A client that gives up is not the dealer's fault.
        let _ = self.play(&mut from, stream, &mut outcome);
        outcome
    }

    fn play(
        &self,
        from: &mut BufReader<TcpStream>,
        mut to: TcpStream,
        outcome: &mut Outcome,
    ) -> std::io::Result<()> {
        let mut line = String::new();
        from.read_line(&mut line)?;
        if line != "VERSION:2.0.0\r\n" {
            outcome.violations.push(line.clone());
        }
        write!(to, "# a comment\r\n; another\r\n")?;
        let mut random = Random(self.seed);
        for number in 0..self.hands {
            let mut deck: Vec<Card> = Card::all().collect();
            for place in 0..9 {
                let other = place + random.below(52 - place as u64) as usize;
                deck.swap(place, other);
            }
            let mut hand = Hand {
                number,
                client: (number % 2) as usize,
                deck,
                betting: String::new(),
                round: 0,
                spent: [self.big, self.small],
                to_act: 1,
                acted: 0,
                least: 2 * self.big,
                folded: None,
                over: false,
            };
            write!(to, "{}\r\n", hand.state())?;
            while !hand.over {
                if number == 1 && self.fault != Fault::None && self.fail(&mut hand, &mut to)? {
                    // Whatever the client has to say to that.
                    let _ = from.read_line(&mut line);
                    return Ok(());
                }
                let action = match hand.to_act == hand.client {
                    true => {
                        line.clear();
                        if from.read_line(&mut line)? == 0 {
                            return Ok(());
                        }
                        let state = hand.state();
                        let answer = line.strip_suffix("\r\n").and_then(|l| l.strip_prefix(&state));
                        match answer.and_then(|answer| answer.strip_prefix(':')) {
                            Some(action) => action.to_owned(),
                            None => {
                                outcome.violations.push(line.clone());
                                return Ok(());
                            }
                        }
                    }
                    false => self.random_action(&hand, &mut random),
                };
                outcome.raises +=
                    usize::from(hand.to_act != hand.client && action.starts_with('r'));
                if action.is_empty() || hand.act(&action, self.stack, self.big).is_err() {
                    outcome.violations.push(format!("{action} after {}", hand.state()));
                    return Ok(());
                }
                write!(to, "{}\r\n", hand.state())?;
            }
            outcome.showdowns += usize::from(hand.folded.is_none());
            outcome.won += if hand.client == 0 { hand.value() } else { -hand.value() };
        }
        Ok(())
    }

    /// Does what the fault asks for; whether the match ends with it.
    fn fail(&self, hand: &mut Hand, to: &mut TcpStream) -> std::io::Result<bool> {
        let state = hand.state();
        match self.fault {
            Fault::None => {}
            Fault::Malformed => write!(to, "MATCHSTATE:0:1:r2x:AsKs|\r\n")?,
            Fault::DealtTwice => {
                let own = hand.deck[2 * hand.client];
                let cards = state.rsplit(':').next().unwrap_or_default();
                write!(to, "MATCHSTATE:{}:1:cc/:{cards}/{own}2c3c\r\n", hand.client)?;
            }
            Fault::HangUp => {}
            Fault::CutLine => write!(to, "MATCHSTATE:1:1")?,
            Fault::Illegal => {
                let cards = state.rsplit(':').next().unwrap_or_default();
                write!(to, "MATCHSTATE:{}:1:r{}:{cards}\r\n", hand.client, self.stack + 1)?;
            }
            Fault::OtherCards => {
                hand.deck.rotate_left(9);
                write!(to, "{}\r\n", hand.state())?;
            }
        }
        to.flush()?;
        to.shutdown(std::net::Shutdown::Write)?;
        Ok(true)
    }

    fn random_action(&self, hand: &Hand, random: &mut Random) -> String {
        let other = hand.spent[1 - hand.to_act];
        let owed = other > hand.spent[hand.to_act];
        let least = hand.least.min(self.stack);
        match random.below(10) {
            0 if owed => "f".to_owned(),
            1..=4 if other < self.stack => {
                let most =
                    if random.below(4) == 0 { self.stack } else { (2 * least).min(self.stack) };
                format!("r{}", least + random.below((most - least + 1) as u64) as i64)
            }
            _ => "c".to_owned(),
        }
    }
}
