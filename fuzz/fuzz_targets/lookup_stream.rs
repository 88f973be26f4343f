//! Streams of hands to look up. The first byte is `j` for answers in JSON.
#![no_main]

use std::io::Cursor;
use std::sync::LazyLock;

use lethe_abstraction::Abstraction;
use lethe_fuzz::{refused, repository};
use lethe_kit::abstractions::answer_lines;
use libfuzzer_sys::fuzz_target;

static ABSTRACTION: LazyLock<Abstraction> = LazyLock::new(|| {
    Abstraction::open(repository("crates/abstraction/tests/compat/v1")).expect("an abstraction")
});

fuzz_target!(|input: &[u8]| {
    let Some((&first, lines)) = input.split_first() else { return };
    let mut out = Vec::new();
    match answer_lines(&ABSTRACTION, Cursor::new(lines.to_vec()), &mut out, first == b'j') {
        Ok(summary) => {
            let out = String::from_utf8(out).expect("answers are text");
            assert!(out.lines().count() as u64 <= summary.lines);
        }
        Err(error) => refused(&error),
    }
});
