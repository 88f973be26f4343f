//! Cards in arrays: evaluation, canonical forms, equities.
//!
//! A card is its index, `4 * rank + suit`: `2c` is 0, `As` is 51.

use lethe_cards::{
    Board, CanonicalBoard, Card, CardSet, Deck, Hole, Matchups, Situation, Street, Strength,
    parse_cards, vs_random,
};
use lethe_compute::Job;
use lethe_kit::equity::{EquityView, PlayerCards};
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::errors::Failure;
use crate::work::{How, each_part, run, short};

/// The cards of a text, as indices.
#[pyfunction]
pub(crate) fn read_cards(text: &str) -> Result<Vec<u8>, Failure> {
    let cards = parse_cards(text).map_err(|error| Failure::pointing(&error, text))?;
    Ok(cards.into_iter().map(|card| card.index() as u8).collect())
}

/// The text of cards.
#[pyfunction]
pub(crate) fn write_cards(cards: Vec<u8>) -> Result<String, Failure> {
    cards.into_iter().map(|index| Ok(card(index, None)?.to_string())).collect()
}

/// A strength in words.
#[pyfunction]
pub(crate) fn describe(strength: u16) -> Result<String, Failure> {
    let known = Strength::from_index(strength.into());
    let known = known.ok_or_else(|| {
        Failure::input(format_args!("{strength} is not a strength: expected 0 to 7461"))
    });
    Ok(known?.to_string())
}

fn card(index: u8, row: Option<usize>) -> Result<Card, Failure> {
    Card::from_index(index.into()).ok_or_else(|| {
        let row = row.map_or_else(String::new, |row| format!("row {row}: "));
        Failure::Input(format!("{row}{index} is not a card: expected 0 (2c) to 51 (As)"))
    })
}

/// Cards that are all different.
fn distinct(cards: &[u8], row: usize) -> Result<Vec<Card>, Failure> {
    let cards: Vec<Card> =
        cards.iter().map(|&index| card(index, Some(row))).collect::<Result<_, _>>()?;
    match cards.iter().enumerate().find(|(place, card)| cards[..*place].contains(card)) {
        Some((_, card)) => Err(Failure::Input(format!("row {row}: duplicate card {card}"))),
        None => Ok(cards),
    }
}

/// The strengths of hands of five to seven cards.
#[pyfunction]
pub(crate) fn evaluate<'py>(
    py: Python<'py>,
    cards: PyReadonlyArray2<'py, u8>,
) -> Result<Bound<'py, PyArray1<u16>>, Failure> {
    let (rows, columns) = (cards.shape()[0], cards.shape()[1]);
    let data = cards.as_slice().map_err(PyErr::from)?;
    let mut strengths = vec![0u16; rows];
    let evaluate = match columns {
        5 => evaluate_rows::<5>,
        6 => evaluate_rows::<6>,
        7 => evaluate_rows::<7>,
        _ => {
            return Err(Failure::Input(format!(
                "expected hands of 5 to 7 cards, found {columns} columns"
            )));
        }
    };
    let out = &mut strengths;
    each_part(py, rows, move |part| {
        let hands = &data[part.start * columns..part.end * columns];
        match evaluate(hands, &mut out[part.clone()]) {
            None => Ok(()),
            Some(row) => {
                let at = row * columns;
                distinct(&hands[at..at + columns], part.start + row).map(drop)
            }
        }
    })?;
    Ok(strengths.into_pyarray(py))
}

/// Evaluates rows of cards; the first that is not a hand, if there is one.
fn evaluate_rows<const N: usize>(data: &[u8], out: &mut [u16]) -> Option<usize> {
    let (hands, _) = data.as_chunks::<N>();
    for (row, (hand, strength)) in hands.iter().zip(out).enumerate() {
        let mut set = CardSet::EMPTY;
        for &index in hand {
            // What is not a card adds none, so that the hand is too small.
            if let Some(card) = Card::from_index(index.into()) {
                set.insert(card);
            }
        }
        if set.len() != N {
            return Some(row);
        }
        *strength = lethe_cards::evaluate(set).get();
    }
    None
}

