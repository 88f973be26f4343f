//! Looking up every hand of a stream: blocks of lines, answered in parallel, written in order.

use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use lethe_abstraction::{Abstraction, Lookup, Method, OpenError};
use lethe_cards::{
    Board, Card, CardCount, Hole, ParseError, RIVER_SCALE, Rank, StartingHand, Street, Suit,
    parse_cards, vs_random,
};
use rayon::prelude::*;

use super::report;
use crate::config::tame;
use crate::error::Error;
use crate::files::FileError;

/// Bytes that one task answers.
const TASK: usize = 64 << 10;
/// Bytes read at once.
const BLOCK: usize = 1 << 20;
/// The longest line, with room for any spelling of seven cards.
const LONGEST: usize = 4 << 20;
/// The shortest line with a board, and its end.
const SHORTEST: usize = 12;
/// Blocks read ahead, and answered together.
const AHEAD: usize = 8;

/// Looks up every hand of `input`, one per line.
///
/// A line holds a hole and perhaps a board. Each is answered by a line: hole, board, bucket and the
/// bucket's mean equity separated by tabs, or an object if `json`. Answers are written as soon as
/// their lines have come in, so a program may ask one question at a time. The first bad line ends
/// it with an error; lines before it have been answered.
pub fn answer_lines(
    open: &Abstraction,
    input: impl Read + Send + 'static,
    out: &mut dyn Write,
    json: bool,
) -> Result<StreamSummary, Error> {
    let tails = Tails::of(open, json)?;
    let (send, blocks) = sync_channel(AHEAD);
    // Nobody waits for the reader: after a bad line it may itself wait for input that never comes.
    thread::spawn(move || {
        let mut input = input;
        loop {
            let mut block = vec![0; BLOCK];
            let read = input.read(&mut block);
            let last = !matches!(read, Ok(1..));
            let read = read.map(|length| {
                block.truncate(length);
                block
            });
            if send.send(read).is_err() || last {
                break;
            }
        }
    });
    answer_blocks(open, &blocks, &tails, out)
}

/// Answers the lines of all blocks, in order.
fn answer_blocks(
    open: &Abstraction,
    blocks: &Receiver<std::io::Result<Vec<u8>>>,
    tails: &Tails,
    out: &mut dyn Write,
) -> Result<StreamSummary, Error> {
    let mut pending: Vec<u8> = Vec::new();
    let mut summary = StreamSummary::default();
    loop {
        let mut ended = false;
        let first = blocks.recv().map_err(|_| unread(std::io::ErrorKind::BrokenPipe.into()))?;
        for block in std::iter::once(first).chain(blocks.try_iter().take(AHEAD - 1)) {
            let block = block.map_err(unread)?;
            ended |= block.is_empty();
            pending.extend_from_slice(&block);
            if pending.len() > LONGEST && !pending[pending.len() - LONGEST..].contains(&b'\n') {
                let line = summary.lines + 1;
                return Err(Error::question(format_args!("line {line}: longer than any hand")));
            }
        }
        let whole = match (ended, pending.iter().rposition(|&byte| byte == b'\n')) {
            (true, _) => pending.len(),
            (false, Some(end)) => end + 1,
            (false, None) => 0,
        };
        let rest = pending.split_off(whole);
        let tasks = split(&pending);
        let answers: Vec<Answered> =
            tasks.par_iter().map(|text| answer_piece(open, text, tails)).collect();
        for answered in answers {
            out.write_all(&answered.text).map_err(unwritten)?;
            if let Some(fault) = answered.fault {
                out.flush().map_err(unwritten)?;
                return Err(fault.located(summary.lines + answered.lines + 1));
            }
            summary.lines += answered.lines;
            for (all, count) in summary.fallbacks.iter_mut().zip(answered.fallbacks) {
                *all += count;
            }
        }
        out.flush().map_err(unwritten)?;
        pending = rest;
        if ended {
            return Ok(summary);
        }
    }
}

/// What a stream held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamSummary {
    /// Lines, blank ones included.
    pub lines: u64,
    /// Hands of each street without an entry of their own in a sampled table.
    pub fallbacks: [u64; 4],
}

/// Cuts a text into pieces of whole lines.
fn split(mut text: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    while !text.is_empty() {
        let end = match text.get(TASK..).and_then(|rest| rest.iter().position(|&b| b == b'\n')) {
            Some(place) => TASK + place + 1,
            None => text.len(),
        };
        let (piece, rest) = text.split_at(end);
        pieces.push(piece);
        text = rest;
    }
    pieces
}

