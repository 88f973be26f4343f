//! Ranges: as text, and as weights that are written and read back.
#![no_main]

use lethe_cards::{Hole, Range};
use lethe_fuzz::read;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    match input {
        [0, changes @ ..] => weights(changes),
        _ => {
            let Ok(text) = str::from_utf8(input) else { return };
            read::<Range>(text);
            if let Err(error) = text.parse::<Range>() {
                assert!(error.at <= text.chars().count(), "{text:?}: an error at {}", error.at);
                error.pointing_at(text);
            }
        }
    }
});

/// A range made of triples: a hole, as two bytes, and its weight; whole classes where the first
/// byte is above 127.
fn weights(changes: &[u8]) {
    let mut range = Range::empty();
    for change in changes.chunks_exact(3) {
        let hole = usize::from(u16::from_le_bytes([change[0], change[1]])) % Hole::COUNT;
        let weight = match change[2] {
            0 => 0,
            1..=127 => Range::ONE,
            other => u32::from(other) * 3_001 % (Range::ONE + 1),
        };
        let hole = Hole::all().nth(hole).expect("below their number");
        range.set(hole, weight);
        for other in hole.class().holes().filter(|_| change[0] > 127) {
            range.set(other, weight);
        }
    }
    let written = range.to_string();
    assert_eq!(written.parse::<Range>().as_ref(), Ok(&range), "{written}");
}