/// Rows of holes and boards, either of which may be one row for all of the other.
pub(crate) struct Situations<'a> {
    holes: &'a [u8],
    boards: &'a [u8],
    /// The number of cards on a board.
    width: usize,
    /// The number of situations.
    pub(crate) rows: usize,
    /// The steps from one situation to the next.
    steps: [usize; 2],
    /// The board, if it is the same for all.
    board: Option<Board>,
}

impl<'a> Situations<'a> {
    /// The situations of two arrays.
    pub(crate) fn new(
        holes: &'a PyReadonlyArray2<'_, u8>,
        boards: &'a PyReadonlyArray2<'_, u8>,
    ) -> Result<Situations<'a>, Failure> {
        let [hole_rows, two] = [holes.shape()[0], holes.shape()[1]];
        let [board_rows, width] = [boards.shape()[0], boards.shape()[1]];
        if two != 2 {
            return Err(Failure::Input(format!("expected holes of 2 cards, found {two} columns")));
        }
        if Street::from_board_len(width).is_none() {
            return Err(Failure::Input(format!(
                "expected boards of 0, 3, 4 or 5 cards, found {width} columns"
            )));
        }
        let rows = match (hole_rows, board_rows) {
            (holes, boards) if holes == boards => holes,
            (1, boards) => boards,
            (holes, 1) => holes,
            (holes, boards) => {
                return Err(Failure::Input(format!(
                    "{holes} holes on {boards} boards: expected as many of both, or one of either"
                )));
            }
        };
        let step = |count: usize, width| if count == 1 && rows != 1 { 0 } else { width };
        let steps = [step(hole_rows, 2), step(board_rows, width)];
        let mut all = Situations {
            holes: holes.as_slice().map_err(PyErr::from)?,
            boards: boards.as_slice().map_err(PyErr::from)?,
            width,
            rows,
            steps,
            board: None,
        };
        if rows > 0 && steps[1] == 0 {
            all.board = Some(all.read_board(0)?);
        }
        Ok(all)
    }

    fn read_board(&self, row: usize) -> Result<Board, Failure> {
        let at = row * self.steps[1];
        let cards = &self.boards[at..at + self.width];
        let mut read = [Card::from_index(0).expect("below 52"); 5];
        let read = &mut read[..self.width];
        for (card, &index) in read.iter_mut().zip(cards) {
            match Card::from_index(index.into()) {
                Some(found) => *card = found,
                None => return Err(distinct(cards, row).err().unwrap_or_else(|| changed(row))),
            }
        }
        Board::new(read).ok_or_else(|| distinct(cards, row).err().unwrap_or_else(|| changed(row)))
    }

    /// A hole and a board; whether they share a card is not checked.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Result<(Hole, Board), Failure> {
        let at = row * self.steps[0];
        let [a, b] = [self.holes[at], self.holes[at + 1]];
        let hole = Card::from_index(a.into())
            .zip(Card::from_index(b.into()))
            .and_then(|(a, b)| Hole::new(a, b));
        let hole =
            hole.ok_or_else(|| distinct(&[a, b], row).err().unwrap_or_else(|| changed(row)))?;
        let board = match self.board {
            Some(board) => board,
            None => self.read_board(row)?,
        };
        Ok((hole, board))
    }

    /// A hole that holds a card of its board.
    pub(crate) fn shared(row: usize, hole: Hole, board: &Board) -> Failure {
        Failure::Input(format!("row {row}: {hole} holds a card of {board}"))
    }
}

/// An array that another thread writes to while it is read.
fn changed(row: usize) -> Failure {
    Failure::Input(format!("row {row} changed while it was read"))
}

/// The canonical form of each situation: holes and boards.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub(crate) fn canonical<'py>(
    py: Python<'py>,
    holes: PyReadonlyArray2<'py, u8>,
    boards: PyReadonlyArray2<'py, u8>,
) -> Result<(Bound<'py, PyArray2<u8>>, Bound<'py, PyArray2<u8>>), Failure> {
    let all = Situations::new(&holes, &boards)?;
    let (rows, width) = (all.rows, all.width);
    let (mut own, mut shared) = (vec![0u8; 2 * rows], vec![0u8; width * rows]);
    let (to_holes, to_boards) = (&mut own, &mut shared);
    each_part(py, rows, move |part| {
        for row in part {
            let (hole, board) = all.get(row)?;
            let (form, _) =
                Situation::of(hole, &board).ok_or_else(|| Situations::shared(row, hole, &board))?;
            let hole = form.hole();
            to_holes[2 * row] = hole.high().index() as u8;
            to_holes[2 * row + 1] = hole.low().index() as u8;
            let cards = form.board().board();
            for (to, card) in to_boards[width * row..].iter_mut().zip(cards.cards()) {
                *to = card.index() as u8;
            }
        }
        Ok(())
    })?;
    let shaped = |cards: Vec<u8>, width| cards.into_pyarray(py).reshape([rows, width]);
    Ok((shaped(own, 2)?, shaped(shared, width)?))
}