/// The answers to a piece of the input.
#[derive(Debug, Default)]
struct Answered {
    text: Vec<u8>,
    /// Lines answered or blank.
    lines: u64,
    fallbacks: [u64; 4],
    /// What is wrong with the line after them.
    fault: Option<Fault>,
}

fn unread(why: std::io::Error) -> Error {
    FileError::Read { path: "the input".into(), why }.into()
}

fn unwritten(why: std::io::Error) -> Error {
    FileError::Write { path: "the output".into(), why }.into()
}

/// What is wrong with a line, wherever it is.
#[derive(Debug)]
enum Fault {
    /// It cannot be read as cards.
    Cards { column: usize, message: String },
    /// It does not hold a hole and a board.
    Count(usize),
    /// The table is damaged.
    Damaged(Box<OpenError>),
}

impl Fault {
    fn located(self, line: u64) -> Error {
        match self {
            Fault::Cards { column, message } => {
                Error::question(format_args!("line {line}, column {column}: {message}"))
            }
            Fault::Count(found) => Error::question(format_args!(
                "line {line}: expected a hole of 2 cards and a board of 0, 3, 4 or 5, found {}",
                CardCount(found)
            )),
            Fault::Damaged(error) => error.into(),
        }
    }
}

/// Answers the lines of a text: reads them all, looks them all up, writes all answers.
fn answer_piece(open: &Abstraction, text: &[u8], tails: &Tails) -> Answered {
    let mut answered = Answered { text: Vec::with_capacity(text.len() * 4), ..Answered::default() };
    let mut hands: Vec<Cards> = Vec::with_capacity(text.len() / SHORTEST);
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match read_plain(line) {
            Some(cards) => hands.push(cards),
            None if line.iter().all(u8::is_ascii_whitespace) => {}
            None => match read_any(line) {
                Ok(cards) => hands.push(cards),
                Err(fault) => {
                    answered.fault = Some(fault);
                    break;
                }
            },
        }
        answered.lines += 1;
    }
    let mut found = Vec::new();
    // A damaged table comes before a bad line after it.
    if let Err(damaged) = open.lookup_all(&hands, &mut found) {
        answered.fault = Some(Fault::Damaged(damaged));
    }
    for (&cards, found) in hands.iter().zip(found) {
        if let Err(fault) = tails.write(open, cards, found, &mut answered) {
            answered.fault = Some(fault);
            break;
        }
    }
    answered
}

/// A hole and a board without a card in common.
type Cards = (Hole, Board);

/// Reads a line as most are: `AsKs Th9h8c`, nothing before, between or after.
#[inline]
fn read_plain(line: &[u8]) -> Option<Cards> {
    let (hole, board) = match line.len() {
        4 => (line, &line[4..]),
        11 | 13 | 15 if line[4] == b' ' => (&line[..4], &line[5..]),
        _ => return None,
    };
    let mut seen = 0u64;
    let mut card = |text: &[u8]| {
        let index = CARD_AT[text[0] as usize].0 + CARD_AT[text[1] as usize].1;
        let card = Card::from_index(index as usize)?;
        let bit = 1 << card.index();
        let fresh = seen & bit == 0;
        seen |= bit;
        fresh.then_some(card)
    };
    let hole = Hole::new(card(&hole[..2])?, card(&hole[2..])?)?;
    let mut cards = [hole.high(); 5];
    let mut count = 0;
    for text in board.chunks_exact(2) {
        cards[count] = card(text)?;
        count += 1;
    }
    let board = if count == 0 { Board::EMPTY } else { Board::new(&cards[..count])? };
    Some((hole, board))
}

/// For each byte, what it adds to a card's index as a rank and as a suit.
static CARD_AT: [(u16, u16); 256] = {
    let mut places = [(u16::MAX / 2, u16::MAX / 2); 256];
    let mut byte = 0;
    while byte < 128 {
        if let Some(rank) = Rank::from_letter(byte as u8 as char) {
            places[byte].0 = 4 * rank.index() as u16;
        }
        if let Some(suit) = Suit::from_letter(byte as u8 as char) {
            places[byte].1 = suit.index() as u16;
        }
        byte += 1;
    }
    places
};

