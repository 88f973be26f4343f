//! Cards, holes, boards and streets as people write them.
#![no_main]

use lethe_cards::{Board, Card, Hole, ParseError, Street, parse_cards};
use lethe_fuzz::read;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    read::<Card>(text);
    read::<Hole>(text);
    read::<Street>(text);
    if let Some(board) = read::<Board>(text) {
        assert_eq!(parse_cards(text).as_deref(), Ok(board.cards()));
    }
    for error in [parse_cards(text).err(), text.parse::<Board>().err()].into_iter().flatten() {
        let ParseError { at, .. } = error;
        assert!(at <= text.chars().count(), "{text:?}: an error at {at}");
        error.pointing_at(text);
    }
});