/// The index of each situation among those of its street.
#[pyfunction]
pub(crate) fn situation_index<'py>(
    py: Python<'py>,
    holes: PyReadonlyArray2<'py, u8>,
    boards: PyReadonlyArray2<'py, u8>,
) -> Result<Bound<'py, PyArray1<i64>>, Failure> {
    let all = Situations::new(&holes, &boards)?;
    let mut slots = vec![0i64; all.rows];
    let (rows, out) = (all.rows, &mut slots);
    each_part(py, rows, move |part| {
        for row in part {
            let (hole, board) = all.get(row)?;
            let slot = Situation::slot_of(hole, &board)
                .ok_or_else(|| Situations::shared(row, hole, &board))?;
            out[row] = slot as i64;
        }
        Ok(())
    })?;
    Ok(slots.into_pyarray(py))
}

/// The index of each canonical board, and of how many boards it is the form.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub(crate) fn board_index<'py>(
    py: Python<'py>,
    boards: PyReadonlyArray2<'py, u8>,
) -> Result<(Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>), Failure> {
    let boards = read_boards(&boards)?;
    let (mut places, mut counts) = (vec![0; boards.len()], vec![0; boards.len()]);
    let (to_places, to_counts) = (&mut places, &mut counts);
    each_part(py, boards.len(), move |part| {
        for row in part {
            let (form, _) = CanonicalBoard::of(&boards[row]);
            to_places[row] = form.index() as i64;
            to_counts[row] = i64::from(form.multiplicity());
        }
        Ok(())
    })?;
    Ok((places.into_pyarray(py), counts.into_pyarray(py)))
}

/// The canonical boards of a street, by index.
#[pyfunction]
pub(crate) fn canonical_boards<'py>(
    py: Python<'py>,
    street: &str,
) -> Result<Bound<'py, PyArray2<u8>>, Failure> {
    let street: Street = street.parse()?;
    let cards: Vec<u8> = short(py, || {
        let boards = CanonicalBoard::all(street).map(CanonicalBoard::board);
        Ok(boards
            .flat_map(|board| {
                board.cards().iter().map(|card| card.index() as u8).collect::<Vec<_>>()
            })
            .collect())
    })?;
    Ok(cards.into_pyarray(py).reshape([CanonicalBoard::count(street), street.board_len()])?)
}

/// The holes that a board leaves, in the order of its row.
#[pyfunction]
pub(crate) fn row_holes<'py>(
    py: Python<'py>,
    board: Vec<u8>,
) -> Result<Bound<'py, PyArray2<u8>>, Failure> {
    let cards = distinct(&board, 0)?;
    let board = Board::new(&cards).ok_or_else(|| {
        Failure::Input(format!("expected a board of 0, 3, 4 or 5 cards, found {}", cards.len()))
    })?;
    let deck = Deck::without(board.set());
    let cards: Vec<u8> = deck
        .holes()
        .flat_map(|hole| [hole.high().index() as u8, hole.low().index() as u8])
        .collect();
    let rows = cards.len() / 2;
    Ok(cards.into_pyarray(py).reshape([rows, 2])?)
}

fn read_boards(boards: &PyReadonlyArray2<'_, u8>) -> Result<Vec<Board>, Failure> {
    let [rows, width] = [boards.shape()[0], boards.shape()[1]];
    if Street::from_board_len(width).is_none() {
        return Err(Failure::Input(format!(
            "expected boards of 0, 3, 4 or 5 cards, found {width} columns"
        )));
    }
    let data = boards.as_slice().map_err(PyErr::from)?;
    let board = |row: usize| -> Result<Board, Failure> {
        let cards = distinct(&data[row * width..(row + 1) * width], row)?;
        Board::new(&cards).ok_or_else(|| changed(row))
    };
    (0..rows).map(board).collect()
}