/// Reads a line in any spelling: two cards, then those of the board.
fn read_any(line: &[u8]) -> Result<Cards, Fault> {
    let text = std::str::from_utf8(line).map_err(|error| {
        let before = String::from_utf8_lossy(&line[..error.valid_up_to()]);
        let column = before.chars().count() + 1;
        Fault::Cards { column, message: "this byte is not UTF-8".to_owned() }
    })?;
    let cards = parse_cards(text).map_err(|error: ParseError| Fault::Cards {
        column: error.at + 1,
        message: pointing(&error, text),
    })?;
    let hole = cards.get(..2).and_then(|hole| Hole::new(hole[0], hole[1]));
    let board = match &cards[2.min(cards.len())..] {
        [] => Some(Board::EMPTY),
        board => Board::new(board),
    };
    hole.zip(board).ok_or(Fault::Count(cards.len()))
}

/// The message of an error above the text with a caret under the bad character.
fn pointing(error: &ParseError, text: &str) -> String {
    let message = error.to_string();
    let pointing = error.pointing_at(text);
    // The text below the message has no control characters any more.
    tame(&message).into_owned() + pointing.strip_prefix(&message).unwrap_or_default()
}

/// What follows the cards in an answer, for every bucket of every street.
struct Tails {
    json: bool,
    /// By street; the last is that of the bucket's equity and size.
    streets: [Vec<String>; 4],
    texture: [bool; 4],
    preflop: Vec<String>,
    /// The equities of hands on the river, by what they are in units of [`RIVER_SCALE`].
    river: Vec<String>,
}

impl Tails {
    fn of(open: &Abstraction, json: bool) -> Result<Tails, Error> {
        let mut streets: [Vec<String>; 4] = Default::default();
        let mut texture = [false; 4];
        let mut preflop = Vec::new();
        let tail = |equity: f64, size: u64| match json {
            true => format!(",\"bucket_equity\":{},\"bucket_size\":{size}", number(equity)),
            false => format!("\t{equity:.6}\n"),
        };
        for street in Street::POSTFLOP {
            let report = report(open, street)?;
            let figures = report.equities.iter().zip(&report.sizes);
            streets[street.index()] = figures.map(|(&equity, &size)| tail(equity, size)).collect();
            let plan = open.plan().streets().get(street);
            texture[street.index()] =
                plan.is_some_and(|plan| matches!(plan.method(), Method::Texture { .. }));
        }
        for class in StartingHand::all() {
            let hole = class.holes().next().expect("every starting hand has holes");
            let equity = open.equity(hole, &Board::EMPTY)?.expect("every hole has an equity");
            streets[0].push(tail(equity, class.combos() as u64));
            preflop.push(number(equity));
        }
        let river = |q: u32| number(f64::from(q) / f64::from(RIVER_SCALE));
        let river = (0..=RIVER_SCALE).map(river).collect();
        Ok(Tails { json, streets, texture, preflop, river })
    }

    /// Writes the answer to a hand.
    #[inline]
    fn write(
        &self,
        open: &Abstraction,
        cards: Cards,
        found: Option<Lookup>,
        answered: &mut Answered,
    ) -> Result<(), Fault> {
        let (hole, board) = cards;
        let street = board.street();
        // Both readers see to it that no card is there twice.
        let found = found.ok_or(Fault::Count(2 + board.cards().len()))?;
        // The report has an entry for each bucket.
        let tail = &self.streets[street.index()][found.base as usize];
        answered.fallbacks[street.index()] += u64::from(found.fallback);
        let text = &mut answered.text;
        if self.json {
            self.write_json(open, cards, found, tail, text)?;
        } else {
            put_card(hole.high(), text);
            put_card(hole.low(), text);
            text.push(b'\t');
            if street == Street::Preflop {
                text.push(b'-');
            }
            board.cards().iter().for_each(|&card| put_card(card, text));
            text.push(b'\t');
            put_number(found.bucket, text);
            text.extend_from_slice(tail.as_bytes());
        }
        Ok(())
    }

    fn write_json(
        &self,
        open: &Abstraction,
        (hole, board): Cards,
        found: Lookup,
        tail: &str,
        text: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        let street = board.street();
        text.extend_from_slice(b"{\"hole\":\"");
        put_card(hole.high(), text);
        put_card(hole.low(), text);
        if street == Street::Preflop {
            text.extend_from_slice(b"\",\"board\":null,\"street\":\"");
        } else {
            text.extend_from_slice(b"\",\"board\":\"");
            board.cards().iter().for_each(|&card| put_card(card, text));
            text.extend_from_slice(b"\",\"street\":\"");
        }
        text.extend_from_slice(street.name().as_bytes());
        text.extend_from_slice(b"\",\"bucket\":");
        put_number(found.bucket, text);
        if let Some(cluster) = found.flop_cluster {
            text.extend_from_slice(b",\"flop_cluster\":");
            put_number(cluster, text);
            text.extend_from_slice(b",\"base_bucket\":");
            put_number(found.base, text);
        }
        text.extend_from_slice(b",\"equity\":");
        match street {
            Street::Preflop => {
                text.extend_from_slice(self.preflop[found.bucket as usize].as_bytes());
            }
            Street::River => {
                let tally = vs_random::river_hole(board.set(), hole).unwrap_or_default();
                let q = (2 * tally.wins + tally.ties) as usize;
                text.extend_from_slice(self.river[q].as_bytes());
            }
            _ => {
                let equity = open.equity(hole, &board).map_err(Fault::Damaged)?;
                put_float(equity.unwrap_or(f64::NAN), text);
            }
        }
        text.extend_from_slice(tail.as_bytes());
        if self.texture[street.index()] {
            let cluster = found.cluster.map_or("null".to_owned(), |cluster| cluster.to_string());
            let fallback = found.fallback;
            let more = format!(",\"cluster\":{cluster},\"fallback\":{fallback}");
            text.extend_from_slice(more.as_bytes());
        }
        text.extend_from_slice(b"}\n");
        Ok(())
    }
}

/// A number as JSON has it, as `serde_json` would write it.
fn number(value: f64) -> String {
    serde_json::Number::from_f64(value).map_or("null".to_owned(), |number| number.to_string())
}

fn put_float(value: f64, text: &mut Vec<u8>) {
    // Writing to a vector does not fail, and equities are finite.
    let _ = serde_json::to_writer(text, &value);
}

#[inline]
fn put_card(card: Card, text: &mut Vec<u8>) {
    // Letters of ranks and suits are ASCII.
    text.extend_from_slice(&[card.rank().letter() as u8, card.suit().letter() as u8]);
}

#[inline]
fn put_number(mut number: u32, text: &mut Vec<u8>) {
    let mut digits = [0; 10];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    text.extend_from_slice(&digits[start..]);
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn plain_lines_are_read_as_any_are() {
        let lines = ["AsKs Th9h8c", "2c2d", "asKS th9H8c2d", "7h6h 5h4h3h2hAh"];
        for line in lines {
            let plain = read_plain(line.as_bytes()).unwrap();
            assert_eq!(plain, read_any(line.as_bytes()).unwrap(), "{line}");
        }
        let odd =
            ["AsKs,Th9h8c", "As Ks Th 9h 8c", "A♠K♠ T♥9♥8♣", " AsKs", "AsKs Th9hAs", "AsKs Th9h"];
        for line in odd {
            assert!(read_plain(line.as_bytes()).is_none(), "{line}");
        }
        assert!(read_any("As Ks Th 9h 8c".as_bytes()).is_ok());
    }

    #[test]
    fn bad_lines_are_named_by_column() {
        let fault = |line: &str| match read_any(line.as_bytes()).unwrap_err() {
            Fault::Cards { column, message } => format!("{column}: {message}"),
            fault => format!("{fault:?}"),
        };
        assert!(fault("AsKs Tx9h8c").starts_with("7: unknown suit 'x'"));
        assert!(fault("AsKs Th9hAs").starts_with("10: duplicate card As"));
        assert_eq!(fault("AsKs Th9h"), "Count(4)");
        let bytes = read_any(b"As\xffKs").unwrap_err();
        assert!(matches!(bytes, Fault::Cards { column: 3, .. }), "{bytes:?}");
    }

    #[test]
    fn pieces_are_whole_lines_and_nothing_is_lost() {
        let text: Vec<u8> = (0..40_000).flat_map(|n| format!("line {n}\n").into_bytes()).collect();
        let pieces = split(&text);
        assert!(pieces.len() > 1);
        assert!(pieces.iter().all(|piece| piece.ends_with(b"\n")));
        assert_eq!(pieces.concat(), text);
    }

    #[test]
    fn numbers_are_written_as_usual() {
        for number in [0, 7, 10, 499, 65_536, u32::MAX] {
            let mut text = Vec::new();
            put_number(number, &mut text);
            assert_eq!(text, number.to_string().into_bytes());
        }
    }
}