/// The equity of every hole of each board against a random hand, in rows.
#[pyfunction]
#[pyo3(signature = (boards, threads=None, progress=None))]
pub(crate) fn equity_rows<'py>(
    py: Python<'py>,
    boards: PyReadonlyArray2<'py, u8>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> Result<Bound<'py, PyArray2<f64>>, Failure> {
    let street = Street::from_board_len(boards.shape()[1]);
    let boards = read_boards(&boards)?;
    let length = Deck::row_len(street.expect("checked with the boards"));
    let count = boards.len();
    let rows = run(py, How { threads, progress }, |job, _| {
        job.begin("equities", boards.len() as u64);
        let mut rows = vec![0.0; boards.len() * length];
        job.install(|| {
            rows.par_chunks_mut(length)
                .zip(&boards)
                .try_for_each(|(row, board)| fill_row(board, row, job))
        })?;
        Ok(rows)
    })?;
    Ok(rows.into_pyarray(py).reshape([count, length])?)
}

fn fill_row(board: &Board, row: &mut [f64], job: Job<'_>) -> Result<(), Failure> {
    job.check()?;
    let (street, set) = (board.street(), board.set());
    let scale = f64::from(vs_random::equity_scale(street));
    let mut sums = vec![0u32; row.len()];
    match street {
        Street::Preflop => {
            let all = [1; Hole::COUNT];
            let matchups = Matchups::shipped();
            for (entry, hole) in row.iter_mut().zip(Hole::all()) {
                *entry = matchups.against(hole, &all).equity().unwrap_or(f64::NAN);
            }
            job.advance(1);
            return Ok(());
        }
        Street::Flop => {
            let of = |turn: CanonicalBoard, row: &mut [u32]| {
                if !job.cancelled() {
                    vs_random::turn_row(turn.set(), row);
                }
            };
            vs_random::flop_row(set, &mut sums, of);
        }
        Street::Turn => vs_random::turn_row(set, &mut sums),
        Street::River => {
            let mut river = vec![0u16; row.len()];
            vs_random::river_row(set, &mut river);
            sums.iter_mut().zip(river).for_each(|(to, q)| *to = q.into());
        }
    }
    for (entry, sum) in row.iter_mut().zip(sums) {
        *entry = f64::from(sum) / scale;
    }
    job.advance(1);
    Ok(job.check()?)
}

/// An equity: it, deals won, tied and in all, the texts of both, the bins and the picture of their histogram.
type EquityParts = (f64, u128, u128, u128, String, String, Option<Vec<u64>>, Option<String>);

/// The equity of a hand or range on a board against another.
#[pyfunction]
pub(crate) fn equity(
    py: Python<'_>,
    player: &str,
    board: &str,
    against: &str,
    bins: u32,
) -> Result<EquityParts, Failure> {
    if !(1..=1000).contains(&bins) {
        return Err(Failure::Input(format!("bins is {bins}; expected 1 to 1000")));
    }
    let read =
        |text: &str| PlayerCards::parse(text).map_err(|error| Failure::pointing(&error, text));
    let (own, other) = (read(player)?, read(against)?);
    let cards = match board.trim() {
        "" => Board::EMPTY,
        text => text.parse().map_err(|error| Failure::pointing(&error, board))?,
    };
    // A card that is there twice is pointed at in all texts together.
    let known = |cards: &PlayerCards, text| matches!(cards, PlayerCards::Hole(_)).then_some(text);
    let texts = [
        known(&own, player),
        Some(board).filter(|text| !text.trim().is_empty()),
        known(&other, against),
    ];
    let texts = texts.into_iter().flatten().collect::<Vec<_>>().join(" ");
    parse_cards(&texts).map_err(|error| Failure::pointing(&error, &texts))?;
    let view = run(py, How { threads: Some(1), progress: None }, |_, _| {
        Ok(EquityView::of(&own, &other, &cards, bins)?)
    })?;
    let svg = view.histogram.as_ref().map(|histogram| histogram.svg());
    let counts = view.histogram.map(|histogram| histogram.counts);
    Ok((view.equity, view.wins, view.ties, view.total, view.hole, view.against, counts, svg))
}
